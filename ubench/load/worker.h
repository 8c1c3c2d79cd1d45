/* SPDX-License-Identifier: ISC */
/*
 * One worker: its session, its counts, and the sentences about wrong answers. A
 * search that was cut off is repeated over a new connection; a change that was
 * is in doubt, and resolved.  Where nothing is reconnected both end the load.
 */
#ifndef UBENCH_LOAD_WORKER_H
#define UBENCH_LOAD_WORKER_H

#include "load/crash/ledger.h"
#include "load/crash/reconnect.h"
#include "load/load.h"

struct engine;

/* The counts of one worker in a phase, or of one kind of exchange. */
struct tally {
    struct phase_result counts; /* without done, times and usage */
    struct histogram seen;      /* the series' */
};

/* One thread of a load. */
struct worker {
    struct engine *engine;
    struct progress *progress;
    const struct backend *backend;
    struct session *session;
    struct reconnect *reconnect; /* NULL: what is lost is lost */
    size_t index;                /* among the workers of this rank */
    enum lease_type type;        /* of all leases */
    /* For messages: "dora" and "discover address", or NULL and "creating". */
    const char *what;
    const char *doing;
    struct err err;              /* why an operation failed, or was wrong */
    bool caught_up;              /* after a stale answer of a cluster's node; false again
                                    when the caller goes on */
    struct ledger_client ledger; /* zeroed: there is none */
    uint64_t number;             /* among the workers of all ranks */
    uint64_t begun_ns;           /* of its stretch, by clock_now_ns */
    uint64_t ended_ns;
    enum load_end end; /* of its stretch; err says why */
    uint64_t digest;
    uint64_t read_back;
    struct tally *tallies;
    struct tally *tally; /* has the latency of the latest operation ... */
    bool given_up;       /* ... unless the store gave that up for another */
    uint64_t done;       /* operations of the phase: answered or given up */
    uint64_t grouped;    /* and those that are not yet committed */
    uint64_t last_ns;    /* when the operation before ended */
    struct lease lease;  /* as a correct store has it */
    struct lease found;  /* as the store has it */
};

/* After an error: opens the session anew if the error says that it was lost.
   True if what failed can be tried again; else see worker_failure. */
bool worker_reopen(struct worker *worker);

/* Notes that the store has answered: once for each question, see reconnect.c.
   For the timed path. */
static inline void worker_answered(struct worker *worker)
{
    if (worker->reconnect != NULL)
        reconnect_acknowledge(worker->reconnect, worker->index);
}

/* The operations of the store, for the timed path.  ERROR: for good. */

/* Looks for the lease that has what this one has: worker->found. */
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

/* After a change that failed and may have been done all the same: looks the
   lease up over a new connection, and submits the change again unless it was
   done, so that it is done once. */
enum outcome worker_resolve(struct worker *worker, enum change change, const struct lease *lease,
                            int64_t expire_s);

/* Creates a lease, makes it what it is to be, or deletes the one that has its
   address.  expire_s is when it expired before; not of a create. */
static inline enum outcome worker_change(struct worker *worker, enum change change,
                                         const struct lease *lease, int64_t expire_s)
{
    const enum outcome outcome = worker_submit(worker, change, lease, expire_s);

    return outcome != OUTCOME_ERROR ? outcome : worker_resolve(worker, change, lease, expire_s);
}

/* Where sessions are on several nodes: true if the answer was wrong since the
   node did not have yet what others had acknowledged.  Then the client asks
   again, as after an ERR_CONFLICT.  The node has it now, so that the same cannot
   happen again.  *end becomes LOAD_FAILED if that cannot be found out. */
bool worker_was_stale(struct worker *worker, enum load_end *end);

/* Untimed: waits until the node has what all others have acknowledged. */
enum load_end worker_catch_up(struct worker *worker);

/* How the load ends after an error: LOAD_INTERRUPTED, and err is empty, if the
   run was asked to stop while it waited for the store; else LOAD_FAILED. */
enum load_end worker_failure(const struct worker *worker);

/* Each sets err and returns LOAD_WRONG. */
enum load_end worker_wrong(struct worker *worker, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
enum load_end worker_wrong_lease(struct worker *worker, const struct lease *expected,
                                 const struct lease *found);

/* An answer that is not the expected one: the same; or, if there was none, as
   worker_failure, with what was asked, and of which lease, in err. */
enum load_end worker_wrong_outcome(struct worker *worker, struct lease_address address,
                                   enum outcome outcome, enum outcome expected);

/* The store has answered: LOAD_DONE if as expected, or if it keeps no leases.
   For the timed path. */
static inline enum load_end worker_expect(struct worker *worker, struct lease_address address,
                                          enum outcome outcome, enum outcome expected)
{
    if (outcome != expected && (outcome == OUTCOME_ERROR || worker->backend->keeps_leases))
        return worker_wrong_outcome(worker, address, outcome, expected);
    worker_answered(worker);
    return LOAD_DONE;
}

/* Changes per transaction where nothing is timed. */
enum { WORKER_GROUP = 1000 };

#endif
