/* SPDX-License-Identifier: ISC */
/* With events that every kernel counts: the processor time of a task, in ns. */
#include "measure/counters.h"

#include <linux/perf_event.h>
#include <time.h>

#include "core/clock.h"
#include "core/workers.h"
#include "tests/lib/check.h"

static const struct counter_events processor_time = {
    .type = PERF_TYPE_SOFTWARE,
    .instructions = PERF_COUNT_SW_TASK_CLOCK,
    .cycles = PERF_COUNT_SW_CPU_CLOCK,
};
static const struct counter_events unknown = { .type = UINT32_MAX };

enum { BURN_NS = NS_PER_S / 50, DROPPED = 10 };

static bool can_count(void)
{
    char text[96];

    counters_describe(&processor_time, "", text, sizeof text);
    return strcmp(text, "yes") == 0;
}

/* Burns 20 ms of processor time. */
static void burn(void *context, size_t index)
{
    const uint64_t start_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);

    (void)context;
    (void)index;
    while (clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns < BURN_NS)
        continue;
}

/* Counts what that many workers burn, after other work that is not counted. */
static struct usage count(struct event_counters *counters, size_t workers)
{
    struct usage usage = { 0 };
    struct err err = { 0 };

    counters_begin(counters, NULL, NULL);
    for (int i = 0; i < DROPPED; i++)
        burn(NULL, 0);
    counters_begin(counters, NULL, NULL);
    assert_int_equal(workers_run(workers, burn, NULL, &err), 0);
    counters_end(counters, &usage);
    return usage;
}

TEST(counts_the_threads_that_begin_meanwhile)
{
    struct err err = { 0 };

    if (!can_count())
        skip();
    struct event_counters *const counters = counters_new(&processor_time, &err);
    assert_non_null(counters);
    for (size_t workers = 1; workers <= 3; workers++) {
        const struct usage usage = count(counters, workers);

        /* The two clocks of a task need not agree on a machine that takes turns with others. */
        check("instructions", usage.instructions >= workers * BURN_NS / 2, "about 20 ms each");
        check("instructions", usage.instructions < (workers + DROPPED) * BURN_NS,
              "without what was dropped");
        check("cycles", usage.cycles != USAGE_UNKNOWN, "known");
        check_number("server", usage.server_instructions, USAGE_UNKNOWN);
    }
    counters_free(counters);
}

TEST(says_what_it_cannot_count)
{
    struct err err = { 0 };
    struct usage usage = { 0 };
    char text[96];

    counters_describe(&unknown, "", text, sizeof text);
    check(text, strncmp(text, "no: ", 4) == 0, "no");
    struct event_counters *const counters = counters_new(&unknown, &err);
    assert_non_null(counters);
    counters_begin(counters, " init systemd ", "/");
    counters_end(counters, &usage);
    check_number("instructions", usage.instructions, USAGE_UNKNOWN);
    check_number("cycles", usage.cycles, USAGE_UNKNOWN);
    check_number("server", usage.server_instructions, USAGE_UNKNOWN);
    check_number("its cycles", usage.server_cycles, USAGE_UNKNOWN);
    counters_end(NULL, &usage);
    check_number("without counters", usage.instructions, USAGE_UNKNOWN);
    counters_free(counters);
    counters_free(NULL);
}
