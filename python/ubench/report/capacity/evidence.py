# SPDX-License-Identifier: ISC
"""What an answer rests on.

That is observations that are long enough, what disturbed them, and where they were made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from ubench import stats
from ubench.records.observation import DurabilityClass, Observation, Origin, Sample
from ubench.report.grouping import without_references

# Caches, checkpoints and the clock decide the rate of a shorter run.
LEAST_S = 1
LEAST_EXCHANGES = 1000
# In a pool that is 99 % full, each looks up a hundred addresses.
LEAST_EXCHANGES_OF_POOL = 100


@dataclass(frozen=True)
class Evidence:
    """The observations that count, and the runs that do not."""

    observations: tuple[Observation, ...]
    too_short: tuple[str, ...]  # store and workload of each run that was too short: "mysql renew"
    disk_s: float | None = None  # how long a sync takes on the disk that `disk` timed


def is_too_short(sample: Sample, least_exchanges: int = LEAST_EXCHANGES) -> bool:
    """Return whether the time was too short, or the exchanges too few, to mean anything."""
    amount = sample.amount
    if amount is None:
        return False
    return amount.operations < least_exchanges or amount.elapsed_s < LEAST_S


def long_enough(observations: Sequence[Observation]) -> Evidence:
    """Return the observations without the runs that are too short.

    An observation without a complete run stays: its rates are not known. The reference runs of a
    campaign, which show how the machine changed, do not count.
    """
    kept, too_short = [], []
    stores = [each for each in observations if not each.times_a_disk]
    for observation in without_references(stores):
        least = LEAST_EXCHANGES_OF_POOL if observation.load.shares_pool else LEAST_EXCHANGES
        samples = tuple(each for each in observation.samples if not is_too_short(each, least))
        if samples or not observation.samples:
            kept.append(replace(observation, samples=samples))
        if observation.cls is DurabilityClass.NONE:
            continue
        runs = {each.run for each in observation.samples if is_too_short(each, least)}
        if observation.origin is Origin.DUEL and runs:
            runs = {0}  # its blocks are too short together
        name = f"{observation.store} {observation.load.workload or 'phases'}"
        too_short += [name for _ in runs]
    return Evidence(tuple(kept), tuple(too_short), timed_disk_s(observations))


def timed_disk_s(observations: Sequence[Observation]) -> float | None:
    """How long a sync takes on the disk that `ubench_report disk` timed; None if it timed none."""
    times_ns = [each.baselines.fdatasync_ns for each in observations if each.times_a_disk]
    known = [time for time in times_ns if time]
    return stats.median(known) / 1e9 if known else None


class Doubt(Enum):
    """A reason to trust an observation less, by the codes of its warnings."""

    DISTURBED = "disturbed"
    LIMITED = "cpu-limit"
    NOT_CONFIRMED = "search"
    LOAD = "load-limit"
    OTHER = "other"


DOUBT_OF_CODE = {
    "steal": Doubt.DISTURBED,
    "other-work": Doubt.DISTURBED,
    "load": Doubt.DISTURBED,
    "cpu-limit": Doubt.LIMITED,
    "search": Doubt.NOT_CONFIRMED,
    "load-limit": Doubt.LOAD,
}


class Search(Enum):
    """How the rate of a whole server was found, the best way first."""

    CONFIRMED = "confirmed"  # by the rules of RFC 9971, or there was no search
    ROUGH = "rough"  # with trials that were too short
    EARLIER = "earlier"  # by a search that reported the maximum of its trials

    @property
    def rank(self) -> int:
        """0 for the best."""
        return list(Search).index(self)


def search_of(observation: Observation) -> Search:
    """Return how the rate of a whole server was found."""
    server = observation.server
    if server is None:
        return Search.CONFIRMED
    if server.is_earlier:
        return Search.EARLIER
    return Search.ROUGH if server.rough else Search.CONFIRMED


@dataclass(frozen=True)
class Trust:
    """What an answer rests on, counted."""

    measured: int  # observations that were not published by others
    alone: int  # of these, observations that did not work in turn with others
    doubts: Mapping[Doubt, int]  # how many of those alone; only doubts that there are
    products: tuple[str, ...]  # with versions: "Kea 3.0.4", "MySQL 9.7.4"
    disks: tuple[str, ...]  # "ext4 on vda"
    sync_s: float | None  # the median of what a sync took


def weigh(observations: Sequence[Observation], products: Sequence[str]) -> Trust:
    """Return what these observations rest on; `products` are named as they are."""
    measured = [each for each in observations if each.cls is not None]
    alone = [each for each in measured if each.origin is not Origin.DUEL]
    counts = dict.fromkeys(Doubt, 0)
    for observation in alone:
        for doubt in {DOUBT_OF_CODE.get(each.code, Doubt.OTHER) for each in observation.warnings}:
            counts[doubt] += 1
    syncs_ns = [each.baselines.fdatasync_ns for each in measured if each.baselines.fdatasync_ns]
    disks = dict.fromkeys(disk_name(each) for each in measured)
    return Trust(
        measured=len(measured),
        alone=len(alone),
        doubts={doubt: count for doubt, count in counts.items() if count},
        products=tuple(products),
        disks=tuple(name for name in disks if name),
        sync_s=stats.median(syncs_ns) / 1e9 if syncs_ns else None,
    )


def disk_name(observation: Observation) -> str:
    """Return the file system and device of the leases: "ext4 on vda"; "" if not known."""
    parts = (observation.host.get(name) for name in ("file_system", "device"))
    return " on ".join(part for part in parts if part)
