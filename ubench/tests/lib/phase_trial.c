/* SPDX-License-Identifier: ISC */
#include "tests/lib/phase_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/lib/check.h"
#include "tests/lib/lease_fields.h"

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
        (session->calls[primitive] != fault->at &&
         (fault->trick != TRICK_MISSES ||
          session->calls[primitive] < fault->at)))
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

static bool is_refusal(enum trick trick)
{
    return trick == TRICK_FAIL || trick == TRICK_CONFLICT;
}

static bool is_miss(enum trick trick)
{
    return trick == TRICK_MISS || trick == TRICK_MISSES;
}

static void end_transaction(struct session *session)
{
    free(session->before);
    session->before = NULL;
}

static void undo(struct session *session)
{
    if (session->before != NULL)
        *session->table = *session->before;
    session->changed = 0;
    end_transaction(session);
}

static int refuse(struct session *session, struct err *err)
{
    if (session->fault.trick == TRICK_CONFLICT) {
        undo(session);
        return err_set_class(err, ERR_CONFLICT, "fake: conflict");
    }
    return err_set_class(err, ERR_BUSY, "fake: table lease4: locked (5)");
}

static int plain_call(struct session *session, enum primitive primitive,
                      struct err *err)
{
    if (is_due(session, primitive, lease_address_v4(0)) &&
        is_refusal(session->fault.trick))
        return refuse(session, err);
    return 0;
}

static int fake_begin(struct session *session, struct err *err)
{
    session->changed = 0;
    return plain_call(session, CALL_BEGIN, err);
}

/* Of one session at a time: the table is copied, to undo what follows. */
static int cluster_begin(struct session *session, struct err *err)
{
    if (session->before == NULL)
        session->before = malloc(sizeof *session->before);
    assert_non_null(session->before);
    *session->before = *session->table;
    return fake_begin(session, err);
}

static int fake_commit(struct session *session, struct err *err)
{
    const int status = plain_call(session, CALL_COMMIT, err);

    if (status == 0)
        session->committed += session->changed;
    end_transaction(session);
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
        return refuse(session, err);
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

    if (is_refusal(trick))
        return refuse(session, err);
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

static enum outcome fake_find(struct session *session,
                              struct lease_address address,
                              enum lease_type type, struct lease *found,
                              struct err *err)
{
    const size_t i = slot(address);
    const struct fault *const fault = &session->fault;
    const bool wants_hit = fault->trick != TRICK_HIT;

    /* Calls are counted that could be answered wrongly in this way. */
    const bool due = session->table->there[i] == wants_hit
                         ? is_due(session, CALL_FIND, address)
                         : false;
    if (due && is_refusal(fault->trick))
        return (enum outcome)refuse(session, err);
    if (due && is_miss(fault->trick))
        return OUTCOME_MISS;
    if (!session->table->there[i] && !(due && fault->trick == TRICK_HIT))
        return OUTCOME_MISS;
    *found = session->table->leases[i];
    if (due && fault->trick == TRICK_ALTER)
        session->field = lease_change(found, fault->change);
    return OUTCOME_HIT;
}

/* Creates a lease, rewrites it, if it expires when it should (expire_s), or
   removes it (after is NULL). */
static enum outcome change(struct session *session, enum primitive primitive,
                           struct lease_address address,
                           const struct lease *after, const int64_t *expire_s,
                           struct err *err)
{
    const size_t i = slot(address);
    struct table *const table = session->table;
    const bool due = is_due(session, primitive, address);
    const enum trick trick = due ? session->fault.trick : TRICK_NONE;
    const bool is_right =
        expire_s == NULL
            ? !table->there[i]
            : table->there[i] && lease_expire_s(&table->leases[i]) == *expire_s;

    if (is_refusal(trick))
        return (enum outcome)refuse(session, err);
    if (trick == TRICK_PRETEND)
        return OUTCOME_HIT;
    if (is_miss(trick) || !is_right)
        return OUTCOME_MISS;
    if (after != NULL)
        table->leases[i] = *after;
    table->there[i] = after != NULL && trick != TRICK_LOSE;
    if (trick == TRICK_ALTER)
        session->field = lease_change(&table->leases[i], session->fault.change);
    session->extra += trick == TRICK_TWICE;
    session->changed++;
    return OUTCOME_HIT;
}

static enum outcome fake_create(struct session *session,
                                const struct lease *lease, struct err *err)
{
    return change(session, CALL_CREATE, lease->address, lease, NULL, err);
}

static enum outcome fake_update(struct session *session,
                                const struct lease *lease, int64_t expire_s,
                                struct err *err)
{
    return change(session, CALL_UPDATE, lease->address, lease, &expire_s, err);
}

static enum outcome fake_remove(struct session *session,
                                struct lease_address address, int64_t expire_s,
                                struct err *err)
{
    return change(session, CALL_REMOVE, address, NULL, &expire_s, err);
}

static enum outcome cluster_catch_up(struct session *session, struct err *err)
{
    undo(session);
    return OUTCOME_HIT;
}

const struct backend fake_store = {
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

const struct backend cluster_store = {
    .name = "fake",
    .keeps_leases = true,
    .reset = fake_reset,
    .count = fake_count,
    .read_counters = fake_read_counters,
    .create = fake_create,
    .find_by_address = fake_find,
    .update = fake_update,
    .remove = fake_remove,
    .begin = cluster_begin,
    .commit = fake_commit,
    .catch_up = cluster_catch_up,
};

const struct load_config usual_phases = {
    .count = LEASES,
    .seed = 1,
    .threads = 1,
    .batch = 1,
    .latency = true,
    .profile = LEASE_PROFILE_TYPICAL,
    .hit_ratio = 0.9,
};

struct trial *trial_run_load(const struct workload *workload,
                             const struct load_config *config,
                             const struct backend *backend,
                             const struct fault *fault, size_t thread)
{
    struct trial *const trial = calloc(1, sizeof *trial);
    struct session *sessions[SESSIONS];

    assert_non_null(trial);
    assert_in_range(config->threads, 1, SESSIONS);
    for (size_t i = 0; i < SESSIONS; i++) {
        sessions[i] = &trial->sessions[i];
        sessions[i]->table = &trial->table;
        sessions[i]->progress = &trial->progress;
    }
    if (fault != NULL)
        trial->sessions[thread].fault = *fault;
    const struct load_context context = { .backend = backend,
                                          .sessions = sessions,
                                          .progress = &trial->progress };
    trial->end = workload->run(config, &context, &trial->result, &trial->err);
    return trial;
}

struct trial *trial_run_thread(const struct load_config *config,
                               const struct backend *backend,
                               const struct fault *fault, size_t thread)
{
    return trial_run_load(&workload_phases, config, backend, fault, thread);
}

struct trial *trial_run(const struct load_config *config,
                        const struct backend *backend,
                        const struct fault *fault)
{
    return trial_run_thread(config, backend, fault, 0);
}

void trial_free(struct trial *trial)
{
    for (size_t i = 0; i < SESSIONS; i++)
        free(trial->sessions[i].before);
    load_result_release(&trial->result);
    free(trial);
}

uint64_t trial_calls(const struct trial *trial, enum primitive primitive)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < SESSIONS; i++)
        sum += trial->sessions[i].calls[primitive];
    return sum;
}

uint64_t trial_digest(const struct load_config *config,
                      const struct backend *backend)
{
    struct trial *const trial = trial_run(config, backend, NULL);
    const uint64_t sum = trial->result.digest;

    assert_int_equal(trial->end, LOAD_DONE);
    trial_free(trial);
    return sum;
}

void check_thread(const struct load_config *config, const struct fault *fault,
                  size_t thread, enum load_end end, const char *format)
{
    struct trial *const trial =
        trial_run_thread(config, &fake_store, fault, thread);
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
    trial_free(trial);
}

void check_fault(const struct load_config *config, const struct fault *fault,
                 enum load_end end, const char *format)
{
    check_thread(config, fault, 0, end, format);
}
