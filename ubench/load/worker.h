/* SPDX-License-Identifier: ISC */
/*
 * One worker: its session, its counts, and the messages about wrong answers.  After a lost
 * connection, a search is repeated over a new one, and a change is in doubt until
 * worker_resolve has settled it.  Without reconnect, a lost connection ends the load.
 */
#ifndef UBENCH_LOAD_WORKER_H
#define UBENCH_LOAD_WORKER_H

#include "load/crash/ledger.h"
#include "load/crash/reconnect.h"
#include "load/load.h"

struct engine;

/* The counts of one worker: for a phase, or for one kind of exchange. */
struct tally {
    struct phase_result counts; /* without done, times and usage */
    struct histogram seen;      /* of the series */
};

/* One thread of a load. */
struct worker {
    struct engine *engine;
    struct progress *progress;
    const struct backend *backend;
    struct session *session;
    struct reconnect *reconnect; /* NULL: a lost connection ends the load */
    size_t index;                /* among the workers of this rank */
    enum lease_type type;        /* of all leases */
    /* For messages: "dora" and "discover address"; or NULL and "creating". */
    const char *what;
    const char *doing;
    struct err err; /* reason why an operation failed or was wrong */
    bool caught_up; /* the cluster's node has caught up after a stale answer; false again when the
                       caller goes on */
    struct ledger_client ledger; /* zeroed: no ledger */
    uint64_t number;             /* among the workers of all ranks */
    uint64_t begun_ns;           /* of its stretch (clock_now_ns) */
    uint64_t ended_ns;
    enum load_end end; /* of its stretch; err has the reason */
    uint64_t digest;
    uint64_t read_back;
    struct tally *tallies;
    struct tally *tally; /* for the latency of the latest operation ... */
    bool given_up;       /* ... unless the store gave that up because of another */
    uint64_t done;       /* operations of the phase, answered or given up */
    uint64_t grouped;    /* operations that are not yet committed */
    uint64_t last_ns;    /* end of the previous operation */
    struct lease lease;  /* as a correct store has it */
    struct lease found;  /* as the store has it */
};

/* After an error: opens the session again if the error says that it was lost.  Returns true if
   the caller can try again; otherwise see worker_failure. */
bool worker_reopen(struct worker *worker);

/* Records that the store has answered; call it once for each question (see reconnect.c).  For
   the timed path. */
static inline void worker_answered(struct worker *worker)
{
    if (worker->reconnect != NULL)
        reconnect_acknowledge(worker->reconnect, worker->index);
}

/* The operations of the store, for the timed path.  They return OUTCOME_ERROR if a new
   connection does not help. */

/* Searches by one key of lease; worker->found becomes the lease found. */
static inline enum outcome worker_find(struct worker *worker, enum lookup by,
                                       const struct lease *lease)
{
    enum outcome outcome;

    do {
        outcome = worker->backend->find(worker->session, by, lease, &worker->found, &worker->err);
    } while (outcome == OUTCOME_ERROR && worker_reopen(worker));
    return outcome;
}

static inline enum outcome worker_submit(struct worker *worker, enum change change,
                                         const struct lease *lease, int64_t expire_s)
{
    const struct backend *const backend = worker->backend;
    struct session *const session = worker->session;

    if (change == CHANGE_CREATE)
        return backend->create(session, lease, &worker->err);
    if (change == CHANGE_UPDATE)
        return backend->update(session, lease, expire_s, &worker->err);
    return backend->remove(session, lease->address, expire_s, &worker->err);
}

/* After a change that failed but may have been done: looks the lease up over a new connection,
   and submits the change again unless it was done.  So it is done once. */
enum outcome worker_resolve(struct worker *worker, enum change change, const struct lease *lease,
                            int64_t expire_s);

/* Creates or updates a lease, or deletes the one with its address. expire_s is its expiry time
   before the change; a create does not use it. */
static inline enum outcome worker_change(struct worker *worker, enum change change,
                                         const struct lease *lease, int64_t expire_s)
{
    const enum outcome outcome = worker_submit(worker, change, lease, expire_s);

    return outcome != OUTCOME_ERROR ? outcome : worker_resolve(worker, change, lease, expire_s);
}

/* The part of worker_was_stale that is not for the timed path: the answer was wrong. */
bool worker_was_behind(struct worker *worker, enum load_end *end);

/* With sessions on several nodes: returns true if the answer was wrong because the node lacked
   what others had acknowledged.  It has caught up now, so this cannot happen again, and the
   client asks again, as after an ERR_CONFLICT.  *end becomes LOAD_FAILED if the node's state
   cannot be found out.  For the timed path. */
static inline bool worker_was_stale(struct worker *worker, enum load_end *end)
{
    return *end == LOAD_WRONG && worker_was_behind(worker, end);
}

/* Waits, untimed, until the node has what all others have acknowledged. */
enum load_end worker_catch_up(struct worker *worker);

/* Returns the end of the load after an error: LOAD_INTERRUPTED, with an empty err, if the run
   was asked to stop while it waited for the store; otherwise LOAD_FAILED. */
enum load_end worker_failure(const struct worker *worker);

/* Set err and return LOAD_WRONG. */
enum load_end worker_wrong(struct worker *worker, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
enum load_end worker_wrong_lease(struct worker *worker, const struct lease *expected,
                                 const struct lease *found);

/* For an unexpected outcome: as worker_wrong; for OUTCOME_ERROR as worker_failure, with the
   question and its lease added to err. */
enum load_end worker_wrong_outcome(struct worker *worker, struct lease_address address,
                                   enum outcome outcome, enum outcome expected);

/* For an answer of the store: returns LOAD_DONE if it is the expected one, or if the store
   keeps no leases.  For the timed path. */
static inline enum load_end worker_expect(struct worker *worker, struct lease_address address,
                                          enum outcome outcome, enum outcome expected)
{
    if (outcome != expected && (outcome == OUTCOME_ERROR || worker->backend->keeps_leases))
        return worker_wrong_outcome(worker, address, outcome, expected);
    worker_answered(worker);
    return LOAD_DONE;
}

/* Changes per transaction in untimed work. */
enum { WORKER_GROUP = 1000 };

#endif
