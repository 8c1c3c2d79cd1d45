/* SPDX-License-Identifier: ISC */
/*
 * Exchanges against a store that writes down what it is asked: the statements
 * of each are those of Kea, in its order, and leave what Kea leaves.
 */
#include "load/exchange/steps.h"

#include <stdlib.h>
#include <time.h>

#include "core/clock.h"
#include "tests/lib/store_trial.h"

#include "tests/lib/check.h"

/* Letters as in the list of Kea's statements: by address, client-id, hwaddr,
   DUID (L); insert, update, delete, expired, purge. */
TEST(each_exchange_asks_what_kea_asks)
{
    static const struct {
        const char *mix;
        enum lease_family family;
        uint64_t candidates;
        const char *questions;
    } rows[] = {
        { "dora", LEASE_FAMILY_V4, 1, "C-H-A-C-H-A-A-I+" },
        { "dora", LEASE_FAMILY_V4, 3, "C-H-A+A+A-C-H-A-A-I+" },
        { "dora-known", LEASE_FAMILY_V4, 1, "C+C+A+U+" },
        { "renew", LEASE_FAMILY_V4, 1, "C+A+U+" },
        { "init-reboot", LEASE_FAMILY_V4, 1, "C+C+A+U+" },
        { "release", LEASE_FAMILY_V4, 1, "A+U+" },
        { "release-delete", LEASE_FAMILY_V4, 1, "A+D+" },
        { "decline", LEASE_FAMILY_V4, 1, "A+U+" },
        { "purge", LEASE_FAMILY_V4, 1, "P+" },
        { "sarr", LEASE_FAMILY_V6, 1, "L-A-L-A-I+" },
        { "sarr", LEASE_FAMILY_V6, 2, "L-A+A-L-A-I+" },
        { "renew", LEASE_FAMILY_V6, 1, "N+U+" },
        { "release", LEASE_FAMILY_V6, 1, "A+U+" },
        { "release-delete", LEASE_FAMILY_V6, 1, "A+D+" },
        { "decline", LEASE_FAMILY_V6, 1, "A+U+" },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct load_config config = trial_config(rows[i].mix, rows[i].family, 1);

        config.candidates = rows[i].candidates;
        struct store_trial *const trial = trial_run_exchanges(&config, NULL);
        check_text(rows[i].mix, trial->err.text, "");
        check_text(rows[i].mix, trial->table.record, rows[i].questions);
        trial_free(trial);
    }
}

/* At a renewal half of the lifetime has passed, else any time up to that. */
TEST(a_lease_younger_than_the_threshold_is_not_written)
{
    static const char *const mixes[] = { "renew", "dora-known", "init-reboot" };
    static const double thresholds[] = { 0.26, 0.5, 0.51 };

    for (size_t i = 0; i < COUNT_OF(mixes) * COUNT_OF(thresholds); i++) {
        struct load_config config = trial_config(mixes[i / 3], LEASE_FAMILY_V4, 100);
        size_t updates = 0;

        config.cache_threshold = thresholds[i % 3];
        struct store_trial *const trial = trial_run_exchanges(&config, NULL);
        for (const char *at = trial->table.record; *at != '\0'; at++)
            updates += *at == 'U';
        const bool all = i < 2; /* renew */
        const bool half = i == 3 || i == 6;
        assert_in_range(updates, all ? 100 : half ? 35 : 0, all ? 100 : half ? 65 : 0);
        trial_free(trial);
    }
}

/* R is the reservation by hwaddr, S that by client-id.  All of the 51 clients
   have one, or a single one that is not the exchange's. */
TEST(reservations_are_looked_for_as_in_kea)
{
    static const struct {
        const char *mix;
        uint64_t reservations;
        uint64_t candidates;
        const char *questions;
    } rows[] = {
        { "dora", 51, 1, "R+C-H-A-R+C-H-A-A-I+" },
        { "dora", 51, 3, "R+C-H-A-R+C-H-A-A-I+" },
        { "dora", 1, 1, "R-S-C-H-A-R-S-C-H-A-A-I+" },
        { "dora", 1, 2, "R-S-C-H-A+A-R-S-C-H-A-A-I+" },
        { "dora-known", 51, 1, "R+C+R+C+A+U+" },
        { "dora-known", 1, 1, "R-S-C+R-S-C+A+U+" },
        { "renew", 51, 1, "R+C+A+U+" },
        { "renew", 1, 1, "R-S-C+A+U+" },
        { "init-reboot", 51, 1, "R+C+C+A+U+" },
        { "init-reboot", 1, 1, "R-S-C+C+A+U+" },
        { "release", 51, 1, "A+U+" },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct load_config config = trial_config(rows[i].mix, LEASE_FAMILY_V4, 1);

        config.candidates = rows[i].candidates;
        config.reservations = rows[i].reservations;
        struct store_trial *const trial = trial_run_exchanges(&config, NULL);
        check_text(rows[i].mix, trial->err.text, "");
        check_text(rows[i].mix, trial->table.record, rows[i].questions);
        check_number(rows[i].mix, trial->table.reserved, rows[i].reservations);
        trial_free(trial);
    }
}

/* 30 of the 60 clients, 10 of whom are new and come once each. */
TEST(as_many_clients_as_asked_for_have_a_reservation)
{
    struct load_config config = trial_config("dora", LEASE_FAMILY_V4, 10);
    uint64_t reserved = 0;

    config.reservations = 30;
    config.seed = 2; /* of which some of the ten have one */
    config.subnets = 7;
    struct store_trial *const trial = trial_run_exchanges(&config, NULL);
    const struct phase_result *const dora = &trial->result.phases[0];
    assert_string_equal(trial->err.text, "");
    assert_int_equal(trial->table.reserved, 30);
    for (size_t i = 0; i < trial->table.reserved; i++) {
        const struct reservation *const r = &trial->table.reservations[i];
        const size_t at = trial_slot(r->address);

        /* Each of them is somebody's, and in his subnet. */
        assert_true(trial->table.there[at]);
        assert_int_equal(r->key.subnet_id, trial->table.leases[at].subnet_id);
        assert_memory_equal(r->identifier, trial->table.leases[at].hwaddr, r->key.length);
        reserved += r->address.low - GENERATOR_BASE_ADDRESS >= 50;
    }
    assert_in_range(reserved, 1, 9);
    assert_int_equal(dora->step_count, 10);
    assert_string_equal(dora->steps[0].operation, "find_reservation");
    assert_int_equal(dora->steps[0].hits, reserved);
    assert_int_equal(dora->steps[0].misses, 2 * (10 - reserved));
    trial_free(trial);
}

TEST(wrong_reservations_are_noticed)
{
    static const struct {
        uint64_t reservations;
        struct fault fault;
        enum load_end end;
    } rows[] = {
        { 51, { .letter = 'R', .trick = TRICK_LIE, .at = 2 }, LOAD_WRONG },
        { 51, { .letter = 'R', .trick = TRICK_ALTER, .at = 1 }, LOAD_WRONG },
        { 51, { .letter = 'R', .trick = TRICK_FAIL, .at = 2 }, LOAD_FAILED },
        { 1, { .letter = 'R', .trick = TRICK_LIE, .at = 1 }, LOAD_WRONG },
        { 1, { .letter = 'S', .trick = TRICK_LIE, .at = 2 }, LOAD_WRONG },
        { 1, { .letter = 'S', .trick = TRICK_FAIL, .at = 1 }, LOAD_FAILED },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct load_config config = trial_config("dora", LEASE_FAMILY_V4, 1);

        config.reservations = rows[i].reservations;
        struct store_trial *const trial = trial_run_exchanges(&config, &rows[i].fault);
        check_number("end", trial->end, rows[i].end);
        assert_true(trial->table.done);
        trial_free(trial);
    }
}

TEST(a_cycle_lists_and_reclaims_a_hundred)
{
    const struct load_config config = trial_config("reclaim", LEASE_FAMILY_V4, 1);
    struct store_trial *const trial = trial_run_exchanges(&config, NULL);
    char questions[RECORD_SIZE] = "E+";

    for (int i = 0; i < RECLAIM_LEASES; i++)
        strcat(questions, "U+");
    check_text("reclaim", trial->table.record, questions);
    assert_int_equal(trial->result.phases[0].commits_due, RECLAIM_LEASES);
    trial_free(trial);
}

/* The only lease in this state. */
static const struct lease *in_state(const struct store_trial *trial, enum lease_state state)
{
    const struct lease *found = NULL;

    for (size_t i = 0; i < SLOTS; i++) {
        if (trial->table.there[i] && trial->table.leases[i].state == state) {
            assert_null(found);
            found = &trial->table.leases[i];
        }
    }
    assert_non_null(found);
    return found;
}

TEST(a_released_lease_has_ended)
{
    const struct load_config config = trial_config("release", LEASE_FAMILY_V4, 1);
    struct store_trial *const trial = trial_run_exchanges(&config, NULL);
    const struct lease *const lease = in_state(trial, LEASE_STATE_RELEASED);

    assert_int_equal(lease->valid_s, 0);
    assert_int_equal(lease->hwaddr_length, 6);
    assert_int_equal(lease_expire_s(lease), lease->cltt_s);
    trial_free(trial);
}

TEST(an_old_store_is_told_before_it_is_filled)
{
    static const struct {
        const char *mix;
        enum load_end end;
    } rows[] = { { "release", LOAD_FAILED }, { "release-delete", LOAD_DONE } };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct load_config config = trial_config(rows[i].mix, LEASE_FAMILY_V4, 1);
        struct store_trial *const trial = trial_new(NULL);

        trial->table.old = true;
        (void)trial_run_on(trial, &workload_exchanges, &config, 0);
        check_number(rows[i].mix, trial->end, rows[i].end);
        if (rows[i].end == LOAD_FAILED) {
            check("error",
                  strstr(trial->err.text, "use release-delete") != NULL &&
                      strstr(trial->err.text, "fake: foreign key") != NULL,
                  trial->err.text);
            check_text("asked", trial->table.record, "");
        }
        trial_free(trial);
    }
}

TEST(a_declined_lease_is_nobodys)
{
    const struct load_config config = trial_config("decline", LEASE_FAMILY_V4, 1);
    struct store_trial *const trial = trial_run_exchanges(&config, NULL);
    const struct lease *const lease = in_state(trial, LEASE_STATE_DECLINED);

    assert_int_equal(lease->valid_s, 86400);
    assert_int_equal(lease->hwaddr_length, 0);
    assert_int_equal(lease->client_id_length, 0);
    assert_int_equal(lease->hostname_length, 0);
    trial_free(trial);
}

TEST(a_reclaimed_lease_has_no_name)
{
    const struct load_config config = trial_config("reclaim", LEASE_FAMILY_V4, 1);
    struct store_trial *const trial = trial_run_exchanges(&config, NULL);
    int reclaimed = 0;

    for (size_t i = 0; i < SLOTS; i++) {
        const struct lease *const lease = &trial->table.leases[i];

        if (!trial->table.there[i] || lease->state != LEASE_STATE_RECLAIMED)
            continue;
        reclaimed++;
        assert_int_equal(lease->hostname_length, 0);
        assert_int_equal(lease->hwaddr_length, 6);
    }
    assert_int_equal(reclaimed, RECLAIM_LEASES);
    trial_free(trial);
}

TEST(a_renewal_lasts_as_long_as_before)
{
    struct load_config config = trial_config("renew", LEASE_FAMILY_V4, 5);

    config.preload = 1;
    struct store_trial *const trial = trial_run_exchanges(&config, NULL);
    const struct lease *const lease = in_state(trial, LEASE_STATE_DEFAULT);
    assert_int_equal(lease->valid_s, 3600);
    assert_int_equal(lease->cltt_s, GENERATOR_EPOCH_S + 5 * 1800);
    trial_free(trial);
}

TEST(a_correct_store_passes)
{
    for (int family = 0; family <= LEASE_FAMILY_V6; family++) {
        const struct load_config config = trial_busy((enum lease_family)family);
        struct store_trial *const trial = trial_run_exchanges(&config, NULL);
        uint64_t done = 0;

        assert_string_equal(trial->err.text, "");
        assert_int_equal(trial->end, LOAD_DONE);
        assert_true(trial->result.verified);
        assert_int_equal(trial->result.left, 0);
        for (size_t i = 0; i < trial->result.phase_count; i++) {
            const struct phase_result *const phase = &trial->result.phases[i];

            check(phase->name, phase->done > 0, "done");
            check(phase->name, phase->complete, "complete");
            check_number(phase->name, phase->operations.count, phase->done);
            done += phase->done;
        }
        assert_int_equal(done, 100);
        trial_free(trial);
    }
}

TEST(steps_are_counted)
{
    struct load_config config = trial_config("dora", LEASE_FAMILY_V4, 10);

    config.candidates = 4;
    struct store_trial *const trial = trial_run_exchanges(&config, NULL);
    const struct phase_result *const dora = &trial->result.phases[0];
    assert_int_equal(dora->step_count, 8);
    assert_string_equal(dora->steps[2].operation, "find_by_address");
    assert_int_equal(dora->steps[2].hits, 30);
    assert_int_equal(dora->steps[2].misses, 10);
    assert_int_equal(dora->steps[2].latency.count, 40);
    assert_string_equal(dora->steps[7].operation, "create");
    assert_int_equal(dora->steps[7].hits, 10);
    assert_int_equal(dora->commits_due, 10);
    trial_free(trial);
}

static uint64_t digest(const struct load_config *config)
{
    struct store_trial *const trial = trial_run_exchanges(config, NULL);
    const uint64_t sum = trial->result.digest;

    assert_string_equal(trial->err.text, "");
    trial_free(trial);
    return sum;
}

TEST(the_digest_names_the_work)
{
    struct load_config config = trial_busy(LEASE_FAMILY_V4);
    const uint64_t sum = digest(&config);

    assert_int_equal(digest(&config), sum);
    config.threads = SESSIONS;
    assert_int_equal(digest(&config), sum);
    config.latency = false;
    assert_int_equal(digest(&config), sum);
    config.candidates = 3;
    assert_int_not_equal(digest(&config), sum);
    config.candidates = 2;
    config.reservations = 20;
    assert_int_not_equal(digest(&config), sum);
    config.reservations = 0;
    config.seed = 2;
    assert_int_not_equal(digest(&config), sum);
    config.seed = 1;
    config.count++;
    assert_int_not_equal(digest(&config), sum);
}

TEST(threads_share_the_clients)
{
    struct load_config config = trial_busy(LEASE_FAMILY_V4);

    config.threads = SESSIONS;
    config.preload = 100;
    config.count = 300;
    struct store_trial *const trial = trial_run_exchanges(&config, NULL);
    assert_string_equal(trial->err.text, "");
    assert_int_equal(trial->end, LOAD_DONE);
    trial_free(trial);
}

static uint64_t clients_needed(const struct load_config *config)
{
    return exchange_plan_make(config, config->threads, NULL).preload_min;
}

static uint64_t leases_needed(const struct load_config *config)
{
    const struct exchange_plan plan = exchange_plan_make(config, config->threads, NULL);

    return exchange_plan_leases_max(config, &plan);
}

TEST(enough_clients_are_asked_for)
{
    struct load_config config = trial_config("release", LEASE_FAMILY_V4, 10);

    assert_int_equal(clients_needed(&config), 11);
    config.threads = 4; /* three releases in the first two */
    assert_int_equal(clients_needed(&config), 16);
    config = trial_config("renew", LEASE_FAMILY_V4, 10);
    config.threads = 4;
    assert_int_equal(clients_needed(&config), 4);
}

/* A turn uses up what is there, or has a million exchanges. */
TEST(a_turn_is_as_long_as_its_stock)
{
    static const struct {
        const char *mix;
        uint64_t count;
    } rows[] = {
        { "renew", 1000000 },
        { "dora", 1000000 },
        { "release", 100000 },
        { "release-delete", 100000 },
        { "decline", 100000 },
        { "reclaim", 1000 },
        { "purge", 400 },
        { "renew=9,dora=1", 1000000 },
        { "renew=9,release=1", 100000 },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct load_config config = trial_config(rows[i].mix, LEASE_FAMILY_V4, 0);
        struct err err = { 0 };

        config.in_turns = true;
        config.preload = 0;
        check_number(rows[i].mix, (uint64_t)exchange_plan_resolve(&config, rows[i].mix, &err), 0);
        check_text(rows[i].mix, err.text, "");
        check_number(rows[i].mix, config.count, rows[i].count);
    }
}

/* Clients that have a lease need no other one. */
TEST(leases_are_those_of_new_clients)
{
    const uint64_t count = 500 * UINT64_C(1000000);
    struct load_config config = trial_config("renew", LEASE_FAMILY_V4, count);

    assert_in_range(leases_needed(&config), 50, 100);
    config = trial_config("dora", LEASE_FAMILY_V4, count);
    assert_true(leases_needed(&config) > count);
}

static uint64_t processor_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* The questions stay the same; the server's own work, as purge, has no packet
   that would cost it time. */
TEST(a_server_takes_time_for_each_client)
{
    static const struct {
        const char *mix;
        uint64_t server_time_ns;
        const char *questions;
        uint64_t least_ns;
        uint64_t most_ns;
    } rows[] = {
        { "dora", 20 * NS_PER_S / 1000, "C-H-A-C-H-A-A-I+C-H-A-C-H-A-A-I+", 40 * NS_PER_S / 1000,
          UINT64_MAX },
        { "purge", 600 * NS_PER_S, "P+P+", 0, 600 * NS_PER_S },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct load_config config = trial_config(rows[i].mix, LEASE_FAMILY_V4, 2);
        const uint64_t before_ns = processor_ns();

        config.server_time_ns = rows[i].server_time_ns;
        struct store_trial *const trial = trial_run_exchanges(&config, NULL);
        const uint64_t used_ns = processor_ns() - before_ns;
        check_text(rows[i].mix, trial->err.text, "");
        check_text(rows[i].mix, trial->table.record, rows[i].questions);
        check(rows[i].mix, used_ns >= rows[i].least_ns, "too little time");
        check(rows[i].mix, used_ns < rows[i].most_ns, "too much time");
        trial_free(trial);
    }
}

/* A closed loop that ends after so long. */
struct measurement {
    uint64_t duration_ns;
    struct phase_result sum;
};

static enum load_end work(struct engine *engine, void *context, struct stretch *stretch)
{
    struct measurement *const measurement = context;

    engine->limit_ns = measurement->duration_ns;
    engine->latency = true;
    engine->unchecked = true;
    const enum load_end end =
        engine_run(engine, "capacity", engine->config.count, closed_loop, stretch);
    engine_count(engine, &measurement->sum);
    return end;
}

/* Performs exchanges on the trial's store for so long. */
static struct phase_result *measure(struct store_trial *trial, const struct load_config *config,
                                    struct measurement *measurement)
{
    const struct load_context context = { .backend = &fake_store,
                                          .sessions = trial->sessions,
                                          .progress = &trial->progress };

    histogram_init(&measurement->sum.operations);
    trial->end = engine_load(workload_exchanges.closed, config, &context, work, measurement,
                             &trial->result, &trial->err);
    return &measurement->sum;
}

/* By their number or by the time, whichever is over first; what was given up is
   no answer, and its time is nobody's. */
TEST(a_closed_loop_ends_by_number_or_by_time)
{
    static struct measurement measured;
    static const struct {
        enum trick trick;
        uint64_t count;
        uint64_t duration_ms;
        enum load_end end;
        uint64_t least; /* answered */
        uint64_t most;
        uint64_t failed;
    } rows[] = {
        { TRICK_NONE, 40, 60000, LOAD_DONE, 40, 40, 0 },
        { TRICK_STALL, 1000, 4 * STALL_MS, LOAD_DONE, 2, 10, 0 },
        { TRICK_DEADLOCK, 40, 60000, LOAD_DONE, 0, 0, 40 },
        { TRICK_CONFLICT, 40, 60000, LOAD_DONE, 0, 0, 40 },
        { TRICK_FAIL, 40, 60000, LOAD_FAILED, 0, 0, 0 },
        { TRICK_STOP, 40, 60000, LOAD_INTERRUPTED, 1, 2, 0 },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct fault fault = { 'U', rows[i].trick, 1, 0 };
        struct load_config config = trial_config("renew", LEASE_FAMILY_V4, rows[i].count);
        struct store_trial *const trial = trial_new(&fault);

        trial->table.lasts = true;
        config.threads = 2;
        config.latency = false;
        measured = (struct measurement){ .duration_ns = rows[i].duration_ms * (NS_PER_S / 1000) };
        const struct phase_result *const sum = measure(trial, &config, &measured);
        assert_int_equal(trial->end, rows[i].end);
        assert_in_range(sum->done, rows[i].least, rows[i].most);
        assert_int_equal(sum->operations.count, sum->done);
        assert_int_equal(sum->deadlocks + sum->conflicts, rows[i].failed);
        if (rows[i].trick == TRICK_STALL)
            assert_true(sum->operations.min_ns >= STALL_MS * UINT64_C(1000000));
        trial_free(trial);
    }
}
