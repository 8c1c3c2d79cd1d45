/* SPDX-License-Identifier: ISC */
/* Checked against what others have published and certified; each case says
   who.  NIST StRD: the Statistical Reference Datasets of NIST, which certify
   mean and standard deviation to 15 digits. */
#include "measure/statistics.h"

#include <math.h>

#include "tests/lib/check.h"

/* NIST StRD "Mavro": filter transmittance. */
static const double mavro[] = {
    2.00180, 2.00170, 2.00180, 2.00190, 2.00180, 2.00170, 2.00150, 2.00140,
    2.00150, 2.00150, 2.00170, 2.00180, 2.00180, 2.00190, 2.00190, 2.00210,
    2.00200, 2.00160, 2.00140, 2.00130, 2.00130, 2.00150, 2.00150, 2.00160,
    2.00150, 2.00140, 2.00130, 2.00140, 2.00150, 2.00140, 2.00150, 2.00160,
    2.00150, 2.00160, 2.00190, 2.00200, 2.00200, 2.00210, 2.00220, 2.00230,
    2.00240, 2.00250, 2.00270, 2.00260, 2.00260, 2.00260, 2.00270, 2.00260,
    2.00250, 2.00240,
};

/* NIST StRD "Michelso": Michelson's speed of light of 1879, in Mm/s. */
static const double michelson[] = {
    299.85, 299.74, 299.90, 300.07, 299.93, 299.85, 299.95, 299.98, 299.98,
    299.88, 300.00, 299.98, 299.93, 299.65, 299.76, 299.81, 300.00, 300.00,
    299.96, 299.96, 299.96, 299.94, 299.96, 299.94, 299.88, 299.80, 299.85,
    299.88, 299.90, 299.84, 299.83, 299.79, 299.81, 299.88, 299.88, 299.83,
    299.80, 299.79, 299.76, 299.80, 299.88, 299.88, 299.88, 299.86, 299.72,
    299.72, 299.62, 299.86, 299.97, 299.95, 299.88, 299.91, 299.85, 299.87,
    299.84, 299.84, 299.85, 299.84, 299.84, 299.84, 299.89, 299.81, 299.81,
    299.82, 299.80, 299.77, 299.76, 299.74, 299.75, 299.76, 299.91, 299.92,
    299.89, 299.86, 299.88, 299.72, 299.84, 299.85, 299.85, 299.78, 299.89,
    299.84, 299.78, 299.81, 299.76, 299.81, 299.79, 299.81, 299.82, 299.85,
    299.87, 299.87, 299.81, 299.74, 299.81, 299.94, 299.95, 299.80, 299.81,
    299.87,
};

/* NIST StRD "NumAcc1". */
static const double numacc1[] = { 10000001, 10000003, 10000002 };

/* The self-awareness data of Dana (1990), the running example of Wilcox,
   "Introduction to Robust Estimation and Hypothesis Testing", chapter 3. */
static const double awareness[] = {
    77,  87,  88,  114, 151, 210, 219, 246,  253,  262,
    296, 299, 306, 376, 428, 515, 666, 1310, 2611,
};

static void check_close(const char *row, double got, double wanted,
                        double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance))
        fail_msg("%s: got %.17g, wanted %.17g, give or take %g", row, got,
                 wanted, tolerance);
}

static void no_interval(const char *row, const struct interval *interval)
{
    check_close(row, interval->coverage, 0, 0);
    check_close(row, interval->low, 0, 0);
    check_close(row, interval->high, 0, 0);
}

TEST(mean_and_deviation_are_as_certified)
{
    static const struct {
        const char *row;
        const double *values;
        size_t count;
        double mean, sd, relative_error;
    } cases[] = {
        { "Mavro", mavro, COUNT_OF(mavro), 2.001856, 0.000429123454003053,
          1e-12 },
        { "Michelso", michelson, COUNT_OF(michelson), 299.8524,
          0.0790105478190518, 1e-12 },
        { "NumAcc1", numacc1, COUNT_OF(numacc1), 10000002, 1, 0 },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        check_close(cases[i].row,
                    statistics_mean(cases[i].values, cases[i].count),
                    cases[i].mean, 1e-15 * cases[i].mean);
        check_close(cases[i].row,
                    statistics_sd(cases[i].values, cases[i].count), cases[i].sd,
                    cases[i].relative_error * cases[i].sd);
    }
}

/* NIST StRD "NumAcc2" to "NumAcc4": 1001 values, one at the mean and then
   0.1 below and above in turn; the standard deviation is 0.1. */
TEST(large_means_do_not_spoil_the_deviation)
{
    static const struct {
        double mean, relative_error;
    } cases[] = { { 1.2, 1e-14 }, { 1000000.2, 1e-9 }, { 10000000.2, 1e-8 } };
    double values[1001];

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        values[0] = cases[i].mean;
        for (size_t k = 1; k < COUNT_OF(values); k++)
            values[k] = cases[i].mean + (k % 2 == 1 ? -0.1 : 0.1);
        check_close("mean", statistics_mean(values, COUNT_OF(values)),
                    cases[i].mean, 2e-16 * cases[i].mean);
        check_close("sd", statistics_sd(values, COUNT_OF(values)), 0.1,
                    0.1 * cases[i].relative_error);
    }
}

TEST(one_value_is_its_own_mean)
{
    static const double value[] = { 42.5 };

    check_close("mean", statistics_mean(value, 1), 42.5, 0);
    check_close("sd", statistics_sd(value, 1), 0, 0);
    check_close("median", statistics_median(value, 1), 42.5, 0);
}

TEST(medians_are_in_the_middle)
{
    static const double odd[] = { 3, 1, 2 };
    static const double even[] = { 4, 1, 3, 2 };

    check_close("odd", statistics_median(odd, COUNT_OF(odd)), 2, 0);
    check_close("even", statistics_median(even, COUNT_OF(even)), 2.5, 0);
    check_close("Wilcox", statistics_median(awareness, COUNT_OF(awareness)),
                262, 0);
    check_close("Michelso", statistics_median(michelson, COUNT_OF(michelson)),
                299.85, 0);
}

/* Which order statistics bound the median, and how often: the tables of Nair
   (1940) and of many textbooks, with coverages to 0.1 %. */
TEST(median_intervals_are_those_of_the_tables)
{
    static const struct {
        size_t count, low, high;
        double coverage;
    } cases[] = {
        { 6, 1, 6, 0.969 },     { 7, 1, 7, 0.984 },        { 8, 1, 8, 0.992 },
        { 9, 2, 8, 0.961 },     { 10, 2, 9, 0.979 },       { 11, 2, 10, 0.988 },
        { 12, 3, 10, 0.961 },   { 13, 3, 11, 0.978 },      { 14, 3, 12, 0.987 },
        { 15, 4, 12, 0.965 },   { 16, 4, 13, 0.979 },      { 17, 5, 13, 0.951 },
        { 18, 5, 14, 0.969 },   { 19, 5, 15, 0.981 },      { 20, 6, 15, 0.959 },
        { 100, 40, 61, 0.965 }, { 1000, 469, 532, 0.954 },
    };
    double values[STATISTICS_MAX];

    /* The k-th smallest is k, and none is where it belongs. */
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        const size_t count = cases[c].count;

        for (size_t i = 0; i < count; i++)
            values[i] = (double)((i * 7919 + count / 2) % count + 1);
        const struct interval interval =
            statistics_median_interval(values, count);
        check_close("low", interval.low, (double)cases[c].low, 0);
        check_close("high", interval.high, (double)cases[c].high, 0);
        check_close("coverage", interval.coverage, cases[c].coverage, 0.00051);
    }
}

TEST(five_values_have_no_median_interval)
{
    for (size_t count = 1; count <= 5; count++) {
        const struct interval interval =
            statistics_median_interval(awareness, count);

        no_interval("median", &interval);
    }
}

/* Any table of Student's t, to its four digits; with a million degrees of
   freedom it is the normal distribution's 1.9600. */
TEST(t_quantiles_are_those_of_the_tables)
{
    static const struct {
        double p;
        size_t degrees;
        double t;
    } cases[] = {
        { 0.975, 1, 12.7062 },      { 0.975, 2, 4.3027 },
        { 0.975, 3, 3.1824 },       { 0.975, 4, 2.7764 },
        { 0.975, 5, 2.5706 },       { 0.975, 6, 2.4469 },
        { 0.975, 7, 2.3646 },       { 0.975, 8, 2.3060 },
        { 0.975, 9, 2.2622 },       { 0.975, 10, 2.2281 },
        { 0.975, 30, 2.0423 },      { 0.975, 60, 2.0003 },
        { 0.975, 120, 1.9799 },     { 0.95, 1, 6.3138 },
        { 0.95, 6, 1.9432 },        { 0.95, 30, 1.6973 },
        { 0.995, 1, 63.6567 },      { 0.995, 8, 3.3554 },
        { 0.975, 1000000, 1.9600 }, { 0.5, 3, 0 },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check_close("t", statistics_t_quantile(cases[i].p, cases[i].degrees),
                    cases[i].t, 0.00005);
}

/* On both sides, and back from where the quantile led. */
TEST(t_probabilities_are_those_of_the_quantiles)
{
    static const double ps[] = { 0.5, 0.6, 0.95, 0.975, 0.9995 };

    for (size_t i = 0; i < COUNT_OF(ps); i++) {
        for (size_t degrees = 1; degrees < 40; degrees++) {
            const double t = statistics_t_quantile(ps[i], degrees);

            check_close("p", statistics_t_p(t, degrees), 2 - 2 * ps[i], 1e-12);
            check_close("-t", statistics_t_p(-t, degrees), 2 - 2 * ps[i],
                        1e-12);
        }
    }
    check_close("infinite", statistics_t_p((double)INFINITY, 5), 0, 0);
}

/* Closed forms: one degree of freedom is Cauchy's distribution, and two have
   t = (2p - 1) / sqrt(2p (1 - p)). */
TEST(t_quantiles_are_accurate)
{
    static const double ps[] = { 0.6, 0.75, 0.9, 0.975, 0.9995 };

    for (size_t i = 0; i < COUNT_OF(ps); i++) {
        const double p = ps[i];
        const double one = tan(3.14159265358979323846 * (p - 0.5));
        const double two = (2 * p - 1) / sqrt(2 * p * (1 - p));

        check_close("1", statistics_t_quantile(p, 1), one, 1e-10 * one);
        check_close("2", statistics_t_quantile(p, 2), two, 1e-10 * two);
    }
}

/*
 * What R's one-sample Yuen test (PairedData's yuen.t.test, trim = 1/19) says
 * of these data, as statsmodels quotes it in test_robust_compare.py.
 */
TEST(trimmed_mean_agrees_with_r)
{
    const struct trimmed_mean trimmed =
        statistics_trimmed_mean(awareness, COUNT_OF(awareness), 1);

    check_close("mean", trimmed.mean, 342.705882352941, 1e-11);
    check_close("winsorised variance", pow(trimmed.winsorised_sd, 2),
                129679.029239766, 1e-8);
    check_close("standard error", trimmed.standard_error, 92.3342348150314,
                1e-11);
    check_number("degrees", trimmed.degrees, 16);
    check_close("coverage", trimmed.interval.coverage, 0.95, 0);
    check_close("low", trimmed.interval.low, 146.966048669017, 1e-10);
    check_close("high", trimmed.interval.high, 538.445716036866, 1e-10);
}

/*
 * Wilcox, chapter 3: 20 % trimmed mean 282.7, winsorised variance 21551.4,
 * standard error 56.1, 12 degrees of freedom.  20 % of 19 are 3 values; he
 * divides by 1 - 2 * 0.2 where we divide by 1 - 2 * 3/19.
 */
TEST(trimmed_mean_agrees_with_wilcox)
{
    const struct trimmed_mean trimmed =
        statistics_trimmed_mean(awareness, COUNT_OF(awareness), 3);

    check_close("mean", trimmed.mean, 282.7, 0.05);
    check_close("winsorised variance", pow(trimmed.winsorised_sd, 2), 21551.4,
                0.05);
    check_close("standard error",
                trimmed.standard_error * (1 - 6.0 / 19) / (1 - 0.4), 56.1,
                0.05);
    check_number("degrees", trimmed.degrees, 12);
}

/* Of 1 ... 10 the mean is 5.5, the standard deviation sqrt(55 / 6) and
   t(.975, 9) 2.262157.  Of Wilcox's data the standard error is 136. */
TEST(nothing_dropped_is_students_interval)
{
    static const double values[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
    const struct trimmed_mean trimmed =
        statistics_trimmed_mean(values, COUNT_OF(values), 0);
    const double margin = 2.262157 * sqrt(55.0 / 6 / 10);

    check_close("mean", trimmed.mean, 5.5, 1e-14);
    check_close("low", trimmed.interval.low, 5.5 - margin, 1e-5);
    check_close("high", trimmed.interval.high, 5.5 + margin, 1e-5);
    check_close("Wilcox",
                statistics_trimmed_mean(awareness, COUNT_OF(awareness), 0)
                    .standard_error,
                136, 0.5);
}

/* Nine runs as ISC does them: 7 kept, mean -+ 1.049 s_w. */
TEST(headline_of_nine_runs)
{
    static const double runs[] = { 95, 120, 102, 98, 101, 99, 30, 100, 105 };
    static const double kept[] = { 95, 102, 98, 101, 99, 100, 105 };
    static const double winsorised[] = {
        95, 105, 102, 98, 101, 99, 95, 100, 105
    };
    const struct trimmed_mean headline =
        statistics_headline(runs, COUNT_OF(runs));
    const double sd = statistics_sd(winsorised, COUNT_OF(winsorised));

    check_number("dropped", headline.dropped, 1);
    check_number("degrees", headline.degrees, 6);
    check_close("mean", headline.mean, statistics_mean(kept, COUNT_OF(kept)),
                1e-12);
    check_close("winsorised", headline.winsorised_sd, sd, 1e-12);
    check_close("half width",
                (headline.interval.high - headline.interval.low) / 2 / sd,
                1.049, 0.0005);
    check_close("middle", (headline.interval.high + headline.interval.low) / 2,
                headline.mean, 1e-12);
}

TEST(headline_of_few_runs)
{
    static const double runs[] = { 30, 10, 26, 90 };
    static const struct {
        size_t count;
        double mean;
        size_t dropped, degrees;
    } cases[] = {
        { 1, 30, 0, 0 },
        { 2, 20, 0, 0 },
        { 3, 26, 1, 0 },
        { 4, 28, 1, 1 },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct trimmed_mean headline =
            statistics_headline(runs, cases[i].count);

        check_close("mean", headline.mean, cases[i].mean, 1e-14);
        check_number("dropped", headline.dropped, cases[i].dropped);
        check_number("degrees", headline.degrees, cases[i].degrees);
        if (cases[i].degrees == 0)
            no_interval("headline", &headline.interval);
    }
}

/* Two are kept, so the winsorised sample is 26 26 30 30: 12.7062 s_w / 1. */
TEST(headline_of_four_runs_has_an_interval)
{
    static const double runs[] = { 30, 10, 26, 90 };
    const struct trimmed_mean headline =
        statistics_headline(runs, COUNT_OF(runs));
    const double margin = 12.7062 * sqrt(16.0 / 3);

    check_close("low", headline.interval.low, 28 - margin, 1e-3);
    check_close("high", headline.interval.high, 28 + margin, 1e-3);
}

/* A thousand values in any order, and they stay in it. */
TEST(values_stay_as_they_are)
{
    static double values[STATISTICS_MAX];
    static double before[STATISTICS_MAX];

    for (size_t i = 0; i < STATISTICS_MAX; i++)
        values[i] = (double)((i * 7919) % STATISTICS_MAX + 1);
    memcpy(before, values, sizeof before);
    check_close("median", statistics_median(values, STATISTICS_MAX), 500.5, 0);
    check_close("headline", statistics_headline(values, STATISTICS_MAX).mean,
                500.5, 1e-10);
    (void)statistics_median_interval(values, STATISTICS_MAX);
    (void)statistics_mean(values, STATISTICS_MAX);
    (void)statistics_sd(values, STATISTICS_MAX);
    assert_memory_equal(values, before, sizeof before);
}

/* The first three from 1 - 0.05^(1/n), the others from tables. */
TEST(bounds_what_was_seen_k_times)
{
    static const struct {
        uint64_t k;
        uint64_t n;
        double upper;
    } cases[] = {
        { 0, 1, 0.95 },       { 0, 20, 0.1391 }, { 0, 59, 0.0495 },
        { 1, 20, 0.2161 },    { 5, 10, 0.7776 }, { 10, 10, 1 },
        { 0, 1000, 0.00299 },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const double upper = statistics_binomial_upper(cases[i].k, cases[i].n);

        if (fabs(upper - cases[i].upper) > 0.00006)
            fail_msg("%d of %d: %f", (int)cases[i].k, (int)cases[i].n, upper);
    }
}
