/* SPDX-License-Identifier: ISC */
/* Figures and verdicts that are derived from a result, for its text and its line. */
#include "runner/result.h"

#include <math.h>

#include "core/clock.h"
#include "tests/lib/check.h"

#define MS UINT64_C(1000000)

/* Two seconds, in which a hundred requests were answered in a millisecond each. */
static struct trial *good_trial(void)
{
    static struct trial trial; /* large */

    trial = (struct trial){
        .complete = true,
        .offered = 100,
        .queue_size = 256,
        .duration_ns = 2 * NS_PER_S,
        .elapsed_ns = 2 * NS_PER_S,
        .deadline_ns = NS_PER_S,
    };
    server_tally_init(&trial.tally);
    for (size_t i = 0; i < 100; i++) {
        histogram_record(&trial.tally.response, MS);
        histogram_record(&trial.tally.service, MS);
    }
    return &trial;
}

TEST(one_request_that_was_not_answered_in_time_decides)
{
    static const struct {
        uint64_t dropped, unanswered, late, failed;
        double last_wait_ns; /* mean of the last third */
        uint64_t overhead_ns;
        const char *verdict;
    } rows[] = {
        { 0, 0, 0, 0, 0, 0, "sustained" },
        { 1, 0, 0, 0, 0, 0, "not-in-time" },
        { 0, 1, 0, 0, 0, 0, "not-in-time" },
        { 0, 0, 1, 0, 0, 0, "not-in-time" },
        { 0, 0, 0, 1, 0, 0, "not-in-time" },
        /* A twentieth of the deadline. */
        { 0, 0, 0, 0, 50e6, 0, "sustained" },
        { 0, 0, 0, 0, 50.1e6, 0, "growing" },
        { 0, 1, 0, 0, 50.1e6, 0, "saturated" },
        /* A tenth of the services' 100 ms. */
        { 0, 1, 0, 0, 0, 10 * MS, "not-in-time" },
        { 0, 1, 0, 0, 0, 11 * MS, "invalid" },
        { 0, 0, 0, 0, 0, 11 * MS, "sustained" },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct trial *const trial = good_trial();

        trial->dropped = rows[i].dropped;
        trial->unanswered = rows[i].unanswered;
        trial->tally.late = rows[i].late;
        trial->tally.failed = rows[i].failed;
        trial->tally.waits[SERVER_THIRDS - 1] = 1;
        trial->tally.wait_ns[SERVER_THIRDS - 1] = rows[i].last_wait_ns;
        trial->tally.overhead_ns = rows[i].overhead_ns;
        const struct verdict verdict = trial_verdict(trial);
        if (strcmp(verdict.name, rows[i].verdict) != 0)
            fail_msg("row %zu: %s, not %s", i, verdict.name, rows[i].verdict);
        assert_true(verdict.meaning[0] != '\0');
        trial->complete = false;
        check_text("incomplete", trial_verdict(trial).name, "interrupted");
    }
}

/* From a hundred requests on, the lag of idle threads tells a busy machine. */
TEST(a_late_harness_makes_a_trial_invalid)
{
    struct trial *const trial = good_trial();

    for (size_t i = 0; i < 99; i++)
        histogram_record(&trial->tally.lag, 11 * MS);
    check_text("99", trial_verdict(trial).name, "sustained");
    histogram_record(&trial->tally.lag, 11 * MS);
    check_text("100", trial_verdict(trial).name, "invalid");
    trial->deadline_ns = 2 * NS_PER_S; /* a hundredth of it is more */
    check_text("another deadline", trial_verdict(trial).name, "sustained");
}

TEST(what_is_at_risk_is_not_committed)
{
    static const struct {
        uint64_t batch, threads, count, at_risk;
    } rows[] = {
        { 1, 4, 100, 0 },  { 5, 1, 100, 5 },
        { 5, 3, 100, 15 }, { 50, 3, 100, 102 }, /* 34 each is all that a thread has */
        { 5, 3, 0, 15 },   { 2, 1, 1, 1 },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct runner_config config = {
            .load = { .batch = rows[i].batch, .threads = rows[i].threads, .count = rows[i].count }
        };
        const struct result result = { .config = &config };

        check_number("at risk", result_at_risk(&result), rows[i].at_risk);
        struct runner_config exchanges = config;
        exchanges.workload = &workload_exchanges;
        const struct result answered_late = { .config = &exchanges };
        check_number("acknowledged after the commit", result_at_risk(&answered_late), 0);
    }
}

TEST(a_hook_limits_the_rate)
{
    static struct open_result open;
    struct runner_config config = { .load = { .threads = 4,
                                              .open = { .hook_delay_ns = 80 * MS } } };

    histogram_init(&open.closed.operations);
    histogram_record(&open.closed.operations, 20 * MS);
    assert_true(fabs(hook_limit_per_s(&config, &open) - 40) < 1e-6);
    config.load.open.hook_pool = 10;
    assert_true(fabs(hook_limit_per_s(&config, &open) - 100) < 1e-6);
}

TEST(several_runs_have_one_figure)
{
    double three[] = { 3, 1, 2 };
    double four[] = { 10, 1, 2, 4 };

    assert_true(headline(three, 1) == 3);
    assert_true(headline((double[]){ 3, 1 }, 2) == 2);
    assert_true(headline((double[]){ 9, 1, 2 }, 3) == 2);
    assert_true(headline(four, 4) == 3);
    assert_true(four[0] == 1 && four[3] == 10);
    assert_true(median(three, 3) == 2);
    assert_true(median(four, 4) == 3);
}
