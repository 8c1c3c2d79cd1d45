# SPDX-License-Identifier: ISC
"""The statistics of a duel: how its sides compare, and what the machine could tell apart.

A duel has rounds, each with new processes of all sides, and a round has blocks. A block has each
side twice: all sides in random order, then in the reverse order. What changes slowly on the
machine hits all sides of a block alike. As each block draws a new order, the rest of the noise is
as often for a side as against it. The statistic is the difference within a block of the
logarithms of a figure. docs/method.md says how often its interval errs.

Side 0, A, is what the others are compared with. The twin of a duel has A's command and otherwise
everything of its own: its ratio to A, the null, says what this machine could tell apart. A duel of
several rounds compares the other sides with both copies, because each is A with an error of its
own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from ubench import stats, units
from ubench.records.duel import Duel, Slice

TRIM = 5  # a fifth of the blocks is dropped at either end
SURE = 0.01  # the largest P of a carry-over, of a null that differs, of processor time that decides


# ---- The figures of a slice


@dataclass(frozen=True)
class Figure:
    """A figure of a slice; tables print it times `scale`, under `label`.

    `value` returns None if a slice does not have it.
    """

    name: str
    label: str
    value: Callable[[Slice], float | None]
    scale: float = 1.0
    more_is_better: bool = False
    # What the server adds to it, None where that is not known.
    server_part: Callable[[Slice], int | None] | None = None
    # By how much two processes of one program differ, as a logarithm, which intervals include.
    of_processes: float = 0.0


def _rate(turn: Slice) -> float:
    """Return the operations per second.

    A slice in which nothing was done has half an operation, so that the worst slices count too.
    """
    return (turn.operations or 0.5) * 1e9 / turn.elapsed_ns


def _p50_ns(turn: Slice) -> float | None:
    return turn.p50_ns if turn.operations else None


def _p99_ns(turn: Slice) -> float | None:
    return turn.p99_ns if turn.operations else None


def _per_operation(turn: Slice, amount: float | None) -> float | None:
    return amount / turn.operations if turn.operations and amount is not None else None


def _runner_cpu_ns(turn: Slice) -> float | None:
    return _per_operation(turn, turn.cpu_ns)


def _server_cpu_ns(turn: Slice) -> float | None:
    return _per_operation(turn, turn.server_cpu_ns)


def _processor_ns(turn: Slice) -> float | None:
    """Return the processor time of the runner and, where it is known, of its server."""
    return _per_operation(turn, turn.cpu_ns + (turn.server_cpu_ns or 0))


def _instructions(turn: Slice) -> float | None:
    """Return the instructions of the runner and, where they are known, of its server."""
    if turn.instructions is None:
        return None
    return _per_operation(turn, turn.instructions + (turn.server_instructions or 0))


def _cycles(turn: Slice) -> float | None:
    return _per_operation(turn, turn.cycles)


def _switches(turn: Slice) -> float | None:
    return _per_operation(turn, turn.switches)


def _syncs(turn: Slice) -> float | None:
    """Return None for servers, which count a sync late: in a later slice."""
    return _per_operation(turn, turn.syncs) if turn.log_bytes is None else None


RATE = Figure("rate", "per second", _rate, more_is_better=True)
P50 = Figure("p50", "p50, us", _p50_ns, 1e-3)
P99 = Figure("p99", "p99, us", _p99_ns, 1e-3)
RUNNER_CPU = Figure("cpu", "runner's CPU, us", _runner_cpu_ns, 1e-3)
SERVER_CPU = Figure("server-cpu", "server's CPU, us", _server_cpu_ns, 1e-3)
SYNCS = Figure("syncs", "syncs", _syncs)
PROCESSOR = Figure(
    "processor", "processor time, us", _processor_ns, 1e-3,
    server_part=lambda turn: turn.server_cpu_ns,
)  # fmt: skip
INSTRUCTIONS = Figure(
    "instructions", "instructions", _instructions,
    server_part=lambda turn: turn.server_instructions, of_processes=0.001,
)  # fmt: skip
CYCLES = Figure("cycles", "runner's cycles", _cycles)
SWITCHES = Figure("switches", "context switches", _switches)

TABLE_FIGURES = (
    RATE, P50, P99, RUNNER_CPU, SERVER_CPU, SYNCS, INSTRUCTIONS, CYCLES, SWITCHES,
)  # fmt: skip


# ---- Blocks

Logs = tuple[float, float]
"""The logarithms of a figure in the two slices of a side in a block."""


@dataclass(frozen=True)
class ComparedBlock:
    """The logarithms of a figure in a block: of each reference, and of the side to compare."""

    round: int
    references: tuple[Logs, ...]
    side: Logs

    @property
    def reference_logs(self) -> list[float]:
        """The logarithms of all references."""
        return [log for logs in self.references for log in logs]

    @property
    def differences(self) -> tuple[float, ...]:
        """The logarithm of the ratio of the side to each reference."""
        return tuple(_mean(self.side) - _mean(logs) for logs in self.references)


def _mean(logs: Logs) -> float:
    return (logs[0] + logs[1]) / 2


def ratio_logs(blocks: Iterable[ComparedBlock]) -> tuple[list[float], int]:
    """Return the logarithms of a ratio to make an interval of, and how to trim them.

    The second value is the part that `stats.paired` drops at either end.

    In one round there is a value for each block, from A alone. In several rounds there is a value
    for each round, because the blocks of a round share what its processes have by chance, for
    example their place in memory. It is the mean over the references of trimmed means of the
    blocks. The references are averaged last: differences from one of them are as often too large
    as too small, and those from their mean are not. No round is dropped: there are few of them,
    and each is made of trimmed means.
    """
    rounds: dict[int, list[tuple[float, ...]]] = {}
    for block in blocks:
        rounds.setdefault(block.round, []).append(block.differences)
    if len(rounds) < 2:
        return [from_a for only in rounds.values() for from_a, *_ in only], TRIM
    return [_round_log(differences) for differences in rounds.values()], 0


def _round_log(differences: Sequence[tuple[float, ...]]) -> float:
    by_reference = list(zip(*differences, strict=True))
    dropped = len(differences) // TRIM
    return stats.mean([stats.trimmed_mean(logs, dropped).mean for logs in by_reference])


# ---- A duel


class DuelStatistics:
    """The statistics of a duel that has ended, or of one that still grows.

    Each figure is computed once, and again only after `add` has completed another block.
    """

    def __init__(self, twins: Sequence[bool], slices: Iterable[Slice] = ()) -> None:
        """`twins` says of each side whether it is A's twin."""
        self.twins = tuple(twins)
        self.slices: list[Slice] = []
        self.blocks: list[tuple[Slice, ...]] = []  # the complete ones
        self._logs: dict[str, list[list[Logs | None]]] = {}
        self._contrasts: dict[tuple[int, str], stats.Contrast | None] = {}
        for turn in slices:
            self.add(turn)

    @classmethod
    def from_duel(cls, duel: Duel) -> DuelStatistics:
        """Return the statistics of a duel that a file has."""
        return cls([side.twin for side in duel.sides], duel.slices)

    def add(self, turn: Slice) -> None:
        """Take the next slice."""
        self.slices.append(turn)
        size = 2 * len(self.twins)
        if len(self.slices) % size == 0:
            self.blocks.append(tuple(self.slices[-size:]))
            self._contrasts.clear()

    @property
    def candidates(self) -> list[int]:
        """The sides that are compared with A."""
        return [side for side, twin in enumerate(self.twins) if side > 0 and not twin]

    @property
    def twin(self) -> int | None:
        """The side that is A's twin."""
        return self.twins.index(True) if True in self.twins else None

    @property
    def seconds(self) -> float:
        """The time of all slices."""
        return sum(turn.elapsed_ns for turn in self.slices) / 1e9

    def references(self, side: int) -> list[int]:
        """Return what a side is compared with: A and, in several rounds, A's twin."""
        several_rounds = bool(self.blocks) and self.blocks[-1][0].round > 0
        if self.twin is None or self.twin == side or not several_rounds:
            return [0]
        return [0, self.twin]

    def slices_of(self, *sides: int) -> list[Slice]:
        """Return all slices of these sides, also those of a last block that was cut short."""
        return [turn for turn in self.slices if turn.side in sides]

    # -- Ratios with intervals

    def contrast(self, side: int, figure: Figure = RATE) -> stats.Contrast | None:
        """Return how a side compares with its references; None if the figure is not known."""
        key = (side, figure.name)
        if key not in self._contrasts:
            self._contrasts[key] = self._compare(side, figure)
        return self._contrasts[key]

    def null(self, figure: Figure = RATE) -> stats.Contrast | None:
        """Return how A's twin compares with A; None if there is no twin or no figure."""
        return None if self.twin is None else self.contrast(self.twin, figure)

    def is_known(self, precision: float, figure: Figure = RATE) -> bool:
        """Return whether a figure of each side is known to this precision, a logarithm."""
        contrasts = [self.contrast(side, figure) for side in self.candidates]
        return all(contrast and contrast.precision <= precision for contrast in contrasts)

    def carry_over(self, side: int) -> stats.Interval | None:
        """Return the ratio of a side's rate after its own slice to that after another side's.

        Both slices are in the middle of a block. If the ratio is not 1, a side leaves work behind
        that slows down or speeds up the next one, and slices are too short. None if no carry-over
        is shown.
        """
        middle = slice(len(self.twins) - 1, len(self.twins) + 1)
        pairs = [block[middle] for block in self.blocks]
        logs = [
            math.log(_rate(after_itself)) - math.log(_rate(after_another))
            for after_another, after_itself in pairs
            if after_itself.side == side
        ]
        if len(logs) < stats.LEAST:
            return None
        difference = stats.paired(logs, TRIM)
        if difference.interval is None or difference.p > SURE:
            return None
        return difference.interval.exp()

    # -- Sums over the whole time

    def total_ratio(self, side: int) -> float:
        """Return the ratio of the rates over all blocks, in which stalls have their full weight.

        Infinite if the references did nothing.
        """
        reference, own = (
            sum(turn.operations for turn in turns) / sum(turn.elapsed_ns for turn in turns)
            for turns in self._in_blocks(side)
        )
        return own / reference if reference else math.inf

    def total_cost_ratio(self, side: int, figure: Figure) -> float:
        """Return the ratio of what an operation costs, of a figure that adds up, over all blocks.

        Infinite if the references cost nothing, or one of them did nothing.
        """
        references, own = self._in_blocks(side)
        if not all(any(turn.operations for turn in turns) for turns in (references, own)):
            return math.inf
        reference = _mean_cost(references, figure)
        return _mean_cost(own, figure) / reference if reference else math.inf

    def _in_blocks(self, side: int) -> tuple[list[Slice], list[Slice]]:
        """Return the slices of a side's references, and its own, in all complete blocks."""
        references = self.references(side)
        turns = [turn for block in self.blocks for turn in block]
        return (
            [turn for turn in turns if turn.side in references],
            [turn for turn in turns if turn.side == side],
        )

    # -- Comparison

    def _compare(self, side: int, figure: Figure) -> stats.Contrast | None:
        blocks = self._compared_blocks(side, figure)
        if not blocks:
            return None
        reference_logs = [log for block in blocks for log in block.reference_logs]
        side_logs = [log for block in blocks for log in block.side]
        values, part = ratio_logs(blocks)
        difference = stats.paired(values, part)
        contrast = stats.contrast_of_logs(reference_logs, side_logs, difference, len(values))
        return _widened(contrast, figure.of_processes)

    def _compared_blocks(self, side: int, figure: Figure) -> list[ComparedBlock]:
        """Return the blocks in which all slices of a side and its references have a figure.

        There are none if less than nine tenths of the blocks do: these would not be a fair choice.
        """
        references = self.references(side)
        compared = []
        for block, logs in zip(self.blocks, self._block_logs(figure), strict=True):
            side_logs = logs[side]
            pairs = [logs[reference] for reference in references]
            known = tuple(pair for pair in pairs if pair is not None)
            if side_logs is not None and len(known) == len(pairs):
                compared.append(ComparedBlock(block[0].round, known, side_logs))
        return compared if 10 * len(compared) >= 9 * len(self.blocks) else []

    def _block_logs(self, figure: Figure) -> list[list[Logs | None]]:
        """Return the logarithms of a figure: for each block, those of each side."""
        known = self._logs.setdefault(figure.name, [])
        known += [self._logs_in(block, figure) for block in self.blocks[len(known) :]]
        return known

    def _logs_in(self, block: Sequence[Slice], figure: Figure) -> list[Logs | None]:
        """Return the logarithms of each side; None where a slice does not have the figure.

        The second half of a block has the sides of the first half in reverse order.
        """
        logs: list[Logs | None] = [None] * len(self.twins)
        half = len(self.twins)
        for first, second in zip(block[:half], reversed(block[half:]), strict=True):
            values = figure.value(first), figure.value(second)
            if values[0] and values[1]:
                logs[first.side] = (math.log(values[0]), math.log(values[1]))
        return logs


def _widened(contrast: stats.Contrast, by: float) -> stats.Contrast:
    """Return a contrast whose interval is wider at both ends by this logarithm."""
    if contrast.interval is None or not by:
        return contrast
    factor = math.exp(by)
    low, high = contrast.interval.low / factor, contrast.interval.high * factor
    p = 1.0 if low <= 1 <= high else contrast.p
    return replace(contrast, interval=stats.Interval(low, high), p=p)


def _mean_cost(turns: Sequence[Slice], figure: Figure) -> float:
    """Return what an operation costs, by the sums of slices."""
    total = sum((figure.value(turn) or 0) * turn.operations for turn in turns)
    return total / sum(turn.operations for turn in turns)


# ---- What the figures show


def farthest(interval: stats.Interval) -> float:
    """Return how far an interval goes from 1, as a logarithm."""
    return max(abs(math.log(interval.low)), abs(math.log(interval.high)))


def tellable(null: stats.Contrast | None) -> float:
    """Return the smallest difference that counts, as a logarithm.

    That is 0 unless A and its twin differ by more than chance.
    """
    if null is None or null.interval is None or null.p > SURE:
        return 0.0
    return farthest(null.interval)


def exceeds_null(contrast: stats.Contrast, null: stats.Contrast | None) -> bool:
    """Return whether a difference is more than chance, and more than A and its twin differ by."""
    if contrast.interval is None or contrast.ratio is None:
        return False
    if contrast.interval.low <= 1 <= contrast.interval.high:
        return False
    return abs(math.log(contrast.ratio)) > tellable(null)


def ratio_text(interval: stats.Interval) -> str:
    """Return the ends of an interval of a ratio: "0.951 to 1.002"."""
    if interval.low < 0.1:
        return f"{units.figure(interval.low)} to {units.figure(interval.high)}"
    return f"{interval.low:.3f} to {interval.high:.3f}"
