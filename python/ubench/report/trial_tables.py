# SPDX-License-Identifier: ISC
"""Tables of open loops: rates that were requested or searched for, and storms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ubench import units
from ubench.records.observation import Run
from ubench.records.server import ServerMeasurement
from ubench.records.trials import GoalRates, OpenLoop, OpenLoopTrial
from ubench.report.grouping import Section
from ubench.report.table import Table, numbers, texts

EARLIER_STAGES = ("coarse", "fine", "verify")  # of searches in which one short trial decided
NOTE = (
    "An open loop gets requests at a rate, and says whether it kept up with them; only a rate that "
    "a search found is a figure of the store. Times are from when a request was due to its answer; "
    "lost: dropped, failed or never answered."
)


@dataclass(frozen=True)
class TrialTables:
    """The limits that searches found, trials of their own, and storms."""

    goals: Table
    trials: Table
    storms: Table


def make(section: Section) -> TrialTables:
    """Return the tables of open loops, with a row for each goal, trial or storm of a run."""
    goal_heads = ("sustained [1/s]", "not [1/s]", "in time [1/s]")
    trial_heads = (
        "offered [1/s]", "in time [1/s]", "sent", "late", "lost", "p50 [ms]", "p99 [ms]",
        "p99.9 [ms]", "deadline [s]",
    )  # fmt: skip
    storm_heads = (
        "clients", "served", "requests", "50 % after [s]", "99 % [s]", "all [s]",
        "all, predicted [s]",
    )  # fmt: skip
    tables = TrialTables(
        Table(
            [
                *texts("rate that was searched for", "at most late or lost"),
                *numbers(*goal_heads),
                *texts("verdict"),
            ]
        ),
        Table([*texts("at a rate"), *numbers(*trial_heads), *texts("verdict")]),
        Table([*texts("storm"), *numbers(*storm_heads), *texts("")]),
    )
    for group in section.groups:
        for observation in group.observations:
            if observation.server is not None:
                add_server(tables, group.label, observation.server)
            for run in observation.runs:
                if run.open_loop is not None:
                    add_open_loop(tables, group.label, run, run.open_loop)
    return tables


def add_open_loop(tables: TrialTables, label: str, run: Run, loop: OpenLoop) -> None:
    """Add the rows of a run of a store."""
    for goal in loop.goals:
        rates = (goal.lower, goal.upper, goal.in_time_per_s)
        cells = [units.figure(rate) if rate else "none" for rate in rates]
        tables.goals.add(label, goal.name, *cells, verdict_of_goal(run, loop, goal))
    if not loop.goals:
        for trial in loop.trials:
            if trial.rate:
                tables.trials.add(label, *trial_cells(trial, trial.rate))
    if loop.storm is None:
        return
    storm = loop.storm
    predicted = (loop.predicted or {}).get("storm")
    all_predicted = predicted["served_100_ns"] if isinstance(predicted, dict) else 0
    tables.storms.add(
        label,
        *(units.count(clients) for clients in (storm.clients, storm.served, storm.sent)),
        *(seconds_cell(ns) for ns in storm.served_ns.values()),
        seconds_cell(all_predicted),
        "interrupted" if run.incomplete else "",
    )


def trial_cells(trial: OpenLoopTrial, rate: float) -> Iterator[str | None]:
    """Return the cells of a trial at a rate, without its label."""
    yield units.figure(rate)
    yield units.figure(trial.in_time_per_s)
    yield units.count(trial.offered)
    yield units.count(trial.late)
    yield units.count(trial.dropped + trial.failed + trial.unanswered)
    for name in ("p50", "p99", "p99.9"):
        ns = trial.response.figure(name) if trial.response else None
        yield None if ns is None else f"{ns / 1e6:.3f}"
    yield seconds_cell(trial.deadline_ns)
    yield trial.verdict.replace("-", " ")


def verdict_of_goal(run: Run, loop: OpenLoop, goal: GoalRates) -> str:
    """Return what a search says of its limit."""
    if run.incomplete:
        return "the search was interrupted"
    if goal.invalid:
        return "limited by the load generator"
    if not goal.verified:
        return "not confirmed"
    if any(trial.stage in EARLIER_STAGES for trial in loop.trials):
        return "confirmed by an earlier search, which finds too much if a store is noisy"
    return "confirmed"


def add_server(tables: TrialTables, label: str, measurement: ServerMeasurement) -> None:
    """Add the row of a whole server. perfdhcp does not tell how long single answers took."""
    trial = measurement.trials[0]
    lost = trial.sent - trial.granted
    if trial.duration_s:
        sent = trial.sent + (trial.resent or 0)
        tables.storms.add(
            label,
            *(units.count(clients) for clients in (trial.sent, trial.granted, sent)),
            None,
            None,
            "never" if lost else f"{trial.duration_s:.3f}",
            None,
            "",
        )
    elif trial.offered:
        verdict = "not in time" if lost else "sustained"
        tables.trials.add(
            label,
            units.figure(trial.offered),
            units.figure(trial.granted / max(measurement.trial_s, 1)),
            *(units.count(clients) for clients in (trial.sent, 0, lost)),
            None,
            None,
            None,
            f"{measurement.within_s:.3f}",
            verdict if trial.kept_up else "invalid",
        )


def seconds_cell(ns: int | None) -> str | None:
    """Return a time in seconds; 0 was not measured, and None never came."""
    if ns is None:
        return "never"
    return f"{ns / 1e9:.3f}" if ns else None
