# SPDX-License-Identifier: ISC
"""ubench_report tables: the tables of the 2012 guide from any set of results, those of open loops,
of whole servers and of crashes; one pair for each durability class, as there is no ranking across
classes."""

from __future__ import annotations

from report import crashes, figures, options, results, rows, servers
from report.table import Output, Table

SUMMARY = "the tables of the 2012 guide, one pair per durability class"
EPILOG = """ubench_report tables results/guide-2012.jsonl
    prints the guide's own Tables 3.1 to 3.3, from its times"""
OPTIONS = [options.FORMAT]
FEW_WARNINGS = 3  # of a table, which are printed


def run(values: dict, files: list[str], complain: results.Complain) -> int:
    found, lines = results.load(files, complain)
    out = Output(values["format"])
    cells = crashes.gather(lines)
    if out.form == "csv":
        found = results.leave_out(found, lambda result: result["open"], complain,
                                  "the rate of an open loop was asked for, not reached")
        out.table(csv_table(rows.sections(rows.without_references(found))))
    else:
        crashes.print_contradictions(cells, out)
        print_tables(out, found, cells)
    if not found and not cells:
        raise results.nothing_in(files)
    return 0


def print_tables(out: Output, found: list[dict], cells: list[dict]) -> None:
    found = rows.without_references(found)
    phases, searches = (rows.sections([
        result for result in found if not result["open"] and result["kind"] == kind])
        for kind in ("store", "server"))
    trials = rows.sections([result for result in found if result["open"]])
    print_guide_tables(out, phases, cells)
    if phases and trials:
        out.gap()
    print_trial_tables(out, trials)
    if (phases or trials) and searches:
        out.gap()
    servers.print_tables(searches, trials, out)
    if found and cells:
        out.gap()
    if cells:
        out.heading("lost in crashes")
        crashes.print_cells(cells, out)


# The guide's tables: seconds per phase, and operations per second


def columns_of(section: rows.Section, rates: bool) -> list[tuple]:
    """The heads of figures, each with the figure of a run.  Mixed phases have one time."""
    shape = section.shape
    fill = section.rows[0].results[0]["fill"]
    phases = [(name, rate if rates else ns) for name, ns, rate in results.phase_figures(shape)]
    if len(phases) > 1 and not shape["together"] and not fill:
        phases.append(("average", results.mean_rate if rates else results.mean_ns))
    if not rates:
        return [("all", results.elapsed_ns)] if shape["together"] else phases
    return phases + [("overall", results.rate)] * (not fill)


def figure_cell(row: rows.Row, figure, rates: bool) -> str | None:
    """Four significant digits; of published figures as many as were published.  Times are rounded
    as whole microseconds, halves up, as the guide's: a double in seconds has no exact half."""
    made = rows.Summary(row, figure)
    published = row.cls is None
    if not made.values:
        return None
    if rates:
        return f"{made.median:.2f}" if published else figures.figure(made.median)
    seconds = figures.half_up(made.median / 1e3) / 1e6
    return f"{seconds:.6f}" if published else f"{seconds:.4g}"


def guide_table(section: rows.Section, rates: bool, cells: list[dict]) -> Table:
    exchanges = section.rows[0].results[0]["exchanges"]
    figure_columns = columns_of(section, rates)
    intervals = rates and has_intervals(section)
    nodes = rates and any(row.node_loss for row in section.rows)
    crashed = rates and bool(cells)
    unit = "exch" if exchanges else "oper"
    table = Table([f"rate [{unit}/s]" if rates else "time [s]",
                   "exchanges>" if exchanges else "operations>", "runs>",
                   *(f"{name}>" for name, _ in figure_columns), *["95 % interval>"] * intervals,
                   *["node loss"] * nodes, *["lossy crashes"] * crashed])
    for row in section.rows:
        whole = rows.Summary(row, results.rate)
        interval = f"{figures.figure(whole.low)} to {figures.figure(whole.high)}"
        # Per phase, if it is the same for all; else of all phases.
        counts = [phase["operations"] for _, run in row.runs[:1] for phase in run["phases"]]
        done = sum(set(counts) if len(set(counts)) == 1 else counts)
        table.add(row.label, figures.count(done) if row.runs else None, len(row.runs),
                  *(figure_cell(row, figure, rates) for _, figure in figure_columns),
                  *[interval if whole.interval else None] * intervals,
                  *[row.node_loss or None] * nodes,
                  *[crashes.beside(cells, row.results[0]) or "not tested"] * crashed)
    return table


def has_intervals(section: rows.Section) -> bool:
    """True where at least one row has enough runs to say how sure its overall rate is."""
    return not section.rows[0].results[0]["fill"] and \
        any(rows.Summary(row, results.rate).interval for row in section.rows)


def notes_of(section: rows.Section) -> list[str]:
    """The runs that were left out, and the warnings: each of a few, or one of many."""
    notes = [f"{row.label}: {figures.plural(row.incomplete, 'incomplete run')} left out"
             for row in section.rows if row.incomplete]
    found = [(row.label, result["warned"]) for row in section.rows for result in row.results]
    warned = list(dict.fromkeys((label, text) for label, text in found if text))
    if len(warned) > FEW_WARNINGS:
        count = sum(bool(text) for _, text in found)
        return [*notes, f"{count} of {len(found)} results have a warning, such as: {warned[0][1]}"]
    return notes + [f"{label}: {text}" for label, text in warned]


def print_guide_tables(out: Output, sections: list[rows.Section], cells: list[dict]) -> None:
    for section in sections:
        out.heading(servers.title_of(section))
        out.tables(guide_table(section, False, cells))
        out.table(guide_table(section, True, cells))
        notes = [("note", note) for note in notes_of(section)]
        if notes:
            out.gap()
        out.pairs(notes)
        out.gap()
    if sections:
        out.pairs([
            ("average", "the mean of the phases, as in the 2012 guide: the fastest phase decides "
             "it, so that a store with slow changes can have the higher one"),
            ("overall", "all operations by all time, of several runs the median: compare by this, "
             "or by phase, and only rows of one table and one load"),
            ("interval", any(map(has_intervals, sections)) * "of the median of overall, of 6 to "
             "1,000 runs; compare says what of a difference is more than chance"),
            ("node loss", rows.NODE_LOSS * any(row.node_loss for section in sections
                                               for row in section.rows))])


def csv_table(sections: list[rows.Section]) -> Table:
    """A row for each phase of each row."""
    table = Table("class|workload|store|differs|phase|runs|operations|time_s|rate_per_s|"
                  "rate_low|rate_high")
    for row in (row for section in sections for row in section.rows):
        for i, (name, *of) in enumerate(results.phase_figures(row.section.shape)):
            time, rate = (rows.Summary(row, figure) for figure in of)
            made = [row.runs[0][1]["phases"][i]["operations"],
                    f"{figures.half_up(time.median) / 1e9:.9f}",
                    f"{rate.median:.6f}"] if row.runs else [None] * 3
            made += [f"{rate.low:.6f}", f"{rate.high:.6f}"] if rate.interval else [None] * 2
            table.add(row.section.title, results.parameter(row.results[0], "workload"), row.store,
                      row.differs, name, len(row.runs), *made)
    return table


# Open loops: rates that were asked for, or searched for, and storms

def seconds(ns: int | None) -> str | None:
    """0 is not known: what perfdhcp did not tell, or was not predicted."""
    return "never" if ns is None else f"{ns / 1e9:.3f}" if ns else None


EARLIER_STAGES = {"coarse", "fine", "verify"}  # of searches that let one short trial decide


def verdict_of_goal(run: dict, goal: dict) -> str:
    if run["incomplete"]:
        return "the search was interrupted"
    if goal["invalid"]:
        return "limited by the load generator"
    if not goal["verified"]:
        return "not confirmed"
    if any(trial.get("stage") in EARLIER_STAGES for trial in run["trials"]):
        return "confirmed by an earlier search, which finds too much if a store is noisy"
    return "confirmed"


def trial_tables(section: rows.Section) -> tuple[Table, ...]:
    """The limits of searches, trials of their own, and storms: a row for each of a run."""
    goals = Table("rate that was searched for|at most late or lost|sustained [1/s]>|not [1/s]>|"
                  "in time [1/s]>|verdict")
    trials = Table("at a rate|offered [1/s]>|in time [1/s]>|sent>|late>|lost>|p50 [ms]>|p99 [ms]>|"
                   "p99.9 [ms]>|deadline [s]>|verdict")
    storms = Table("storm|clients>|served>|requests>|50 % after [s]>|99 % [s]>|all [s]>|"
                   "all, predicted [s]>|")
    for label, run in ((row.label, run) for row in section.rows for result in row.results
                       for run in filter(results.is_open, result["runs"])):
        for goal in run.get("goals", ()):
            goals.add(label, goal["goal"], *(
                figures.figure(goal[name]) if goal[name] else "none"
                for name in ("low_per_s", "high_per_s", "in_time_per_s")),
                verdict_of_goal(run, goal))
        for trial in run["trials"] if not run.get("goals") else ():
            if trial["rate_per_s"]:
                lost = trial["dropped"] + trial["failed"] + trial["unanswered"]
                quantiles = (results.latency(trial["response"], name)
                             for name in ("p50", "p99", "p99.9"))
                trials.add(label, figures.figure(trial["rate_per_s"]),
                           figures.figure(trial["in_time_per_s"]),
                           *map(figures.count, (trial["offered"], trial["late"], lost)),
                           *(None if ns is None else f"{ns / 1e6:.3f}" for ns in quantiles),
                           seconds(trial["deadline_ns"]), results.verdict(trial).replace("-", " "))
        if storm := run.get("storm"):
            predicted = (run.get("predicted") or {}).get("storm")
            storms.add(label, *(figures.count(storm[name])
                                for name in ("clients", "served", "sent")),
                       *(seconds(storm[f"served_{share}_ns"]) for share in (50, 99, 100)),
                       seconds(predicted["served_100_ns"]) if predicted else None,
                       "interrupted" if run["incomplete"] else "")
    return goals, trials, storms


def print_trial_tables(out: Output, sections: list[rows.Section]) -> None:
    """A trial's rate was asked for, so none of them ranks stores by it."""
    for section in sections:
        out.heading(servers.title_of(section))
        out.tables(*trial_tables(section))
    if sections:
        out.note("An open loop is asked for a rate, and says whether it was reached; only a rate "
                 "that was searched for is a figure of the store. Times are from when a request "
                 "was due to its answer; lost: dropped, failed or never answered.")
