# SPDX-License-Identifier: ISC
"""The results that fit a site's configuration best, and how they differ from it.

They are of the same lease database and family, of a pair if the configuration has one, and of the
number of threads that is nearest to that of the configuration.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from ubench.errors import Problem
from ubench.records.observation import Observation
from ubench.report import grouping, properties
from ubench.report.advice.configuration import Configuration
from ubench.report.capacity.rates import rates_of
from ubench.report.capacity.setups import kea_name
from ubench.report.capacity.site import Site
from ubench.report.capacity.verdicts import Answer, Where, work_out

# Some publications say only that there were several threads.
SEVERAL, SEVERAL_THREADS = "several", 4


class PairMatch(Enum):
    """How the servers that were measured compare with those of the configuration."""

    AS_CONFIGURED = "as configured"
    NO_PAIR = "no pair"  # single servers stand for a pair
    OTHER_MODE = "other mode"
    PASSIVE_BACKUP = "passive backup"  # single servers stand for one with a backup
    SHARED_DATABASE = "shared database"  # single servers stand for a pair with one database


@dataclass(frozen=True)
class Match:
    """The answer by the results that fit best."""

    answer: Answer
    pair: PairMatch
    mode: str  # of the pair that was measured; "" of single servers
    threads: tuple[int, ...]  # that were measured


def find_match(
    configuration: Configuration, site: Site, observations: Sequence[Observation], where: Where
) -> Match | None:
    """Return the answer by the results with `where` that fit best; None if there are none."""
    for mode, group in by_mode(configuration, observations):
        fitting = [each for each in group if properties.has_all(each, where)]
        if "threads" not in dict(where):
            fitting = with_best_threads(fitting, configuration.threads, site)
        try:
            answer = work_out(site, fitting, where, any_threads=True)
        except Problem:  # none of this group counts
            continue
        if answer.setups:
            pair = compare_pairs(configuration, mode)
            return Match(answer, pair, mode, measured_threads(answer))
    return None


def by_mode(
    configuration: Configuration, observations: Sequence[Observation]
) -> list[tuple[str, list[Observation]]]:
    """Return the results of the configuration's lease database, by the mode of the measured pair.

    The mode that fits best is first; "" are single servers.
    """
    kind, family = configuration.lease_database.kind, configuration.family
    alike = [
        each for each in observations if each.load.family == family and kea_name(each) == kind
    ]
    modes = {measured_pair_mode(each) for each in alike} - {""}
    configured = configuration.ha.mode if configuration.ha else None
    order = sorted(modes, key=lambda mode: (mode != configured, mode))
    if not configuration.is_pair:
        order = []
    return [
        (mode, [each for each in alike if measured_pair_mode(each) == mode])
        for mode in [*order, ""]
    ]


def measured_pair_mode(observation: Observation) -> str:
    """Return the mode of the pair of servers that was measured; "" for a single one."""
    return observation.parameters.get("ha", "")


def compare_pairs(configuration: Configuration, mode: str) -> PairMatch:
    """Return how servers of a measured mode compare with those of the configuration."""
    configured = configuration.ha.mode if configuration.ha else None
    if configuration.is_pair:
        if not mode:
            return PairMatch.NO_PAIR
        return PairMatch.AS_CONFIGURED if mode == configured else PairMatch.OTHER_MODE
    if configured == "passive-backup":
        return PairMatch.PASSIVE_BACKUP
    if configuration.shares_database:
        return PairMatch.SHARED_DATABASE
    return PairMatch.AS_CONFIGURED


# ---- Threads


def threads_of(observation: Observation) -> int:
    """Return the number of threads that were measured."""
    if observation.parameters.get("threads") == SEVERAL:
        return SEVERAL_THREADS
    return observation.load.threads


def measured_threads(answer: Answer) -> tuple[int, ...]:
    """Return the numbers of threads of an answer, in order."""
    setups = answer.representatives
    return tuple(sorted({threads_of(each) for setup in setups for each in setup.observations}))


def by_nearness(counts: Iterable[int], wanted: int | None) -> list[int]:
    """Return numbers of threads, the one that fits best first.

    None is wanted where there is one thread for each processor. Machines have several today, so
    the fewest above 1 fit best.
    """
    if wanted is None:
        return sorted(counts, key=lambda count: (count == 1, count))
    return sorted(counts, key=lambda count: (abs(math.log(count / wanted)), count))


def with_best_threads(
    observations: Sequence[Observation], wanted: int | None, site: Site
) -> list[Observation]:
    """Return the results of each setting of a store with the threads that fit best.

    Among numbers of threads those count of which both renewals and restarts are known, if there
    are some.
    """
    alternatives: dict[tuple[object, ...], dict[int, list[Observation]]] = {}
    for each in observations:
        key = (each.server is not None, each.durability.basis, each.product)
        alternatives.setdefault(key, {}).setdefault(threads_of(each), []).append(each)
    kept: list[Observation] = []
    for by_threads in alternatives.values():
        order = by_nearness(by_threads, wanted)
        kept += by_threads[max(order, key=lambda count: known_rates(by_threads[count], site))]
    return kept


def known_rates(observations: Sequence[Observation], site: Site) -> int:
    """Return how many of renewals and restarts are known of a setup at most: 2, 1 or 0."""
    sections = grouping.setups(observations)
    groups = [group for section in sections for group in section.groups]
    return max((len(rates_of(group.observations, site).known) for group in groups), default=0)
