/* SPDX-License-Identifier: ISC */
#include "record/server.h"

#include <math.h>

#include "record/reader.h"
#include "tests/lib/check.h"

/* A line of ubench-kea/1 and what is behind its settings. */
#define LINE(store, rest)                                                   \
    "{\"format\":\"ubench-kea/1\",\"started_at\":\"2026-11-22T07:29:43Z\"," \
    "\"command\":\"rate\",\"host\":{\"cores\":\"2\"},\"server\":\"kea\","   \
    "\"server_version\":\"2.2.0\"," store "\"sync\":\"no\",\"family\":4,"   \
    "\"threads\":4,\"queue\":64,\"delayed_ack\":0,\"pool\":4000000,"        \
    "\"seconds\":2,\"max_lost\":0.025,\"within_s\":2,\"start_rate\":1000,"  \
    "\"processors\":{\"server\":\"0\",\"load\":\"1\"},\"hook\":\"none\","   \
    "\"durability\":{\"class\":\"bounded\",\"from\":\"settings\"}," rest "}"
#define MYSQL "\"store\":\"mysql\",\"store_name\":\"MariaDB 10.11.14\","
#define MESSAGES \
    "{\"sent\":9,\"received\":9,\"min_ms\":null,\"mean_ms\":1,\"max_ms\":2}"
#define TRIAL(numbers)                                       \
    "{" numbers ",\"lost\":0.01,\"discover\":" MESSAGES      \
    ",\"request\":" MESSAGES ",\"elapsed_s\":4,\"cores\":2," \
    "\"processor_s\":{\"server\":0.2,\"store\":0.4,\"load\":1,\"other\":1}}"
#define COUNTS(offered, sent, granted) \
    "\"offered\":" #offered ",\"sent\":" #sent ",\"granted\":" #granted
#define HOLDS        ",\"kept_up\":true,\"holds\":true"
#define FAILS        ",\"kept_up\":true,\"holds\":false"
#define FIRST_TRIAL  TRIAL(COUNTS(500, 1000, 1000) HOLDS)
#define SECOND_TRIAL TRIAL(COUNTS(1000, 2000, 1951) HOLDS)
#define THIRD_TRIAL  TRIAL(COUNTS(2000, 4000, 1) FAILS)
#define SEARCH                                                         \
    "\"rate\":975.5,\"limited_by_load\":true,\"trials\":[" FIRST_TRIAL \
    "," SECOND_TRIAL "," THIRD_TRIAL "]"

struct reading {
    struct arena memory;
    struct record_line line;
};

static const struct record *read_text(struct reading *reading, const char *text)
{
    reading->line = (struct record_line){ .file = "",
                                          .text = text,
                                          .length = strlen(text) };
    record_read(&reading->line, &reading->memory);
    if (reading->line.kind == RECORD_LINE_BAD)
        fail_msg("%s", reading->line.complaint);
    return reading->line.record;
}

TEST(a_search_is_a_phase)
{
    struct reading reading = { .memory = { 0 } };
    const struct record *const record =
        read_text(&reading, LINE(MYSQL, SEARCH));
    const struct record_server_trial *const best =
        record_server_best(record->server);

    check_text("program", record->program, "kea-dhcp4");
    check_text("store", record->store, "kea-dhcp4/mysql");
    assert_int_equal(record->durability, DURABILITY_BOUNDED);
    check_text("workload", record_parameter(record, "workload"), "server rate");
    check_text("threads", record_parameter(record, "threads"), "4");
    check_text("where", record_parameter(record, "processors.load"), "1");
    check_text("hook", record_parameter(record, "hook"), "");
    check_text("where the search began, which is no setting",
               record_parameter(record, "start_rate"), "");
    check_text("database", record_properties_find(&record->facts, "MariaDB"),
               "10.11.14");
    check_text("warning", record->warning,
               "perfdhcp could not send faster: the server may take more; "
               "other work used 12 % of the processors");
    assert_int_equal(record_complete_runs(record), 1);
    assert_null(record->runs[0].open);
    check_text("phase", record->runs[0].phases[0].name, "dora");
    assert_true(fabs(record_run_rate(&record->runs[0]) - 975.5) < 1e-3);
    assert_int_equal(best->granted, 1951);
    assert_true(isnan(best->discover.min_ms));
    assert_true(fabs(record_server_cost_us(best, best->processor.store_s) -
                     0.4e6 / 1951) < 1e-6);
    arena_release(&reading.memory);
}

TEST(a_search_without_a_rate_is_incomplete)
{
    struct reading reading = { .memory = { 0 } };
    const struct record *const record =
        read_text(&reading, LINE(MYSQL, "\"rate\":null,\"trials\":[]"));

    assert_true(record->incomplete);
    assert_int_equal(record_complete_runs(record), 0);
    assert_null(record_server_best(record->server));
    arena_release(&reading.memory);
}

TEST(other_commands_are_open_loops)
{
    struct reading reading = { .memory = { 0 } };
    const struct record *record = read_text(
        &reading,
        LINE(MYSQL,
             "\"clients\":10000,\"seconds_each\":[{\"asked\":50,\"granted\":49}"
             "],"
             "\"trials\":[" TRIAL(
                 "\"offered\":50,\"sent\":100,\"granted\":99" HOLDS) "]"));
    const struct record_trial *const trial = record->runs[0].open->trials;

    check_text("rate", record_parameter(record, "rate"), "50");
    check_text("clients", record_parameter(record, "clients"), "");
    check_number("unanswered", trial->unanswered, 1);
    check_number("deadline", trial->deadline_ns, 2000000000);
    check_number("seconds", record->server->second_count, 1);
    record =
        read_text(&reading, LINE("\"store\":\"memfile\",",
                                 "\"clients\":50,\"trials\":[" TRIAL(
                                     "\"sent\":50,\"granted\":50,\"resent\":7,"
                                     "\"duration_s\":1.5") "]"));
    check_text("clients", record_parameter(record, "clients"), "50");
    check_number("requests", record->runs[0].open->storm.sent, 57);
    check_number("all served", record->runs[0].open->storm.served_100_ns,
                 1500000000);
    check_text("a rate of 0 is none", record_parameter(record, "rate"), "");
    arena_release(&reading.memory);
}

TEST(published_figures_are_exact)
{
    struct reading reading = { .memory = { 0 } };
    const struct record *const record = read_text(
        &reading, "{\"format\":\"ubench-kea/1\",\"published\":\"ISC\","
                  "\"store\":\"pgsql\",\"durability\":{\"class\":null,"
                  "\"from\":\"not told\"},\"host\":{},\"command\":\"rate\","
                  "\"server\":\"kea\",\"server_version\":\"1.9.11\","
                  "\"family\":6,\"threads\":null,\"rate\":18977}");

    assert_false(record->durability_known);
    check_text("program", record->program, "kea-dhcp6");
    check_text("threads", record_parameter(record, "threads"), "several");
    check_text("phase", record->runs[0].phases[0].name, "sarr");
    assert_true(fabs(record_run_rate(&record->runs[0]) - 18977) < 1e-3);
    arena_release(&reading.memory);
}

TEST(refuses_what_cannot_be)
{
    static const struct {
        const char *line;
        const char *complaint;
    } cases[] = {
        { "{\"format\":\"ubench-kea/1\",\"store\":\"mysql\",\"durability\":"
          "{\"class\":\"bounded\",\"from\":\"x\"}}",
          "command is missing" },
        { LINE("", "\"trials\":[]"), "store is missing" },
        { LINE(MYSQL, "\"trials\":[" TRIAL(
                          "\"offered\":5,\"sent\":10,\"granted\":11") "]"),
          "trial 1: sent is 10, and granted is 11" },
        { LINE(MYSQL, "\"rate\":\"fast\""), "rate is not a number from 0 on" },
        { LINE(MYSQL, "\"failover\":{\"lost\":-1}"),
          "lost is not a whole number" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena memory = { 0 };
        struct record_line line = { .file = "",
                                    .text = cases[i].line,
                                    .length = strlen(cases[i].line) };

        record_read(&line, &memory);
        assert_int_equal(line.kind, RECORD_LINE_BAD);
        check_text("complaint", line.complaint, cases[i].complaint);
        arena_release(&memory);
    }
}
