# SPDX-License-Identifier: ISC
"""Servers on one database whose clients compete for the addresses of one pool.

Runners measure them with `--allocator` and `--servers`, scripts/dhcp with `--servers`. Each case is
an allocator, how full the pool was, and how many servers there were; what tells the cases of one
store from those of another is that of a setup.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ubench import stats, units
from ubench.records.observation import Observation, Phase, Sample
from ubench.report import grouping
from ubench.report.grouping import Group

DEFAULT_ALLOCATOR = "iterative"  # Kea's
# How many times as fast or slow a shared machine may be at another time (docs/method.md).
DRIFT = 2


@dataclass(frozen=True)
class PoolCase:
    """What differs between the cases of a setup."""

    allocator: str
    full: float | None  # the share of the pool that was taken before; None: not known
    threads_each: int
    servers: int

    @property
    def order(self) -> tuple[str, float, int, int]:
        """Its place in tables."""
        full = -1.0 if self.full is None else self.full
        return self.allocator, full, self.threads_each, self.servers


@dataclass(frozen=True)
class PoolRate:
    """How many new clients all servers together gave an address per second."""

    summary: stats.Summary
    points: tuple[stats.Point, ...]  # of each run, for comparisons
    lost: float | None  # the share of offers that a client lost to another; None: not known

    @property
    def per_s(self) -> float:
        """The median of the runs."""
        return self.summary.median

    @property
    def precision(self) -> float | None:
        """Half of the interval's width, as a share of the rate; None of too few runs."""
        interval = self.summary.interval
        return (interval.high - interval.low) / 2 / self.per_s if interval else None


@dataclass(frozen=True, eq=False)
class SharedPool:
    """What was measured of a setup whose clients compete for addresses, with one exchange."""

    group: Group
    title: str  # of its section: "power-safe"
    exchange: str
    rates: Mapping[PoolCase, PoolRate]

    @property
    def server_counts(self) -> list[int]:
        """The numbers of servers that were measured, the fewest first."""
        return sorted({case.servers for case in self.rates})

    @property
    def series(self) -> list[list[PoolCase]]:
        """The cases that differ in nothing but the number of servers, the fewest first."""
        alike: dict[PoolCase, list[PoolCase]] = {}
        for case in sorted(self.rates, key=lambda case: case.order):
            alike.setdefault(replace(case, servers=0), []).append(case)
        return list(alike.values())

    def compare(self, before: PoolCase, after: PoolCase) -> stats.Contrast:
        """Return how many times as many clients the second case serves."""
        return compare(self.rates[before], self.rates[after])


def shared_pools(observations: Sequence[Observation]) -> list[SharedPool]:
    """Return the setups of which cases with several servers, or several cases, were measured."""
    counted = [each for each in observations if competes(each) or is_whole_server(each)]
    sections = grouping.setups([without_case(each) for each in counted])
    pools = [
        SharedPool(group, section.title, exchange, rates)
        for section in sections
        for group in section.groups
        for exchange, rates in rates_by_exchange(group.observations).items()
    ]
    return [pool for pool in pools if len(pool.server_counts) > 1 or _is_shared(pool)]


def _is_shared(pool: SharedPool) -> bool:
    return any(each.load.shares_pool for each in pool.group.observations)


def competes(observation: Observation) -> bool:
    """Return whether a runner measured only new clients that compete for addresses."""
    load = observation.load
    if not observation.runs or not load.shares_pool or load.open or load.levels:
        return False
    is_slowed = load.server_time or observation.parameters.get("hook-delay", "0") != "0"
    phases = observation.runs[0].phases
    return load.batch == 1 and not is_slowed and len(phases) == 1 and bool(phases[0].allocation)


def is_whole_server(observation: Observation) -> bool:
    """Return whether the highest rate of whole servers was found, of one or several."""
    server = observation.server
    is_pair = bool(observation.parameters.get("ha"))
    return server is not None and server.command == "rate" and server.is_search and not is_pair


def without_case(observation: Observation) -> Observation:
    """Return an observation without its threads, which are of a case and not of a setup.

    Its load keeps them. All else that makes cases differ is work, which no setup has.
    """
    parameters = {
        name: value for name, value in observation.parameters.items() if name != "threads"
    }
    return replace(observation, parameters=parameters)


def case_of(observation: Observation) -> PoolCase:
    """Return the case that an observation is of."""
    parameters, load = observation.parameters, observation.load
    servers = units.scan_count(parameters.get("servers", "")) or 1
    is_runner = observation.server is None
    return PoolCase(
        allocator=parameters.get("allocator", DEFAULT_ALLOCATOR),
        full=units.scan_real(parameters.get("full", "")) if is_runner else None,
        threads_each=max(1, load.threads // servers) if is_runner else load.threads,
        servers=servers,
    )


# ---- Rates


def compare(before: PoolRate, after: PoolRate) -> stats.Contrast:
    """Return how many times as many clients are served with the second rate.

    Between different duels or sweeps the machine may have changed. Their interval is as much wider,
    and without one that tells the rates apart the ratio is None.
    """
    contrast = stats.contrast(before.points, after.points)
    if contrast.blocks or not any(point.block for point in (*before.points, *after.points)):
        return contrast
    interval = contrast.interval
    if interval and (interval.low > DRIFT or interval.high < 1 / DRIFT):
        wider = stats.Interval(interval.low / DRIFT, interval.high * DRIFT)
        return replace(contrast, interval=wider)
    return stats.Contrast(0, contrast.counts)


def rates_by_exchange(
    observations: Sequence[Observation],
) -> dict[str, dict[PoolCase, PoolRate]]:
    """Return the rate of each case, for each exchange."""
    members: dict[tuple[str, PoolCase], list[Observation]] = {}
    for each in observations:
        if each.samples:
            members.setdefault((each.phase_names[0], case_of(each)), []).append(each)
    rates: dict[str, dict[PoolCase, PoolRate]] = {}
    for (exchange, case), same in members.items():
        rate = rate_of(same)
        if rate is not None:
            rates.setdefault(exchange, {})[case] = rate
    return rates


def rate_of(observations: Sequence[Observation]) -> PoolRate | None:
    """Return the rate of the observations of one case; None if it served no client."""
    samples = [sample for each in observations for sample in granted_samples(each)]
    summary = stats.summarise([sample.rate for sample in samples])
    if summary is None:
        return None
    points = tuple(stats.Point(math.log(sample.rate), sample.block) for sample in samples)
    return PoolRate(summary, points, share_lost(observations))


def granted_samples(observation: Observation) -> Iterator[Sample]:
    """Yield its samples with the rate of the clients that were given an address."""
    phases = list(_phases([observation]))
    operations = sum(phase.operations for phase in phases)
    refused = sum(phase.misses or 0 for phase in phases)
    share = 1 - refused / operations if operations else 1.0
    for sample in observation.samples:
        if sample.rate * share > 0:
            yield replace(sample, rate=sample.rate * share)


def share_lost(observations: Iterable[Observation]) -> float | None:
    """Return the share of offers whose address another client was given; None if not known."""
    counted = [phase.allocation for phase in _phases(observations) if phase.allocation]
    offered = sum(counts["offered"] for counts in counted)
    return sum(counts["lost"] for counts in counted) / offered if offered else None


def _phases(observations: Iterable[Observation]) -> Iterator[Phase]:
    for observation in observations:
        for run in observation.complete_runs:
            yield from run.phases
