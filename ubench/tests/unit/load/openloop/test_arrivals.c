/* SPDX-License-Identifier: ISC */
#include "load/openloop/arrivals.h"

#include <math.h>

#include "core/clock.h"
#include "tests/lib/check.h"

static struct arrival next(struct arrival_source *source)
{
    struct arrival arrival = { 0 };
    const uint64_t due_ns = source->due_ns(source);

    assert_true(due_ns != ARRIVALS_NEVER);
    assert_true(source->take(source, &arrival));
    assert_int_equal(arrival.at_ns, due_ns);
    return arrival;
}

static uint64_t count_all(struct arrival_source *source)
{
    uint64_t count = 0;

    while (source->due_ns(source) != ARRIVALS_NEVER) {
        assert_int_equal(next(source).number, count);
        count++;
    }
    return count;
}

TEST(a_constant_schedule_is_exact)
{
    struct arrivals arrivals;

    arrivals_init(&arrivals, ARRIVALS_CONSTANT, 4, NS_PER_S, 1);
    struct arrival_source *const source = &arrivals.source;
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(next(source).at_ns, i * NS_PER_S / 4);
    assert_true(source->due_ns(source) == ARRIVALS_NEVER);
}

/* An hour of one every two seconds, and an hour of 20,000 a second: rounding
   must not add up. */
TEST(rates_hold_for_hours)
{
    static const struct {
        const char *name;
        double per_s;
        uint64_t duration_s;
    } cases[] = { { "slow", 0.5, 3600 }, { "a third", 1.0 / 3, 3600 }, { "fast", 20000, 100 } };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct arrivals arrivals;

        arrivals_init(&arrivals, ARRIVALS_CONSTANT, cases[i].per_s, cases[i].duration_s * NS_PER_S,
                      1);
        struct arrival_source *const source = &arrivals.source;
        check_number(cases[i].name, count_all(source),
                     (uint64_t)llround(cases[i].per_s * (double)cases[i].duration_s));
    }
}

/* The gaps of a Poisson process are exponential: mean, deviation and the share
   above the mean are those of that distribution, and neighbours do not depend
   on each other. */
TEST(poisson_gaps_are_exponential)
{
    enum { COUNT = 200000 };
    struct arrivals arrivals;
    double sum = 0;
    double squares = 0;
    double products = 0;
    double above = 0;
    double before = 1;
    uint64_t last_ns = 0;

    arrivals_init(&arrivals, ARRIVALS_POISSON, 1000, UINT64_C(1) << 52, 7);
    struct arrival_source *const source = &arrivals.source;
    for (int i = 0; i < COUNT; i++) {
        const uint64_t at_ns = next(source).at_ns;
        const double gap = (double)(at_ns - last_ns) / 1e6; /* of the mean */

        assert_true(at_ns >= last_ns);
        last_ns = at_ns;
        sum += gap;
        squares += gap * gap;
        products += gap * before;
        above += gap > 1;
        before = gap;
    }
    assert_true(fabs(sum / (double)COUNT - 1) < 0.01);
    assert_true(fabs(squares / (double)COUNT - 2) < 0.04);
    assert_true(fabs(products / (double)COUNT - 1) < 0.02);
    assert_true(fabs(above / (double)COUNT - exp(-1)) < 0.005);
}

/* In windows of a second the variance of the counts is their mean. */
TEST(poisson_counts_vary_as_they_should)
{
    enum { SECONDS = 4000, RATE = 50 };
    uint32_t counts[SECONDS] = { 0 };
    struct arrivals arrivals;
    double squares = 0;

    arrivals_init(&arrivals, ARRIVALS_POISSON, RATE, SECONDS * NS_PER_S, 3);
    struct arrival_source *const source = &arrivals.source;
    while (source->due_ns(source) != ARRIVALS_NEVER)
        counts[next(source).at_ns / NS_PER_S]++;
    for (int i = 0; i < SECONDS; i++)
        squares += pow((double)counts[i] - (double)RATE, 2);
    assert_true(fabs(squares / (double)(SECONDS * RATE) - 1) < 0.1);
}

TEST(the_seed_decides)
{
    struct arrivals first;
    struct arrivals same;
    struct arrivals other;

    arrivals_init(&first, ARRIVALS_POISSON, 10, NS_PER_S * 100, 1);
    arrivals_init(&same, ARRIVALS_POISSON, 10, NS_PER_S * 100, 1);
    arrivals_init(&other, ARRIVALS_POISSON, 10, NS_PER_S * 100, 2);
    struct arrival_source *const sources[] = { &first.source, &same.source, &other.source };
    for (int i = 0; i < 100; i++) {
        const uint64_t at_ns = next(sources[0]).at_ns;

        assert_int_equal(next(sources[1]).at_ns, at_ns);
        assert_int_not_equal(next(sources[2]).at_ns, at_ns);
    }
}
