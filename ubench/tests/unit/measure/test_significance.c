/* SPDX-License-Identifier: ISC */
/* Checked against figures that others have published, and by trying often how
   often it is wrong. */
#include "measure/significance.h"

#include <math.h>

#include "core/random.h"
#include "tests/lib/check.h"

static void check_close(const char *row, double got, double wanted,
                        double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance))
        fail_msg("%s: got %.17g, wanted %.17g, give or take %g", row, got,
                 wanted, tolerance);
}

/* The two series of which SciPy's tests of ttest_ind say what SAS and R make
   of them (trim=0.09, which is one value on each side; unequal variances). */
TEST(unpaired_agrees_with_sas)
{
    static const double a[] = {
        12, 14, 18, 25, 32, 44, 12, 14, 18, 25, 32, 44
    };
    static const double b[] = { 17, 22, 14, 12, 30, 29, 19,
                                17, 22, 14, 12, 30, 29, 19 };
    const struct significance test =
        significance_unpaired(b, COUNT_OF(b), a, COUNT_OF(a));
    const struct significance turned =
        significance_unpaired(a, COUNT_OF(a), b, COUNT_OF(b));

    check_close("t", test.effect / test.standard_error, 0.669169, 1e-6);
    /* SAS has P = 0.514522 from all degrees of freedom, 14.3. */
    check_number("degrees", test.degrees, 12);
    check_close("p", test.p, 0.514522, 0.003);
    check_close("turned shift", turned.effect, -test.effect, 1e-12);
    check_close("turned p", turned.p, test.p, 1e-12);
    check_close("turned low", turned.interval.low, -test.interval.high, 1e-12);
}

/* Pairs: the trimmed mean of the differences, which test_statistics.c holds to
   R and Wilcox; nine of them have 5 degrees of freedom here, t = 2.5706. */
TEST(paired_is_a_trimmed_mean)
{
    static const double values[] = { 3, -1, 4, 1, -5, 9, 2, 6, 5 };
    const struct trimmed_mean mean =
        statistics_trimmed_mean(values, COUNT_OF(values), 1);
    const struct significance test =
        significance_paired(values, COUNT_OF(values));

    check_close("shift", test.effect, 20.0 / 7, 1e-12);
    check_close("error", test.standard_error, mean.standard_error, 1e-12);
    check_number("degrees", test.degrees, 5);
    check_close("coverage", test.interval.coverage, 0.95, 0);
    check_close("low", test.interval.low,
                20.0 / 7 - 2.5706 * mean.standard_error, 1e-4);
    check_close("high", test.interval.high,
                20.0 / 7 + 2.5706 * mean.standard_error, 1e-4);
}

/* p and the interval are two ways to say the same. */
TEST(interval_and_p_agree)
{
    static const double values[] = { 3, -1, 4, 1, -5, 9, 2, 6, 5 };
    const struct significance test =
        significance_paired(values, COUNT_OF(values));
    double moved[COUNT_OF(values)];

    for (size_t i = 0; i < COUNT_OF(values); i++)
        moved[i] = values[i] - test.interval.low;
    check_close("p", significance_paired(moved, COUNT_OF(moved)).p, 0.05, 1e-9);
}

/* One wild pair of nine changes nothing, whichever way it points. */
TEST(one_outlier_is_not_noticed)
{
    double values[] = { 9.7, 10.1, 10.2, 9.9, 10.3, 9.8, 10.0, 10.4, 0 };

    for (int i = 0; i < 2; i++) {
        values[8] = i == 0 ? -300 : 300;
        check_close("shift", significance_paired(values, 9).effect, 10.05,
                    0.06);
        check("p", significance_paired(values, 9).p < 0.0001, "p < 0.0001");
    }
}

TEST(few_values_say_nothing)
{
    static const double from[] = { 1, 2, 3, 4, 5, 6 };
    static const double to[] = { 101, 103, 102, 104, 106, 105 };

    for (size_t n = 1; n <= 6; n++) {
        const struct significance pairs = significance_paired(to, n);
        const struct significance series =
            significance_unpaired(from, n, to, 6);

        check_number("pairs", pairs.degrees > 0, n >= SIGNIFICANCE_MIN);
        check_number("pairs", pairs.p < 0.05, n >= SIGNIFICANCE_MIN);
        check_number("pairs", pairs.interval.coverage > 0,
                     n >= SIGNIFICANCE_MIN);
        check_number("series", series.degrees > 0, n >= SIGNIFICANCE_MIN);
        check_number("series", series.p < 0.05, n >= SIGNIFICANCE_MIN);
        check("shift", pairs.effect > 100 && series.effect > 95,
              "there is one");
    }
}

TEST(constant_values)
{
    static const double zeros[9] = { 0 };
    static const double ones[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 };

    check_close("no difference", significance_paired(zeros, 9).p, 1, 0);
    check_close("no difference", significance_unpaired(ones, 9, ones, 9).p, 1,
                0);
    check_close("always the same", significance_paired(ones, 9).p, 0, 0);
    check_close("always the same", significance_unpaired(zeros, 9, ones, 9).p,
                0, 0);
    check_close("interval", significance_paired(ones, 9).interval.low, 1, 0);
}

/* Standard normal: the sum of twelve uniform values, whose tails are a little
   short, is not good enough here. */
static double draw_normal(uint64_t *position)
{
    const double u = ((double)(random_at(1, *position) >> 11) + 0.5) / 0x1p53;
    const double v = (double)(random_at(2, *position) >> 11) / 0x1p53;

    (*position)++;
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

/* One value of ten is from a wider distribution. */
static double draw_contaminated(uint64_t *position)
{
    const double value = draw_normal(position);

    return random_at(3, *position) % 10 == 0 ? 5 * value : value;
}

static double draw_lognormal(uint64_t *position)
{
    return exp(0.5 * draw_normal(position));
}

enum { TRIES = 20000 };

/* The share of tries in which p is at most 0.05, and 0.0125. */
static void check_level(const char *row, double (*draw)(uint64_t *),
                        size_t count, bool paired)
{
    uint64_t position = 0;
    size_t often = 0;
    size_t rarely = 0;

    for (size_t i = 0; i < TRIES; i++) {
        double from[20];
        double to[20];

        for (size_t k = 0; k < count; k++) {
            from[k] = draw(&position);
            to[k] = draw(&position);
            from[k] -= paired ? to[k] : 0;
        }
        const double p =
            (paired ? significance_paired(from, count)
                    : significance_unpaired(from, count, to, count))
                .p;
        often += p <= 0.05;
        rarely += p <= 0.0125;
    }
    /* A standard error is 0.0015 and 0.0008. */
    check(row, (double)often / (double)TRIES <= 0.053, "P(p <= 0.05) <= 0.05");
    check(row, (double)rarely / (double)TRIES <= 0.0145,
          "P(p <= 0.0125) <= 0.0125");
    check(row, (double)often / (double)TRIES >= 0.005, "and it does come up");
}

TEST(chance_is_as_rare_as_p_says)
{
    static const struct {
        const char *name;
        double (*draw)(uint64_t *);
    } shapes[] = {
        { "normal", draw_normal },
        { "contaminated", draw_contaminated },
        { "lognormal", draw_lognormal },
    };
    static const size_t counts[] = { 6, 9, 20 };

    for (size_t s = 0; s < COUNT_OF(shapes); s++) {
        for (size_t c = 0; c < COUNT_OF(counts); c++) {
            check_level(shapes[s].name, shapes[s].draw, counts[c], true);
            check_level(shapes[s].name, shapes[s].draw, counts[c], false);
        }
    }
}

/* R: p.adjust(p, "holm").  The second is the example of many textbooks: of
   0.01, 0.04, 0.03 and 0.005 the first and the last hold at 5 %. */
TEST(adjustment_agrees_with_r)
{
    static const struct {
        double p[5], adjusted[5];
        size_t count;
    } cases[] = {
        { { 0.01, 0.02, 0.03, 0.04, 0.05 },
          { 0.05, 0.08, 0.09, 0.09, 0.09 },
          5 },
        { { 0.01, 0.04, 0.03, 0.005 }, { 0.03, 0.06, 0.06, 0.02 }, 4 },
        { { 0.5, 0.6 }, { 1, 1 }, 2 },
        { { 0.04 }, { 0.04 }, 1 },
        { { 0 }, { 0 }, 0 },
    };

    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        double p[5];

        memcpy(p, cases[c].p, sizeof p);
        significance_adjust(p, cases[c].count);
        for (size_t i = 0; i < cases[c].count; i++)
            check_close("p", p[i], cases[c].adjusted[i], 1e-15);
    }
}
