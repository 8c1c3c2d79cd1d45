/* SPDX-License-Identifier: ISC */
#include "load/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/units.h"

struct progress *progress_new(void)
{
    struct progress *const progress =
        aligned_alloc(_Alignof(struct progress), sizeof *progress);

    if (progress != NULL)
        memset(progress, 0, sizeof *progress);
    return progress;
}

void progress_free(struct progress *progress)
{
    free(progress);
}

void progress_expect(struct progress *progress, unsigned phases,
                     uint64_t operations)
{
    atomic_store(&progress->phase_number, 0);
    atomic_store(&progress->planned, 0);
    atomic_store(&progress->before, 0);
    atomic_store(&progress->phase_count, phases);
    atomic_store(&progress->expected, operations);
    atomic_store(&progress->expected_ns, clock_now_ns());
}

void progress_expect_more(struct progress *progress, unsigned phases,
                          uint64_t operations)
{
    if (atomic_load(&progress->phase_count) == 0)
        return;
    atomic_fetch_add(&progress->phase_count, phases);
    atomic_fetch_add(&progress->expected, operations);
}

void progress_begin(struct progress *progress, const char *name,
                    uint64_t planned, size_t workers)
{
    atomic_fetch_add(&progress->phase_number, 1);
    atomic_fetch_add(&progress->before, atomic_load(&progress->planned));
    for (size_t i = 0; i < workers; i++)
        progress_set_done(&progress->workers[i], 0);
    atomic_store(&progress->worker_count, workers);
    atomic_store(&progress->planned, planned);
    atomic_store(&progress->started_ns, clock_now_ns());
    atomic_store(&progress->phase, name);
}

/* So many operations by the time since then, per second. */
static double rate_since(uint64_t done, uint64_t since_ns)
{
    const double time_ns = (double)(clock_now_ns() - since_ns);

    return time_ns > 0 ? (double)done * (double)NS_PER_S / time_ns : 0;
}

/* How long the rest takes at the mean rate so far. */
static void describe_rest(struct progress *progress, uint64_t done,
                          uint64_t planned, char *text, size_t size)
{
    const uint64_t expected = atomic_load(&progress->expected);
    const uint64_t all = atomic_load(&progress->before) + done;
    const bool known = atomic_load(&progress->phase_count) > 0;
    const bool whole = known && expected >= all;
    const double left =
        whole ? (double)(expected - all) +
                    (double)expected * (atomic_load(&progress->runs) -
                                        atomic_load(&progress->run))
              : (double)(planned - done);
    const double per_s =
        known ? rate_since(all, atomic_load(&progress->expected_ns))
              : rate_since(done, atomic_load(&progress->started_ns));
    const bool minutes = left >= 119.5 * per_s;

    if (per_s > 0)
        (void)snprintf(text, size, "  %s%.0f %s left", whole ? "run: " : "",
                       left / per_s / (minutes ? 60 : 1),
                       minutes ? "min" : "s");
}

const char *progress_describe(struct progress *progress, char *text,
                              size_t size)
{
    const char *const phase = atomic_load(&progress->phase);
    const uint64_t planned = atomic_load(&progress->planned);
    const uint64_t done = progress_done(progress);
    const unsigned phases = atomic_load(&progress->phase_count);
    char run[32] = "";
    char number[32] = "";

    text[0] = '\0';
    /* A phase may begin between the loads; the next time puts it right. */
    if (phase == NULL || done > planned || planned == 0)
        return text;
    if (atomic_load(&progress->runs) > 1)
        (void)snprintf(run, sizeof run, "run %u/%u  ",
                       atomic_load(&progress->run),
                       atomic_load(&progress->runs));
    if (phases > 0)
        (void)snprintf(number, sizeof number, " %u/%u",
                       atomic_load(&progress->phase_number), phases);
    const int length = snprintf(
        text, size, "%s%s%s %3.0f %%  %s/s", run, phase, number,
        100 * (double)done / (double)planned,
        units_figure(UNITS_TEXT,
                     rate_since(done, atomic_load(&progress->started_ns))));
    if (length > 0 && (size_t)length < size)
        describe_rest(progress, done, planned, text + length,
                      size - (size_t)length);
    return text;
}

bool progress_sleep_until(struct progress *progress, uint64_t at_ns)
{
    enum { NAP_NS = 50000000 };
    uint64_t now_ns;

    while ((now_ns = clock_now_ns()) < at_ns) {
        const uint64_t nap_ns =
            at_ns - now_ns < NAP_NS ? at_ns : now_ns + NAP_NS;
        const struct timespec wake = { .tv_sec = (time_t)(nap_ns / NS_PER_S),
                                       .tv_nsec = (long)(nap_ns % NS_PER_S) };

        if (progress_stopped(progress))
            return false;
        (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
    }
    return true;
}
