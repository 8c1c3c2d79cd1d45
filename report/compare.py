# SPDX-License-Identifier: ISC
"""ubench_report compare: a baseline and one or several candidates, phase by phase: the ratio of a
figure, how sure it is, and all that else differs between them.

Results are compared with their like, and a store with another where that is all that the sides can
mean: by --baseline store=..., or if each has one of its own.  Where a parameter has several values
within a side (a sweep's stores and threads, say), each value is a case, with a row for each phase.
Runs of one block of a campaign are pairs: see stats.contrast."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from report import Problem, figures, options, rates, results, rows, say, stats, usage
from report.options import Option
from report.table import Output, Table

OPERANDS = "BASELINE CANDIDATE..., or FILE..."
SUMMARY = "are groups of results different, and by how much"
EPILOG = """ubench_report compare before.jsonl after.jsonl
ubench_report compare --by threads sweep.jsonl"""
FIGURES = {"rate": "operations per second", "mean": "of latencies", "p50": "", "p95": "",
           "p99": "", "p99.9": "their quantiles", "processor": "a server's"}
OPTIONS = [
    Option("by", "text", "the groups are its values; the first is the baseline", "KEY",
           group="What to compare (KEY: parameter, fact, label, store, version, durability)"),
    Option("baseline", "settings", "the results to compare with; two files: the first",
           "KEY=VALUE"),
    Option("candidate", "settings", "the results in question", "KEY=VALUE"),
    Option("where", "settings", "only results that have this", "KEY=VALUE"),
    Option("phases", "text", "only these phases", "NAME,..."),
    Option("figure", "choice", "the figure to compare", "FIGURE", "rate", choices=FIGURES),
    Option("min-effect", "share", "a smaller difference is none", "SHARE", "3%", most=1,
           group="What counts"),
    Option("across-classes", "flag", "compare results of different durability"),
    options.GATE,
    Option("fail-on-regression", "flag", "the same with the share of --min-effect"),
    options.FORMAT,
]
SIDES = "baseline", "candidate"
NOT_ENOUGH, NO_DIFFERENCE, BETTER, WORSE = (
    "not enough runs", "no difference shown", "better", "worse")


class Comparison:
    """A baseline and a candidate."""

    def __init__(self, where: list, sides: tuple[list, list], found: list[dict]):
        for option, settings in (("where", where), *zip(SIDES, sides)):
            rows.check_settings(option, [one for one in settings if one[0] != rows.BY_FILE], found)
        members = [[result for result in found if rows.has_all(result, [*where, *side])]
                   for side in sides]
        for result in members[0]:
            if rows.has_all(result, sides[1]):
                raise usage(f"{result['file']}:{result['line']} is in both groups; --baseline and "
                            "--candidate must exclude each other")
        self.notes: dict[str, None] = {}  # what was left out, and other doubts
        self.lacking: list[str] = []  # what only the baseline has
        self.without = 0  # runs of the candidate without the figure: cut short, or nothing was done
        # The keys that --baseline and --candidate name
        self.chosen = {name for side in sides for name, _ in side}
        references = sum(result["reference"] for of in members for result in of)
        if references and "role" not in self.chosen | {name for name, _ in where}:
            members = [[result for result in of if not result["reference"]] for of in members]
            self.note(f"{references} reference runs of the campaign were left out; role=reference "
                      "chooses them")
        # A file's, or "store=mysql"
        self.names = [", ".join(f"{name}={of}" if name != rows.BY_FILE else of for name, of in side)
                      for side in sides]
        for side, name, of in zip(SIDES, self.names, members):
            if not of:
                raise usage(f"there is no result for the {side}, {name}")
        self.sides = list(map(rows.Row, members))
        self.cases = find_cases(self)

    def note(self, text: str) -> None:
        self.notes[text] = None

    def note_alone(self, side: int, of: str, what: str) -> None:
        before = f"{of}: " if of else ""
        self.note(f"{before}only the {SIDES[side]} has {what}")
        if side == 0:
            self.lacking.append(before + what)


class Case:
    """The results of both sides that are each other's like."""

    def __init__(self, name: str, members: Iterable[list[dict]]):
        self.name = name  # "mysql", "mysql, threads=4"
        self.sides = list(map(rows.Row, members))
        self.open = self.sides[0].results[0]["open"]  # an open loop is never mixed with phases
        found = [{result["class"] or "unknown" for result in side.results} for side in self.sides]
        self.classes = [of.pop() if len(of) == 1 else "mixed" for of in found]  # of each side


@dataclass
class Line:
    """One phase of a case; of an open loop a limit whose rate was searched for, "1 % in 3 s", or,
    of a latency, the rate of a trial, "at 100/s"."""
    of: Comparison
    case: Case
    phase: str
    contrast: stats.Contrast
    resolution: float  # the usual width of the brackets of searched rates, as a logarithm
    p: float = 1.0  # adjusted for all lines
    verdict: str = NOT_ENOUGH


def check_groups(values: dict, files: list[str]) -> None:
    """Refuses what chooses no two groups, whatever the results are."""
    baseline, candidate, by = values["baseline"], values["candidate"], values["by"]
    if by and candidate:
        raise usage("--candidate: with --by all values but the baseline's are candidates; --where "
                    "chooses")
    if by:
        return
    if bool(baseline) != bool(candidate):
        raise usage(f"--{'candidate' if baseline else 'baseline'} is missing: --baseline and "
                    "--candidate go together")
    if not baseline and len(files) < 2:
        raise usage(f"{figures.plural(len(files), 'file')}: two or more are compared, or groups "
                    "that --by, or --baseline and --candidate choose")
    if not baseline and files[0] in files[1:]:
        raise usage(f"{files[0]}: every result would be in both groups; --by, or --baseline and "
                    "--candidate choose groups within a file")


def sides_of(values: dict, files: list[str], found: list[dict]) -> list[tuple]:
    """The settings of each baseline and candidate; without --by, --baseline and --candidate the
    groups are the files."""
    baseline, candidate, by = values["baseline"], values["candidate"], values["by"]
    if by:
        known = sorted({rows.value(result, by) for result in found
                        if rows.has_all(result, values["where"]) and
                        (not result["reference"] or "role" in dict(values["where"]))} - {None},
                       key=rows.order_of)
        if len(known) < 2:
            raise usage(f"--by: the results have {'only one' if known else 'no'} value of '{by}'")
        others = [setting for setting in baseline if setting[0] != by]
        first = dict(baseline).get(by, known[0])
        return [([*others, (by, first)], [*others, (by, of)]) for of in known if of != first]
    if baseline:
        return [(baseline, candidate)]
    return [([(rows.BY_FILE, files[0])], [(rows.BY_FILE, name)]) for name in files[1:]]


def find_cases(made: Comparison) -> list[Case]:
    """The cases that both sides have; notes what only one has."""
    sides = [{result["store"] for result in side.results} for side in made.sides]
    across = "store" in made.chosen or all(len(of) == 1 for of in sides) and sides[0] != sides[1]
    stores: dict = {}
    for side, row in enumerate(made.sides):
        for result in row.results:
            stores.setdefault("" if across else result["store"], []).append((
                side, result, rows.make_key(result, {rows.PARAMETER, rows.REQUEST, rows.LABEL})))
    named: dict = {}
    for store, entries in stores.items():
        # The names of what differs within a side from its first result with that kind of loop,
        # unless the sides were chosen by it.
        axes, firsts = [], {}
        for side, result, key in entries:
            axes = rows.differences(firsts.setdefault((side, result["open"]), key), [key], axes)
        axes = rows.load_first([axis for axis in axes if axis[1] not in made.chosen])
        axes = rows.reduce_names(axes, 0, [key for _, _, key in entries])
        for side, result, key in entries:
            name = ", ".join(filter(None, (store, "open loop" * result["open"],
                                           rows.label(key, axes))))
            named.setdefault(name, ([], []))[side].append(result)
    names = sorted(named, key=lambda name: list(map(rows.order_of, re.split("([0-9]+)", name))))
    for name in names:
        if not all(named[name]):
            made.note_alone(0 if named[name][0] else 1, "", name)
    cases = [Case(name, named[name]) for name in names if all(named[name])]
    if not cases:
        first, last = ([name for name in names if named[name][side]] for side in (0, 1))
        raise Problem(f"the two groups have no case in common: {first[0]} on one side, {last[-1]} "
                      "on the other")
    return cases


def check_classes(case: Case) -> None:
    one, other = case.classes
    if one != other or one in ("unknown", "mixed"):
        raise Problem((f"{case.name}: " if case.name else "") + (
            "the durability of both groups is unknown, and may not be the same"
            if one == other == "unknown" else f"the durability of the baseline is {one}, of the "
            f"candidate {other}: their rates are not comparable")
            + "; --across-classes compares them all the same")


def differences_of(made: Comparison) -> str:
    """Settings, versions, machines and so on that are not the same on both sides of a case, in one
    line; the names alone of those that one side lacks.  A parameter may be there again as a fact,
    and several cases may have the same difference."""
    order = {name: i for i, name in enumerate(rows.KINDS)}
    order.update({rows.REQUEST: order[rows.PARAMETER], rows.FACT: order[rows.PRODUCT]})
    found: dict = {}
    for case in made.cases:
        keys = [[rows.make_key(result, rows.KINDS, True) for result in side.results]
                for side in case.sides]
        names = rows.differences(keys[0][0], [*keys[0][1:], *keys[1]])
        for name in sorted(names, key=lambda name: order[name[0]]):
            values = [sorted({one.get(name) or "(none)" for one in side}) for side in keys]
            found[(name[1], *(" | ".join(of[:4] + [f"... ({len(of)} values)"] * (len(of) > 4))
                              for of in values))] = True
    texts = [f"{name}: {one} -> {other}" for name, one, other in found
             if "(none)" not in (one, other)]
    for side, absent in ((0, 2), (1, 1)):
        names = dict.fromkeys(of[0] for of in found if of[absent] == "(none)")
        texts += [f"only the {SIDES[side]} has {', '.join(names)}"] * bool(names)
    return "; ".join(texts)


def figures_of(run: dict, figure: str, is_open: bool) -> Iterable[tuple]:
    """(name, figure or None, width of its bracket or None, why it was left out or "") of what a run
    has."""
    if figure == "processor":
        yield "processor", run.get("processor_ns"), None, ""
    elif not is_open:
        for phase in run["phases"]:
            done = not run["incomplete"] and not phase.get("incomplete")
            yield phase["name"], None if not done else results.phase_rate(phase) \
                if figure == "rate" else results.latency(phase.get("latency"), figure), None, \
                "runs that were cut short were left out" if run["incomplete"] else ""
    elif figure == "rate":
        for goal in run.get("goals", ()):  # at the load generator's limit it is not the store's
            low, high = goal["low_per_s"] or 0, goal["high_per_s"] or 0
            fits = not run["incomplete"] and goal["verified"] and not goal["invalid"] and \
                high > low > 0
            yield goal["goal"], goal["in_time_per_s"] if fits else None, \
                fits and math.log(high / low), "" if fits else SEARCHES
    elif run.get("trials") and not run.get("goals") and run["trials"][0]["rate_per_s"]:
        trial = run["trials"][0]
        lost = trial["incomplete"] or trial["invalid"] or \
            trial["dropped"] + trial["failed"] + trial["unanswered"]
        yield f"at {trial['rate_per_s']:.6g}/s", \
            None if lost else results.latency(trial["response"], figure), None, LOST if lost else ""


SEARCHES = ("searches that confirmed no rate, found no limit, or ended at the limit of the load "
            "generator, were left out")
LOST = ("trials with lost requests, or in which the harness failed, are excluded: their response "
        "times are biased")


def collect(made: Comparison, case: Case, figure: str) -> dict:
    """By name, the points of each side that has it, and the widths of the brackets of rates that
    were searched for."""
    found: dict = {}
    everything = [(side, result, run) for side, row in enumerate(case.sides)
                  for result in row.results for run in result["runs"]]
    for side, result, run in everything:
        for name, value, width, note in figures_of(run, figure, case.open):
            points, widths = found.setdefault(name, {}).setdefault(side, ([], []))
            if note:
                made.note(note)
            if not value or not value > 0:
                made.without += side == 1
                continue
            points.append((math.log(value), rates.block_of(result)))
            widths += [width] if width else []
    return found


def make_lines(made: Comparison, figure: str, wanted: list[str]) -> list[Line]:
    lines = []
    for case in made.cases:
        found = collect(made, case, figure)
        for name, sides in found.items():
            if wanted and name not in wanted:
                continue
            if len(sides) == 1:
                made.note_alone(*sides, case.name, ("" if case.open else "the phase ") + name)
                continue
            (first, widths), (second, others) = sides[0], sides[1]
            lines.append(Line(made, case, name, stats.contrast(first, second), max(
                stats.median(one) if one else 0 for one in (widths, others))))
            if lines[-1].contrast.left_out:
                made.note("runs of blocks that only one side has, or of none, were left out")
        if case.open and not found:
            made.note(f"{case.name}: " + (
                "no --find-rate result; a fixed --rate is not a property of the store. "
                "--figure=p99 compares responses at the same rate" if figure == "rate" else
                "a search has no latency of its own; --figure=rate compares rates"))
    for name in wanted:
        if name not in [line.phase for line in lines]:
            raise usage(f"--phases: '{name[:80]}' is not what both groups have")
    if not lines:
        raise Problem("the two groups have nothing in common to compare"
                      + "".join(f": {note}" for note in list(made.notes)[-1:]))
    if all(line.contrast.ratio is None for line in lines):
        raise Problem("there is no complete run with that figure on both sides")
    return lines


def compare(values: dict, files: list[str], found: list[dict]) -> tuple[list, list]:
    """The comparisons, one for each candidate, and the lines of all."""
    wanted = values["phases"].split(",") if values["phases"] else []
    made, lines = [], []
    for sides in sides_of(values, files, found):
        made.append(Comparison(values["where"], sides, found))
        for case in made[-1].cases if not values["across_classes"] else ():
            check_classes(case)
        lines += make_lines(made[-1], values["figure"], wanted)
    # Only when all lines are there can one say what any of them is worth.
    judged = [line for line in lines if line.contrast.interval]
    for line, p in zip(judged, stats.holm([line.contrast.p for line in judged])):
        ratio, least = line.contrast.ratio, math.log1p(values["min_effect"])
        line.p, line.verdict = p, NO_DIFFERENCE
        if stats.is_shown(ratio, p, max(least, line.resolution)):
            line.verdict = BETTER if (ratio > 1) == (values["figure"] == "rate") else WORSE
    return made, lines


def scaled(line: Line, figure: str) -> list[float | None]:
    """Both medians, in the unit that they are printed in."""
    return [of / (1 if figure == "rate" else 1000) if of > 0 else None
            for of in line.contrast.figures]


def line_table(lines: list[Line], figure: str, several: bool) -> Table:
    third = "phase" if not lines[0].case.open else "highest rate" if figure == "rate" else \
        "responses"
    table = Table(f"{'candidate' if several else 'case'}|{third}|verdict|ratio>|95 % interval>|"
                  "baseline>|candidate>")
    short = {NO_DIFFERENCE: "not shown", NOT_ENOUGH: "few runs"}
    for line in lines:
        ratio, interval = line.contrast.ratio, line.contrast.interval
        table.add(", ".join(filter(None, (several and line.of.names[1], line.case.name))),
                  line.phase, short.get(line.verdict, line.verdict),
                  ratio and figures.figure(ratio),
                  interval and " to ".join(map(figures.figure, interval[:2])),
                  *(of and figures.figure(of) for of in scaled(line, figure)))
    return table


def csv_table(lines: list[Line], figure: str) -> Table:
    """One fact to a column, for programs."""
    table = Table(
        "case|baseline_class|candidate_class|phase|figure|unit|baseline|candidate|ratio|low|high|"
        "blocks|baseline_runs|candidate_runs|p_adjusted|verdict|candidate_is")
    for line in lines:
        contrast = line.contrast
        numbers = [*scaled(line, figure), contrast.ratio, *(contrast.interval or (None,) * 3)[:2]]
        exchanges = line.case.sides[0].results[0]["exchanges"]
        table.add(line.case.name, *line.case.classes, line.phase, figure,
                  "us" if figure != "rate" else "exch/s" if exchanges else "oper/s",
                  *(of and f"{of:.6g}" for of in numbers), contrast.blocks, *contrast.counts,
                  f"{line.p:.4g}" if contrast.interval else None, line.verdict, line.of.names[1])
    return table


def print_all(out: Output, made: list[Comparison], lines: list[Line], values: dict) -> None:
    figure = values["figure"]
    if out.form == "csv":
        out.table(csv_table(lines, figure))
        return
    for one in made:
        verdicts = [line.verdict for line in lines if line.of is one]
        text = ", ".join(f"{verdict} in {verdicts.count(verdict)}"
                         for verdict in (BETTER, WORSE, NO_DIFFERENCE, NOT_ENOUGH)
                         if verdict in verdicts)
        out.labelled("verdict", f"{one.names[1]} against {one.names[0]}: {text} (of "
                                f"{figures.plural(len(verdicts), 'row')})")
    for is_open in (False, True):
        chosen = [line for line in lines if line.case.open == is_open]
        if chosen:
            out.gap()
            out.table(line_table(chosen, figure, len(made) > 1))
    out.gap()
    out.pairs(legend(lines, figure == "rate", values["min_effect"]))
    for i, one in enumerate(made):
        print_groups(out, one, i == 0)


def legend(lines: list[Line], rate: bool, least: float) -> list[tuple[str, str]]:
    """The meaning of the columns, as far as the lines need it."""
    judged = sum(line.verdict != NOT_ENOUGH for line in lines)
    apart = any(line.contrast.ratio and math.fabs(math.log(
        line.contrast.figures[1] / line.contrast.figures[0] / line.contrast.ratio)) >
        math.log(1.05) for line in lines)
    searched = rate and any(line.case.open for line in lines)
    return [
        ("ratio", f"candidate / baseline{'' if rate else ', below 1 is better'}; beside it are "
         f"medians, {'operations or exchanges per second' if rate else 'in us'}"),
        ("", apart * "the medians are of each side alone; the ratio is of runs that belong "
         "together, without the highest and the lowest: trust it more"),
        ("verdict", bool(judged) * f"better, worse: by a factor of {1 + least:.4g} or more, and "
         f"more than chance (P <= 0.05 for all {figures.plural(judged, 'row')} together, Holm); "
         "not shown: a difference may be as large as the interval, which is that of its row alone"),
        ("highest rate", searched * "that a search confirmed.  No difference is shown below the "
         "width of its bracket, up to the lowest rate that was too high"),
        ("few runs", (judged < len(lines)) * f"{stats.LEAST} blocks, or runs on each side, are the "
         "least that say anything; 9 are better"),
        ("note", (not all(line.contrast.blocks for line in lines)) * "not paired by block: what "
         "changed on the machine between the groups counts as a difference")]


def print_groups(out: Output, made: Comparison, first: bool) -> None:
    """The groups of a comparison; the baseline only once."""
    out.gap()
    for side in (0, 1) if first else (1,):
        row = made.sides[side]
        times = row.results[0]["started_at"], row.results[-1]["started_at"]
        warned = [result["warned"] for result in row.results if result["warned"]]
        text = f"{made.names[side]}: {figures.plural(len(row.runs), 'run')}"
        if times[1]:
            text += ", " + " to ".join(dict.fromkeys(times))
        if warned:
            text += f"; {len(warned)} of {len(row.results)} results with a warning: {warned[0]}"
        out.labelled(SIDES[side], text)
    for before, after in dict.fromkeys(tuple(case.classes) for case in made.cases):
        out.labelled("durability", before if before == after else
                     f"{before} -> {after}: different durability; rates not comparable")
    out.labelled("differs", differences_of(made) or "nothing that was recorded")
    out.pairs([("note", note) for note in made.notes])


def gate(made: list[Comparison], lines: list[Line], figure: str, allowed: float) -> int:
    """The exit status of a gate, and on standard error why it is not passed.  It is passed only if
    the interval of each line shows that the line is not worse by more than was allowed, a share."""
    for one in made:
        if one.lacking:
            raise Problem(f"gate: {one.names[1]} lacks what the baseline has: "
                          + "; ".join(one.lacking))
    statuses = []
    for one in made:
        if one.without:
            statuses.append(5)
            say(f"compare: gate: {one.names[1]}: runs without the figure: {one.without}, cut "
                "short, say; measure again")
    for line in lines:
        found, name = line.contrast, ", ".join(filter(None, (line.case.name, line.phase)))
        statuses.append(stats.gate(found.interval, allowed, figure == "rate"))
        if statuses[-1] == 5:
            say(f"compare: gate: {name}: " + stats.why_untold(
                found, allowed, figure == "rate", found.blocks or min(found.counts),
                "{} blocks or runs of each"))
    return stats.worst_gate(statuses)


def run(values: dict, files: list[str], complain: results.Complain) -> int:
    check_groups(values, files)
    found, _ = results.load(files, complain)
    made, lines = compare(values, files, found)
    print_all(Output(values["format"]), made, lines, values)
    sys.stdout.flush()
    asked = [values["not_worse_than"]] + [values["min_effect"]] * values["fail_on_regression"]
    allowed = min((share for share in asked if share is not None), default=None)
    return 0 if allowed is None else gate(made, lines, values["figure"], allowed)


