# SPDX-License-Identifier: ISC
"""Ratios of duels and of the answer: what settings are worth, and which store is faster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ubench import stats
from ubench.records.decoding import JsonObject
from ubench.records.duel import Duel
from ubench.report.capacity.setups import product_of
from ubench.report.capacity.verdicts import Answer, SpeedRatio
from ubench.report.duel.statistics import DuelStatistics, exceeds_null
from ubench.report.page.changes import (
    WORKLOADS,
    ConfigurationChange,
    RatioQuestion,
    contest,
    describe_change,
    join,
    label_change,
    price_of,
    product_name,
    product_text,
    store_name,
)


@dataclass(frozen=True)
class ChartRatio:
    """How many times as fast the second of two configurations is; of a contest, the first."""

    change: ConfigurationChange
    ratio: float
    interval: stats.Interval
    null: stats.Interval | None
    shown: bool
    begun: str
    blocks: int
    source: str

    def as_json(self) -> JsonObject:
        """Return the ratio for the page."""
        return {
            "question": self.change.question.value,
            "label": self.change.label,
            "change": self.change.summary,
            "group": self.change.group,
            "ratio": round(self.ratio, 5),
            "low": round(self.interval.low, 5),
            "high": round(self.interval.high, 5),
            "null": [round(self.null.low, 5), round(self.null.high, 5)] if self.null else None,
            "shown": self.shown,
            "begun": self.begun,
            "blocks": self.blocks,
            "source": self.source,
        }

    def turned(self) -> ChartRatio:
        """Return a contest with its stores the other way round."""
        null = self.null
        return replace(
            self,
            change=self.change.turned(),
            ratio=1 / self.ratio,
            interval=stats.Interval(1 / self.interval.high, 1 / self.interval.low),
            null=stats.Interval(1 / null.high, 1 / null.low) if null else None,
        )


def ratios(duels: Sequence[Duel], answer: Answer | None) -> list[ChartRatio]:
    """Return all ratios that have an interval, the greatest of each question first."""
    collected = [ratio for duel in duels for ratio in duel_ratios(duel)]
    if answer is not None:
        known = {ratio.change.label for ratio in collected}
        asked = {ratio.change.question for ratio in collected}
        for ratio in answer_ratios(answer):
            is_shown_by_duels = (
                ratio.change.question is RatioQuestion.DATABASE and RatioQuestion.DATABASE in asked
            )
            if ratio.change.label not in known and not is_shown_by_duels:
                known.add(ratio.change.label)
                collected.append(ratio)
    collected = faster_first(collected)
    order = list(RatioQuestion)
    collected.sort(key=lambda each: (order.index(each.change.question), -each.ratio, each.begun))
    return with_dates(collected)


def faster_first(collected: Sequence[ChartRatio]) -> list[ChartRatio]:
    """Return the ratios, where all contests of two stores name the one first that is faster.

    Each ratio of a contest comes as that of its first store, so that 1.2 is 1.2 times as fast.
    """
    by_pair: dict[str, list[ChartRatio]] = {}
    for each in collected:
        if each.change.stores is not None:
            pair = min(each.change.summary, each.change.turned().summary)
            by_pair.setdefault(pair, []).append(each)
    turned: dict[ChartRatio, ChartRatio] = {}
    for pair, members in by_pair.items():
        alike = [each if each.change.summary == pair else each.turned() for each in members]
        is_slower = stats.median([each.ratio for each in alike]) < 1
        for member, each in zip(members, alike, strict=True):
            turned[member] = each.turned() if is_slower else each
    return [turned.get(each, each) for each in collected]


def with_dates(collected: Sequence[ChartRatio]) -> list[ChartRatio]:
    """Return the ratios, where labels that several of them have also tell the day."""
    labels = [ratio.change.label for ratio in collected]
    return [
        replace(ratio, change=replace(ratio.change, label=dated(ratio)))
        if labels.count(ratio.change.label) > 1
        else ratio
        for ratio in collected
    ]


def dated(ratio: ChartRatio) -> str:
    """Return the label of a ratio with its day."""
    return f"{ratio.change.label} ({ratio.begun[:10]})"


def duel_ratios(duel: Duel) -> Iterator[ChartRatio]:
    """Yield the ratios of a duel whose sides differ. A against A is no answer to a question."""
    if duel.valgrind:
        return  # its times are no rates
    statistics = DuelStatistics.from_duel(duel)
    null = statistics.null()
    for number in statistics.candidates:
        change = describe_change(duel.sides[0], duel.sides[number])
        contrast = statistics.contrast(number)
        if change is None or contrast is None:
            continue
        if contrast.interval is None or contrast.ratio is None:
            continue
        ratio = ChartRatio(
            change,
            contrast.ratio,
            contrast.interval,
            null.interval if null else None,
            exceeds_null(contrast, null),
            duel.started_at,
            contrast.blocks,
            f"duel, {duel.source}",
        )
        yield as_of_first(ratio)


def as_of_first(ratio: ChartRatio) -> ChartRatio:
    """Return a contest as the ratio of the store that it names first: of B to A as "B against A".

    Measurements tell how fast the second is, as a multiple of the first.
    """
    if ratio.change.stores is None:
        return ratio
    return replace(ratio, change=ratio.change.turned())


def answer_ratios(answer: Answer) -> Iterator[ChartRatio]:
    """Yield what durability costs, and how the judged stores of one class compare."""
    for comparison in answer.costs:
        if comparison.first.in_kea:
            yield from answer_ratio(comparison, RatioQuestion.DURABILITY)
    judged = set(answer.judged)
    for section in answer.sections:
        for comparison in section.comparisons:
            first, second = comparison.first, comparison.second
            if first in judged and second in judged and first.loss is second.loss:
                yield from answer_ratio(comparison, RatioQuestion.DATABASE)


def answer_ratio(comparison: SpeedRatio, question: RatioQuestion) -> Iterator[ChartRatio]:
    """Yield the ratio of a comparison, if it has an interval."""
    contrast = comparison.contrast
    if contrast is None or contrast.ratio is None or contrast.interval is None:
        return
    first, second = comparison.first.first, comparison.second.first
    work = WORKLOADS["renew"]
    if question is RatioQuestion.DURABILITY:
        parts = label_change(comparison.first.label, comparison.second.label)
        change = ConfigurationChange(
            question,
            label=join(parts, product_text(first), work),
            summary=f"{parts}|{product_of(first).product}",
            group=join(parts, product_name(first), work),
            price=price_of(first, second),
        )
    else:
        change = contest(question, store_name(first), store_name(second), work)
    ratio = ChartRatio(
        change,
        contrast.ratio,
        contrast.interval,
        None,
        comparison.is_shown,
        first.started_at,
        contrast.blocks,
        f"runs in turn, {first.source}",
    )
    yield as_of_first(ratio)
