# SPDX-License-Identifier: ISC
"""Comparisons of groups of results: a baseline and a candidate, matched case by case.

A case is what both sides have: the results of a store with the same parameters. Each of its phases
is a line, with the ratio of candidate to baseline. A verdict on a line holds together with those on
all other lines (Holm).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from ubench import stats, units
from ubench.errors import Problem, UsageError
from ubench.records.observation import Observation, Run
from ubench.records.runner_lines import block
from ubench.records.trials import OpenLoop
from ubench.report.grouping import (
    BY_FILE,
    Group,
    Key,
    Kind,
    Property,
    check_settings,
    differences,
    distinguishing,
    has_all,
    label,
    load_first,
    make_group,
    make_key,
    order_of,
    value_of,
)
from ubench.stats import Contrast, Point

Settings = tuple[tuple[str, str], ...]

SIDES = ("baseline", "candidate")
RATE = "rate"
PROCESSOR = "processor"
MOST_VALUES = 4  # of a difference, which are printed
CASE_KINDS = (Kind.PARAMETER, Kind.REQUEST, Kind.LABEL)

CUT_SHORT = "runs that were cut short were left out"
NOT_PAIRED = "runs of blocks that only one side has, or of no block, were left out"
NO_RATE_FOUND = (
    "searches that confirmed no rate, found no limit, or ended at the limit of the load "
    "generator, were left out"
)
LOST_REQUESTS = (
    "trials with lost requests, or in which the harness failed, are excluded: their response "
    "times are biased"
)
NO_SEARCH = (
    "no --find-rate result; a fixed --rate is not a property of the store. --figure=p99 compares "
    "responses at the same rate"
)
NO_LATENCY = "a search has no latency of its own; --figure=rate compares rates"


class Verdict(Enum):
    """What a line shows."""

    BETTER = "better"
    WORSE = "worse"
    NO_DIFFERENCE = "no difference shown"
    NOT_ENOUGH = "not enough runs"


@dataclass(frozen=True)
class Question:
    """What to compare, and what counts."""

    by: str = ""
    baseline: Settings = ()
    candidate: Settings = ()
    where: Settings = ()
    phases: tuple[str, ...] = ()
    figure: str = RATE
    least_effect: float = 0.03
    across_classes: bool = False

    @property
    def more_is_better(self) -> bool:
        """True of rates, False of times."""
        return self.figure == RATE


@dataclass(frozen=True)
class Case:
    """The results of both sides that have the same parameters."""

    name: str  # "mysql", "mysql, threads=4"
    sides: tuple[Group, Group]

    @property
    def is_open(self) -> bool:
        """True of an open loop, which is never mixed with phases."""
        return self.sides[0].first.load.open

    @property
    def classes(self) -> tuple[str, str]:
        """The class of each side for people."""
        return _class_name(self.sides[0]), _class_name(self.sides[1])


@dataclass(frozen=True)
class Line:
    """The ratio of one phase of a case.

    Of an open loop it is that of a limit whose rate was searched for, "1 % in 3 s", or, of a
    latency, of the rate of a trial, "at 100/s".
    """

    case: Case
    phase: str
    contrast: Contrast
    resolution: float  # the usual width of the brackets of searched rates, as a logarithm
    p: float = 1.0  # adjusted for all lines
    verdict: Verdict = Verdict.NOT_ENOUGH


@dataclass(frozen=True)
class Comparison:
    """A baseline and a candidate."""

    names: tuple[str, str]  # the file of each side, or its settings: "store=mysql"
    sides: tuple[Group, Group]
    cases: tuple[Case, ...]
    lines: tuple[Line, ...]
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
    return judge(comparisons, question)


# ---- The sides


def check_question(question: Question, files: Sequence[str]) -> None:
    """Raise UsageError if the options choose no two groups, whatever the results are."""
    if question.by and question.candidate:
        raise UsageError(
            "--candidate cannot be used with --by, which makes all other values candidates; use "
            "--where to choose results"
        )
    if question.by:
        return
    if bool(question.baseline) != bool(question.candidate):
        missing = "candidate" if question.baseline else "baseline"
        raise UsageError(f"--{missing} is missing: --baseline and --candidate go together")
    if question.baseline:
        return
    if len(files) < 2:
        raise UsageError(
            f"{units.plural(len(files), 'file')}: expected two or more, or groups chosen by --by, "
            "or by --baseline and --candidate"
        )
    if files[0] in files[1:]:
        raise UsageError(
            f"{files[0]}: every result would be in both groups; use --by, or --baseline and "
            "--candidate, to choose groups within a file"
        )


def choose_sides(
    question: Question, files: Sequence[str], observations: Sequence[Observation]
) -> list[tuple[Settings, Settings]]:
    """Return the settings of each baseline and candidate; the files, if there are no options."""
    if question.by:
        return _sides_by_value(question, observations)
    if question.baseline:
        return [(question.baseline, question.candidate)]
    return [(((BY_FILE, files[0]),), ((BY_FILE, name),)) for name in files[1:]]


def _sides_by_value(
    question: Question, observations: Sequence[Observation]
) -> list[tuple[Settings, Settings]]:
    """Return each value of --by against the first, or against that of --baseline."""
    with_references = "role" in dict(question.where)
    chosen = [
        each
        for each in observations
        if has_all(each, question.where) and (with_references or not each.load.reference)
    ]
    values = {value_of(each, question.by) for each in chosen}
    known = sorted((value for value in values if value is not None), key=order_of)
    if len(known) < 2:
        number = "only one value" if known else "no value"
        raise UsageError(f"--by: the results have {number} of '{question.by}'")
    others = tuple(setting for setting in question.baseline if setting[0] != question.by)
    first = dict(question.baseline).get(question.by, known[0])
    return [
        ((*others, (question.by, first)), (*others, (question.by, value)))
        for value in known
        if value != first
    ]


# ---- One comparison


@dataclass
class Doubts:
    """Collects what is noted while a comparison is made."""

    notes: dict[str, None] = field(default_factory=dict)
    lacking: list[str] = field(default_factory=list)
    without_figure: int = 0

    def note(self, text: str) -> None:
        """Note a text, once."""
        self.notes.setdefault(text)

    def note_alone(self, side: int, case: str, thing: str) -> None:
        """Note a case, or a phase of a case, that only one side has."""
        before = f"{case}: " if case else ""
        self.note(f"{before}only the {SIDES[side]} has {thing}")
        if side == 0:
            self.lacking.append(before + thing)


def compare_sides(
    question: Question,
    settings: tuple[Settings, Settings],
    observations: Sequence[Observation],
) -> Comparison:
    """Compare a candidate with a baseline; the lines have no verdict yet."""
    doubts = Doubts()
    chosen = {name for side in settings for name, _ in side}
    names = (_name_side(settings[0]), _name_side(settings[1]))
    members = _members(question, settings, observations)
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


Members = tuple[list[Observation], list[Observation]]


def _name_side(settings: Settings) -> str:
    return ", ".join(f"{name}={value}" if name != BY_FILE else value for name, value in settings)


def _members(
    question: Question,
    settings: tuple[Settings, Settings],
    observations: Sequence[Observation],
) -> Members:
    """Return the observations of each side, of which none may be in both."""
    options = (("where", question.where), *zip(SIDES, settings, strict=True))
    for option, values in options:
        named = [setting for setting in values if setting[0] != BY_FILE]
        check_settings(option, named, observations)
    baseline, candidate = (
        [each for each in observations if has_all(each, (*question.where, *side))]
        for side in settings
    )
    for each in baseline:
        if has_all(each, settings[1]):
            raise UsageError(
                f"{each.source} is in both groups; --baseline and --candidate must exclude each "
                "other"
            )
    return baseline, candidate


def _without_references(
    question: Question, chosen: set[str], members: Members, doubts: Doubts
) -> Members:
    """Leave out the reference runs of a campaign, unless the question asks for a role."""
    references = sum(each.load.reference for side in members for each in side)
    if not references or "role" in chosen | {name for name, _ in question.where}:
        return members
    doubts.note(
        f"{references} reference runs of the campaign were left out; role=reference chooses them"
    )
    baseline, candidate = ([each for each in side if not each.load.reference] for side in members)
    return baseline, candidate


# ---- Cases


@dataclass(frozen=True)
class _Entry:
    """An observation of a side, and its properties that can tell cases apart."""

    side: int
    observation: Observation
    key: Key


def find_cases(members: Members, chosen: set[str], doubts: Doubts) -> list[Case]:
    """Return the cases that both sides have; note those that only one has."""
    named: dict[str, Members] = {}
    for store, entries in _by_store(members, chosen).items():
        axes = _axes(entries, chosen)
        for entry in entries:
            loop = "open loop" if entry.observation.load.open else ""
            parts = (store, loop, label(entry.key, axes))
            name = ", ".join(part for part in parts if part)
            named.setdefault(name, ([], []))[entry.side].append(entry.observation)
    names = sorted(named, key=lambda name: [order_of(part) for part in re.split("([0-9]+)", name)])
    cases = []
    for name in names:
        baseline, candidate = named[name]
        if baseline and candidate:
            cases.append(Case(name, (make_group(baseline), make_group(candidate))))
        else:
            doubts.note_alone(0 if baseline else 1, "", name)
    if not cases:
        first = next(name for name in names if named[name][0])
        last = [name for name in names if named[name][1]][-1]
        raise Problem(
            f"the two groups have no case in common: {first} on one side, {last} on the other"
        )
    return cases


def _by_store(members: Members, chosen: set[str]) -> dict[str, list[_Entry]]:
    """Return the entries by store; under "" if it is stores that are compared."""
    stores = [{each.store for each in side} for side in members]
    is_one_each = all(len(side) == 1 for side in stores)
    is_across = "store" in chosen or (is_one_each and stores[0] != stores[1])
    entries: dict[str, list[_Entry]] = {}
    for side, observations in enumerate(members):
        for each in observations:
            entry = _Entry(side, each, make_key(each, CASE_KINDS))
            entries.setdefault("" if is_across else each.store, []).append(entry)
    return entries


def _axes(entries: Sequence[_Entry], chosen: set[str]) -> list[Property]:
    """Return the properties that name the cases of a store.

    They differ within a side, between results of the same kind of loop, and the sides were not
    chosen by them.
    """
    differing: list[Property] = []
    firsts: dict[tuple[int, bool], Key] = {}
    for entry in entries:
        first = firsts.setdefault((entry.side, entry.observation.load.open), entry.key)
        differing = differences(first, [entry.key], differing)
    axes = load_first(each for each in differing if each.name not in chosen)
    return distinguishing(axes, [entry.key for entry in entries])


def _class_name(group: Group) -> str:
    classes = {each.cls for each in group.observations}
    if len(classes) > 1:
        return "mixed"
    return group.cls.value if group.cls else "unknown"


def check_classes(case: Case) -> None:
    """Raise Problem if both sides may not have the same durability."""
    baseline, candidate = case.classes
    if baseline == candidate and baseline not in ("unknown", "mixed"):
        return
    before = f"{case.name}: " if case.name else ""
    hint = "--across-classes compares them anyway"
    if baseline == candidate == "unknown":
        raise Problem(
            f"{before}the durability of both groups is unknown, and may not be the same; {hint}"
        )
    raise Problem(
        f"{before}the durability of the baseline is {baseline}, of the candidate {candidate}: "
        f"their rates are not comparable; {hint}"
    )


def differing_properties(comparison: Comparison) -> str:
    """Return what is not the same on both sides of a case: settings, versions, machines.

    Of properties that one side lacks the names alone. A parameter can be a fact as well, and
    several cases can have the same difference: each is there once.
    """
    differing: dict[tuple[str, str, str], None] = {}
    for case in comparison.cases:
        keys = [[make_key(each, tuple(Kind), True) for each in side.observations]
                for side in case.sides]
        properties = differences(keys[0][0], [*keys[0][1:], *keys[1]])
        for each in sorted(properties, key=_order_of_kind):
            before, after = (_values(each, side) for side in keys)
            differing.setdefault((each.name, before, after))
    both = [each for each in differing if ABSENT not in each[1:]]
    parts = [f"{name}: {before} -> {after}" for name, before, after in both]
    for side, other in ((0, 1), (1, 0)):
        names = dict.fromkeys(each[0] for each in differing if each[1 + other] == ABSENT)
        if names:
            parts.append(f"only the {SIDES[side]} has {', '.join(names)}")
    return "; ".join(parts)


ABSENT = "(none)"  # the value of a property that a side does not have


def _order_of_kind(each: Property) -> int:
    """Sort requests with parameters, and facts with the product."""
    same = {Kind.REQUEST: Kind.PARAMETER, Kind.FACT: Kind.PRODUCT}
    return list(Kind).index(same.get(each.kind, each.kind))


def _values(each: Property, keys: Iterable[Key]) -> str:
    values = sorted({key.get(each) or ABSENT for key in keys})
    shown = values[:MOST_VALUES]
    if len(values) > MOST_VALUES:
        shown.append(f"... ({len(values)} values)")
    return " | ".join(shown)


# ---- Figures of runs


@dataclass(frozen=True)
class Value:
    """A figure of one run, None if the run does not have it."""

    name: str  # of the phase, the goal or the trial
    figure: float | None
    bracket: float | None = None  # width of the bracket of a searched rate, as a logarithm
    note: str = ""  # why it was left out


def values(observation: Observation, figure: str) -> Iterator[Value]:
    """Return the values of a figure that an observation has."""
    if observation.server is not None:
        yield from _server_values(observation, figure)
    for run in observation.runs:
        if figure == PROCESSOR:
            yield Value(PROCESSOR, None)
        elif run.open_loop is None:
            yield from _phase_values(run, figure)
        elif figure == RATE:
            yield from _goal_values(run, run.open_loop)
        else:
            yield from _trial_values(run.open_loop, figure)


def _phase_values(run: Run, figure: str) -> Iterator[Value]:
    for phase in run.phases:
        value = None
        if not run.incomplete and not phase.incomplete:
            latency = phase.latency.figure(figure) if phase.latency and figure != RATE else None
            value = phase.rate if figure == RATE else latency
        yield Value(phase.name, value, note=CUT_SHORT if run.incomplete else "")


def _goal_values(run: Run, loop: OpenLoop) -> Iterator[Value]:
    """Return the rates of goals; one at the limit of the load generator is not the store's."""
    for goal in loop.goals:
        low, high = goal.lower or 0, goal.upper or 0
        is_sound = not run.incomplete and goal.verified and not goal.invalid
        if is_sound and high > low > 0:
            yield Value(goal.name, goal.in_time_per_s, math.log(high / low))
        else:
            yield Value(goal.name, None, note=NO_RATE_FOUND)


def _trial_values(loop: OpenLoop, figure: str) -> Iterator[Value]:
    """Return the response times of a trial at a given rate."""
    if loop.goals or not loop.trials or not loop.trials[0].rate:
        return
    trial = loop.trials[0]
    name = f"at {trial.rate:.6g}/s"
    lost = trial.dropped + trial.failed + trial.unanswered
    if trial.incomplete or trial.invalid or lost:
        yield Value(name, None, note=LOST_REQUESTS)
    else:
        yield Value(name, trial.response.figure(figure) if trial.response else None)


def _server_values(observation: Observation, figure: str) -> Iterator[Value]:
    """Return the values of a whole server. perfdhcp does not tell how long single answers took."""
    server = observation.server
    assert server is not None
    if figure == PROCESSOR:
        cost_us = server.best.cost_us("server") if server.best else None
        yield Value(PROCESSOR, None if cost_us is None else cost_us * 1e3)
    elif server.is_search:
        (name,) = observation.phase_names
        is_known = figure == RATE and not observation.incomplete
        note = CUT_SHORT if observation.incomplete else ""
        yield Value(name, server.rate if is_known else None, note=note)
    elif figure != RATE and server.best is not None and server.best.offered:
        is_lossy = not server.best.kept_up or server.best.granted < server.best.sent
        note = LOST_REQUESTS if is_lossy else ""
        yield Value(f"at {server.best.offered:.6g}/s", None, note=note)


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


def collect(case: Case, figure: str, doubts: Doubts) -> dict[str, dict[int, _Series]]:
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


def make_lines(cases: Iterable[Case], question: Question, doubts: Doubts) -> list[Line]:
    """Return the lines of all cases, without verdicts. Raises Problem if there are none."""
    lines = [line for case in cases for line in _lines_of_case(case, question, doubts)]
    for name in question.phases:
        if name not in [line.phase for line in lines]:
            raise UsageError(f"--phases: '{units.cut(name, 80)}' is not in both groups")
    if not lines:
        reason = f": {list(doubts.notes)[-1]}" if doubts.notes else ""
        raise Problem(f"the two groups have nothing in common to compare{reason}")
    if all(line.contrast.ratio is None for line in lines):
        raise Problem("no complete run has that figure on both sides")
    return lines


def _lines_of_case(case: Case, question: Question, doubts: Doubts) -> Iterator[Line]:
    collected = collect(case, question.figure, doubts)
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
        yield Line(case, name, contrast, max(sides[0].resolution, sides[1].resolution))
    if case.is_open and not collected:
        reason = NO_SEARCH if question.figure == RATE else NO_LATENCY
        doubts.note(f"{case.name}: {reason}")


def judge(comparisons: Sequence[Comparison], question: Question) -> list[Comparison]:
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


def _judged(line: Line, p: float, question: Question) -> Line:
    ratio = line.contrast.ratio
    least = max(math.log1p(question.least_effect), line.resolution)
    verdict = Verdict.NO_DIFFERENCE
    if ratio is not None and stats.is_shown(ratio, p, least):
        is_better = (ratio > 1) == question.more_is_better
        verdict = Verdict.BETTER if is_better else Verdict.WORSE
    return replace(line, p=p, verdict=verdict)
