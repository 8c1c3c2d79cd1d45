# SPDX-License-Identifier: ISC
"""Against what others have published and certified, each case says who, against scipy, and by
trying often how often it is wrong."""

import math
import random
import unittest

from report import stats

# NIST's Statistical Reference Datasets: "Michelso", the speed of light of 1879 in Mm/s.
MICHELSON = [float(f"29{value}") / 100 if value[0] == "9" else float(f"30{value[1:]}") / 100
             for value in """
985 974 990 x007 993 985 995 998 998 988 x000 998 993 965 976 981 x000 x000 996 996 996 994 996 994
988 980 985 988 990 984 983 979 981 988 988 983 980 979 976 980 988 988 988 986 972 972 962 986 997
995 988 991 985 987 984 984 985 984 984 984 989 981 981 982 980 977 976 974 975 976 991 992 989 986
988 972 984 985 985 978 989 984 978 981 976 981 979 981 982 985 987 987 981 974 981 994 995 980 981
987""".split()]
# Dana (1990), the running example of Wilcox, "Introduction to Robust Estimation", chapter 3.
AWARENESS = [77, 87, 88, 114, 151, 210, 219, 246, 253, 262, 296, 299, 306, 376, 428, 515, 666, 1310,
             2611]


class Published(unittest.TestCase):
    def close(self, got, wanted, tolerance):
        self.assertLessEqual(abs(got - wanted), tolerance, f"{got!r} is not {wanted!r}")

    def test_mean_and_deviation(self):
        self.close(stats.mean(MICHELSON), 299.8524, 1e-12)
        self.close(stats.sd(MICHELSON), 0.0790105478190518, 1e-12)
        self.assertEqual((stats.mean([1e7 + 1, 1e7 + 3, 1e7 + 2]), stats.sd([5.0])), (1e7 + 2, 0))
        for middle, tolerance in ((1.2, 1e-14), (1000000.2, 1e-9), (10000000.2, 1e-8)):  # NumAcc
            values = [middle] + [middle + (0.1 if i % 2 else -0.1) for i in range(1000)]
            self.close(stats.sd(values), 0.1, 0.1 * tolerance)

    def test_median_intervals_are_those_of_the_tables(self):
        for count, low, high, coverage in (
                (6, 1, 6, .969), (7, 1, 7, .984), (8, 1, 8, .992), (9, 2, 8, .961),
                (10, 2, 9, .979), (11, 2, 10, .988), (12, 3, 10, .961), (15, 4, 12, .965),
                (17, 5, 13, .951), (20, 6, 15, .959), (100, 40, 61, .965), (1000, 469, 532, .954)):
            values = random.Random(count).sample(range(1, count + 1), count)
            interval = stats.median_interval(values)
            self.assertEqual(interval[:2], (low, high), count)
            self.close(interval.coverage, coverage, 0.00051)
        for count in (1, 5, 1001):
            self.assertIsNone(stats.median_interval([1.0] * count))
        self.assertEqual((stats.median(AWARENESS), stats.median([4, 1, 3, 2])), (262, 2.5))

    def test_t(self):
        for p, degrees, t in ((.975, 1, 12.7062), (.975, 2, 4.3027), (.975, 6, 2.4469),
                              (.975, 30, 2.0423), (.95, 6, 1.9432), (.995, 8, 3.3554),
                              (.975, 10**4, 1.9602), (.5, 3, 0)):
            self.close(stats.t_quantile(p, degrees), t, 0.00005)
            self.close(stats.t_p(stats.t_quantile(p, degrees), degrees), 2 - 2 * p, 1e-12)
        self.assertEqual(stats.t_p(math.inf, 5), 0)

    def test_trimmed_mean_agrees_with_r_and_wilcox(self):
        trimmed = stats.trimmed_mean(AWARENESS, 1)  # PairedData's yuen.t.test, trim = 1/19
        self.close(trimmed.mean, 342.705882352941, 1e-11)
        self.close(trimmed.winsorised_sd**2, 129679.029239766, 1e-8)
        self.close(trimmed.standard_error, 92.3342348150314, 1e-11)
        self.assertEqual(trimmed.degrees, 16)
        self.close(trimmed.interval.low, 146.966048669017, 1e-10)
        self.close(trimmed.interval.high, 538.445716036866, 1e-10)
        trimmed = stats.trimmed_mean(AWARENESS, 3)  # Wilcox drops 20 %
        self.close(trimmed.mean, 282.7, 0.05)
        self.close(trimmed.standard_error * (1 - 6 / 19) / 0.6, 56.1, 0.05)
        self.close(stats.trimmed_mean(AWARENESS, 0).standard_error, 136, 0.5)
        self.assertEqual(stats.headline([95, 120, 102, 98, 101, 99, 30, 100, 105]).mean, 100)
        self.assertEqual(stats.headline([3, 1]).mean, 2)
        self.assertIsNone(stats.headline([3, 1, 2]).interval)

    def test_unpaired_agrees_with_sas(self):
        a = [12, 14, 18, 25, 32, 44, 12, 14, 18, 25, 32, 44]
        b = [17, 22, 14, 12, 30, 29, 19, 17, 22, 14, 12, 30, 29, 19]
        test, turned = stats.unpaired(b, a), stats.unpaired(a, b)
        self.close(test.p, 0.514522, 0.003)  # from 14.3 degrees of freedom, here 12
        self.close(turned.effect, -test.effect, 1e-12)
        self.close(turned.interval.low, -test.interval.high, 1e-12)
        error = (test.interval.high - test.effect) / stats.t_quantile(0.975, 12)
        self.close(test.effect / error, 0.669169, 1e-6)

    def test_paired(self):
        values = [3, -1, 4, 1, -5, 9, 2, 6, 5]
        test = stats.paired(values)
        self.close(test.effect, 20 / 7, 1e-12)
        self.close(test.interval.low,
                   20 / 7 - 2.5706 * stats.trimmed_mean(values, 1).standard_error, 1e-4)
        moved = stats.paired([value - test.interval.low for value in values])
        self.close(moved.p, 0.05, 1e-9)  # p and the interval say the same
        for outlier in (-300, 300):
            wild = stats.paired([9.7, 10.1, 10.2, 9.9, 10.3, 9.8, 10.0, 10.4, outlier])
            self.close(wild.effect, 10.05, 0.06)
            self.assertLess(wild.p, 0.0001)
        for count in range(1, 7):
            for few in (stats.paired([101, 103, 102, 104, 106, 105][:count]),
                        stats.unpaired([1, 2, 3, 4, 5, 6][:count], [101, 103, 102, 104, 106, 105])):
                self.assertEqual((few.interval is not None, few.p < 0.05),
                                 (count >= stats.LEAST,) * 2)

    def test_constant_values(self):
        self.assertEqual((stats.paired([0] * 9).p, stats.unpaired([1] * 9, [1] * 9).p), (1, 1))
        self.assertEqual((stats.paired([1] * 9).p, stats.unpaired([0] * 9, [1] * 9).p), (0, 0))

    def test_binomial_upper(self):
        for k, n, most in ((0, 59, 0.0495), (0, 20, 0.1391), (3, 20, 0.3437), (20, 20, 1)):
            self.close(stats.binomial_upper(k, n), most, 0.0001)

    def test_holm(self):
        self.assertEqual(stats.holm([]), [])
        self.assertEqual(stats.holm([0.02, 0.001, 0.6]), [0.04, 0.003, 0.6])
        self.assertEqual(stats.holm([0.9, 0.8]), [1.0, 1.0])
        self.assertEqual(stats.holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06])


class Tried(unittest.TestCase):
    def test_chance_alone_is_seldom_a_difference(self):
        rnd = random.Random(1)
        for heavy in (False, True):
            wrong = [0, 0]
            for _ in range(400):
                sides = [[rnd.gauss(0, 10 if heavy and rnd.random() < 0.1 else 1) for _ in range(9)]
                         for _ in range(2)]
                pairs = [b - a for a, b in zip(*sides)]
                wrong[0] += stats.paired(pairs).p < 0.05
                wrong[1] += stats.unpaired(*sides).p < 0.05
            self.assertLess(max(wrong), 0.09 * 400)
            self.assertGreater(min(wrong), 0.01 * 400)

    def test_contrast_of_blocks(self):
        """A drift from block to block cancels out, and a turned contrast is the inverse."""
        rnd = random.Random(2)
        first, second = [], []
        for block in range(9):
            drift = rnd.uniform(0, 3)
            first += [(drift + rnd.gauss(0, 0.01), (block,)) for _ in range(2)]
            second.append((drift + math.log(1.1) + rnd.gauss(0, 0.01), (block,)))
        first.append((99.0, None))
        made, turned = stats.contrast(first, second), stats.contrast(second, first)
        self.assertEqual((made.blocks, made.counts, made.left_out), (9, (18, 9), 1))
        self.assertAlmostEqual(made.ratio, 1.1, 2)
        self.assertLess(made.p, 1e-4)
        self.assertAlmostEqual(made.ratio * turned.ratio, 1, 12)
        self.assertAlmostEqual(made.interval.low * turned.interval.high, 1, 12)
        apart = stats.contrast(*([(log, None) for log, _ in side] for side in (first, second)))
        self.assertEqual((apart.blocks, apart.left_out), (0, 0))
        self.assertGreater(apart.p, 0.05)
        self.assertIsNone(stats.contrast([], second).ratio)


class Scipy(unittest.TestCase):
    def setUp(self):
        try:
            import scipy.stats
        except ImportError:
            self.skipTest("scipy: it is not installed")
        self.scipy = scipy.stats

    def test_quantiles_and_probabilities(self):
        for degrees in (1, 2, 3, 5, 8, 17, 100):
            for p in (0.6, 0.9, 0.975, 0.9995):
                wanted = self.scipy.t.ppf(p, degrees)  # to 9 digits in scipy 1.10
                self.assertAlmostEqual(stats.t_quantile(p, degrees) / wanted, 1, 8)
                self.assertAlmostEqual(stats.t_p(wanted, degrees), 2 - 2 * p, 8)

    def test_intervals(self):
        for k, n in ((0, 1), (0, 59), (3, 20), (11, 12), (5, 1000), (400, 6756)):
            self.assertAlmostEqual(stats.binomial_upper(k, n),
                                   self.scipy.beta.ppf(0.95, k + 1, n - k), 9)
        k = int(self.scipy.binom.ppf(0.025, len(AWARENESS), 0.5))
        made, ordered = stats.median_interval(AWARENESS), sorted(AWARENESS)
        self.assertEqual((made.low, made.high), (ordered[k - 1], ordered[-k]))

    def test_trimmed(self):
        rnd = random.Random(3)
        for count in (6, 9, 19, 40):
            a, b = ([rnd.gauss(side, 1) for _ in range(count)] for side in (0, 0.5))
            g = max(count // 10, 1)
            self.assertAlmostEqual(stats.trimmed_mean(a, g).mean,
                                   self.scipy.trim_mean(a, (g + 0.5) / count), 12)
            wanted = self.scipy.ttest_ind(b, a, equal_var=False, trim=(g + 0.01) / count)
            # One degree of freedom fewer is used here.
            self.assertLess(abs(stats.unpaired(a, b).p - wanted.pvalue), 0.4 / count)
