# SPDX-License-Identifier: ISC
"""Statistics of a handful of runs.

There is one figure per run (a rate, a time, a p99), never the samples inside a run, which depend on
each other. Values are finite. Intervals are 95 % confidence intervals; docs/method.md has the
simulations that the choices rest on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from statistics import fmean as mean
from statistics import median

__all__ = [
    "Contrast", "Difference", "Interval", "Point", "Summary", "Trimmed", "binomial_upper",
    "bisect", "contrast", "contrast_of_logs", "headline_figure", "holm", "is_shown", "mean",
    "median", "median_interval", "paired", "sd", "summarise", "t_p", "t_probability", "t_quantile",
    "trim", "trimmed_mean", "unpaired",
]

CONFIDENCE = 0.95
INTERVAL_VALUES = 1000  # values that an interval is made of
LEAST = 6  # values, or pairs, from which on a difference has an interval
SIGNIFICANT = 0.05  # a greater P is chance
TENTH = 10
BISECTIONS = 60  # halve an interval to the precision of a double


@dataclass(frozen=True)
class Interval:
    """A confidence interval, and the confidence that it really has."""

    low: float
    high: float
    coverage: float = CONFIDENCE

    def exp(self) -> Interval:
        """Return the interval of a ratio, from that of its logarithm."""
        return Interval(math.exp(self.low), math.exp(self.high))


# ---- Several values of one figure


def sd(values: Sequence[float]) -> float:
    """Return the sample standard deviation (count - 1); 0 for a single value."""
    count = len(values)
    return math.dist(values, [mean(values)] * count) / math.sqrt(max(count - 1, 1))


def median_interval(values: Sequence[float]) -> Interval | None:
    """Return the median's exact interval, whatever the distribution.

    It is the narrowest [x(k), x(n + 1 - k)] of the sorted values with a coverage of at least 95 %,
    which is 1 - 2 P(Binomial(n, 1/2) < k). None for fewer than 6 values, or more than 1,000.

    Source: Nair, "Table of confidence interval for the median", Sankhya 1940.
    """
    ordered, count = sorted(values), len(values)
    if count > INTERVAL_VALUES:
        return None
    interval = None
    fewer = 0  # of 2^n outcomes, those with fewer than k heads
    for k in range(1, (count + 1) // 2 + 1):
        fewer += math.comb(count, k - 1)
        coverage = 1 - 2 * (fewer / 2**count)
        if coverage < CONFIDENCE:
            break
        interval = Interval(ordered[k - 1], ordered[count - k], coverage)
    return interval


@dataclass(frozen=True)
class Summary:
    """One figure of several runs.

    `low` and `high` are the interval of the median or, of fewer than 6 runs, the lowest and the
    highest value.
    """

    values: tuple[float, ...]
    median: float
    low: float
    high: float
    interval: Interval | None


def summarise(values: Sequence[float]) -> Summary | None:
    """Return the summary of some values; None if there are none."""
    if not values:
        return None
    interval = median_interval(values)
    low, high = (interval.low, interval.high) if interval else (min(values), max(values))
    return Summary(tuple(values), median(values), low, high, interval)


@dataclass(frozen=True)
class Trimmed:
    """A mean without the lowest and the highest values, and how precise it is."""

    mean: float
    winsorised_sd: float
    standard_error: float
    degrees: int  # of freedom

    @property
    def interval(self) -> Interval | None:
        """The interval of the mean; None of a single value."""
        return _around(self.mean, self.standard_error, self.degrees) if self.degrees else None


def trimmed_mean(values: Sequence[float], g: int) -> Trimmed:
    """Return the mean without the g lowest and the g highest values.

    Its interval is that of Tukey, McLaughlin and Yuen. The winsorised sample has the dropped
    values replaced by their nearest neighbours that were kept; s_w is its standard deviation.

        standard error = s_w / ((1 - 2g/n) sqrt(n))
        interval       = mean -+ t(.975, n - 2g - 1) standard error

    With g = 0 it is Student's interval of the mean.

    Source: Wilcox, "Introduction to Robust Estimation and Hypothesis Testing", section 4.3.
    """
    count = len(values)
    kept = sorted(values)[g : count - g]
    deviation = sd([kept[0]] * g + kept + [kept[-1]] * g)
    return Trimmed(mean(kept), deviation, deviation * math.sqrt(count) / len(kept), len(kept) - 1)


def trim(values: Sequence[float], part: int = TENTH) -> Trimmed:
    """Return the mean without the lowest and the highest 1 / part of the values.

    At least one value is dropped on each side; with part 0, or fewer than 3 values, none is.
    """
    count = len(values)
    return trimmed_mean(values, max(count // part, 1) if part and count >= 3 else 0)


def headline_figure(values: Sequence[float]) -> Trimmed:
    """Return one figure for several runs, as ISC makes it in its reports on Kea's performance.

    From 3 values on the lowest and the highest are dropped; below that it is the mean.
    """
    return trimmed_mean(values, 1 if len(values) > 2 else 0)


def _around(middle: float, error: float, degrees: int) -> Interval:
    margin = t_quantile((1 + CONFIDENCE) / 2, degrees) * error
    return Interval(middle - margin, middle + margin)


# ---- Distributions


def bisect(high: float, is_below: Callable[[float], bool]) -> float:
    """Return the value in 0..high below which is_below is true and above which it is not."""
    low = 0.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return high


def t_probability(t: float, degrees: int) -> float:
    """Return P(-t < T < t) of Student's t: a finite sum, as the degrees of freedom are whole.

    Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4.
    """
    angle = math.atan(t / math.sqrt(degrees))
    cosine, odd = math.cos(angle), degrees % 2
    term, total = (cosine if odd else 1.0), 0.0
    for i in range(odd, degrees - 1, 2):
        total += term
        term *= cosine * cosine * (i + 1) / (i + 2)
    return 2 / math.pi * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total


def t_quantile(p: float, degrees: int) -> float:
    """Return the t that is exceeded with probability 1 - p; p from 0.5 to below 1."""
    high = 1.0
    while t_probability(high, degrees) < 2 * p - 1:
        high *= 2
    return bisect(high, lambda t: t_probability(t, degrees) < 2 * p - 1)


def t_p(t: float, degrees: int) -> float:
    """Return how often chance alone gives a t as far from 0, on both sides; t may be infinite."""
    return max(0.0, 1 - t_probability(abs(t), degrees))


def binomial_upper(k: int, n: int) -> float:
    """Return an upper bound of the probability of an event that happened in k of n trials.

    Its confidence is 95 %: at this p, k or fewer events have a probability of 5 %. It is exact and
    one-sided.

    Source: Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case
    of the binomial", Biometrika 1934.
    """
    if k >= n:
        return 1.0
    log_ways = [_log_combinations(n, i) for i in range(k + 1)]

    def is_below(p: float) -> bool:
        terms = (
            math.exp(ways + i * math.log(p) + (n - i) * math.log1p(-p))
            for i, ways in enumerate(log_ways)
        )
        return sum(terms) > 1 - CONFIDENCE

    return bisect(1.0, is_below)


def _log_combinations(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


# ---- Differences


@dataclass(frozen=True)
class Difference:
    """A difference of two means; without an interval if there were too few values."""

    effect: float
    interval: Interval | None
    p: float  # two-sided: how often chance alone would do as much or more; 1 without an interval
    sd: float = 0  # of pairs, as the interval has it: the standard error times sqrt(count)


def paired(differences: Sequence[float], part: int = TENTH) -> Difference:
    """Return the mean of the differences within pairs, without 1 / part of them on either side.

    With part 0 it is Student's test.

    Source: Tukey and McLaughlin, Sankhya 1963.
    """
    trimmed, count = trim(differences, part), len(differences)
    if count < LEAST:
        return Difference(trimmed.mean, None, 1.0)
    degrees = trimmed.degrees - 1 if part else trimmed.degrees
    deviation = trimmed.standard_error * math.sqrt(count)
    return _judge(trimmed.mean, trimmed.standard_error, degrees, deviation)


def unpaired(before: Sequence[float], after: Sequence[float]) -> Difference:
    """Return the difference of two series, after - before, with Welch's degrees of freedom.

    Source: Yuen, "The two-sample trimmed t for unequal population variances", Biometrika 1974.
    """
    a, b = trim(before), trim(after)
    effect = b.mean - a.mean
    if min(len(before), len(after)) < LEAST:
        return Difference(effect, None, 1.0)
    variances = (_variance(a, len(before)), _variance(b, len(after)))
    degrees = (a.degrees - 1, b.degrees - 1)
    total = sum(variances)
    if total > 0:
        parts = zip(variances, degrees, strict=True)
        welch = total**2 / sum(variance**2 / own for variance, own in parts)
    else:
        welch = sum(degrees)
    return _judge(effect, math.sqrt(total), int(welch))


def _variance(trimmed: Trimmed, count: int) -> float:
    """Return the variance of a trimmed mean, as Yuen has it."""
    kept = trimmed.degrees + 1
    return trimmed.winsorised_sd**2 * (count - 1) / (kept * trimmed.degrees)


def _judge(effect: float, error: float, degrees: int, deviation: float = 0) -> Difference:
    """Return the interval and the P of an effect with this standard error.

    Callers with trimmed means pass one degree of freedom fewer than their sources have, since with
    all of them chance alone gives a small P too often.
    """
    t = effect / error if error > 0 else math.inf
    p = t_p(t, degrees) if effect else 1.0
    return Difference(effect, _around(effect, error, degrees), p, deviation)


def holm(ps: Sequence[float]) -> list[float]:
    """Return the P of several tests, adjusted so that those below 0.05 hold together.

    The probability that chance alone has made even one of them is at most 5 %.

    Source: Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal
    of Statistics 1979.
    """
    adjusted, least = [0.0] * len(ps), 0.0
    for rank, i in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        least = max(least, min(1.0, (len(ps) - rank) * ps[i]))
        adjusted[i] = least
    return adjusted


# ---- Ratios of two samples


@dataclass(frozen=True)
class Point:
    """The logarithm of a run's figure, and the block of its campaign.

    Points of two samples with equal blocks are pairs.
    """

    log: float
    block: object = None


@dataclass(frozen=True)
class Contrast:
    """How the figures of two samples differ."""

    blocks: int  # that were paired; 0: the samples are independent
    counts: tuple[int, int]  # runs that were used
    left_out: int = 0  # runs of blocks that only one of them has, or of none
    medians: tuple[float, float] = (0.0, 0.0)
    ratio: float | None = None  # second / first; None if one of them has no run
    interval: Interval | None = None  # of the ratio
    p: float = 1.0
    sd: float = 0.0  # of the logarithm of the ratio of a pair

    @property
    def precision(self) -> float:
        """Half the width of the interval, as a logarithm: 0.01 is 1 %."""
        return math.log(self.interval.high / self.interval.low) / 2 if self.interval else math.inf


def contrast(first: Sequence[Point], second: Sequence[Point]) -> Contrast:
    """Return the ratio of a figure of two samples.

    If they have blocks in common, only the runs of these count: the figure of a block is the
    geometric mean of its runs, and what drifts from block to block cancels out. Otherwise what
    drifted between the samples counts as a difference.
    """
    shared = {point.block for point in first} & {point.block for point in second} - {None}
    before, after = _within(first, shared), _within(second, shared)
    left_out = len(first) + len(second) - len(before) - len(after)
    if not first or not second:
        return Contrast(len(shared), (len(before), len(after)), left_out)
    logs = [point.log for point in before], [point.log for point in after]
    if shared:
        means = _by_block(before), _by_block(after)
        difference = paired([means[1][block] - log for block, log in means[0].items()])
    else:
        difference = unpaired(*logs)
    return contrast_of_logs(*logs, difference, len(shared), left_out)


def contrast_of_logs(
    first: Sequence[float],
    second: Sequence[float],
    difference: Difference,
    blocks: int,
    left_out: int = 0,
) -> Contrast:
    """Return the contrast of two samples of logarithms, whose difference is known."""
    interval = difference.interval
    return Contrast(
        blocks=blocks,
        counts=(len(first), len(second)),
        left_out=left_out,
        medians=(math.exp(median(first)), math.exp(median(second))),
        ratio=math.exp(difference.effect),
        interval=interval.exp() if interval else None,
        p=difference.p,
        sd=difference.sd,
    )


def _within(points: Sequence[Point], blocks: Collection[object]) -> list[Point]:
    """Return the points of these blocks; all if there are none."""
    return [point for point in points if not blocks or point.block in blocks]


def _by_block(points: Sequence[Point]) -> dict[object, float]:
    """Return the mean of the logarithms of each block."""
    logs: dict[object, list[float]] = {}
    for point in points:
        logs.setdefault(point.block, []).append(point.log)
    return {block: mean(values) for block, values in logs.items()}


def is_shown(ratio: float, p: float, least: float) -> bool:
    """Return whether a ratio is more than chance, and by a factor that counts.

    `p` is adjusted for all that is said beside it; `least` is the logarithm of the factor.
    """
    return p <= SIGNIFICANT and abs(math.log(ratio)) >= least
