# SPDX-License-Identifier: ISC
"""What the clients of a site require of a store."""

from __future__ import annotations

from dataclasses import replace

import pytest
import samples
from answers import words_of

from ubench.report.capacity.site import Demand, Site


def test_leases_last_kea_s_default():
    assert Site().lease_s == 7200


@pytest.mark.parametrize("demand", Demand)
def test_what_is_required_grows_with_clients_and_falls_with_time(demand: Demand):
    site = Site()
    slow = replace(site, lease_s=2 * site.lease_s, restart_s=2 * site.restart_s)
    assert site.required(demand, 2000) == 2 * site.required(demand, 1000)
    assert slow.required(demand, 1000) == site.required(demand, 500)


@pytest.mark.parametrize(
    ("family", "as_new", "exchange"),
    [(4, False, "dora-known"), (4, True, "dora"), (6, False, "sarr"), (6, True, "sarr")],
)
def test_a_restart_is_an_exchange_of_the_family(family: int, as_new: bool, exchange: str):
    site = Site(restart_as_new=as_new)
    assert site.exchanges(Demand.RESTARTS, family)[0] == exchange
    assert site.exchanges(Demand.RENEWALS, family) == ("renew",)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--clients=86400 --lease-time=24h", "need 2 renewals per second, and 288 restarts"),
        ("--rate=2 --lease-time=24h", "2 renewals per second serve 86,400 clients"),
        ("--clients=1", "1 client with a lease of 2 hours needs <0.001 renewals"),
        ("--rate=2M", "IPv4 has no more addresses"),
        ("--clients=1M --lease-time=1h --renew-at=1", "need 278 renewals"),
    ],
)
def test_needs_without_results(arguments: str, words: str):
    outcome = samples.report("answer", *arguments.split())
    assert (outcome.status, outcome.err) == (0, "")
    assert words in words_of(outcome.out)
