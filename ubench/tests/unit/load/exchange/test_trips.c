/* SPDX-License-Identifier: ISC */
/* Exchanges whose questions share round trips: the same questions, and every fault is noticed. */
#include "load/exchange/trips.h"

#include "tests/lib/store_trial.h"

#include "tests/lib/check.h"
#include "tests/lib/lease_fields.h"

/* Letters as in test_exchanges.c; a round trip with several questions, or one of a procedure, is in
   brackets. */
TEST(the_questions_of_a_packet_share_a_round_trip)
{
    static const struct {
        const char *mix;
        enum lease_family family;
        uint64_t candidates;
        enum trips trips;
        const char *questions;
        uint64_t round_trips;
    } rows[] = {
        { "dora", LEASE_FAMILY_V4, 1, TRIPS_SERIES, "C-H-A-C-H-A-A-I+", 0 },
        { "dora", LEASE_FAMILY_V4, 1, TRIPS_PIPELINE, "(C-H-A-)(C-H-A-A-)I+", 3 },
        { "dora", LEASE_FAMILY_V4, 1, TRIPS_PROCEDURE, "(C-H-A-)(C-H-A-A-I+)", 2 },
        { "dora", LEASE_FAMILY_V4, 3, TRIPS_PIPELINE, "(C-H-A+)A+A-(C-H-A-A-)I+", 5 },
        { "dora", LEASE_FAMILY_V4, 3, TRIPS_PROCEDURE, "(C-H-A+)A+A-(C-H-A-A-I+)", 4 },
        { "dora-known", LEASE_FAMILY_V4, 1, TRIPS_PIPELINE, "C+(C+A+)U+", 3 },
        { "dora-known", LEASE_FAMILY_V4, 1, TRIPS_PROCEDURE, "(C+)(C+A+U+)", 2 },
        { "renew", LEASE_FAMILY_V4, 1, TRIPS_PIPELINE, "(C+A+)U+", 2 },
        { "renew", LEASE_FAMILY_V4, 1, TRIPS_PROCEDURE, "(C+A+U+)", 1 },
        { "init-reboot", LEASE_FAMILY_V4, 1, TRIPS_PIPELINE, "(C+C+A+)U+", 2 },
        { "init-reboot", LEASE_FAMILY_V4, 1, TRIPS_PROCEDURE, "(C+C+A+U+)", 1 },
        { "release", LEASE_FAMILY_V4, 1, TRIPS_PIPELINE, "A+U+", 2 },
        { "release", LEASE_FAMILY_V4, 1, TRIPS_PROCEDURE, "(A+U+)", 1 },
        { "release-delete", LEASE_FAMILY_V4, 1, TRIPS_PROCEDURE, "(A+D+)", 1 },
        { "decline", LEASE_FAMILY_V4, 1, TRIPS_PROCEDURE, "(A+U+)", 1 },
        { "purge", LEASE_FAMILY_V4, 1, TRIPS_PROCEDURE, "P+", 0 },
        { "sarr", LEASE_FAMILY_V6, 1, TRIPS_PIPELINE, "(L-A-)(L-A-)I+", 3 },
        { "sarr", LEASE_FAMILY_V6, 2, TRIPS_PROCEDURE, "(L-A+)A-(L-A-I+)", 3 },
        { "renew", LEASE_FAMILY_V6, 1, TRIPS_PIPELINE, "N+U+", 2 },
        { "renew", LEASE_FAMILY_V6, 1, TRIPS_PROCEDURE, "(N+U+)", 1 },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct load_config config = trial_config(rows[i].mix, rows[i].family, 1);

        config.candidates = rows[i].candidates;
        config.trips = rows[i].trips;
        struct store_trial *const trial = trial_run_exchanges(&config, NULL);
        check_text(rows[i].mix, trial->err.text, "");
        check_text(rows[i].mix, trial->table.record, rows[i].questions);
        check_number(rows[i].mix, trial->result.phases[0].round_trips, rows[i].round_trips);
        trial_free(trial);
    }
}

/* The counts of each step, and the digest; of the times, those of the first step of each trip. */
TEST(the_work_is_the_same)
{
    for (int family = LEASE_FAMILY_V4; family <= LEASE_FAMILY_V6; family++) {
        struct load_config config = trial_busy((enum lease_family)family);
        struct store_trial *const series = trial_run_exchanges(&config, NULL);

        for (int trips = TRIPS_PIPELINE; trips <= TRIPS_PROCEDURE; trips++) {
            config.trips = (enum trips)trips;
            struct store_trial *const trial = trial_run_exchanges(&config, NULL);
            uint64_t timed = 0;
            uint64_t round_trips = 0;

            check_text("err", trial->err.text, "");
            check_number("digest", trial->result.digest, series->result.digest);
            for (size_t i = 0; i < trial->result.phase_count; i++) {
                const struct phase_result *const phase = &trial->result.phases[i];
                const struct phase_result *const other = &series->result.phases[i];

                round_trips += phase->round_trips;
                for (size_t k = 0; k < phase->step_count; k++) {
                    check_number(phase->name, phase->steps[k].hits, other->steps[k].hits);
                    check_number(phase->name, phase->steps[k].misses, other->steps[k].misses);
                    timed += phase->round_trips > 0 ? phase->steps[k].latency.count : 0;
                }
            }
            check_number("timed", timed, round_trips);
            trial_free(trial);
        }
        trial_free(series);
    }
}

static struct store_trial *run_faulty(enum lease_family family, enum trips trips,
                                      const struct fault *fault)
{
    struct load_config config = trial_busy(family);
    const char row[] = { (char)fault->letter, '\0' };

    config.trips = trips;
    struct store_trial *const trial = trial_run_exchanges(&config, fault);
    check(row, trial->table.done, "the trick was done");
    return trial;
}

TEST(a_wrong_answer_is_noticed_in_a_shared_trip)
{
    static const char *const questions[] = { "CHAIUD", "LNAIUD" };
    static const enum trick tricks[] = { TRICK_LIE, TRICK_PRETEND, TRICK_LOSE };
    static const char *const letters[] = { "CHLNAIUD", "IUD", "IU" };

    for (int trips = TRIPS_PIPELINE; trips <= TRIPS_PROCEDURE; trips++) {
        for (size_t t = 0; t < COUNT_OF(tricks) * 2; t++) {
            for (const char *q = questions[t % 2]; *q != '\0'; q++) {
                const struct fault fault = { *q, tricks[t / 2], 1, 0 };
                const char row[] = { (char)('0' + trips), (char)('0' + t), *q, '\0' };

                if (strchr(letters[t / 2], *q) == NULL)
                    continue;
                struct store_trial *const trial =
                    run_faulty((enum lease_family)(t % 2), (enum trips)trips, &fault);
                check_number(row, trial->end, LOAD_WRONG);
                check(row, strstr(trial->err.text, "wrong answer") != NULL, trial->err.text);
                trial_free(trial);
            }
        }
    }
}

TEST(each_field_is_compared_in_a_shared_trip)
{
    static const char letters[] = "CA";

    for (int trips = TRIPS_PIPELINE; trips <= TRIPS_PROCEDURE; trips++) {
        for (int change = 0; change < LEASE_CHANGES; change++) {
            for (const char *q = letters; *q != '\0'; q++) {
                const struct fault fault = { *q, TRICK_ALTER, 1, change };
                struct load_config config = trial_config("renew", LEASE_FAMILY_V4, 1);
                const char row[] = { *q, (char)('a' + change), '\0' };

                config.trips = (enum trips)trips;
                struct store_trial *const trial = trial_run_exchanges(&config, &fault);
                check_number(row, trial->end, LOAD_WRONG);
                trial_free(trial);
            }
        }
    }
}

/* Where the exchange is given up, its last trip changed nothing; the others go on. */
TEST(a_failure_of_a_shared_trip_is_passed_on)
{
    static const char letters[] = "CHA";

    for (const char *q = letters; *q != '\0'; q++) {
        const char row[] = { *q, '\0' };
        const struct fault gone = { *q, TRICK_FAIL, 1, 0 };
        struct store_trial *trial = run_faulty(LEASE_FAMILY_V4, TRIPS_PROCEDURE, &gone);
        check_number(row, trial->end, LOAD_FAILED);
        check(row, strstr(trial->err.text, "fake: gone (") != NULL, trial->err.text);
        trial_free(trial);

        const struct fault deadlock = { *q, TRICK_DEADLOCK, 1, 0 };
        trial = run_faulty(LEASE_FAMILY_V4, TRIPS_PIPELINE, &deadlock);
        uint64_t deadlocks = 0;
        check_text(row, trial->end == LOAD_DONE ? "" : trial->err.text, "");
        for (size_t i = 0; i < trial->result.phase_count; i++)
            deadlocks += trial->result.phases[i].deadlocks;
        check_number(row, deadlocks, 1);
        trial_free(trial);
    }
}

TEST(each_exchange_of_a_client_says_which_packets_it_has)
{
    for (const struct exchange *e = exchange_table; e->name != NULL; e++)
        check(e->name, exchange_has_packets(e), "packets");
}
