/* SPDX-License-Identifier: ISC */
/* Finds the disturbances of a run from the difference of two samples of the
   machine. */
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

/* Below this, a single tick could cause a warning. */
static const double ticks_min = 100;
static const double others_ticks_min = 10;
static const double steal_max = 0.02;
/* The kernel's own threads, which write the data that a run syncs, use less. */
static const double others_max = 0.1;

/* Reads the first line of /proc/stat; proc(5) has its columns.  Those after
   steal are included in the first two.  Interrupts are not counted as busy,
   since they may already be charged to a process. */
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

struct process {
    uint64_t pid;
    bool server; /* has the name of a server */
};

/* Finds the next process in /proc that is this one or a server.  Returns false
   at the end. */
static bool next_process(DIR *processes, const char *root, const char *servers,
                         struct process *process)
{
    const struct dirent *entry;

    while ((entry = readdir(processes)) != NULL) {
        const char *number = entry->d_name;
        char path[64];
        char name[32] = " ";

        if (!kernel_scan(&number, &process->pid))
            continue;
        (void)snprintf(path, sizeof path, "/proc/%" PRIu64 "/comm", process->pid);
        process->server = servers != NULL &&
                          kernel_text(root, path, "", name + 1, sizeof name - 2) &&
                          strstr(servers, strcat(name, " ")) != NULL;
        if (process->server || process->pid == (uint64_t)getpid())
            return true;
    }
    return false;
}

/* Returns true if the working directory of a process is above path or not
   readable.  Servers change to their data directory. */
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

enum { ALL_TICKS = 0, ENDED_CHILDREN = 2 };

/* Returns the ticks of a process and of its children that have ended, or of the
   latter only: fields of a line like "17 (mariadbd) S 1 ...". */
static uint64_t process_ticks(const char *root, uint64_t pid, unsigned from)
{
    char path[64];
    char line[512] = "";
    uint64_t ticks[4] = { 0 };
    uint64_t sum = 0;

    (void)snprintf(path, sizeof path, "/proc/%" PRIu64 "/stat", pid);
    (void)kernel_text(root, path, "", line, sizeof line);
    const char *const name_end = strrchr(line, ')');
    if (name_end != NULL) /* proc(5): fields from 3 on; ticks are 14 to 17 */
        (void)sscanf(name_end,
                     ") %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64 " %" SCNu64
                     " %" SCNu64 " %" SCNu64,
                     &ticks[0], &ticks[1], &ticks[2], &ticks[3]);
    for (unsigned i = from; i < 4; i++)
        sum += ticks[i];
    return sum;
}

void host_servers_visit(const char *servers, const char *path,
                        void (*visit)(void *context, uint64_t pid), void *context)
{
    DIR *const processes = opendir("/proc");
    struct process process;

    if (processes == NULL)
        return;
    while (next_process(processes, "", servers, &process)) {
        if (process.server && works_above(process.pid, path))
            visit(context, process.pid);
    }
    (void)closedir(processes);
}

/* Adds the processor time of a process to the sum that context points to. */
static void add_used(void *context, uint64_t pid)
{
    uint64_t *const used_ns = context;
    clockid_t clock;

    if (clock_getcpuclockid((pid_t)pid, &clock) == 0)
        *used_ns =
            (*used_ns == HOST_UNKNOWN ? 0 : *used_ns) + clock_read_ns(clock) +
            process_ticks("", pid, ENDED_CHILDREN) * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
}

uint64_t host_servers_used_ns(const char *servers, const char *path)
{
    uint64_t used_ns = HOST_UNKNOWN;

    host_servers_visit(servers, path, add_used, &used_ns);
    return used_ns;
}

uint64_t host_servers_io_bytes(const char *servers, const char *path, const char *counter)
{
    uint64_t sum = HOST_UNKNOWN;
    bool readable = true;
    DIR *const processes = opendir("/proc");
    struct process process;

    if (processes == NULL)
        return sum;
    while (readable && next_process(processes, "", servers, &process)) {
        char io[64];
        uint64_t bytes = 0;

        if (!process.server || !works_above(process.pid, path))
            continue;
        (void)snprintf(io, sizeof io, "/proc/%" PRIu64 "/io", process.pid);
        /* The bytes of one that has ended since are its parent's. */
        readable = kernel_number("", io, counter, &bytes) || !kernel_exists("", io);
        sum = (sum == HOST_UNKNOWN ? 0 : sum) + bytes;
    }
    (void)closedir(processes);
    return readable ? sum : HOST_UNKNOWN;
}

/* Returns the ticks of this process and of the servers; unknown if a server is
   expected but none is visible. */
static uint64_t sample_run(const char *root, const char *servers)
{
    char path[PATH_MAX];
    uint64_t ticks = 0;
    bool seen = servers == NULL;
    struct process process;
    DIR *const processes = kernel_path(root, "/proc", path) ? opendir(path) : NULL;

    if (processes == NULL)
        return HOST_UNKNOWN;
    while (next_process(processes, root, servers, &process)) {
        ticks += process_ticks(root, process.pid, ALL_TICKS);
        seen = seen || process.server;
    }
    (void)closedir(processes);
    return seen ? ticks : HOST_UNKNOWN;
}

/* Reads the total of "some avg10=0.00 avg60=0.00 avg300=0.00 total=1234". */
static uint64_t sample_pressure(const char *root, const char *path)
{
    char line[128] = "";
    uint64_t stalled_us;

    (void)kernel_text(root, path, "some", line, sizeof line);
    const char *const total = strstr(line, "total=");
    return total != NULL && sscanf(total, "total=%" SCNu64, &stalled_us) == 1 ? stalled_us
                                                                              : HOST_UNKNOWN;
}

/* Reads "0.42 0.30 0.20 3/99 1234" (proc(5)): the load average of a minute, and
   3 running tasks, including this one. */
static void sample_load(const char *root, struct host_noise *noise)
{
    char line[128] = "";
    uint64_t running = 0;

    (void)kernel_text(root, "/proc/loadavg", "", line, sizeof line);
    if (sscanf(line, "%lf %*s %*s %" SCNu64, &noise->load, &running) < 1)
        noise->load = -1;
    noise->running = running > 0 ? running - 1 : HOST_UNKNOWN;
}

void host_noise_sample(const char *root, const char *servers, struct host_noise *noise)
{
    struct kernel_cpu_limit limit;
    const uint64_t cores = kernel_cores(root, "/sys/devices/system/cpu/online", "");

    *noise = (struct host_noise){
        .at_ns = clock_now_ns(),
        .cpu_stalled_us = sample_pressure(root, "/proc/pressure/cpu"),
        .io_stalled_us = sample_pressure(root, "/proc/pressure/io"),
        .throttled = kernel_cpu_limit(root, &limit) ? limit.throttled : HOST_UNKNOWN,
        .run_ticks = sample_run(root, servers),
        .cores = cores > 0 ? cores : HOST_UNKNOWN,
    };
    sample_load(root, noise);
    sample_ticks(root, noise);
}

/* Returns the increase of a counter, or NAN if it is unknown.  On some kernels
   steal may decrease: 0. */
static double went(uint64_t before, uint64_t after)
{
    if (before == HOST_UNKNOWN || after == HOST_UNKNOWN)
        return NAN;
    return after > before ? (double)(after - before) : 0;
}

/* The share for a period that was too short; NAN is an unknown share. */
static const double too_short = -1;

static double share_of_time(const struct host_noise *before, const struct host_noise *after,
                            double ticks)
{
    const double total = went(before->total_ticks, after->total_ticks);

    return isnan(ticks) || !(total < ticks_min) ? ticks / total : too_short;
}

/* Returns the share of all work except the run's. */
static double others_share(const struct host_noise *before, const struct host_noise *after)
{
    const double others =
        went(before->busy_ticks, after->busy_ticks) - went(before->run_ticks, after->run_ticks);

    if (after->run_ticks < before->run_ticks) /* a server was restarted */
        return NAN;
    const double share = share_of_time(before, after, others < others_ticks_min ? 0 : others);
    return share > 1 ? 1 : share;
}

/* Adds a share, at most 100 %: the kernel's clocks differ slightly from each
   other and from clock_now_ns. */
static void add_share(struct properties *properties, const char *key, double share)
{
    if (share >= 0)
        properties_add(properties, key, "%.1f %%", 100 * fmin(share, 1));
    else
        properties_add(properties, key, isnan(share) ? "unknown" : "n/a");
}

static void add_load(const struct host_noise *before, const struct host_noise *after, double others,
                     struct properties *properties)
{
    char texts[2][32] = { "unknown", "unknown" };
    char used[48] = "";

    if (before->load >= 0)
        (void)snprintf(texts[0], sizeof texts[0], "%.2f", before->load);
    if (after->load >= 0)
        (void)snprintf(texts[1], sizeof texts[1], "%.2f", after->load);
    if (others > 0)
        (void)snprintf(used, sizeof used, "; other work used %.1f %%", 100 * others);
    properties_add(properties, "load", "before %s, after %s%s", texts[0], texts[1], used);
}

/* Returns true if the kernel cannot read its clock from user space. */
static bool has_slow_clock(const struct properties *properties)
{
    static const char slow[] = " acpi_pm hpet hyperv_clocksource_msr jiffies "
                               "refined-jiffies xen ";
    const char *const name = properties_find(properties, "clocksource");
    char word[64];

    (void)snprintf(word, sizeof word, " %s ", name != NULL ? name : "unknown");
    return strstr(slow, word) != NULL;
}

void host_noise_describe(const struct host_noise *before, const struct host_noise *after,
                         struct properties *properties, struct properties *warnings)
{
    const double elapsed_us = went(before->at_ns, after->at_ns) / (double)NS_PER_US;
    const double times = went(before->throttled, after->throttled);
    const double steal =
        share_of_time(before, after, went(before->steal_ticks, after->steal_ticks));
    const double others = others_share(before, after);
    const double cpu_us = went(before->cpu_stalled_us, after->cpu_stalled_us);
    const double io_us = went(before->io_stalled_us, after->io_stalled_us);

    add_load(before, after, others, properties);
    add_share(properties, "steal", steal);
    add_share(properties, "cpu_pressure", cpu_us / elapsed_us);
    add_share(properties, "io_pressure", io_us / elapsed_us);
    if (isnan(times))
        properties_add(properties, "throttled", "unknown");
    else
        properties_add(properties, "throttled", "%.0f times", times);
    if (has_slow_clock(properties))
        properties_add(warnings, "slow-clock",
                       "the clocksource needs a system call for every reading: latencies below a "
                       "few microseconds are unreliable");
    if (steal > steal_max)
        properties_add(
            warnings, "steal",
            "the hypervisor took %.1f %% of the CPU time: the measured rates are too low",
            100 * steal);
    if (others > others_max)
        properties_add(warnings, "other-work",
                       "other work used %.1f %% of the CPU time: the measured rates are too low",
                       100 * others);
    else if (!(others >= 0) && before->cores != HOST_UNKNOWN && before->running > 0 &&
             before->load > (double)before->cores / 2)
        properties_add(warnings, "load",
                       "the load average was %.2f before the run, on %" PRIu64
                       " cores: the measured rates may be too low",
                       before->load, before->cores);
    if (times > 0)
        properties_add(warnings, "cpu-limit",
                       "the control group's CPU limit throttled the run %.0f times: the limit "
                       "determines the rates",
                       times);
}
