/* SPDX-License-Identifier: ISC */
#include "load/progress.h"

#include <stdlib.h>
#include <string.h>

#include "core/clock.h"

struct progress *progress_new(void)
{
    struct progress *const progress = aligned_alloc(_Alignof(struct progress), sizeof *progress);

    if (progress != NULL)
        memset(progress, 0, sizeof *progress);
    return progress;
}

void progress_begin(struct progress *progress, const char *name, uint64_t planned, size_t workers)
{
    for (size_t i = 0; i < workers; i++)
        progress_set_done(&progress->workers[i], 0);
    atomic_store(&progress->worker_count, workers);
    atomic_store(&progress->planned, planned);
    atomic_store(&progress->started_ns, clock_now_ns());
    atomic_store(&progress->phase, name);
}

bool progress_sleep_until(struct progress *progress, uint64_t at_ns)
{
    enum { NAP_NS = 50000000 };
    uint64_t now_ns;

    while ((now_ns = clock_now_ns()) < at_ns) {
        const uint64_t nap_ns = at_ns - now_ns < NAP_NS ? at_ns : now_ns + NAP_NS;
        const struct timespec wake = { .tv_sec = (time_t)(nap_ns / NS_PER_S),
                                       .tv_nsec = (long)(nap_ns % NS_PER_S) };

        if (progress_stopped(progress))
            return false;
        (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
    }
    return true;
}
