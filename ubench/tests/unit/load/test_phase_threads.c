/* SPDX-License-Identifier: ISC */
/* Threads that share the phases, and groups of changes. */
#include "tests/lib/store_trial.h"

#include "tests/lib/check.h"

TEST(threads_share_the_work)
{
    static const uint64_t counts[] = { 1, 3, 4, 5, 50, 1000 };

    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        struct load_config config = usual_phases;

        config.count = counts[i];
        const uint64_t expected = trial_digest(&config, &fake_store);
        for (config.threads = 1; config.threads <= SESSIONS; config.threads++) {
            struct store_trial *const trial = trial_run(&config, &fake_store, NULL);

            assert_string_equal(trial->err.text, "");
            assert_int_equal(trial->end, LOAD_DONE);
            assert_true(trial->result.digest == expected);
            assert_int_equal(trial->result.left, 0);
            for (int p = 0; p < PHASE_COUNT; p++) {
                const struct phase_result *const phase = &trial->result.phases[p];

                assert_int_equal(phase->done, counts[i]);
                assert_int_equal(phase->hits + phase->misses, counts[i]);
                assert_int_equal(phase->operations.count, counts[i]);
            }
            /* One each more or less. */
            for (size_t k = 0; k < config.threads; k++)
                assert_in_range(trial->sessions[k]->calls[CALL_CREATE], counts[i] / config.threads,
                                (counts[i] - 1) / config.threads + 1);
            trial_free(trial);
        }
    }
}

TEST(groups_are_committed)
{
    static const struct {
        uint64_t threads;
        uint64_t batch;
        uint64_t groups; /* of a phase */
    } cases[] = {
        { 1, 1, 0 },  { 1, 2, 25 }, { 1, 20, 3 },   { 1, 50, 1 },
        { 1, 51, 1 }, { 2, 10, 6 }, { 4, 1000, 4 },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct load_config config = usual_phases;

        config.threads = cases[i].threads;
        config.batch = cases[i].batch;
        struct store_trial *const trial = trial_run(&config, &fake_store, NULL);
        const struct phase_result *const phases = trial->result.phases;
        assert_int_equal(trial->end, LOAD_DONE);
        assert_true(trial->result.digest == trial_digest(&usual_phases, &fake_store));
        /* Searches change nothing. */
        assert_int_equal(trial_calls(trial, CALL_BEGIN), 3 * cases[i].groups);
        assert_int_equal(trial_calls(trial, CALL_COMMIT), 3 * cases[i].groups);
        assert_int_equal(phases[PHASE_CREATE].commits.count, cases[i].groups);
        assert_int_equal(phases[PHASE_SEARCH].commits.count, 0);
        assert_int_equal(phases[PHASE_UPDATE].operations.count, LEASES);
        trial_free(trial);
    }
}

/* Operations that were not committed were not done. */
TEST(a_failed_group_does_not_count)
{
    static const struct {
        struct fault fault;
        uint64_t done;
        const char *message;
    } cases[] = {
        { { CALL_CREATE, TRICK_BUSY, 27, 0 },
          20,
          "fake: table lease4: locked (5) (while creating %s)" },
        { { CALL_BEGIN, TRICK_BUSY, 3, 0 }, 20, "fake: table lease4: locked (5)" },
        { { CALL_COMMIT, TRICK_BUSY, 3, 0 }, 20, "fake: table lease4: locked (5)" },
        { { CALL_COMMIT, TRICK_BUSY, 1, 0 }, 0, "fake: table lease4: locked (5)" },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct load_config config = usual_phases;

        config.batch = 10;
        check_fault(&config, &cases[i].fault, LOAD_FAILED, cases[i].message);
        struct store_trial *const trial = trial_run(&config, &fake_store, &cases[i].fault);
        const struct phase_result *const create = &trial->result.phases[PHASE_CREATE];
        check_number(cases[i].message, create->done, cases[i].done);
        check_number(cases[i].message, create->hits, cases[i].done);
        trial_free(trial);
    }
}

TEST(a_stop_commits_what_was_begun)
{
    const struct fault fault = { CALL_UPDATE, TRICK_STOP, 13, 0 };
    struct load_config config = usual_phases;

    config.batch = 10;
    struct store_trial *const trial = trial_run(&config, &fake_store, &fault);
    assert_int_equal(trial->end, LOAD_INTERRUPTED);
    assert_int_equal(trial->result.phases[PHASE_UPDATE].done, 13);
    assert_int_equal(trial->result.phases[PHASE_UPDATE].commits.count, 2);
    trial_free(trial);
}

/* The operations done are those committed, neither more nor fewer. */
TEST(threads_count_what_they_committed)
{
    static const struct {
        struct fault fault;
        enum load_end end;
        enum err_class class;
    } cases[] = {
        { { CALL_CREATE, TRICK_STOP, 13, 0 }, LOAD_INTERRUPTED, ERR_OTHER },
        { { CALL_CREATE, TRICK_BUSY, 13, 0 }, LOAD_FAILED, ERR_BUSY },
        { { CALL_BEGIN, TRICK_BUSY, 3, 0 }, LOAD_FAILED, ERR_BUSY },
        { { CALL_COMMIT, TRICK_BUSY, 3, 0 }, LOAD_FAILED, ERR_BUSY },
        { { CALL_CREATE, TRICK_LIE, 13, 0 }, LOAD_WRONG, ERR_OTHER },
    };
    struct load_config config = usual_phases;

    config.count = 1000;
    config.threads = SESSIONS;
    config.batch = 5;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct store_trial *const trial =
            trial_run_load(&workload_phases, &config, &cases[i].fault, SESSIONS / 2);
        const struct phase_result *const create = &trial->result.phases[PHASE_CREATE];
        uint64_t committed = 0;

        for (size_t k = 0; k < SESSIONS; k++)
            committed += trial->sessions[k]->committed;
        assert_int_equal(trial->end, cases[i].end);
        assert_int_equal(trial->err.kind, cases[i].class);
        assert_int_equal(create->done, committed);
        assert_int_equal(create->hits, committed);
        assert_true(committed < config.count);
        assert_int_equal(trial->result.phases[PHASE_SEARCH].done, 0);
        trial_free(trial);
    }
}
