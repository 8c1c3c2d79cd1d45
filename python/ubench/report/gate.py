# SPDX-License-Identifier: ISC
"""Gates: may a figure be worse than another one by a given share? `compare` and duels ask this.

A gate fails closed: it is passed only if an interval shows that nothing is worse by more.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from ubench import stats

MORE_TIME_MOST = 100  # times what was measured; beyond it no time is reasonable

TOO_FEW = "there are fewer than {least} blocks or runs; measure for longer"
TOO_WIDE = "the interval is too wide; {amount} would do"
TOO_NEAR = "the ratio is so near the limit that no reasonable time would do"


class Outcome(Enum):
    """What a gate says; the value is the exit status."""

    PASSED = 0
    WORSE = 4
    UNDECIDED = 5


@dataclass(frozen=True)
class Judgement:
    """A gate's verdict on one side or row, which JUnit has as a test case."""

    name: str
    outcome: Outcome
    text: str
    figures: str = ""  # the ratio and the intervals that the verdict rests on


def judge_interval(
    interval: stats.Interval | None, allowed: float, more_is_better: bool
) -> Outcome:
    """Return what the interval of a ratio shows: passed, worse, or that it is too wide to tell."""
    if interval is None:
        return Outcome.UNDECIDED
    if more_is_better:
        limit = 1 - allowed
        is_passed, is_worse = interval.low >= limit, interval.high < limit
    else:
        limit = 1 + allowed
        is_passed, is_worse = interval.high <= limit, interval.low > limit
    if is_passed:
        return Outcome.PASSED
    return Outcome.WORSE if is_worse else Outcome.UNDECIDED


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome of several gates; undecided if there are none.

    That something is worse says more than that something else cannot be told.
    """
    known = set(outcomes)
    for outcome in (Outcome.WORSE, Outcome.UNDECIDED, Outcome.PASSED):
        if outcome in known:
            return outcome
    return Outcome.UNDECIDED


def why_undecided(
    contrast: stats.Contrast | None,
    allowed: float,
    more_is_better: bool,
    amount: float,
    amount_form: str,
) -> str:
    """Return why a gate cannot tell, and how long a measurement would have to be.

    `amount` is how long it was, and `amount_form` has a place for another amount: "--time {}m".
    The interval narrows with the square root of the number of pairs, until the limit is outside.
    """
    if contrast is None or contrast.interval is None or contrast.ratio is None:
        return TOO_FEW.format(least=stats.LEAST)
    limit = 1 - allowed if more_is_better else 1 + allowed
    distance = abs(math.log(contrast.ratio) - math.log(limit))
    factor = (contrast.precision / distance) ** 2 if distance else math.inf
    if factor > MORE_TIME_MOST:
        return TOO_NEAR
    return TOO_WIDE.format(amount=amount_form.format(math.ceil(amount * factor)))
