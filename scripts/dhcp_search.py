# SPDX-License-Identifier: ISC
"""The search for the highest rate of a whole DHCP server, in the words of RFC 9971 (MLRsearch).

A search goal says how long a trial sends and how many clients may be lost.  A load is a lower
bound of the goal if two of three trials met it, an upper bound if two did not, and undecided
before.  The relevant upper bound is the smallest load that is an upper bound, and the relevant
lower bound is the largest lower bound below it.  The rate that is reported, the conditional
throughput, is the median of what was granted per second in all trials at the relevant lower bound.

A single trial only says where to look next.  All trials are of one length, because a server that
queues requests looks faster in short ones."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

MAJORITY = 2  # of three trials decide a load
CONFIRMED = 3  # of five trials confirm the relevant lower bound
EXCEED_RATIO = 0.5  # the share of a load's trials that may miss the goal
WIDTH = 1.05  # the ratio of the two bounds at which a search ends
NEAR = WIDTH ** 3  # the smallest step upward by the capacity that an overload showed ...
FAR = WIDTH ** 4  # ... taken if the bounds are further apart; else the distance is halved
LEAP = 4  # the factor between loads as long as none was too high
MOST_TRIALS = 30
ROUGH_BELOW_S = 10  # trials that are shorter make a rough result
STRICT_LOST = 0.001  # the second goal, which the same trials are judged by


class Verdict(Enum):
    LOWER = "lower bound"
    UPPER = "upper bound"
    UNDECIDED = "undecided"
    UNMEASURED = "not measured"  # perfdhcp fell behind its own schedule


@dataclass(frozen=True)
class Goal:
    max_lost: float
    trial_s: float

    @property
    def duration_sum_s(self) -> float:
        return (2 * MAJORITY - 1) * self.trial_s


@dataclass(frozen=True)
class Load:
    """The trials at one rate, judged by a goal."""

    rate: int
    met: int
    missed: int
    unmeasured: int
    granted_per_s: tuple[float, ...]

    def verdict(self, majority: int = MAJORITY) -> Verdict:
        """Requires that many trials that agree, and more of them than of the other outcome."""
        most = max(self.met, self.missed)
        if self.unmeasured >= majority and self.unmeasured > most:
            return Verdict.UNMEASURED
        if most < majority or self.met == self.missed:
            return Verdict.UNDECIDED
        return Verdict.LOWER if self.met > self.missed else Verdict.UPPER

    @property
    def leaning(self) -> int:
        """1 if it looks like a lower bound, -1 if it looks like none, 0 if nothing is known."""
        return (self.met > self.missed + self.unmeasured) - \
            (self.met < self.missed + self.unmeasured)


@dataclass(frozen=True)
class Finding:
    """The result for a goal; a bound or a rate that was not found is None."""

    goal: Goal
    lower: int | None
    upper: int | None
    rate: float | None  # conditional throughput
    confirmed: bool
    load_limit: int | None  # perfdhcp could not send so many, and there is no upper bound

    def members(self) -> dict[str, Any]:
        """The members of this goal in a line of results."""
        return {"max_lost": self.goal.max_lost, "trial_s": self.goal.trial_s,
                "duration_sum_s": self.goal.duration_sum_s, "exceed_ratio": EXCEED_RATIO,
                "width": round(WIDTH - 1, 6), "lower": self.lower, "upper": self.upper,
                "rate": self.rate, "confirmed": self.confirmed}

    def text(self) -> str:
        percent = f"{self.goal.max_lost * 100:g} %"
        if self.upper is not None:
            upper = f"relevant upper bound {self.upper}"
        elif self.load_limit is not None:
            upper = f"no upper bound, because perfdhcp cannot send {self.load_limit} a second"
        else:
            upper = "no upper bound was found"
        if self.rate is None:
            return f"at most {percent} lost: no rate was found; no lower bound, {upper}"
        doubt = "" if self.confirmed else "; not confirmed"
        return f"at most {percent} lost: {self.rate:.1f} leases a second; " \
            f"relevant lower bound {self.lower}, {upper}{doubt}"


def lost_share(trial: dict) -> float:
    """The share of lost new clients or of lost renewals, whichever is larger."""
    renew = trial.get("renew", {"sent": 0})
    unanswered = 1 - renew["received"] / renew["sent"] if renew["sent"] else 0
    return max(trial["lost"], unanswered)


def meets(trial: dict, goal: Goal) -> bool:
    """Few enough clients were lost, and the queue did not grow."""
    return lost_share(trial) <= goal.max_lost and not trial["queue_grew"]


def loads(trials: Iterable[dict], goal: Goal) -> list[Load]:
    """Each rate that was tried, from the lowest."""
    tried: dict[int, list[dict]] = {}
    for trial in trials:
        tried.setdefault(trial["offered"], []).append(trial)
    return [_load(rate, tried[rate], goal) for rate in sorted(tried)]


def _load(rate: int, trials: Sequence[dict], goal: Goal) -> Load:
    measured = [trial for trial in trials if trial["kept_up"]]
    met = sum(meets(trial, goal) for trial in measured)
    return Load(rate, met, len(measured) - met, len(trials) - len(measured),
                tuple(trial["granted_per_s"] for trial in measured))


def relevant(tried: Sequence[Load]) -> tuple[Load | None, Load | None]:
    """The relevant lower bound and what is above it: the relevant upper bound, or a load at which
    perfdhcp fell behind."""
    ceiling = next((load for load in tried
                    if load.verdict() in (Verdict.UPPER, Verdict.UNMEASURED)), None)
    lower = [load for load in tried if load.verdict() is Verdict.LOWER
             and (ceiling is None or load.rate < ceiling.rate)]
    return (lower[-1] if lower else None), ceiling


def find(trials: Sequence[dict], goal: Goal) -> Finding:
    """Judges trials by a goal; they may have been made for another one."""
    lower, ceiling = relevant(loads(trials, goal))
    is_upper = ceiling is not None and ceiling.verdict() is Verdict.UPPER
    return Finding(
        goal, lower.rate if lower else None,
        ceiling.rate if ceiling and is_upper else None,
        statistics.median(lower.granted_per_s) if lower else None,
        lower is not None and lower.verdict(CONFIRMED) is Verdict.LOWER,
        ceiling.rate if ceiling and not is_upper else None)


def next_rate(trials: Sequence[dict], goal: Goal, start: int) -> int | None:
    """The rate of the next trial, or None at the end of the search."""
    tried = loads(trials, goal)
    if not tried:
        return start
    if len(trials) >= MOST_TRIALS:
        return None
    lower, ceiling = relevant(tried)
    if lower and ceiling and _adjacent(lower.rate, ceiling.rate):
        return None if lower.verdict(CONFIRMED) is Verdict.LOWER else lower.rate
    below = ceiling.rate if ceiling else math.inf
    above = lower.rate if lower else 0
    between = [load for load in tried if above < load.rate < below]
    for load in between:
        if load.leaning == 0:
            return load.rate
    high = next((load for load in between if load.leaning < 0), ceiling)
    low = max((load for load in [*between, *([lower] if lower else [])]
               if load.leaning > 0 and (high is None or load.rate < high.rate)),
              key=lambda load: load.rate, default=None)
    if high is None:
        return low.rate * LEAP
    if low is None:
        return None if high.rate <= 1 else _look_below(high)
    if not _adjacent(low.rate, high.rate):
        return _look_between(low.rate, high)
    return high.rate if high.verdict() is Verdict.UNDECIDED else low.rate


def _adjacent(low: int, high: int) -> bool:
    return high <= low * WIDTH or high - low < 2


def _capacity(load: Load) -> float:
    """About what a server can grant, by what it granted when it was overloaded; 0: unknown.  Where
    it breaks down it grants less."""
    return statistics.median(load.granted_per_s) if load.granted_per_s else 0


def _look_below(high: Load) -> int:
    return max(1, math.floor(min(max(_capacity(high), high.rate / LEAP), high.rate / WIDTH)))


def _look_between(low: int, high: Load) -> int:
    middle = math.sqrt(low * high.rate)
    capacity = _capacity(high)
    if high.rate > low * FAR and low / WIDTH ** 2 <= capacity <= high.rate / WIDTH:
        middle = max(capacity, low * NEAR)
    return min(max(round(middle), low + 1), high.rate - 1)
