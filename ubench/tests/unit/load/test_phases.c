/* SPDX-License-Identifier: ISC */
/* The phases on a correct store, and how they end early. */
#include "tests/lib/store_trial.h"

#include "tests/lib/check.h"

TEST(a_correct_store_passes)
{
    struct store_trial *const trial = trial_run(&usual_phases, &fake_store, NULL);
    uint64_t ended_ns = 0;

    assert_int_equal(trial->end, LOAD_DONE);
    assert_string_equal(trial->err.text, "");
    assert_true(trial->result.verified);
    assert_int_equal(trial->result.left, 0);
    for (int i = 0; i < PHASE_COUNT; i++) {
        const struct phase_result *const phase = &trial->result.phases[i];

        assert_int_equal(phase->done, LEASES);
        assert_int_equal(phase->hits + phase->misses, LEASES);
        assert_true(i == PHASE_SEARCH || phase->misses == 0);
        assert_true(phase->begun_ns >= ended_ns);
        assert_true(phase->ended_ns >= phase->begun_ns);
        ended_ns = phase->ended_ns;
    }
    assert_string_equal(trial->result.phases[PHASE_CREATE].name, "create");
    assert_string_equal(trial->result.phases[PHASE_DELETE].name, "delete");
    /* Operations of the phases, and the updates that were read back. */
    assert_int_equal(trial_calls(trial, CALL_CREATE), LEASES);
    assert_int_equal(trial_calls(trial, CALL_UPDATE), LEASES);
    assert_int_equal(trial_calls(trial, CALL_REMOVE), LEASES);
    assert_int_equal(trial_calls(trial, CALL_RESET), 1);
    assert_int_equal(trial_calls(trial, CALL_COUNT), 2);
    trial_free(trial);
}

TEST(a_preload_stays)
{
    struct load_config config = usual_phases;

    config.preload = 2500;
    struct store_trial *const trial = trial_run(&config, &fake_store, NULL);
    assert_string_equal(trial->err.text, "");
    assert_int_equal(trial->end, LOAD_DONE);
    assert_int_equal(trial->result.left, 0);
    assert_int_equal(trial->result.phases[PHASE_CREATE].done, LEASES);
    assert_int_equal(trial_calls(trial, CALL_CREATE), 2500 + LEASES);
    /* In transactions of a thousand. */
    assert_int_equal(trial_calls(trial, CALL_BEGIN), 3);
    assert_int_equal(trial_calls(trial, CALL_COMMIT), 3);
    trial_free(trial);
}

TEST(searches_hit_as_often_as_asked)
{
    static const struct {
        double ratio;
        uint64_t least;
        uint64_t most;
    } cases[] = {
        { 0, 0, 0 },
        /* Five standard deviations of 1000 searches. */
        { 0.5, 420, 580 },
        { 0.9, 852, 948 },
        { 1, 1000, 1000 },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct load_config config = usual_phases;

        config.count = 1000;
        config.phases.hit_ratio = cases[i].ratio;
        struct store_trial *const trial = trial_run(&config, &fake_store, NULL);
        const struct phase_result *const search = &trial->result.phases[PHASE_SEARCH];
        assert_int_equal(trial->end, LOAD_DONE);
        assert_in_range(search->hits, cases[i].least, cases[i].most);
        assert_int_equal(search->misses, 1000 - search->hits);
        trial_free(trial);
    }
}

TEST(the_digest_names_the_operations)
{
    struct load_config other = usual_phases;
    const uint64_t expected = trial_digest(&usual_phases, &fake_store);

    assert_true(trial_digest(&usual_phases, &fake_store) == expected);
    assert_true(trial_digest(&usual_phases, &null_backend) == expected);
    other.seed = 2;
    assert_true(trial_digest(&other, &fake_store) != expected);
    assert_true(trial_digest(&other, &fake_store) == trial_digest(&other, &null_backend));
    other = usual_phases;
    other.count--;
    assert_true(trial_digest(&other, &fake_store) != expected);
    other = usual_phases;
    other.phases.hit_ratio = 0.8;
    assert_true(trial_digest(&other, &fake_store) != expected);
    other = usual_phases;
    other.profile = LEASE_PROFILE_GUIDE;
    assert_true(trial_digest(&other, &fake_store) != expected);
    other = usual_phases;
    other.subnets = 1; /* as if nothing was said */
    assert_true(trial_digest(&other, &fake_store) == expected);
    other.subnets = 2;
    assert_true(trial_digest(&other, &fake_store) != expected);
    other = usual_phases;
    other.preload = 1;
    assert_true(trial_digest(&other, &fake_store) != expected);
}

TEST(a_forgetful_store_is_not_verified)
{
    struct store_trial *const trial = trial_run(&usual_phases, &null_backend, NULL);

    assert_int_equal(trial->end, LOAD_DONE);
    assert_false(trial->result.verified);
    trial_free(trial);
}

TEST(a_stop_is_obeyed_at_once)
{
    static const struct {
        struct fault fault;
        uint64_t preload;
        uint64_t done[PHASE_COUNT];
    } cases[] = {
        { { CALL_CREATE, TRICK_STOP, 20, 0 }, 0, { 20, 0, 0, 0 } },
        { { CALL_FIND, TRICK_STOP, 1, 0 }, 0, { LEASES, 1, 0, 0 } },
        { { CALL_UPDATE, TRICK_STOP, 20, 0 }, 0, { LEASES, LEASES, 20, 0 } },
        { { CALL_REMOVE, TRICK_STOP, 20, 0 }, 0, { LEASES, LEASES, LEASES, 20 } },
        { { CALL_COUNT, TRICK_STOP, 1, 0 }, 0, { LEASES, 0, 0, 0 } },
        { { CALL_CREATE, TRICK_STOP, 20, 0 }, 100, { 0, 0, 0, 0 } },
        { { CALL_RESET, TRICK_STOP, 1, 0 }, 0, { 0, 0, 0, 0 } },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct load_config config = usual_phases;

        config.preload = cases[i].preload;
        struct store_trial *const trial = trial_run(&config, &fake_store, &cases[i].fault);
        assert_int_equal(trial->end, LOAD_INTERRUPTED);
        assert_string_equal(trial->err.text, "");
        for (int p = 0; p < PHASE_COUNT; p++)
            assert_int_equal(trial->result.phases[p].done, cases[i].done[p]);
        trial_free(trial);
    }
}

/* The last operation was done: nothing is missing. */
TEST(a_stop_at_the_very_end_comes_too_late)
{
    const struct fault fault = { CALL_REMOVE, TRICK_STOP, LEASES, 0 };
    struct store_trial *const trial = trial_run(&usual_phases, &fake_store, &fault);

    assert_int_equal(trial->end, LOAD_DONE);
    trial_free(trial);
}

TEST(progress_is_told)
{
    const struct fault fault = { CALL_UPDATE, TRICK_STOP, 20, 0 };
    struct store_trial *const trial = trial_run(&usual_phases, &fake_store, &fault);
    struct progress *const progress = &trial->progress;

    assert_null(atomic_load(&progress->phase));
    assert_int_equal(atomic_load(&progress->planned), LEASES);
    assert_int_equal(progress_done(progress), 20);
    assert_true(atomic_load(&progress->started_ns) <= clock_now_ns());
    trial_free(trial);
}

TEST(a_preload_that_ends_early_is_over)
{
    static const struct fault faults[] = { { CALL_CREATE, TRICK_STOP, 20, 0 },
                                           { CALL_BEGIN, TRICK_BUSY, 1, 0 },
                                           { CALL_COMMIT, TRICK_BUSY, 1, 0 } };
    struct load_config config = usual_phases;

    config.preload = 100;
    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        struct store_trial *const trial = trial_run(&config, &fake_store, &faults[i]);

        assert_int_equal(trial->end,
                         faults[i].trick == TRICK_STOP ? LOAD_INTERRUPTED : LOAD_FAILED);
        assert_null(atomic_load(&trial->progress.phase));
        trial_free(trial);
    }
}
