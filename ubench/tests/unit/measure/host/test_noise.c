/* SPDX-License-Identifier: ISC */
/* The meaning of two samples of the noise; test_host.c has how they are taken.
 */
#include "measure/host/host.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/clock.h"
#include "tests/lib/check.h"

static const struct host_noise quiet = {
    .at_ns = NS_PER_S,
    .steal_ticks = 100,
    .total_ticks = 10000,
    .cpu_stalled_us = 1000,
    .io_stalled_us = 2000,
    .throttled = 5,
    .cores = 4,
    .load = 0.42,
};

/* Ten seconds later, on four cores. */
static const struct host_noise later = {
    .at_ns = 11 * NS_PER_S,
    .steal_ticks = 112,
    .total_ticks = 14000,
    .cpu_stalled_us = 121000,
    .io_stalled_us = 20002000,
    .throttled = 5,
    .cores = 4,
    .load = 1.9,
    .busy_ticks = 1124,
    .run_ticks = 1000,
};

TEST(tells_the_noise)
{
    struct properties facts = { 0 };
    struct properties warnings = { 0 };

    host_noise_describe(&quiet, &later, &facts, &warnings);
    assert_int_equal(facts.count, 5);
    check_text("later", properties_find(&facts, "load"),
               "before 0.42, after 1.90; other work used 3.1 %");
    check_text("later", properties_find(&facts, "steal"), "0.3 %");
    check_text("later", properties_find(&facts, "cpu_pressure"), "1.2 %");
    check_text("later", properties_find(&facts, "io_pressure"), "100.0 %");
    check_text("later", properties_find(&facts, "throttled"), "0 times");

    /* 99 ticks are too few for a share, and steal may run backwards. */
    struct host_noise soon = later;
    soon.total_ticks = quiet.total_ticks + 99;
    facts.count = 0;
    host_noise_describe(&quiet, &soon, &facts, &warnings);
    check_text("soon", properties_find(&facts, "load"), "before 0.42, after 1.90");
    check_text("soon", properties_find(&facts, "steal"), "n/a");
    soon = later;
    soon.busy_ticks = soon.run_ticks + 9;
    facts.count = 0;
    host_noise_describe(&quiet, &soon, &facts, &warnings);
    check_text("nine ticks", properties_find(&facts, "load"), "before 0.42, after 1.90");
    soon = later;
    soon.steal_ticks = quiet.steal_ticks - 10;
    facts.count = 0;
    host_noise_describe(&quiet, &soon, &facts, &warnings);
    check_text("backwards", properties_find(&facts, "steal"), "0.0 %");
}

TEST(warns_of_slow_clocks)
{
    static const struct {
        const char *name;
        bool slow;
    } rows[] = {
        { "tsc", false },
        { "kvm-clock", false },
        { "hpet", true },
        { "acpi_pm", true },
        { "xen", true },
        { "jiffies", true },
        { "unknown", false },
        { "arch_sys_counter", false },
        { "hyperv_clocksource_tsc_page", false },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct properties got = { 0 };
        struct properties facts = { 0 };

        host_noise_describe(&quiet, &later, &facts, &got);
        assert_int_equal(got.count, 0);
        properties_add(&facts, "clocksource", "%s", rows[i].name);
        host_noise_describe(&quiet, &later, &facts, &got);
        assert_int_equal(got.count, rows[i].slow);
        if (rows[i].slow)
            assert_string_equal(got.items[0].key, "slow-clock");
    }
}

TEST(warns_of_noise)
{
    static const char steal[] =
        "steal: the hypervisor took 5.0 % of the CPU time: the measured rates are too low";
    static const char others[] = "other-work: other work used 12.5 % of the CPU time: the measured "
                                 "rates are too low"; /* 500 of 4000 ticks */
    static const char load[] = "load: the load average was 2.50 before the run, on 4 cores: the "
                               "measured rates may be too low";
    static const char stop[] = "cpu-limit: the control group's CPU limit throttled the run 3 "
                               "times: the limit determines the rates";
    static const struct {
        const char *row;
        uint64_t steal_ticks;
        double load;
        uint64_t running;
        uint64_t throttled;
        uint64_t busy_ticks;
        uint64_t run_ticks;
        const char *wanted[3];
    } rows[] = {
        { "quiet", 0, 0.42, 1, 0, 0, HOST_UNKNOWN, { NULL } },
        { "just quiet", 80, 2, 1, 0, 0, HOST_UNKNOWN, { NULL } },
        { "unknown load", 0, -1, 1, 0, 0, HOST_UNKNOWN, { NULL } },
        { "steal", 200, 0, 1, 0, 0, HOST_UNKNOWN, { steal } },
        { "load", 0, 2.5, 1, 0, 0, HOST_UNKNOWN, { load } },
        { "load of runs before", 0, 2.5, 0, 0, 0, HOST_UNKNOWN, { NULL } },
        { "load, running unknown", 0, 2.5, HOST_UNKNOWN, 0, 0, HOST_UNKNOWN, { load } },
        { "throttled", 0, 0, 1, 3, 0, HOST_UNKNOWN, { stop } },
        { "other work", 0, 0, 0, 0, 1500, 1000, { others } },
        { "little other work, a load", 0, 2.5, 1, 0, 1400, 1000, { NULL } },
        { "more than the whole", 0, 2.5, 1, 0, 900, 1000, { NULL } },
        { "all but the load", 200, 2.5, 1, 3, 500, 0, { steal, others, stop } },
        { "all", 200, 2.5, 1, 3, 0, HOST_UNKNOWN, { steal, load, stop } },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct host_noise before = quiet;
        struct host_noise after = later;
        struct properties facts = { 0 };
        struct properties got = { 0 };
        size_t wanted = 0;

        before.load = rows[i].load;
        before.running = rows[i].running;
        after.busy_ticks = before.busy_ticks + rows[i].busy_ticks;
        after.run_ticks =
            rows[i].run_ticks == HOST_UNKNOWN ? HOST_UNKNOWN : before.run_ticks + rows[i].run_ticks;
        after.steal_ticks = before.steal_ticks + rows[i].steal_ticks;
        after.throttled = before.throttled + rows[i].throttled;
        while (wanted < 3 && rows[i].wanted[wanted] != NULL)
            wanted++;
        host_noise_describe(&before, &after, &facts, &got);
        check(rows[i].row, got.count == wanted, "so many warnings");
        for (size_t j = 0; j < wanted; j++) {
            char text[256];

            (void)snprintf(text, sizeof text, "%s: %s", got.items[j].key, got.items[j].value);
            check_text(rows[i].row, text, rows[i].wanted[j]);
        }
    }
}

TEST(warns_of_nothing_that_it_does_not_know)
{
    const struct host_noise unknown = {
        .steal_ticks = HOST_UNKNOWN,
        .total_ticks = HOST_UNKNOWN,
        .busy_ticks = HOST_UNKNOWN,
        .run_ticks = HOST_UNKNOWN,
        .cpu_stalled_us = HOST_UNKNOWN,
        .io_stalled_us = HOST_UNKNOWN,
        .throttled = HOST_UNKNOWN,
        .cores = HOST_UNKNOWN,
        .load = 99,
    };
    struct properties facts = { 0 };
    struct properties got = { 0 };

    host_noise_describe(&unknown, &unknown, &facts, &got);
    host_noise_describe(&unknown, &later, &facts, &got);
    assert_int_equal(got.count, 0);
}

/* This process taken for a server whose data is here. */
TEST(servers_are_those_that_work_where_the_data_is)
{
    char *const here = realpath(".", NULL);
    const uint64_t before_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
    const uint64_t used_ns = host_servers_used_ns(" x units ", here);

    assert_non_null(here);
    check("this one", used_ns >= before_ns && used_ns != HOST_UNKNOWN, "used");
    check("elsewhere", host_servers_used_ns(" units ", "/nonexistent") == HOST_UNKNOWN, "unknown");
    check("others", host_servers_used_ns(" nit ", here) == HOST_UNKNOWN, "unknown");
    check("bytes", host_servers_io_bytes(" x units ", here, "wchar") != HOST_UNKNOWN, "known");
    check("bytes", host_servers_io_bytes(" x units ", here, "none") == HOST_UNKNOWN, "no counter");
    check("bytes", host_servers_io_bytes(" nit ", here, "wchar") == HOST_UNKNOWN, "unknown");
    check("device", host_device_written_bytes("/proc") == HOST_UNKNOWN, "none");
    free(here);
}
