# SPDX-License-Identifier: ISC
"""scripts/duel: two or more configurations work in turn, for short slices of time.

Each side is a runner with --turns and a store of its own, open and filled. If this program dies,
the input of all runners ends, and they stop by themselves.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from pathlib import Path

from ubench import cli, units
from ubench.campaigns.duel_options import (
    NAME,
    DuelRequest,
    names_set,
    read_request,
    read_set,
)
from ubench.campaigns.duel_plan import DuelPlan
from ubench.campaigns.duel_turns import Rounds
from ubench.errors import Problem
from ubench.records import reader
from ubench.records.decoding import JsonObject, decode
from ubench.records.duel import Duel, Slice, letter
from ubench.records.observation import Observation, Source
from ubench.records.schema import Damaged
from ubench.report.duel.gate import Gate
from ubench.report.duel.soundness import why_contradicts, why_unfinished
from ubench.report.duel.statistics import RATE, DuelStatistics, Figure, ratio_text
from ubench.report.duels import export_ratios, judge_aloud, print_duel
from ubench.report.exports import junit
from ubench.report.gate import worst
from ubench.report.table import Output
from ubench.run import output, process
from ubench.run.progress import LINE_INTERVAL_S, Progress, progress
from ubench.run.runner import excerpt
from ubench.terminal import plain
from ubench.units import SECOND_NS

SHOWN_EACH_S = 1.0  # on a terminal
SPARED = 50  # times as long as it takes to compute the progress, the sides work undisturbed
STATUSES = (2, 3, 1, 4, 5)  # of several duels, the one that says most first


# ---- One duel


def hold(plan: DuelPlan) -> int:
    """Hold a duel, keep its line and print it; return the exit status.

    An interrupted duel is kept and printed too. Raises Problem if a side fails.
    """
    started_at = time.strftime("%FT%TZ", time.gmtime())
    status = 0
    with progress(NAME) as shown:
        watch = DuelProgress(plan, shown).show
        folder = _new_folder(plan)
        rounds = Rounds(plan, folder, watch, _say)
        try:
            rounds.hold(check_result)
        except process.Interrupted as interruption:
            status = interruption.status
        finally:
            with process.signals_ignored():
                rounds.stop()
                _remove_files(plan, folder)
    with process.signals_ignored():
        line = make_line(plan, rounds, started_at, is_incomplete=status != 0)
        duel = read_back(line)
        statistics = DuelStatistics.from_duel(duel)
        try:
            if plan.output is not None:
                output.append_line(plan.output, line)
        finally:
            print_duel(Output(), duel, statistics, plan.figure)
        if status == 0 and plan.exports:
            plan.exports.write(export_ratios(duel, statistics, plan.figure))
        if status == 0 and plan.gate is not None:
            status = _judge(plan, duel, statistics, plan.gate)
    return status


def _judge(plan: DuelPlan, duel: Duel, statistics: DuelStatistics, gate: Gate) -> int:
    """Say what the gate says of each side; return its exit status."""
    judgements = judge_aloud(duel, statistics, gate, NAME)
    if plan.junit is not None:
        junit.write_junit(plan.junit, "duel", judgements)
    return worst(judgement.outcome for judgement in judgements).value


def check_result(name: str, text: str, turns: Sequence[Slice]) -> JsonObject:
    """Return the result of a side as the duel's line has it, without the steps of exchanges.

    They are most of a result, and no report of a duel has them. Raises Problem unless the result is
    that of a complete and verified run, and of these turns.
    """
    why = ""
    try:
        members = decode(text.encode(), buckets=True)
        record = reader.read_line(text.encode(), Source(name, 1))
    except Damaged as damage:
        why = str(damage)
    else:
        if isinstance(record, Observation):
            why = why_unfinished(record) or why_contradicts(record, turns)
        else:
            why = "it is not of a run"
    if why:
        raise Problem(
            f"{name}: its result is '{excerpt(text)}...'; expected that of a complete run, as "
            f"results/schema.json has it: {why}"
        )
    for phase in members["runs"][0]["phases"]:
        phase.pop("steps", None)
    return members


def make_line(
    plan: DuelPlan, rounds: Rounds, started_at: str, is_incomplete: bool
) -> dict[str, object]:
    """Return the line of a duel (results/duel.schema.json)."""
    sides = [
        {
            "name": plain(side.name),
            "command": plain(side.command),
            "twin": side.twin,
            "server": plain(side.server),
            "result": result,
        }
        for side, result in zip(plan.sides, rounds.results, strict=True)
    ]
    line = {
        "format": "ubench-duel/1",
        "started_at": started_at,
        "label": plan.label,
        "incomplete": is_incomplete,
        "seed": plan.seed,
        "slice_ms": 0 if plan.valgrind else rounds.turns.slice_ms or 0,
        "settle_ms": plan.settle_ms,
        "precision": plan.precision,
        "time_s": plan.time_s,
        "sides": sides,
        "slices": [astuple(turn) for turn in rounds.turns.statistics.slices],
    }
    return {**line, "valgrind": True} if plan.valgrind else line


def read_back(line: Mapping[str, object]) -> Duel:
    """Return the duel that ubench_report will read in a line, so that both say the same of it."""
    try:
        record = reader.read_line(json.dumps(line).encode(), Source("the duel", 1))
    except Damaged as damage:
        raise Problem(f"the duel is not as results/duel.schema.json has it: {damage}") from None
    if not isinstance(record, Duel):
        raise Problem("the duel is not as results/duel.schema.json has it")
    return record


def _new_folder(plan: DuelPlan) -> Path:
    """Make the folder that the sides work in, on the file system that the output is on."""
    where = plan.output.parent if plan.output else Path()
    return Path(tempfile.mkdtemp(prefix="ubench-duel.", dir=where.absolute()))


def _remove_files(plan: DuelPlan, folder: Path) -> None:
    """Remove what runners have left in their folder, and the files of A's twin."""
    shutil.rmtree(folder, ignore_errors=True)
    for side in plan.sides:
        if side.twin:
            for path in side.existing_files():
                os.unlink(path)


def _say(text: str) -> None:
    cli.say(NAME, text)


# ---- Progress


class DuelProgress:
    """Shows the ratios so far, and how long it takes until they are known."""

    def __init__(self, plan: DuelPlan, shown: Progress) -> None:
        self._plan = plan
        self._shown = shown
        self._interval_s = SHOWN_EACH_S if sys.stderr.isatty() else LINE_INTERVAL_S
        self._next_s = 0.0

    def show(self, statistics: DuelStatistics, left_s: float) -> None:
        """Show how far the duel is, now and then: it takes processor time from the sides."""
        begun_s = time.monotonic()
        if begun_s < self._next_s:
            return
        left_s = self._expected_s(statistics, max(left_s, 0))
        worked_s = self._plan.time_s - left_s
        share = worked_s / self._plan.time_s
        self._shown.show(share, progress_text(statistics, self._plan.figure), left_s)
        now_s = time.monotonic()
        self._next_s = now_s + max(self._interval_s, SPARED * (now_s - begun_s))

    def _expected_s(self, statistics: DuelStatistics, left_s: float) -> float:
        """Return the seconds until the ratios are known, but at most those that are left.

        An interval narrows with the square root of the time.
        """
        widest = max(
            contrast.precision if contrast else math.inf
            for contrast in (
                statistics.contrast(side, self._plan.figure) for side in statistics.candidates
            )
        )
        if math.isinf(widest):
            return left_s
        worked_s = self._plan.time_s - left_s
        return min(left_s, worked_s * max((widest / self._plan.precision) ** 2 - 1, 0))


def progress_text(statistics: DuelStatistics, figure: Figure = RATE) -> str:
    """Return each ratio with its interval: "B/A 1.030 (1.010 to 1.050)"."""
    contrasts = {
        f"{letter(side)}/A": statistics.contrast(side, figure) for side in statistics.candidates
    }
    contrasts["null"] = statistics.null(figure)
    texts = [
        f"{name} {contrast.ratio:.3f} ({ratio_text(contrast.interval)})"
        for name, contrast in contrasts.items()
        if contrast and contrast.interval
    ]
    return "  ".join(texts)


# ---- The program


def main(words: Sequence[str] | None = None) -> int:
    """Run scripts/duel; return its exit status."""
    return cli.guard(NAME, carry_out, words)


def carry_out(words: Sequence[str]) -> int:
    """Hold one duel, or those of a set one after the other; return the worst exit status.

    A duel that fails does not keep the others of its set from being held.
    """
    process.handle_signals()
    if not names_set(words):
        request = read_request(words)
        if request.options.junit:
            junit.write_unfinished(request.options.junit)
        return hold(request.plan())
    requests = read_set(words)
    statuses = []
    for number, request in enumerate(requests, 1):
        left_s = sum(each.options.time for each in requests[number - 1 :]) / SECOND_NS
        _say(
            f"{request.options.label}, {number} of {len(requests)}; "
            f"at most {units.waiting_time(left_s)} left"
        )
        statuses.append(_hold_in_set(request))
        print(flush=True)
        process.end_if_interrupted()
    return next((status for status in STATUSES if status in statuses), 0)


def _hold_in_set(request: DuelRequest) -> int:
    try:
        return hold(request.plan())
    except Problem as problem:
        _say(str(problem))
        return problem.status
