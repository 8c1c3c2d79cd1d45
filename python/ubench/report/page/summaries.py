# SPDX-License-Identifier: ISC
"""Summaries of ratios: each question once, however often it was asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ubench import stats
from ubench.records.decoding import JsonObject
from ubench.report.page.changes import RatioQuestion
from ubench.report.page.ratios import ChartRatio


@dataclass(frozen=True)
class RatioSummary:
    """All comparisons that answer the same, at least one."""

    members: Sequence[ChartRatio]

    @property
    def ratio(self) -> float:
        """The median of the ratios."""
        return stats.median([each.ratio for each in self.members])

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest ratio; of one comparison, the ends of its interval."""
        if len(self.members) == 1:
            interval = self.members[0].interval
            return interval.low, interval.high
        all_ratios = [each.ratio for each in self.members]
        return min(all_ratios), max(all_ratios)

    @property
    def null(self) -> stats.Interval | None:
        """The noise of the machine: the widest of those that were measured."""
        known = [each.null for each in self.members if each.null]
        if not known:
            return None
        return stats.Interval(min(each.low for each in known), max(each.high for each in known))

    @property
    def agreeing(self) -> int:
        """How many comparisons show a difference in the direction of the median."""
        return sum(each.shown and (each.ratio > 1) == (self.ratio > 1) for each in self.members)

    def as_json(self) -> JsonObject:
        """Return the summary for the page; most of its comparisons have to show a difference."""
        first = self.members[0]
        low, high = self.ends
        null = self.null
        return {
            "question": first.change.question.value,
            "label": first.change.group,
            "change": first.change.summary,
            "price": first.change.price,
            "ratio": round(self.ratio, 5),
            "low": round(low, 5),
            "high": round(high, 5),
            "null": [round(null.low, 5), round(null.high, 5)] if null else None,
            "shown": 2 * self.agreeing > len(self.members),
            "agreeing": self.agreeing,
            "count": len(self.members),
        }


def summaries(ratios: Sequence[ChartRatio]) -> list[RatioSummary]:
    """Return the ratios by what they answer, the greatest of each question first."""
    by_group: dict[tuple[RatioQuestion, str], list[ChartRatio]] = {}
    for each in ratios:
        by_group.setdefault((each.change.question, each.change.group), []).append(each)
    found = [RatioSummary(tuple(members)) for members in by_group.values()]
    order = list(RatioQuestion)
    return sorted(
        found,
        key=lambda each: (order.index(each.members[0].change.question), -each.ratio),
    )
