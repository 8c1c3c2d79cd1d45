/* SPDX-License-Identifier: ISC */
/*
 * The phases on a store with a fault.  Whatever it is, the harness has to
 * notice it, say so with the right end, and name the address.
 */
#include "tests/lib/store_trial.h"

#include <stdio.h>

#include "tests/lib/check.h"
#include "tests/lib/lease_fields.h"

/* %s: the address with which the store cheated. */
static const struct {
    struct fault fault;
    const char *message;
} lies[] = {
    { { CALL_CREATE, TRICK_LIE, 20, 0 },
      "fake: wrong answer: creating %s returned MISS; a correct store returns HIT" },
    { { CALL_CREATE, TRICK_LIE, 1, 0 },
      "fake: wrong answer: creating %s returned MISS; a correct store returns HIT" },
    { { CALL_CREATE, TRICK_LIE, LEASES, 0 },
      "fake: wrong answer: creating %s returned MISS; a correct store returns HIT" },
    { { CALL_CREATE, TRICK_PRETEND, 20, 0 },
      "fake: wrong answer: the store has 49 leases after create; a correct store has 50" },
    { { CALL_CREATE, TRICK_TWICE, 20, 0 },
      "fake: wrong answer: the store has 51 leases after create; a correct store has 50" },
    { { CALL_COUNT, TRICK_MORE, 1, 0 },
      "fake: wrong answer: the store has 51 leases after create; a correct store has 50" },
    { { CALL_COUNT, TRICK_FEWER, 1, 0 },
      "fake: wrong answer: the store has 49 leases after create; a correct store has 50" },
    { { CALL_FIND, TRICK_LIE, 7, 0 },
      "fake: wrong answer: searching %s returned MISS; a correct store returns HIT" },
    { { CALL_FIND_NONE, TRICK_LIE, 3, 0 },
      "fake: wrong answer: searching %s returned HIT; a correct store returns MISS" },
    { { CALL_UPDATE, TRICK_LIE, 20, 0 },
      "fake: wrong answer: updating %s returned MISS; a correct store returns HIT" },
    { { CALL_UPDATE, TRICK_LOSE, 20, 0 },
      "fake: wrong answer: reading back %s returned MISS; a correct store returns HIT" },
    { { CALL_UPDATE, TRICK_PRETEND, 20, 0 },
      "fake: wrong answer: reading back %s returned a lease whose valid_lifetime differs from the "
      "stored one" },
    { { CALL_REMOVE, TRICK_LIE, 20, 0 },
      "fake: wrong answer: deleting %s returned MISS; a correct store returns HIT" },
    /* A deleted lease is there again. */
    { { CALL_REMOVE, TRICK_PRETEND, 20, 0 },
      "fake: wrong answer: the store has 1 leases after delete; a correct store has 0" },
    { { CALL_COUNT, TRICK_MORE, 2, 0 },
      "fake: wrong answer: the store has 1 leases after delete; a correct store has 0" },
};

TEST(lies_are_noticed)
{
    for (size_t i = 0; i < COUNT_OF(lies); i++)
        check_fault(&usual_phases, &lies[i].fault, LOAD_WRONG, lies[i].message);
}

/* Whichever it is, and in every field; the preload is read back, too. */
TEST(one_spoilt_change_is_noticed)
{
    static const struct row {
        const struct workload *workload;
        int primitive;
        uint64_t calls;
        uint64_t read_back_of; /* 1000 of them and the preload */
    } rows[] = {
        { &workload_phases, CALL_UPDATE, 1000, 2000 },
        { &workload_churn, CALL_UPDATE, 333, 1000 + 334 },
    };
    struct load_config config = usual_phases;

    config.count = 1000;
    config.preload = 1000;
    config.phases.hit_ratio = 0;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (config.threads = 1; config.threads <= 5; config.threads += 4) {
            for (uint64_t at = 0; at < rows[i].calls; at += 37) {
                const struct fault fault = { rows[i].primitive, TRICK_ALTER, at / config.threads,
                                             (int)(at % LEASE_CHANGES) };
                struct store_trial *const trial =
                    trial_run_load(rows[i].workload, &config, &fault, 0);

                assert_int_equal(trial->end, at < config.threads ? LOAD_DONE : LOAD_WRONG);
                if (trial->end == LOAD_DONE) {
                    /* In churn a thread may create one lease more. */
                    assert_in_range(trial->result.read_back_of, rows[i].read_back_of,
                                    rows[i].read_back_of + i);
                    assert_int_equal(trial->result.read_back, trial->result.read_back_of);
                }
                trial_free(trial);
            }
        }
    }
}

TEST(each_wrong_field_is_noticed)
{
    static const struct {
        int primitive;
        const char *verb;
    } cases[] = { { CALL_FIND, "searching" }, { CALL_UPDATE, "reading back" } };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (int change = 0; change < LEASE_CHANGES; change++) {
            const struct fault fault = { cases[i].primitive, TRICK_ALTER, 11, change };
            struct store_trial *const trial = trial_run(&usual_phases, &fake_store, &fault);
            char address[LEASE_ADDRESS_TEXT_SIZE];
            char wanted[256];

            (void)lease_address_text(address, trial->table.address, LEASE_TYPE_V4);
            (void)snprintf(
                wanted, sizeof wanted,
                "fake: wrong answer: %s %s returned a lease whose %s differs from the stored one",
                cases[i].verb, address, trial->table.field);
            check_text(wanted, trial->err.text, wanted);
            check_number(wanted, trial->end, LOAD_WRONG);
            trial_free(trial);
        }
    }
}

static const struct {
    struct fault fault;
    uint64_t preload;
    const char *message;
} failures[] = {
    { { CALL_CREATE, TRICK_BUSY, 20, 0 }, 0, "fake: table lease4: locked (5) (while creating %s)" },
    { { CALL_FIND, TRICK_BUSY, 20, 0 }, 0, "fake: table lease4: locked (5) (while searching %s)" },
    { { CALL_UPDATE, TRICK_BUSY, 20, 0 }, 0, "fake: table lease4: locked (5) (while updating %s)" },
    { { CALL_REMOVE, TRICK_BUSY, LEASES, 0 },
      0,
      "fake: table lease4: locked (5) (while deleting %s)" },
    { { CALL_CREATE, TRICK_BUSY, 20, 0 },
      100,
      "fake: table lease4: locked (5) (while preloading %s)" },
    { { CALL_RESET, TRICK_BUSY, 1, 0 }, 0, "fake: table lease4: locked (5)" },
    { { CALL_COUNT, TRICK_BUSY, 1, 0 }, 0, "fake: table lease4: locked (5)" },
    { { CALL_COUNT, TRICK_BUSY, 2, 0 }, 0, "fake: table lease4: locked (5)" },
    { { CALL_BEGIN, TRICK_BUSY, 1, 0 }, 1, "fake: table lease4: locked (5)" },
    { { CALL_COMMIT, TRICK_BUSY, 1, 0 }, 1, "fake: table lease4: locked (5)" },
};

static struct load_config counted(void)
{
    struct load_config config = usual_phases;

    config.counted = true;
    config.subnets = 4;
    config.preload = 20;
    return config;
}

TEST(counters_are_compared)
{
    /* After create and after delete, by subnet and by pool each time. */
    static const char *const says[] = {
        "after create the counter of subnet 3 ",
        "after create the counter of the pools of subnet 3 ",
        "after delete the counter of subnet 3 ",
        "after delete the counter of the pools of subnet 3 ",
    };
    const struct load_config config = counted();
    struct store_trial *trial = trial_run(&config, &fake_store, NULL);

    assert_string_equal(trial->err.text, "");
    assert_int_equal(trial->end, LOAD_DONE);
    assert_int_equal(trial_calls(trial, CALL_READ_COUNTERS), COUNT_OF(says));
    trial_free(trial);
    for (size_t i = 0; i < 2 * COUNT_OF(says); i++) {
        const struct fault fault = {
            .letter = CALL_READ_COUNTERS,
            .trick = i % 2 == 0 ? TRICK_MORE : TRICK_FEWER,
            .at = i / 2 + 1,
        };

        trial = trial_run(&config, &fake_store, &fault);
        check_number(says[i / 2], trial->end, LOAD_WRONG);
        check(says[i / 2], strstr(trial->err.text, says[i / 2]) != NULL, trial->err.text);
        trial_free(trial);
    }
}

TEST(counters_of_churn_are_compared)
{
    struct load_config config = counted();

    for (uint64_t threads = 1; threads <= SESSIONS; threads++) {
        for (uint64_t count = 1; count <= 3 * threads + 2; count++) {
            config.threads = threads;
            config.preload = 4 * threads;
            config.count = count;
            struct store_trial *const trial = trial_run_load(&workload_churn, &config, NULL, 0);

            assert_string_equal(trial->err.text, "");
            assert_int_equal(trial->end, LOAD_DONE);
            assert_int_equal(trial_calls(trial, CALL_READ_COUNTERS), 2);
            trial_free(trial);
        }
    }
}

TEST(who_keeps_no_counters_is_not_asked)
{
    struct load_config config = counted();

    config.counted = false;
    struct store_trial *const trial = trial_run(&config, &fake_store, NULL);
    assert_int_equal(trial->end, LOAD_DONE);
    assert_int_equal(trial_calls(trial, CALL_READ_COUNTERS), 0);
    trial_free(trial);
}

TEST(failures_are_passed_on)
{
    for (size_t i = 0; i < COUNT_OF(failures); i++) {
        struct load_config config = usual_phases;

        config.preload = failures[i].preload;
        check_fault(&config, &failures[i].fault, LOAD_FAILED, failures[i].message);
    }
}

TEST(a_failure_keeps_its_class_and_what_was_done)
{
    const struct fault fault = { CALL_UPDATE, TRICK_BUSY, 20, 0 };
    struct store_trial *const trial = trial_run(&usual_phases, &fake_store, &fault);

    assert_int_equal(trial->end, LOAD_FAILED);
    assert_int_equal(trial->err.kind, ERR_BUSY);
    assert_int_equal(trial->result.phases[PHASE_SEARCH].done, LEASES);
    assert_int_equal(trial->result.phases[PHASE_UPDATE].done, 19);
    assert_int_equal(trial->result.phases[PHASE_UPDATE].hits, 19);
    assert_int_equal(trial->result.phases[PHASE_DELETE].done, 0);
    trial_free(trial);
}

TEST(a_bad_preload_is_noticed)
{
    const struct fault fault = { CALL_CREATE, TRICK_LIE, 20, 0 };
    struct load_config config = usual_phases;

    config.preload = 100;
    check_fault(&config, &fault, LOAD_WRONG,
                "fake: wrong answer: preloading %s returned MISS; a correct store returns HIT");
}

/* Among several threads one is enough, and its message is what counts. */
TEST(one_bad_thread_ends_the_run)
{
    struct load_config config = usual_phases;

    config.count = 1000;
    config.threads = SESSIONS;
    for (size_t i = 0; i < COUNT_OF(lies); i++) {
        /* Totals are those of 50 leases. */
        if (strstr(lies[i].message, "%s") == NULL)
            continue;
        for (size_t thread = 0; thread < SESSIONS; thread += 3)
            check_thread(&config, &lies[i].fault, thread, LOAD_WRONG, lies[i].message);
    }
    const struct fault fault = { CALL_UPDATE, TRICK_BUSY, 20, 0 };
    check_thread(&config, &fault, SESSIONS - 1, LOAD_FAILED,
                 "fake: table lease4: locked (5) (while updating %s)");
}

static const int changes[] = {
    [PHASE_CREATE] = CALL_CREATE,
    [PHASE_SEARCH] = CALL_FIND,
    [PHASE_UPDATE] = CALL_UPDATE,
    [PHASE_DELETE] = CALL_REMOVE,
};

/* On a node that has just been behind another; the trick may last. */
static struct store_trial *run_on_node(const struct load_config *config, const struct fault *fault,
                                       bool lasts)
{
    struct store_trial *const trial = trial_new(fault);

    trial->table.whole = true;
    trial->table.behind = true;
    trial->table.lasts = lasts;
    (void)trial_run_on(trial, &workload_phases, config, 0);
    return trial;
}

/* A run with one fault, after which all was done as without it: what was
   counted of each phase, which must be in one phase alone. */
static void check_asked_again(uint64_t batch, const struct fault *fault, size_t phase,
                              uint64_t conflicts, uint64_t stale)
{
    struct load_config config = usual_phases;

    config.batch = batch;
    struct store_trial *const trial = run_on_node(&config, fault, false);
    assert_string_equal(trial->err.text, "");
    assert_int_equal(trial->end, LOAD_DONE);
    assert_int_equal(trial->result.digest, trial_digest(&config, &fake_store));
    for (size_t i = 0; i < PHASE_COUNT; i++) {
        const struct phase_result *const result = &trial->result.phases[i];

        assert_int_equal(result->done, LEASES);
        assert_int_equal(result->hits + result->misses, LEASES);
        assert_int_equal(result->conflicts, i == phase ? conflicts : 0);
        assert_int_equal(result->stale, i == phase ? stale : 0);
        if (batch == 1)
            assert_int_equal(result->operations.count, LEASES);
    }
    trial_free(trial);
}

TEST(after_a_conflict_the_client_asks_again)
{
    for (size_t phase = 0; phase < PHASE_COUNT; phase++) {
        const struct fault fault = { changes[phase], TRICK_CONFLICT, 20, 0 };

        check_asked_again(1, &fault, phase, 1, 0);
        check_asked_again(7, &fault, phase, 1, 0);
    }
    const struct fault late = { CALL_COMMIT, TRICK_CONFLICT, 2, 0 };
    check_asked_again(7, &late, PHASE_CREATE, 1, 0);
}

TEST(what_a_node_did_not_have_yet_is_no_wrong_answer)
{
    for (size_t phase = 0; phase < PHASE_COUNT; phase++) {
        const struct fault fault = { changes[phase], TRICK_LIE, 20, 0 };

        check_asked_again(1, &fault, phase, 0, 1);
        check_asked_again(7, &fault, phase, 0, 1);
    }
    const struct fault old = { CALL_FIND, TRICK_ALTER, 7, 0 };
    check_asked_again(1, &old, PHASE_SEARCH, 0, 1);
}

TEST(what_a_node_should_have_is_one)
{
    static const int all[] = { CALL_CREATE, CALL_FIND, CALL_UPDATE, CALL_REMOVE };

    for (size_t i = 0; i < COUNT_OF(all); i++) {
        const struct fault fault = { all[i], TRICK_LIE, 20, 0 };
        struct store_trial *const trial = run_on_node(&usual_phases, &fault, true);

        assert_int_equal(trial->end, LOAD_WRONG);
        trial_free(trial);
    }
}
