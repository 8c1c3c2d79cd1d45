# SPDX-License-Identifier: ISC
"""Which lease stores are fast enough for a site, and what durability costs.

A setup is all that was measured of a store with the same settings and threads. It is fast enough if
it renews and restarts the site's clients at the required rates, with headroom. Setups of different
durability are never ranked; what the safer one costs is a comparison of its own.

This module is data: `words` says it in English, `screen` prints it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

from ubench import stats
from ubench.errors import Problem
from ubench.records.observation import DurabilityClass, Observation
from ubench.report import grouping, properties, stores
from ubench.report.capacity.evidence import Trust, search_of, weigh
from ubench.report.capacity.fit import Fit, ServersNeeded, Verdict, fit, servers_needed
from ubench.report.capacity.rates import Rate, rates_of
from ubench.report.capacity.setups import PowerLoss, Setup, product_of
from ubench.report.capacity.site import Demand, Place, Site
from ubench.report.grouping import Group

SITES = (1000, 10000, 100000, 1000000)  # numbers of clients, of which one is used if none is given
LEAST_EFFECT = math.log1p(0.03)  # of a difference that counts, as a logarithm

Where = Sequence[tuple[str, str]]
ProductKey = tuple[str, bool]  # its name, and whether it is in a whole server


@dataclass(frozen=True, eq=False)
class SpeedRatio:
    """The renewals of two setups: how many times as fast the second one is."""

    first: Setup
    second: Setup
    contrast: stats.Contrast | None  # None: they were not measured in the same way
    is_shown: bool = False  # the ratio is more than chance, among all comparisons of the answer

    @property
    def ratio(self) -> float | None:
        """How many times as fast the second one is."""
        return self.contrast.ratio if self.contrast else None

    @property
    def interval(self) -> stats.Interval | None:
        """The 95 % interval of the ratio; None if there are too few runs."""
        return self.contrast.interval if self.contrast else None

    @property
    def is_negligible(self) -> bool:
        """True if the whole interval is within differences that do not count."""
        if self.interval is None:
            return False
        return max(-math.log(self.interval.low), math.log(self.interval.high)) < LEAST_EFFECT


@dataclass(frozen=True, eq=False)
class ClassSection:
    """The setups of one class of durability, the fastest first."""

    title: str  # "power-safe", "power-safe server"
    meaning: str
    setups: tuple[Setup, ...]
    comparisons: tuple[SpeedRatio, ...]  # of all pairs, the slower one first

    def comparison(self, slower: Setup, faster: Setup) -> SpeedRatio:
        """Return the comparison of two of its setups."""
        return next(
            each for each in self.comparisons if each.first is slower and each.second is faster
        )


@dataclass(frozen=True, eq=False)
class Answer:
    """What some observations say about a site."""

    site: Site
    clients: int  # those of the site or, if it has none, of SITES
    observations: tuple[Observation, ...]
    # These, those with other numbers of threads, and those of clients that compete for addresses.
    with_any_load: tuple[Observation, ...]
    threads: tuple[int, ...]  # numbers that were measured, of which the first counts
    too_short: tuple[str, ...]  # what each run was that was too short to count
    sections: tuple[ClassSection, ...]  # the safest first
    costs: tuple[SpeedRatio, ...]  # a store in a class, and in the next less safe one that it has
    disk_s: float | None = None  # how long a sync takes on the operator's own disk

    @property
    def setups(self) -> tuple[Setup, ...]:
        """The setups of all sections."""
        return tuple(setup for section in self.sections for setup in section.setups)

    @cached_property
    def fits(self) -> dict[Setup, Fit]:
        """How each setup serves the clients."""
        return {setup: fit(self.site, self.clients, setup) for setup in self.setups}

    def section_of(self, setup: Setup) -> ClassSection:
        """Return the section that has a setup."""
        return next(section for section in self.sections if setup in section.setups)

    def servers(self, setup: Setup) -> ServersNeeded | None:
        """Return how many servers with this setup serve all clients; None if that is not known."""
        return servers_needed(self.site, self.fits[setup].served)

    @cached_property
    def representatives(self) -> tuple[Setup, ...]:
        """One setup for each name and loss: stores that Kea has first, then by loss and rate.

        It is the whole server if one was measured, or else the one of which most is known.
        """
        return self.best_known(self.setups)

    def best_known(self, setups: Iterable[Setup]) -> tuple[Setup, ...]:
        """Return of some setups one for each name and loss, in the order of the screen."""
        best: dict[tuple[PowerLoss, str], Setup] = {}
        for setup in setups:
            key = (setup.loss, setup.name)
            if key not in best or self._knowledge(setup) > self._knowledge(best[key]):
                best[key] = setup
        return tuple(sorted(best.values(), key=_screen_order))

    def _knowledge(self, setup: Setup) -> tuple[bool, int, int, float]:
        served = self.fits[setup].served
        clients = min(served.by_rates, served.by_leases) if served else 0.0
        rank = search_of(setup.first).rank
        return setup.is_server, len(setup.rates.known), -rank, clients

    @cached_property
    def judged(self) -> tuple[Setup, ...]:
        """The setups that the verdict is about.

        Those are the ones that were measured here, if there are some, and of these the ones that
        Kea has, if there are some.
        """
        measured = tuple(setup for setup in self.representatives if setup.is_measured)
        candidates = measured or self.representatives
        return tuple(setup for setup in candidates if setup.in_kea) or candidates

    def with_verdict(self, verdict: Verdict) -> tuple[Setup, ...]:
        """Return the setups with a verdict, of those that are judged."""
        return tuple(setup for setup in self.judged if self.fits[setup].verdict is verdict)

    def shown(self, most: int) -> tuple[Setup, ...]:
        """Return at most this many representatives, the most urgent.

        Stores of Kea come before others, of these those that are fast enough, and of these those
        that survive a killed process.
        """

        def urgency(setup: Setup) -> tuple[bool, int, int, bool]:
            is_volatile = setup.cls is DurabilityClass.VOLATILE
            verdict = self.fits[setup].verdict
            return not setup.is_measured, setup.kea_rank, verdict.rank, is_volatile

        kept = set(sorted(self.representatives, key=urgency)[:most])
        return tuple(setup for setup in self.representatives if setup in kept)

    def choices(self, loss: PowerLoss) -> tuple[Setup, ...]:
        """Return the stores of Kea with a loss that are not too slow, with their fastest settings.

        Stores that can lose more than a second are left out.
        """
        fastest: dict[str, Setup] = {}
        for setup in self.representatives:
            is_slow = self.fits[setup].verdict is Verdict.SLOW
            is_bounded = setup.loss is PowerLoss.NOTHING or setup.loses_a_second
            if setup.in_kea and setup.loss is loss and is_bounded and not is_slow:
                fastest.setdefault(setup.product, setup)
        return tuple(fastest.values())

    @cached_property
    def trust(self) -> Trust:
        """What the answer rests on."""
        return weigh(self.observations, measured_products(self.representatives))

    @property
    def slowest_run(self) -> float | None:
        """How many times the required rate the slowest run of those that are judged did."""
        slowest = []
        for setup in self.judged:
            if self.fits[setup].least is None:
                continue
            for demand, times in self.fits[setup].times.items():
                rate = setup.rates.demand(demand)
                if isinstance(rate, Rate) and times is not None:
                    slowest.append(times * rate.least / rate.per_s)
        return min(slowest, default=None)

    def least_times(self, setups: Sequence[Setup], place: Place) -> float | None:
        """Return how many times the required rates the slowest of these setups does elsewhere.

        None if one is not known in that place.
        """
        times = []
        for setup in setups:
            rates = rates_of(setup.observations, self.site, place)
            least = fit(self.site, self.clients, setup, rates).least
            if least is None:
                return None
            times.append(least)
        return min(times, default=None)


def _screen_order(setup: Setup) -> tuple[bool, int, int, float]:
    return not setup.is_measured, setup.kea_rank, setup.loss.rank, -setup.renewals_per_s


# ---- From observations to an answer


def work_out(
    site: Site,
    observations: Sequence[Observation],
    where: Where = (),
    *,
    too_short: Sequence[str] = (),
    any_threads: bool = False,
) -> Answer:
    """Return the answer by some observations, which are long enough to count.

    `where` are NAME=VALUE that they must have. With `any_threads` they count whatever their number
    of threads. Clients that compete for addresses count only if there are no others.
    Raises Problem if none keeps leases, UsageError if none has a value of `where`.
    """
    wanted = choose_observations(observations, where)
    counted = [each for each in wanted if not each.load.shares_pool] or wanted
    threads: list[int] = []
    if not any_threads and "threads" not in dict(where):
        counted, threads = with_fewest_threads(counted)
    sections = make_sections(counted, site)
    setups = [setup for section in sections for setup in section.setups]
    sections, costs = judge_comparisons(sections, find_costs(sections))
    return Answer(
        site=site,
        clients=site.clients or suggest_clients(site, setups),
        observations=tuple(counted),
        with_any_load=tuple(wanted),
        threads=tuple(threads),
        too_short=tuple(too_short),
        sections=tuple(sections),
        costs=tuple(costs),
    )


def choose_observations(observations: Sequence[Observation], where: Where) -> list[Observation]:
    """Return the observations of stores that keep leases, with the values of `where`."""
    properties.check_settings("where", where, observations)
    wanted = [
        each
        for each in grouping.without_references(observations)
        if each.cls is not DurabilityClass.NONE and properties.has_all(each, where)
    ]
    if not wanted and where:
        raise Problem(
            "--where: no result of a store that keeps leases has all of these values; leave one out"
        )
    if not wanted:
        raise Problem(
            "there is no result of a store that keeps leases; scripts/bench.sh measures some"
        )
    return wanted


def with_fewest_threads(
    observations: Sequence[Observation],
) -> tuple[list[Observation], list[int]]:
    """Return the observations with the fewest threads, and the numbers of threads that there are.

    Numbers that were measured here count, if there are some.
    """
    measured = [each for each in observations if each.cls is not None] or observations
    threads = sorted({each.load.threads for each in measured})
    return [each for each in observations if each.load.threads == threads[0]], threads


def make_sections(observations: Sequence[Observation], site: Site) -> list[ClassSection]:
    """Return the setups of these observations, by class, with their rates."""
    grouped = grouping.setups(observations)
    ambiguous = ambiguous_products([group for section in grouped for group in section.groups])
    sections = []
    for section in grouped:
        setups = [make_setup(group, site, ambiguous) for group in section.groups]
        setups.sort(key=lambda setup: -setup.renewals_per_s)
        comparisons = [speed_ratio(slower, faster) for faster, slower in combinations(setups, 2)]
        sections.append(
            ClassSection(section.title, section.meaning, tuple(setups), tuple(comparisons))
        )
    return sections


def make_setup(group: Group, site: Site, ambiguous: Collection[ProductKey]) -> Setup:
    """Return the setup of a group; its name has the version if the product is ambiguous."""
    shows_version = group.cls is None or product_key(group) in ambiguous
    return Setup(group, rates_of(group.observations, site), shows_version)


def product_key(group: Group) -> ProductKey:
    """Return the product of a group, apart for stores alone and for whole servers."""
    return product_of(group.first).product, group.is_server


def ambiguous_products(groups: Sequence[Group]) -> set[ProductKey]:
    """Return the products of which several versions were measured."""
    versions: dict[ProductKey, set[str]] = {}
    for group in groups:
        if group.cls is not None:
            versions.setdefault(product_key(group), set()).add(product_of(group.first).number)
    return {product for product, numbers in versions.items() if len(numbers) > 1}


def measured_products(setups: Sequence[Setup]) -> list[str]:
    """Return the products of these setups with their versions, each once."""
    names: dict[str, None] = {}
    for setup in setups:
        kea, database = stores.kea(setup.first), stores.database(setup.first)
        if kea and kea.number:
            names[f"Kea {kea.number}"] = None
        if database:
            names[f"{database.product} {database.number}"] = None
    return list(names)


def suggest_clients(site: Site, setups: Sequence[Setup]) -> int:
    """Return the most clients of SITES for which as much is known as for the fewest.

    With them no setup may be too slow. It is at least the fewest.
    """

    def times(clients: int) -> list[float | None]:
        fits = [fit(site, clients, setup) for setup in setups]
        return [each.times[demand] for each in fits for demand in Demand]

    fewest = times(SITES[0])
    enough = [SITES[0]]
    for clients in SITES:
        known = [
            value or 0.0
            for value, first in zip(times(clients), fewest, strict=True)
            if first is not None
        ]
        if all(value >= site.headroom for value in known):
            enough.append(clients)
    return enough[-1]


def speed_ratio(first: Setup, second: Setup) -> SpeedRatio:
    """Compare the renewals of two setups.

    They must have been measured in the same way, with about as many leases in the store.
    """
    a, b = first.rates.renewals, second.rates.renewals
    if not isinstance(a, Rate) or not isinstance(b, Rate):
        return SpeedRatio(first, second, None)
    same_way = (a.kind, a.operations) == (b.kind, b.operations)
    if not same_way or a.leases > 2 * b.leases or b.leases > 2 * a.leases:
        return SpeedRatio(first, second, None)
    return SpeedRatio(first, second, stats.contrast(a.points, b.points))


def judge_comparisons(
    sections: Sequence[ClassSection], costs: Sequence[SpeedRatio]
) -> tuple[list[ClassSection], list[SpeedRatio]]:
    """Say of each comparison whether it is more than chance, if all are looked at together."""
    everything = [each for section in sections for each in section.comparisons] + list(costs)
    contrasts = [each.contrast for each in everything if each.contrast and each.contrast.interval]
    adjusted = iter(stats.holm([contrast.p for contrast in contrasts]))

    def judged(comparison: SpeedRatio) -> SpeedRatio:
        contrast = comparison.contrast
        if contrast is None or contrast.interval is None or contrast.ratio is None:
            return comparison
        is_shown = stats.is_shown(contrast.ratio, next(adjusted), LEAST_EFFECT)
        return replace(comparison, is_shown=is_shown)

    done = [
        replace(section, comparisons=tuple(judged(each) for each in section.comparisons))
        for section in sections
    ]
    return done, [judged(each) for each in costs]


def find_costs(sections: Sequence[ClassSection]) -> list[SpeedRatio]:
    """Compare each setup with one of the same store that is less safe, if there is one."""
    costs = []
    for number, section in enumerate(sections):
        for setup in section.setups:
            other = less_safe(sections[number + 1 :], setup)
            if other:
                costs.append(speed_ratio(setup, other))
    return costs


def less_safe(sections: Sequence[ClassSection], setup: Setup) -> Setup | None:
    """Return the setup of the same store, version and load, in the first section that has one.

    Of several it is the one whose settings differ least.
    """
    key = setup.group.key.items()
    for section in sections:
        alike = [
            other
            for other in section.setups
            if other.is_measured and _store_and_load(other) == _store_and_load(setup)
        ]
        if alike:
            return max(alike, key=lambda other: len(other.group.key.items() & key))
    return None


def _store_and_load(setup: Setup) -> tuple[object, ...]:
    key = setup.group.key
    parameter = properties.PropertyKind.PARAMETER
    load = {each: value for each, value in key.items() if each.kind is parameter}
    return setup.first.store, setup.first.product.full_name, load
