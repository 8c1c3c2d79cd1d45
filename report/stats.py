# SPDX-License-Identifier: ISC
"""Statistics of a handful of runs: one figure per run (a rate, a time, a p99), never the samples
inside a run, which depend on each other.  Values are finite.  Intervals are 95 % confidence
intervals; docs/statistics.md has the simulations that the choices rest on."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import fmean as mean
from statistics import median
from typing import NamedTuple

CONFIDENCE = 0.95
MOST = 1000  # values that an interval is made of
LEAST = 6    # values, or pairs, from which on a difference has an interval


class Interval(NamedTuple):
    low: float
    high: float
    coverage: float = CONFIDENCE

    def exp(self) -> Interval:
        """The interval of a ratio, from that of its logarithm."""
        return Interval(math.exp(self.low), math.exp(self.high))


def sd(values: Sequence[float]) -> float:
    """The sample standard deviation (count - 1); 0 for a single value."""
    count = len(values)
    return math.dist(values, [mean(values)] * count) / math.sqrt(max(count - 1, 1))


def median_interval(values: Sequence[float]) -> Interval | None:
    """The median's exact interval, whatever the distribution: the narrowest [x(k), x(n + 1 - k)] of
    the sorted values with a coverage of at least 95 %, which is 1 - 2 P(Binomial(n, 1/2) < k).
    None for fewer than 6 values, or more than 1,000.
    Source: Nair, "Table of confidence interval for the median", Sankhya 1940."""
    ordered, count = sorted(values), len(values)
    if not count <= MOST:
        return None
    found, fewer = None, 0
    for k in range(1, (count + 1) // 2 + 1):
        fewer += math.comb(count, k - 1)  # of 2^n outcomes, those with fewer than k heads
        coverage = 1 - 2 * (fewer / 2**count)
        if coverage < CONFIDENCE:
            break
        found = Interval(ordered[k - 1], ordered[count - k], coverage)
    return found


def bisect(high: float, is_below: Callable[[float], bool]) -> float:
    """The value in 0..high below which is_below is true and above which it is not."""
    low = 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return high


def t_probability(t: float, degrees: int) -> float:
    """P(-t < T < t) of Student's t: a finite sum, as the degrees of freedom are whole.
    Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4."""
    angle = math.atan(t / math.sqrt(degrees))
    cosine, odd = math.cos(angle), degrees % 2
    term, total = (cosine if odd else 1.0), 0.0
    for i in range(odd, degrees - 1, 2):
        total += term
        term *= cosine * cosine * (i + 1) / (i + 2)
    return 2 / math.pi * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total


def t_quantile(p: float, degrees: int) -> float:
    """The t that is exceeded with probability 1 - p; p from 0.5 to below 1."""
    high = 1.0
    while t_probability(high, degrees) < 2 * p - 1:
        high *= 2
    return bisect(high, lambda t: t_probability(t, degrees) < 2 * p - 1)


def t_p(t: float, degrees: int) -> float:
    """How often chance alone gives a t as far from 0, on both sides; t may be infinite."""
    return max(0.0, 1 - t_probability(abs(t), degrees))


def binomial_upper(k: int, n: int) -> float:
    """How often at most, with a confidence of 95 %, what was seen k times in n trials happens in
    truth: the p at which so few have a probability of 5 %.  Exact and one-sided.
    Source: Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case
    of the binomial", Biometrika 1934."""
    if k >= n:
        return 1.0
    ways = [math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) for i in range(k + 1)]
    return bisect(1.0, lambda p: sum(
        math.exp(way + i * math.log(p) + (n - i) * math.log1p(-p))
        for i, way in enumerate(ways)) > 1 - CONFIDENCE)


class Trimmed(NamedTuple):
    """A mean without the g lowest and the g highest values, and what it is worth."""
    mean: float
    winsorised_sd: float
    standard_error: float
    degrees: int

    @property
    def interval(self) -> Interval | None:
        return _around(self.mean, self.standard_error, self.degrees) if self.degrees else None


def trimmed_mean(values: Sequence[float], g: int) -> Trimmed:
    """The interval is that of Tukey, McLaughlin and Yuen.  The winsorised sample has the dropped
    values replaced by their nearest neighbours that were kept; s_w is its standard deviation.

        standard error = s_w / ((1 - 2g/n) sqrt(n))
        interval       = mean -+ t(.975, n - 2g - 1) standard error

    With g = 0 it is Student's interval of the mean.
    Source: Wilcox, "Introduction to Robust Estimation and Hypothesis Testing", section 4.3."""
    count = len(values)
    kept = sorted(values)[g:count - g]
    deviation = sd([kept[0]] * g + kept + [kept[-1]] * g)
    return Trimmed(mean(kept), deviation, deviation * math.sqrt(count) / len(kept), len(kept) - 1)


def _around(middle: float, error: float, degrees: int) -> Interval:
    margin = t_quantile((1 + CONFIDENCE) / 2, degrees) * error
    return Interval(middle - margin, middle + margin)


def headline(values: Sequence[float]) -> Trimmed:
    """One figure for several runs, as ISC makes it in its reports on Kea's performance: from 3
    values on the lowest and the highest are dropped; below that it is the mean."""
    return trimmed_mean(values, 1 if len(values) > 2 else 0)


class Difference(NamedTuple):
    effect: float
    interval: Interval | None  # None: too few values
    p: float  # two-sided: how often chance alone would do as much or more; 1 without an interval
    sd: float = 0  # of pairs, as the interval has it: the standard error times sqrt(count)


def trim(values: Sequence[float], part: int = 10) -> Trimmed:
    """The lowest and the highest tenth, say, are dropped, but at least one value on each side; none
    with part 0."""
    count = len(values)
    return trimmed_mean(values, max(count // part, 1) if part and count >= 3 else 0)


def _judge(effect: float, error: float, degrees: int, sd: float = 0) -> Difference:
    """Callers with trimmed means pass one degree of freedom fewer than their sources have, since
    with all of them chance alone gives a small P too often."""
    t = effect / error if error > 0 else math.inf
    return Difference(effect, _around(effect, error, degrees), t_p(t, degrees) if effect else 1.0,
                      sd)


def paired(differences: Sequence[float], part: int = 10) -> Difference:
    """The mean of the differences within pairs, without a tenth, say, on either side.  Source:
    Tukey and McLaughlin, Sankhya 1963.  With part 0 it is Student's test."""
    trimmed, count = trim(differences, part), len(differences)
    if count < LEAST:
        return Difference(trimmed.mean, None, 1.0)
    return _judge(trimmed.mean, trimmed.standard_error, trimmed.degrees - (1 if part else 0),
                  trimmed.standard_error * math.sqrt(count))


def unpaired(before: Sequence[float], after: Sequence[float]) -> Difference:
    """The difference of two series, after - before.  Source: Yuen, "The two-sample trimmed t for
    unequal population variances", Biometrika 1974; degrees of freedom after Welch, rounded down."""
    a, b = trim(before), trim(after)
    effect = b.mean - a.mean
    if min(len(before), len(after)) < LEAST:
        return Difference(effect, None, 1.0)
    variances = [side.winsorised_sd**2 * (len(values) - 1) / (side.degrees * (side.degrees + 1))
                 for side, values in ((a, before), (b, after))]
    total, degrees = sum(variances), (a.degrees - 1, b.degrees - 1)
    welch = total**2 / sum(variance**2 / of for variance, of in zip(variances, degrees)) \
        if total > 0 else sum(degrees)
    return _judge(effect, math.sqrt(total), int(welch))


def holm(ps: Sequence[float]) -> list[float]:
    """The P of several tests, so that those then below 0.05 hold together: the probability that
    chance alone has made even one of them is at most 5 %.
    Source: Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal
    of Statistics 1979."""
    adjusted, least = [0.0] * len(ps), 0.0
    for rank, i in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        least = max(least, min(1.0, (len(ps) - rank) * ps[i]))
        adjusted[i] = least
    return adjusted


# A run: the logarithm of its figure, and the block of its campaign, or None.
Point = "tuple[float, tuple | None]"


class Contrast(NamedTuple):
    """How the figures of two samples differ."""
    blocks: int  # that were paired; 0: the samples are independent
    counts: tuple[int, int]  # runs that were used
    left_out: int = 0  # runs of blocks that only one of them has, or of none
    figures: tuple[float, float] = (0.0, 0.0)  # their medians
    ratio: float | None = None  # second / first; None if one of them has no run
    interval: Interval | None = None  # of the ratio
    p: float = 1.0
    sd: float = 0.0  # of the logarithm of the ratio of a pair

    @property
    def precision(self) -> float:
        """Half the width of the interval, as a logarithm: 0.01 is 1 %."""
        return math.log(self.interval.high / self.interval.low) / 2 if self.interval else math.inf

    def of_logs(self, first: Sequence[float], second: Sequence[float],
                difference: Difference) -> Contrast:
        """The same with its figures and ratio, from logarithms."""
        effect, interval, p, sd = difference
        return self._replace(figures=(math.exp(median(first)), math.exp(median(second))),
                             ratio=math.exp(effect), interval=interval and interval.exp(), p=p,
                             sd=sd)


def by_block(points: Sequence[Point]) -> dict:
    """The mean of the logarithms of each block."""
    found: dict = {}
    for log, block in points:
        found.setdefault(block, []).append(log)
    return {block: mean(logs) for block, logs in found.items()}


def contrast(first: list[Point], second: list[Point]) -> Contrast:
    """The ratio of a figure of two samples.  If they have blocks in common, only the runs of these
    count: the figure of a block is the geometric mean of its runs, and what drifts from block to
    block cancels out.  Otherwise what drifted between the samples counts as a difference."""
    blocks = {block for _, block in first if block is not None} & {block for _, block in second}
    samples = [[point for point in sample if not blocks or point[1] in blocks]
               for sample in (first, second)]
    counts = len(samples[0]), len(samples[1])
    made = Contrast(len(blocks), counts, len(first) + len(second) - sum(counts))
    if not first or not second:
        return made
    before, after = ([log for log, _ in sample] for sample in samples)
    means = list(map(by_block, samples))
    return made.of_logs(before, after, unpaired(before, after) if not blocks else
                        paired([means[1][block] - log for block, log in means[0].items()]))


def is_shown(ratio: float, p: float, least: float) -> bool:
    """True if a ratio is more than chance, and by a factor that counts, of which least is the
    logarithm; p is adjusted for all that is said beside it."""
    return p <= 0.05 and abs(math.log(ratio)) >= least


# Gates: may something be worse?


def gate(interval: Interval | None, allowed: float, more_is_better: bool) -> int:
    """An exit status, of the interval of a ratio to what it is compared with.  0: it shows that
    nothing is worse by more than was allowed, a share; 4: that it is; 5: it is too wide to tell."""
    if interval is None:
        return 5
    if more_is_better:
        return 0 if interval.low >= 1 - allowed else 4 if interval.high < 1 - allowed else 5
    return 0 if interval.high <= 1 + allowed else 4 if interval.low > 1 + allowed else 5


def worst_gate(statuses: Sequence[int]) -> int:
    """The status of several: that something is worse says more than that it cannot be told."""
    return next((status for status in (4, 5) if status in statuses), 0 if statuses else 5)


def why_untold(found: Contrast | None, allowed: float, more_is_better: bool, amount: float,
               unit: str) -> str:
    """Why a gate cannot tell, and how much would do, "--time {}m", where amount was too little: by
    the factor by which there would have to be more pairs until an interval, as narrow as it would
    then be, no longer has what is allowed in it."""
    if found is None or found.interval is None:
        return f"there are fewer than {LEAST} blocks or runs; measure for longer"
    distance = abs(math.log(found.ratio) - math.log(1 - allowed if more_is_better else 1 + allowed))
    factor = (found.precision / distance) ** 2 if distance else math.inf
    return f"the interval is too wide; {unit.format(math.ceil(amount * factor))} would do" \
        if factor <= 100 else "the ratio is so near the limit that no reasonable time would do"
