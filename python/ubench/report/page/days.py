# SPDX-License-Identifier: ISC
"""The chart of a day: what stores did besides answering, second by second (--activity)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ubench.records.decoding import JsonObject
from ubench.records.observation import Activity, Observation, Run
from ubench.report.page.charts import name_of

MOST_POINTS = 600  # of a line; a longer run is drawn in steps of several seconds
COUNTERS: Mapping[str, str] = {
    "written_bytes": "bytes written by the store, per second",
    "device_bytes": "bytes written to the device by all programs, per second",
    "log_bytes": "bytes written to the log, per second",
    "binlog_bytes": "bytes written to the binary log, per second",
    "syncs": "syncs per second",
    "pages_written": "pages of tables written, per second",
}
LEVELS: Mapping[str, str] = {
    "store_bytes": "bytes of all files of the store",
    "data_bytes": "bytes of the leases and their indexes",
    "since_checkpoint_bytes": "bytes of the log since the last checkpoint",
    "old_rows": "old rows that wait for vacuum or purge",
}
EVENTS = ("checkpoints", "vacuums", "cleanups")


@dataclass(frozen=True)
class Figure:
    """What a line of the chart shows."""

    name: str
    title: str  # of the axis


CHANGES = Figure("changes", "changes per second")
WAIT = Figure("p99_ms", "99 % of changes are answered within, ms")
LATE = Figure("late_ms", "99 % of changes begin so long after their time, ms")
FIGURES = (
    CHANGES,
    WAIT,
    LATE,
    *(Figure(name, title) for name, title in {**COUNTERS, **LEVELS}.items()),
)


def figures() -> list[JsonObject]:
    """Return the figures of the chart, in the order in which a page offers them."""
    return [{"name": each.name, "title": each.title} for each in FIGURES]


def days(observations: Iterable[Observation]) -> list[JsonObject]:
    """Return the course of the first run of each result that has its activity."""
    return [
        day_json(observation, run, run.activity)
        for observation in observations
        for run in observation.runs[:1]
        if run.activity is not None and run.operations
    ]


def day_json(observation: Observation, run: Run, activity: Activity) -> JsonObject:
    """Return one run: its lines, its events, and what each change cost."""
    length = max(len(phase.seconds) for phase in run.phases)
    step = -(-max(length, 1) // MOST_POINTS)
    lines = {
        CHANGES.name: by_step(changes(run, length), step, mean),
        WAIT.name: by_step(waits(run, length), step, max),
    }
    if run.replay is not None and run.replay.lateness is not None:
        lines[LATE.name] = by_step([ns / 1e6 for _, ns in run.replay.series], step, max)
    seconds = activity.seconds
    for name, values in activity.figures.items():
        if name in COUNTERS:
            lines[name] = by_step(per_second(seconds, values, length), step, mean)
        elif name in LEVELS:
            lines[name] = by_step(at_seconds(seconds, values, length), step, max)
    return {
        "name": name_of(observation),
        "store": observation.keeper,
        "begun": observation.started_at,
        "source": str(observation.source),
        "step": step,
        "lines": {
            name: [None if value is None else float(f"{value:.4g}") for value in values]
            for name, values in lines.items()
        },
        "events": {
            name: event_seconds(seconds, activity.figures[name])
            for name in EVENTS
            if name in activity.figures
        },
        "totals": totals(run, activity),
    }


def second_of(run: Run, at: int) -> list[tuple[int, float]]:
    """Return what each kind of change did in a second: how many, and their p99 in ns."""
    return [phase.seconds[at] for phase in run.phases if at < len(phase.seconds)]


def changes(run: Run, length: int) -> list[int]:
    """Return how many changes were made in each second."""
    return [sum(count for count, _ in second_of(run, at)) for at in range(length)]


def waits(run: Run, length: int) -> list[float]:
    """Return the longest p99 of any kind of change in each second, in ms."""
    return [max((ns for _, ns in second_of(run, at)), default=0.0) / 1e6 for at in range(length)]


def totals(run: Run, activity: Activity) -> JsonObject:
    """Return what a change cost, how far the store grew, and how many events there were."""
    costs = {name: activity.total(name) for name in COUNTERS}
    size = activity.figures.get("store_bytes", ())
    known = [each for each in size if each is not None]
    return {
        "changes": run.operations,
        "each": {
            name: None if total is None else float(f"{total / run.operations:.4g}")
            for name, total in costs.items()
        },
        "growth": known[-1] - known[0] if known else None,
        "events": {name: activity.total(name) for name in EVENTS},
        "cleanup_ms": activity.total("cleanup_ms"),
        "cleanup_bytes": activity.total("cleanup_bytes"),
    }


def mean(values: Sequence[float]) -> float:
    """Return the mean of some values."""
    return sum(values) / len(values)


def by_step(
    values: Sequence[float | None], step: int, combine: Callable[[Sequence[float]], float]
) -> list[float | None]:
    """Return one value for each step of several seconds; None if none of them is known."""
    result: list[float | None] = []
    for begin in range(0, len(values), step):
        known = [value for value in values[begin : begin + step] if value is not None]
        result.append(combine(known) if known else None)
    return result


def per_second(
    seconds: Sequence[float], values: Sequence[int | None], length: int
) -> list[float | None]:
    """Return how fast a counter grew in each second, between the samples around its middle."""
    known = [(at, value) for at, value in zip(seconds, values, strict=True) if value is not None]
    rates: list[float | None] = [None] * length
    for (begin, before), (end, after) in pairwise(known):
        for at in range(max(0, round(begin)), min(length, round(end))):
            # A process that ends takes its bytes to its parent, which may be read before.
            rates[at] = max(0, after - before) / (end - begin)
    return rates


def at_seconds(
    seconds: Sequence[float], values: Sequence[int | None], length: int
) -> list[float | None]:
    """Return a level at the end of each second, or the last one that was known."""
    levels: list[float | None] = [None] * length
    for at, value in zip(seconds, values, strict=True):
        if value is not None:
            begin = max(0, round(at) - 1)
            levels[begin:] = [value] * (length - begin)
    return levels


def event_seconds(seconds: Sequence[float], values: Sequence[int | None]) -> list[int]:
    """Return the seconds in which a counter of events grew."""
    known = [(at, value) for at, value in zip(seconds, values, strict=True) if value is not None]
    return [
        max(0, round(at))
        for (_, before), (at, after) in pairwise(known)
        if after > before
    ]
