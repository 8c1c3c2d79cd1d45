# SPDX-License-Identifier: ISC
"""The data of the page's form: what each setup did, so that the page can answer for any site.

The page computes rates, verdicts and numbers of clients by the rules of `rates`, `elsewhere`,
`fit` and `verdicts`. It gets the samples, and what they wait for on a network and on a disk.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

from ubench.described import PhaseCount, phases_of
from ubench.records.decoding import JsonObject
from ubench.records.observation import Observation, Sample
from ubench.report.capacity.elsewhere import Waits, waits_of
from ubench.report.capacity.evidence import search_of
from ubench.report.capacity.fit import MOST_LEASES
from ubench.report.capacity.rates import (
    RateKind,
    is_as_one_kea,
    rate_samples,
    why_unknown,
)
from ubench.report.capacity.setups import PowerLoss, Setup, product_of
from ubench.report.capacity.site import IPV4_ADDRESSES, Demand, Site
from ubench.report.capacity.verdicts import Answer
from ubench.report.stores import kea

MEASURED_KINDS = (RateKind.ALONE, RateKind.SUSTAINED, RateKind.ESTIMATED)
DIGITS = 10  # of a rate: all that a time in nanoseconds has


def answer_json(answer: Answer) -> JsonObject:
    """Return the defaults of the form, the limits of all figures, and the setups of an answer."""
    site = answer.site
    sync_s = answer.trust.sync_s
    return {
        "clients": answer.clients,
        "lease_s": site.lease_s,
        "renew_at": site.renew_at,
        "restart_s": site.restart_s,
        "headroom": site.headroom,
        "sync_s": sync_s,
        "most_leases": MOST_LEASES,
        "ipv4_addresses": IPV4_ADDRESSES,
        "losses": [loss.value for loss in PowerLoss],
        "setups": [
            setup_data(section.title, setup)
            for section in answer.sections
            for setup in section.setups
        ],
    }


def setup_data(section: str, setup: Setup) -> JsonObject:
    """Return a setup, what a power cut loses with it, and its samples."""
    first = setup.first
    version = kea(first)
    return {
        "name": setup.name,
        "title": setup.title,
        "plain": replace(setup, shows_version=False).name,
        "product": setup.plain_product,
        "version": product_number(setup),
        "section": section,
        "store": first.keeper,
        "kea": version.number if version else "",
        "loss": setup.loss.value,
        "in_kea": setup.in_kea is not None,
        "kea_rank": setup.kea_rank,
        "measured": setup.is_measured,
        "server": setup.is_server,
        "family": setup.family,
        "search_rank": search_of(first).rank,
        "settings": settings_text(setup),
        "begun": max(each.started_at for each in setup.observations)[:10],
        "files": sorted({each.source.file.rsplit("/", 1)[-1] for each in setup.observations}),
        "renew": demand_json(setup, Demand.RENEWALS, Site()),
        "restart": demand_json(setup, Demand.RESTARTS, Site()),
        "restart_new": demand_json(setup, Demand.RESTARTS, Site(restart_as_new=True)),
    }


def product_number(setup: Setup) -> str:
    """Return the version of what keeps the leases, by which setups of one product are ordered."""
    return product_of(setup.first).number


def settings_text(setup: Setup) -> str:
    """Return the settings that decide the class, as NAME=VALUE."""
    settings = setup.first.durability.settings
    return ", ".join(f"{each.name}={each.value}" for each in settings)


def demand_json(setup: Setup, demand: Demand, site: Site) -> JsonObject:
    """Return the samples of the first exchange that serves a demand, or why there are none.

    Samples with the same waits (`elsewhere.Waits`) are together.
    """
    exchanges = site.exchanges(demand, setup.family)
    for kind in MEASURED_KINDS:
        for exchange in exchanges:
            steps = phases_of(exchange, setup.family)
            groups: dict[Waits, list[list[float]]] = {}
            for observation, sample in exchange_samples(setup, exchange, kind, steps):
                waits = waits_of(observation, steps)
                groups.setdefault(waits, []).append([short_number(sample.rate), sample.leases])
            if groups:
                return {
                    "exchange": exchange,
                    "kind": kind.value,
                    "groups": [{**asdict(waits), "runs": runs} for waits, runs in groups.items()],
                }
    return {"unknown": why_unknown(setup.observations, exchanges[0]).value, "groups": []}


def exchange_samples(
    setup: Setup, exchange: str, kind: RateKind, steps: Sequence[PhaseCount]
) -> Iterator[tuple[Observation, Sample]]:
    """Yield the samples of an exchange, each with its observation."""
    for observation in setup.observations:
        if not is_as_one_kea(observation.load):
            continue
        for sample in rate_samples(observation, exchange, kind, steps):
            yield observation, sample


def short_number(value: float) -> float:
    """Return a number with the digits that matter, to keep the page small."""
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else value
