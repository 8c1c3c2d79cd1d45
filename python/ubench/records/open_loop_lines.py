# SPDX-License-Identifier: ISC
"""The open loop in a run of ubench-result/2: its trials, the rates that a search found, a storm."""

from __future__ import annotations

from ubench.records.members import Line, histogram
from ubench.records.trials import GoalRates, OpenLoop, OpenLoopTrial, Storm, TrialJudgement

SHARES = (50, 99, 100)  # per cent of the clients of a storm


def open_loop(run: Line) -> OpenLoop | None:
    """Return the open loop of a run; None if it was a closed loop."""
    if "trials" not in run:
        return None
    return OpenLoop(
        trials=tuple(trial(each) for each in run["trials"]),
        goals=tuple(goal(each) for each in run.get("goals", ())),
        storm=storm(run["storm"]) if "storm" in run else None,
        closed_loop=run.get("closed_loop"),
        predicted=run.get("predicted"),
        sustained=run.get("sustained_per_s"),
    )


def trial(members: Line) -> OpenLoopTrial:
    """Return one trial. The oldest versions wrote no verdict."""
    return OpenLoopTrial(
        stage=members["stage"],
        rate=members["rate_per_s"],
        deadline_ns=members["deadline_ns"],
        elapsed_ns=members["elapsed_ns"],
        offered=members["offered"],
        answered=members["answered"],
        late=members["late"],
        dropped=members["dropped"],
        failed=members["failed"],
        unanswered=members["unanswered"],
        in_time_per_s=members["in_time_per_s"],
        incomplete=members["incomplete"],
        invalid=members["invalid"],
        verdict=members.get("verdict") or verdict(members),
        response=histogram(members["response"]),
        service=histogram(members["service"]),
        lag=histogram(members["lag"]),
        judged=tuple(judgement(each) for each in members.get("judged", ())),
        seconds=tuple((answered, late, longest) for answered, late, longest in members["seconds"]),
        members=members,
    )


def verdict(trial: Line) -> str:
    """Return the verdict on a trial by its own deadline, as C writes it today."""
    if trial["incomplete"]:
        return "interrupted"
    if trial["invalid"]:
        return "invalid"
    if trial["grew"]:
        return "saturated" if trial["bad_share"] > 0 else "growing"
    return "not-in-time" if trial["bad_share"] > 0 else "sustained"


def judgement(members: Line) -> TrialJudgement:
    """Return a trial by the limit of one goal."""
    return TrialJudgement(bad_share=members["bad_share"], met=members["met"])


def goal(members: Line) -> GoalRates:
    """Return the rates found for a goal."""
    return GoalRates(
        name=members["goal"],
        lower=members["low_per_s"],
        upper=members["high_per_s"],
        in_time_per_s=members["in_time_per_s"],
        verified=members["verified"],
        invalid=members["invalid"],
        members=members,
    )


def storm(members: Line) -> Storm:
    """Return how the clients of a storm were served."""
    return Storm(
        clients=members["clients"],
        served=members["served"],
        sent=members["sent"],
        served_ns={share: members[f"served_{share}_ns"] for share in SHARES},
        members=members,
    )
