/* SPDX-License-Identifier: ISC */
/* Exchanges that share a transaction: the same work, answered after the commit, and a batch that
   is lost is noticed. */
#include "load/openloop/batch.h"

#include "tests/lib/store_trial.h"

#include "tests/lib/check.h"

enum { COUNT = 42 };

static const char *const everything[] = {
    [LEASE_FAMILY_V4] = "renew=4,dora=3,dora-known=2,init-reboot=1,release=1,release-delete=1,"
                        "decline=1",
    [LEASE_FAMILY_V6] = "renew=4,sarr=3,release=1,release-delete=1,decline=1",
};

/* Runs exchanges of a mix; a fault counts from the beginning of the preload on. */
static struct store_trial *run(const char *mix, enum lease_family family, uint64_t batch,
                               uint64_t threads, const struct fault *fault)
{
    struct load_config config = trial_config(mix, family, COUNT);
    struct store_trial *const trial = trial_new(fault);

    config.batch = batch;
    config.threads = threads;
    trial->table.whole = true;
    (void)trial_run_on(trial, &workload_exchanges, &config, 0);
    return trial;
}

/* Compares the digest, the counts and the leases that are left. */
static void check_same(const char *row, const struct store_trial *a, const struct store_trial *b)
{
    check_text(row, a->err.text, "");
    check_number(row, a->end, LOAD_DONE);
    check_number(row, a->result.digest, b->result.digest);
    for (size_t i = 0; i < a->result.phase_count; i++) {
        check_number(row, a->result.phases[i].done, b->result.phases[i].done);
        check_number(row, a->result.phases[i].operations.count, a->result.phases[i].done);
    }
    for (size_t i = 0; i < SLOTS; i++) {
        const bool same =
            a->table.there[i] == b->table.there[i] &&
            (!a->table.there[i] || lease_equal(&a->table.leases[i], &b->table.leases[i]));

        if (!same)
            check_number(row, i, SLOTS);
    }
}

static uint64_t sum_of(const struct store_trial *trial, size_t offset)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < trial->result.phase_count; i++)
        sum += *(const uint64_t *)((const char *)&trial->result.phases[i] + offset);
    return sum;
}

TEST(the_work_is_that_of_single_commits)
{
    static const uint64_t batches[] = { 2, 3, 7, COUNT, 1000 };

    for (int family = LEASE_FAMILY_V4; family <= LEASE_FAMILY_V6; family++) {
        for (uint64_t threads = 1; threads <= 3; threads += 2) {
            struct store_trial *const single =
                run(everything[family], (enum lease_family)family, 1, threads, NULL);

            check_number("commits", sum_of(single, offsetof(struct phase_result, commits.count)),
                         0);
            for (size_t i = 0; i < COUNT_OF(batches); i++) {
                const uint64_t each = COUNT / threads;
                struct store_trial *const trial =
                    run(everything[family], (enum lease_family)family, batches[i], threads, NULL);

                check_same("batch", trial, single);
                check_number("commits", sum_of(trial, offsetof(struct phase_result, commits.count)),
                             threads * ((each + batches[i] - 1) / batches[i]));
                trial_free(trial);
            }
            trial_free(single);
        }
    }
}

/* In questions of exchanges at any place in a batch, and in commits; those of the preload come
   before. */
static void check_repeated(enum trick trick, size_t counter)
{
    static const struct {
        char letter;
        uint64_t at;
    } rows[] = { { 'C', 3 },  { 'C', 9 }, { 'H', 2 },  { 'A', 5 }, { 'A', 20 }, { 'I', 53 },
                 { 'I', 56 }, { 'U', 4 }, { 'U', 17 }, { 'D', 2 }, { 'T', 3 },  { 'T', 5 } };
    struct store_trial *const single = run(everything[0], LEASE_FAMILY_V4, 1, 1, NULL);

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct fault fault = { rows[i].letter, trick, rows[i].at, 0 };
        const char row[] = { rows[i].letter, (char)('a' + rows[i].at), '\0' };
        struct store_trial *const trial = run(everything[0], LEASE_FAMILY_V4, 7, 1, &fault);

        check(row, trial->table.done, "the trick was done");
        check_same(row, trial, single);
        check_number(row, sum_of(trial, counter), 1);
        trial_free(trial);
    }
    trial_free(single);
}

TEST(a_batch_is_repeated_after_a_deadlock)
{
    check_repeated(TRICK_DEADLOCK, offsetof(struct phase_result, deadlocks));
}

TEST(a_batch_is_repeated_after_a_conflict)
{
    check_repeated(TRICK_CONFLICT, offsetof(struct phase_result, conflicts));
}

/* The store has acknowledged the commit, and the leases are as they were before. */
TEST(a_lost_batch_is_found)
{
    static const char *const mixes[] = { "renew", "dora", "release", "release-delete", "decline" };

    for (size_t i = 0; i < COUNT_OF(mixes); i++) {
        for (uint64_t at = 3; at <= 7; at++) {
            const struct fault fault = { CALL_COMMIT, TRICK_LOSE, at, 0 };
            struct store_trial *const trial = run(mixes[i], LEASE_FAMILY_V4, 7, 1, &fault);

            check(mixes[i], trial->table.done, "the trick was done");
            check_number(mixes[i], trial->end, LOAD_WRONG);
            check(mixes[i], strstr(trial->err.text, "wrong answer") != NULL, trial->err.text);
            trial_free(trial);
        }
    }
}

TEST(a_failed_commit_fails_the_batch)
{
    const struct fault fault = { CALL_COMMIT, TRICK_FAIL, 4, 0 };
    struct store_trial *const trial = run("renew", LEASE_FAMILY_V4, 7, 1, &fault);

    assert_int_equal(trial->end, LOAD_FAILED);
    assert_string_equal(trial->err.text, "fake: gone");
    /* Two batches after the commit of the preload. */
    assert_int_equal(trial->result.phases[0].done, 14);
    assert_int_equal(trial->result.phases[0].operations.count, 14);
    trial_free(trial);
}

TEST(a_stop_commits_what_was_begun)
{
    const struct fault fault = { CALL_UPDATE, TRICK_STOP, 10, 0 };
    struct store_trial *const trial = run("renew", LEASE_FAMILY_V4, 7, 1, &fault);

    assert_int_equal(trial->end, LOAD_INTERRUPTED);
    assert_int_equal(trial->result.phases[0].done, 10);
    assert_int_equal(trial->result.phases[0].commits.count, 2);
    trial_free(trial);
}

/* All of them wait for the last one. */
TEST(the_latency_is_that_until_the_commit)
{
    const struct fault fault = { CALL_UPDATE, TRICK_STALL, 7, 0 };
    struct store_trial *const trial = run("renew", LEASE_FAMILY_V4, 7, 1, &fault);
    const uint64_t stall_ns = STALL_MS * UINT64_C(1000000);

    assert_int_equal(trial->end, LOAD_DONE);
    assert_true(trial->result.phases[0].operations.sum_ns >= 7 * stall_ns);
    trial_free(trial);
}

TEST(a_time_ends_a_batch)
{
    static const struct {
        uint64_t time_ns;
        uint64_t commits;
    } rows[] = { { 1, 60 }, { 3600 * NS_PER_S, 1 } };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct load_config config = trial_config("renew", LEASE_FAMILY_V4, 60);

        config.batch = 1000;
        config.batch_ns = rows[i].time_ns;
        struct store_trial *const trial = trial_run_exchanges(&config, NULL);
        assert_int_equal(trial->end, LOAD_DONE);
        assert_int_equal(trial->result.phases[0].done, 60);
        assert_int_equal(trial->result.phases[0].commits.count, rows[i].commits);
        trial_free(trial);
    }
}
