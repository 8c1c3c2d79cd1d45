/* SPDX-License-Identifier: ISC */
/* New clients of several threads and servers on one pool. */
#include "load/pool/pool.h"

#include "load/workloads.h"

#include "tests/lib/check.h"
#include "tests/lib/store_trial.h"

enum { STEPS = 8, PICK = 2, ASK = 5, ALLOCATE = 6, CREATE = 7 };

static struct load_config pool_config(enum allocator_kind allocator, uint64_t count, uint64_t pool,
                                      double full)
{
    struct load_config config = trial_config("dora", LEASE_FAMILY_V4, count);

    config.preload = 0;
    config.pool.allocator = allocator;
    config.pool.size = pool;
    config.pool.full = full;
    config.threads = 4;
    config.latency = true;
    return config;
}

static struct store_trial *run(const struct load_config *config, const struct fault *fault)
{
    struct store_trial *const trial = trial_new(fault);

    (void)trial_run_on(trial, &workload_pool, config, 0);
    return trial;
}

static uint64_t leases_in(const struct store_trial *trial)
{
    uint64_t count = 0;

    for (size_t i = 0; i < SLOTS; i++)
        count += trial->table.there[i];
    return count;
}

/* The counts of a run that went well agree with each other and with the store. */
static void check_counts(const struct load_config *config, const struct store_trial *trial)
{
    const struct phase_result *const phase = &trial->result.phases[0];
    const struct allocation_counts *const counts = &phase->allocation;
    const uint64_t others = (uint64_t)((double)config->pool.size * config->pool.full);
    const struct step_result *const steps = phase->steps;

    if (trial->end != LOAD_DONE)
        fail_msg("%s", trial->err.text);
    assert_int_equal(phase->hits + phase->misses, config->count);
    assert_int_equal(leases_in(trial), others + phase->hits);
    assert_int_equal(trial->result.left, 0);
    assert_int_equal(trial->result.read_back, others + phase->hits);
    /* Each offer is taken or lost, and each client that is refused had none at last. */
    assert_int_equal(counts->offered, phase->hits + counts->lost);
    assert_int_equal(steps[PICK].misses, counts->offered);
    assert_int_equal(steps[ASK].hits + steps[ALLOCATE].hits, counts->lost - counts->lost_on_insert);
    assert_int_equal(steps[CREATE].misses, counts->lost_on_insert);
    assert_int_equal(steps[CREATE].hits, phase->hits);
    assert_int_equal(phase->commits_due, phase->hits);
    /* What no two clients were offered at a time is not lost. */
    assert_true(counts->lost <= counts->offered_twice);
}

TEST(every_client_has_an_address_of_its_own)
{
    static const double full[] = { 0, 0.5, 0.9, 0.99 };

    for (int kind = ALLOCATOR_ITERATIVE; kind <= ALLOCATOR_FLQ; kind++) {
        for (size_t i = 0; i < sizeof full / sizeof full[0]; i++) {
            for (uint64_t servers = 1; servers <= 4; servers *= 2) {
                struct load_config config =
                    pool_config((enum allocator_kind)kind, 50, 5000, full[i]);

                config.pool.servers = servers;
                struct store_trial *const trial = run(&config, NULL);
                check_counts(&config, trial);
                assert_int_equal(trial->result.phases[0].hits, 50);
                trial_free(trial);
            }
        }
    }
}

/* Four servers whose iterative allocators begin with the same address: they offer it at a time. */
TEST(races_are_lost_and_run_again)
{
    struct allocation_counts sum = { 0 };

    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct load_config config = pool_config(ALLOCATOR_ITERATIVE, 400, 500, 0);
        struct store_trial *const trial = trial_new(NULL);

        config.pool.servers = 4;
        config.seed = seed;
        trial->table.slow = true;
        (void)trial_run_on(trial, &workload_pool, &config, 0);
        const struct allocation_counts *const counts = &trial->result.phases[0].allocation;

        check_counts(&config, trial);
        sum.offered_twice += counts->offered_twice;
        sum.lost += counts->lost;
        trial_free(trial);
    }
    assert_true(sum.offered_twice > 0);
    assert_true(sum.lost > 0);
}

/* One server with one thread: nobody comes first, and each address is looked up as theory says. */
TEST(a_server_alone_loses_nothing)
{
    for (int kind = ALLOCATOR_ITERATIVE; kind <= ALLOCATOR_FLQ; kind++) {
        struct load_config config = pool_config((enum allocator_kind)kind, 200, 400, 0.5);

        config.threads = 1;
        struct store_trial *const trial = run(&config, NULL);
        const struct phase_result *const phase = &trial->result.phases[0];

        check_counts(&config, trial);
        assert_int_equal(phase->allocation.offered, 200);
        assert_int_equal(phase->allocation.offered_twice, 0);
        if (kind == ALLOCATOR_FLQ)
            assert_int_equal(phase->steps[PICK].hits, 0);
        trial_free(trial);
    }
}

/* More clients than addresses: the others are refused, after a look at each address. */
TEST(a_full_pool_refuses)
{
    for (int kind = ALLOCATOR_ITERATIVE; kind <= ALLOCATOR_FLQ; kind++) {
        struct load_config config = pool_config((enum allocator_kind)kind, 60, 100, 0.5);
        struct store_trial *const trial = run(&config, NULL);
        const struct phase_result *const phase = &trial->result.phases[0];

        check_counts(&config, trial);
        assert_int_equal(phase->hits, 50);
        assert_int_equal(phase->misses, 10);
        trial_free(trial);
    }
}

/* The store picks: each pick and each look-up is a question of its own. */
TEST(a_store_may_pick)
{
    for (uint64_t servers = 1; servers <= 4; servers *= 2) {
        struct load_config config = pool_config(ALLOCATOR_SHARED_FLQ, 120, 300, 0.5);
        struct store_trial *const trial = trial_new(NULL);

        config.pool.servers = servers;
        trial->table.slow = true;
        (void)trial_run_on(trial, &workload_pool, &config, 0);
        const struct phase_result *const phase = &trial->result.phases[0];

        if (trial->end != LOAD_DONE)
            fail_msg("%s", trial->err.text);
        assert_int_equal(phase->step_count, STEPS + 1);
        assert_string_equal(phase->steps[PICK].operation, "pick_free");
        assert_int_equal(phase->hits, 120);
        assert_int_equal(phase->allocation.offered, phase->hits + phase->allocation.lost);
        assert_true(phase->steps[PICK].hits >= phase->allocation.offered);
        assert_int_equal(phase->commits_due, phase->hits + phase->steps[PICK].hits);
        trial_free(trial);
    }
}

/* DISCOVER with the pick in it, and REQUEST: two round trips, and one or two more for each
   candidate that another client has. */
TEST(exchanges_with_a_pick_share_round_trips)
{
    for (uint64_t servers = 1; servers <= 4; servers *= 2) {
        struct load_config config = pool_config(ALLOCATOR_SKIP_LOCKED, 120, 300, 0.5);
        struct store_trial *const trial = trial_new(NULL);

        config.pool.servers = config.threads = servers;
        config.trips = TRIPS_PROCEDURE;
        trial->table.slow = true;
        (void)trial_run_on(trial, &workload_pool, &config, 0);
        const struct phase_result *const phase = &trial->result.phases[0];

        if (trial->end != LOAD_DONE)
            fail_msg("%s", trial->err.text);
        assert_int_equal(phase->hits, 120);
        assert_int_equal(leases_in(trial), 150 + 120);
        assert_int_equal(phase->allocation.offered, phase->hits + phase->allocation.lost);
        assert_true(phase->round_trips >= 2 * phase->allocation.offered);
        if (servers == 1)
            assert_int_equal(phase->round_trips, 240);
        trial_free(trial);
    }
}

/* What is wrong in a round trip of its own is wrong in one that several questions share. */
TEST(wrong_answers_in_shared_round_trips_are_noticed)
{
    static const struct {
        struct fault fault;
        const char *says;
    } rows[] = {
        { { CALL_PICK, TRICK_ALTER, 7, 0 }, "gave an address that is not in the pool" },
        { { CALL_FIND_NONE, TRICK_LIE, 30, 0 }, "returned a lease that no client was given" },
        { { CALL_CREATE, TRICK_LIE, 9, 0 }, "returned MISS; a correct store returns HIT" },
        { { CALL_CREATE, TRICK_PRETEND, 9, 0 }, "wrong answer" },
        { { CALL_CREATE, TRICK_LOSE, 9, 0 }, "wrong answer" },
        { { CALL_CREATE, TRICK_ALTER, 9, 5 }, "a lease whose" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct load_config config = pool_config(ALLOCATOR_SHARED_FLQ, 60, 300, 0.5);

        config.trips = TRIPS_PROCEDURE;
        struct store_trial *const trial = run(&config, &rows[i].fault);
        if (trial->end != LOAD_WRONG || strstr(trial->err.text, rows[i].says) == NULL)
            fail_msg("row %zu: %d, %s", i, (int)trial->end, trial->err.text);
        trial_free(trial);
    }
}

TEST(a_list_that_does_not_agree_is_noticed)
{
    static const struct {
        bool forgetful;
        struct fault fault;
        const char *says;
    } rows[] = {
        { true, { 0, TRICK_NONE, 0, 0 }, "the free list has 150 addresses, of which 60 have" },
        { false,
          { CALL_COUNT_FREE, TRICK_FEWER, 1, 0 },
          "the free list has 89 addresses, of which 0" },
        { false, { CALL_PICK, TRICK_ALTER, 7, 0 }, "gave an address that is not in the pool" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct load_config config = pool_config(ALLOCATOR_SKIP_LOCKED, 60, 300, 0.5);
        struct store_trial *const trial = trial_new(&rows[i].fault);

        trial->table.forgetful = rows[i].forgetful;
        (void)trial_run_on(trial, &workload_pool, &config, 0);
        assert_int_equal(trial->end, LOAD_WRONG);
        if (strstr(trial->err.text, rows[i].says) == NULL)
            fail_msg("row %zu: %s", i, trial->err.text);
        trial_free(trial);
    }
}

/* All kinds of exchanges of clients that have leases, with few free addresses: so those that return
   are given again, over the reclaimed leases. */
static struct load_config ends_config(const char *mix, uint64_t threads)
{
    struct load_config config = trial_config(mix, LEASE_FAMILY_V4, 400);
    struct err err = { 0 };

    config.pool.allocator = ALLOCATOR_SHARED_FLQ;
    config.threads = threads;
    config.pool.servers = threads;
    config.preload = 0;
    if (workload_pool.resolve(&config, mix, &err) != 0)
        fail_msg("%s", err.text);
    return config;
}

static const char every_end[] = "dora=40,dora-known=10,renew=20,init-reboot=5,release=5,"
                                "release-delete=15,decline=5,reclaim=200";
static const char *const ends[] = { every_end, "steady",         "guests",
                                    "renew",   "release-delete", "dora=60,release-delete=40" };

TEST(addresses_return_to_the_list)
{
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        for (uint64_t threads = 1; threads <= 4; threads++) {
            const struct load_config config = ends_config(ends[i], threads);
            struct store_trial *const trial = trial_new(NULL);
            uint64_t done = 0;

            trial->table.slow = threads > 1;
            (void)trial_run_on(trial, &workload_pool, &config, 0);
            if (trial->end != LOAD_DONE)
                fail_msg("%s, %d threads: %s", ends[i], (int)threads, trial->err.text);
            for (size_t p = 0; p < trial->result.phase_count; p++)
                done += trial->result.phases[p].done;
            assert_int_equal(done, config.count);
            assert_int_equal(trial->result.left, 0);
            assert_int_equal(trial->result.read_back, config.pool.size);
            trial_free(trial);
        }
    }
}

/* Few addresses are free and many return: some clients get one that another has had, by an update
   of the reclaimed lease or by an insert. */
TEST(returned_addresses_are_given_again)
{
    struct load_config config = ends_config("dora=50,release-delete=20,reclaim=3000", 4);

    config.count = 100;
    config.pool.size = 5300;
    config.pool.full = 0.2;
    struct err err = { 0 };
    assert_int_equal(workload_pool.resolve(&config, "", &err), 0);
    struct store_trial *const trial = trial_new(NULL);
    (void)trial_run_on(trial, &workload_pool, &config, 0);
    if (trial->end != LOAD_DONE)
        fail_msg("%s", trial->err.text);
    const struct phase_result *const reclaim = &trial->result.phases[2];
    assert_string_equal(reclaim->name, "reclaim");
    assert_true(trial_calls(trial, CALL_UPDATE) > reclaim->steps[1].hits);
    trial_free(trial);
}

TEST(leases_that_do_not_end_are_noticed)
{
    static const struct {
        bool stingy;
        struct fault fault;
        const char *says;
    } rows[] = {
        { true, { 0, TRICK_NONE, 0, 0 }, "the free list has" },
        { false, { CALL_UPDATE, TRICK_PRETEND, 9, 0 }, "wrong answer" },
        { false, { CALL_UPDATE, TRICK_LOSE, 9, 0 }, "wrong answer" },
        { false, { CALL_UPDATE, TRICK_ALTER, 9, 3 }, "wrong answer" },
        { false, { CALL_UPDATE, TRICK_LIE, 9, 0 }, "returned MISS" },
        { false, { CALL_REMOVE, TRICK_PRETEND, 3, 0 }, "wrong answer" },
        { false, { CALL_REMOVE, TRICK_LIE, 3, 0 }, "returned MISS" },
        { false, { CALL_CREATE, TRICK_LOSE, 9, 0 }, "wrong answer" },
        { false, { CALL_CREATE, TRICK_PRETEND, 9, 0 }, "wrong answer" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct load_config config = ends_config(every_end, 4);
        struct store_trial *const trial = trial_new(&rows[i].fault);

        trial->table.stingy = rows[i].stingy;
        (void)trial_run_on(trial, &workload_pool, &config, 0);
        if (trial->end != LOAD_WRONG || strstr(trial->err.text, rows[i].says) == NULL)
            fail_msg("row %zu: %d, %s", i, (int)trial->end, trial->err.text);
        trial_free(trial);
    }
}

/* An exchange that the store gave up leaves everything as it was. */
TEST(leases_whose_change_is_given_up_stay)
{
    for (uint64_t at = 1; at <= 60; at += 3) {
        for (int i = 0; i < 2; i++) {
            const struct fault fault = { i == 0 ? CALL_UPDATE : CALL_REMOVE, TRICK_DEADLOCK, at,
                                         0 };
            const struct load_config config = ends_config(every_end, 3);
            struct store_trial *const trial = trial_new(&fault);

            (void)trial_run_on(trial, &workload_pool, &config, 0);
            if (trial->end != LOAD_DONE)
                fail_msg("%s", trial->err.text);
            trial_free(trial);
        }
    }
}

TEST(ipv6_has_pools_too)
{
    struct load_config config = trial_config("sarr", LEASE_FAMILY_V6, 100);

    config.pool.allocator = ALLOCATOR_RANDOM;
    config.pool.size = 300;
    config.threads = 3;
    struct store_trial *const trial = run(&config, NULL);

    assert_int_equal(trial->end, LOAD_DONE);
    assert_int_equal(trial->result.phases[0].hits, 100);
    trial_free(trial);
}

/* The same operations, however many threads and servers perform them. */
TEST(digests_are_of_the_work)
{
    uint64_t digest = 0;

    for (uint64_t threads = 1; threads <= 4; threads++) {
        struct load_config config = pool_config(ALLOCATOR_RANDOM, 100, 300, 0.3);

        config.threads = threads;
        config.pool.servers = threads;
        struct store_trial *const trial = run(&config, NULL);

        assert_int_equal(trial->end, LOAD_DONE);
        assert_true(digest == 0 || digest == trial->result.digest);
        digest = trial->result.digest;
        trial_free(trial);
    }
}

/* A store that says that it has created a lease at an address that is taken, or that it has lost,
   is found out at once, whichever client it cheats. */
TEST(an_address_given_twice_is_noticed)
{
    static const struct {
        int letter;
        enum trick trick;
        const char *says;
    } rows[] = {
        /* The candidate is taken, and the store denies it: then it pretends to create. */
        { CALL_FIND, TRICK_LIE, "returned MISS; a correct store returns HIT" },
        { CALL_FIND_NONE, TRICK_LIE, "returned a lease that no client was given" },
        { CALL_FIND, TRICK_ALTER, "returned a lease whose" },
        { CALL_CREATE, TRICK_LIE, "returned MISS; a correct store returns HIT" },
        { CALL_CREATE, TRICK_PRETEND, "wrong answer" },
        { CALL_CREATE, TRICK_LOSE, "wrong answer" },
        { CALL_CREATE, TRICK_TWICE, "the store has" },
        { CALL_CREATE, TRICK_ALTER, "a lease whose" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (uint64_t at = 1; at <= 41; at += 20) {
            const struct fault fault = { rows[i].letter, rows[i].trick, at, 5 };
            const struct load_config config = pool_config(ALLOCATOR_RANDOM, 100, 300, 0.5);
            struct store_trial *const trial = run(&config, &fault);

            assert_int_equal(trial->end, LOAD_WRONG);
            if (strstr(trial->err.text, rows[i].says) == NULL)
                fail_msg("row %zu: %s", i, trial->err.text);
            trial_free(trial);
        }
    }
}

/* As a lying store, which gives whatever it is asked for: two clients have an address. */
TEST(a_store_that_overwrites_is_noticed)
{
    const struct load_config config = pool_config(ALLOCATOR_ITERATIVE, 400, 1000, 0);
    int noticed = 0;

    for (int i = 0; i < 4; i++) {
        struct load_config servers = config;
        struct store_trial *const trial = trial_new(NULL);

        servers.pool.servers = 4;
        trial->table.slow = true;
        trial->table.overwrites = true;
        (void)trial_run_on(trial, &workload_pool, &servers, 0);
        if (trial->end == LOAD_WRONG) {
            assert_non_null(strstr(trial->err.text, "was given to two clients"));
            noticed++;
        } else {
            check_counts(&servers, trial);
        }
        trial_free(trial);
    }
    assert_true(noticed > 0);
}

/* A lease whose insert got no answer may be found by others before the run ends. */
TEST(an_insert_in_doubt_is_no_wrong_answer)
{
    for (uint64_t at = 1; at <= 60; at++) {
        const struct fault fault = { CALL_CREATE, TRICK_DOUBT, at, 0 };
        struct load_config config = pool_config(ALLOCATOR_ITERATIVE, 400, 1000, 0);
        struct store_trial *const trial = trial_new(&fault);

        config.pool.servers = 4;
        trial->table.slow = true;
        (void)trial_run_on(trial, &workload_pool, &config, 0);
        if (trial->end != LOAD_FAILED)
            fail_msg("%s", trial->err.text);
        trial_free(trial);
    }
}

TEST(errors_end_the_run)
{
    static const struct {
        enum trick trick;
        enum load_end end;
    } rows[] = {
        { TRICK_FAIL, LOAD_FAILED },      { TRICK_FULL, LOAD_FAILED },
        { TRICK_STOP, LOAD_INTERRUPTED }, { TRICK_DEADLOCK, LOAD_DONE },
        { TRICK_CONFLICT, LOAD_DONE },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (uint64_t at = 1; at <= 160; at += 13) {
            const struct fault fault = { ANY_LETTER, rows[i].trick, at, 0 };
            const struct load_config config = pool_config(ALLOCATOR_FLQ, 60, 300, 0.5);
            struct store_trial *const trial = run(&config, &fault);

            assert_int_equal(trial->end, rows[i].end);
            trial_free(trial);
        }
    }
}

/* What the options say that cannot be, before anything is done. */
TEST(refusals)
{
    enum { RANDOM = ALLOCATOR_RANDOM, LISTED = ALLOCATOR_SKIP_LOCKED };
    static const struct {
        const char *mix;
        int allocator;
        uint64_t threads;
        uint64_t servers;
        uint64_t ranks;
        const char *says; /* NULL: nothing is refused */
    } rows[] = {
        { "dora", RANDOM, 4, 4, 1, NULL },
        { "dora", RANDOM, 3, 4, 1, "use --threads=4" },
        { "steady", RANDOM, 1, 1, 1, "cannot be used with 'renew'" },
        { "renew", RANDOM, 1, 1, 1, "use --workload=dora, or --allocator=shared-flq" },
        { "release-delete", RANDOM, 1, 1, 1, "use --workload=dora" },
        { "steady", LISTED, 1, 1, 1, NULL },
        { "dora=9,purge=1", LISTED, 1, 1, 1, "cannot be used with 'purge'" },
        { "dora", LISTED, 4, 4, 4, NULL },
        { "dora", LISTED, 4, 3, 2, "3 servers cannot be divided among 2 ranks" },
        { "dora", LISTED, 4, 6, 2, "6 servers need a thread each; use --threads=3" },
        { "steady", LISTED, 4, 4, 4, "no rank knows what clients of others do" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct load_config config = trial_config(rows[i].mix, LEASE_FAMILY_V4, 10);
        struct err err = { 0 };

        config.pool.allocator = (enum allocator_kind)rows[i].allocator;
        config.threads = rows[i].threads;
        config.pool.servers = rows[i].servers;
        config.ranks = rows[i].ranks;
        const int status = workload_pool.resolve(&config, rows[i].mix, &err);
        if (status != (rows[i].says == NULL ? 0 : -1) ||
            (rows[i].says != NULL && strstr(err.text, rows[i].says) == NULL))
            fail_msg("row %zu: %s", i, err.text);
    }
}

/* What leases need that end. */
TEST(pools_that_are_too_small_are_refused)
{
    static const struct {
        uint64_t pool;
        double full;
        const char *says; /* NULL: nothing is refused */
    } rows[] = {
        { 0, 0, NULL },
        { 0, 0.9, NULL },
        { 1000, 0.01, "--full: 10 clients with a lease are too few; " },
        { 1000, 1, "--pool: 1000 addresses are too few for 1000 clients and" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct load_config config = trial_config(every_end, LEASE_FAMILY_V4, 200);
        struct err err = { 0 };

        config.pool.allocator = ALLOCATOR_SHARED_FLQ;
        config.pool.size = rows[i].pool;
        config.pool.full = rows[i].full;
        const int status = workload_pool.resolve(&config, "", &err);
        if (status != (rows[i].says == NULL ? 0 : -1) ||
            (rows[i].says != NULL && strstr(err.text, rows[i].says) == NULL))
            fail_msg("row %zu: %s", i, err.text);
    }
}

/* So many that the clients take half of what is free. */
TEST(pools_have_a_usual_size)
{
    static const struct {
        uint64_t count;
        double full;
        uint64_t pool;
    } rows[] = { { 1, 0, 100 },        { 100, 0, 200 },           { 1000, 0.5, 4000 },
                 { 1000, 0.9, 20000 }, { 1000000, 0.9, 1 << 24 }, { 10, 1, 20000 } };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct load_config config = trial_config("dora", LEASE_FAMILY_V4, rows[i].count);
        struct err err = { 0 };

        config.pool.allocator = ALLOCATOR_RANDOM;
        config.pool.full = rows[i].full;
        assert_int_equal(workload_pool.resolve(&config, "dora", &err), 0);
        assert_in_range(config.pool.size, rows[i].pool, rows[i].pool + 1);
    }
}
