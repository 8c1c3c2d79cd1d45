# SPDX-License-Identifier: ISC
"""How the sides of a duel take turns: rounds of blocks of slices, until the ratios are known."""

from __future__ import annotations

import itertools
import math
import os
import random
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ubench import stats
from ubench.campaigns.duel_plan import DuelPlan, SidePlan
from ubench.errors import Problem
from ubench.records.decoding import JsonObject
from ubench.records.duel import Slice
from ubench.report.duel.statistics import INSTRUCTIONS, RATE, DuelStatistics, Figure
from ubench.run.runner import Turn, TurnRunner

SLICES_MAX = 200_000  # of a duel, as its schema has it
LEAST_BLOCKS = 30  # before --precision may end a duel of one round
LEAST_COUNTED_BLOCKS = 10  # of slices whose instructions valgrind counts
GROWTH = 1.02  # of a duel, until --precision looks at it again

# Slices: results/duels-2026-11.md says what longer ones are worth.
LEAST_SLICE_MS, LONGEST_SLICE_MS = 100, 5000
OPERATIONS_OF_SLICE = 100  # of the slowest side
TRIAL_MS = 500
LONGEST_TURN_MS = 600_000  # of a runner; with valgrind a turn ends after a number of operations

# The fewest rounds, and the most seconds of a round for each side. Two processes of one
# command differ by more than slices do, which only more rounds make up for; but a private server
# takes seconds to start.
ROUNDS, ROUND_S = 10, 5
SERVER_ROUNDS, SERVER_ROUND_S = stats.LEAST, 10


NOT_COUNTED = (
    "--figure=instructions: this machine does not count instructions (ubench_report show says why "
    "of a run: host, counters); add --valgrind"
)
OTHER_WORK = (
    "it did other operations than A (their digests differ), so its instructions cannot be "
    "compared; expected commands with the same -w, -n, --preload and --seed"
)


def default_rounds(sides: Sequence[SidePlan], valgrind: bool = False) -> int:
    """Return the number of rounds.

    Servers that are not private are measured as they are, once. Processes of one command execute
    the same instructions.
    """
    if valgrind:
        return 1
    if any((side.kind or side.is_remote) and not side.has_private_server for side in sides):
        return 1
    has_private_server = any(side.has_private_server for side in sides)
    return SERVER_ROUNDS if has_private_server else ROUNDS


class Worker(Protocol):
    """A side that works in turn."""

    def turn(self, milliseconds: int) -> Turn:
        """Work for this long; return what was done."""


Watch = Callable[[DuelStatistics, float], None]
"""Called after each block, with the statistics and the seconds that are left."""


@dataclass(frozen=True)
class Limits:
    """When a duel ends, and how long its slices are."""

    time_s: float
    precision: float
    rounds: int
    round_s: float  # the longest of a round, if there are several
    slice_ms: int | None
    settle_ms: int
    seed: int
    figure: Figure = RATE  # that is to be known to the precision
    least_blocks: int = LEAST_BLOCKS

    @classmethod
    def from_plan(cls, plan: DuelPlan) -> Limits:
        """Return the limits of a duel."""
        seconds = SERVER_ROUND_S if plan.has_private_servers else ROUND_S
        return cls(
            time_s=plan.time_s,
            precision=plan.precision,
            rounds=plan.rounds,
            round_s=seconds * len(plan.sides),
            slice_ms=LONGEST_TURN_MS if plan.valgrind else plan.slice_ms,
            settle_ms=plan.settle_ms,
            seed=plan.seed,
            figure=plan.figure,
            least_blocks=LEAST_COUNTED_BLOCKS if plan.valgrind else LEAST_BLOCKS,
        )


class Turns:
    """The turns of a duel: lets its sides work, and keeps what they did."""

    def __init__(self, limits: Limits, twins: Sequence[bool], watch: Watch) -> None:
        self.statistics = DuelStatistics(twins)
        self.slice_ms = limits.slice_ms
        self.left_s = limits.time_s
        self._limits = limits
        self._watch = watch
        self._next_look = limits.least_blocks * 2 * len(twins)  # at this number of slices

    def work(self, sides: Sequence[Worker], number: int) -> None:
        """Let the sides work for a round, until its time is up or the ratios are known."""
        if self.slice_ms is None:
            self.slice_ms = self._choose_slice(sides)
        chance = random.Random(self._limits.seed + number)
        order = list(range(len(sides)))
        begun_s = time.monotonic()
        share_s = self._share_of_round()
        while True:
            chance.shuffle(order)
            for side in [*order, *reversed(order)]:
                self._take_turn(sides[side], side, number)
            worked_s = time.monotonic() - begun_s
            self._watch(self.statistics, self.left_s - worked_s)
            if self._is_decided() or self._is_full():
                self.left_s = 0
                return
            if worked_s >= share_s:
                self.left_s -= worked_s
                return

    def are_over(self, rounds: int) -> bool:
        """Return whether a duel ends after this number of rounds."""
        if rounds < self._limits.rounds:
            return False
        return self.left_s <= 0 or self._is_known()

    def _take_turn(self, worker: Worker, side: int, number: int) -> None:
        assert self.slice_ms is not None
        if self._limits.settle_ms:
            worker.turn(self._limits.settle_ms)
        done = worker.turn(self.slice_ms)
        if self._limits.figure is INSTRUCTIONS and done.instructions is None:
            raise Problem(NOT_COUNTED)
        turn = Slice(
            side=side,
            operations=done.operations,
            elapsed_ns=done.elapsed_ns,
            cpu_ns=done.cpu_ns,
            server_cpu_ns=done.server_cpu_ns,
            syncs=done.syncs,
            p50_ns=done.p50_ns,
            p99_ns=done.p99_ns,
            errors=done.errors,
            round=number,
            log_bytes=done.log_bytes,
            instructions=done.instructions,
            server_instructions=done.server_instructions,
            cycles=done.cycles,
            switches=done.switches,
        )
        self.statistics.add(turn)

    def _share_of_round(self) -> float:
        """Return the seconds of the next round."""
        limits = self._limits
        if limits.rounds == 1:
            return self.left_s
        return min(self.left_s, limits.time_s / limits.rounds, limits.round_s)

    def _is_decided(self) -> bool:
        """Return whether a duel of one round is as precise as asked for.

        It looks only now and then: a duel that could end after any block would err more often.
        """
        slices = len(self.statistics.slices)
        if self._limits.rounds != 1 or slices < self._next_look:
            return False
        self._next_look = math.ceil(slices * GROWTH)
        return self._is_known()

    def _is_known(self) -> bool:
        return self.statistics.is_known(self._limits.precision, self._limits.figure)

    def _is_full(self) -> bool:
        """Return whether no time is left for another block."""
        block = 2 * len(self.statistics.twins)
        return len(self.statistics.slices) + block > SLICES_MAX

    def _choose_slice(self, sides: Sequence[Worker]) -> int:
        """Return the milliseconds in which the slowest side does 100 operations."""
        longest = float(LEAST_SLICE_MS)
        for side in sides:
            done = side.turn(TRIAL_MS)
            each_ms = done.elapsed_ns / max(done.operations, 1) / 1e6
            longest = max(longest, OPERATIONS_OF_SLICE * each_ms)
        slices = SLICES_MAX - 2 * len(sides)
        least = self._limits.time_s * 1000 / slices
        return math.ceil(max(min(longest, LONGEST_SLICE_MS), least))


# ---- Rounds

Check = Callable[[str, str, Sequence[Slice]], JsonObject]
"""Takes the name of a side, its result and its slices in the same round.

Returns what the duel's line keeps of the result; raises Problem if that does not count.
"""


class Rounds:
    """The rounds of a duel, each with new processes of all sides."""

    def __init__(
        self, plan: DuelPlan, folder: Path, watch: Watch, say: Callable[[str], None]
    ) -> None:
        """`folder`: an empty one, for the runners. `say`: prints a message to the user."""
        self.turns = Turns(Limits.from_plan(plan), [side.twin for side in plan.sides], watch)
        self.results: list[JsonObject | None] = [None] * len(plan.sides)  # of the last round
        self._folder = folder
        self._say = say
        self._valgrind = plan.valgrind
        self._runners = [
            TurnRunner(side.letter, side.words, side.private_server, valgrind=plan.valgrind)
            for side in plan.sides
        ]

    def hold(self, check: Check) -> None:
        """Hold rounds until the duel is over. Raises Problem if a side fails."""
        for number in itertools.count():
            self._start(number)
            os.sync()  # new data would otherwise be written while the sides work
            self.turns.work(self._runners, number)
            for side in reversed(range(len(self._runners))):
                self.results[side] = self._result(side, number, check)
            if self._valgrind:
                self._check_same_work()
            self.stop()
            shutil.rmtree(self._folder)
            self._folder.mkdir()
            if self.turns.are_over(number + 1):
                return

    def stop(self) -> None:
        """End all sides, however far they came: they put settings back, and stop their servers."""
        for runner in self._runners:
            runner.close_input()
        for runner in self._runners:
            left = runner.stop()
            if left:
                self._say(f"{runner.name}: {' and '.join(left)} could not be ended")

    def _start(self, number: int) -> None:
        """Start all sides, and wait until they are ready.

        Private servers start together. All others start one after the other, and the last one ends
        first: what one sets in a server that it shares is put back when no other needs it.
        """
        for side, runner in enumerate(self._runners):
            runner.start(self._folder / f"{number}.{side}")
            if not runner.server:
                runner.wait_ready()
        for runner in self._runners:
            if runner.server:
                runner.wait_ready()

    def _check_same_work(self) -> None:
        """Raise Problem unless all sides did the same operations.

        Only then are their instructions comparable.
        """
        digests = [result["runs"][0]["digest"] for result in self.results if result]
        for runner, digest in zip(self._runners, digests, strict=True):
            if digest != digests[0]:
                raise Problem(f"{runner.name}: {OTHER_WORK}")

    def _result(self, side: int, number: int, check: Check) -> JsonObject:
        runner = self._runners[side]
        text = runner.result()
        turns = self.turns.statistics.slices_of(side)
        result = check(runner.name, text, [turn for turn in turns if turn.round == number])
        if runner.errors:
            self._say(f"{runner.name}: {runner.errors}")
        return result
