# SPDX-License-Identifier: ISC
"""Open loops of the runners: requests that came at a rate or as a storm (results/schema.json)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ubench.records.histogram import Histogram


@dataclass(frozen=True)
class TrialJudgement:
    """A trial by the limit of one goal of a search."""

    bad_share: float
    met: bool


@dataclass(frozen=True)
class OpenLoopTrial:
    """Requests at a rate, or a storm; `rate` is None of a storm."""

    stage: str  # "single" or "search"; of earlier versions "coarse", "fine" or "verify"
    rate: float | None
    deadline_ns: int
    elapsed_ns: int
    offered: int
    answered: int
    late: int
    dropped: int
    failed: int
    unanswered: int
    in_time_per_s: float
    incomplete: bool
    invalid: str | None
    verdict: str  # "sustained", "degraded", ...: schema.json
    response: Histogram | None
    service: Histogram | None
    lag: Histogram | None
    judged: tuple[TrialJudgement, ...]
    seconds: tuple[tuple[int, int, int], ...]  # answered, late, longest response in ns
    members: Mapping[str, object]  # the line's own, for whoever shows all of it


@dataclass(frozen=True)
class GoalRates:
    """A limit of a search, and the rates found for it; None where there is none."""

    name: str
    lower: float | None  # relevant lower bound, per second
    upper: float | None  # relevant upper bound
    in_time_per_s: float | None  # conditional throughput
    verified: bool
    invalid: bool  # the upper bound is the load generator's
    members: Mapping[str, object]


@dataclass(frozen=True)
class Storm:
    """Clients that asked at once: how many were served, and after how long a share of them was."""

    clients: int
    served: int
    sent: int
    served_ns: Mapping[int, int | None]  # by share: 50, 99, 100 per cent
    members: Mapping[str, object]


@dataclass(frozen=True)
class OpenLoop:
    """The open loop of one run."""

    trials: tuple[OpenLoopTrial, ...]
    goals: tuple[GoalRates, ...] = ()
    storm: Storm | None = None
    closed_loop: Mapping[str, object] | None = None  # the closed loop before it
    predicted: Mapping[str, object] | None = None  # simulated servers with the same arrivals
    sustained: float | None = None
