/* SPDX-License-Identifier: ISC */
#include "record/merge.h"

#include <math.h>
#include <stdlib.h>

#include "tests/lib/check.h"

#define S UINT64_C(1000000000)

enum { PARTS = 3 };

/* Three parts of a run, made by hand, and what they come to. */
struct parts {
    struct arena memory;
    struct histogram all; /* what the parts' latencies come to */
    struct record_part about[PARTS];
    struct record_second series[PARTS][4];
    struct record_step steps[PARTS];
    struct record_phase phases[PARTS][2];
    struct record_trial trials[PARTS];
    struct record_open open[PARTS];
    struct record_run runs[PARTS];
    struct record records[PARTS];
    struct record merged;
    struct err err;
};

static void check_real(const char *row, double got, double wanted,
                       double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance))
        fail_msg("%s: got %.17g, wanted %.17g", row, got, wanted);
}

/* So many values, each above the one before, from first on; they are in all,
   too. */
static struct record_histogram latencies(struct parts *parts, uint64_t first,
                                         uint64_t count)
{
    struct histogram *const histogram =
        arena_alloc(&parts->memory, 1, sizeof *histogram);

    histogram_init(histogram);
    for (uint64_t i = 0; i < count; i++) {
        histogram_record(histogram, first + i * i);
        histogram_record(&parts->all, first + i * i);
    }
    return record_histogram_of(&parts->memory, histogram);
}

static void fill_part(struct parts *parts, size_t i)
{
    static const struct record_property parameters[PARTS][2] = {
        { { "count", "600" }, { "part", "1/3" } },
        { { "count", "600" }, { "part", "2/3" } },
        { { "count", "600" }, { "part", "3/3" } },
    };
    static const char *const hosts[PARTS] = { "east", "west", "south" };

    parts->about[i] = (struct record_part){
        .number = i + 1,
        .of = PARTS,
        .host = hosts[i],
        .begun_us = 1700000000000000 + 7000 * i,
        .common_us = 1700000000000000 + 100000 * i, /* a tenth of a second */
        .error_us = 50 + i,
    };
    for (size_t p = 0; p < 2; p++)
        parts->phases[i][p] = (struct record_phase){
            .name = p == 0 ? "create" : "delete",
            .operations = 200,
            .hits = 200,
            .begun_ns = p * 4 * S,
            .elapsed_ns = 2 * S,
            .latency = latencies(parts, 1000 * (i + 1), 200),
            .usage = { .user_ns = 5 + i, .disk_bytes = RECORD_UNKNOWN },
            .deadlocks = RECORD_UNKNOWN,
            .conflicts = i == 1 ? 4 : RECORD_UNKNOWN,
            .stale = RECORD_UNKNOWN,
        };
    parts->runs[i] = (struct record_run){
        .verified = true,
        .digest = i == 0 ? "fffffffffffffff0" : "0000000000000011",
        .phase_count = 2,
        .phases = parts->phases[i],
    };
    parts->records[i] = (struct record){
        .file = "parts.jsonl",
        .line = i + 1,
        .program = "sample_ubench",
        .version = "1.0.0",
        .store = "sample",
        .started_at = "",
        .error = "",
        .warning = i == 1 ? "it was busy" : "",
        .published = "",
        .durability_from = "",
        .node_loss = "",
        .parameters = { 2, parameters[i] },
        .part_count = 1,
        .parts = &parts->about[i],
        .run_count = 1,
        .runs = &parts->runs[i],
    };
}

static int make_parts(void **state)
{
    struct parts *const parts = calloc(1, sizeof *parts);

    if (parts == NULL)
        return -1;
    histogram_init(&parts->all);
    for (size_t i = 0; i < PARTS; i++)
        fill_part(parts, i);
    *state = parts;
    return 0;
}

static int free_parts(void **state)
{
    struct parts *const parts = *state;

    arena_release(&parts->memory);
    free(parts);
    return 0;
}

static const struct record_run *merge(struct parts *parts)
{
    if (merge_parts(&parts->memory, parts->records, PARTS, &parts->merged,
                    &parts->err) != 0)
        fail_msg("%s", parts->err.text);
    return parts->merged.runs;
}

static void check_refused(struct parts *parts, const char *why)
{
    assert_int_equal(merge_parts(&parts->memory, parts->records, PARTS,
                                 &parts->merged, &parts->err),
                     -1);
    check_text("why", parts->err.text, why);
}

TEST_WITH(sums_are_those_of_all_parts, make_parts, free_parts)
{
    struct parts *const parts = *state;
    const struct record_run *const run = merge(parts);
    const struct record_phase *const create = &run->phases[0];

    assert_int_equal(create->operations, 600);
    assert_int_equal(create->hits, 600);
    assert_int_equal(create->usage.user_ns, 5 + 6 + 7);
    assert_true(create->usage.disk_bytes == RECORD_UNKNOWN);
    assert_true(create->deadlocks == RECORD_UNKNOWN);
    assert_int_equal(create->conflicts, 4);
    /* 0xff...f0 + 2 * 0x11, modulo 2^64 */
    check_text("digest", run->digest, "0000000000000012");
    assert_int_equal(parts->merged.parameters.count, 1);
    check_text("warning", parts->merged.warning, "west: it was busy");
    assert_int_equal(parts->merged.part_count, PARTS);
    check_text("host", parts->merged.parts[2].host, "south");
    /* The parts themselves stay as they are. */
    assert_int_equal(parts->phases[0][0].operations, 200);
}

TEST_WITH(histograms_are_added_bucket_by_bucket, make_parts, free_parts)
{
    struct parts *const parts = *state;
    const struct record_run *const run = merge(parts);
    struct histogram both;

    histogram_init(&both);
    for (size_t p = 0; p < 2; p++)
        assert_int_equal(
            record_histogram_restore(&run->phases[p].latency, &both), 0);
    assert_memory_equal(&both, &parts->all, sizeof both);
    assert_int_equal(run->phases[0].latency.min_ns, 1000);
    assert_int_equal(run->phases[0].latency.max_ns, 3000 + 199 * 199);
}

/* The window is from 0.2 s to 2 s: 1.8 of the 2 seconds of each, and so 540 of
   600 operations. */
TEST_WITH(a_rate_is_that_of_the_common_window, make_parts, free_parts)
{
    struct parts *const parts = *state;
    const struct record_run *const run = merge(parts);

    assert_int_equal(run->phases[0].begun_ns, 0);
    assert_int_equal(run->phases[1].begun_ns, 4 * S);
    assert_int_equal(run->phases[0].elapsed_ns, 2 * S);
    for (size_t i = 0; i < PARTS; i++)
        check_real("together", parts->merged.parts[i].together, 0.9, 1e-9);
}

/* The second part needs 3.5 s, and does most of it at the end: in the window,
   from 0.2 s to 2 s, it was 20 a second. */
TEST_WITH(operations_are_counted_by_their_seconds, make_parts, free_parts)
{
    struct parts *const parts = *state;
    struct record_phase *const slow = &parts->phases[1][0];
    const struct record_second seconds[] = {
        { 20, 7 }, { 20, 9 }, { 60, 8 }, { 100, 5 }
    };

    memcpy(parts->series[1], seconds, sizeof seconds);
    slow->elapsed_ns = 7 * S / 2;
    slow->series = parts->series[1];
    slow->second_count = 4;
    parts->phases[0][0].series = parts->series[0];
    parts->series[0][0] = (struct record_second){ 200, 11 };
    parts->phases[0][0].second_count = 1;
    const struct record_run *const run = merge(parts);
    /* 200 were done within the first second (it took 2 s: the rest was idle),
       of which 0.8 s lie in the window; 20 a second; 100 a second. */
    const double per_s = (200 * 0.8 + 20 * 1.8 + 100 * 1.8) / 1.8;

    check_real("time", (double)run->phases[0].elapsed_ns, 600 / per_s * 1e9, 1);
    check_real("share", parts->merged.parts[1].together, 1.8 / 3.5, 1e-9);
    assert_int_equal(run->phases[0].second_count, 4);
    assert_int_equal(run->phases[0].series[0].operations, 220);
    check_real("p99", run->phases[0].series[0].p99_ns, 11, 0);
    assert_int_equal(run->phases[0].series[3].operations, 100);
}

TEST_WITH(open_loops_add_up, make_parts, free_parts)
{
    struct parts *const parts = *state;

    for (size_t i = 0; i < PARTS; i++) {
        parts->trials[i] = (struct record_trial){
            .stage = "single",
            .invalid = "",
            .rate_per_s = 500,
            .duration_ns = 10 * S,
            .deadline_ns = S,
            .elapsed_ns = 10 * S,
            .queue = 256,
            .offered = 5000,
            .answered = 4990,
            .late = 4,
            .dropped = 10,
            .in_time_per_s = 498.6,
            .grew = i == 2,
            .wait_ns = { (double)i, 8 - (double)i, 3 },
            .response = latencies(parts, 5000, 10),
        };
        parts->open[i] = (struct record_open){
            .closed_loop = { .rate_per_s = 2000 + (double)i },
            .trial_count = 1,
            .trials = &parts->trials[i],
            .predicted = { .servers = 1 },
        };
        parts->runs[i].open = &parts->open[i];
    }
    const struct record_open *const open = merge(parts)->open;
    const struct record_trial *const trial = &open->trials[0];

    check_real("rate", trial->rate_per_s, 1500, 0);
    check_real("in time", trial->in_time_per_s, 3 * 498.6, 1e-9);
    check_real("bad", trial->bad_share, 42.0 / 15000, 1e-12);
    check_real("wait", trial->wait_ns[0], 2, 0);
    check_real("wait", trial->wait_ns[1], 8, 0);
    assert_int_equal(trial->offered, 15000);
    assert_int_equal(trial->answered, 14970);
    assert_int_equal(trial->queue, 768);
    assert_int_equal(trial->deadline_ns, S);
    assert_int_equal(trial->elapsed_ns, 10 * S);
    assert_true(trial->grew);
    assert_int_equal(trial->response.count, 30);
    check_real("capacity", open->closed_loop.rate_per_s, 6003, 0);
    assert_int_equal(open->predicted.servers, 0);

    parts->trials[1].invalid = "it was late";
    check_refused(parts, "parts.jsonl:2: trials: invalid: it was late");
}

TEST_WITH(parts_may_come_in_any_order, make_parts, free_parts)
{
    struct parts *const parts = *state;
    const struct record first = parts->records[0];

    parts->records[0] = parts->records[2];
    parts->records[2] = first;
    (void)merge(parts);
    check_text("first", parts->merged.parts[0].host, "east");
    assert_int_equal(parts->merged.line, 1);
}

TEST_WITH(parts_of_other_runs_are_refused, make_parts, free_parts)
{
    static const struct record_property other[] = { { "count", "700" },
                                                    { "part", "3/3" } };
    struct parts *const parts = *state;

    parts->records[2].parameters.items = other;
    check_refused(parts, "parts.jsonl:3: parameters.count is '700', and '600' "
                         "in parts.jsonl:1");
    parts->records[2] = parts->records[1];
    parts->records[2].line = 9;
    check_refused(parts, "parts.jsonl:9: parts: part 3 of 3 is missing, or "
                         "there twice");
    fill_part(parts, 2);
    parts->about[1].common_us += 1100000;
    check_refused(parts, "parts.jsonl:1: parts.common_us: in create all parts "
                         "were at work in 40 % of the time of this one, and "
                         "50 % is the least");
    parts->phases[2][1].name = "search";
    parts->about[1].common_us -= 1100000;
    check_refused(parts, "parts.jsonl:3: runs: it did other things than "
                         "parts.jsonl:1");
}
