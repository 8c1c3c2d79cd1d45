/* SPDX-License-Identifier: ISC */
/*
 * The harness against stores made up for it: a correct one, and the same one
 * with a fault.  Whatever the fault, the harness has to notice it, say so with
 * the right end, and name the address.
 */
#include "load/phases.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/clock.h"
#include "tests/check.h"
#include "tests/lease_fields.h"

enum primitive {
    CALL_CREATE,
    CALL_FIND,
    CALL_UPDATE,
    CALL_REMOVE,
    CALL_COUNT,
    CALL_READ_COUNTERS,
    CALL_BEGIN,
    CALL_COMMIT,
    CALL_RESET,
    CALLS,
};

enum trick {
    TRICK_NONE,
    TRICK_MISS,    /* answers MISS and does nothing */
    TRICK_HIT,     /* finds a lease that is not there */
    TRICK_PRETEND, /* answers HIT and does nothing */
    TRICK_ALTER,   /* one field of the lease is another */
    TRICK_LOSE,    /* does it, and loses the lease */
    TRICK_TWICE,   /* creates it twice */
    TRICK_MORE,    /* counts one too many */
    TRICK_FEWER,   /* counts one too few */
    TRICK_FAIL,    /* answers ERROR */
    TRICK_STALL,   /* sleeps 50 ms, then does it */
    TRICK_STOP,    /* does it, and somebody presses ^C */
};

/* What goes wrong: this trick in the at-th call (from 1) of one primitive. */
struct fault {
    enum primitive primitive;
    enum trick trick;
    uint64_t at;
    int change; /* TRICK_ALTER: which field */
};

enum { STALL_MS = 50, SLOTS = 8192, LEASES = 50, SESSIONS = 7 };

/* The store: a slot for each address.  Threads work on different slots. */
struct table {
    bool there[SLOTS];
    struct lease leases[SLOTS];
};

struct session {
    struct table *table;
    struct progress *progress;
    struct fault fault;
    uint64_t calls[CALLS];
    struct lease_address address; /* of the call in which the trick was done */
    const char *field;
    uint64_t extra;     /* leases that were created twice */
    uint64_t changed;   /* since begin, or since ever */
    uint64_t committed; /* changes */
};

static size_t slot(struct lease_address address)
{
    const uint64_t i = address.low - GENERATOR_BASE_ADDRESS;

    assert_in_range(i, 0, SLOTS - 1);
    return i;
}

/* True if the trick is to be done in this call. */
static bool is_due(struct session *session, enum primitive primitive,
                   struct lease_address address)
{
    const struct fault *const fault = &session->fault;

    session->calls[primitive]++;
    if (fault->trick == TRICK_NONE || fault->primitive != primitive ||
        session->calls[primitive] != fault->at)
        return false;
    session->address = address;
    if (fault->trick == TRICK_STALL) {
        const struct timespec pause = { .tv_nsec = STALL_MS * 1000000L };

        (void)nanosleep(&pause, NULL);
    }
    if (fault->trick == TRICK_STOP)
        atomic_store(&session->progress->stop, 1);
    return true;
}

static int refuse(struct err *err)
{
    return err_set_class(err, ERR_BUSY, "fake: table lease4: locked (5)");
}

static int plain_call(struct session *session, enum primitive primitive,
                      struct err *err)
{
    if (is_due(session, primitive, lease_address_v4(0)) &&
        session->fault.trick == TRICK_FAIL)
        return refuse(err);
    return 0;
}

static int fake_begin(struct session *session, struct err *err)
{
    session->changed = 0;
    return plain_call(session, CALL_BEGIN, err);
}

static int fake_commit(struct session *session, struct err *err)
{
    const int status = plain_call(session, CALL_COMMIT, err);

    if (status == 0)
        session->committed += session->changed;
    return status;
}

static int fake_reset(struct session *session, struct err *err)
{
    memset(session->table->there, 0, sizeof session->table->there);
    return plain_call(session, CALL_RESET, err);
}

static int fake_count(struct session *session, uint64_t *count, struct err *err)
{
    const bool due = is_due(session, CALL_COUNT, lease_address_v4(0));

    if (due && session->fault.trick == TRICK_FAIL)
        return refuse(err);
    *count = session->extra;
    for (size_t i = 0; i < SLOTS; i++)
        *count += session->table->there[i];
    if (due && session->fault.trick == TRICK_MORE)
        ++*count;
    if (due && session->fault.trick == TRICK_FEWER)
        --*count;
    return 0;
}

static int fake_read_counters(struct session *session, enum counters which,
                              struct lease_counts *counts, struct err *err)
{
    const bool due = is_due(session, CALL_READ_COUNTERS, lease_address_v4(0));
    const enum trick trick = due ? session->fault.trick : TRICK_NONE;

    (void)which;
    if (trick == TRICK_FAIL)
        return refuse(err);
    for (size_t i = 0; i < SLOTS; i++) {
        const struct lease *const lease = &session->table->leases[i];
        const struct lease_kind kind = { .subnet_id = lease->subnet_id,
                                         .type = lease->type,
                                         .state = lease->state };

        if (session->table->there[i])
            assert_int_equal(lease_counts_add(counts, &kind, 1), 0);
    }
    if (trick == TRICK_MORE || trick == TRICK_FEWER) {
        const struct lease_kind kind = { .subnet_id = 3,
                                         .type = LEASE_TYPE_V4 };

        assert_int_equal(
            lease_counts_add(counts, &kind, trick == TRICK_MORE ? 1 : -1), 0);
    }
    return 0;
}

static enum outcome fake_create(struct session *session,
                                const struct lease *lease, struct err *err)
{
    const size_t i = slot(lease->address);
    const bool due = is_due(session, CALL_CREATE, lease->address);
    const enum trick trick = due ? session->fault.trick : TRICK_NONE;

    if (trick == TRICK_FAIL)
        return (enum outcome)refuse(err);
    if (trick == TRICK_MISS || session->table->there[i])
        return OUTCOME_MISS;
    session->table->leases[i] = *lease;
    session->table->there[i] = trick != TRICK_PRETEND && trick != TRICK_LOSE;
    session->extra += trick == TRICK_TWICE;
    session->changed++;
    return OUTCOME_HIT;
}

static enum outcome fake_find(struct session *session,
                              struct lease_address address,
                              enum lease_type type, struct lease *found,
                              struct err *err)
{
    const size_t i = slot(address);
    (void)type;
    const struct fault *const fault = &session->fault;
    const bool wants_hit = fault->trick != TRICK_HIT;

    /* Calls are counted that could be answered wrongly in this way. */
    const bool due = session->table->there[i] == wants_hit
                         ? is_due(session, CALL_FIND, address)
                         : false;
    if (due && fault->trick == TRICK_FAIL)
        return (enum outcome)refuse(err);
    if (due && fault->trick == TRICK_MISS)
        return OUTCOME_MISS;
    if (!session->table->there[i] && !(due && fault->trick == TRICK_HIT))
        return OUTCOME_MISS;
    *found = session->table->leases[i];
    if (due && fault->trick == TRICK_ALTER)
        session->field = lease_change(found, fault->change);
    return OUTCOME_HIT;
}

static enum outcome fake_update(struct session *session,
                                const struct lease *lease, int64_t expire_s,
                                struct err *err)
{
    const size_t i = slot(lease->address);
    const bool due = is_due(session, CALL_UPDATE, lease->address);
    const enum trick trick = due ? session->fault.trick : TRICK_NONE;

    if (trick == TRICK_FAIL)
        return (enum outcome)refuse(err);
    if (trick == TRICK_PRETEND)
        return OUTCOME_HIT;
    if (trick == TRICK_MISS || !session->table->there[i] ||
        lease_expire_s(&session->table->leases[i]) != expire_s)
        return OUTCOME_MISS;
    session->table->leases[i] = *lease;
    session->table->there[i] = trick != TRICK_LOSE;
    if (trick == TRICK_ALTER)
        session->field =
            lease_change(&session->table->leases[i], session->fault.change);
    session->changed++;
    return OUTCOME_HIT;
}

static enum outcome fake_remove(struct session *session,
                                struct lease_address address, int64_t expire_s,
                                struct err *err)
{
    const size_t i = slot(address);
    const bool due = is_due(session, CALL_REMOVE, address);
    const enum trick trick = due ? session->fault.trick : TRICK_NONE;

    if (trick == TRICK_FAIL)
        return (enum outcome)refuse(err);
    if (trick == TRICK_MISS || !session->table->there[i] ||
        lease_expire_s(&session->table->leases[i]) != expire_s)
        return OUTCOME_MISS;
    session->table->there[i] = trick == TRICK_PRETEND;
    session->changed++;
    return OUTCOME_HIT;
}

/* Another store without a fault: it keeps nothing and says so. */
static enum outcome forgetful_create(struct session *session,
                                     const struct lease *lease, struct err *err)
{
    (void)session;
    (void)lease;
    (void)err;
    return OUTCOME_HIT;
}

static enum outcome forgetful_find(struct session *session,
                                   struct lease_address address,
                                   enum lease_type type, struct lease *found,
                                   struct err *err)
{
    (void)session;
    (void)address;
    (void)type;
    (void)found;
    (void)err;
    return OUTCOME_HIT;
}

static enum outcome forgetful_update(struct session *session,
                                     const struct lease *lease,
                                     int64_t expire_s, struct err *err)
{
    (void)session;
    (void)lease;
    (void)expire_s;
    (void)err;
    return OUTCOME_HIT;
}

static enum outcome forgetful_remove(struct session *session,
                                     struct lease_address address,
                                     int64_t expire_s, struct err *err)
{
    (void)session;
    (void)address;
    (void)expire_s;
    (void)err;
    return OUTCOME_HIT;
}

static const struct backend fake = {
    .name = "fake",
    .keeps_leases = true,
    .reset = fake_reset,
    .count = fake_count,
    .read_counters = fake_read_counters,
    .create = fake_create,
    .find_by_address = fake_find,
    .update = fake_update,
    .remove = fake_remove,
    .begin = fake_begin,
    .commit = fake_commit,
};

static const struct backend forgetful = {
    .name = "forgetful",
    .keeps_leases = false,
    .reset = fake_reset,
    .count = fake_count,
    .create = forgetful_create,
    .find_by_address = forgetful_find,
    .update = forgetful_update,
    .remove = forgetful_remove,
    .begin = fake_begin,
    .commit = fake_commit,
};

static const struct phases_config usual = {
    .load = {
        .count = LEASES,
        .seed = 1,
        .threads = 1,
        .batch = 1,
        .latency = true,
        .profile = LEASE_PROFILE_TYPICAL,
    },
    .hit_ratio = 0.9,
};

/* One run: what went in and what came out. */
struct trial {
    struct table table;
    struct session sessions[SESSIONS];
    struct progress progress;
    struct load_result result;
    struct err err;
    enum load_end end;
};

/* The fault is that of one thread. */
static struct trial *run_faulty(const struct phases_config *config,
                                const struct backend *backend,
                                const struct fault *fault, size_t thread)
{
    struct trial *const trial = calloc(1, sizeof *trial);
    struct session *sessions[SESSIONS];

    assert_non_null(trial);
    assert_in_range(config->load.threads, 1, SESSIONS);
    for (size_t i = 0; i < SESSIONS; i++) {
        sessions[i] = &trial->sessions[i];
        sessions[i]->table = &trial->table;
        sessions[i]->progress = &trial->progress;
    }
    if (fault != NULL)
        trial->sessions[thread].fault = *fault;
    trial->end = phases_run(config, backend, sessions, &trial->progress,
                            &trial->result, &trial->err);
    return trial;
}

static struct trial *run(const struct phases_config *config,
                         const struct backend *backend,
                         const struct fault *fault)
{
    return run_faulty(config, backend, fault, 0);
}

static void free_trial(struct trial *trial)
{
    load_result_release(&trial->result);
    free(trial);
}

/* Calls of one primitive in all sessions. */
static uint64_t calls(const struct trial *trial, enum primitive primitive)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < SESSIONS; i++)
        sum += trial->sessions[i].calls[primitive];
    return sum;
}

static uint64_t digest(const struct phases_config *config,
                       const struct backend *backend)
{
    struct trial *const trial = run(config, backend, NULL);
    const uint64_t sum = trial->result.digest;

    assert_int_equal(trial->end, LOAD_DONE);
    free_trial(trial);
    return sum;
}

static void a_correct_store_passes(void **state)
{
    struct trial *const trial = run(&usual, &fake, NULL);
    uint64_t ended_ns = 0;

    (void)state;
    assert_int_equal(trial->end, LOAD_DONE);
    assert_string_equal(trial->err.text, "");
    assert_true(trial->result.verified);
    assert_int_equal(trial->result.left, 0);
    for (int i = 0; i < PHASE_COUNT; i++) {
        const struct phase_result *const phase = &trial->result.phases[i];

        assert_int_equal(phase->done, LEASES);
        assert_int_equal(phase->hits + phase->misses, LEASES);
        assert_true(i == PHASE_SEARCH || phase->misses == 0);
        assert_true(phase->begun_ns >= ended_ns);
        assert_true(phase->ended_ns >= phase->begun_ns);
        ended_ns = phase->ended_ns;
    }
    assert_string_equal(trial->result.phases[PHASE_CREATE].name, "create");
    assert_string_equal(trial->result.phases[PHASE_DELETE].name, "delete");
    /* Operations of the phases, and the updates that were read back. */
    assert_int_equal(calls(trial, CALL_CREATE), LEASES);
    assert_int_equal(calls(trial, CALL_UPDATE), LEASES);
    assert_int_equal(calls(trial, CALL_REMOVE), LEASES);
    assert_int_equal(calls(trial, CALL_RESET), 1);
    assert_int_equal(calls(trial, CALL_COUNT), 2);
    free_trial(trial);
}

static void a_preload_stays(void **state)
{
    struct phases_config config = usual;

    (void)state;
    config.load.preload = 2500;
    struct trial *const trial = run(&config, &fake, NULL);
    assert_string_equal(trial->err.text, "");
    assert_int_equal(trial->end, LOAD_DONE);
    assert_int_equal(trial->result.left, 0);
    assert_int_equal(trial->result.phases[PHASE_CREATE].done, LEASES);
    assert_int_equal(calls(trial, CALL_CREATE), 2500 + LEASES);
    /* In transactions of a thousand. */
    assert_int_equal(calls(trial, CALL_BEGIN), 3);
    assert_int_equal(calls(trial, CALL_COMMIT), 3);
    free_trial(trial);
}

static void searches_hit_as_often_as_asked(void **state)
{
    static const struct {
        double ratio;
        uint64_t least;
        uint64_t most;
    } cases[] = {
        { 0, 0, 0 },
        /* Five standard deviations of 1000 searches. */
        { 0.5, 420, 580 },
        { 0.9, 852, 948 },
        { 1, 1000, 1000 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct phases_config config = usual;

        config.load.count = 1000;
        config.hit_ratio = cases[i].ratio;
        struct trial *const trial = run(&config, &fake, NULL);
        const struct phase_result *const search =
            &trial->result.phases[PHASE_SEARCH];
        assert_int_equal(trial->end, LOAD_DONE);
        assert_in_range(search->hits, cases[i].least, cases[i].most);
        assert_int_equal(search->misses, 1000 - search->hits);
        free_trial(trial);
    }
}

static void the_digest_names_the_operations(void **state)
{
    struct phases_config other = usual;
    const uint64_t expected = digest(&usual, &fake);

    (void)state;
    assert_true(digest(&usual, &fake) == expected);
    assert_true(digest(&usual, &forgetful) == expected);
    other.load.seed = 2;
    assert_true(digest(&other, &fake) != expected);
    assert_true(digest(&other, &fake) == digest(&other, &forgetful));
    other = usual;
    other.load.count--;
    assert_true(digest(&other, &fake) != expected);
    other = usual;
    other.hit_ratio = 0.8;
    assert_true(digest(&other, &fake) != expected);
    other = usual;
    other.load.profile = LEASE_PROFILE_GUIDE;
    assert_true(digest(&other, &fake) != expected);
    other = usual;
    other.load.subnets = 1; /* as if nothing was said */
    assert_true(digest(&other, &fake) == expected);
    other.load.subnets = 2;
    assert_true(digest(&other, &fake) != expected);
    other = usual;
    other.load.preload = 1;
    assert_true(digest(&other, &fake) != expected);
}

static void a_forgetful_store_is_not_verified(void **state)
{
    struct trial *const trial = run(&usual, &forgetful, NULL);

    (void)state;
    assert_int_equal(trial->end, LOAD_DONE);
    assert_false(trial->result.verified);
    free_trial(trial);
}

/* %s: the address with which the store cheated. */
static const struct {
    struct fault fault;
    const char *message;
} lies[] = {
    { { CALL_CREATE, TRICK_MISS, 20, 0 },
      "fake: wrong answer: creating %s gave MISS where a correct store gives "
      "HIT" },
    { { CALL_CREATE, TRICK_MISS, 1, 0 },
      "fake: wrong answer: creating %s gave MISS where a correct store gives "
      "HIT" },
    { { CALL_CREATE, TRICK_MISS, LEASES, 0 },
      "fake: wrong answer: creating %s gave MISS where a correct store gives "
      "HIT" },
    { { CALL_CREATE, TRICK_PRETEND, 20, 0 },
      "fake: wrong answer: 49 leases are there after create, where a correct "
      "store has 50" },
    { { CALL_CREATE, TRICK_TWICE, 20, 0 },
      "fake: wrong answer: 51 leases are there after create, where a correct "
      "store has 50" },
    { { CALL_COUNT, TRICK_MORE, 1, 0 },
      "fake: wrong answer: 51 leases are there after create, where a correct "
      "store has 50" },
    { { CALL_COUNT, TRICK_FEWER, 1, 0 },
      "fake: wrong answer: 49 leases are there after create, where a correct "
      "store has 50" },
    { { CALL_FIND, TRICK_MISS, 7, 0 },
      "fake: wrong answer: searching %s gave MISS where a correct store gives "
      "HIT" },
    { { CALL_FIND, TRICK_HIT, 3, 0 },
      "fake: wrong answer: searching %s gave HIT where a correct store gives "
      "MISS" },
    { { CALL_UPDATE, TRICK_MISS, 20, 0 },
      "fake: wrong answer: updating %s gave MISS where a correct store gives "
      "HIT" },
    { { CALL_UPDATE, TRICK_LOSE, 20, 0 },
      "fake: wrong answer: reading back %s gave MISS where a correct store "
      "gives HIT" },
    { { CALL_UPDATE, TRICK_PRETEND, 20, 0 },
      "fake: wrong answer: reading back %s gave a lease with another "
      "valid_lifetime than was stored" },
    { { CALL_REMOVE, TRICK_MISS, 20, 0 },
      "fake: wrong answer: deleting %s gave MISS where a correct store gives "
      "HIT" },
    /* A deleted lease is there again. */
    { { CALL_REMOVE, TRICK_PRETEND, 20, 0 },
      "fake: wrong answer: 1 leases are there after delete, where a correct "
      "store has 0" },
    { { CALL_COUNT, TRICK_MORE, 2, 0 },
      "fake: wrong answer: 1 leases are there after delete, where a correct "
      "store has 0" },
};

/* Runs with a fault in one thread and fails unless it ends so, with that
   message. */
static void check_thread(const struct phases_config *config,
                         const struct fault *fault, size_t thread,
                         enum load_end end, const char *format)
{
    struct trial *const trial = run_faulty(config, &fake, fault, thread);
    const char *const place = strstr(format, "%s");
    char address[LEASE_ADDRESS_TEXT_SIZE];
    char wanted[256];

    (void)lease_address_text(address, trial->sessions[thread].address,
                             LEASE_TYPE_V4);
    if (place != NULL)
        (void)snprintf(wanted, sizeof wanted, "%.*s%s%s", (int)(place - format),
                       format, address, place + 2);
    else
        (void)snprintf(wanted, sizeof wanted, "%s", format);
    check_text(format, trial->err.text, wanted);
    check_number(format, trial->end, end);
    free_trial(trial);
}

static void check_fault(const struct phases_config *config,
                        const struct fault *fault, enum load_end end,
                        const char *format)
{
    check_thread(config, fault, 0, end, format);
}

static void lies_are_noticed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(lies); i++)
        check_fault(&usual, &lies[i].fault, LOAD_WRONG, lies[i].message);
}

/* Beyond what is read back, the delete with the new expire finds it. */
static void an_update_that_does_nothing_is_noticed(void **state)
{
    const struct fault fault = { CALL_UPDATE, TRICK_PRETEND, 2, 0 };
    struct phases_config config = usual;

    (void)state;
    config.load.count = 1000;
    check_fault(&config, &fault, LOAD_WRONG,
                "fake: wrong answer: deleting %s gave MISS where a correct "
                "store gives HIT");
}

static void each_wrong_field_is_noticed(void **state)
{
    static const struct {
        enum primitive primitive;
        const char *verb;
    } cases[] = { { CALL_FIND, "searching" }, { CALL_UPDATE, "reading back" } };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (int change = 0; change < LEASE_CHANGES; change++) {
            const struct fault fault = { cases[i].primitive, TRICK_ALTER, 11,
                                         change };
            struct trial *const trial = run(&usual, &fake, &fault);
            char address[LEASE_ADDRESS_TEXT_SIZE];
            char wanted[256];

            (void)lease_address_text(address, trial->sessions[0].address,
                                     LEASE_TYPE_V4);
            (void)snprintf(wanted, sizeof wanted,
                           "fake: wrong answer: %s %s gave a lease with "
                           "another %s than was stored",
                           cases[i].verb, address, trial->sessions[0].field);
            check_text(wanted, trial->err.text, wanted);
            check_number(wanted, trial->end, LOAD_WRONG);
            free_trial(trial);
        }
    }
}

static const struct {
    struct fault fault;
    uint64_t preload;
    const char *message;
} failures[] = {
    { { CALL_CREATE, TRICK_FAIL, 20, 0 },
      0,
      "fake: table lease4: locked (5) (while creating %s)" },
    { { CALL_FIND, TRICK_FAIL, 20, 0 },
      0,
      "fake: table lease4: locked (5) (while searching %s)" },
    { { CALL_UPDATE, TRICK_FAIL, 20, 0 },
      0,
      "fake: table lease4: locked (5) (while updating %s)" },
    { { CALL_REMOVE, TRICK_FAIL, LEASES, 0 },
      0,
      "fake: table lease4: locked (5) (while deleting %s)" },
    { { CALL_CREATE, TRICK_FAIL, 20, 0 },
      100,
      "fake: table lease4: locked (5) (while preloading %s)" },
    { { CALL_RESET, TRICK_FAIL, 1, 0 }, 0, "fake: table lease4: locked (5)" },
    { { CALL_COUNT, TRICK_FAIL, 1, 0 }, 0, "fake: table lease4: locked (5)" },
    { { CALL_COUNT, TRICK_FAIL, 2, 0 }, 0, "fake: table lease4: locked (5)" },
    { { CALL_BEGIN, TRICK_FAIL, 1, 0 }, 1, "fake: table lease4: locked (5)" },
    { { CALL_COMMIT, TRICK_FAIL, 1, 0 }, 1, "fake: table lease4: locked (5)" },
};

static struct phases_config counted(void)
{
    struct phases_config config = usual;

    config.load.counted = true;
    config.load.subnets = 4;
    config.load.preload = 20;
    return config;
}

static void counters_are_compared(void **state)
{
    /* After create and after delete, by subnet and by pool each time. */
    static const char *const says[] = {
        "after create the counter of subnet 3 ",
        "after create the counter of the pools of subnet 3 ",
        "after delete the counter of subnet 3 ",
        "after delete the counter of the pools of subnet 3 ",
    };
    const struct phases_config config = counted();
    struct trial *trial = run(&config, &fake, NULL);

    (void)state;
    assert_string_equal(trial->err.text, "");
    assert_int_equal(trial->end, LOAD_DONE);
    assert_int_equal(calls(trial, CALL_READ_COUNTERS), COUNT_OF(says));
    free_trial(trial);
    for (size_t i = 0; i < 2 * COUNT_OF(says); i++) {
        const struct fault fault = {
            .primitive = CALL_READ_COUNTERS,
            .trick = i % 2 == 0 ? TRICK_MORE : TRICK_FEWER,
            .at = i / 2 + 1,
        };

        trial = run(&config, &fake, &fault);
        check_number(says[i / 2], trial->end, LOAD_WRONG);
        check(says[i / 2], strstr(trial->err.text, says[i / 2]) != NULL,
              trial->err.text);
        free_trial(trial);
    }
}

static void counters_of_churn_are_compared(void **state)
{
    struct phases_config config = counted();

    (void)state;
    config.churn = true;
    for (uint64_t threads = 1; threads <= SESSIONS; threads++) {
        for (uint64_t count = 1; count <= 3 * threads + 2; count++) {
            config.load.threads = threads;
            config.load.preload = 4 * threads;
            config.load.count = count;
            struct trial *const trial = run(&config, &fake, NULL);

            assert_string_equal(trial->err.text, "");
            assert_int_equal(trial->end, LOAD_DONE);
            assert_int_equal(calls(trial, CALL_READ_COUNTERS), 2);
            free_trial(trial);
        }
    }
}

static void who_keeps_no_counters_is_not_asked(void **state)
{
    struct phases_config config = counted();

    (void)state;
    config.load.counted = false;
    struct trial *const trial = run(&config, &fake, NULL);
    assert_int_equal(trial->end, LOAD_DONE);
    assert_int_equal(calls(trial, CALL_READ_COUNTERS), 0);
    free_trial(trial);
}

static void failures_are_passed_on(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(failures); i++) {
        struct phases_config config = usual;

        config.load.preload = failures[i].preload;
        check_fault(&config, &failures[i].fault, LOAD_FAILED,
                    failures[i].message);
    }
}

static void a_failure_keeps_its_class_and_what_was_done(void **state)
{
    const struct fault fault = { CALL_UPDATE, TRICK_FAIL, 20, 0 };
    struct trial *const trial = run(&usual, &fake, &fault);

    (void)state;
    assert_int_equal(trial->end, LOAD_FAILED);
    assert_int_equal(trial->err.class, ERR_BUSY);
    assert_int_equal(trial->result.phases[PHASE_SEARCH].done, LEASES);
    assert_int_equal(trial->result.phases[PHASE_UPDATE].done, 19);
    assert_int_equal(trial->result.phases[PHASE_UPDATE].hits, 19);
    assert_int_equal(trial->result.phases[PHASE_DELETE].done, 0);
    free_trial(trial);
}

static void a_bad_preload_is_noticed(void **state)
{
    const struct fault fault = { CALL_CREATE, TRICK_MISS, 20, 0 };
    struct phases_config config = usual;

    (void)state;
    config.load.preload = 100;
    check_fault(&config, &fault, LOAD_WRONG,
                "fake: wrong answer: preloading %s gave MISS where a correct "
                "store gives HIT");
}

static void a_stall_shows_in_the_time(void **state)
{
    static const struct {
        enum primitive primitive;
        enum phase_name phase;
    } cases[] = {
        { CALL_CREATE, PHASE_CREATE },
        { CALL_FIND, PHASE_SEARCH },
        { CALL_UPDATE, PHASE_UPDATE },
        { CALL_REMOVE, PHASE_DELETE },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct fault fault = { cases[i].primitive, TRICK_STALL, 5, 0 };
        struct trial *const trial = run(&usual, &fake, &fault);

        assert_int_equal(trial->end, LOAD_DONE);
        assert_true(phase_elapsed_ns(&trial->result.phases[cases[i].phase]) >=
                    STALL_MS * UINT64_C(1000000));
        free_trial(trial);
    }
}

/* Rows are counted between the phases, and this takes nobody's time. */
static void a_slow_count_is_not_timed(void **state)
{
    const struct fault fault = { CALL_COUNT, TRICK_STALL, 1, 0 };
    struct trial *const trial = run(&usual, &fake, &fault);
    const struct phase_result *const phases = trial->result.phases;

    (void)state;
    assert_int_equal(trial->end, LOAD_DONE);
    assert_true(phases[PHASE_SEARCH].begun_ns - phases[PHASE_CREATE].ended_ns >=
                STALL_MS * UINT64_C(1000000));
    free_trial(trial);
}

static void a_stop_is_obeyed_at_once(void **state)
{
    static const struct {
        struct fault fault;
        uint64_t preload;
        uint64_t done[PHASE_COUNT];
    } cases[] = {
        { { CALL_CREATE, TRICK_STOP, 20, 0 }, 0, { 20, 0, 0, 0 } },
        { { CALL_FIND, TRICK_STOP, 1, 0 }, 0, { LEASES, 1, 0, 0 } },
        { { CALL_UPDATE, TRICK_STOP, 20, 0 }, 0, { LEASES, LEASES, 20, 0 } },
        { { CALL_REMOVE, TRICK_STOP, 20, 0 },
          0,
          { LEASES, LEASES, LEASES, 20 } },
        { { CALL_COUNT, TRICK_STOP, 1, 0 }, 0, { LEASES, 0, 0, 0 } },
        { { CALL_CREATE, TRICK_STOP, 20, 0 }, 100, { 0, 0, 0, 0 } },
        { { CALL_RESET, TRICK_STOP, 1, 0 }, 0, { 0, 0, 0, 0 } },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct phases_config config = usual;

        config.load.preload = cases[i].preload;
        struct trial *const trial = run(&config, &fake, &cases[i].fault);
        assert_int_equal(trial->end, LOAD_INTERRUPTED);
        assert_string_equal(trial->err.text, "");
        for (int p = 0; p < PHASE_COUNT; p++)
            assert_int_equal(trial->result.phases[p].done, cases[i].done[p]);
        free_trial(trial);
    }
}

/* The last operation was done: nothing is missing. */
static void a_stop_at_the_very_end_comes_too_late(void **state)
{
    const struct fault fault = { CALL_REMOVE, TRICK_STOP, LEASES, 0 };
    struct trial *const trial = run(&usual, &fake, &fault);

    (void)state;
    assert_int_equal(trial->end, LOAD_DONE);
    free_trial(trial);
}

static void progress_is_told(void **state)
{
    const struct fault fault = { CALL_UPDATE, TRICK_STOP, 20, 0 };
    struct trial *const trial = run(&usual, &fake, &fault);
    struct progress *const progress = &trial->progress;

    (void)state;
    assert_null(atomic_load(&progress->phase));
    assert_int_equal(atomic_load(&progress->planned), LEASES);
    assert_int_equal(progress_done(progress), 20);
    assert_true(atomic_load(&progress->started_ns) <= clock_now_ns());
    free_trial(trial);
}

/* Threads and groups */

static void threads_share_the_work(void **state)
{
    static const uint64_t counts[] = { 1, 3, 4, 5, 50, 1000 };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        struct phases_config config = usual;

        config.load.count = counts[i];
        const uint64_t expected = digest(&config, &fake);
        for (config.load.threads = 1; config.load.threads <= SESSIONS;
             config.load.threads++) {
            struct trial *const trial = run(&config, &fake, NULL);

            assert_string_equal(trial->err.text, "");
            assert_int_equal(trial->end, LOAD_DONE);
            assert_true(trial->result.digest == expected);
            assert_int_equal(trial->result.left, 0);
            for (int p = 0; p < PHASE_COUNT; p++) {
                const struct phase_result *const phase =
                    &trial->result.phases[p];

                assert_int_equal(phase->done, counts[i]);
                assert_int_equal(phase->hits + phase->misses, counts[i]);
                assert_int_equal(phase->operations.count, counts[i]);
            }
            /* One each more or less. */
            for (size_t k = 0; k < config.load.threads; k++)
                assert_in_range(trial->sessions[k].calls[CALL_CREATE],
                                counts[i] / config.load.threads,
                                (counts[i] - 1) / config.load.threads + 1);
            free_trial(trial);
        }
    }
}

static void groups_are_committed(void **state)
{
    static const struct {
        uint64_t threads;
        uint64_t batch;
        uint64_t groups; /* of a phase */
    } cases[] = {
        { 1, 1, 0 },  { 1, 2, 25 }, { 1, 20, 3 },   { 1, 50, 1 },
        { 1, 51, 1 }, { 2, 10, 6 }, { 4, 1000, 4 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct phases_config config = usual;

        config.load.threads = cases[i].threads;
        config.load.batch = cases[i].batch;
        struct trial *const trial = run(&config, &fake, NULL);
        const struct phase_result *const phases = trial->result.phases;
        assert_int_equal(trial->end, LOAD_DONE);
        assert_true(trial->result.digest == digest(&usual, &fake));
        /* Searches change nothing. */
        assert_int_equal(calls(trial, CALL_BEGIN), 3 * cases[i].groups);
        assert_int_equal(calls(trial, CALL_COMMIT), 3 * cases[i].groups);
        assert_int_equal(phases[PHASE_CREATE].commits.count, cases[i].groups);
        assert_int_equal(phases[PHASE_SEARCH].commits.count, 0);
        assert_int_equal(phases[PHASE_UPDATE].operations.count, LEASES);
        free_trial(trial);
    }
}

/* What was not committed was not done. */
static void a_failed_group_does_not_count(void **state)
{
    static const struct {
        struct fault fault;
        uint64_t done;
        const char *message;
    } cases[] = {
        { { CALL_CREATE, TRICK_FAIL, 27, 0 },
          20,
          "fake: table lease4: locked (5) (while creating %s)" },
        { { CALL_BEGIN, TRICK_FAIL, 3, 0 },
          20,
          "fake: table lease4: locked (5)" },
        { { CALL_COMMIT, TRICK_FAIL, 3, 0 },
          20,
          "fake: table lease4: locked (5)" },
        { { CALL_COMMIT, TRICK_FAIL, 1, 0 },
          0,
          "fake: table lease4: locked (5)" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct phases_config config = usual;

        config.load.batch = 10;
        check_fault(&config, &cases[i].fault, LOAD_FAILED, cases[i].message);
        struct trial *const trial = run(&config, &fake, &cases[i].fault);
        const struct phase_result *const create =
            &trial->result.phases[PHASE_CREATE];
        check_number(cases[i].message, create->done, cases[i].done);
        check_number(cases[i].message, create->hits, cases[i].done);
        free_trial(trial);
    }
}

static void a_stop_commits_what_was_begun(void **state)
{
    const struct fault fault = { CALL_UPDATE, TRICK_STOP, 13, 0 };
    struct phases_config config = usual;

    (void)state;
    config.load.batch = 10;
    struct trial *const trial = run(&config, &fake, &fault);
    assert_int_equal(trial->end, LOAD_INTERRUPTED);
    assert_int_equal(trial->result.phases[PHASE_UPDATE].done, 13);
    assert_int_equal(trial->result.phases[PHASE_UPDATE].commits.count, 2);
    free_trial(trial);
}

/* What was done is what was committed, neither more nor less. */
static void threads_count_what_they_committed(void **state)
{
    static const struct {
        struct fault fault;
        enum load_end end;
        enum err_class class;
    } cases[] = {
        { { CALL_CREATE, TRICK_STOP, 13, 0 }, LOAD_INTERRUPTED, ERR_OTHER },
        { { CALL_CREATE, TRICK_FAIL, 13, 0 }, LOAD_FAILED, ERR_BUSY },
        { { CALL_BEGIN, TRICK_FAIL, 3, 0 }, LOAD_FAILED, ERR_BUSY },
        { { CALL_COMMIT, TRICK_FAIL, 3, 0 }, LOAD_FAILED, ERR_BUSY },
        { { CALL_CREATE, TRICK_MISS, 13, 0 }, LOAD_WRONG, ERR_OTHER },
    };
    struct phases_config config = usual;

    (void)state;
    config.load.count = 1000;
    config.load.threads = SESSIONS;
    config.load.batch = 5;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct trial *const trial =
            run_faulty(&config, &fake, &cases[i].fault, SESSIONS / 2);
        const struct phase_result *const create =
            &trial->result.phases[PHASE_CREATE];
        uint64_t committed = 0;

        for (size_t k = 0; k < SESSIONS; k++)
            committed += trial->sessions[k].committed;
        assert_int_equal(trial->end, cases[i].end);
        assert_int_equal(trial->err.class, cases[i].class);
        assert_int_equal(create->done, committed);
        assert_int_equal(create->hits, committed);
        assert_true(committed < config.load.count);
        assert_int_equal(trial->result.phases[PHASE_SEARCH].done, 0);
        free_trial(trial);
    }
}

/* Among several threads one is enough, and its message is what counts. */
static void one_bad_thread_ends_the_run(void **state)
{
    struct phases_config config = usual;

    (void)state;
    config.load.count = 1000;
    config.load.threads = SESSIONS;
    for (size_t i = 0; i < COUNT_OF(lies); i++) {
        /* Totals are those of 50 leases. */
        if (strstr(lies[i].message, "%s") == NULL)
            continue;
        /* Beyond the sample that is read back, delete finds it. */
        if (lies[i].fault.primitive == CALL_UPDATE &&
            lies[i].fault.trick != TRICK_MISS)
            continue;
        for (size_t thread = 0; thread < SESSIONS; thread += 3)
            check_thread(&config, &lies[i].fault, thread, LOAD_WRONG,
                         lies[i].message);
    }
    const struct fault fault = { CALL_UPDATE, TRICK_FAIL, 20, 0 };
    check_thread(&config, &fault, SESSIONS - 1, LOAD_FAILED,
                 "fake: table lease4: locked (5) (while updating %s)");
}

/* Latency */

static void a_stall_shows_in_the_latency(void **state)
{
    const struct fault fault = { CALL_UPDATE, TRICK_STALL, 5, 0 };
    struct trial *const trial = run(&usual, &fake, &fault);
    const struct histogram *const update =
        &trial->result.phases[PHASE_UPDATE].operations;

    (void)state;
    assert_int_equal(update->count, LEASES);
    assert_true(update->max_ns >= STALL_MS * UINT64_C(1000000));
    assert_true(update->sum_ns >= update->max_ns);
    assert_true(update->sum_ns <=
                phase_elapsed_ns(&trial->result.phases[PHASE_UPDATE]));
    free_trial(trial);
}

/* In the commit's own histogram, and in no operation's. */
static void a_slow_transaction_is_told_apart(void **state)
{
    static const enum primitive primitives[] = { CALL_BEGIN, CALL_COMMIT };
    struct phases_config config = usual;

    (void)state;
    config.load.batch = 10;
    for (size_t i = 0; i < COUNT_OF(primitives); i++) {
        const struct fault fault = { primitives[i], TRICK_STALL, 3, 0 };
        struct trial *const trial = run(&config, &fake, &fault);
        const struct phase_result *const create =
            &trial->result.phases[PHASE_CREATE];

        assert_int_equal(trial->end, LOAD_DONE);
        assert_int_equal(create->commits.count, LEASES / 10);
        assert_true(create->commits.max_ns >= STALL_MS * UINT64_C(1000000));
        assert_true(create->commits.sum_ns + create->operations.sum_ns <=
                    phase_elapsed_ns(create));
        assert_true(create->operations.sum_ns <=
                    phase_elapsed_ns(create) - STALL_MS * UINT64_C(1000000));
        free_trial(trial);
    }
}

static void latency_can_be_left_out(void **state)
{
    struct phases_config config = usual;

    (void)state;
    config.load.latency = false;
    config.load.batch = 10;
    struct trial *const trial = run(&config, &fake, NULL);
    assert_int_equal(trial->end, LOAD_DONE);
    for (int p = 0; p < PHASE_COUNT; p++) {
        assert_int_equal(trial->result.phases[p].operations.count, 0);
        assert_int_equal(trial->result.phases[p].commits.count, 0);
        assert_int_equal(trial->result.phases[p].series.count, 0);
        assert_int_equal(trial->result.phases[p].done, LEASES);
    }
    free_trial(trial);
}

static void the_series_adds_up(void **state)
{
    const struct fault fault = { CALL_CREATE, TRICK_STALL, 5, 0 };
    struct trial *const trial = run(&usual, &fake, &fault);
    const struct series *const series =
        &trial->result.phases[PHASE_CREATE].series;
    uint64_t operations = 0;

    (void)state;
    for (size_t i = 0; i < series->count; i++)
        operations += series_operations(series, i);
    assert_int_equal(operations, LEASES);
    free_trial(trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_correct_store_passes),
        cmocka_unit_test(a_preload_stays),
        cmocka_unit_test(searches_hit_as_often_as_asked),
        cmocka_unit_test(the_digest_names_the_operations),
        cmocka_unit_test(a_forgetful_store_is_not_verified),
        cmocka_unit_test(lies_are_noticed),
        cmocka_unit_test(an_update_that_does_nothing_is_noticed),
        cmocka_unit_test(each_wrong_field_is_noticed),
        cmocka_unit_test(counters_are_compared),
        cmocka_unit_test(counters_of_churn_are_compared),
        cmocka_unit_test(who_keeps_no_counters_is_not_asked),
        cmocka_unit_test(failures_are_passed_on),
        cmocka_unit_test(a_failure_keeps_its_class_and_what_was_done),
        cmocka_unit_test(a_bad_preload_is_noticed),
        cmocka_unit_test(a_stall_shows_in_the_time),
        cmocka_unit_test(a_slow_count_is_not_timed),
        cmocka_unit_test(a_stop_is_obeyed_at_once),
        cmocka_unit_test(a_stop_at_the_very_end_comes_too_late),
        cmocka_unit_test(progress_is_told),
        cmocka_unit_test(threads_share_the_work),
        cmocka_unit_test(groups_are_committed),
        cmocka_unit_test(a_failed_group_does_not_count),
        cmocka_unit_test(a_stop_commits_what_was_begun),
        cmocka_unit_test(threads_count_what_they_committed),
        cmocka_unit_test(one_bad_thread_ends_the_run),
        cmocka_unit_test(a_stall_shows_in_the_latency),
        cmocka_unit_test(a_slow_transaction_is_told_apart),
        cmocka_unit_test(latency_can_be_left_out),
        cmocka_unit_test(the_series_adds_up),
    };

    return cmocka_run_group_tests_name("phases", tests, NULL, NULL);
}
