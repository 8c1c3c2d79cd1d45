# SPDX-License-Identifier: ISC
"""One figure of several runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from ubench import stats


@dataclass(frozen=True)
class Summary:
    """The median of a figure with its 95 % interval or, of too few runs, its range."""

    values: tuple[float, ...]
    median: float
    low: float
    high: float
    has_interval: bool


def summarise(values: Iterable[float | None]) -> Summary | None:
    """Return the summary of the values that are known, or None if there are none."""
    known = tuple(value for value in values if value is not None)
    if not known:
        return None
    interval = stats.median_interval(known)
    if interval is None:
        return Summary(known, median(known), min(known), max(known), has_interval=False)
    return Summary(known, median(known), interval.low, interval.high, has_interval=True)
