/* SPDX-License-Identifier: ISC */
/*
 * Exchanges on a store that goes away in the middle of one, in whichever
 * question, and comes back: the run ends as if nothing had been, and says what
 * became of what was in flight.
 */
#include "tests/lib/store_trial.h"

#include <stdio.h>

#include "core/clock.h"
#include "tests/lib/check.h"

static const uint64_t patience_ns = 20 * NS_PER_S;

/* Runs it with a patience. */
static void run(struct store_trial *trial, struct load_config config, uint64_t patience)
{
    (void)trial_run_on(trial, &workload_exchanges, &config, patience);
}

/* Each step has the answers of a run without an outage. */
static void check_steps(const char *row, const struct load_result *got,
                        const struct load_result *wanted)
{
    check_number(row, got->digest, wanted->digest);
    for (size_t p = 0; p < wanted->phase_count; p++) {
        const struct phase_result *const phase = &got->phases[p];

        check_number(row, phase->done, wanted->phases[p].done);
        check_number(row, phase->commits_due, wanted->phases[p].commits_due);
        for (size_t s = 0; s < phase->step_count; s++) {
            check_number(row, phase->steps[s].hits, wanted->phases[p].steps[s].hits);
            check_number(row, phase->steps[s].misses, wanted->phases[p].steps[s].misses);
        }
    }
}

/* In a question with that letter, the first or, of those that come often, a
   later one. */
static void check_outage(const struct load_config *config, const struct load_result *undisturbed,
                         char letter, enum trick trick, uint64_t at)
{
    const struct fault fault = { letter, trick, at, 0 };
    const bool change = strchr("IUDP", letter) != NULL;
    struct store_trial *const trial = trial_new(&fault);
    const struct outages *const tally = &trial->result.reconnect;
    char row[64];

    (void)snprintf(row, sizeof row, "%c, number %" PRIu64 ", trick %d", letter, at, (int)trick);
    run(trial, *config, patience_ns);
    check_text(row, trial->err.text, "");
    check_number(row, trial->end, LOAD_DONE);
    check(row, trial->table.done, "the trick was done");
    check_number(row, trial->result.left, 0);
    check_steps(row, &trial->result, undisturbed);
    check_number(row, tally->outages, 1);
    check_number(row, tally->ended, 1);
    check_number(row, tally->connections, config->threads);
    /* The next question of another thread, which is cut off, may be a change
       too, and then it was not done. */
    check_number(row, tally->found_done, change && trick == TRICK_VANISH_DONE);
    check_number(row, tally->repeated, tally->unknown - tally->found_done);
    check(row, tally->unknown >= change && tally->unknown < change + config->threads,
          "changes in flight");
    trial_free(trial);
}

/* Letters as in test_exchanges.c; # counts the leases after the run. */
static void check_outages(struct load_config config, const char *letters)
{
    for (config.threads = 1; config.threads <= SESSIONS; config.threads += SESSIONS - 1) {
        struct store_trial *const trial = trial_run_exchanges(&config, NULL);

        assert_int_equal(trial->end, LOAD_DONE);
        for (const char *letter = letters; *letter != '\0'; letter++) {
            for (uint64_t at = 1; at <= 3; at += 2) {
                const bool rare = strchr("EPDK#", *letter) != NULL;

                if (rare && at > 1)
                    continue;
                check_outage(&config, &trial->result, *letter, TRICK_VANISH, at);
                check_outage(&config, &trial->result, *letter, TRICK_VANISH_DONE, at);
            }
        }
        trial_free(trial);
    }
}

TEST(what_was_in_flight_is_settled)
{
    check_outages(trial_busy(LEASE_FAMILY_V4), "CHAIUDEP#");
    check_outages(trial_busy(LEASE_FAMILY_V6), "LNAIUDEP#");
}

TEST(a_reservation_is_asked_for_again)
{
    struct load_config config = trial_busy(LEASE_FAMILY_V4);

    config.reservations = 20;
    check_outages(config, "RS");
}

TEST(counters_are_asked_for_again)
{
    struct load_config config = trial_busy(LEASE_FAMILY_V4);

    config.counted = true;
    check_outages(config, "K");
}

TEST(who_stays_away_ends_the_run)
{
    static const char letters[] = "CIRE#";
    struct load_config config = trial_busy(LEASE_FAMILY_V4);

    config.reservations = 20;
    for (const char *letter = letters; *letter != '\0'; letter++) {
        const struct fault fault = { *letter, TRICK_VANISH, 1, 0 };
        const char row[] = { *letter, '\0' };
        struct store_trial *const trial = trial_new(&fault);

        trial->table.refusals_due = 1000;
        run(trial, config, NS_PER_S / 4);
        check_number(row, trial->end, LOAD_FAILED);
        check(row,
              strstr(trial->err.text,
                     "refused; the server did not come back within 250ms (--reconnect)") != NULL,
              trial->err.text);
        check_number(row, trial->result.reconnect.outages, 1);
        check_number(row, trial->result.reconnect.ended, 0);
        trial_free(trial);
    }
}

TEST(a_stop_ends_the_wait)
{
    static const char letters[] = "CIPK#";
    struct load_config config = trial_busy(LEASE_FAMILY_V4);

    config.counted = true;
    for (const char *letter = letters; *letter != '\0'; letter++) {
        const struct fault fault = { *letter, TRICK_VANISH, 1, 0 };
        const char row[] = { *letter, '\0' };
        struct store_trial *const trial = trial_new(&fault);

        trial->table.refusals_due = 1000;
        trial->table.stop_refused = true;
        run(trial, config, patience_ns);
        check_number(row, trial->end, LOAD_INTERRUPTED);
        check_text(row, trial->err.text, "");
        trial_free(trial);
    }
}

/* Two refusals are two pauses of a tenth of a second, in the closed loop before
   and in the trial.  Who came meanwhile is late, and nobody is forgotten. */
TEST(the_open_loop_is_charged_with_an_outage)
{
    const struct fault fault = { 'U', TRICK_VANISH, 100, 0 };
    struct load_config config = trial_config("renew", LEASE_FAMILY_V4, 1);

    config.open = (struct open_config){
        .per_s = 400,
        .duration_ns = NS_PER_S,
        .deadline_ns = NS_PER_S / 20,
        .queue_size = 1000,
    };
    struct store_trial *const trial = trial_new(&fault);

    trial->table.refusals_due = 2;
    (void)trial_run_on(trial, &workload_rate, &config, patience_ns);
    assert_string_equal(trial->err.text, "");
    assert_int_equal(trial->end, LOAD_DONE);
    assert_int_equal(trial->result.reconnect.ended, 2);
    assert_int_equal(trial->result.reconnect.repeated, 2);
    const struct trial *const rate = &trial->result.open->search.trials[0];
    assert_int_equal(trial_answered(rate), rate->offered);
    /* A fifth of a second less the deadline, of 400 in each second. */
    assert_true(rate->tally.late >= 30);
    assert_true(rate->tally.response.max_ns >= NS_PER_S / 5);
    trial_free(trial);
}
