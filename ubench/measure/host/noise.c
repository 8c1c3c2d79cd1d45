/* SPDX-License-Identifier: ISC */
/* What disturbed a run: the difference of two samples of the machine. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "measure/host/host.h"
#include "measure/host/kernel_files.h"

/* Below this, one tick more or less would be a warning. */
enum { TICKS_MIN = 100 };
static const double steal_max = 0.02;

/* The first line of /proc/stat; proc(5) has its columns.  Those after steal
   are parts of the first two. */
static void sample_ticks(const char *root, struct host_noise *noise)
{
    enum { STEAL = 7 };
    char line[256];
    const char *scan = line;
    uint64_t ticks = 0;
    uint64_t total = 0;

    noise->steal_ticks = HOST_UNKNOWN;
    noise->total_ticks = HOST_UNKNOWN;
    if (!kernel_field(root, "/proc/stat", "cpu", line, sizeof line))
        return;
    for (int column = 0; column <= STEAL; column++) {
        if (!kernel_scan(&scan, &ticks))
            return;
        total += ticks;
    }
    noise->steal_ticks = ticks;
    noise->total_ticks = total;
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=1234" */
static uint64_t sample_pressure(const char *root, const char *path)
{
    char line[128];
    uint64_t stalled_us;

    if (!kernel_field(root, path, "some", line, sizeof line))
        return HOST_UNKNOWN;
    const char *scan = strstr(line, "total=");
    if (scan == NULL)
        return HOST_UNKNOWN;
    scan += strlen("total=");
    return kernel_scan(&scan, &stalled_us) ? stalled_us : HOST_UNKNOWN;
}

static double sample_load(const char *root)
{
    char line[128];

    if (!kernel_line(root, "/proc/loadavg", line, sizeof line) ||
        line[0] < '0' || line[0] > '9')
        return -1;
    return strtod(line, NULL);
}

void host_noise_sample(const char *root, struct host_noise *noise)
{
    struct kernel_cpu_limit limit;
    char list[256];

    *noise = (struct host_noise){ .at_ns = clock_now_ns() };
    sample_ticks(root, noise);
    noise->cpu_stalled_us = sample_pressure(root, "/proc/pressure/cpu");
    noise->io_stalled_us = sample_pressure(root, "/proc/pressure/io");
    noise->throttled =
        kernel_cpu_limit(root, &limit) ? limit.throttled : HOST_UNKNOWN;
    noise->load = sample_load(root);
    noise->cores =
        kernel_line(root, "/sys/devices/system/cpu/online", list, sizeof list)
            ? kernel_count_cores(list)
            : 0;
    if (noise->cores == 0)
        noise->cores = HOST_UNKNOWN;
}

/* How far a counter went, into *by; false if that is not known.  Some kernels
   let steal run backwards. */
static bool went(uint64_t before, uint64_t after, uint64_t *by)
{
    if (before == HOST_UNKNOWN || after == HOST_UNKNOWN)
        return false;
    *by = after > before ? after - before : 0;
    return true;
}

/* Steal as a share of all time; false if it is not known, or (with *coarse)
   if the time was too short. */
static bool find_steal(const struct host_noise *before,
                       const struct host_noise *after, double *share,
                       bool *coarse)
{
    uint64_t steal;
    uint64_t total;

    *coarse = false;
    if (!went(before->steal_ticks, after->steal_ticks, &steal) ||
        !went(before->total_ticks, after->total_ticks, &total))
        return false;
    *coarse = total < TICKS_MIN;
    *share = *coarse ? 0 : (double)steal / (double)total;
    return !*coarse;
}

static void add_load(double before, double after, struct properties *properties)
{
    char texts[2][32] = { "unknown", "unknown" };

    if (before >= 0)
        (void)snprintf(texts[0], sizeof texts[0], "%.2f", before);
    if (after >= 0)
        (void)snprintf(texts[1], sizeof texts[1], "%.2f", after);
    properties_add(properties, "load", "before %s, after %s", texts[0],
                   texts[1]);
}

static void add_pressure(struct properties *properties, const char *key,
                         uint64_t before_us, uint64_t after_us,
                         uint64_t elapsed_ns)
{
    uint64_t stalled_us;

    if (!went(before_us, after_us, &stalled_us) || elapsed_ns == 0) {
        properties_add(properties, key, "unknown");
        return;
    }
    const double share =
        (double)stalled_us * (double)NS_PER_US / (double)elapsed_ns;
    /* The kernel's clock and ours differ by a little. */
    properties_add(properties, key, "%.1f %%", share < 1 ? 100 * share : 100.0);
}

void host_noise_describe(const struct host_noise *before,
                         const struct host_noise *after,
                         struct properties *properties)
{
    const uint64_t elapsed_ns =
        after->at_ns > before->at_ns ? after->at_ns - before->at_ns : 0;
    double share;
    bool coarse;
    uint64_t times;

    add_load(before->load, after->load, properties);
    if (find_steal(before, after, &share, &coarse))
        properties_add(properties, "steal", "%.1f %%", 100 * share);
    else
        properties_add(properties, "steal", coarse ? "n/a" : "unknown");
    add_pressure(properties, "cpu_pressure", before->cpu_stalled_us,
                 after->cpu_stalled_us, elapsed_ns);
    add_pressure(properties, "io_pressure", before->io_stalled_us,
                 after->io_stalled_us, elapsed_ns);
    if (went(before->throttled, after->throttled, &times))
        properties_add(properties, "throttled", "%" PRIu64 " times", times);
    else
        properties_add(properties, "throttled", "unknown");
}

const char *host_noise_warning(const struct host_noise *before,
                               const struct host_noise *after, char *text,
                               size_t size)
{
    double share;
    bool coarse;
    uint64_t times;
    char parts[3][96] = { "", "", "" };

    if (find_steal(before, after, &share, &coarse) && share > steal_max)
        (void)snprintf(parts[0], sizeof parts[0],
                       "; the hypervisor took away %.1f %% of the CPU time",
                       100 * share);
    if (before->cores != HOST_UNKNOWN &&
        before->load > (double)before->cores / 2)
        (void)snprintf(parts[1], sizeof parts[1],
                       "; the load was %.2f before the run, on %" PRIu64
                       " cores",
                       before->load, before->cores);
    if (went(before->throttled, after->throttled, &times) && times > 0)
        (void)snprintf(parts[2], sizeof parts[2],
                       "; the control group's CPU limit stopped it %" PRIu64
                       " times",
                       times);
    char all[sizeof parts];
    (void)snprintf(all, sizeof all, "%s%s%s", parts[0], parts[1], parts[2]);
    if (all[0] == '\0')
        return NULL;
    (void)snprintf(text, size, "%s", all + 2);
    return text;
}
