# SPDX-License-Identifier: ISC
"""Statistics: beside what others have published and certified (each case says who), beside scipy,
and by counting how often they are wrong."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from ubench import stats
from ubench.stats import Point


def digits(text: str) -> list[float]:
    """The values of MICHELSON: 985 is 299.85, and x007 is 300.07."""
    return [
        float(f"30{word[1:]}") / 100 if word[0] == "x" else float(f"29{word}") / 100
        for word in text.split()
    ]


# NIST's Statistical Reference Datasets: "Michelso", the speed of light of 1879 in Mm/s.
MICHELSON = digits("""
985 974 990 x007 993 985 995 998 998 988 x000 998 993 965 976 981 x000 x000 996 996 996 994 996 994
988 980 985 988 990 984 983 979 981 988 988 983 980 979 976 980 988 988 988 986 972 972 962 986 997
995 988 991 985 987 984 984 985 984 984 984 989 981 981 982 980 977 976 974 975 976 991 992 989 986
988 972 984 985 985 978 989 984 978 981 976 981 979 981 982 985 987 987 981 974 981 994 995 980 981
987""")
# Dana (1990), the running example of Wilcox, "Introduction to Robust Estimation", chapter 3.
AWARENESS = [
    77, 87, 88, 114, 151, 210, 219, 246, 253, 262, 296, 299, 306, 376, 428, 515, 666, 1310, 2611,
]


def near(value: float, tolerance: float) -> Any:
    return pytest.approx(value, rel=0, abs=tolerance)


# ---- Published figures


def test_mean_and_deviation() -> None:
    assert stats.mean(MICHELSON) == near(299.8524, 1e-12)
    assert stats.sd(MICHELSON) == near(0.0790105478190518, 1e-12)
    assert stats.mean([1e7 + 1, 1e7 + 3, 1e7 + 2]) == 1e7 + 2
    assert stats.sd([5.0]) == 0


@pytest.mark.parametrize(
    ("middle", "tolerance"), [(1.2, 1e-14), (1000000.2, 1e-9), (10000000.2, 1e-8)]
)
def test_the_deviation_keeps_its_precision(middle: float, tolerance: float) -> None:
    """NIST's NumAcc2 to NumAcc4."""
    values = [middle] + [middle + (0.1 if i % 2 else -0.1) for i in range(1000)]
    assert stats.sd(values) == near(0.1, 0.1 * tolerance)


@pytest.mark.parametrize(
    ("count", "low", "high", "coverage"),
    [
        (6, 1, 6, 0.969), (7, 1, 7, 0.984), (8, 1, 8, 0.992), (9, 2, 8, 0.961), (10, 2, 9, 0.979),
        (11, 2, 10, 0.988), (12, 3, 10, 0.961), (15, 4, 12, 0.965), (17, 5, 13, 0.951),
        (20, 6, 15, 0.959), (100, 40, 61, 0.965), (1000, 469, 532, 0.954),
    ],
)
def test_median_intervals_are_those_of_the_tables(
    count: int, low: int, high: int, coverage: float
) -> None:
    values = random.Random(count).sample(range(1, count + 1), count)
    interval = stats.median_interval(values)
    assert interval is not None
    assert (interval.low, interval.high) == (low, high)
    assert interval.coverage == near(coverage, 0.00051)


def test_few_values_and_too_many_have_no_median_interval() -> None:
    for count in (1, 5, 1001):
        assert stats.median_interval([1.0] * count) is None
    assert (stats.median(AWARENESS), stats.median([4, 1, 3, 2])) == (262, 2.5)


def test_a_summary_has_the_interval_or_all_values() -> None:
    few, many = stats.summarise([3, 1, 2]), stats.summarise(AWARENESS)
    assert few is not None
    assert many is not None
    assert many.interval is not None
    assert (few.median, few.low, few.high, few.interval) == (2, 1, 3, None)
    assert (many.median, many.low, many.high) == (262, many.interval.low, many.interval.high)
    assert stats.summarise([]) is None


@pytest.mark.parametrize(
    ("p", "degrees", "t"),
    [
        (0.975, 1, 12.7062), (0.975, 2, 4.3027), (0.975, 6, 2.4469), (0.975, 30, 2.0423),
        (0.95, 6, 1.9432), (0.995, 8, 3.3554), (0.975, 10**4, 1.9602), (0.5, 3, 0),
    ],
)
def test_quantiles_of_student(p: float, degrees: int, t: float) -> None:
    assert stats.t_quantile(p, degrees) == near(t, 0.00005)
    assert stats.t_p(stats.t_quantile(p, degrees), degrees) == near(2 - 2 * p, 1e-12)
    assert stats.t_p(math.inf, degrees) == 0


def test_trimmed_mean_agrees_with_r() -> None:
    """PairedData's yuen.t.test, trim = 1/19."""
    trimmed = stats.trimmed_mean(AWARENESS, 1)
    assert trimmed.mean == near(342.705882352941, 1e-11)
    assert trimmed.winsorised_sd**2 == near(129679.029239766, 1e-8)
    assert trimmed.standard_error == near(92.3342348150314, 1e-11)
    assert trimmed.degrees == 16
    assert trimmed.interval is not None
    assert trimmed.interval.low == near(146.966048669017, 1e-10)
    assert trimmed.interval.high == near(538.445716036866, 1e-10)


def test_trimmed_mean_agrees_with_wilcox() -> None:
    """He drops 20 %."""
    trimmed = stats.trimmed_mean(AWARENESS, 3)
    assert trimmed.mean == near(282.7, 0.05)
    assert trimmed.standard_error * (1 - 6 / 19) / 0.6 == near(56.1, 0.05)
    assert stats.trimmed_mean(AWARENESS, 0).standard_error == near(136, 0.5)


def test_the_headline_drops_one_value_on_each_side() -> None:
    assert stats.headline_figure([95, 120, 102, 98, 101, 99, 30, 100, 105]).mean == 100
    assert stats.headline_figure([3, 1]).mean == 2
    assert stats.headline_figure([3, 1, 2]).interval is None


def test_unpaired_agrees_with_sas() -> None:
    a = [12, 14, 18, 25, 32, 44, 12, 14, 18, 25, 32, 44]
    b = [17, 22, 14, 12, 30, 29, 19, 17, 22, 14, 12, 30, 29, 19]
    test, turned = stats.unpaired(b, a), stats.unpaired(a, b)
    assert test.interval is not None
    assert turned.interval is not None
    assert test.p == near(0.514522, 0.003)  # from 14.3 degrees of freedom, here 12
    assert turned.effect == near(-test.effect, 1e-12)
    assert turned.interval.low == near(-test.interval.high, 1e-12)
    error = (test.interval.high - test.effect) / stats.t_quantile(0.975, 12)
    assert test.effect / error == near(0.669169, 1e-6)


def test_paired() -> None:
    values = [3, -1, 4, 1, -5, 9, 2, 6, 5]
    test = stats.paired(values)
    assert test.interval is not None
    assert test.effect == near(20 / 7, 1e-12)
    margin = 2.5706 * stats.trimmed_mean(values, 1).standard_error
    assert test.interval.low == near(20 / 7 - margin, 1e-4)
    moved = stats.paired([value - test.interval.low for value in values])
    assert moved.p == near(0.05, 1e-9)  # p and the interval say the same


@pytest.mark.parametrize("outlier", [-300, 300])
def test_an_outlier_changes_little(outlier: float) -> None:
    wild = stats.paired([9.7, 10.1, 10.2, 9.9, 10.3, 9.8, 10.0, 10.4, outlier])
    assert wild.effect == near(10.05, 0.06)
    assert wild.p < 0.0001


@pytest.mark.parametrize("count", range(1, 7))
def test_few_values_say_nothing(count: int) -> None:
    far = [101, 103, 102, 104, 106, 105][:count]
    for test in (stats.paired(far), stats.unpaired([1, 2, 3, 4, 5, 6][:count], far)):
        assert (test.interval is not None) == (test.p < 0.05) == (count >= stats.LEAST)


def test_constant_values() -> None:
    assert (stats.paired([0] * 9).p, stats.unpaired([1] * 9, [1] * 9).p) == (1, 1)
    assert (stats.paired([1] * 9).p, stats.unpaired([0] * 9, [1] * 9).p) == (0, 0)


@pytest.mark.parametrize(
    ("k", "n", "most"), [(0, 59, 0.0495), (0, 20, 0.1391), (3, 20, 0.3437), (20, 20, 1)]
)
def test_binomial_upper(k: int, n: int, most: float) -> None:
    assert stats.binomial_upper(k, n) == near(most, 0.0001)


@pytest.mark.parametrize(
    ("ps", "adjusted"),
    [
        ([], []),
        ([0.02, 0.001, 0.6], [0.04, 0.003, 0.6]),
        ([0.9, 0.8], [1.0, 1.0]),
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
    ],
)
def test_holm(ps: list[float], adjusted: list[float]) -> None:
    assert stats.holm(ps) == adjusted


# ---- How often they are wrong


def test_chance_alone_is_seldom_a_difference() -> None:
    chance = random.Random(1)

    def side(is_heavy: bool) -> list[float]:
        return [
            chance.gauss(0, 10 if is_heavy and chance.random() < 0.1 else 1) for _ in range(9)
        ]

    for is_heavy in (False, True):
        paired = unpaired = 0
        for _ in range(400):
            before, after = side(is_heavy), side(is_heavy)
            differences = [b - a for a, b in zip(before, after, strict=True)]
            paired += stats.paired(differences).p < 0.05
            unpaired += stats.unpaired(before, after).p < 0.05
        assert min(paired, unpaired) > 0.01 * 400
        assert max(paired, unpaired) < 0.09 * 400


# ---- Contrasts


def campaign() -> tuple[list[Point], list[Point]]:
    """Two samples in 9 blocks, the second 1.1 times the first, while the machine drifts."""
    chance = random.Random(2)
    first, second = [], []
    for block in range(9):
        drift = chance.uniform(0, 3)
        first += [Point(drift + chance.gauss(0, 0.01), block) for _ in range(2)]
        second.append(Point(drift + math.log(1.1) + chance.gauss(0, 0.01), block))
    return first, second


def test_blocks_cancel_a_drift() -> None:
    first, second = campaign()
    first.append(Point(99.0))
    made = stats.contrast(first, second)
    assert (made.blocks, made.counts, made.left_out) == (9, (18, 9), 1)
    assert made.ratio == near(1.1, 0.005)
    assert made.p < 1e-4
    assert made.precision < 0.02


def test_a_turned_contrast_is_the_inverse() -> None:
    first, second = campaign()
    made, turned = stats.contrast(first, second), stats.contrast(second, first)
    assert made.ratio is not None
    assert made.interval is not None
    assert turned.ratio is not None
    assert turned.interval is not None
    assert made.ratio * turned.ratio == near(1, 1e-12)
    assert made.interval.low * turned.interval.high == near(1, 1e-12)
    assert made.medians == turned.medians[::-1]


def test_without_blocks_a_drift_counts() -> None:
    first, second = ([Point(point.log) for point in side] for side in campaign())
    apart = stats.contrast(first, second)
    assert (apart.blocks, apart.left_out) == (0, 0)
    assert apart.p > 0.05


def test_a_contrast_needs_both_samples() -> None:
    _, second = campaign()
    empty = stats.contrast([], second)
    assert (empty.ratio, empty.interval, empty.precision) == (None, None, math.inf)


@pytest.mark.parametrize(
    ("ratio", "p", "shown"), [(1.05, 0.01, True), (1.05, 0.06, False), (0.98, 0.01, False)]
)
def test_a_difference_is_shown_if_it_counts(ratio: float, p: float, shown: bool) -> None:
    assert stats.is_shown(ratio, p, math.log(1.03)) is shown


# ---- scipy


@pytest.fixture()
def scipy_stats() -> Any:
    return pytest.importorskip("scipy.stats")


@pytest.mark.parametrize("degrees", [1, 2, 3, 5, 8, 17, 100])
@pytest.mark.parametrize("p", [0.6, 0.9, 0.975, 0.9995])
def test_student_agrees_with_scipy(scipy_stats: Any, degrees: int, p: float) -> None:
    expected = scipy_stats.t.ppf(p, degrees)  # to 9 digits in scipy 1.10
    assert stats.t_quantile(p, degrees) / expected == near(1, 1e-8)
    assert stats.t_p(expected, degrees) == near(2 - 2 * p, 1e-8)


@pytest.mark.parametrize(
    ("k", "n"), [(0, 1), (0, 59), (3, 20), (11, 12), (5, 1000), (400, 6756)]
)
def test_binomial_upper_agrees_with_scipy(scipy_stats: Any, k: int, n: int) -> None:
    assert stats.binomial_upper(k, n) == near(scipy_stats.beta.ppf(0.95, k + 1, n - k), 1e-9)


def test_median_interval_agrees_with_scipy(scipy_stats: Any) -> None:
    k = int(scipy_stats.binom.ppf(0.025, len(AWARENESS), 0.5))
    made, ordered = stats.median_interval(AWARENESS), sorted(AWARENESS)
    assert made is not None
    assert (made.low, made.high) == (ordered[k - 1], ordered[-k])


@pytest.mark.parametrize("count", [6, 9, 19, 40])
def test_trimmed_means_agree_with_scipy(scipy_stats: Any, count: int) -> None:
    chance = random.Random(count)
    a, b = ([chance.gauss(side, 1) for _ in range(count)] for side in (0, 0.5))
    g = max(count // 10, 1)
    assert stats.trimmed_mean(a, g).mean == near(
        scipy_stats.trim_mean(a, (g + 0.5) / count), 1e-12)
    expected = scipy_stats.ttest_ind(b, a, equal_var=False, trim=(g + 0.01) / count)
    # One degree of freedom fewer is used here.
    assert abs(stats.unpaired(a, b).p - expected.pvalue) < 0.4 / count
