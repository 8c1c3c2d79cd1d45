# SPDX-License-Identifier: ISC
"""Processor time and memory of servers, their databases and perfdhcp (proc(5))."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ubench.run import process

SERVER_PROGRAMS = ("kea-dhcp", "kea-lfc", "dhcpd")  # the beginnings of their names
DATABASE_PROGRAMS = ("mariadbd", "mysqld", "postgres")
# The fields of a process after its name: utime, stime, and the same of children that have ended.
_TIMES = slice(11, 15)


@dataclass(frozen=True)
class ProcessorTimes:
    """Seconds of processor time that were used until some moment."""

    at_s: float  # of the monotonic clock
    server: float
    store: float
    load: float  # by processes that this program has started and that have ended
    all: float  # by everything on the machine

    @classmethod
    def now(cls) -> ProcessorTimes:
        """Return the times until now."""
        ticks = os.sysconf("SC_CLK_TCK")
        server = store = 0
        for name, used in _processes():
            if name.startswith(SERVER_PROGRAMS):
                server += used
            elif name in DATABASE_PROGRAMS:
                store += used
        own = os.times()
        return cls(
            time.monotonic(),
            server / ticks,
            store / ticks,
            own.children_user + own.children_system,
            _machine_ticks() / ticks,
        )

    def since(self, before: ProcessorTimes) -> dict[str, float]:
        """Return the seconds of each part since another moment, and those of everything else.

        A database process that ended in between takes its time with it.
        """
        parts = {
            name: max(0.0, round(getattr(self, name) - getattr(before, name), 2))
            for name in ("server", "store", "load")
        }
        other = round(self.all - before.all, 2) - sum(parts.values())
        return {**parts, "other": max(0.0, other)}


def _processes() -> Iterator[tuple[str, int]]:
    """Yield the name of each process, and the ticks that it and its children have used."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        head, _, rest = _read(path).rpartition(")")
        if head:  # it has not ended meanwhile
            yield head.partition("(")[2], sum(map(int, rest.split()[_TIMES]))


def _machine_ticks() -> int:
    """Return the ticks in which processors of this machine worked: all but idle and iowait."""
    times = [int(word) for word in _read(Path("/proc/stat")).partition("\n")[0].split()[1:]]
    return sum(times[:3]) + sum(times[5:8])


def highest_memory_mb(pids: Iterable[int]) -> float:
    """Return the most memory that these processes have had, in MiB; 0 for those that have ended."""
    texts = (_read(Path(f"/proc/{pid}/status")) for pid in pids)
    kib = [int(number) for text in texts for number in re.findall(r"^VmHWM:\s*(\d+)", text, re.M)]
    return round(sum(kib) / 1024, 1)


def _read(path: Path) -> str:
    """Return the text of a file of /proc; "" if its process has ended."""
    with contextlib.suppress(OSError):
        return path.read_text(encoding="utf-8", errors="replace")
    return ""


# ---- Clean-ups of the lease file


@dataclass(frozen=True)
class CleanUp:
    """One run of kea-lfc, which cleans up the lease file of memfile."""

    duration_s: float
    memory_mb: float


class CleanUpWatch:
    """Observes the runs of kea-lfc, as children of servers, whenever `look` is called."""

    def __init__(self) -> None:
        self._begun: dict[int, float] = {}
        self._seen: dict[int, CleanUp] = {}

    def look(self, servers: Iterable[int]) -> None:
        """Note how long each run of these servers has taken so far, and its memory."""
        for pid in itertools.chain.from_iterable(map(process.children, servers)):
            memory_mb = highest_memory_mb([pid])
            if memory_mb > 0:  # a process that has ended and was not waited for has none
                now = time.monotonic()
                begun = self._begun.setdefault(pid, now)
                self._seen[pid] = CleanUp(round(now - begun, 2), memory_mb)

    @property
    def longest(self) -> CleanUp | None:
        """The longest run; None if none was seen."""
        runs = self._seen.values()
        return max(runs, key=lambda run: (run.duration_s, run.memory_mb), default=None)
