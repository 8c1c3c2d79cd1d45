/* SPDX-License-Identifier: ISC */
/* Second by second, with times that are made up. */
#include "measure/series.h"

#include "core/clock.h"
#include "tests/lib/check.h"

/* When the phase began: no round figure. */
#define BEGUN_NS UINT64_C(123456789012345)
#define MS       UINT64_C(1000000)

/* A phase as load/ runs it. */
struct phase {
    struct series series;
    struct histogram operations;
    struct histogram seen;
};

static void begin(struct phase *phase)
{
    histogram_init(&phase->operations);
    histogram_init(&phase->seen);
    series_begin(&phase->series, &phase->seen, BEGUN_NS);
}

/* An operation that ends so long after the phase's beginning. */
static void operate(struct phase *phase, uint64_t end_ns, uint64_t latency_ns)
{
    if (series_is_due(&phase->series, BEGUN_NS + end_ns))
        series_tick(&phase->series, &phase->operations, BEGUN_NS + end_ns);
    histogram_record(&phase->operations, latency_ns);
}

/* One every 20 ms, each of 1 ms, from first_ms to before end_ms. */
static void operate_steadily(struct phase *phase, uint64_t first_ms, uint64_t end_ms)
{
    for (uint64_t ms = first_ms; ms < end_ms; ms += 20)
        operate(phase, ms * MS, MS);
}

static void end(struct phase *phase)
{
    series_end(&phase->series, &phase->operations);
    assert_false(phase->series.failed);
}

static void check_operations(const struct series *series, const uint64_t *wanted, size_t count)
{
    assert_int_equal(series->count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(series_operations(series, i), wanted[i]);
}

static void check_near(double got, double wanted)
{
    const double error = (got - wanted) / wanted;

    if (error < -0.0625 || error > 0.0625)
        fail_msg("got %g, wanted %g", got, wanted);
}

TEST(each_second_has_its_operations)
{
    static const uint64_t wanted[] = { 50, 50, 25 };
    struct phase phase;

    begin(&phase);
    operate_steadily(&phase, 0, 2500);
    end(&phase);
    check_operations(&phase.series, wanted, COUNT_OF(wanted));
    for (size_t i = 0; i < COUNT_OF(wanted); i++)
        check_near(series_quantile(&phase.series, i, 0.99), 1e6);
    series_release(&phase.series);
}

/* A second begins with its first nanosecond. */
TEST(seconds_do_not_overlap)
{
    static const uint64_t wanted[] = { 1, 2, 1 };
    struct phase phase;

    begin(&phase);
    assert_false(series_is_due(&phase.series, BEGUN_NS));
    operate(&phase, NS_PER_S - 1, 10);
    assert_true(series_is_due(&phase.series, BEGUN_NS + NS_PER_S));
    operate(&phase, NS_PER_S, 10);
    assert_false(series_is_due(&phase.series, BEGUN_NS + NS_PER_S));
    operate(&phase, 2 * NS_PER_S - 1, 10);
    operate(&phase, 2 * NS_PER_S, 10);
    end(&phase);
    check_operations(&phase.series, wanted, COUNT_OF(wanted));
    series_release(&phase.series);
}

/* The store stands still from 1.0 to 2.001 s. */
TEST(a_stall_of_a_second_is_seen)
{
    static const uint64_t wanted[] = { 50, 0, 50, 50 };
    struct phase phase;

    begin(&phase);
    operate_steadily(&phase, 0, 1000);
    operate(&phase, 2001 * MS, 1001 * MS);
    operate_steadily(&phase, 2020, 4000);
    end(&phase);
    check_operations(&phase.series, wanted, COUNT_OF(wanted));
    check_near(series_quantile(&phase.series, 0, 0.99), 1e6);
    assert_true(series_quantile(&phase.series, 1, 0.99) <= 0);
    /* In the second in which it ended, and only there. */
    check_near(series_quantile(&phase.series, 2, 0.99), 1001e6);
    check_near(series_quantile(&phase.series, 2, 0.5), 1e6);
    check_near(series_quantile(&phase.series, 3, 0.99), 1e6);
    series_release(&phase.series);
}

/* More seconds than there was room for at first, most of them empty. */
TEST(a_long_stall_is_seen_whole)
{
    enum { SECONDS = 100 };
    struct phase phase;

    begin(&phase);
    operate(&phase, 1, 1);
    operate(&phase, (SECONDS - 1) * NS_PER_S, (SECONDS - 1) * NS_PER_S);
    end(&phase);
    assert_int_equal(phase.series.count, SECONDS);
    for (size_t i = 0; i < SECONDS; i++)
        assert_int_equal(series_operations(&phase.series, i), i == 0 || i == SECONDS - 1);
    check_near(series_quantile(&phase.series, SECONDS - 1, 0.99), 99e9);
    series_release(&phase.series);
}

TEST(nothing_makes_no_second)
{
    struct phase phase;
    struct series zeroed = { 0 };

    begin(&phase);
    end(&phase);
    assert_int_equal(phase.series.count, 0);
    series_release(&phase.series);
    series_release(&phase.series);
    series_release(&zeroed);
}

/* Every power of two, what is around it, and what lies in between. */
TEST(quantiles_are_near)
{
    for (unsigned power = 0; power < HISTOGRAM_TOP_BITS; power++) {
        const uint64_t low = UINT64_C(1) << power;
        const uint64_t values[] = { low - 1, low, low + 1, low * 5 / 4, low * 3 / 2 };

        for (size_t i = 0; i < COUNT_OF(values); i++) {
            struct phase phase;

            begin(&phase);
            operate(&phase, 5, values[i]);
            end(&phase);
            const double got = series_quantile(&phase.series, 0, 0.99);
            if (values[i] < 8)
                assert_true(got >= (double)values[i] && got <= (double)values[i]);
            else
                check_near(got, (double)values[i]);
            series_release(&phase.series);
        }
    }
}

TEST(quantiles_take_the_right_share)
{
    struct phase phase;

    begin(&phase);
    for (int i = 0; i < 990; i++)
        operate(&phase, 1000, 100);
    for (int i = 0; i < 10; i++)
        operate(&phase, 2000, 5000);
    end(&phase);
    check_near(series_quantile(&phase.series, 0, 0.5), 100);
    check_near(series_quantile(&phase.series, 0, 0.99), 100);
    check_near(series_quantile(&phase.series, 0, 0.991), 5000);
    check_near(series_quantile(&phase.series, 0, 1), 5000);
    series_release(&phase.series);
}

/* Two threads, of which one worked longer; the other way round as well. */
TEST(series_are_added_up)
{
    static const uint64_t wanted[] = { 100, 51, 50 };
    struct phase phases[2];

    for (size_t first = 0; first < 2; first++) {
        struct series sum = { 0 };

        begin(&phases[0]);
        operate_steadily(&phases[0], 0, 3000);
        end(&phases[0]);
        begin(&phases[1]);
        operate_steadily(&phases[1], 0, 1000);
        operate(&phases[1], 1500 * MS, 500 * MS);
        end(&phases[1]);
        series_add(&sum, &phases[first].series);
        series_add(&sum, &phases[1 - first].series);
        check_operations(&sum, wanted, COUNT_OF(wanted));
        check_near(series_quantile(&sum, 1, 0.99), 500e6);
        check_near(series_quantile(&sum, 1, 0.98), 1e6);
        assert_false(sum.failed);
        series_release(&sum);
        series_release(&phases[0].series);
        series_release(&phases[1].series);
    }
}

/* Seconds that one thread had no memory for are missing from the sum. */
TEST(a_sum_tells_what_is_missing)
{
    struct series sum = { 0 };
    const struct series other = { .failed = true };

    series_add(&sum, &other);
    assert_true(sum.failed);
    series_release(&sum);
}
