# SPDX-License-Identifier: ISC
"""How often per second a store did what a client asks for: by arithmetic."""

from __future__ import annotations

import pytest
import samples
from answers import both, only_setup
from samples import observe, open_run, phase, run, store

from ubench.report.capacity.rates import Rate, RateKind, Unknown, rate_of
from ubench.report.capacity.site import Place


def rate(*lines: samples.Line, name: str = "renew") -> Rate | Unknown:
    return rate_of([observe(line) for line in lines], [name], Place())


def known_rate(*lines: samples.Line, name: str = "renew") -> Rate:
    known = rate(*lines, name=name)
    assert isinstance(known, Rate)
    return known


def test_a_rate_is_the_median_of_the_runs():
    known = known_rate(*(store(rates=[("renew", per_s)]) for per_s in (100, 400, 200)))
    assert (known.kind, known.runs, known.leases) == (RateKind.ALONE, 3, 100000)
    assert known.per_s == pytest.approx(200)
    assert known.least == pytest.approx(100)


PHASES = [("create", 50), ("search", 1000), ("update", 100)]


@pytest.mark.parametrize(
    ("exchange", "parameters", "seconds"),
    [
        ("renew", {}, 2 / 1000 + 1 / 100),
        ("dora", {}, 7 / 1000 + 1 / 50),
        ("dora-known", {}, 3 / 1000 + 1 / 100),
        ("sarr", {"ipv6": "yes"}, 4 / 1000 + 1 / 50),
    ],
)
def test_an_estimate_is_the_time_of_the_steps(exchange, parameters, seconds):
    known = known_rate(store(rates=PHASES, parameters=parameters), name=exchange)
    assert known.kind is RateKind.ESTIMATED
    assert known.per_s == pytest.approx(1 / seconds)


def test_phases_of_an_estimate_are_those_of_one_run():
    slow, fast = ([(name, per_s * factor) for name, per_s in PHASES] for factor in (1, 10))
    line = store(runs=[run(*(phase(*each) for each in rates)) for rates in (slow, fast)])
    estimate = known_rate(line)
    assert estimate.runs == 2
    assert estimate.least == pytest.approx(1 / (2 / 1000 + 1 / 100))
    assert estimate.per_s == pytest.approx(estimate.least * 10**0.5)


def test_what_was_measured_comes_before_estimates():
    assert known_rate(store(rates=PHASES), store()).kind is RateKind.ALONE


def test_the_first_exchange_that_was_measured_counts():
    lines = [store(rates=[("init-reboot", 70)]), store(rates=[("dora", 20)])]
    observations = [observe(line) for line in lines]
    known = rate_of(observations, ["dora-known", "init-reboot", "dora"], Place())
    assert isinstance(known, Rate)
    assert known.exchange == "init-reboot"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (store(parameters={"batch": "10"}), Unknown.BATCHED),
        (store(parameters={"batch": "5ms"}), Unknown.BATCHED),
        (store(parameters={"server-time": "1ms"}), Unknown.SERVER_TIME),
        (store(parameters={"trips": "pipeline"}), Unknown.TRIPS),
        (store(parameters={"allocator": "random"}), Unknown.SHARED_POOL),
        (store(runs=[run(phase("renew", 9), phase("dora", 9), together=True)]), Unknown.MIXED),
        (store(runs=[run(phase("renew", 9), incomplete=True)]), Unknown.NO_RUN),
        (store(rates=[("release", 9)]), Unknown.NOT_MEASURED),
        (store(runs=[open_run()]), Unknown.NOT_CONFIRMED),
    ],
)
def test_why_a_rate_is_not_known(line: samples.Line, why: Unknown):
    assert rate(line) is why


def test_a_search_tells_the_rate_that_it_confirmed():
    searched = known_rate(store(runs=[open_run(sustained_per_s=40)]))
    assert (searched.kind, searched.per_s) == (RateKind.SUSTAINED, pytest.approx(40))
    assert rate(store(runs=[open_run(sustained_per_s=None)])) is Unknown.NOT_CONFIRMED


def test_runs_with_half_of_the_leases_or_fewer_do_not_count():
    runs = ((1000, 900), (500, 1), (600, 100))
    known = known_rate(
        *(
            store(rates=[("renew", per_s)], parameters={"preload": str(leases)})
            for leases, per_s in runs
        )
    )
    assert (known.runs, known.leases) == (2, 1000)
    assert known.least == pytest.approx(100)


def test_restarts_as_new_clients_are_other_exchanges():
    lines = [*both(restarts=80), store(rates=[("dora", 20)])]
    for as_new, per_s in ((False, 80), (True, 20)):
        restarts = only_setup(lines, restart_as_new=as_new).rates.restarts
        assert isinstance(restarts, Rate)
        assert restarts.per_s == pytest.approx(per_s)


def test_a_server_renews_as_often_as_it_grants():
    rates = only_setup([samples.server(rate=1000)]).rates
    assert isinstance(rates.renewals, Rate)
    assert isinstance(rates.restarts, Rate)
    assert (rates.renewals.kind, rates.restarts.kind) == (RateKind.NEW_LEASES, RateKind.ALONE)
    assert rates.renewals.per_s == rates.restarts.per_s == pytest.approx(1000)
    assert rates.restarts.leases == 4000
