# SPDX-License-Identifier: ISC
"""Everything in an open loop: the trials of a search, or a trial or a storm in full."""

from __future__ import annotations

from collections.abc import Mapping

from ubench.records.histogram import Histogram
from ubench.records.members import Line, histogram
from ubench.records.trials import OpenLoop, OpenLoopTrial
from ubench.report.member_text import (
    LATENCIES,
    latency_cells,
    median_latency,
    member_label,
    members_text,
    value_text,
)
from ubench.report.table import Output, Table, numbers, texts
from ubench.units import count, figure, time


def print_open(out: Output, loop: OpenLoop, label_width: int) -> None:
    """Print an open loop."""
    pairs = [("closed loop", members_text(loop.closed_loop or {}))]
    pairs += [("goal", members_text(goal.members)) for goal in loop.goals]
    out.pairs(pairs, label_width)
    out.gap()
    if len(loop.trials) > 1 or loop.goals:
        out.tables(search_table(loop))
        return
    for trial in loop.trials:
        out.tables(trial_table(loop, trial), storm_table(loop, trial), times_table(loop, trial))


def _measured(loop: OpenLoop, trial: OpenLoopTrial) -> Line:
    return {**trial.members, **(loop.storm.members if loop.storm else {})}


def _predicted(loop: OpenLoop) -> Line:
    predicted = loop.predicted or {}
    storm = predicted.get("storm")
    return {**predicted, **(storm if isinstance(storm, Mapping) else {})}


def trial_table(loop: OpenLoop, trial: OpenLoopTrial) -> Table:
    """Return the members of a trial or storm besides those of a prediction."""
    sides = (_measured(loop, trial), _predicted(loop))
    table = Table([*texts("storm" if loop.storm else "trial"), *numbers("measured", "predicted")])
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        cells = [_member_cell(side, name) for side in sides]
        if not isinstance(sides[0].get(name), (Mapping, list)) and any(cells):
            table.add(member_label(name), *cells)
    return table


def _member_cell(members: Line, name: str) -> str | None:
    """Return a member; a time that is not known never came."""
    if name not in members:
        return ""
    absent = "never" if name.endswith("_ns") else None
    return value_text(name, members[name]) or absent


def storm_table(loop: OpenLoop, trial: OpenLoopTrial) -> Table:
    """Return the answers in each second of a storm."""
    table = Table([*texts("answers in second"), *numbers("measured", "predicted")])
    if loop.storm is None:
        return table
    measured = [answered for answered, *_ in trial.seconds]
    seconds = (loop.predicted or {}).get("seconds")
    predicted = [second[0] for second in seconds] if isinstance(seconds, list) else []
    predicted += [0] * (len(measured) - len(predicted))
    for number, (answered, expected) in enumerate(zip(measured, predicted, strict=False), 1):
        if answered or expected:
            table.add(number, count(answered), count(expected))
    return table


def times_table(loop: OpenLoop, trial: OpenLoopTrial) -> Table:
    """Return the distributions of times of a trial."""
    table = Table([*texts(""), *numbers("count", *LATENCIES)])
    for name, times in (
        ("response", trial.response),
        ("predicted", _predicted_response(loop)),
        ("service", trial.service),
        ("lag", trial.lag),
    ):
        if times:
            table.add(name, count(times.count), *latency_cells([times]))
    return table


def _predicted_response(loop: OpenLoop) -> Histogram | None:
    response = (loop.predicted or {}).get("response")
    return histogram(response) if isinstance(response, Mapping) else None


def search_table(loop: OpenLoop) -> Table:
    """Return the trials of a search, each judged by every goal."""
    goals = [goal.name for goal in loop.goals]
    columns = (*texts("trial"), *numbers("rate/s", "time", "sent", *goals, "p99"))
    table = Table(columns)
    for trial in loop.trials:
        judged: list[str | None] = [
            f"{100 * judgement.bad_share:.3g} % {'yes' if judgement.met else 'no'}"
            for judgement in trial.judged
        ]
        table.add(
            trial.stage,
            figure(trial.rate or 0),
            time(trial.elapsed_ns),
            count(trial.offered),
            *(judged or [None] * len(goals)),
            median_latency([trial.response], "p99"),
        )
    return table
