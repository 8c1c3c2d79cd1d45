# SPDX-License-Identifier: ISC
"""Whether a duel counts: each side was verified to its end, and its slices are those it reported.

A gate asks this before anything else, and scripts/duel asks it of each result that it receives.
"""

from __future__ import annotations

from collections.abc import Sequence

from ubench.records.duel import Duel, Slice
from ubench.records.observation import Observation, Run
from ubench.records.turns import longest_operation_ns, why_impossible

INTERRUPTED = "the duel was interrupted"
IMPOSSIBLE = "slice {number} cannot be true: {why}"
NO_RESULT = "{side} was not verified: it has no result"
UNFINISHED = "{side} was not verified, or not to its end: {why}"
CONTRADICTS = "the result of {side} contradicts its slices: {why}"

ENDED_EARLY = "it ended early: {error}"
INCOMPLETE = "it is incomplete"
NOT_VERIFIED = "it was not verified"
LEASES_LEFT = "{leases} leases were left behind"
NO_RUN = "it has no run"

SEVERAL_RUNS = "it has several runs; a run in turns is one"
OPEN_LOOP = "it is of an open loop; a run in turns is not"
UNCOUNTED_TURNS = "it does not say in how many turns it worked"
FEWER_TURNS = "it worked in {reported} turns; expected at least {turns}"
SLOW_HALF = "half of {operations} operations took {p50} ns or more; the turn took {elapsed} ns"
OTHER_SUM = "its {name} are {reported}; those of its turns are {total}"


def why_unsound(duel: Duel) -> str:
    """Return why a duel supports no verdict; "" if it does."""
    if duel.incomplete:
        return INTERRUPTED
    for number, turn in enumerate(duel.slices):
        impossible = why_impossible(turn)
        if impossible:
            return IMPOSSIBLE.format(number=number, why=impossible)
    for number in range(len(duel.sides)):
        unsound = _why_side_is_unsound(duel, number)
        if unsound:
            return unsound
    return ""


def _why_side_is_unsound(duel: Duel, number: int) -> str:
    name, observation = duel.side_name(number), duel.sides[number].observation
    if observation is None:
        return NO_RESULT.format(side=name)
    unfinished = why_unfinished(observation)
    if unfinished:
        return UNFINISHED.format(side=name, why=unfinished)
    last_round = duel.slices[-1].round if duel.slices else 0
    turns = [turn for turn in duel.slices if turn.side == number and turn.round == last_round]
    contradiction = why_contradicts(observation, turns)
    return CONTRADICTS.format(side=name, why=contradiction) if contradiction else ""


def why_unfinished(observation: Observation) -> str:
    """Return why a runner's result does not count; "" if it does.

    It does not if it is incomplete, failed, was not verified or left leases behind. The null store
    keeps nothing that could be verified.
    """
    if observation.error:
        return ENDED_EARLY.format(error=observation.error)
    runs = observation.runs
    phases = [phase for run in runs for phase in run.phases]
    has_incomplete_run = any(run.incomplete for run in runs)
    if observation.incomplete or has_incomplete_run or any(phase.incomplete for phase in phases):
        return INCOMPLETE
    for run in runs:
        if not run.verified and observation.store != "null":
            return NOT_VERIFIED
        if run.leases_left:
            return LEASES_LEFT.format(leases=run.leases_left)
    return "" if runs else NO_RUN


def why_contradicts(observation: Observation, turns: Sequence[Slice]) -> str:
    """Return why a side's result cannot be that of its turns in the same round; "" if it can.

    Where each turn is a slice, the sums are equal. Turns that chose the length of a slice, or
    settled, are in the result alone.
    """
    if len(observation.runs) != 1:
        return SEVERAL_RUNS
    run = observation.runs[0]
    if run.open_loop is not None:
        return OPEN_LOOP
    if run.turns is None:
        return UNCOUNTED_TURNS
    if run.turns < len(turns):
        return FEWER_TURNS.format(reported=run.turns, turns=len(turns))
    return _why_half_is_slow(observation, turns) or _why_sums_differ(run, turns)


def _why_half_is_slow(observation: Observation, turns: Sequence[Slice]) -> str:
    """Return which turn is too short for half of its operations and their median; "" if none.

    Clients that are answered after one commit wait at the same time.
    """
    load = observation.load
    together = load.batch if load.exchanges else 1
    for turn in turns:
        time_ns = load.threads * (together or turn.operations) * longest_operation_ns(turn)
        if turn.p50_ns is not None and turn.operations * turn.p50_ns > 2 * time_ns:
            return SLOW_HALF.format(
                operations=turn.operations, p50=turn.p50_ns, elapsed=turn.elapsed_ns
            )
    return ""


def _why_sums_differ(run: Run, turns: Sequence[Slice]) -> str:
    """Return which sum of a run is not that of its turns, or below it; "" if none is."""
    given_up = sum((phase.deadlocks or 0) + (phase.conflicts or 0) for phase in run.phases)
    sums = (
        ("operations", run.operations, sum(turn.operations for turn in turns)),
        ("elapsed_ns", run.elapsed_ns, sum(turn.elapsed_ns for turn in turns)),
        ("errors", given_up, sum(turn.errors for turn in turns)),
    )
    for name, reported, total in sums:
        if reported < total or (run.turns == len(turns) and reported != total):
            return OTHER_SUM.format(name=name, reported=reported, total=total)
    return ""
