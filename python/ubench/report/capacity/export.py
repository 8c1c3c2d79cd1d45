# SPDX-License-Identifier: ISC
"""The answer for programs: a table of CSV, and JSON with all digits."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ubench import stats
from ubench.records.decoding import JsonObject
from ubench.report.capacity import sentences
from ubench.report.capacity.batches import BatchChoice, batch_choices
from ubench.report.capacity.rates import Rate, Unknown
from ubench.report.capacity.setups import Setup
from ubench.report.capacity.several import Scaling, Step, scalings
from ubench.report.capacity.site import Demand, Site
from ubench.report.capacity.verdicts import Answer, ClassSection, SpeedRatio
from ubench.report.pools.cases import PoolCase
from ubench.report.table import Table, texts

COLUMNS = texts(
    "class", "store", "differs", "demand", "source", "runs", "leases", "rate_per_s",
    "least_per_s", "clients", "need_per_s", "times", "clients_most", "servers",
    "servers_by_rates",
)
SINGULAR: Mapping[Demand, str] = {Demand.RENEWALS: "renewal", Demand.RESTARTS: "restart"}


# ---- CSV


def csv_table(answer: Answer) -> Table:
    """Return a row for each setup and demand. Without a number of clients it has no needs."""
    table = Table(COLUMNS)
    for section in answer.sections:
        for setup in section.setups:
            for demand in Demand:
                table.add(*csv_row(answer, section, setup, demand))
    return table


def csv_row(
    answer: Answer, section: ClassSection, setup: Setup, demand: Demand
) -> list[str | int | float | None]:
    """Return the cells of a setup and a demand."""
    site, fit, servers = answer.site, answer.fits[setup], answer.servers(setup)
    rate = setup.rates.demand(demand)
    times, most = fit.times[demand], fit.most_clients[demand]
    has_times = times is not None and site.clients
    return [
        section.title,
        setup.first.store,
        setup.group.differs,
        SINGULAR[demand],
        *csv_rate(answer, setup, demand, rate),
        site.clients,
        f"{site.required(demand, site.clients):.9g}" if site.clients else None,
        f"{times:.9g}" if has_times else None,
        None if most == math.inf else most,
        servers.by_leases if servers else None,
        servers.by_rates if servers else None,
    ]


def csv_rate(
    answer: Answer, setup: Setup, demand: Demand, rate: Rate | Unknown
) -> list[str | int | float | None]:
    """Return the cells of a rate: source, runs, leases, the rate, and that of the slowest run."""
    if isinstance(rate, Rate):
        figures = (f"{rate.per_s:.6f}", f"{rate.least:.6f}")
        return [sentences.source(rate), rate.runs, rate.leases, *figures]
    return [sentences.unknown(answer, setup, demand), 0, None, None, None]


# ---- JSON


def as_json(answer: Answer) -> JsonObject:
    """Return the answer as an object of JSON. null is not known."""
    return {
        "format": "ubench-answer/1",
        "site": site_json(answer.site),
        "clients": answer.clients,
        "required_per_s": {
            demand.value: answer.site.required(demand, answer.clients) for demand in Demand
        },
        "setups": [
            setup_json(answer, section, setup)
            for section in answer.sections
            for setup in section.setups
        ],
        "judged": [answer.setups.index(setup) for setup in answer.judged],
        "costs": [comparison_json(answer, cost) for cost in answer.costs],
        "comparisons": [
            comparison_json(answer, comparison)
            for section in answer.sections
            for comparison in section.comparisons
        ],
        "batches": [batch_choice_json(answer, choice) for choice in batch_choices(answer)],
        "several_servers": [
            scaling_json(answer, scaling)
            for scaling in scalings(answer.with_any_load, answer.site)
        ],
        "too_short": list(answer.too_short),
    }


def batch_choice_json(answer: Answer, choice: BatchChoice) -> JsonObject:
    """Return the batches of an exchange; delays that no client waits for are null."""
    return {
        "setup": answer.setups.index(choice.setup),
        "exchange": choice.exchange,
        "required_per_s": choice.load_per_s,
        "best": choice.best.value if choice.best else None,
        "batches": [
            {
                "batch": batch.value,
                "per_s": batch.per_s,
                "p99_s": finite(batch.p99_s(choice.load_per_s)),
                "offered": [
                    {"per_s": each.per_s, "p99_s": finite(each.p99_s)} for each in batch.offered
                ],
            }
            for batch in choice.batches
        ],
    }


def scaling_json(answer: Answer, scaling: Scaling) -> JsonObject:
    """Return the rates of servers on one database, by case, and the order in which to scale."""
    return {
        "name": scaling.setup.name,
        "store": scaling.setup.first.store,
        "class": scaling.setup.cls.value if scaling.setup.cls else None,
        "exchange": scaling.pool.exchange,
        "times": scaling.times(answer.site, answer.clients, answer.site.servers),
        "cases": [
            {
                **case_json(case),
                "per_s": rate.per_s,
                "interval": interval_json(rate.summary.interval),
                "runs": len(rate.points),
                "lost": rate.lost,
            }
            for case, rate in scaling.pool.rates.items()
        ],
        "worth": [
            {
                **case_json(scaling.series[0]),
                "servers": each.servers,
                "of_servers": scaling.series[0].servers,
                **ratio_json(each.contrast),
            }
            for each in scaling.worths
        ],
        "order": [step_json(step) for step in scaling.steps],
        "next_servers": step_json(scaling.next_servers) if scaling.next_servers else None,
        "most": case_json(scaling.best) if scaling.best else None,
    }


def case_json(case: PoolCase) -> JsonObject:
    """Return a case of servers on one database."""
    return {
        "allocator": case.allocator,
        "full": case.full,
        "threads_each": case.threads_each,
        "servers": case.servers,
    }


def step_json(step: Step) -> JsonObject:
    """Return a step: what it changes, and what it gains."""
    return {
        "changes": step.kind.value,
        "before": case_json(step.before),
        "after": case_json(step.after),
        **ratio_json(step.contrast),
    }


def ratio_json(contrast: stats.Contrast) -> JsonObject:
    """Return a ratio with its interval."""
    return {"ratio": contrast.ratio, "interval": interval_json(contrast.interval)}


def interval_json(interval: stats.Interval | None) -> list[float] | None:
    """Return the ends of an interval; None if it is not known."""
    return [interval.low, interval.high] if interval else None


def site_json(site: Site) -> JsonObject:
    """Return the site, as it was given."""
    return {
        "clients": site.clients,
        "lease_s": site.lease_s,
        "renew_at": site.renew_at,
        "changes_per_s_each": site.changes_each,
        "restart_s": site.restart_s,
        "restart_as_new": site.restart_as_new,
        "headroom": site.headroom,
        "servers": site.servers,
        "round_trip_s": site.place.round_trip_s,
        "sync_s": site.place.sync_s,
    }


def setup_json(answer: Answer, section: ClassSection, setup: Setup) -> JsonObject:
    """Return a setup, its settings, its rates, and how it serves the clients."""
    fit, servers = answer.fits[setup], answer.servers(setup)
    served = fit.served
    return {
        "name": setup.name,
        "store": setup.first.store,
        "in_kea": setup.in_kea,
        "class": setup.cls.value if setup.cls else None,
        "section": section.title,
        "differs": setup.group.differs,
        "whole_server": setup.is_server,
        "power_loss": setup.loss.value,
        "power_loss_window_s": setup.window_s,
        "settings": {each.name: each.value for each in setup.first.durability.settings},
        "verdict": fit.verdict.value,
        "times": fit.least,
        "clients_by_rates": served.by_rates if served else None,
        "clients_by_leases": finite(served.by_leases) if served else None,
        "servers": servers.by_leases if servers else None,
        "servers_by_rates": servers.by_rates if servers else None,
        "rates": {demand.value: rate_json(answer, setup, demand) for demand in Demand},
    }


def rate_json(answer: Answer, setup: Setup, demand: Demand) -> JsonObject:
    """Return a rate, or why it is not known."""
    rate = setup.rates.demand(demand)
    if isinstance(rate, Unknown):
        return {"per_s": None, "unknown": rate.value}
    return {
        "per_s": rate.per_s,
        "least_per_s": rate.least,
        "times": answer.fits[setup].times[demand],
        "exchange": rate.exchange,
        "kind": rate.kind.value,
        "runs": rate.runs,
        "leases": rate.leases,
    }


def comparison_json(answer: Answer, comparison: SpeedRatio) -> JsonObject:
    """Return a comparison of two setups, which are named by their places in "setups"."""
    interval = comparison.interval
    return {
        "first": answer.setups.index(comparison.first),
        "second": answer.setups.index(comparison.second),
        "ratio": comparison.ratio,
        "interval": interval_json(interval),
        "shown": comparison.is_shown,
    }


def finite(value: float | None) -> float | None:
    """Return the number; None if it is not known, or infinite, which JSON does not know."""
    return None if value == math.inf else value
