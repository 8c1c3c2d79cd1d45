# SPDX-License-Identifier: ISC
"""ubench_report duels: what duels say of configurations that worked in turn.

scripts/duel prints a duel with the same functions as soon as it has ended.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Iterator, Sequence

from ubench import cli, stats, units
from ubench.errors import Problem
from ubench.records.duel import Duel, Side, Slice, letter
from ubench.records.observation import Observation, Source
from ubench.records.reader import Complain, read_records
from ubench.report.duel.gate import GATE_FIGURES, Gate, judge_side
from ubench.report.duel.soundness import INTERRUPTED, why_unsound
from ubench.report.duel.statistics import (
    INSTRUCTIONS,
    RATE,
    RUNNER_CPU,
    SERVER_CPU,
    SURE,
    TABLE_FIGURES,
    DuelStatistics,
    Figure,
    exceeds_null,
    ratio_text,
    tellable,
)
from ubench.report.duel.words import (
    INSTRUCTIONS_DONE,
    RUNNER_TIME,
    SERVER_TIME,
    SPEED,
    Wording,
    difference_text,
    difference_with_interval,
    percent,
)
from ubench.report.exports.ratios import ExportFiles, Ratio, add_exports, ratio_of
from ubench.report.gate import Judgement, Outcome, worst
from ubench.report.options import add_files, add_format, add_gate
from ubench.report.pools import tables as pool_tables
from ubench.report.round_trips import print_predictions, round_trips_each
from ubench.report.table import Column, Output, Table, TableCell, numbers, texts

MARGIN = 1.02  # by which the ratio over the whole time may leave the interval without a note
BUILD_FACTS = ("Kea build-id", "Kea libraries")  # what tells builds of one version apart


# ---- Sentences

NO_BLOCK = "not measured: no block is complete; use a longer --time"

NO_NULL = "not measured: how small a difference this duel can show is not known"
NULL_RESOLVES = "A against A: {interval}: this duel cannot show differences below {size}"
NULL_DIFFERS = (
    "A against A: {interval}: two runs of the same command differ, so no difference below {size} "
    "counts"
)

CARRIES_OVER = (
    "{side} is {interval} times as fast after its own slice as after another side's; use longer "
    "slices (--slice)"
)
STALLED = (
    "over the whole time the ratio of {side} is {ratio:.3f}: some slices of one side were much "
    "slower than the others"
)
PROCESSOR_DECIDES = "{side} {difference}: this decides, because the rate shows no difference"
GAVE_UP = "the store gave up {operations} of {side}, which the figures leave out"
CLASSES_DIFFER = "differs: {classes}"
COUNTED = (
    "by valgrind: {slices} slices of {operations} operations, the same on each side; rates and "
    "times of the runs in this duel mean nothing"
)


# ---- A duel


def verdict_figure(duel: Duel, asked: Figure | None = None) -> Figure:
    """Return the figure of the verdicts: instructions if those were counted or asked for."""
    return INSTRUCTIONS if duel.valgrind or asked is INSTRUCTIONS else RATE


def wording_of(figure: Figure) -> Wording:
    """Return how differences of a figure of verdicts are said."""
    return INSTRUCTIONS_DONE if figure is INSTRUCTIONS else SPEED


def print_duel(
    out: Output, duel: Duel, statistics: DuelStatistics, asked: Figure | None = None
) -> None:
    """Print what each side was, what the machine could tell apart, and how the sides compare."""
    figure = verdict_figure(duel, asked)
    for number, side in enumerate(duel.sides):
        if not side.twin:
            out.labelled(letter(number), command_text(side))
            out.labelled("", store_text(side.observation))
    null = statistics.null(figure)
    out.labelled("null", null_text(null))
    for number in statistics.candidates:
        contrast = statistics.contrast(number, figure)
        text = NO_BLOCK
        if contrast is not None:
            text = difference_with_interval(contrast, null, wording_of(figure))
        out.labelled(f"{letter(number)} against A", text)
    out.gap()
    figures = (INSTRUCTIONS,) if duel.valgrind else TABLE_FIGURES
    out.tables(figure_table(statistics, figures), work_table(duel, statistics))
    out.pairs([*doubts(duel, statistics), ("measured", measured_text(duel, statistics))])


def command_text(side: Side) -> str:
    """Return the command of a side, and its private server."""
    return f"{side.command} (server: {side.server})" if side.server else side.command


def store_text(observation: Observation | None) -> str:
    """Return the durability, the program and the build of a side."""
    if observation is None:
        return "no result"
    durability, facts = observation.durability, observation.facts
    cls = durability.cls.value if durability.cls else "unknown class"
    parts = [
        f"{cls} ({durability.text}); {observation.program} {observation.program_version}",
        *(f"{name} {facts[name][:12]}" for name in BUILD_FACTS if name in facts),
    ]
    return ", ".join(parts)


def null_text(null: stats.Contrast | None) -> str:
    """Return what the machine could tell apart."""
    if null is None or null.interval is None:
        return NO_NULL
    interval = ratio_text(null.interval)
    if tellable(null):
        return NULL_DIFFERS.format(interval=interval, size=percent(math.exp(tellable(null))))
    return NULL_RESOLVES.format(interval=interval, size=percent(math.exp(null.precision)))


def measured_text(duel: Duel, statistics: DuelStatistics) -> str:
    """Return how long the duel was, when it began and on which machine."""
    slices = statistics.slices
    length = f"{len(slices)} slices of {duel.slice_ms} ms, {statistics.seconds:.0f} s in all"
    if duel.valgrind:
        operations = slices[0].operations if slices else 0
        length = COUNTED.format(slices=len(slices), operations=operations)
    parts = [length]
    if slices and slices[-1].round:
        parts.append(f"in {slices[-1].round + 1} rounds")
    parts.append(duel.started_at)
    first = duel.sides[0].observation
    if first:
        cpu, cores = first.host.get("cpu", "unknown"), first.host.get("cores", "unknown")
        parts.append(f"on {cpu}, cores: {cores}")
    return ", ".join(parts)


# ---- Tables of a duel


def figure_table(
    statistics: DuelStatistics, figures: Sequence[Figure] = TABLE_FIGURES
) -> Table:
    """Return each figure of A, of the other side, and their ratio."""
    candidates = statistics.candidates
    several = len(candidates) != 1
    other = "other" if several else letter(candidates[0])
    table = Table([Column(""), *numbers("A", other, "ratio", "95 % interval"), Column("")])
    for side in candidates:
        for figure in figures:
            contrast = statistics.contrast(side, figure)
            if contrast is None:
                continue
            reference, own = contrast.medians
            table.add(
                f"{letter(side)} {figure.label}" if several else figure.label,
                units.figure(reference * figure.scale),
                units.figure(own * figure.scale),
                f"{contrast.ratio:.3f}",
                ratio_text(contrast.interval) if contrast.interval else None,
                "" if exceeds_null(contrast, statistics.null(figure)) else "not shown",
            )
    return table


def work_table(duel: Duel, statistics: DuelStatistics) -> Table:
    """Return the work of each side's server for an operation, by the sums of all slices."""
    table = Table(
        [Column("for each operation"), *numbers("round trips", "syncs", "bytes to logs")]
    )
    for number, side in enumerate(duel.sides):
        turns = statistics.slices_of(number)
        operations = sum(turn.operations for turn in turns)
        if side.twin or not operations or turns[0].log_bytes is None:
            continue
        table.add(
            f"{letter(number)} {side.server or side.name}",
            _round_trips(side.observation),
            _syncs(side.observation, turns),
            _log_bytes(side.observation, turns),
        )
    return table


BESIDE_BINARY_LOG = "{amount} + binlog"
"""An amount without the work of the binary log, which the server does not count."""


def _round_trips(observation: Observation | None) -> str | None:
    each = round_trips_each(observation)
    return None if each is None else units.figure(each)


def _syncs(observation: Observation | None, turns: Sequence[Slice]) -> str | None:
    """Return the syncs of an operation. InnoDB counts its own, without those of a binary log."""
    amount = _for_each_operation([turn.syncs for turn in turns], turns)
    if amount is not None and _binary_log(observation) == "1":
        return BESIDE_BINARY_LOG.format(amount=amount)
    return amount


def _log_bytes(observation: Observation | None, turns: Sequence[Slice]) -> str | None:
    """Return the bytes that go to logs for an operation. MySQL does not count its binary log."""
    amount = _for_each_operation([turn.log_bytes for turn in turns], turns)
    is_mysql = observation is not None and observation.product.name == "MySQL"
    if amount is not None and is_mysql and _binary_log(observation) is not None:
        return BESIDE_BINARY_LOG.format(amount=amount)
    return amount


def _for_each_operation(amounts: Sequence[int | None], turns: Sequence[Slice]) -> str | None:
    known = [amount for amount in amounts if amount is not None]
    if len(known) < len(turns):
        return None
    return units.figure(sum(known) / sum(turn.operations for turn in turns))


def _binary_log(observation: Observation | None) -> str | None:
    """Return how often a binary log is synced; None if there is none in a file."""
    return observation.durability.setting("sync_binlog") if observation else None


# ---- What a reader of the ratio has to know


def doubts(duel: Duel, statistics: DuelStatistics) -> Iterator[tuple[str, str]]:
    """Yield doubts about the ratios, with their labels; some texts are empty."""
    if not duel.valgrind:
        yield from _doubts_of_times(duel, statistics)
    for side in range(len(duel.sides)):
        errors = sum(turn.errors for turn in statistics.slices_of(side))
        if errors:
            operations = units.plural(errors, "operation")
            yield "errors", GAVE_UP.format(operations=operations, side=letter(side))
    yield "durability", _classes_text(duel)
    if duel.incomplete:
        yield "incomplete", INTERRUPTED


def _doubts_of_times(duel: Duel, statistics: DuelStatistics) -> Iterator[tuple[str, str]]:
    for side in range(len(duel.sides)):
        interval = statistics.carry_over(side)
        if interval:
            text = CARRIES_OVER.format(
                side=duel.side_name(side), interval=ratio_text(interval)
            )
            yield "carry-over", text
    for side in statistics.candidates:
        yield "stalls", _stall_text(statistics, side)
        yield "processor", _processor_text(statistics, side)


def _stall_text(statistics: DuelStatistics, side: int) -> str:
    """Return that stalls make the ratio of the sums another one; "" if they do not."""
    contrast = statistics.contrast(side)
    if contrast is None or contrast.interval is None:
        return ""
    low, high = contrast.interval.low, contrast.interval.high
    total = statistics.total_ratio(side)
    if low / MARGIN <= total <= high * MARGIN:
        return ""
    return STALLED.format(side=letter(side), ratio=total)


def _processor_text(statistics: DuelStatistics, side: int) -> str:
    """Return that processor time shows a difference where the rate does not, or "".

    Other work on the machine disturbs processor time less.
    """
    rate = statistics.contrast(side)
    if rate is None or exceeds_null(rate, statistics.null(RATE)):
        return ""
    for figure, wording in ((RUNNER_CPU, RUNNER_TIME), (SERVER_CPU, SERVER_TIME)):
        contrast, null = statistics.contrast(side, figure), statistics.null(figure)
        if contrast and contrast.p <= SURE and exceeds_null(contrast, null):
            difference = difference_with_interval(contrast, null, wording)
            return PROCESSOR_DECIDES.format(side=letter(side), difference=difference)
    return ""


def _classes_text(duel: Duel) -> str:
    """Return the classes of durability if they differ, else ""."""
    observations = [side.observation for side in duel.sides if side.observation]
    classes = {
        observation.cls.value if observation.cls else "unknown" for observation in observations
    }
    return CLASSES_DIFFER.format(classes=", ".join(sorted(classes))) if len(classes) > 1 else ""


# ---- Several duels


SUMMARY = ("A", "against it", "ratio", "95 % interval", "begun")
"""What people are shown of the table of several duels, each of which follows as a whole."""


def summary_table(
    duels: Sequence[tuple[Duel, DuelStatistics]], asked: Figure | None = None
) -> Table:
    """Return a row for each comparison, the oldest first: duels of one command are a history."""
    table = Table(
        [
            *texts("A", "against it"),
            *numbers("ratio", "95 % interval", "null"),
            *texts("verdict", "begun", "version"),
        ]
    )
    for duel, statistics in sorted(duels, key=lambda pair: pair[0].started_at):
        figure = verdict_figure(duel, asked)
        null = statistics.null(figure)
        first = command_text(duel.sides[0])
        for side in statistics.candidates:
            contrast = statistics.contrast(side, figure)
            if contrast is None:
                continue
            table.add(
                f"{duel.label}: {first}" if duel.label else first,
                duel.sides[side].name,
                f"{contrast.ratio:.3f}",
                ratio_text(contrast.interval) if contrast.interval else None,
                ratio_text(null.interval) if null and null.interval else None,
                difference_text(contrast, null, wording_of(figure)),
                TableCell(duel.started_at[:10], duel.started_at),
                version_text(duel.sides[side].observation),
            )
    return table


def version_text(observation: Observation | None) -> str | None:
    """Return the versions of the product and of the runner: "SQLite 3.40.1, 0.1.0"."""
    if observation is None:
        return None
    product = observation.product
    versions = [f"{product.name} {product.text}" if product.text else ""]
    versions.append(observation.program_version)
    return ", ".join(version for version in versions if version)


# ---- Ratios for other programs


def export_ratios(
    duel: Duel, statistics: DuelStatistics, figure: Figure, name: str = ""
) -> list[Ratio]:
    """Return the ratio of each side to A; none of a duel that does not count."""
    if why_unsound(duel) or (duel.valgrind and figure is not INSTRUCTIONS):
        return []
    ratios = []
    for side in statistics.candidates:
        contrast = statistics.contrast(side, figure)
        if contrast is None:
            continue
        compared = f"{duel.sides[side].name} against {duel.sides[0].name}"
        parts = (name or duel.label, compared)
        reference, own = (units.figure(median * figure.scale) for median in contrast.medians)
        note = f"{figure.label}: {reference} of A, {own} of {letter(side)}"
        full_name = ": ".join(part for part in parts if part)
        ratios += ratio_of(full_name, figure.name, contrast, note)
    return ratios


# ---- The command


def make_parser(program: str) -> cli.Parser:
    """Return the parser of the command's options."""
    parser = cli.Parser(
        program,
        "[OPTION]... FILE...",
        """
Prints duels (scripts/duel): how much faster or slower each configuration is than
the first, A, and how sure that is. Of several duels, a table with a row for each
comes first, the oldest duel first, so that duels of the same commands are a history.""",
        example=f"{program} duels.jsonl",
        ending="Exit status: 0, or of a gate 0 passed, 4 worse, 5 undecided.",
    )
    add_files(parser)
    add_gate(parser)
    parser.add_argument(
        "--figure",
        metavar="FIGURE",
        type=cli.choice(*GATE_FIGURES),
        help="figure for the gate and for files; rate (operations per second), p50 (median time of "
        "an operation), processor (processor time of an operation, of runner and server) or "
        "instructions [rate; of duels with --valgrind instructions]",
    )
    add_exports(parser)
    add_format(parser)
    return parser


def run(options: argparse.Namespace, complain: Complain) -> int:
    """Print duels and, with --not-worse-than, judge them; return the exit status.

    A gate is undecided if a line of the files is damaged: it may be the one that is worse.
    """
    damaged: list[Source] = []

    def note(source: Source, why: str) -> None:
        damaged.append(source)
        complain(source, why)

    duels = read_records(options.files, note).duels
    if not duels:
        raise Problem(f"there is no duel in {options.files[0]}; scripts/duel makes them")
    analysed = [(duel, DuelStatistics.from_duel(duel)) for duel in duels]
    asked = GATE_FIGURES[options.figure] if options.figure else None
    out = Output(options.format)
    if out.form == "csv":
        out.table(summary_table(analysed, asked))
    else:
        if len(duels) > 1:
            out.table(summary_table(analysed, asked).only(*SUMMARY))
            print_predictions(out, analysed)
            pool_tables.print_pools(sides_of(duels), out)
        for duel, statistics in analysed:
            out.gap()
            print_duel(out, duel, statistics, asked)
    files = ExportFiles.from_options(options)
    if files:
        ratios = [
            ratio
            for duel, statistics in analysed
            for ratio in export_ratios(duel, statistics, asked or verdict_figure(duel))
        ]
        files.write(ratios)
    if options.not_worse_than is None:
        return 0
    outcomes = [Outcome.UNDECIDED for _ in damaged]
    for duel, statistics in analysed:
        gate = Gate(options.not_worse_than, asked or verdict_figure(duel))
        judgements = judge_aloud(duel, statistics, gate, options.program)
        outcomes += [judgement.outcome for judgement in judgements]
    return worst(outcomes).value


def sides_of(duels: Iterable[Duel]) -> list[Observation]:
    """Return what was measured of all sides but the twins."""
    sides = [side for duel in duels for side in duel.sides if not side.twin]
    return [side.observation for side in sides if side.observation is not None]


def judge_aloud(
    duel: Duel, statistics: DuelStatistics, gate: Gate, program: str
) -> list[Judgement]:
    """Judge each side, and say on standard error, in a program's name, whether it passes."""
    label = f"{duel.label}: " if duel.label else ""
    judgements = []
    for side in statistics.candidates:
        judgement = judge_side(duel, statistics, gate, side)
        cli.say(program, f"gate: {label}{letter(side)} against A: {judgement.text}")
        judgements.append(judgement)
    return judgements
