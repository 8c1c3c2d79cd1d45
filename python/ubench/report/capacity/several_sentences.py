# SPDX-License-Identifier: ISC
"""Several servers on one database in English: what they need, do and gain, and how to scale."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ubench import stats, units
from ubench.report.capacity import words
from ubench.report.capacity.fit import judge
from ubench.report.capacity.phrases import paragraph, three_digits
from ubench.report.capacity.setups import Setup
from ubench.report.capacity.several import (
    EXPERIMENTAL_ALLOCATOR,
    Scaling,
    Step,
    StepKind,
    Worth,
)
from ubench.report.capacity.site import Demand, Site
from ubench.report.capacity.verdicts import LEAST_EFFECT
from ubench.report.pools.cases import PoolCase
from ubench.report.pools.tables import percent

STEP_WORDS = {
    StepKind.SERVERS: words.SERVERS_STEP,
    StepKind.FULL: words.FULL_STEP,
    StepKind.ALLOCATOR: words.ALLOCATOR_STEP,
    StepKind.THREADS: words.THREADS_STEP,
}


def need(site: Site, clients: int) -> str:
    """Return the rates that each of the servers has to do, and if one fails; "" of one server."""
    if site.servers == 1:
        return ""
    renewals, restarts = (site.required(demand, clients) for demand in Demand)
    text = words.SHARED_NEED if site.changes_each is None else words.SHARED_NEED_BY_FILE
    return text.format(
        servers=site.servers,
        renewals=three_digits(renewals / site.servers),
        restarts=three_digits(restarts / site.servers),
        renewals_left=three_digits(renewals / (site.servers - 1)),
        restarts_left=three_digits(restarts / (site.servers - 1)),
    )


def not_measured(setups: Iterable[Setup]) -> str:
    """Say what one server's figures mean for several, and how to measure these."""
    stores = [setup.first.keeper for setup in setups if setup.first.is_database]
    return words.NO_SEVERAL.format(command=command(stores[0] if stores else "pgsql"))


def command(store: str) -> str:
    """Return the command that measures several servers on one database of a store."""
    return words.MEASURE_SHARED.format(store=store)


def together(scaling: Scaling, site: Site, clients: int) -> str:
    """Return whether the servers of a site are fast enough together, also if one fails."""
    rate, times = scaling.rate(site.servers), scaling.times(site, clients, site.servers)
    verdict = judge(site, {Demand.RESTARTS: times})
    left = scaling.times(site, clients, site.servers - 1)
    return paragraph(
        [
            words.TOGETHER[verdict].format(
                rate=three_digits(rate.per_s if rate else 0),
                store=scaling.setup.name,
                case=case(scaling.series[0]),
                times=three_digits(times or 0),
                headroom=f"{site.headroom:.3g}",
                servers=site.servers,
            ),
            words.WITHOUT_ONE.format(times=three_digits(left)) if times and left else "",
            words.FOR_NEW_CLIENTS if times and not scaling.is_of_restarts(site) else "",
        ]
    )


def worths(scaling: Scaling) -> str:
    """Return the rate of the fewest servers, and what others are worth."""
    first = scaling.series[0]
    form = words.ONE_SERVES if first.servers == 1 else words.SOME_SERVE
    rate = three_digits(scaling.pool.rates[first].per_s)
    served = form.format(servers=first.servers, rate=rate)
    return words.NEW_CLIENTS.format(clients=", ".join([served, *map(worth, scaling.worths)]))


def case(measured: PoolCase) -> str:
    """Return what was measured, but for the number of servers."""
    has_threads = measured.threads_each > 1
    if measured.full is None:
        form = words.CASE_THREADS if has_threads else words.CASE
    else:
        form = words.CASE_FULL_THREADS if has_threads else words.CASE_FULL
    return form.format(
        allocator=measured.allocator,
        full=percent(measured.full or 0),
        threads=units.plural(measured.threads_each, "thread"),
    )


def worth(each: Worth) -> str:
    """Return what a number of servers is worth."""
    form = words.WORTH if each.contrast.interval else words.WORTH_UNSURE
    return form.format(servers=each.servers, **_ratio(each.contrast))


def order(scaling: Scaling) -> str:
    """Return the order in which to scale, what more servers are worth after it, and safety."""
    if not scaling.has_order:
        measure = command(scaling.setup.first.keeper)
        return words.ORDER_UNKNOWN.format(least=stats.LEAST, command=measure)
    steps = ", ".join(map(step_text, scaling.steps))
    return paragraph(
        [
            words.ORDER.format(steps=steps) if steps else words.NOTHING_GAINS,
            more_servers(scaling.next_servers) if scaling.next_servers else "",
            most_measured(scaling),
            safety_last(scaling),
        ]
    )


def step_text(step: Step) -> str:
    """Return a step: what to change, and what it gains."""
    before, after = _values(step)
    form = STEP_WORDS[step.kind]
    if step.kind is StepKind.ALLOCATOR and step.after.allocator == EXPERIMENTAL_ALLOCATOR:
        form = words.EXPERIMENTAL_STEP
    return form.format(before=before, after=after, **_ratio(step.contrast))


def _values(step: Step) -> tuple[str, str]:
    before, after = step.before, step.after
    if step.kind is StepKind.FULL:
        return percent(before.full or 0), percent(after.full or 0)
    if step.kind is StepKind.ALLOCATOR:
        return before.allocator, after.allocator
    if step.kind is StepKind.THREADS:
        return str(before.threads_each), str(after.threads_each)
    return str(before.servers), str(after.servers)


def more_servers(step: Step) -> str:
    """Return what more servers gain after the last step.

    A gain can be shown that was not when more steps were judged together.
    """
    interval = step.contrast.interval
    form = words.SERVERS_UNSURE
    if step.is_shown:
        form = words.SERVERS_SLOWER if step.ratio < 1 else words.SERVERS_FASTER
    elif interval and interval.high <= math.exp(LEAST_EFFECT):
        form = words.SERVERS_SAME
    return form.format(
        before=step.before.servers, after=step.after.servers, **_ratio(step.contrast)
    )


def most_measured(scaling: Scaling) -> str:
    """Return the case that serves most clients; "" if the order leads there."""
    if scaling.best is None:
        return ""
    return words.MOST_MEASURED.format(
        rate=three_digits(scaling.pool.rates[scaling.best].per_s),
        servers=units.plural(scaling.best.servers, "server"),
        case=case(scaling.best),
    )


def safety_last(scaling: Scaling) -> str:
    """Return what a setup gains that can lose more; "" if none was shown to gain."""
    if scaling.safety is None:
        return ""
    return words.SAFETY_LAST.format(
        store=scaling.safety.setup.name, **_ratio(scaling.safety.contrast)
    )


def _ratio(contrast: stats.Contrast) -> dict[str, str]:
    """Return a ratio and the ends of its interval, for sentences."""
    interval = contrast.interval
    return {
        "ratio": three_digits(contrast.ratio or 0),
        "low": three_digits(interval.low) if interval else "",
        "high": three_digits(interval.high) if interval else "",
    }
