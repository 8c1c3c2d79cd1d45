/* SPDX-License-Identifier: ISC */
#include "measure/usage.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "tests/lib/check.h"

TEST(subtracts_what_is_known)
{
    const struct usage before = { 10, 20, 30, 40, 50, USAGE_UNKNOWN, 70, 5, .server_syncs = 7 };
    const struct usage after = { 11, 22, 33, 40, 55, 66, 60, 9, .server_syncs = 9 };

    const struct usage usage = usage_difference(&before, &after);
    check_number("user", usage.user_ns, 1);
    check_number("system", usage.system_ns, 2);
    check_number("voluntary", usage.voluntary_switches, 3);
    check_number("involuntary", usage.involuntary_switches, 0);
    check_number("written", usage.written_bytes, 5);
    check_number("disk", usage.disk_bytes, USAGE_UNKNOWN);
    check_number("memory", usage.max_rss_bytes, 60);
    check_number("syncs", usage.fdatasyncs, 4);
    const struct usage backwards = usage_difference(&after, &before);
    check_number("backwards", backwards.user_ns, 0);
    check_number("a server that began anew", backwards.server_syncs, USAGE_UNKNOWN);
    struct usage sum = usage;
    usage_add(&sum, &after);
    check_number("sum", sum.system_ns, 24);
    check_number("sum of a server", sum.server_syncs, 11);
    check_number("sum of what is not known", sum.disk_bytes, USAGE_UNKNOWN);
    check_number("peak", sum.max_rss_bytes, 60);
}

/* Burns 20 ms of CPU time, and sleeps once. */
static void work(void)
{
    const struct timespec pause = { .tv_nsec = 1000000 };
    const clock_t start = clock();

    while (clock() - start < CLOCKS_PER_SEC / 50)
        continue;
    (void)nanosleep(&pause, NULL);
}

TEST(counts_what_this_process_does)
{
    enum { SIZE = 12345 };
    static const char bytes[SIZE];
    struct usage before = { 0 };
    struct usage after = { 0 };
    const int file = open("/dev/null", O_WRONLY | O_CLOEXEC);

    assert_true(file >= 0);
    usage_sample(&before);
    work();
    assert_int_equal(write(file, bytes, SIZE), SIZE);
    usage_sample(&after);
    assert_int_equal(close(file), 0);
    const struct usage usage = usage_difference(&before, &after);
    const uint64_t cpu_ns = usage.user_ns + usage.system_ns;
    check("CPU", cpu_ns >= 15000000 && cpu_ns < 5 * NS_PER_S, "15 ms to 5 s");
    check("switches", usage.voluntary_switches >= 1, "at least one");
    if (after.written_bytes == USAGE_UNKNOWN)
        skip();
    check("written", usage.written_bytes >= SIZE, "at least what we wrote");
    check("written", usage.written_bytes < SIZE + 10000, "little more");
    check("memory", usage.max_rss_bytes > 500000, "more than 0.5 MB");
}
