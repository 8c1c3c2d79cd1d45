# SPDX-License-Identifier: ISC
"""Several servers on one database: what each further one is worth, and in which order to scale.

All of it is read from results whose clients compete for the addresses of one pool (`pools`). The
case of the site is the measured one that is most like it; from a single server on, each step
changes one thing to the measured value that gains most.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from ubench import stats
from ubench.records.observation import DurabilityClass, Observation
from ubench.report import properties
from ubench.report.capacity.setups import Setup
from ubench.report.capacity.site import Demand, Site
from ubench.report.capacity.verdicts import (
    LEAST_EFFECT,
    Where,
    ambiguous_products,
    make_setup,
)
from ubench.report.pools.cases import PoolCase, PoolRate, SharedPool, compare, shared_pools

# Allocators that servers on one database can have: iterative servers offer the same addresses, and
# the free lease queue of a server (flq) never learns which leases another has reclaimed.
EXPERIMENTAL_ALLOCATOR = "shared-flq"  # of Kea 3.2
SHARED_ALLOCATORS = ("random", EXPERIMENTAL_ALLOCATOR)


@dataclass(frozen=True)
class Wanted:
    """What is known of a site's servers. None is not known."""

    keeper: str | None = None  # the lease database, as Kea names it: "postgresql"
    family: int | None = None  # 4 or 6
    allocator: str | None = None
    full: float | None = None  # the share of the pool's addresses that have a lease
    threads_each: int | None = None


@dataclass(frozen=True)
class Worth:
    """How many times as many clients several servers serve as the fewest that were measured."""

    servers: int
    contrast: stats.Contrast


class StepKind(Enum):
    """What a step changes."""

    SERVERS = "servers"
    FULL = "full"
    ALLOCATOR = "allocator"
    THREADS = "threads"


@dataclass(frozen=True)
class Step:
    """A change of one thing, and how many times as many clients are served with it."""

    kind: StepKind
    before: PoolCase
    after: PoolCase
    contrast: stats.Contrast
    is_shown: bool = False  # a gain that is more than chance, and that counts

    @property
    def ratio(self) -> float:
        """How many times as many clients are served."""
        return self.contrast.ratio or 0.0


@dataclass(frozen=True, eq=False)
class SafetyStep:
    """A setup of the same product that loses more, and how many times as fast it is."""

    setup: Setup
    contrast: stats.Contrast


@dataclass(frozen=True, eq=False)
class Scaling:
    """What results say of several servers with one setup on one database."""

    setup: Setup
    pool: SharedPool
    series: tuple[PoolCase, ...]  # like the site, by the number of servers
    worths: tuple[Worth, ...]  # of all but the first of the series
    steps: tuple[Step, ...]  # the order in which to scale, as far as it is shown
    next_servers: Step | None  # after the last step: more servers; None: none were measured
    best: PoolCase | None  # one that serves more clients than the end of the steps
    safety: SafetyStep | None  # after the last step
    has_order: bool  # some gain can be told from chance

    def rate(self, servers: int) -> PoolRate | None:
        """Return the rate of a number of servers; None if that was not measured."""
        case = next((case for case in self.series if case.servers == servers), None)
        return self.pool.rates[case] if case else None

    def times(self, site: Site, clients: int, servers: int) -> float | None:
        """Return how many times the required restarts so many servers do together."""
        rate = self.rate(servers)
        return rate.per_s / site.required(Demand.RESTARTS, clients) if rate else None

    def is_of_restarts(self, site: Site) -> bool:
        """Return whether the clients of a site do this exchange if they restart."""
        return self.pool.exchange == site.exchanges(Demand.RESTARTS, self.setup.family)[0]


def scalings(
    observations: Sequence[Observation], site: Site, where: Where = (), wanted: Wanted | None = None
) -> list[Scaling]:
    """Return what these observations say of several servers, the most useful setup first.

    Those of other lease databases than the wanted one, and those that Kea does not have, are left
    out.
    """
    wanted = wanted or Wanted()
    counted = [each for each in observations if properties.has_all(each, where) and each.cls]
    pools = [pool for pool in shared_pools(counted) if pool.group.first.load.in_series]
    ambiguous = ambiguous_products([pool.group for pool in pools])
    setups = {pool: make_setup(pool.group, site, ambiguous) for pool in pools}
    fitting = [
        pool
        for pool, setup in setups.items()
        if setup.first.is_database
        and wanted.keeper in (None, setup.in_kea)
        and wanted.family in (None, setup.family)
    ]
    found = [scaling_of(pool, setups, wanted) for pool in fitting if len(pool.server_counts) > 1]
    return sorted(found, key=_usefulness)


def _usefulness(scaling: Scaling) -> tuple[bool, int, bool, float]:
    setup = scaling.setup
    best = max(rate.per_s for rate in scaling.pool.rates.values())
    return not setup.in_kea, setup.loss.rank, not setup.is_server, -best


def scaling_of(pool: SharedPool, setups: Mapping[SharedPool, Setup], wanted: Wanted) -> Scaling:
    """Return what a setup says; `setups` also has those that lose more."""
    series = choose_series(pool, wanted)
    steps = list(_leading(judge(list(take_steps(pool, series[0])))))
    end = steps[-1].after if steps else series[0]
    further = step_to_more_servers(pool, end)
    if further is not None:
        *_, further = judge([*steps, further])
    return Scaling(
        setup=setups[pool],
        pool=pool,
        series=tuple(series),
        worths=tuple(worths(pool, series)),
        steps=tuple(steps),
        next_servers=further,
        best=best_case(pool, end),
        safety=safety_step(pool, setups, end),
        has_order=bool(candidates(pool, series[0])),
    )


def worths(pool: SharedPool, series: Sequence[PoolCase]) -> Iterator[Worth]:
    """Yield what each number of servers is worth that can be compared with the fewest."""
    for case in series[1:]:
        contrast = pool.compare(series[0], case)
        if contrast.ratio is not None:
            yield Worth(case.servers, contrast)


# ---- The case of the site


def choose_series(pool: SharedPool, wanted: Wanted) -> list[PoolCase]:
    """Return the cases that are most like the site's, by the number of servers.

    Among allocators that several servers can have, it is the site's or random. A fill that is not
    known is the fullest that was measured.
    """
    def distance(series: Sequence[PoolCase]) -> tuple[bool, bool, int, float, float]:
        case = series[0]
        shared = [*SHARED_ALLOCATORS, case.allocator]
        return (
            not any(worths(pool, series)),
            case.allocator != wanted.allocator,
            min(shared.index(case.allocator), len(SHARED_ALLOCATORS)),
            abs((case.full or 0.0) - (1.0 if wanted.full is None else wanted.full)),
            abs(math.log(case.threads_each / (wanted.threads_each or 1))),
        )

    return min(pool.series, key=distance)


# ---- The order in which to scale


def take_steps(pool: SharedPool, start: PoolCase) -> Iterator[Step]:
    """Yield from a case on the step that gains most, until none gains what counts."""
    case, seen = start, {start}
    while True:
        steps = [step for step in candidates(pool, case) if step.after not in seen]
        best = max(steps, key=lambda step: step.ratio, default=None)
        if best is None or best.ratio <= math.exp(LEAST_EFFECT):
            return
        yield best
        case = best.after
        seen.add(case)


def candidates(pool: SharedPool, case: PoolCase) -> list[Step]:
    """Return the steps from a case whose gain can be told from chance; each changes one thing."""
    possible = [
        Step(kind, case, other, pool.compare(case, other))
        for other in pool.rates
        if (kind := step_kind(case, other)) is not None
    ]
    steps = [step for step in possible if step.contrast.interval is not None]
    following = [step.after.servers for step in steps if step.kind is StepKind.SERVERS]
    return [
        step
        for step in steps
        if step.kind is not StepKind.SERVERS or step.after.servers == min(following)
    ]


def step_kind(case: PoolCase, other: PoolCase) -> StepKind | None:
    """Return what a step to another case changes; None if it is none that scales."""
    if replace(other, servers=case.servers) == case:
        return StepKind.SERVERS if other.servers > case.servers else None
    if replace(other, full=case.full) == case:
        is_emptier = None not in (case.full, other.full) and (other.full or 0) < (case.full or 0)
        return StepKind.FULL if is_emptier else None
    if replace(other, threads_each=case.threads_each) == case:
        return StepKind.THREADS if other.threads_each > case.threads_each else None
    if replace(other, allocator=case.allocator) == case:
        return StepKind.ALLOCATOR if other.allocator in SHARED_ALLOCATORS else None
    return None


def step_to_more_servers(pool: SharedPool, case: PoolCase) -> Step | None:
    """Return the step to the next number of servers that was measured."""
    steps = candidates(pool, case)
    return next((step for step in steps if step.kind is StepKind.SERVERS), None)


def judge(steps: Sequence[Step]) -> list[Step]:
    """Return the steps, with what is shown if all of them are looked at together."""
    ps = stats.holm([step.contrast.p for step in steps])
    return [
        replace(step, is_shown=step.ratio > 0 and stats.is_shown(step.ratio, p, LEAST_EFFECT))
        for step, p in zip(steps, ps, strict=True)
    ]


def _leading(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield the steps up to the first that may be chance."""
    for step in steps:
        if not step.is_shown:
            return
        yield step


def best_case(pool: SharedPool, end: PoolCase) -> PoolCase | None:
    """Return the case that serves most clients, if that is more than what the steps lead to.

    Steps change one thing at a time, so they may end where only two changes together gain.
    """
    cases = [case for case in pool.rates if case.allocator in SHARED_ALLOCATORS]
    best = max(cases, key=lambda case: pool.rates[case].per_s, default=end)
    gain = math.log(pool.rates[best].per_s / pool.rates[end].per_s)
    return best if gain >= LEAST_EFFECT else None


def safety_step(
    pool: SharedPool, setups: Mapping[SharedPool, Setup], case: PoolCase
) -> SafetyStep | None:
    """Return the fastest setup of the same product that loses more, and was shown to be faster."""
    own = setups[pool]
    found = [
        SafetyStep(setup, compare(pool.rates[case], other.rates[case]))
        for other, setup in setups.items()
        if _is_less_safe(setup, own) and other.exchange == pool.exchange and case in other.rates
    ]
    shown = [
        step
        for step in found
        if step.contrast.ratio
        and step.contrast.ratio > 1
        and stats.is_shown(step.contrast.ratio, step.contrast.p, LEAST_EFFECT)
    ]
    return max(shown, key=lambda step: step.contrast.ratio or 0, default=None)


def _is_less_safe(setup: Setup, own: Setup) -> bool:
    is_same = (setup.first.store, setup.first.product) == (own.first.store, own.first.product)
    less = (setup.cls or DurabilityClass.POWER_SAFE).rank < (own.cls or DurabilityClass.NONE).rank
    return is_same and less
