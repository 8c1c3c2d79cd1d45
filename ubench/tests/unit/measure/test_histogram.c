/* SPDX-License-Identifier: ISC */
#include "measure/histogram.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/random.h"
#include "tests/lib/check.h"

static const uint64_t hour_ns = UINT64_C(3600000000000);

static void check_close(const char *row, double got, double wanted, double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance))
        fail_msg("%s: got %.17g, wanted %.17g, give or take %g", row, got, wanted, tolerance);
}

static void record_all(struct histogram *histogram, const uint64_t *values, size_t count)
{
    histogram_init(histogram);
    for (size_t i = 0; i < count; i++)
        histogram_record(histogram, values[i]);
}

/* Even on a logarithmic scale: from 1 ns to below 2^bits. */
static uint64_t draw_ns(uint64_t key, uint64_t i, unsigned bits)
{
    const uint64_t draw = random_at(key, i);

    return (UINT64_C(1) << 63 | draw) >> (64 - 1 - draw % bits);
}

TEST(buckets_follow_each_other)
{
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        const uint64_t low = histogram_bucket_low_ns(i);

        check_number("lowest value", histogram_bucket_of(low), i);
        if (i > 0)
            check_number("the one before", histogram_bucket_of(low - 1), i - 1);
    }
}

TEST(small_values_have_a_bucket_each)
{
    for (uint64_t ns = 0; ns < 256; ns++)
        check_number("bucket", histogram_bucket_of(ns), ns);
    check_number("256", histogram_bucket_of(256), 256);
    check_number("257", histogram_bucket_of(257), 256);
}

TEST(hours_have_a_bucket)
{
    const size_t last = HISTOGRAM_BUCKETS - 1;

    assert_true(histogram_bucket_of(5 * hour_ns) < last);
    assert_true(histogram_bucket_of(9 * hour_ns) < last);
    assert_true(histogram_bucket_of(UINT64_C(1) << 45) == last);
    assert_true(histogram_bucket_of(UINT64_MAX) == last);
}

/* Between a lower and a higher value, so that min and max do not help. */
TEST(any_value_is_kept_to_half_a_percent)
{
    for (uint64_t i = 0; i < 2000; i++) {
        const uint64_t ns = draw_ns(1, i, 44);
        const uint64_t values[] = { 0, ns, 10 * hour_ns };
        struct histogram histogram;

        record_all(&histogram, values, COUNT_OF(values));
        check_close("median", histogram_quantile(&histogram, 0.5), (double)ns,
                    ns < 256 ? 0 : (double)ns / 256);
    }
}

/* 1, 2 ... 100: the k-th percentile is k, also where k / 100 * 100 > k. */
TEST(percentiles_of_a_hundred_are_exact)
{
    struct histogram histogram;

    histogram_init(&histogram);
    for (uint64_t ns = 100; ns >= 1; ns--)
        histogram_record(&histogram, ns);
    for (int k = 1; k <= 100; k++)
        check_close("percentile", histogram_quantile(&histogram, k / 100.0), k, 0);
    check_close("q = 0", histogram_quantile(&histogram, 0), 1, 0);
    check_close("q = 0.501", histogram_quantile(&histogram, 0.501), 51, 0);
}

/* And not the middles of their buckets. */
TEST(lowest_and_highest_are_exact)
{
    static const uint64_t values[] = { 1025, 1030, 5000, 9998, 9999 };
    struct histogram histogram;

    record_all(&histogram, values, COUNT_OF(values));
    check_close("q = 0", histogram_quantile(&histogram, 0), 1025, 0);
    check_close("q = 0.2", histogram_quantile(&histogram, 0.2), 1025, 0);
    check_close("q = 0.81", histogram_quantile(&histogram, 0.81), 9999, 0);
}

static int compare(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

/* The definition, applied to the sorted values themselves. */
TEST(quantiles_agree_with_sorted_values)
{
    enum { COUNT = 9973 };
    static const double quantiles[] = { 0, 0.001, 0.25, 0.5, 0.95, 0.99, 0.999 };
    static uint64_t values[COUNT];
    struct histogram histogram;

    for (uint64_t i = 0; i < COUNT; i++)
        values[i] = draw_ns(2, i, 40);
    record_all(&histogram, values, COUNT);
    qsort(values, COUNT, sizeof values[0], compare);
    for (size_t k = 0; k < COUNT_OF(quantiles); k++) {
        const double rank = fmax(1, ceil(quantiles[k] * (double)COUNT));
        const double wanted = (double)values[(size_t)rank - 1];

        check_close("quantile", histogram_quantile(&histogram, quantiles[k]), wanted, wanted / 256);
    }
    check_close("max", histogram_quantile(&histogram, 1), (double)values[COUNT - 1], 0);
}

/* Other tools print a p95 above their max. */
TEST(quantiles_stay_between_min_and_max)
{
    for (uint64_t round = 0; round < 500; round++) {
        struct histogram histogram;
        double before = 0;

        histogram_init(&histogram);
        for (uint64_t i = 0; i <= round % 50; i++)
            histogram_record(&histogram, draw_ns(round, i, 46));
        for (int k = 0; k <= 1000; k++) {
            const double got = histogram_quantile(&histogram, k / 1000.0);

            assert_true(got >= (double)histogram.min_ns);
            assert_true(got <= (double)histogram.max_ns);
            assert_true(got >= before);
            before = got;
        }
    }
}

TEST(quantiles_with_few_values_beyond_are_unknown)
{
    static const struct {
        uint64_t count;
        double q;
        bool known;
    } cases[] = {
        { 0, 0, false },        { 0, 0.5, false },        { 19, 0.5, false },
        { 20, 0.5, true },      { 199, 0.95, false },     { 200, 0.95, true },
        { 999, 0.99, false },   { 1000, 0.99, true },     { 9999, 0.999, false },
        { 10000, 0.999, true }, { 99999, 0.9999, false }, { 100000, 0.9999, true },
        { 100000, 1, false },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char row[64];
        struct histogram histogram;

        (void)snprintf(row, sizeof row, "%" PRIu64 " values, q = %g", cases[i].count, cases[i].q);
        histogram_init(&histogram);
        histogram.count = cases[i].count;
        check_number(row, histogram_quantile_known(&histogram, cases[i].q), cases[i].known);
    }
}

/* The eight numbers of many a textbook: 5, and sqrt(32 / 7). */
TEST(deviation_of_small_values_is_exact)
{
    static const uint64_t values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
    struct histogram histogram;

    record_all(&histogram, values, COUNT_OF(values));
    check_close("mean", histogram_mean(&histogram), 5, 0);
    check_close("sd", histogram_sd(&histogram), sqrt(32.0 / 7), 1e-14);
}

TEST(equal_values_do_not_deviate)
{
    static const uint64_t values[] = { 1234567, 1234567, 1234567 };
    struct histogram histogram;

    record_all(&histogram, values, COUNT_OF(values));
    check_close("mean", histogram_mean(&histogram), 1234567, 0);
    check_close("sd", histogram_sd(&histogram), 0, 1e-6);
}

TEST(deviation_is_off_by_no_more_than_said)
{
    enum { COUNT = 5000 };
    static uint64_t values[COUNT];

    for (uint64_t round = 0; round < 40; round++) {
        struct histogram histogram;
        double sum = 0;
        double squares = 0;
        double distances = 0;

        for (uint64_t i = 0; i < COUNT; i++) {
            values[i] = 1000000 + draw_ns(round, i, (unsigned)round + 1);
            sum += (double)values[i];
            squares += (double)values[i] * (double)values[i];
        }
        for (size_t i = 0; i < COUNT; i++)
            distances += pow((double)values[i] - sum / (double)COUNT, 2);
        record_all(&histogram, values, COUNT);
        check_close("mean", histogram_mean(&histogram), sum / (double)COUNT, sum * 1e-15);
        check_close("sd", histogram_sd(&histogram), sqrt(distances / (COUNT - 1)),
                    sqrt(squares / (COUNT - 1)) / 256);
    }
}

TEST(nothing_recorded_is_nothing)
{
    struct histogram histogram;

    histogram_init(&histogram);
    check_close("quantile", histogram_quantile(&histogram, 0.99), 0, 0);
    check_close("mean", histogram_mean(&histogram), 0, 0);
    check_close("sd", histogram_sd(&histogram), 0, 0);
    histogram_record(&histogram, 300);
    check_close("sd of one", histogram_sd(&histogram), 0, 0);
}

TEST(values_above_the_range_are_counted)
{
    const uint64_t values[] = { 1, 10 * hour_ns, 12 * hour_ns };
    struct histogram histogram;

    record_all(&histogram, values, COUNT_OF(values));
    check_number("last bucket", histogram.counts[HISTOGRAM_BUCKETS - 1], 2);
    check_close("max", histogram_quantile(&histogram, 1), (double)(12 * hour_ns), 0);
    check_close("mean", histogram_mean(&histogram), (double)(22 * hour_ns + 1) / 3, 1);
    assert_true(histogram_quantile(&histogram, 0.6) > 9.7 * (double)hour_ns);
}

TEST(adding_is_recording_all)
{
    struct histogram all;
    struct histogram sum;
    struct histogram parts[3];

    histogram_init(&all);
    histogram_init(&sum);
    for (size_t k = 0; k < COUNT_OF(parts); k++)
        histogram_init(&parts[k]);
    /* The last part stays empty. */
    for (uint64_t i = 0; i < 10000; i++) {
        histogram_record(&parts[i % 2], draw_ns(3, i, 46));
        histogram_record(&all, draw_ns(3, i, 46));
    }
    for (size_t k = 0; k < COUNT_OF(parts); k++)
        histogram_add(&sum, &parts[k]);
    assert_memory_equal(&sum, &all, sizeof all);
}

TEST(a_difference_has_what_came_in_between)
{
    static const uint64_t first[] = { 1, 256, 5000 };
    static const uint64_t later[] = { 256, 1024, 1025, 4999 };
    struct histogram before;
    struct histogram after;
    struct histogram difference;

    record_all(&before, first, COUNT_OF(first));
    after = before;
    for (size_t i = 0; i < COUNT_OF(later); i++)
        histogram_record(&after, later[i]);
    histogram_difference(&difference, &before, &after);
    check_number("count", difference.count, COUNT_OF(later));
    check_number("min", difference.min_ns, 256);
    check_number("max", difference.max_ns, 5000);
    check_close("mean", histogram_mean(&difference), 7304 / 4.0, 0);
    check_close("median", histogram_quantile(&difference, 0.5), 1027.5, 0);
    histogram_difference(&difference, &after, &after);
    check_number("none", difference.count, 0);
}
