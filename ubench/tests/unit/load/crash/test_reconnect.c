/* SPDX-License-Identifier: ISC */
/*
 * A store made up for it goes away and comes back.  Whatever it did of what was
 * in flight, the run ends as if nothing had been, and says what became of it.
 */
#include "load/crash/reconnect.h"

#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "load/phases.h"
#include "tests/lib/check.h"

/* Longer than any machine stands still. */
#define PATIENCE_NS (60 * NS_PER_S)

enum { SLOTS = 4096, LEASES = 30, THREADS = 3 };

enum primitive { CREATE, FIND, UPDATE, REMOVE, COUNT, PRIMITIVES };

/* What it has done of the call in which it goes away. */
enum fate {
    FATE_LOST, /* nothing */
    FATE_DONE, /* all of it */
    FATE_LATE, /* it does it after it has been looked at */
    FATE_FAIL, /* nothing; and it is not away, but fails */
};

/* One call of a change, or of a delete without the lease. */
struct call {
    enum primitive primitive;
    struct lease lease;
    int64_t expire_s; /* before it; not of a create */
};

struct store {
    pthread_mutex_t lock; /* for what follows */
    bool there[SLOTS];
    struct lease leases[SLOTS];
    uint64_t calls[PRIMITIVES];
    enum primitive primitive; /* it goes away ... */
    uint64_t at;              /* ... in this call of it, from 1; 0: never */
    enum fate fate;
    unsigned refusals; /* how often it refuses sessions after that */
    enum err_class refusal;
    bool mortal;         /* each session dies of its first question then */
    unsigned generation; /* older sessions are dead */
    bool pending;        /* FATE_LATE */
    struct call late;
    struct progress *stopped; /* by the first refusal, unless NULL */
    unsigned opened;
};

struct session {
    struct store *store;
    unsigned generation;
};

static size_t slot(struct lease_address address)
{
    const uint64_t i = address.low - GENERATOR_BASE_ADDRESS;

    assert_in_range(i, 0, SLOTS - 1);
    return i;
}

static struct session *fake_session_open(struct store *store, struct err *err)
{
    struct session *session = NULL;

    (void)pthread_mutex_lock(&store->lock);
    if (store->refusals > 0) {
        store->refusals--;
        if (store->stopped != NULL)
            atomic_store(&store->stopped->stop, 1);
        (void)err_set_class(err, store->refusal, "fake: connecting: refused");
    } else {
        session = calloc(1, sizeof *session);
        assert_non_null(session);
        session->store = store;
        session->generation = store->generation;
        store->opened++;
    }
    (void)pthread_mutex_unlock(&store->lock);
    return session;
}

static void fake_session_close(struct session *session)
{
    free(session);
}

static enum outcome change(struct store *store, const struct call *call)
{
    const size_t i = slot(call->lease.address);

    if (store->there[i] != (call->primitive != CREATE) ||
        (store->there[i] &&
         lease_expire_s(&store->leases[i]) != call->expire_s))
        return OUTCOME_MISS;
    store->there[i] = call->primitive != REMOVE;
    store->leases[i] = call->lease;
    return OUTCOME_HIT;
}

/* Counts a call.  Returns false, with err, if the session is dead or dies. */
static bool answers(struct session *session, const struct call *call,
                    struct err *err)
{
    struct store *const store = session->store;

    if (session->generation == store->generation &&
        ++store->calls[call->primitive] == store->at &&
        call->primitive == store->primitive) {
        store->at = 0;
        if (store->fate == FATE_FAIL) {
            (void)err_set_class(err, ERR_FULL, "fake: no room");
            return false;
        }
        store->generation++;
        store->late = *call;
        store->pending = store->fate == FATE_LATE;
        if (store->fate == FATE_DONE)
            (void)change(store, call);
    }
    if (store->mortal && store->at == 0)
        store->generation++;
    if (session->generation == store->generation)
        return true;
    (void)err_set_class(err, ERR_LOST, "fake: the connection is gone");
    return false;
}

static enum outcome run_change(struct session *session, enum primitive what,
                               const struct lease *lease, int64_t expire_s,
                               struct err *err)
{
    struct store *const store = session->store;
    const struct call call = { .primitive = what,
                               .lease = *lease,
                               .expire_s = expire_s };
    enum outcome outcome = OUTCOME_ERROR;

    (void)pthread_mutex_lock(&store->lock);
    if (answers(session, &call, err))
        outcome = change(store, &call);
    (void)pthread_mutex_unlock(&store->lock);
    return outcome;
}

static enum outcome fake_create(struct session *session,
                                const struct lease *lease, struct err *err)
{
    return run_change(session, CREATE, lease, 0, err);
}

static enum outcome fake_update(struct session *session,
                                const struct lease *lease, int64_t expire_s,
                                struct err *err)
{
    return run_change(session, UPDATE, lease, expire_s, err);
}

static enum outcome fake_remove(struct session *session,
                                struct lease_address address, int64_t expire_s,
                                struct err *err)
{
    const struct lease lease = { .address = address };

    return run_change(session, REMOVE, &lease, expire_s, err);
}

static enum outcome fake_find(struct session *session,
                              struct lease_address address,
                              enum lease_type type, struct lease *found,
                              struct err *err)
{
    struct store *const store = session->store;
    const struct call call = { .primitive = FIND };
    const size_t i = slot(address);
    enum outcome outcome = OUTCOME_ERROR;

    (void)pthread_mutex_lock(&store->lock);
    if (answers(session, &call, err)) {
        outcome = store->there[i] ? OUTCOME_HIT : OUTCOME_MISS;
        *found = store->leases[i];
        if (store->pending)
            (void)change(store, &store->late);
        store->pending = false;
    }
    (void)pthread_mutex_unlock(&store->lock);
    return outcome;
}

static int fake_count(struct session *session, uint64_t *count, struct err *err)
{
    struct store *const store = session->store;
    const struct call call = { .primitive = COUNT };

    (void)pthread_mutex_lock(&store->lock);
    const bool answered = answers(session, &call, err);
    *count = 0;
    for (size_t i = 0; i < SLOTS; i++)
        *count += store->there[i];
    (void)pthread_mutex_unlock(&store->lock);
    return answered ? 0 : -1;
}

static int fake_reset(struct session *session, struct err *err)
{
    return 0;
}

static const struct backend fake = {
    .name = "fake",
    .keeps_leases = true,
    .session_open = fake_session_open,
    .session_close = fake_session_close,
    .reset = fake_reset,
    .count = fake_count,
    .create = fake_create,
    .find_by_address = fake_find,
    .update = fake_update,
    .remove = fake_remove,
};

/* One run: what went in and what came out. */
struct trial {
    struct store store;
    size_t threads;
    struct session *sessions[THREADS];
    struct progress *progress;
    struct load_result result;
    struct err err;
    enum load_end end;
};

static struct trial *make_trial(size_t threads)
{
    struct trial *const trial = calloc(1, sizeof *trial);

    assert_non_null(trial);
    trial->progress = progress_new();
    assert_non_null(trial->progress);
    trial->store.refusal = ERR_LOST;
    (void)pthread_mutex_init(&trial->store.lock, NULL);
    trial->threads = threads;
    for (size_t i = 0; i < threads; i++)
        trial->sessions[i] = fake_session_open(&trial->store, &trial->err);
    return trial;
}

/* Runs it with a patience, 0 for none. */
static void run(struct trial *trial, uint64_t patience_ns)
{
    const struct load_config config = {
        .count = LEASES,
        .seed = 1,
        .threads = trial->threads,
        .batch = 1,
        .profile = LEASE_PROFILE_TYPICAL,
        .hit_ratio = 0.9,
    };

    struct load_context context = { .backend = &fake,
                                    .sessions = trial->sessions,
                                    .progress = trial->progress };

    if (patience_ns > 0)
        context.reconnect =
            reconnect_new(&fake, &trial->store, trial->sessions,
                          trial->progress, patience_ns, &trial->err);
    trial->end = phases_run(&config, &context, &trial->result, &trial->err);
    reconnect_free(context.reconnect);
}

static void free_trial(struct trial *trial)
{
    for (size_t i = 0; i < THREADS; i++)
        fake_session_close(trial->sessions[i]);
    load_result_release(&trial->result);
    (void)pthread_mutex_destroy(&trial->store.lock);
    progress_free(trial->progress);
    free(trial);
}

static uint64_t undisturbed_digest(void)
{
    struct trial *const trial = make_trial(1);

    run(trial, 0);
    const uint64_t digest = trial->result.digest;
    assert_int_equal(trial->end, LOAD_DONE);
    assert_false(trial->result.reconnects);
    free_trial(trial);
    return digest;
}

TEST(what_was_in_flight_is_settled)
{
    static const struct {
        enum primitive primitive;
        uint64_t at;
        enum fate fate;
        uint64_t unknown, found_done, repeated;
    } cases[] = {
        { CREATE, 5, FATE_LOST, 1, 0, 1 },
        { CREATE, 5, FATE_DONE, 1, 1, 0 },
        { CREATE, 5, FATE_LATE, 1, 1, 0 },
        { UPDATE, 1, FATE_LOST, 1, 0, 1 },
        { UPDATE, LEASES, FATE_DONE, 1, 1, 0 },
        { UPDATE, 7, FATE_LATE, 1, 1, 0 },
        { REMOVE, 5, FATE_LOST, 1, 0, 1 },
        { REMOVE, 5, FATE_DONE, 1, 1, 0 },
        { REMOVE, 5, FATE_LATE, 1, 1, 0 },
        { FIND, 5, FATE_LOST, 0, 0, 0 },
        { FIND, LEASES + 3, FATE_LOST, 0, 0, 0 }, /* reading back */
        { COUNT, 1, FATE_LOST, 0, 0, 0 },
        { COUNT, 2, FATE_LOST, 0, 0, 0 },
    };
    const uint64_t digest = undisturbed_digest();

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trial *const trial = make_trial(1);
        const struct reconnect_tally *const tally = &trial->result.reconnect;

        trial->store.primitive = cases[i].primitive;
        trial->store.at = cases[i].at;
        trial->store.fate = cases[i].fate;
        run(trial, PATIENCE_NS);
        if (trial->end != LOAD_DONE)
            print_error("case %zu: %s\n", i, trial->err.text);
        assert_int_equal(trial->end, LOAD_DONE);
        assert_int_equal(trial->store.at, 0); /* it did go away */
        assert_true(trial->result.digest == digest);
        assert_int_equal(tally->outages, 1);
        assert_int_equal(tally->ended, 1);
        assert_int_equal(tally->connections, 1);
        assert_int_equal(tally->unknown, cases[i].unknown);
        assert_int_equal(tally->found_done, cases[i].found_done);
        assert_int_equal(tally->repeated, cases[i].repeated);
        free_trial(trial);
    }
}

TEST(nothing_lost_is_no_outage)
{
    struct trial *const trial = make_trial(THREADS);

    run(trial, PATIENCE_NS);
    assert_int_equal(trial->end, LOAD_DONE);
    assert_true(trial->result.reconnects);
    assert_int_equal(trial->result.reconnect.outages, 0);
    assert_int_equal(trial->store.opened, THREADS);
    free_trial(trial);
}

TEST(all_threads_have_the_same_outage)
{
    struct trial *const trial = make_trial(THREADS);
    const struct reconnect_tally *const tally = &trial->result.reconnect;

    trial->store.primitive = CREATE;
    trial->store.at = LEASES / 2;
    run(trial, PATIENCE_NS);
    assert_int_equal(trial->end, LOAD_DONE);
    assert_true(trial->result.digest == undisturbed_digest());
    assert_int_equal(tally->outages, 1);
    assert_int_equal(tally->ended, 1);
    assert_int_equal(tally->connections, THREADS);
    free_trial(trial);
}

TEST(an_outage_lasts_as_long_as_it_is_refused)
{
    struct trial *const trial = make_trial(1);
    const struct reconnect_tally *const tally = &trial->result.reconnect;

    trial->store.primitive = CREATE;
    trial->store.at = 5;
    trial->store.refusals = 2;
    run(trial, PATIENCE_NS);
    assert_int_equal(trial->end, LOAD_DONE);
    assert_int_equal(tally->connections, 1);
    /* Two pauses of a tenth of a second. */
    assert_in_range(tally->outage_ns, NS_PER_S / 5, PATIENCE_NS);
    assert_int_equal(tally->longest_ns, tally->outage_ns);
    free_trial(trial);
}

TEST(what_cannot_be_mended_ends_the_run)
{
    static const struct {
        enum fate fate;
        unsigned refusals;
        enum err_class refusal;
        uint64_t patience_ns;
        const char *error;
    } cases[] = {
        { FATE_LOST, 1, ERR_LOST, 0, "fake: the connection is gone (while" },
        { FATE_FAIL, 0, ERR_LOST, PATIENCE_NS,
          "fake: no room (while creating" },
        { FATE_LOST, 1, ERR_OTHER, PATIENCE_NS,
          "fake: connecting: refused (while creating" },
        { FATE_LOST, 1000, ERR_LOST, NS_PER_S / 4,
          "fake: connecting: refused; not back after 250ms (--reconnect) "
          "(while creating" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trial *const trial = make_trial(1);

        trial->store.primitive = CREATE;
        trial->store.at = 5;
        trial->store.fate = cases[i].fate;
        trial->store.refusals = cases[i].refusals;
        trial->store.refusal = cases[i].refusal;
        const uint64_t began_ns = clock_now_ns();
        run(trial, cases[i].patience_ns);
        assert_in_range(clock_now_ns() - began_ns, 0, PATIENCE_NS / 2);
        assert_int_equal(trial->end, LOAD_FAILED);
        assert_int_equal(
            strncmp(trial->err.text, cases[i].error, strlen(cases[i].error)),
            0);
        assert_int_equal(trial->result.phases[PHASE_CREATE].done, 4);
        assert_int_equal(trial->result.reconnect.ended, 0);
        free_trial(trial);
    }
}

/* It accepts connections and closes them again. */
TEST(a_store_that_never_answers_ends_the_run)
{
    struct trial *const trial = make_trial(1);

    trial->store.primitive = CREATE;
    trial->store.at = 5;
    trial->store.mortal = true;
    run(trial, NS_PER_S / 4);
    assert_int_equal(trial->end, LOAD_FAILED);
    assert_non_null(strstr(trial->err.text, "not back after 250ms"));
    assert_int_equal(trial->result.reconnect.outages, 1);
    assert_int_equal(trial->result.reconnect.ended, 0);
    free_trial(trial);
}

TEST(a_stop_ends_the_wait)
{
    struct trial *const trial = make_trial(1);

    trial->store.primitive = CREATE;
    trial->store.at = 5;
    trial->store.refusals = 1000;
    trial->store.stopped = trial->progress;
    run(trial, PATIENCE_NS);
    assert_int_equal(trial->end, LOAD_INTERRUPTED);
    assert_string_equal(trial->err.text, "");
    assert_int_equal(trial->result.reconnect.unknown, 1);
    assert_int_equal(trial->result.reconnect.found_done, 0);
    assert_int_equal(trial->result.reconnect.repeated, 0);
    free_trial(trial);
}
