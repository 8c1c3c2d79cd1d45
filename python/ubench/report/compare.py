# SPDX-License-Identifier: ISC
"""ubench_report compare: whether groups of results differ, and by how much."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable, Sequence

from ubench import cli, files, stats, units
from ubench.errors import UsageError
from ubench.records.reader import Complain, nothing_in, read_records
from ubench.report import gate
from ubench.report.cases import differing_properties
from ubench.report.comparison import (
    Comparison,
    PhaseRatio,
    RatioVerdict,
    compare,
    interval_text,
    scaled_medians,
    unit_of,
)
from ubench.report.exports.comparisons import export_ratios, judge_lines
from ubench.report.exports.junit import write_junit
from ubench.report.exports.ratios import ExportFiles, add_exports
from ubench.report.grouping import Group
from ubench.report.options import add_files, add_format, add_gate, leave_out_duels
from ubench.report.run_values import INSTRUCTIONS, PROCESSOR
from ubench.report.sides import RATE, SIDES, Question, check_question
from ubench.report.table import Output, Table, numbers, texts

FIGURES = (RATE, "mean", "p50", "p95", "p99", "p99.9", PROCESSOR, INSTRUCTIONS)
APART = math.log(1.05)  # medians that differ more than this from the ratio need an explanation
SHORT_VERDICTS = {
    RatioVerdict.BETTER: "better",
    RatioVerdict.WORSE: "worse",
    RatioVerdict.NO_DIFFERENCE: "not shown",
    RatioVerdict.NOT_ENOUGH: "few runs",
}

# ---- What the columns mean

RATE_NOTE = "candidate / baseline; beside it are medians, operations or exchanges per second"
TIME_NOTE = "candidate / baseline, below 1 is better; beside it are medians, in us"
INSTRUCTIONS_NOTE = (
    "candidate / baseline, below 1 is better; beside it are medians, instructions of an operation "
    "in user space"
)
MEDIANS_NOTE = (
    "the medians are of each side alone; the ratio is of runs that belong together, without the "
    "highest and the lowest: trust it more"
)
VERDICT_NOTE = (
    "better, worse: by a factor of {factor} or more, and more than chance (P <= 0.05 for {rows} "
    "together, Holm); not shown: a difference may be as large as the interval, which is that of "
    "its row alone"
)
SEARCHED_NOTE = (
    "that a search confirmed. No difference is shown below the width of its bracket, up to the "
    "lowest rate that was too high"
)
FEW_NOTE = (
    "{least} blocks, or runs on each side, are the least that say anything; 9 are better"
)
UNPAIRED_NOTE = (
    "not paired by block: what changed on the machine between the groups counts as a difference"
)


RATIO_NOTES = {RATE: RATE_NOTE, INSTRUCTIONS: INSTRUCTIONS_NOTE}


def legend(lines: Sequence[PhaseRatio], question: Question) -> list[tuple[str, str]]:
    """Return the meaning of the columns, as far as these lines need it."""
    notes = [("ratio", RATIO_NOTES.get(question.figure, TIME_NOTE))]
    if any(_has_medians_apart(line) for line in lines):
        notes.append(("", MEDIANS_NOTE))
    judged = sum(line.verdict is not RatioVerdict.NOT_ENOUGH for line in lines)
    if judged:
        rows = f"all {units.plural(judged, 'row')}"
        text = VERDICT_NOTE.format(factor=f"{1 + question.least_effect:.4g}", rows=rows)
        notes.append(("verdict", text))
    if question.figure == RATE and any(line.case.is_open for line in lines):
        notes.append(("highest rate", SEARCHED_NOTE))
    if judged < len(lines):
        notes.append(("few runs", FEW_NOTE.format(least=stats.LEAST)))
    if not all(line.contrast.blocks for line in lines):
        notes.append(("note", UNPAIRED_NOTE))
    return notes


def _has_medians_apart(line: PhaseRatio) -> bool:
    """Return whether the ratio of the medians is not the one that is printed."""
    ratio = line.contrast.ratio
    if not ratio:
        return False
    baseline, candidate = line.contrast.medians
    return math.fabs(math.log(candidate / baseline / ratio)) > APART


# ---- Tables


def line_table(comparisons: Sequence[Comparison], question: Question, *, is_open: bool) -> Table:
    """Return the lines of phases or of open loops, for people."""
    several = len(comparisons) > 1
    columns = texts("candidate" if several else "case", _phase_head(question, is_open), "verdict")
    columns += numbers("ratio", "95 % interval", "baseline", "candidate")
    table = Table(columns)
    for comparison in comparisons:
        for line in comparison.lines:
            if line.case.is_open == is_open:
                parts = (comparison.names[1] if several else "", line.case.name)
                interval = line.contrast.interval
                medians = scaled_medians(line, question)
                table.add(
                    ", ".join(part for part in parts if part),
                    line.phase,
                    SHORT_VERDICTS[line.verdict],
                    units.figure(line.contrast.ratio) if line.contrast.ratio else None,
                    interval_text(interval) if interval else None,
                    *(units.figure(median) if median else None for median in medians),
                )
    return table


def _phase_head(question: Question, is_open: bool) -> str:
    if not is_open:
        return "phase"
    return "highest rate" if question.figure == RATE else "responses"


def csv_table(comparisons: Iterable[Comparison], question: Question) -> Table:
    """Return the lines with one fact to a column, for programs."""
    table = Table(
        texts(
            "case", "baseline_class", "candidate_class", "phase", "figure", "unit", "baseline",
            "candidate", "ratio", "low", "high", "blocks", "baseline_runs", "candidate_runs",
            "p_adjusted", "verdict", "candidate_is",
        )
    )  # fmt: skip
    for comparison in comparisons:
        for line in comparison.lines:
            contrast, interval = line.contrast, line.contrast.interval
            limits = (interval.low, interval.high) if interval else (None, None)
            figures = (*scaled_medians(line, question), contrast.ratio, *limits)
            table.add(
                line.case.name,
                *line.case.classes,
                line.phase,
                question.figure,
                unit_of(line, question),
                *(f"{figure:.6g}" if figure else None for figure in figures),
                contrast.blocks,
                *contrast.counts,
                f"{line.p:.4g}" if interval else None,
                line.verdict.value,
                comparison.names[1],
            )
    return table


# ---- Printing


def print_comparisons(
    out: Output, comparisons: Sequence[Comparison], question: Question
) -> None:
    """Print the verdicts, the lines, their meaning, and the groups."""
    if out.form == "csv":
        out.table(csv_table(comparisons, question))
        return
    for comparison in comparisons:
        out.labelled("verdict", verdict_counts(comparison))
    for is_open in (False, True):
        table = line_table(comparisons, question, is_open=is_open)
        if table.rows:
            out.gap()
            out.table(table)
    out.gap()
    lines = [line for comparison in comparisons for line in comparison.lines]
    out.pairs(legend(lines, question))
    for number, comparison in enumerate(comparisons):
        out.gap()
        print_groups(out, comparison, with_baseline=number == 0)


def verdict_counts(comparison: Comparison) -> str:
    """Return how many lines of a comparison have each verdict."""
    verdicts = [line.verdict for line in comparison.lines]
    counts = [
        f"{verdict.value} in {verdicts.count(verdict)}"
        for verdict in RatioVerdict
        if verdict in verdicts
    ]
    baseline, candidate = comparison.names
    rows = units.plural(len(verdicts), "row")
    return f"{candidate} against {baseline}: {', '.join(counts)} (of {rows})"


def print_groups(out: Output, comparison: Comparison, *, with_baseline: bool) -> None:
    """Print the groups of a comparison, and how they differ."""
    for side in (0, 1) if with_baseline else (1,):
        out.labelled(SIDES[side], group_text(comparison.names[side], comparison.sides[side]))
    for before, after in dict.fromkeys(case.classes for case in comparison.cases):
        text = before
        if before != after:
            text = f"{before} -> {after}: different durability; rates not comparable"
        out.labelled("durability", text)
    out.labelled("differs", differing_properties(comparison.cases) or "nothing that was recorded")
    out.pairs(("note", note) for note in comparison.notes)


def group_text(name: str, group: Group) -> str:
    """Return the runs of a group, their time, and one of their warnings."""
    servers = [each for each in group.observations if each.server and not each.incomplete]
    text = f"{name}: {units.plural(len(group.runs) + len(servers), 'run')}"
    first, last = group.first.started_at, group.observations[-1].started_at
    if last:
        text += f", {first}" if first == last else f", {first} to {last}"
    warned = [each for each in group.observations if each.warnings]
    if warned:
        counts = f"{len(warned)} of {len(group.observations)} results with a warning"
        text += f"; {counts}: {warned[0].warned}"
    return text


# ---- The command


def make_parser(program: str) -> cli.Parser:
    """Return the parser of the command line."""
    parser = cli.Parser(
        program,
        "[OPTION]... BASELINE CANDIDATE...\n[OPTION]... FILE...",
        "Says whether groups of results differ, and by how much. Each file is a group, and\n"
        "the first is the baseline, unless options choose groups by a KEY: a parameter, a\n"
        "fact, a label, store, version or durability.",
        example=f"{program} before.jsonl after.jsonl\n{program} --by threads sweep.jsonl",
    )
    add_files(parser)
    groups = parser.add_argument_group("What to compare")
    groups.add_argument(
        "--by",
        metavar="KEY",
        type=cli.filled("a KEY"),
        help="compare the values of KEY; the first is the baseline",
    )
    _add_settings(groups, "--baseline", "the results to compare with; two files: the first")
    _add_settings(groups, "--candidate", "the results to judge")
    _add_settings(groups, "--where", "use only results with this property")
    groups.add_argument(
        "--phases", metavar="NAME,...", type=cli.comma_list, default=[], help="only these phases"
    )
    groups.add_argument(
        "--figure",
        metavar="FIGURE",
        type=cli.choice(*FIGURES),
        default=RATE,
        help="figure to compare; rate (operations per second), a latency (mean, p50, p95, p99, "
        "p99.9), processor (a server's processor time) or instructions (of an operation, where "
        "the processor counted them) [%(default)s]",
    )
    effects = parser.add_argument_group("What counts")
    effects.add_argument(
        "--min-effect",
        metavar="SHARE",
        type=cli.share(),
        default="3%",
        help="treat a smaller difference as none [%(default)s]",
    )
    add_gate(effects)
    effects.add_argument(
        "--fail-on-regression",
        action="store_true",
        help="the same, with the share of --min-effect",
    )
    effects.add_argument(
        "--across-classes", action="store_true", help="compare results of different durability"
    )
    add_for_programs(parser)
    add_format(parser)
    return parser


def add_for_programs(parser: cli.OptionGroup) -> None:
    """Add the files for build servers and for tools that keep a history."""
    parser.add_argument(
        "--junit",
        metavar="FILE",
        type=files.replaceable_file,
        help="write the gate's verdicts for a build server",
    )
    add_exports(parser)


def _add_settings(group: cli.OptionGroup, name: str, text: str) -> None:
    group.add_argument(
        name, metavar="KEY=VALUE", type=cli.name_value, action="append", default=[], help=text
    )


def run(options: argparse.Namespace, complain: Complain) -> int:
    """Print the comparisons; return the exit status of the gate."""
    if options.junit and allowed_share(options) is None:
        raise UsageError("--junit: it has the verdicts of a gate; add --not-worse-than SHARE")
    question = Question(
        by=options.by or "",
        baseline=tuple(options.baseline),
        candidate=tuple(options.candidate),
        where=tuple(options.where),
        phases=tuple(options.phases),
        figure=options.figure,
        least_effect=options.min_effect,
        across_classes=options.across_classes,
    )
    check_question(question, options.files)
    records = read_records(options.files, complain)
    leave_out_duels(records, complain)
    if not records.observations:
        raise nothing_in(options.files)
    comparisons = compare(question, options.files, records.observations)
    print_comparisons(Output(options.format), comparisons, question)
    sys.stdout.flush()
    ExportFiles.from_options(options).write(export_ratios(comparisons, question))
    allowed = allowed_share(options)
    if allowed is None:
        return 0
    judgements = judge_lines(comparisons, question, allowed, options.program)
    if options.junit:
        write_junit(options.junit, "compare", judgements)
    return gate.worst(judgement.outcome for judgement in judgements).value


def allowed_share(options: argparse.Namespace) -> float | None:
    """Return the share by which the gate lets something be worse; None without a gate."""
    shares = [options.not_worse_than]
    if options.fail_on_regression:
        shares.append(options.min_effect)
    return min((share for share in shares if share is not None), default=None)
