/* SPDX-License-Identifier: ISC */
/*
 * Exchanges against a store with a fault: whatever it is, and in which step, it
 * has to be noticed.
 */
#include "tests/lib/store_trial.h"

#include "load/workloads.h"
#include "tests/lib/check.h"
#include "tests/lib/lease_fields.h"

/* Runs all exchanges with a fault in a question, and says how it ended. */
static struct store_trial *run_faulty(enum lease_family family, const struct fault *fault)
{
    const struct load_config config = trial_busy(family);
    struct store_trial *const trial = trial_run_exchanges(&config, fault);
    const char row[] = { (char)fault->letter, '\0' };

    check(row, trial->table.done, "the trick was done");
    return trial;
}

TEST(lies_are_noticed)
{
    static const char *const questions[] = { "CHAIUDEP", "LNAIUDEP" };
    static const struct {
        enum trick trick;
        const char *letters;
    } tricks[] = {
        { TRICK_LIE, "CHLNAIUD" },
        { TRICK_PRETEND, "IUDP" },
        { TRICK_LOSE, "IU" },
        { TRICK_FEWER, "EP" },
    };

    for (int family = 0; family <= LEASE_FAMILY_V6; family++) {
        for (size_t t = 0; t < COUNT_OF(tricks); t++) {
            for (const char *q = questions[family]; *q != '\0'; q++) {
                const struct fault fault = { *q, tricks[t].trick, 1, 0 };
                const char row[] = { (char)('0' + family), (char)('0' + t), *q, '\0' };

                if (strchr(tricks[t].letters, *q) == NULL)
                    continue;
                struct store_trial *const trial = run_faulty((enum lease_family)family, &fault);
                check_number(row, trial->end, LOAD_WRONG);
                check(row, strstr(trial->err.text, "wrong answer") != NULL, trial->err.text);
                trial_free(trial);
            }
        }
    }
}

/* In every question that finds or changes a lease, late ones included. */
TEST(a_wrong_field_is_noticed)
{
    static const char letters[] = "UIE";

    for (int change = 0; change < LEASE_CHANGES; change++) {
        for (const char *q = letters; *q != '\0'; q++) {
            const struct fault fault = { *q, TRICK_ALTER, 1, change };
            const char row[] = { *q, (char)('a' + change), '\0' };
            struct store_trial *const trial = run_faulty(LEASE_FAMILY_V4, &fault);

            check_number(row, trial->end, LOAD_WRONG);
            trial_free(trial);
        }
    }
}

TEST(each_lookup_compares_the_lease)
{
    static const struct {
        const char *mix;
        char letter;
        uint64_t at;
    } rows[] = {
        { "renew", 'C', 1 },          { "renew", 'A', 1 },       { "dora-known", 'C', 1 },
        { "dora-known", 'C', 2 },     { "dora-known", 'A', 1 },  { "init-reboot", 'C', 1 },
        { "init-reboot", 'C', 2 },    { "init-reboot", 'A', 1 }, { "release", 'A', 1 },
        { "release-delete", 'A', 1 }, { "decline", 'A', 1 },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (int change = 0; change < LEASE_CHANGES; change++) {
            const struct fault fault = { rows[i].letter, TRICK_ALTER, rows[i].at, change };
            const struct load_config config = trial_config(rows[i].mix, LEASE_FAMILY_V4, 1);
            struct store_trial *const trial = trial_run_exchanges(&config, &fault);

            check_number(rows[i].mix, trial->end, LOAD_WRONG);
            trial_free(trial);
        }
    }
}

TEST(a_failure_is_passed_on)
{
    static const char letters[] = "CHAIUDEP";

    for (const char *q = letters; *q != '\0'; q++) {
        const struct fault fault = { *q, TRICK_FAIL, 2, 0 };
        const char row[] = { *q, '\0' };
        struct store_trial *const trial = run_faulty(LEASE_FAMILY_V4, &fault);

        check_number(row, trial->end, LOAD_FAILED);
        check_number(row, trial->err.kind, ERR_LOST);
        check(row, strstr(trial->err.text, "fake: gone (") != NULL, trial->err.text);
        trial_free(trial);
    }
}

/* A lost connection is not taken for a table that is too old for RELEASE. */
TEST(a_failure_before_the_first_release_is_passed_on)
{
    const struct fault fault = { 'I', TRICK_FAIL, 1, 0 };
    const struct load_config config = trial_config("release", LEASE_FAMILY_V4, 1);
    struct store_trial *const trial = trial_new(&fault);

    trial->table.whole = true;
    assert_int_equal(trial_run_on(trial, &workload_exchanges, &config, 0), LOAD_FAILED);
    assert_int_equal(trial->err.kind, ERR_LOST);
    check("cause", strncmp(trial->err.text, "fake: gone", 10) == 0, trial->err.text);
    trial_free(trial);
}

/* Such an exchange changed nothing; the others go on. */
static void check_given_up(enum trick trick)
{
    static const char letters[] = "CHAIUDEP";

    for (const char *q = letters; *q != '\0'; q++) {
        const struct fault fault = { *q, trick, 1, 0 };
        const char row[] = { *q, '\0' };
        struct store_trial *const trial = run_faulty(LEASE_FAMILY_V4, &fault);
        uint64_t deadlocks = 0;
        uint64_t conflicts = 0;
        uint64_t done = 0;

        check_text(row, trial->end == LOAD_DONE ? "" : trial->err.text, "");
        for (size_t i = 0; i < trial->result.phase_count; i++) {
            deadlocks += trial->result.phases[i].deadlocks;
            conflicts += trial->result.phases[i].conflicts;
            done += trial->result.phases[i].done;
        }
        check_number(row, deadlocks, trick == TRICK_DEADLOCK);
        check_number(row, conflicts, trick == TRICK_CONFLICT);
        check_number(row, done, 99);
        trial_free(trial);
    }
}

TEST(a_deadlock_is_counted)
{
    check_given_up(TRICK_DEADLOCK);
}

TEST(a_conflict_is_counted)
{
    check_given_up(TRICK_CONFLICT);
}

/* Runs all exchanges on a node that says that it was behind. */
static struct store_trial *run_behind(const struct load_config *config, const struct fault *fault,
                                      bool lasts)
{
    struct store_trial *const trial = trial_new(fault);

    trial->table.behind = true;
    trial->table.lasts = lasts;
    (void)trial_run_on(trial, &workload_exchanges, config, 0);
    return trial;
}

/* Every count, but those of answers that were stale. */
static void check_same_counts(const char *row, const struct load_result *a,
                              const struct load_result *b)
{
    check_number(row, a->digest, b->digest);
    for (size_t i = 0; i < a->phase_count; i++) {
        const struct phase_result *const phase = &a->phases[i];

        check_number(row, phase->done, b->phases[i].done);
        check_number(row, phase->commits_due, b->phases[i].commits_due);
        for (size_t k = 0; k < phase->step_count; k++) {
            const struct step_result *const step = &phase->steps[k];

            check_number(step->name, step->hits, b->phases[i].steps[k].hits);
            check_number(step->name, step->misses, b->phases[i].steps[k].misses);
            check_number(step->name, step->latency.count, step->hits + step->misses);
        }
    }
}

/* The ways in which an answer may be stale, by the questions that it may be the
   answer of, where they find a lease; E comes once in a hundred exchanges. */
static const struct {
    enum trick trick;
    const char *letters;
    uint64_t at;
} stale_answers[] = {
    { TRICK_LIE, "CHAUDRS", 5 }, { TRICK_LIE, "U", 80 }, /* in the middle of a cycle */
    { TRICK_ALTER, "CAR", 9 },   { TRICK_ALTER, "E", 1 }, { TRICK_FEWER, "E", 1 },
};

/* The same question to a node that has caught up has the right answer, which
   alone counts.  One that says each time that it was behind is asked once more.
 */
TEST(a_stale_answer_is_counted_and_a_wrong_one_is_found)
{
    struct load_config config = trial_busy(LEASE_FAMILY_V4);

    config.reservations = 60;
    struct store_trial *const right = trial_run_exchanges(&config, NULL);
    for (size_t i = 0; i < COUNT_OF(stale_answers); i++) {
        for (const char *q = stale_answers[i].letters; *q != '\0'; q++) {
            const struct fault fault = { *q, stale_answers[i].trick, stale_answers[i].at, 0 };
            const char row[] = { (char)('0' + i), *q, '\0' };
            struct store_trial *trial = run_behind(&config, &fault, false);
            uint64_t stale = 0;

            check_text(row, trial->end == LOAD_DONE ? "" : trial->err.text, "");
            for (size_t k = 0; k < trial->result.phase_count; k++)
                stale += trial->result.phases[k].stale;
            check_number(row, stale, 1);
            check_same_counts(row, &trial->result, &right->result);
            trial_free(trial);
            trial = run_behind(&config, &fault, true);
            check_number(row, trial->end, LOAD_WRONG);
            trial_free(trial);
        }
    }
    trial_free(right);
}

/* And nowhere else: the steps add up to no more than the time that passed. */
TEST(a_stall_shows_in_its_step)
{
    const struct fault fault = { 'U', TRICK_STALL, 3, 0 };
    const struct load_config config = trial_config("renew", LEASE_FAMILY_V4, 20);
    struct store_trial *const trial = trial_run_exchanges(&config, &fault);
    const struct phase_result *const renew = &trial->result.phases[0];
    const uint64_t stall_ns = STALL_MS * UINT64_C(1000000);

    assert_int_equal(trial->end, LOAD_DONE);
    assert_true(renew->operations.max_ns >= stall_ns);
    assert_true(renew->steps[2].latency.max_ns >= stall_ns);
    assert_true(renew->steps[0].latency.sum_ns + renew->steps[1].latency.sum_ns +
                    renew->steps[2].latency.sum_ns <=
                phase_elapsed_ns(renew));
    trial_free(trial);
}

TEST(a_stop_keeps_what_was_done)
{
    const struct fault fault = { 'U', TRICK_STOP, 7, 0 };
    const struct load_config config = trial_config("renew", LEASE_FAMILY_V4, 20);
    struct store_trial *const trial = trial_run_exchanges(&config, &fault);

    assert_int_equal(trial->end, LOAD_INTERRUPTED);
    assert_int_equal(trial->result.phases[0].done, 7);
    assert_false(trial->result.phases[0].complete);
    trial_free(trial);
}

/* The leases that each exchange leaves are counted as by a store with counters. */
TEST(counters_are_compared)
{
    static const struct fault fewer = { 'K', TRICK_FEWER, 2, 0 };
    static const struct fault fails = { 'K', TRICK_FAIL, 1, 0 };

    for (const struct exchange *e = exchange_table; e->name != NULL; e++) {
        for (int f = LEASE_FAMILY_V4; f <= LEASE_FAMILY_V6; f++) {
            if ((e->families >> f & 1) == 0)
                continue;
            struct load_config config = trial_config(e->name, (enum lease_family)f, 5);
            config.counted = true;
            config.subnets = 3;
            struct store_trial *trial = trial_run_exchanges(&config, NULL);
            check_text(e->name, trial->err.text, "");
            check_number(e->name, trial->end, LOAD_DONE);
            trial_free(trial);
            trial = trial_run_exchanges(&config, &fewer);
            check_number(e->name, trial->end, LOAD_WRONG);
            check(e->name, strstr(trial->err.text, "the counter of") != NULL, trial->err.text);
            trial_free(trial);
            trial = trial_run_exchanges(&config, &fails);
            check_number(e->name, trial->end, LOAD_FAILED);
            trial_free(trial);
        }
    }
}

/* The phases of 2012, whose search may look for other keys than addresses. */
static enum load_end search_by(enum lookup by, enum lease_family family, const struct fault *fault)
{
    const struct load_config config = {
        .count = 100,
        .seed = 1,
        .threads = 1,
        .batch = 1,
        .family = family,
        .phases = { .hit_ratio = 0.9, .search_by = by },
    };
    struct store_trial *const trial = trial_new(fault);
    const struct load_context context = { .backend = &fake_store,
                                          .sessions = trial->sessions,
                                          .progress = &trial->progress };
    const enum load_end end =
        workload_run(&workload_phases, &config, &context, &trial->result, &trial->err);

    check("trick", trial->table.done == (fault != NULL), "done");
    trial_free(trial);
    return end;
}

TEST(searches_by_other_keys_are_compared)
{
    static const struct {
        enum lookup by;
        enum lease_family family;
        char letter;
    } rows[] = {
        { LOOKUP_HWADDR, LEASE_FAMILY_V4, 'H' },
        { LOOKUP_CLIENT_ID, LEASE_FAMILY_V4, 'C' },
        { LOOKUP_HWADDR, LEASE_FAMILY_V6, 'H' },
        { LOOKUP_CLIENT_ID, LEASE_FAMILY_V6, 'L' },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char row[] = { rows[i].letter, '\0' };
        const struct fault lie = { rows[i].letter, TRICK_LIE, 50, 0 };
        const struct fault alter = { rows[i].letter, TRICK_ALTER, 1, 5 };

        check_number(row, search_by(rows[i].by, rows[i].family, NULL), LOAD_DONE);
        check_number(row, search_by(rows[i].by, rows[i].family, &lie), LOAD_WRONG);
        check_number(row, search_by(rows[i].by, rows[i].family, &alter), LOAD_WRONG);
    }
}
