# SPDX-License-Identifier: ISC
"""The counts that ubench_leases makes of lease files (ubench-demand/1)."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ubench import paths
from ubench.errors import Problem
from ubench.report.leases.pools import AddressPool

FORMAT = "ubench-demand/1"
HOUR_S = 3600
MINUTE_S = 60
FOREVER_S = 0xFFFFFFFF
NEW = ("new", "returned")
RELEASED = ("released", "deleted")


@dataclass(frozen=True)
class HourRates:
    """How often something happened: in an hour, and in its worst minute."""

    hour: int
    minute: int

    @property
    def per_s(self) -> float:
        """Per second, in the hour."""
        return self.hour / HOUR_S

    @property
    def worst_per_s(self) -> float:
        """Per second, in the worst minute."""
        return self.minute / MINUTE_S


@dataclass(frozen=True)
class Hour:
    """What happened in an hour, by the names of events (ubench/demand/history.h)."""

    start_s: int  # Unix seconds
    events: Mapping[str, HourRates]

    def count(self, *names: str) -> int:
        """Return how many events of these kinds there were."""
        return sum(self.events[name].hour for name in names)


@dataclass(frozen=True)
class Damage:
    """A line that could not be read."""

    file: str
    line: int
    what: str


@dataclass(frozen=True)
class Census:
    """The counts of a server's lease files. Nothing in it names a client."""

    raw: Mapping[str, Any]  # as ubench_leases wrote them
    damages: tuple[Damage, ...]  # the first ones
    damaged: int  # all of them
    ahead: tuple[str, ...]  # the files whose times are in the future
    stale: Mapping[str, int]  # records left out of files, of which earlier files have later ones
    pools: tuple[tuple[AddressPool, int, int], ...]  # active and declined leases of each

    @property
    def family(self) -> int:
        """4 or 6."""
        return int(self.raw["family"])

    @property
    def clients(self) -> int:
        """How many clients have a valid lease."""
        return int(self.raw["clients"])

    @property
    def latest_s(self) -> int:
        """The last transaction of all, in Unix seconds: the time for which the counts hold."""
        return int(self.raw["history"]["latest"])

    @property
    def has_history(self) -> bool:
        """True if the files are a log of changes, not only the last state of each lease."""
        return bool(self.raw["history"]["records"])

    @cached_property
    def lifetimes(self) -> Mapping[int, int]:
        """How many valid leases have each lifetime, in seconds."""
        return dict(self.raw["lifetimes"])

    @cached_property
    def subnets(self) -> Mapping[int, int]:
        """How many valid leases each subnet has; subnet 0 if the files do not tell."""
        return dict(self.raw["subnets"])

    @cached_property
    def hours(self) -> tuple[Hour, ...]:
        """The hours in which something happened."""
        columns = self.raw["columns"]
        return tuple(
            Hour(
                hour["start"],
                {
                    name: HourRates(count, worst)
                    for name, count, worst in zip(
                        columns, hour["counts"], hour["worst_minute"], strict=True
                    )
                },
            )
            for hour in self.raw["hours"]
        )

    def worst(self, name: str) -> tuple[Hour, HourRates] | None:
        """Return the hour with the worst minute of a kind of events, and its rates; None if empty.

        The hour that comes first, if several have the same.
        """
        hours = [hour for hour in self.hours if hour.events[name].minute]
        if not hours:
            return None
        worst = max(hours, key=lambda hour: hour.events[name].minute)
        return worst, worst.events[name]

    @property
    def lease_s(self) -> float | None:
        """The mean lifetime, such that leases begin at the right rate; None without any lease."""
        finite = {time: count for time, count in self.lifetimes.items() if 0 < time < FOREVER_S}
        if not finite:
            return None
        return sum(finite.values()) / sum(count / time for time, count in finite.items())

    @property
    def changes_per_s(self) -> float:
        """The changes per second that the store had to make in the worst minute.

        Of a snapshot, the last transactions of the leases: their worst minute is a lower limit, and
        so is the mean rate at which clients renew after half of the lifetime.
        """
        found = self.worst("changes" if self.has_history else "last")
        worst_per_s = found[1].worst_per_s if found else 0.0
        if self.has_history or self.lease_s is None:
            return worst_per_s
        return max(worst_per_s, self.clients / (self.lease_s / 2))


def count(
    files: Sequence[str],
    *,
    pools: Sequence[AddressPool] = (),
    cache_threshold: float = 0.25,
    trace: str = "",
) -> Census:
    """Count the records of lease files, which are in order. Raises Problem.

    With `trace` the history is also written to that file, which does not exist.
    """
    command = [str(paths.helper("ubench_leases")), f"--cache-threshold={cache_threshold}"]
    command += [f"--trace={trace}"] if trace else []
    command += ["--pools"] if pools else []
    ranges = "".join(f"{pool.first} {pool.last}\n" for pool in pools)
    try:
        done = subprocess.run(
            [*command, "--", *files], input=ranges, capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise Problem(f"{command[0]}: {error.strerror}; build it with make") from None
    if done.returncode:
        raise Problem(done.stderr.strip() or f"{command[0]} failed", done.returncode)
    return census(json.loads(done.stdout), files, pools)


def census(raw: Mapping[str, Any], files: Sequence[str], pools: Sequence[AddressPool]) -> Census:
    """Return the counts in the line that ubench_leases printed."""
    return Census(
        raw=raw,
        damages=tuple(
            Damage(files[damage["file"]], damage["line"], damage["what"])
            for damage in raw["damages"]
        ),
        damaged=sum(file["damaged"] for file in raw["files"]),
        stale={
            name: file["stale"]
            for name, file in zip(files, raw["files"], strict=True)
            if file["stale"]
        },
        ahead=tuple(
            name for name, file in zip(files, raw["files"], strict=True) if file["ahead"]
        ),
        pools=tuple(
            (pool, active, declined)
            for pool, (active, declined) in zip(pools, raw["pools"], strict=True)
            if pool.family == raw["family"]
        ),
    )
