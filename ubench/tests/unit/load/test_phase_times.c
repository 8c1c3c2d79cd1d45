/* SPDX-License-Identifier: ISC */
/* The time and the latencies of the phases: they have all that belongs there, and no more. */
#include "tests/lib/store_trial.h"

#include "core/clock.h"
#include "tests/lib/check.h"

TEST(a_stall_shows_in_the_time)
{
    static const struct {
        int primitive;
        enum phase_name phase;
    } cases[] = {
        { CALL_CREATE, PHASE_CREATE },
        { CALL_FIND, PHASE_SEARCH },
        { CALL_UPDATE, PHASE_UPDATE },
        { CALL_REMOVE, PHASE_DELETE },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct fault fault = { cases[i].primitive, TRICK_STALL, 5, 0 };
        struct store_trial *const trial = trial_run(&usual_phases, &fake_store, &fault);

        assert_int_equal(trial->end, LOAD_DONE);
        assert_true(phase_elapsed_ns(&trial->result.phases[cases[i].phase]) >=
                    STALL_MS * UINT64_C(1000000));
        trial_free(trial);
    }
}

/* Rows are counted between the phases, and this takes nobody's time. */
TEST(a_slow_count_is_not_timed)
{
    const struct fault fault = { CALL_COUNT, TRICK_STALL, 1, 0 };
    struct store_trial *const trial = trial_run(&usual_phases, &fake_store, &fault);
    const struct phase_result *const phases = trial->result.phases;

    assert_int_equal(trial->end, LOAD_DONE);
    assert_true(phases[PHASE_SEARCH].begun_ns - phases[PHASE_CREATE].ended_ns >=
                STALL_MS * UINT64_C(1000000));
    trial_free(trial);
}

TEST(a_stall_shows_in_the_latency)
{
    const struct fault fault = { CALL_UPDATE, TRICK_STALL, 5, 0 };
    struct store_trial *const trial = trial_run(&usual_phases, &fake_store, &fault);
    const struct histogram *const update = &trial->result.phases[PHASE_UPDATE].operations;

    assert_int_equal(update->count, LEASES);
    assert_true(update->max_ns >= STALL_MS * UINT64_C(1000000));
    assert_true(update->sum_ns >= update->max_ns);
    assert_true(update->sum_ns <= phase_elapsed_ns(&trial->result.phases[PHASE_UPDATE]));
    trial_free(trial);
}

/* Operations come no faster than at their pace, also in groups and from several
   threads, and waiting for it is nobody's latency. */
TEST(a_pace_is_kept)
{
    static const struct {
        uint64_t threads;
        uint64_t batch;
        uint64_t gaps; /* before the last operation, or group of them */
    } cases[] = { { 1, 1, 29 }, { 3, 1, 29 }, { 1, 10, 20 } };
    enum { COUNT = 30, GAP_MS = 20 };
    struct load_config config = usual_phases;

    config.phases.pace_per_s = 1000 / GAP_MS; /* which has no rest */
    config.count = COUNT;
    config.preload = 12;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        config.threads = cases[i].threads;
        config.batch = cases[i].batch;
        struct store_trial *const trial = trial_run_load(&workload_churn, &config, NULL, 0);
        const struct phase_result *const churn = &trial->result.phases[0];
        const uint64_t least_ns = cases[i].gaps * GAP_MS * UINT64_C(1000000);

        assert_string_equal(trial->err.text, "");
        assert_int_equal(trial->end, LOAD_DONE);
        assert_int_equal(churn->done, COUNT);
        assert_true(phase_elapsed_ns(churn) >= least_ns);
        assert_true(histogram_quantile(&churn->operations, 0.5) < GAP_MS * 500000);
        assert_true(cases[i].batch == 1 ||
                    histogram_quantile(&churn->commits, 0.5) < GAP_MS * 500000);
        trial_free(trial);
    }
}

/* In the commit's own histogram, and in no operation's. */
TEST(a_slow_transaction_is_told_apart)
{
    static const int primitives[] = { CALL_BEGIN, CALL_COMMIT };
    struct load_config config = usual_phases;

    config.batch = 10;
    for (size_t i = 0; i < COUNT_OF(primitives); i++) {
        const struct fault fault = { primitives[i], TRICK_STALL, 3, 0 };
        struct store_trial *const trial = trial_run(&config, &fake_store, &fault);
        const struct phase_result *const create = &trial->result.phases[PHASE_CREATE];

        assert_int_equal(trial->end, LOAD_DONE);
        assert_int_equal(create->commits.count, LEASES / 10);
        assert_true(create->commits.max_ns >= STALL_MS * UINT64_C(1000000));
        assert_true(create->commits.sum_ns + create->operations.sum_ns <= phase_elapsed_ns(create));
        assert_true(create->operations.sum_ns <=
                    phase_elapsed_ns(create) - STALL_MS * UINT64_C(1000000));
        trial_free(trial);
    }
}

TEST(latency_can_be_left_out)
{
    struct load_config config = usual_phases;

    config.latency = false;
    config.batch = 10;
    struct store_trial *const trial = trial_run(&config, &fake_store, NULL);
    assert_int_equal(trial->end, LOAD_DONE);
    for (int p = 0; p < PHASE_COUNT; p++) {
        assert_int_equal(trial->result.phases[p].operations.count, 0);
        assert_int_equal(trial->result.phases[p].commits.count, 0);
        assert_int_equal(trial->result.phases[p].series.count, 0);
        assert_int_equal(trial->result.phases[p].done, LEASES);
    }
    trial_free(trial);
}

TEST(the_series_adds_up)
{
    const struct fault fault = { CALL_CREATE, TRICK_STALL, 5, 0 };
    struct store_trial *const trial = trial_run(&usual_phases, &fake_store, &fault);
    const struct series *const series = &trial->result.phases[PHASE_CREATE].series;
    uint64_t operations = 0;

    for (size_t i = 0; i < series->count; i++)
        operations += series_operations(series, i);
    assert_int_equal(operations, LEASES);
    trial_free(trial);
}
