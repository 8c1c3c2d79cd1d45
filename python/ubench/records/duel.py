# SPDX-License-Identifier: ISC
"""Duels: configurations that worked in turn for short slices of time (results/duel.schema.json)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ubench.records.observation import Observation, Source


@dataclass(frozen=True)
class Slice:
    """The work of one side in one turn."""

    side: int
    operations: int
    elapsed_ns: int
    cpu_ns: int  # of the runner
    server_cpu_ns: int | None
    syncs: int | None
    p50_ns: int | None
    p99_ns: int | None
    errors: int = 0  # operations that the store gave up; they are not among the others
    round: int = 0  # all sides are new processes in each round
    log_bytes: int | None = None  # that a server wrote to its logs
    instructions: int | None = None  # of the runner's workers, in user space
    server_instructions: int | None = None
    cycles: int | None = None  # of the runner's workers, in user space
    switches: int | None = None  # context switches of the runner


def whole_blocks(slices: Sequence[Slice], sides: int) -> tuple[tuple[Slice, ...], ...]:
    """Return blocks of slices: each side twice, in random order and in the reverse order.

    A last block that was cut short is left out.
    """
    size = 2 * sides
    starts = range(0, len(slices) - size + 1, size)
    return tuple(tuple(slices[start : start + size]) for start in starts)


def letter(side: int) -> str:
    """Return the letter of a side, by its number from 0: "A", "B", "C"."""
    return chr(ord("A") + side)


@dataclass(frozen=True)
class Side:
    """One configuration of a duel."""

    name: str
    command: str
    twin: bool  # has A's command: what it differs by is noise
    server: str  # the kind and the options of its private server
    observation: Observation | None  # of all of its turns; None if it was interrupted


@dataclass(frozen=True)
class Duel:
    """One duel. Side 0, A, is what the others are compared with."""

    source: Source
    started_at: str
    label: str
    incomplete: bool
    slice_ms: int
    time_s: float
    sides: tuple[Side, ...]
    slices: tuple[Slice, ...]
    valgrind: bool = False  # which counted instructions, and made all times useless

    def side_name(self, side: int) -> str:
        """Return "B", or "A's twin"."""
        return "A's twin" if self.sides[side].twin else letter(side)
