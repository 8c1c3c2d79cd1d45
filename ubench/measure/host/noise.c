/* SPDX-License-Identifier: ISC */
/* What disturbed a run: the difference of two samples of the machine. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/clock.h"
#include "measure/host/host.h"
#include "measure/host/kernel_files.h"

/* Below this, one tick more or less would be a warning. */
enum { TICKS_MIN = 100, OTHERS_TICKS_MIN = 10 };
static const double steal_max = 0.02;
/* The kernel's own threads, which write what a run has synced, stay below. */
static const double others_max = 0.1;

/* The first line of /proc/stat; proc(5) has its columns.  Those after steal
   are parts of the first two.  Interrupts are not what is counted as busy: a
   process may be charged for them, too. */
static void sample_ticks(const char *root, struct host_noise *noise)
{
    enum { SYSTEM = 2, STEAL = 7 };
    char line[256] = "";
    const char *scan = line;
    uint64_t ticks = 0;
    uint64_t total = 0;

    noise->steal_ticks = HOST_UNKNOWN;
    noise->total_ticks = HOST_UNKNOWN;
    noise->busy_ticks = HOST_UNKNOWN;
    (void)kernel_text(root, "/proc/stat", "cpu", line, sizeof line);
    for (int column = 0; column <= STEAL; column++) {
        if (!kernel_scan(&scan, &ticks))
            return;
        total += ticks;
        if (column == SYSTEM)
            noise->busy_ticks = total;
    }
    noise->steal_ticks = ticks;
    noise->total_ticks = total;
}

/* A line of /proc/PID/stat, "17 (mariadbd) S 1 ...": adds the ticks of the
   process, and of its children that have ended, if it is this process or its
   name is one of the servers'.  Returns whether it is a server. */
static bool add_ticks(const char *line, uint64_t pid, const char *servers,
                      uint64_t *ticks)
{
    enum { UTIME = 14, CSTIME = 17 }; /* proc(5) counts from 1 */
    const char *const begin = strchr(line, '(');
    const char *scan = strrchr(line, ')');
    uint64_t used = 0;

    if (begin == NULL || scan == NULL || scan < begin)
        return false;
    char name[32];
    (void)snprintf(name, sizeof name, " %.*s ", (int)(scan - begin - 1),
                   begin + 1);
    const bool server = servers != NULL && strstr(servers, name) != NULL;
    if (!server && pid != (uint64_t)getpid())
        return false;
    for (int field = 2; field < CSTIME && scan != NULL; field++) {
        scan = strchr(scan, ' ');
        if (scan == NULL)
            break;
        scan++;
        const char *number = scan;
        if (field + 1 >= UTIME && kernel_scan(&number, &used))
            *ticks += used;
    }
    return server;
}

/* Servers change to the folder of their data. */
static bool works_above(uint64_t pid, const char *path)
{
    char link[64];
    char folder[PATH_MAX];

    (void)snprintf(link, sizeof link, "/proc/%" PRIu64 "/cwd", pid);
    const ssize_t length = readlink(link, folder, sizeof folder);
    return length < 0 ? errno == EACCES
                      : strncmp(path, folder, (size_t)length) == 0 &&
                            (path[length] == '/' || path[length] == '\0');
}

uint64_t host_servers_used_ns(const char *servers, const char *path)
{
    uint64_t used_ns = HOST_UNKNOWN;
    DIR *const processes = opendir("/proc");

    if (processes == NULL)
        return used_ns;
    for (const struct dirent *entry; (entry = readdir(processes)) != NULL;) {
        const char *number = entry->d_name;
        char name[64];
        char comm[32] = " ";
        uint64_t pid;
        clockid_t clock;

        if (!kernel_scan(&number, &pid))
            continue;
        (void)snprintf(name, sizeof name, "/proc/%" PRIu64 "/comm", pid);
        if (kernel_text("", name, "", comm + 1, sizeof comm - 2) &&
            strstr(servers, strcat(comm, " ")) != NULL &&
            works_above(pid, path) &&
            clock_getcpuclockid((pid_t)pid, &clock) == 0)
            used_ns =
                (used_ns == HOST_UNKNOWN ? 0 : used_ns) + clock_read_ns(clock);
    }
    (void)closedir(processes);
    return used_ns;
}

/* What this process and the servers have used. */
static void sample_run(const char *root, const char *servers,
                       struct host_noise *noise)
{
    char path[PATH_MAX];
    char line[512];
    uint64_t ticks = 0;
    bool seen = servers == NULL;

    noise->run_ticks = HOST_UNKNOWN;
    (void)snprintf(path, sizeof path, "%s/proc", root);
    DIR *const processes = opendir(path);
    if (processes == NULL)
        return;
    for (const struct dirent *entry; (entry = readdir(processes)) != NULL;) {
        const char *number = entry->d_name;
        uint64_t pid;

        if (!kernel_scan(&number, &pid))
            continue;
        (void)snprintf(path, sizeof path, "/proc/%" PRIu64 "/stat", pid);
        if (kernel_text(root, path, "", line, sizeof line) &&
            add_ticks(line, pid, servers, &ticks))
            seen = true;
    }
    (void)closedir(processes);
    if (seen)
        noise->run_ticks = ticks;
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

void host_noise_sample(const char *root, const char *servers,
                       struct host_noise *noise)
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
    sample_run(root, servers, noise);
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

/* What all but the run used, as a share of all time. */
static double others_share(const struct host_noise *before,
                           const struct host_noise *after)
{
    uint64_t busy;
    uint64_t run;
    uint64_t total;

    if (!went(before->busy_ticks, after->busy_ticks, &busy) ||
        !went(before->run_ticks, after->run_ticks, &run) ||
        !went(before->total_ticks, after->total_ticks, &total) ||
        after->run_ticks < before->run_ticks) /* a server was started anew */
        return unknown;
    if (total < TICKS_MIN)
        return too_short;
    return busy < run + OTHERS_TICKS_MIN
               ? 0
               : fmin(1, (double)(busy - run) / (double)total);
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

static void add_load(const struct host_noise *before,
                     const struct host_noise *after,
                     struct properties *properties)
{
    const double others = others_share(before, after);
    char texts[2][32] = { "unknown", "unknown" };
    char used[48] = "";

    if (before->load >= 0)
        (void)snprintf(texts[0], sizeof texts[0], "%.2f", before->load);
    if (after->load >= 0)
        (void)snprintf(texts[1], sizeof texts[1], "%.2f", after->load);
    if (others > 0)
        (void)snprintf(used, sizeof used, "; other work used %.1f %%",
                       100 * others);
    properties_add(properties, "load", "before %s, after %s%s", texts[0],
                   texts[1], used);
}

void host_noise_describe(const struct host_noise *before,
                         const struct host_noise *after,
                         struct properties *properties)
{
    const uint64_t elapsed_ns =
        after->at_ns > before->at_ns ? after->at_ns - before->at_ns : 0;
    uint64_t times;

    add_load(before, after, properties);
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

/* True if the kernel cannot read its clock from user space. */
static bool has_slow_clock(const struct properties *properties)
{
    static const char *const slow[] = {
        "acpi_pm",         "hpet", "hyperv_clocksource_msr", "jiffies",
        "refined-jiffies", "xen",
    };
    const char *const name = properties_find(properties, "clocksource");

    for (size_t i = 0; name != NULL && i < sizeof slow / sizeof slow[0]; i++) {
        if (strcmp(name, slow[i]) == 0)
            return true;
    }
    return false;
}

size_t host_warnings(const struct host_noise *before,
                     const struct host_noise *after,
                     const struct properties *properties,
                     struct host_warning warnings[static HOST_WARNINGS_MAX])
{
    const double steal = steal_share(before, after);
    const double others = others_share(before, after);
    const size_t size = sizeof warnings[0].text;
    size_t count = 0;
    uint64_t times;

    if (has_slow_clock(properties))
        warnings[count++] = (struct host_warning){
            "slow-clock", "the clocksource needs a system call for every "
                          "reading: latencies below some microseconds mean "
                          "little"
        };
    if (steal > steal_max) {
        warnings[count].code = "steal";
        (void)snprintf(warnings[count++].text, size,
                       "the hypervisor took away %.1f %% of the CPU time: "
                       "rates too low",
                       100 * steal);
    }
    if (others > others_max) {
        warnings[count].code = "other-work";
        (void)snprintf(warnings[count++].text, size,
                       "other work used %.1f %% of the CPU time: rates too low",
                       100 * others);
    } else if (others < 0 && before->cores != HOST_UNKNOWN &&
               before->running > 0 &&
               before->load > (double)before->cores / 2) {
        warnings[count].code = "load";
        (void)snprintf(warnings[count++].text, size,
                       "the load was %.2f before the run, on %" PRIu64
                       " cores: rates may be low",
                       before->load, before->cores);
    }
    if (went(before->throttled, after->throttled, &times) && times > 0) {
        warnings[count].code = "cpu-limit";
        (void)snprintf(warnings[count++].text, size,
                       "the control group's CPU limit stopped it %" PRIu64
                       " times: it sets the rates",
                       times);
    }
    return count;
}
