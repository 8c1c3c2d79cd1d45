/* SPDX-License-Identifier: ISC */
#include "measure/usage.h"

#include <stddef.h>
#include <sys/resource.h>

#include "core/clock.h"
#include "measure/host/kernel_files.h"

enum {
    COUNTS = sizeof(struct usage) / sizeof(uint64_t),
    OF_SERVER = offsetof(struct usage, server_cpu_ns) / sizeof(uint64_t),
};

static uint64_t time_ns(struct timeval time)
{
    return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_usec * NS_PER_US;
}

static uint64_t read_io(const char *label)
{
    uint64_t bytes;

    return kernel_number("", "/proc/self/io", label, &bytes) ? bytes : USAGE_UNKNOWN;
}

void usage_sample(struct usage *usage)
{
    struct rusage total = { 0 };

    /* Cannot fail: both arguments are valid. */
    (void)getrusage(RUSAGE_SELF, &total);
    usage->user_ns = time_ns(total.ru_utime);
    usage->system_ns = time_ns(total.ru_stime);
    usage->voluntary_switches = (uint64_t)total.ru_nvcsw;
    usage->involuntary_switches = (uint64_t)total.ru_nivcsw;
    usage->max_rss_bytes = (uint64_t)total.ru_maxrss * 1024;
    usage->written_bytes = read_io("wchar");
    usage->disk_bytes = read_io("write_bytes");
}

void usage_add(struct usage *usage, const struct usage *more)
{
    uint64_t *const sums = (uint64_t *)usage;
    const uint64_t *const added = (const uint64_t *)more;

    for (size_t i = 0; i < COUNTS; i++)
        sums[i] = sums[i] == USAGE_UNKNOWN || added[i] == USAGE_UNKNOWN ? USAGE_UNKNOWN
                                                                        : sums[i] + added[i];
    usage->max_rss_bytes = more->max_rss_bytes;
}

struct usage usage_difference(const struct usage *before, const struct usage *after)
{
    const uint64_t *const from = (const uint64_t *)before;
    const uint64_t *const to = (const uint64_t *)after;
    struct usage difference;
    uint64_t *const went = (uint64_t *)&difference;

    for (size_t i = 0; i < COUNTS; i++) {
        /* Counters never decrease, but the kernel only estimates the split of
           CPU time into user and system: 0 is better than an enormous number.
           A restarted server counts from 0 again. */
        went[i] = to[i] > from[i] ? to[i] - from[i] : 0;
        if (from[i] == USAGE_UNKNOWN || to[i] == USAGE_UNKNOWN ||
            (i >= OF_SERVER && to[i] < from[i]))
            went[i] = USAGE_UNKNOWN;
    }
    difference.max_rss_bytes = after->max_rss_bytes;
    return difference;
}
