/* SPDX-License-Identifier: ISC */
/* What disturbed a run: the difference of two samples of the machine. */
#include <inttypes.h>
#include <math.h>
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
    char line[256] = "";
    const char *scan = line;
    uint64_t ticks = 0;
    uint64_t total = 0;

    noise->steal_ticks = HOST_UNKNOWN;
    noise->total_ticks = HOST_UNKNOWN;
    (void)kernel_text(root, "/proc/stat", "cpu", line, sizeof line);
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
    static const char label[] = "total=";
    char line[128] = "";
    uint64_t stalled_us;

    (void)kernel_text(root, path, "some", line, sizeof line);
    const char *scan = strstr(line, label);
    if (scan == NULL)
        return HOST_UNKNOWN;
    scan += sizeof label - 1;
    return kernel_scan(&scan, &stalled_us) ? stalled_us : HOST_UNKNOWN;
}

/* "0.42 0.30 0.20 3/99 1234": the load of a minute, and 3 tasks that run now,
   this one among them.  proc(5) */
static void sample_load(const char *root, struct host_noise *noise)
{
    char line[128] = "";
    uint64_t running = 0;

    noise->load = -1;
    noise->running = HOST_UNKNOWN;
    if (!kernel_text(root, "/proc/loadavg", "", line, sizeof line) ||
        line[0] < '0' || line[0] > '9')
        return;
    noise->load = strtod(line, NULL);
    const char *scan = strchr(line, '/');
    while (scan != NULL && scan > line && scan[-1] != ' ')
        scan--;
    if (scan != NULL && kernel_scan(&scan, &running) && running > 0)
        noise->running = running - 1;
}

void host_noise_sample(const char *root, struct host_noise *noise)
{
    struct kernel_cpu_limit limit;
    const uint64_t cores =
        kernel_cores(root, "/sys/devices/system/cpu/online", "");

    *noise = (struct host_noise){
        .at_ns = clock_now_ns(),
        .cpu_stalled_us = sample_pressure(root, "/proc/pressure/cpu"),
        .io_stalled_us = sample_pressure(root, "/proc/pressure/io"),
        .throttled =
            kernel_cpu_limit(root, &limit) ? limit.throttled : HOST_UNKNOWN,
        .cores = cores > 0 ? cores : HOST_UNKNOWN,
    };
    sample_load(root, noise);
    sample_ticks(root, noise);
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

/* Shares that are not known, or of too short a time. */
static const double unknown = -1;
static const double too_short = -2;

/* Steal as a share of all time. */
static double steal_share(const struct host_noise *before,
                          const struct host_noise *after)
{
    uint64_t steal;
    uint64_t total;

    if (!went(before->steal_ticks, after->steal_ticks, &steal) ||
        !went(before->total_ticks, after->total_ticks, &total))
        return unknown;
    return total < TICKS_MIN ? too_short : (double)steal / (double)total;
}

static double pressure_share(uint64_t before_us, uint64_t after_us,
                             uint64_t elapsed_ns)
{
    uint64_t stalled_us;

    if (!went(before_us, after_us, &stalled_us) || elapsed_ns == 0)
        return unknown;
    /* The kernel's clock and ours differ by a little. */
    return fmin(1, (double)stalled_us * (double)NS_PER_US / (double)elapsed_ns);
}

static void add_share(struct properties *properties, const char *key,
                      double share)
{
    if (share >= 0)
        properties_add(properties, key, "%.1f %%", 100 * share);
    else
        properties_add(properties, key, share > too_short ? "unknown" : "n/a");
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

void host_noise_describe(const struct host_noise *before,
                         const struct host_noise *after,
                         struct properties *properties)
{
    const uint64_t elapsed_ns =
        after->at_ns > before->at_ns ? after->at_ns - before->at_ns : 0;
    uint64_t times;

    add_load(before->load, after->load, properties);
    add_share(properties, "steal", steal_share(before, after));
    add_share(properties, "cpu_pressure",
              pressure_share(before->cpu_stalled_us, after->cpu_stalled_us,
                             elapsed_ns));
    add_share(properties, "io_pressure",
              pressure_share(before->io_stalled_us, after->io_stalled_us,
                             elapsed_ns));
    if (went(before->throttled, after->throttled, &times))
        properties_add(properties, "throttled", "%" PRIu64 " times", times);
    else
        properties_add(properties, "throttled", "unknown");
}

const char *host_noise_warning(const struct host_noise *before,
                               const struct host_noise *after, char *text,
                               size_t size)
{
    const double steal = steal_share(before, after);
    uint64_t times;
    char parts[3][96] = { "", "", "" };

    if (steal > steal_max)
        (void)snprintf(parts[0], sizeof parts[0],
                       "; the hypervisor took away %.1f %% of the CPU time",
                       100 * steal);
    if (before->cores != HOST_UNKNOWN && before->running > 0 &&
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
