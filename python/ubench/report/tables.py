# SPDX-License-Identifier: ISC
"""ubench_report tables: the tables of the 2012 guide from any results.

There are two tables for each durability class, as stores of different classes are not ranked, then
those of open loops, of whole servers and of crashes.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ubench import cli, units
from ubench.records.observation import Observation, Origin, Run
from ubench.records.reader import Complain, nothing_in, read_records
from ubench.report import crashes, server_tables, trial_tables
from ubench.report.crashes import CrashedCell
from ubench.report.grouping import (
    NODE_LOSS_NOTE,
    NODE_LOSSES,
    Group,
    Section,
    configurations,
    without_references,
)
from ubench.report.options import add_files, add_format, leave_out_duels
from ubench.report.pools import tables as pool_tables
from ubench.report.table import Output, Table, numbers, texts
from ubench.report.where_tables import print_where
from ubench.stats import Summary, summarise

FEW_WARNINGS = 3  # of a table, which are printed
RACES = ("offered", "lost", "offered_twice")  # members of a phase's allocation

AVERAGE_NOTE = (
    "the mean of the phases, as in the 2012 guide: the fastest phase decides it, so that a store "
    "with slow changes can have the higher average"
)
OVERALL_NOTE = (
    "all operations by all time, of several runs the median: compare by this, or by phase, and "
    "only rows of one table and one load"
)
INTERVAL_NOTE = (
    "of the median of overall, of 6 to 1,000 runs; compare says how much of a difference is more "
    "than chance"
)
OPEN_LOOP_IN_CSV = "the rate of an open loop was requested, not reached"


def title(section: Section) -> str:
    """Return the heading of a section's tables."""
    loop = "open loop, " if section.first.load.open else ""
    server = server_tables.title_of_server(section)
    return f"{loop}{server}{section.heading}: {section.meaning}"


# ---- The guide's tables: seconds per phase, and operations per second


def mean_rate(run: Run) -> float:
    """Return the guide's Average: the mean of the rates of the phases."""
    return sum(phase.rate for phase in run.phases) / len(run.phases)


def mean_ns(run: Run) -> float:
    """Return the mean of the times of the phases."""
    return run.elapsed_ns / len(run.phases)


@dataclass(frozen=True)
class FigureColumn:
    """A column of figures: its head, and the time and the rate of a run."""

    head: str
    ns: Callable[[Run], float]
    rate: Callable[[Run], float]

    def times(self, group: Group) -> Summary | None:
        """Return the times of the complete runs of a group, in ns."""
        return summarise([self.ns(run) for run in group.runs])

    def rates(self, group: Group) -> Summary | None:
        """Return the rates of the complete runs of a group."""
        return summarise([self.rate(run) for run in group.runs])


AVERAGE = FigureColumn("average", mean_ns, mean_rate)
OVERALL = FigureColumn("overall", lambda run: run.elapsed_ns, lambda run: run.rate)
ALL = FigureColumn("all", OVERALL.ns, OVERALL.rate)


def phase_figure(number: int, name: str) -> FigureColumn:
    """Return the figures of a phase."""
    return FigureColumn(
        name, lambda run: run.phases[number].elapsed_ns, lambda run: run.phases[number].rate
    )


def phase_figures(section: Section) -> list[FigureColumn]:
    """Return the figures of each phase of a section."""
    return [phase_figure(number, name) for number, name in enumerate(section.phase_names)]


def time_figures(section: Section) -> list[FigureColumn]:
    """Return the columns of times. Phases that ran together have one time."""
    figures = phase_figures(section)
    if is_together(section):
        return [ALL]
    return [*figures, AVERAGE] if has_average(section) else figures


def rate_figures(section: Section) -> list[FigureColumn]:
    """Return the columns of rates. Levels of a pool have no rate in common."""
    figures = phase_figures(section)
    if has_average(section):
        figures.append(AVERAGE)
    return figures if section.first.load.levels else [*figures, OVERALL]


def is_together(section: Section) -> bool:
    """Return whether the phases ran at the same time."""
    return section.first.runs[0].together


def has_average(section: Section) -> bool:
    """Return whether the mean of the phases is a figure of the guide."""
    several = len(section.phase_names) > 1
    return several and not is_together(section) and not section.first.load.levels


def time_table(section: Section) -> Table:
    """Return the seconds of each phase."""
    figures = time_figures(section)
    work = "exchanges" if section.first.load.exchanges else "operations"
    heads = (work, "runs", *(figure.head for figure in figures))
    table = Table([*texts("time [s]"), *numbers(*heads)])
    for group in section.groups:
        cells = [time_cell(figure.times(group), group) for figure in figures]
        table.add(group.label, operations_cell(group), len(group.runs), *cells)
    return table


def rate_table(section: Section, cells: Sequence[CrashedCell]) -> Table:
    """Return the operations per second of each phase, and what the stores lose."""
    figures = rate_figures(section)
    exchanges = section.first.load.exchanges
    heads = ("exchanges" if exchanges else "operations", "runs", *(each.head for each in figures))
    columns = [*texts(f"rate [{'exch' if exchanges else 'oper'}/s]"), *numbers(*heads)]
    shows_intervals = has_intervals(section)
    shows_node_loss = any(group.node_loss for group in section.groups)
    if shows_intervals:
        columns += numbers("95 % interval")
    if shows_node_loss:
        columns += texts("node loss")
    if cells:
        columns += texts("lossy crashes")
    table = Table(columns)
    for group in section.groups:
        rates = [rate_cell(figure.rates(group), group) for figure in figures]
        row = [group.label, operations_cell(group), len(group.runs), *rates]
        if shows_intervals:
            row.append(interval_cell(group))
        if shows_node_loss:
            row.append(NODE_LOSSES[group.node_loss] if group.node_loss else None)
        if cells:
            row.append(crashes.tested(cells, group.first) or "not tested")
        table.add(*row)
    return table


def operations_cell(group: Group) -> str | None:
    """Return the operations of each phase if they are the same for all, else of all phases."""
    if not group.runs:
        return None
    operations = [phase.operations for phase in group.runs[0].phases]
    return units.count(operations[0] if len(set(operations)) == 1 else sum(operations))


def rate_cell(rates: Summary | None, group: Group) -> str | None:
    """Return a rate, with as many digits as were published if it was."""
    if rates is None:
        return None
    return f"{rates.median:.2f}" if group.cls is None else units.figure(rates.median)


def time_cell(times: Summary | None, group: Group) -> str | None:
    """Return a time in seconds, with as many digits as were published if it was.

    Times are rounded as whole microseconds, halves up, as the guide's: a double in seconds has no
    exact half.
    """
    if times is None:
        return None
    seconds = units.half_up(times.median / 1e3) / 1e6
    return f"{seconds:.6f}" if group.cls is None else f"{seconds:.4g}"


def interval_cell(group: Group) -> str | None:
    """Return the interval of the overall rate, or None of too few runs."""
    rates = OVERALL.rates(group)
    if rates is None or rates.interval is None:
        return None
    return f"{units.figure(rates.low)} to {units.figure(rates.high)}"


def has_intervals(section: Section) -> bool:
    """Return whether a group has enough runs to say how sure its overall rate is."""
    if section.first.load.levels:
        return False
    return any(interval_cell(group) for group in section.groups)


def races(group: Group) -> str | None:
    """Return how many offers of a shared pool clients lost, or None if no offers met."""
    counts: Counter[str] = Counter()
    for observation in group.observations:
        for run in observation.runs:
            for phase in () if run.incomplete else run.phases:
                counts.update(phase.allocation)
    if counts["offered_twice"] == 0:
        return None
    offers, lost, twice = (units.count(counts[each]) for each in RACES)
    return f"{group.label}: of {offers} offers {lost} were lost to another client, {twice} met one"


def all_observations(section: Section) -> list[Observation]:
    """Return the observations of all groups."""
    return [each for group in section.groups for each in group.observations]


def notes(section: Section) -> list[str]:
    """Return the runs that were left out, lost races, and the warnings: a few, or one of many."""
    left_out = [
        f"{group.label}: {units.plural(group.incomplete, 'incomplete run')} left out"
        for group in section.groups
        if group.incomplete
    ]
    if not pool_tables.several_cases(all_observations(section)):  # whose tables have them
        left_out += filter(None, map(races, section.groups))
    labelled = [(group.label, each) for group in section.groups for each in group.observations]
    warned = [(label, each.warned) for label, each in labelled if each.warnings]
    distinct = list(dict.fromkeys(warned))
    if len(distinct) > FEW_WARNINGS:
        counts = f"{len(warned)} of {len(labelled)} results have a warning"
        return [*left_out, f"{counts}, such as: {distinct[0][1]}"]
    return left_out + [f"{label}: {text}" for label, text in distinct]


def print_guide_tables(
    out: Output, sections: Sequence[Section], cells: Sequence[CrashedCell]
) -> None:
    """Print the tables of each section, and the meaning of their columns."""
    for section in sections:
        out.heading(title(section))
        out.tables(time_table(section))
        out.table(rate_table(section, cells))
        section_notes = [("note", note) for note in notes(section)]
        if section_notes:
            out.gap()
        out.pairs(section_notes)
        out.gap()
    if not sections:
        return
    out.labelled("average", AVERAGE_NOTE)
    out.labelled("overall", OVERALL_NOTE)
    if any(has_intervals(section) for section in sections):
        out.labelled("interval", INTERVAL_NOTE)
    if any(group.node_loss for section in sections for group in section.groups):
        out.labelled("node loss", NODE_LOSS_NOTE)


# ---- Everything


def print_trial_tables(out: Output, sections: Sequence[Section]) -> None:
    """Print the tables of open loops. Their rates were requested, so none ranks stores by them."""
    for section in sections:
        out.heading(title(section))
        tables = trial_tables.make(section)
        out.tables(tables.goals, tables.trials, tables.storms)
    if sections:
        out.note(trial_tables.NOTE)


def print_tables(
    out: Output, observations: Sequence[Observation], cells: Sequence[CrashedCell]
) -> None:
    """Print the tables of runs, of open loops, of servers and of crashes, those that there are."""
    measured = without_references(observations)
    closed = [each for each in measured if not each.load.open]
    phases = configurations([each for each in closed if each.origin is not Origin.SERVER])
    searches = configurations([each for each in closed if each.origin is Origin.SERVER])
    trials = configurations([each for each in measured if each.load.open])
    print_guide_tables(out, phases, cells)
    if phases and trials:
        out.gap()
    print_trial_tables(out, trials)
    if (phases or trials) and searches:
        out.gap()
    print_server_tables(out, searches, trials)
    pool_tables.print_pools(closed, out)
    if observations and cells:
        out.gap()
    if cells:
        out.heading("lost in crashes")
        crashes.print_cells(cells, out)


def print_server_tables(
    out: Output, searches: Sequence[Section], trials: Sequence[Section]
) -> None:
    """Print the rates of servers, and what trials of servers have besides."""
    for section in searches:
        out.heading(title(section))
        out.tables(*server_tables.search_tables(section))
    server_tables.print_search_notes(searches, out)
    server_tables.print_server_trials([*searches, *trials], out)
    print_where([*searches, *trials], out)
    server_tables.print_warnings([*searches, *trials], out)


def csv_table(sections: Iterable[Section]) -> Table:
    """Return a row for each phase of each group, for programs."""
    table = Table(
        texts(
            "class", "workload", "store", "differs", "phase", "runs", "operations", "time_s",
            "rate_per_s", "rate_low", "rate_high",
        )
    )  # fmt: skip
    for section in sections:
        for group in section.groups:
            for phase in section.phase_names:
                table.add(
                    section.title,
                    group.first.load.workload or None,
                    group.store,
                    group.differs,
                    phase,
                    *csv_figures(group, phase),
                )
    return table


def csv_figures(group: Group, phase: str) -> Iterator[str | int | None]:
    """Return the runs of a phase, its operations, its time, and its rate with the interval."""
    samples = [sample for sample in group.samples if sample.name == phase]
    rates = summarise([sample.rate for sample in samples])
    # A median of whole nanoseconds is exact, also if it is half of one.
    times = summarise(
        [round(sample.elapsed_s * 1e9) for sample in samples if sample.elapsed_s is not None]
    )
    yield len(samples)
    yield samples[0].operations if samples else None
    yield f"{units.half_up(times.median) / 1e9:.9f}" if times else None
    yield f"{rates.median:.6f}" if rates else None
    has_interval = rates is not None and rates.interval is not None
    yield f"{rates.low:.6f}" if rates and has_interval else None
    yield f"{rates.high:.6f}" if rates and has_interval else None


# ---- The command


def make_parser(program: str) -> cli.Parser:
    """Return the parser of the command line."""
    parser = cli.Parser(
        program,
        "[OPTION]... FILE...",
        "Prints the tables of the 2012 guide, two for each durability class, and those of\n"
        "open loops, whole servers and crashes.",
        example=f"{program} results/guide-2012.jsonl\n"
        "    prints the guide's own Tables 3.1 to 3.3, from its times",
    )
    add_files(parser)
    add_format(parser)
    return parser


def run(options: argparse.Namespace, complain: Complain) -> int:
    """Print the tables."""
    records = read_records(options.files, complain)
    leave_out_duels(records, complain)
    if not records.observations and not records.crashes:
        raise nothing_in(options.files)
    out = Output(options.format)
    if out.form == "csv":
        for observation in records.observations:
            if observation.load.open:
                complain(observation.source, OPEN_LOOP_IN_CSV)
        closed = [each for each in records.observations if not each.load.open]
        out.table(csv_table(configurations(without_references(closed))))
        return 0
    cells = crashes.gather(records.crashes)
    crashes.print_contradictions(cells, out)
    print_tables(out, records.observations, cells)
    return 0
