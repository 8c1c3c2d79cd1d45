# SPDX-License-Identifier: ISC
"""The figures of single runs, for comparisons."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ubench.records.observation import Observation, Run
from ubench.records.trials import OpenLoop
from ubench.report.sides import RATE

PROCESSOR = "processor"
INSTRUCTIONS = "instructions"
MIX = "all exchanges"  # the name of a figure that the exchanges of a mix have together

CUT_SHORT = "runs that were cut short were left out"
NO_RATE_FOUND = (
    "searches that confirmed no rate, found no limit, or ended at the limit of the load "
    "generator, were left out"
)
LOST_REQUESTS = (
    "trials with lost requests, or in which the harness failed, are excluded: their response "
    "times are biased"
)


@dataclass(frozen=True)
class RunValue:
    """A figure of one run, None if the run does not have it."""

    name: str  # of the phase, the goal or the trial
    figure: float | None
    bracket: float | None = None  # width of the bracket of a searched rate, as a logarithm
    note: str = ""  # why it was left out


def values(observation: Observation, figure: str) -> Iterator[RunValue]:
    """Return the values of a figure that an observation has."""
    if observation.server is not None:
        yield from _server_values(observation, figure)
    for run in observation.runs:
        if figure == PROCESSOR:
            yield RunValue(PROCESSOR, None)
        elif figure == INSTRUCTIONS:
            yield from _instructions(run)
        elif run.open_loop is None:
            yield from _phase_values(run, figure)
        elif figure == RATE:
            yield from _goal_values(run, run.open_loop)
        else:
            yield from _trial_values(run.open_loop, figure)


def _phase_values(run: Run, figure: str) -> Iterator[RunValue]:
    for phase in run.phases:
        value = None
        if not run.incomplete and not phase.incomplete:
            latency = phase.latency.figure(figure) if phase.latency and figure != RATE else None
            value = phase.rate if figure == RATE else latency
        yield RunValue(phase.name, value, note=CUT_SHORT if run.incomplete else "")


def _instructions(run: Run) -> Iterator[RunValue]:
    """Return the instructions of an operation: of the workers and, where known, of the server.

    Exchanges of a mix share their usage.
    """
    is_mix = run.together and len(run.phases) > 1
    for phase in run.phases[:1] if is_mix else run.phases:
        name, operations = (MIX, run.operations) if is_mix else (phase.name, phase.operations)
        count = phase.usage.get("instructions")
        value = None
        if count is not None and operations and not run.incomplete and not phase.incomplete:
            value = (count + (phase.usage.get("server_instructions") or 0)) / operations
        yield RunValue(name, value, note=CUT_SHORT if run.incomplete else "")


def _goal_values(run: Run, loop: OpenLoop) -> Iterator[RunValue]:
    """Return the rates of goals; one at the limit of the load generator is not the store's."""
    for goal in loop.goals:
        low, high = goal.lower or 0, goal.upper or 0
        is_sound = not run.incomplete and goal.verified and not goal.invalid
        if is_sound and high > low > 0:
            yield RunValue(goal.name, goal.in_time_per_s, math.log(high / low))
        else:
            yield RunValue(goal.name, None, note=NO_RATE_FOUND)


def _trial_values(loop: OpenLoop, figure: str) -> Iterator[RunValue]:
    """Return the response times of a trial at a given rate."""
    if loop.goals or not loop.trials or not loop.trials[0].rate:
        return
    trial = loop.trials[0]
    name = f"at {trial.rate:.6g}/s"
    lost = trial.dropped + trial.failed + trial.unanswered
    if trial.incomplete or trial.invalid or lost:
        yield RunValue(name, None, note=LOST_REQUESTS)
    else:
        yield RunValue(name, trial.response.figure(figure) if trial.response else None)


def _server_values(observation: Observation, figure: str) -> Iterator[RunValue]:
    """Return the values of a whole server. perfdhcp does not tell how long single answers took."""
    server = observation.server
    assert server is not None
    if figure == INSTRUCTIONS:
        return  # they are not counted
    if figure == PROCESSOR:
        cost_us = server.best.cost_us("server") if server.best else None
        yield RunValue(PROCESSOR, None if cost_us is None else cost_us * 1e3)
    elif server.is_search:
        (name,) = observation.phase_names
        is_known = figure == RATE and not observation.incomplete
        note = CUT_SHORT if observation.incomplete else ""
        yield RunValue(name, server.rate if is_known else None, note=note)
    elif figure != RATE and server.best is not None and server.best.offered:
        is_lossy = not server.best.kept_up or server.best.granted < server.best.sent
        note = LOST_REQUESTS if is_lossy else ""
        yield RunValue(f"at {server.best.offered:.6g}/s", None, note=note)
