# SPDX-License-Identifier: ISC
"""The gate of a duel: whether a side is not worse than A by more than is allowed.

A gate fails closed. It is passed only if the interval shows it, widened by what A and its twin
differ by, if the duel is whole and verified, and if A against A could pass too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ubench import stats
from ubench.records.duel import Duel, letter
from ubench.report.duel.soundness import why_unsound
from ubench.report.duel.statistics import (
    INSTRUCTIONS,
    P50,
    PROCESSOR,
    RATE,
    DuelStatistics,
    Figure,
    farthest,
    ratio_text,
)
from ubench.report.gate import Judgement, Outcome, judge_interval, why_undecided

GATE_FIGURES = {figure.name: figure for figure in (RATE, P50, PROCESSOR, INSTRUCTIONS)}
"""The figures that a gate can judge."""


@dataclass(frozen=True)
class Gate:
    """The figure to judge, and the share by which it may be worse than A's."""

    allowed: float
    figure: Figure = RATE

    @property
    def allowed_text(self) -> str:
        """The allowed share, as users type it."""
        return f"{self.allowed * 100:g} %"


PASSED = {
    "rate": "passed: it is not slower by more than {allowed}",
    "p50": "passed: its p50 is not higher by more than {allowed}",
    "processor": "passed: an operation does not take more processor time by more than {allowed}",
    "instructions": "passed: an operation does not take more instructions by more than {allowed}",
}
WORSE = {
    "rate": "not passed: it is slower by more than {allowed}",
    "p50": "not passed: its p50 is higher by more than {allowed}",
    "processor": "not passed: an operation takes more processor time, by more than {allowed}",
    "instructions": "not passed: an operation takes more instructions, by more than {allowed}",
}
UNSOUND = "not passed: {why}"
TOO_IMPRECISE = "too imprecise to tell: {why}"

PART_OF_SLICES = "{figure} of the server is known of some slices only"
UNDER_VALGRIND = "valgrind counted instructions, and times mean nothing; use --figure=instructions"
UNKNOWN_FIGURE = "{figure} is not known of every slice"
NO_NULL = "A against A has no interval; expected {least} blocks or rounds; measure for longer"
WIDE_NULL = (
    "A against A is {interval}, so this duel cannot resolve {allowed}; "
    "use a longer --time or more --rounds"
)
DIFFERS_OR_STALLED = "A against A differs, or some slices stalled"


# ---- The verdict


def judge_side(duel: Duel, statistics: DuelStatistics, gate: Gate, side: int) -> Judgement:
    """Judge a side of a duel."""
    outcome, text = _judge(duel, statistics, gate, side)
    return Judgement(duel.sides[side].name, outcome, text, figures_text(statistics, gate, side))


def _judge(
    duel: Duel, statistics: DuelStatistics, gate: Gate, side: int
) -> tuple[Outcome, str]:
    """Return the outcome and its sentence.

    The order of the questions decides which sentence a side gets that fails for several reasons.
    """
    unsound = why_unsound(duel)
    if not unsound and duel.valgrind and gate.figure is not INSTRUCTIONS:
        unsound = UNDER_VALGRIND
    if unsound:
        return Outcome.UNDECIDED, UNSOUND.format(why=unsound)
    outcome = _by_interval(_widened_interval(statistics, gate, side), gate)
    if outcome is Outcome.WORSE:
        return outcome, WORSE[gate.figure.name].format(allowed=gate.allowed_text)
    unknown = _why_unknown(statistics, gate.figure, side)
    if unknown:
        return Outcome.UNDECIDED, UNSOUND.format(why=unknown)
    wide = _why_null_is_wide(statistics, gate)
    if wide:
        return Outcome.UNDECIDED, TOO_IMPRECISE.format(why=wide)
    if outcome is Outcome.PASSED and _passes_over_whole_time(statistics, gate, side):
        return outcome, PASSED[gate.figure.name].format(allowed=gate.allowed_text)
    return Outcome.UNDECIDED, TOO_IMPRECISE.format(why=_why_untold(duel, statistics, gate, side))


# ---- The parts of a verdict


def _by_interval(interval: stats.Interval | None, gate: Gate) -> Outcome:
    return judge_interval(interval, gate.allowed, gate.figure.more_is_better)


def _widened_interval(
    statistics: DuelStatistics, gate: Gate, side: int
) -> stats.Interval | None:
    """Return the interval of the ratio, wider at both ends by what A and its twin differ by."""
    contrast = statistics.contrast(side, gate.figure)
    if contrast is None or contrast.interval is None:
        return None
    factor = math.exp(_null_difference(statistics.null(gate.figure)))
    return stats.Interval(contrast.interval.low / factor, contrast.interval.high * factor)


def _null_difference(null: stats.Contrast | None) -> float:
    """Return by how much A and its twin may differ, as a logarithm.

    That is 0 if their interval has 1 in it. A gate asks for less evidence of a difference than a
    statement does (`statistics.SURE`), since it has to fail closed.
    """
    if null is None or null.interval is None or null.interval.low <= 1 <= null.interval.high:
        return 0.0
    return farthest(null.interval)


def _why_unknown(statistics: DuelStatistics, figure: Figure, side: int) -> str:
    """Return why a figure other than the rate cannot be judged; "" if it can.

    Every slice has to have the figure, since those without it may be the worst.
    """
    if figure is RATE:
        return ""
    turns = statistics.slices_of(*statistics.references(side), side)
    part = figure.server_part
    if part is not None and len({part(turn) is None for turn in turns}) > 1:
        return PART_OF_SLICES.format(figure=figure.name)
    if not all(figure.value(turn) for turn in turns):
        return UNKNOWN_FIGURE.format(figure=figure.name)
    return ""


def _why_null_is_wide(statistics: DuelStatistics, gate: Gate) -> str:
    """Return why A against A shows that a duel cannot resolve what a gate allows; "" if it can.

    A's twin has to pass the gate against A, and A against its twin. Without a twin nothing is
    shown.
    """
    if statistics.twin is None:
        return ""
    null = statistics.null(gate.figure)
    if null is None or null.interval is None:
        return NO_NULL.format(least=stats.LEAST)
    inverse = stats.Interval(1 / null.interval.high, 1 / null.interval.low)
    for interval in (null.interval, inverse):
        if _by_interval(interval, gate) is not Outcome.PASSED:
            return WIDE_NULL.format(
                interval=ratio_text(null.interval), allowed=gate.allowed_text
            )
    return ""


def _passes_over_whole_time(statistics: DuelStatistics, gate: Gate, side: int) -> bool:
    """Return whether the sums over the whole time pass, in which stalls have their full weight.

    A median has no sum.
    """
    if gate.figure is RATE:
        return statistics.total_ratio(side) >= 1 - gate.allowed
    if gate.figure in (PROCESSOR, INSTRUCTIONS):
        return statistics.total_cost_ratio(side, gate.figure) <= 1 + gate.allowed
    return True


def _why_untold(duel: Duel, statistics: DuelStatistics, gate: Gate, side: int) -> str:
    contrast = statistics.contrast(side, gate.figure)
    if contrast and contrast.interval:
        alone = _by_interval(contrast.interval, gate)
        if alone is not Outcome.UNDECIDED:
            return DIFFERS_OR_STALLED
    minutes = duel.time_s / 60
    better = gate.figure.more_is_better
    return why_undecided(contrast, gate.allowed, better, minutes, "--time {}m")


def figures_text(statistics: DuelStatistics, gate: Gate, side: int) -> str:
    """Return the ratio and the intervals that a verdict rests on."""
    contrast, null = statistics.contrast(side, gate.figure), statistics.null(gate.figure)
    ratio = "not known" if contrast is None else f"{contrast.ratio:.4f}"
    texts = [f"{gate.figure.name}, {letter(side)} to A: {ratio}"]
    if contrast and contrast.interval:
        texts.append(f"95 % interval {ratio_text(contrast.interval)}")
    if null and null.interval:
        texts.append(f"A against A {ratio_text(null.interval)}")
    return "; ".join(texts)
