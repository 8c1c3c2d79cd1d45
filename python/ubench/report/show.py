# SPDX-License-Identifier: ISC
"""ubench_report show: everything in a result.

Members have the names that the line has, which results/schema.json explains. Figures of several
runs are means without the highest and the lowest run.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import takewhile

from ubench import cli, described, stats
from ubench.errors import Problem
from ubench.records.histogram import Histogram
from ubench.records.observation import Observation, Origin, Phase, Replay, Run, Step
from ubench.records.reader import Complain, nothing_in, read_records
from ubench.report import tables
from ubench.report.member_text import LATENCIES, latency_cells, members_text
from ubench.report.options import add_files, leave_out_duels
from ubench.report.show_open import print_open
from ubench.report.table import Output, Table, numbers, texts
from ubench.report.where_tables import print_exchange
from ubench.stats import median
from ubench.units import count, figure, half_up, scan_count, time

LABEL_WIDTH = 16
FEW_RUNS = 4  # below this number, each run stands for itself
GUIDE_PHASES = 4  # of the guide's method, of which there is an average
STEP_LATENCIES = ("mean", "p50", "p99", "max")
# Figures of activity that say what each change costs; the others are events or sizes.
PER_CHANGE = (
    "syncs",
    "log_bytes",
    "binlog_bytes",
    "written_bytes",
    "disk_bytes",
    "device_bytes",
    "pages_written",
)
COUNTED = ("instructions", "cycles")  # what the counters of a processor say
PHASE_COUNTS = ("hits", "misses", "deadlocks", "conflicts", "stale", "round_trips")


# ---- The configuration


def head_pairs(observation: Observation) -> list[tuple[str, str]]:
    """Return the store, its durability, the settings and the machine, with their labels."""
    product = observation.product
    facts = {name: text for name, text in observation.facts.items() if name != product.name}
    return [
        (observation.program, program_text(observation)),
        durability_pair(observation),
        ("durability", members_text(more_durability(observation))),
        ("started at", observation.started_at),
        ("settings", members_text(facts)),
        ("parameters", members_text(observation.parameters)),
        ("sql", " ".join(observation.sql)),
        ("labels", members_text(observation.labels)),
        ("host", members_text(observation.host)),
        ("baselines", members_text(asdict(observation.baselines))),
    ]


def program_text(observation: Observation) -> str:
    """Return the version and the product, or the product and its publication."""
    product = observation.product.full_name
    if observation.published:
        return f"{product}; {observation.published}"
    return f"{observation.program_version}, {product}"


def durability_pair(observation: Observation) -> tuple[str, str]:
    """Return the class, with its meaning and the settings that it was computed from."""
    cls, text = observation.cls, observation.durability.text
    if cls is None:
        return "not known", text
    return cls.value, f"{described.meanings()[cls.value]} ({text})"


def more_durability(observation: Observation) -> dict[str, object]:
    """Return what is known of the durability besides its class and settings."""
    durability = observation.durability
    return {
        "node_loss": durability.node_loss.loss.value if durability.node_loss else None,
        "at_risk": durability.at_risk,
        "reasons": " ".join(durability.reasons) or None,
    }


def run_members(run: Run, is_published: bool) -> dict[str, object]:
    """Return what a run has besides its phases and trials."""
    return {
        "incomplete": run.incomplete,
        "together": run.together,
        "turns": run.turns,
        "operations": run.operations,
        "elapsed_ns": run.elapsed_ns,
        "rate_per_s": run.rate,
        "store_operations": run.store_operations,
        "store_rate_per_s": run.store_rate,
        "verified": None if is_published else run.verified,
        "leases_left": run.leases_left,
        "read_back": run.read_back,
        "read_back_of": run.read_back_of,
        "digest": run.digest or None,
        "sustained_per_s": run.open_loop.sustained if run.open_loop else None,
    }


def repeat(observation: Observation) -> int:
    """Return the number of runs that were asked for."""
    return scan_count(observation.parameters.get("repeat", "")) or 1


# ---- Closed loops


@dataclass(frozen=True)
class PhaseLine:
    """A row of the table of phases; latencies are those of each run, None if it has none."""

    name: str
    operations: str
    ns: Callable[[Run], float] | None = None
    rate: Callable[[Run], float] | None = None
    latencies: tuple[Histogram | None, ...] | None = None


def print_closed(out: Output, observation: Observation) -> None:
    """Print the runs of a closed loop."""
    complete = list(takewhile(lambda run: not run.incomplete, observation.runs))
    del complete[stats.INTERVAL_VALUES :]
    runs = complete or list(observation.runs[:1])
    out.tables(phase_table(observation, runs, is_complete=bool(complete)))
    asked = repeat(observation)
    if asked > 1:
        label = "runs" if len(complete) >= asked else "incomplete"
        out.pairs([(label, f"{len(complete)} of {asked}")], LABEL_WIDTH)
        out.tables(run_table(runs))
    for number, phase in enumerate(runs[0].phases):
        if phase.operations:
            out.tables(step_table(phase.name, [run.phases[number].steps for run in runs]))
    last = runs[-1]
    out.pairs([(phase.name, members_text(phase_counts(phase))) for phase in last.phases],
              LABEL_WIDTH)
    out.pairs([("cost", cost_text(last))], LABEL_WIDTH)


def phase_counts(phase: Phase) -> dict[str, object]:
    """Return the counts of a phase that are not 0."""
    counts = {name: getattr(phase, name) for name in PHASE_COUNTS} | dict(phase.allocation)
    return {name: value for name, value in counts.items() if value}


def phase_lines(
    observation: Observation, runs: Sequence[Run], is_complete: bool
) -> list[PhaseLine]:
    """Return the phases with their transactions, the guide's average, and all together."""
    lines = []
    for number, first in enumerate(runs[0].phases):
        phases = [run.phases[number] for run in runs]
        figures = tables.phase_figure(number, first.name)
        was_cut = not is_complete and (first.incomplete or not first.operations)
        lines.append(
            PhaseLine(
                f"{first.name} (incomplete)" if was_cut else first.name,
                count(first.operations),
                figures.ns,
                figures.rate,
                tuple(phase.latency for phase in phases),
            )
        )
        if first.commit:
            commits = tuple(phase.commit for phase in phases)
            lines.append(
                PhaseLine("  commit", count(first.commit.count), latencies=commits)
            )
    exchanges = observation.load.exchanges
    if is_complete and not exchanges and len(observation.runs[0].phases) == GUIDE_PHASES:
        average = tables.AVERAGE
        lines.append(PhaseLine(average.head, "", average.ns, average.rate))
    if is_complete and (not exchanges or runs[0].together):
        operations = count(runs[0].operations)
        overall = tables.OVERALL
        lines.append(PhaseLine(overall.head, operations, overall.ns, overall.rate))
    return lines


def phase_table(observation: Observation, runs: Sequence[Run], *, is_complete: bool) -> Table:
    """Return the table of phases, without latencies if none were measured."""
    lines = phase_lines(observation, runs, is_complete)
    is_timed = any(times for line in lines for times in line.latencies or ())
    names = LATENCIES if is_timed else ()
    table = Table([*texts(""), *numbers("operations", "time [s]", "per second", *names)])
    for line in lines:
        latencies: Sequence[str | None] = [""] * len(names)
        if line.latencies is not None:
            latencies = latency_cells(line.latencies, names)
        table.add(
            line.name,
            line.operations,
            f"{_mean(runs, line.ns) / 1e9:.6f}" if line.ns else "",
            figure(_mean(runs, line.rate)) if line.rate else "",
            *latencies,
        )
    return table


def _mean(runs: Sequence[Run], of_run: Callable[[Run], float]) -> float:
    return stats.headline_figure([of_run(run) for run in runs]).mean


def step_table(name: str, runs: Sequence[Sequence[Step]]) -> Table:
    """Return the operations that each exchange asked of the store, in order."""
    columns = (*texts(f"steps of {name}", "operation"), *numbers("count", *STEP_LATENCIES))
    table = Table(columns)
    for steps in zip(*runs, strict=True):
        first = steps[0]
        latencies = latency_cells([step.latency for step in steps], STEP_LATENCIES)
        table.add(first.name, first.operation, count(first.count), *latencies)
        if first.predicted:
            nothing = [""] * len(STEP_LATENCIES)
            table.add("predicted", first.operation, count(half_up(first.predicted)), *nothing)
    return table


def run_table(runs: Sequence[Run]) -> Table:
    """Return the rates of each run, and of several their mean and median with intervals."""
    names = [phase.name for phase in runs[0].phases]
    columns = [[run.phases[number].rate for run in runs] for number in range(len(names))]
    columns.append([run.rate for run in runs])
    table = Table([*texts("per second"), *numbers(*names, "overall")])
    for number, rates in enumerate(zip(*columns, strict=True), 1):
        table.add(f"run {number}", *map(figure, rates))
    if len(runs) < FEW_RUNS:
        return table
    means = [stats.headline_figure(rates) for rates in columns]
    table.add("mean", *(figure(mean.mean) for mean in means))
    table.add("+- 95 %", *(_half_width(mean.interval) for mean in means))
    intervals = [stats.median_interval(rates) for rates in columns]
    table.add("median", *(figure(median(rates)) for rates in columns))
    first = intervals[0]
    coverage = f" ({100 * first.coverage:.1f} %)" if first else ""
    table.add(f"its interval{coverage}", *(_limits(interval) for interval in intervals))
    return table


def _half_width(interval: stats.Interval | None) -> str | None:
    return figure((interval.high - interval.low) / 2) if interval else None


def _limits(interval: stats.Interval | None) -> str | None:
    return f"{figure(interval.low)} to {figure(interval.high)}" if interval else None


def cost_text(run: Run) -> str:
    """Return what an operation cost the client and, if that is known, its server.

    Phases that ran together share their usage.
    """
    usages = [phase.usage for phase in run.phases if phase.usage]
    if run.together:
        usages = usages[:1]
    if not usages or not run.operations:
        return ""
    costs: dict[str, object] = {}
    for name in usages[0]:
        values = [usage.get(name) for usage in usages]
        known = [value for value in values if value is not None]
        if name != "max_rss_bytes" and len(known) == len(values):
            costs[name] = sum(known) / run.operations
        elif name in COUNTED:
            costs[name] = "n/a"  # the host's counters say why
    return f"for each operation: {members_text(costs)}"


# ---- The command


def make_parser(program: str) -> cli.Parser:
    """Return the parser of the command line."""
    parser = cli.Parser(
        program,
        "[OPTION]... FILE...",
        "Prints everything in a result: the settings, each phase with all quantiles, each\n"
        "run of several, the machine.",
        example=f"{program} --line=3 results.jsonl\n    prints the third result",
    )
    add_files(parser)
    parser.add_argument(
        "-l",
        "--line",
        metavar="N",
        type=cli.whole_number(0, 2**32 - 1),
        default="0",
        help="only line N of each file; 0: all [%(default)s]",
    )
    return parser


def run(options: argparse.Namespace, complain: Complain) -> int:
    """Print each result."""
    records = read_records(options.files, complain)
    leave_out_duels(records, complain)
    observations = list(records.observations)
    if options.line:
        observations = [each for each in observations if each.source.line == options.line]
        if observations == [] and records.observations:
            raise Problem(
                f"--line: there is no result in line {options.line}; leave it out to show all"
            )
    for observation in observations:
        if not has_one_shape(observation):
            complain(observation.source, "its runs do not have the same phases")
    observations = [each for each in observations if has_one_shape(each)]
    if not observations:
        raise nothing_in(options.files)
    out = Output()
    for number, observation in enumerate(observations):
        if number > 0:
            out.gap()
        print_observation(out, observation)
    return 0


def has_one_shape(observation: Observation) -> bool:
    """Return whether all runs have the same phases with the same steps."""
    shapes = {
        (run.open_loop is None, tuple(len(phase.steps) for phase in run.phases))
        for run in observation.runs
    }
    return len(shapes) <= 1


def print_observation(out: Output, observation: Observation) -> None:
    """Print everything in a result; of a whole server its tables."""
    if observation.origin is Origin.SERVER:
        tables.print_tables(out, [observation], [])
        return
    out.pairs(head_pairs(observation), LABEL_WIDTH)
    out.gap()
    if observation.load.open:
        for run in observation.runs:
            if run.open_loop:
                print_open(out, run.open_loop, LABEL_WIDTH)
    else:
        print_closed(out, observation)
    if observation.where:
        print_exchange(out, "where the time goes", observation.where)
    pairs = [("WARNING", warning.text) for warning in observation.warnings]
    pairs.append(("error", observation.error))
    pairs += [
        (f"run {number}", members_text(run_members(run, bool(observation.published))))
        for number, run in enumerate(observation.runs, 1)
    ]
    pairs += [("reconnect", members_text(run.reconnect)) for run in observation.runs]
    pairs += [("replay", replay_text(run.replay)) for run in observation.runs if run.replay]
    pairs += [("activity", activity_text(run)) for run in observation.runs if run.activity]
    out.pairs(pairs, LABEL_WIDTH)


def activity_text(run: Run) -> str:
    """Return what the store did besides answering: counters for each operation, and the last sizes.

    Counters that tell events, such as checkpoints, are those of the whole run.
    """
    activity = run.activity
    if activity is None or not run.operations:
        return ""
    totals = {name: activity.total(name) for name in activity.figures}
    costs = [(name, totals.get(name)) for name in PER_CHANGE]
    each = {name: total / run.operations for name, total in costs if total}
    rest = {name: total for name, total in totals.items() if name not in PER_CHANGE}
    parts = [f"for each operation: {members_text(each)}" if each else "", members_text(rest)]
    return "; ".join(part for part in parts if part)


def replay_text(replay: Replay) -> str:
    """Say what was replayed, how fast, and how late its changes began."""
    size = f"{count(replay.changes)} changes of {count(replay.leases)} leases"
    late = replay.lateness
    if replay.speed is None or late is None:
        return f"{size}, as fast as possible"
    figures = {name: late.figure(name) for name in ("p50", "p99", "max")}
    times = ", ".join(f"{name} {time(ns)}" for name, ns in figures.items() if ns is not None)
    return f"{size} at {replay.speed:g} times their pace; late by {times}"
