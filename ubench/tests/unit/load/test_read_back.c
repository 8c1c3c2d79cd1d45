/* SPDX-License-Identifier: ISC */
/*
 * A store that spoils one change of hundreds, of which nothing asks again while
 * the load runs: every load reads back all that it left.
 */
#include "core/clock.h"
#include "load/workloads.h"
#include "tests/lib/check.h"
#include "tests/lib/store_trial.h"

enum { SUBNET = 7 }; /* the change that nothing but a comparison notices */

static const struct open_config at_a_rate = {
    .per_s = 1000,
    .duration_ns = NS_PER_S / 5,
    .deadline_ns = 60 * NS_PER_S,
    .arrivals = ARRIVALS_CONSTANT,
    .queue_size = 1024,
};

static const struct open_config all_at_once = {
    .duration_ns = NS_PER_S / 5,
    .deadline_ns = 60 * NS_PER_S,
    .queue_size = 1024,
    .clients = 150,
    .spread_ns = NS_PER_S / 20,
};

/* Each with the letters of what it changes, and how many leases there are to
   read back: clients with and without a lease, and those of the server. */
static const struct row {
    const struct workload *workload;
    const char *mix;
    const char *letters;
    uint64_t leases;
    enum lease_family family;
    const struct open_config *open;
} rows[] = {
    { &workload_exchanges, "dora", "I", 1000 + 500, LEASE_FAMILY_V4, NULL },
    { &workload_exchanges, "dora-known", "U", 1000, LEASE_FAMILY_V4, NULL },
    { &workload_exchanges, "renew", "U", 1000, LEASE_FAMILY_V4, NULL },
    { &workload_exchanges, "release", "U", 1000, LEASE_FAMILY_V4, NULL },
    { &workload_exchanges, "decline", "U", 1000, LEASE_FAMILY_V4, NULL },
    { &workload_exchanges, "release-delete", "", 1000, LEASE_FAMILY_V4, NULL },
    { &workload_exchanges, "sarr", "I", 1000 + 500, LEASE_FAMILY_V6, NULL },
    { &workload_exchanges, "renew", "U", 1000, LEASE_FAMILY_V6, NULL },
    { &workload_exchanges, "steady", "IU", 0, LEASE_FAMILY_V4, NULL },
    { &workload_exchanges, "guests", "IU", 0, LEASE_FAMILY_V6, NULL },
    { &workload_rate, "renew", "U", 1000, LEASE_FAMILY_V4, &at_a_rate },
    { &workload_storm, "dora-known", "U", 1000, LEASE_FAMILY_V4, &all_at_once },
    { &workload_fill, NULL, "I", 955 + 1000, LEASE_FAMILY_V4, NULL },
    { &workload_pool, "dora", "I", 500, LEASE_FAMILY_V4, NULL },
};

static struct load_config config_of(const struct row *row)
{
    struct load_config config =
        trial_config(row->mix != NULL ? row->mix : "dora", row->family, 500);

    config.preload = 1000;
    config.pool.size = 1000;
    config.pool.allocator = ALLOCATOR_ITERATIVE;
    config.threads = row->mix != NULL ? SESSIONS : 1;
    if (row->open != NULL)
        config.open = *row->open;
    return config;
}

static struct store_trial *run(const struct row *row, const struct load_config *config,
                               const struct fault *fault)
{
    struct store_trial *const trial = trial_new(fault);

    (void)trial_run_on(trial, row->workload, config, 0);
    return trial;
}

/* Returns how many changes with that letter there were. */
static uint64_t check_clean(const struct row *row, char letter)
{
    const struct load_config config = config_of(row);
    const struct fault never = { letter, TRICK_ALTER, UINT64_MAX, SUBNET };
    struct store_trial *const trial = run(row, &config, &never);
    const struct load_result *const result = &trial->result;
    const uint64_t asked = trial->table.asked;

    check_text(row->mix, trial->err.text, "");
    check_number(row->mix, trial->end, LOAD_DONE);
    check_number(row->mix, result->read_back, result->read_back_of);
    if (row->leases > 0)
        check_number(row->mix, result->read_back_of, row->leases);
    else
        check(row->mix, result->read_back_of >= 1000, "too few to read back");
    trial_free(trial);
    return asked;
}

static void check_spoilt(const struct row *row, char letter, uint64_t at)
{
    const struct load_config config = config_of(row);
    const struct fault fault = { letter, TRICK_ALTER, at, SUBNET };
    struct store_trial *const trial = run(row, &config, &fault);

    check(row->mix, trial->table.done, "the trick was done");
    check_number(row->mix, trial->end, LOAD_WRONG);
    check(row->mix, strstr(trial->err.text, "whose subnet_id differs") != NULL, trial->err.text);
    trial_free(trial);
}

TEST(one_spoilt_change_is_noticed_in_every_load)
{
    enum { TIMES = 3 };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (rows[i].letters[0] == '\0')
            (void)check_clean(&rows[i], 'D');
        for (const char *q = rows[i].letters; *q != '\0'; q++) {
            const uint64_t changes = check_clean(&rows[i], *q);

            /* An open loop has a closed one before it. */
            for (uint64_t k = 0; k < (rows[i].open != NULL ? 1 : TIMES) && k < changes; k++)
                check_spoilt(&rows[i], *q,
                             rows[i].open != NULL ? 100 : 1 + k * (changes - 1) / (TIMES - 1));
        }
    }
}

/* Changes by somebody else once the load is over and the rows are counted. */
TEST(a_change_behind_the_last_search_is_noticed)
{
    static const struct row renew = {
        &workload_exchanges, "renew", "U", 1000, LEASE_FAMILY_V4, NULL
    };
    struct load_config config = config_of(&renew);

    for (int trick = TRICK_LIE; trick <= TRICK_ALTER; trick++) {
        const struct fault fault = { 'A', (enum trick)trick, 500 + 300, SUBNET };

        if (trick == TRICK_PRETEND)
            continue;
        struct store_trial *const trial = run(&renew, &config, &fault);
        assert_int_equal(trial->end, LOAD_WRONG);
        assert_non_null(strstr(trial->err.text, "after the run: reading back"));
        trial_free(trial);
    }
}

/* At least one lease of each worker, whatever the time. */
TEST(how_many_were_read_is_told)
{
    struct load_config config = config_of(&rows[2]);

    config.read_back_ns = 1;
    struct store_trial *const trial = run(&rows[2], &config, NULL);
    assert_int_equal(trial->end, LOAD_DONE);
    assert_int_equal(trial->result.read_back, SESSIONS);
    assert_int_equal(trial->result.read_back_of, 1000);
    trial_free(trial);
}
