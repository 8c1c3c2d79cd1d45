# SPDX-License-Identifier: ISC
"""The search for the highest rate of a whole DHCP server, in the words of RFC 9971 (MLRsearch).

A search goal says how long a trial sends and how many clients may be lost. A load is a lower
bound of the goal if two of three trials met it, an upper bound if two did not, and undecided
before. The relevant upper bound is the smallest load that is an upper bound, and the relevant
lower bound is the largest lower bound below it. The rate that is reported, the conditional
throughput, is the median of what was granted per second in all trials at the relevant lower bound.

A single trial only says where to look next. All trials are of one length, because a server that
queues requests looks faster in short ones.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from ubench.dhcp.trial import RateTrial

MAJORITY = 2  # of three trials decide a load
CONFIRMED = 3  # of five trials confirm the relevant lower bound
EXCEED_RATIO = 0.5  # the share of a load's trials that may miss the goal
BRACKET_RATIO = 1.05  # the ratio of the two bounds at which a search ends
NEAR = BRACKET_RATIO**3  # the smallest step upward by the capacity that an overload showed ...
FAR = BRACKET_RATIO**4  # ... taken if the bounds are further apart; else the distance is halved
LEAP = 4  # the factor between loads as long as none was too high
MOST_TRIALS = 30
ROUGH_BELOW_S = 10  # trials that are shorter make a rough result
STRICT_LOST = 0.001  # the second goal, by which the same trials are judged


class Bound(Enum):
    """What the trials at one load say of a goal."""

    LOWER = "lower bound"
    UPPER = "upper bound"
    UNDECIDED = "undecided"
    UNMEASURED = "not measured"  # perfdhcp fell behind its own schedule


@dataclass(frozen=True)
class Goal:
    """A search goal: the share of clients that may be lost, and the length of a trial."""

    max_lost: float
    trial_s: float

    @property
    def duration_sum_s(self) -> float:
        """The length of the trials that decide a load, together."""
        return (2 * MAJORITY - 1) * self.trial_s

    def is_met(self, trial: RateTrial) -> bool:
        """Return whether few enough clients were lost, and the queue did not grow."""
        return trial.lost_share <= self.max_lost and not trial.queue_grew


@dataclass(frozen=True)
class JudgedRate:
    """The trials at one rate, judged by a goal."""

    rate: int
    met: int
    missed: int
    unmeasured: int
    granted_per_s: tuple[float, ...]

    def verdict(self, majority: int = MAJORITY) -> Bound:
        """Judge the load: at least `majority` trials have to agree, and more than disagree."""
        most = max(self.met, self.missed)
        if self.unmeasured >= majority and self.unmeasured > most:
            return Bound.UNMEASURED
        if most < majority or self.met == self.missed:
            return Bound.UNDECIDED
        return Bound.LOWER if self.met > self.missed else Bound.UPPER

    @property
    def leaning(self) -> int:
        """1 if it looks like a lower bound, -1 if it does not, 0 if nothing is known."""
        failed = self.missed + self.unmeasured
        return (self.met > failed) - (self.met < failed)

    @property
    def capacity(self) -> float:
        """About what a server can grant, by what it granted here; 0 if unknown.

        A server that breaks down under overload grants less.
        """
        return statistics.median(self.granted_per_s) if self.granted_per_s else 0.0


@dataclass(frozen=True)
class Finding:
    """The result for a goal; a bound or a rate that was not found is None."""

    goal: Goal
    lower: int | None
    upper: int | None
    rate: float | None  # conditional throughput
    confirmed: bool
    load_limit: int | None  # the rate that perfdhcp could not send, if no upper bound was found

    def members(self) -> dict[str, object]:
        """Return the goal as a line of results has it (results/kea.schema.json)."""
        return {
            "max_lost": self.goal.max_lost,
            "trial_s": self.goal.trial_s,
            "duration_sum_s": self.goal.duration_sum_s,
            "exceed_ratio": EXCEED_RATIO,
            "width": round(BRACKET_RATIO - 1, 6),
            "lower": self.lower,
            "upper": self.upper,
            "rate": self.rate,
            "confirmed": self.confirmed,
        }

    def __str__(self) -> str:
        """Return one line for people."""
        goal = f"at most {self.goal.max_lost * 100:g} % lost"
        if self.rate is None:
            return f"{goal}: no rate was found; no lower bound, {self._upper_text()}"
        doubt = "" if self.confirmed else "; not confirmed"
        return (
            f"{goal}: {self.rate:.1f} leases a second; relevant lower bound {self.lower}, "
            f"{self._upper_text()}{doubt}"
        )

    def _upper_text(self) -> str:
        if self.upper is not None:
            return f"relevant upper bound {self.upper}"
        if self.load_limit is not None:
            return f"no upper bound, because perfdhcp cannot send {self.load_limit} a second"
        return "no upper bound was found"


def loads(trials: Iterable[RateTrial], goal: Goal) -> list[JudgedRate]:
    """Judge each rate that was tried, from the lowest."""
    tried: dict[int, list[RateTrial]] = {}
    for trial in trials:
        tried.setdefault(trial.offered, []).append(trial)
    return [_load(rate, tried[rate], goal) for rate in sorted(tried)]


def _load(rate: int, trials: Sequence[RateTrial], goal: Goal) -> JudgedRate:
    measured = [trial for trial in trials if trial.kept_up]
    met = sum(goal.is_met(trial) for trial in measured)
    return JudgedRate(
        rate,
        met,
        len(measured) - met,
        len(trials) - len(measured),
        tuple(trial.granted_per_s for trial in measured),
    )


def relevant_bounds(tried: Sequence[JudgedRate]) -> tuple[JudgedRate | None, JudgedRate | None]:
    """Return the relevant lower bound and the ceiling above it.

    The ceiling is the relevant upper bound, or a load at which perfdhcp fell behind.
    """
    ceiling = next(
        (load for load in tried if load.verdict() in (Bound.UPPER, Bound.UNMEASURED)), None
    )
    lower = [
        load
        for load in tried
        if load.verdict() is Bound.LOWER and (ceiling is None or load.rate < ceiling.rate)
    ]
    return (lower[-1] if lower else None), ceiling


def judge_trials(trials: Sequence[RateTrial], goal: Goal) -> Finding:
    """Judge trials by a goal, which may differ from the one that they were made for."""
    lower, ceiling = relevant_bounds(loads(trials, goal))
    is_upper = ceiling is not None and ceiling.verdict() is Bound.UPPER
    return Finding(
        goal,
        lower=lower.rate if lower else None,
        upper=ceiling.rate if ceiling and is_upper else None,
        rate=statistics.median(lower.granted_per_s) if lower else None,
        confirmed=lower is not None and lower.verdict(CONFIRMED) is Bound.LOWER,
        load_limit=ceiling.rate if ceiling and not is_upper else None,
    )


def next_rate(trials: Sequence[RateTrial], goal: Goal, start: int) -> int | None:
    """Return the rate of the next trial, or None at the end of the search."""
    tried = loads(trials, goal)
    if not tried:
        return start
    if len(trials) >= MOST_TRIALS:
        return None
    lower, ceiling = relevant_bounds(tried)
    if lower and ceiling and _are_adjacent(lower.rate, ceiling.rate):
        return None if lower.verdict(CONFIRMED) is Bound.LOWER else lower.rate
    above = lower.rate if lower else 0
    below = ceiling.rate if ceiling else math.inf
    between = [load for load in tried if above < load.rate < below]
    for load in between:
        if load.leaning == 0:
            return load.rate
    high = next((load for load in between if load.leaning < 0), ceiling)
    good = [
        load
        for load in ([lower] if lower else []) + between
        if load.leaning > 0 and (high is None or load.rate < high.rate)
    ]
    return _rate_between(good[-1] if good else None, high)


def _rate_between(low: JudgedRate | None, high: JudgedRate | None) -> int | None:
    """Return the rate to try next if no load below `low` or above `high` matters."""
    if high is None:
        return low.rate * LEAP if low else None
    if low is None:
        return None if high.rate <= 1 else _look_below(high)
    if not _are_adjacent(low.rate, high.rate):
        return _look_between(low.rate, high)
    return high.rate if high.verdict() is Bound.UNDECIDED else low.rate


def _are_adjacent(low: int, high: int) -> bool:
    return high <= low * BRACKET_RATIO or high - low < 2


def _look_below(high: JudgedRate) -> int:
    wanted = max(high.capacity, high.rate / LEAP)
    return max(1, math.floor(min(wanted, high.rate / BRACKET_RATIO)))


def _look_between(low: int, high: JudgedRate) -> int:
    middle = math.sqrt(low * high.rate)
    is_plausible = low / BRACKET_RATIO**2 <= high.capacity <= high.rate / BRACKET_RATIO
    if high.rate > low * FAR and is_plausible:
        middle = max(high.capacity, low * NEAR)
    return min(max(round(middle), low + 1), high.rate - 1)
