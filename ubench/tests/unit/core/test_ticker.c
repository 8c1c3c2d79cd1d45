/* SPDX-License-Identifier: ISC */
#include "core/thread.h"

#include <stdatomic.h>
#include <time.h>

#include "core/clock.h"
#include "tests/lib/check.h"

struct ticks {
    atomic_uint begun;
    atomic_uint ended;
};

static void count(void *context)
{
    const struct timespec work = { .tv_nsec = 1000000 };
    struct ticks *const ticks = context;

    atomic_fetch_add(&ticks->begun, 1);
    (void)nanosleep(&work, NULL);
    atomic_fetch_add(&ticks->ended, 1);
}

static struct ticker *start(uint64_t period_ns, struct ticks *ticks)
{
    struct err err = { .text = "" };
    struct ticker *const ticker = ticker_start(period_ns, count, ticks, &err);

    if (ticker == NULL)
        fail_msg("%s", err.text);
    return ticker;
}

TEST(it_ticks_until_it_is_stopped)
{
    const struct timespec moment = { .tv_nsec = 1000000 };
    struct ticks ticks = { 0 };
    struct ticker *const ticker = start(1000000, &ticks);

    while (atomic_load(&ticks.ended) < 3)
        (void)nanosleep(&moment, NULL);
    ticker_stop(ticker);
    const unsigned begun = atomic_load(&ticks.begun);
    assert_int_equal(atomic_load(&ticks.ended), begun);
    (void)nanosleep(&moment, NULL);
    assert_int_equal(atomic_load(&ticks.begun), begun);
}

TEST(stopping_does_not_wait_for_a_tick)
{
    struct ticks ticks = { 0 };

    ticker_stop(start(UINT64_C(1000000) * NS_PER_S, &ticks));
    assert_int_equal(atomic_load(&ticks.begun), 0);
    ticker_stop(NULL);
}
