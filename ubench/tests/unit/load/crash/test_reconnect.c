/* SPDX-License-Identifier: ISC */
/*
 * A store made up for it goes away and comes back.  Whatever it did of what was
 * in flight, the run ends as if nothing had been, and says what became of it.
 */
#include "load/crash/reconnect.h"

#include "core/clock.h"
#include "load/workloads.h"
#include "tests/lib/check.h"
#include "tests/lib/store_trial.h"

/* Longer than any machine stands still. */
#define PATIENCE_NS (60 * NS_PER_S)

enum { THREADS = 3 };

/* Letters of the store. */
enum { CREATE = 'I', UPDATE = 'U', REMOVE = 'D', FIND = 'A', COUNT = '#' };

/* The store goes away in this call. */
static struct store_trial *new_trial(int letter, uint64_t at, enum trick trick)
{
    const struct fault fault = { letter, trick, at, 0 };

    return trial_new(&fault);
}

/* Runs the phases in so many threads with a patience, 0 for none. */
static void run(struct store_trial *trial, size_t threads, uint64_t patience_ns)
{
    const struct load_config config = {
        .count = LEASES,
        .seed = 1,
        .threads = threads,
        .batch = 1,
        .profile = LEASE_PROFILE_TYPICAL,
        .phases = { .hit_ratio = 0.9 },
    };

    (void)trial_run_on(trial, &workload_phases, &config, patience_ns);
}

static uint64_t undisturbed_digest(void)
{
    struct store_trial *const trial = trial_new(NULL);

    run(trial, 1, 0);
    const uint64_t digest = trial->result.digest;
    assert_int_equal(trial->end, LOAD_DONE);
    assert_false(trial->result.reconnects);
    trial_free(trial);
    return digest;
}

TEST(what_was_in_flight_is_settled)
{
    static const struct {
        int letter;
        enum trick trick;
        uint64_t at;
        uint64_t unknown, found_done, repeated;
    } cases[] = {
        { CREATE, TRICK_VANISH, 5, 1, 0, 1 },
        { CREATE, TRICK_VANISH_DONE, 5, 1, 1, 0 },
        { CREATE, TRICK_VANISH_LATE, 5, 1, 1, 0 },
        { UPDATE, TRICK_VANISH, 1, 1, 0, 1 },
        { UPDATE, TRICK_VANISH_DONE, LEASES, 1, 1, 0 },
        { UPDATE, TRICK_VANISH_LATE, 7, 1, 1, 0 },
        { REMOVE, TRICK_VANISH, 5, 1, 0, 1 },
        { REMOVE, TRICK_VANISH_DONE, 5, 1, 1, 0 },
        { REMOVE, TRICK_VANISH_LATE, 5, 1, 1, 0 },
        { FIND, TRICK_VANISH, 5, 0, 0, 0 },
        { FIND, TRICK_VANISH, LEASES + 3, 0, 0, 0 }, /* reading back */
        { COUNT, TRICK_VANISH, 1, 0, 0, 0 },
        { COUNT, TRICK_VANISH, 2, 0, 0, 0 },
    };
    const uint64_t digest = undisturbed_digest();

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct store_trial *const trial = new_trial(cases[i].letter, cases[i].at, cases[i].trick);
        const struct outages *const tally = &trial->result.reconnect;

        run(trial, 1, PATIENCE_NS);
        if (trial->end != LOAD_DONE)
            print_error("case %zu: %s\n", i, trial->err.text);
        assert_int_equal(trial->end, LOAD_DONE);
        assert_true(trial->table.done);
        assert_true(trial->result.digest == digest);
        assert_int_equal(tally->outages, 1);
        assert_int_equal(tally->ended, 1);
        assert_int_equal(tally->connections, 1);
        assert_int_equal(tally->unknown, cases[i].unknown);
        assert_int_equal(tally->found_done, cases[i].found_done);
        assert_int_equal(tally->repeated, cases[i].repeated);
        trial_free(trial);
    }
}

TEST(nothing_lost_is_no_outage)
{
    struct store_trial *const trial = trial_new(NULL);

    run(trial, THREADS, PATIENCE_NS);
    assert_int_equal(trial->end, LOAD_DONE);
    assert_true(trial->result.reconnects);
    assert_int_equal(trial->result.reconnect.outages, 0);
    assert_int_equal(trial->store.opened, SESSIONS);
    trial_free(trial);
}

TEST(all_threads_have_the_same_outage)
{
    struct store_trial *const trial = new_trial(CREATE, LEASES / 2, TRICK_VANISH);
    const struct outages *const tally = &trial->result.reconnect;

    run(trial, THREADS, PATIENCE_NS);
    assert_int_equal(trial->end, LOAD_DONE);
    assert_true(trial->result.digest == undisturbed_digest());
    assert_int_equal(tally->outages, 1);
    assert_int_equal(tally->ended, 1);
    assert_int_equal(tally->connections, THREADS);
    trial_free(trial);
}

TEST(an_outage_lasts_as_long_as_it_is_refused)
{
    struct store_trial *const trial = new_trial(CREATE, 5, TRICK_VANISH);
    const struct outages *const tally = &trial->result.reconnect;

    trial->table.refusals_due = 2;
    run(trial, 1, PATIENCE_NS);
    assert_int_equal(trial->end, LOAD_DONE);
    assert_int_equal(tally->connections, 1);
    /* Two pauses of a tenth of a second. */
    assert_in_range(tally->outage_ns, NS_PER_S / 5, PATIENCE_NS);
    assert_int_equal(tally->longest_ns, tally->outage_ns);
    trial_free(trial);
}

TEST(what_cannot_be_mended_ends_the_run)
{
    static const struct {
        enum trick trick;
        unsigned refusals;
        enum err_class refusal;
        uint64_t patience_ns;
        const char *error;
    } cases[] = {
        { TRICK_VANISH, 1, ERR_LOST, 0, "fake: gone (while" },
        { TRICK_FULL, 0, ERR_LOST, PATIENCE_NS, "fake: no room (while creating" },
        { TRICK_VANISH, 1, ERR_OTHER, PATIENCE_NS, "fake: connecting: refused (while creating" },
        { TRICK_VANISH, 1000, ERR_LOST, NS_PER_S / 4,
          "fake: connecting: refused; the server did not come back within 250ms (--reconnect) "
          "(while creating" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct store_trial *const trial = new_trial(CREATE, 5, cases[i].trick);

        trial->table.refusals_due = cases[i].refusals;
        trial->table.refusal = cases[i].refusal;
        const uint64_t began_ns = clock_now_ns();
        run(trial, 1, cases[i].patience_ns);
        assert_in_range(clock_now_ns() - began_ns, 0, PATIENCE_NS / 2);
        assert_int_equal(trial->end, LOAD_FAILED);
        assert_int_equal(strncmp(trial->err.text, cases[i].error, strlen(cases[i].error)), 0);
        assert_int_equal(trial->result.phases[PHASE_CREATE].done, 4);
        assert_int_equal(trial->result.reconnect.ended, 0);
        trial_free(trial);
    }
}

/* It accepts connections and closes them again. */
TEST(a_store_that_never_answers_ends_the_run)
{
    struct store_trial *const trial = new_trial(CREATE, 5, TRICK_VANISH);

    trial->table.mortal = true;
    run(trial, 1, NS_PER_S / 4);
    assert_int_equal(trial->end, LOAD_FAILED);
    assert_non_null(strstr(trial->err.text, "did not come back within 250ms"));
    assert_int_equal(trial->result.reconnect.outages, 1);
    assert_int_equal(trial->result.reconnect.ended, 0);
    trial_free(trial);
}

TEST(a_stop_ends_the_wait)
{
    struct store_trial *const trial = new_trial(CREATE, 5, TRICK_VANISH);

    trial->table.refusals_due = 1000;
    trial->table.stop_refused = true;
    run(trial, 1, PATIENCE_NS);
    assert_int_equal(trial->end, LOAD_INTERRUPTED);
    assert_string_equal(trial->err.text, "");
    assert_int_equal(trial->result.reconnect.unknown, 1);
    assert_int_equal(trial->result.reconnect.found_done, 0);
    assert_int_equal(trial->result.reconnect.repeated, 0);
    trial_free(trial);
}
