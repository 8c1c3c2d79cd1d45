# SPDX-License-Identifier: ISC
"""Comparisons of groups of results: a baseline and a candidate, matched case by case.

A case is what both sides have: the results of a store with the same parameters. Each of its phases
is a line, with the ratio of candidate to baseline. A verdict on a line holds together with those on
all other lines (Holm).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from ubench import stats, units
from ubench.errors import Problem, UsageError
from ubench.records.observation import Observation
from ubench.records.runner_lines import block
from ubench.report.cases import Case, Doubts, check_classes, find_cases
from ubench.report.grouping import Group, make_group
from ubench.report.run_values import INSTRUCTIONS, values
from ubench.report.sides import (
    RATE,
    SIDES,
    Question,
    SideObservations,
    SideSettings,
    choose_sides,
    members_of,
    name_side,
)
from ubench.stats import Contrast, Point

NOT_PAIRED = "runs of blocks that only one side has, or of no block, were left out"
NO_SEARCH = (
    "no --find-rate result; a fixed --rate is not a property of the store. --figure=p99 compares "
    "responses at the same rate"
)
NO_LATENCY = "a search has no latency of its own; --figure=rate compares rates"


class RatioVerdict(Enum):
    """What a line shows."""

    BETTER = "better"
    WORSE = "worse"
    NO_DIFFERENCE = "no difference shown"
    NOT_ENOUGH = "not enough runs"


@dataclass(frozen=True)
class PhaseRatio:
    """The ratio of one phase of a case.

    Of an open loop it is that of a limit whose rate was searched for, "1 % in 3 s", or, of a
    latency, of the rate of a trial, "at 100/s".
    """

    case: Case
    phase: str
    contrast: Contrast
    resolution: float  # the usual width of the brackets of searched rates, as a logarithm
    p: float = 1.0  # adjusted for all lines
    verdict: RatioVerdict = RatioVerdict.NOT_ENOUGH


@dataclass(frozen=True)
class Comparison:
    """A baseline and a candidate."""

    names: tuple[str, str]  # the file of each side, or its settings: "store=mysql"
    sides: tuple[Group, Group]
    cases: tuple[Case, ...]
    lines: tuple[PhaseRatio, ...]
    notes: tuple[str, ...]  # what was left out, and other doubts
    lacking: tuple[str, ...]  # what only the baseline has
    without_figure: int  # runs of the candidate that were cut short or did nothing


def compare(
    question: Question, files: Sequence[str], observations: Sequence[Observation]
) -> list[Comparison]:
    """Compare each candidate with the baseline. Raises Problem if there is nothing to compare."""
    comparisons = []
    for sides in choose_sides(question, files, observations):
        comparisons.append(compare_sides(question, sides, observations))
    return with_verdicts(comparisons, question)


# ---- One comparison


def compare_sides(
    question: Question,
    settings: tuple[SideSettings, SideSettings],
    observations: Sequence[Observation],
) -> Comparison:
    """Compare a candidate with a baseline; the lines have no verdict yet."""
    doubts = Doubts()
    chosen = {name for side in settings for name, _ in side}
    names = (name_side(settings[0]), name_side(settings[1]))
    members = members_of(question, settings, observations)
    members = _without_references(question, chosen, members, doubts)
    for side, name, own in zip(SIDES, names, members, strict=True):
        if not own:
            raise UsageError(f"there is no result for the {side}, {name}")
    cases = find_cases(members, chosen, doubts)
    if not question.across_classes:
        for case in cases:
            check_classes(case)
    lines = make_lines(cases, question, doubts)
    return Comparison(
        names=names,
        sides=(make_group(members[0]), make_group(members[1])),
        cases=tuple(cases),
        lines=tuple(lines),
        notes=tuple(doubts.notes),
        lacking=tuple(doubts.lacking),
        without_figure=doubts.without_figure,
    )


# ---- The reference runs of campaigns


def _without_references(
    question: Question, chosen: set[str], members: SideObservations, doubts: Doubts
) -> SideObservations:
    """Leave out the reference runs of a campaign, unless the question asks for a role."""
    references = sum(each.load.reference for side in members for each in side)
    if not references or "role" in chosen | {name for name, _ in question.where}:
        return members
    runs = units.plural(references, "reference run")
    doubts.note(f"{runs} of the campaign left out; role=reference chooses them")
    baseline, candidate = ([each for each in side if not each.load.reference] for side in members)
    return baseline, candidate


# ---- Lines


@dataclass
class _Series:
    """The points of a side, and the brackets of its searched rates."""

    points: list[Point] = field(default_factory=list)
    brackets: list[float] = field(default_factory=list)

    @property
    def resolution(self) -> float:
        """The median of the brackets; 0 if the rates were not searched for."""
        return stats.median(self.brackets) if self.brackets else 0.0


def collect_points(case: Case, figure: str, doubts: Doubts) -> dict[str, dict[int, _Series]]:
    """Return by name the points of each side that has a figure of that name."""
    collected: dict[str, dict[int, _Series]] = {}
    for side, group in enumerate(case.sides):
        for observation in group.observations:
            own_block = block(observation.labels)
            for value in values(observation, figure):
                series = collected.setdefault(value.name, {}).setdefault(side, _Series())
                if value.note:
                    doubts.note(value.note)
                if value.figure is None or value.figure <= 0:
                    doubts.without_figure += side
                    continue
                series.points.append(Point(math.log(value.figure), own_block))
                if value.bracket:
                    series.brackets.append(value.bracket)
    return collected


def make_lines(cases: Iterable[Case], question: Question, doubts: Doubts) -> list[PhaseRatio]:
    """Return the lines of all cases, without verdicts. Raises Problem if there are none."""
    lines = [line for case in cases for line in _lines_of_case(case, question, doubts)]
    for name in question.phases:
        if name not in [line.phase for line in lines]:
            raise UsageError(f"--phases: '{units.cut(name, 80)}' is not in both groups")
    if not lines:
        reason = f": {list(doubts.notes)[-1]}" if doubts.notes else ""
        raise Problem(f"the two groups have nothing in common to compare{reason}")
    if all(line.contrast.ratio is None for line in lines):
        raise Problem(
            f"no complete run has the figure {question.figure} on both sides; try another --figure"
        )
    return lines


def _lines_of_case(case: Case, question: Question, doubts: Doubts) -> Iterator[PhaseRatio]:
    collected = collect_points(case, question.figure, doubts)
    for name, sides in collected.items():
        if question.phases and name not in question.phases:
            continue
        if len(sides) == 1:
            (side,) = sides
            doubts.note_alone(side, case.name, name if case.is_open else f"the phase {name}")
            continue
        contrast = stats.contrast(sides[0].points, sides[1].points)
        if contrast.left_out:
            doubts.note(NOT_PAIRED)
        yield PhaseRatio(case, name, contrast, max(sides[0].resolution, sides[1].resolution))
    if case.is_open and not collected:
        reason = NO_SEARCH if question.figure == RATE else NO_LATENCY
        doubts.note(f"{case.name}: {reason}")


def with_verdicts(comparisons: Sequence[Comparison], question: Question) -> list[Comparison]:
    """Return the comparisons with verdicts, which need the P of all lines together."""
    lines = [line for comparison in comparisons for line in comparison.lines]
    judged = [line for line in lines if line.contrast.interval]
    adjusted = iter(stats.holm([line.contrast.p for line in judged]))
    result = []
    for comparison in comparisons:
        own = [
            _judged(line, next(adjusted), question) if line.contrast.interval else line
            for line in comparison.lines
        ]
        result.append(replace(comparison, lines=tuple(own)))
    return result


def _judged(line: PhaseRatio, p: float, question: Question) -> PhaseRatio:
    ratio = line.contrast.ratio
    least = max(math.log1p(question.least_effect), line.resolution)
    verdict = RatioVerdict.NO_DIFFERENCE
    if ratio is not None and stats.is_shown(ratio, p, least):
        is_better = (ratio > 1) == question.more_is_better
        verdict = RatioVerdict.BETTER if is_better else RatioVerdict.WORSE
    return replace(line, p=p, verdict=verdict)


# ---- Figures for people


def scaled_medians(line: PhaseRatio, question: Question) -> list[float | None]:
    """Return both medians in the unit that they are printed in: rates, instructions or us."""
    unit = 1 if question.figure in (RATE, INSTRUCTIONS) else 1000
    return [median / unit if median > 0 else None for median in line.contrast.medians]


def interval_text(interval: stats.Interval) -> str:
    """Return the ends of an interval: "0.951 to 1.02"."""
    return f"{units.figure(interval.low)} to {units.figure(interval.high)}"


def unit_of(line: PhaseRatio, question: Question) -> str:
    """Return the unit of the medians."""
    operation = "exch" if line.case.sides[0].first.load.exchanges else "oper"
    if question.figure == INSTRUCTIONS:
        return f"instructions/{operation}"
    return f"{operation}/s" if question.figure == RATE else "us"
