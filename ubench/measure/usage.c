/* SPDX-License-Identifier: ISC */
#include "measure/usage.h"

#include <sys/resource.h>

#include "core/clock.h"
#include "measure/host/kernel_files.h"

static uint64_t time_ns(struct timeval time)
{
    return (uint64_t)time.tv_sec * NS_PER_S +
           (uint64_t)time.tv_usec * NS_PER_US;
}

static uint64_t read_io(const char *label)
{
    uint64_t bytes;

    return kernel_number("", "/proc/self/io", label, &bytes) ? bytes
                                                             : USAGE_UNKNOWN;
}

void usage_sample(struct usage *usage)
{
    struct rusage total = { 0 };

    /* It cannot fail: both arguments are right. */
    (void)getrusage(RUSAGE_SELF, &total);
    usage->user_ns = time_ns(total.ru_utime);
    usage->system_ns = time_ns(total.ru_stime);
    usage->voluntary_switches = (uint64_t)total.ru_nvcsw;
    usage->involuntary_switches = (uint64_t)total.ru_nivcsw;
    usage->max_rss_bytes = (uint64_t)total.ru_maxrss * 1024;
    usage->written_bytes = read_io("wchar");
    usage->disk_bytes = read_io("write_bytes");
}

/* Counters never run backwards; the split of CPU time into user and system
   is an estimate of the kernel's, so rather 0 than an enormous number. */
static uint64_t subtract(uint64_t before, uint64_t after)
{
    if (before == USAGE_UNKNOWN || after == USAGE_UNKNOWN)
        return USAGE_UNKNOWN;
    return after > before ? after - before : 0;
}

/* One that was started again counts anew. */
static uint64_t of_server(uint64_t before, uint64_t after)
{
    return after < before ? USAGE_UNKNOWN : subtract(before, after);
}

static void add(uint64_t *sum, uint64_t more)
{
    *sum = *sum == USAGE_UNKNOWN || more == USAGE_UNKNOWN ? USAGE_UNKNOWN
                                                          : *sum + more;
}

void usage_add(struct usage *usage, const struct usage *more)
{
    add(&usage->user_ns, more->user_ns);
    add(&usage->system_ns, more->system_ns);
    add(&usage->voluntary_switches, more->voluntary_switches);
    add(&usage->involuntary_switches, more->involuntary_switches);
    add(&usage->written_bytes, more->written_bytes);
    add(&usage->disk_bytes, more->disk_bytes);
    add(&usage->fdatasyncs, more->fdatasyncs);
    add(&usage->server_cpu_ns, more->server_cpu_ns);
    add(&usage->server_syncs, more->server_syncs);
    add(&usage->server_log_bytes, more->server_log_bytes);
    add(&usage->server_scanned, more->server_scanned);
    usage->max_rss_bytes = more->max_rss_bytes;
}

struct usage usage_difference(const struct usage *before,
                              const struct usage *after)
{
    return (struct usage){
        .user_ns = subtract(before->user_ns, after->user_ns),
        .system_ns = subtract(before->system_ns, after->system_ns),
        .voluntary_switches =
            subtract(before->voluntary_switches, after->voluntary_switches),
        .involuntary_switches =
            subtract(before->involuntary_switches, after->involuntary_switches),
        .written_bytes = subtract(before->written_bytes, after->written_bytes),
        .disk_bytes = subtract(before->disk_bytes, after->disk_bytes),
        .max_rss_bytes = after->max_rss_bytes,
        .fdatasyncs = subtract(before->fdatasyncs, after->fdatasyncs),
        .server_cpu_ns = of_server(before->server_cpu_ns, after->server_cpu_ns),
        .server_syncs = of_server(before->server_syncs, after->server_syncs),
        .server_log_bytes =
            of_server(before->server_log_bytes, after->server_log_bytes),
        .server_scanned =
            of_server(before->server_scanned, after->server_scanned),
    };
}
