/* SPDX-License-Identifier: ISC */
/*
 * The four operations of the guide's load, each on one lease, and the checks
 * of their answers.  For load/ alone.
 */
#ifndef UBENCH_LOAD_OPERATIONS_H
#define UBENCH_LOAD_OPERATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/random.h"
#include "lease/generator.h"
#include "load/crash/ledger.h"
#include "load/crash/reconnect.h"
#include "load/phases.h"

/* All that the operations of one thread need. */
struct worker {
    const struct backend *backend;
    struct session *session;
    struct generator generator;
    struct permutation updates; /* which lease the i-th update renews */
    uint64_t preload;
    uint64_t existing;      /* leases after create: preload and new ones */
    uint64_t hit_threshold; /* of 2^32 */
    uint64_t search_key;
    enum lookup search_by;
    uint64_t step; /* the number of workers: this one's leases are ... */
    uint64_t lane; /* ... lane, lane + step, lane + 2 * step and so on */
    struct ledger_client ledger; /* zeroed: there is none */
    struct reconnect *reconnect; /* NULL: what is lost is lost */
    uint64_t updated; /* how many updates were done, by all workers */
    uint64_t digest;
    uint64_t hits;
    uint64_t misses;
    struct lease lease; /* as it should be */
    struct lease found; /* as the store has it */
    enum load_end end;  /* LOAD_DONE until something is wrong */
    struct err err;     /* what was wrong */
};

void worker_init(struct worker *worker, const struct phases_config *config,
                 const struct backend *backend, struct session *session);

/* The worker remembers in the ledger what it submits.  For transactions of at
   most room operations.  Returns 0, or -1 with err. */
int worker_use_ledger(struct worker *worker, struct ledger *ledger, size_t room,
                      struct err *err);
void worker_release(struct worker *worker);

/* Says that all that was submitted is acknowledged.  For the timed path. */
static inline void worker_acknowledge(struct worker *worker)
{
    if (worker->ledger.ledger != NULL)
        ledger_acknowledge(&worker->ledger);
    if (worker->reconnect != NULL)
        reconnect_acknowledge(worker->reconnect, worker->lane);
}

/* What a run's digest begins with; workers add to it. */
uint64_t worker_digest_base(const struct phases_config *config);

/* The i-th operation of a phase.  Each returns false, with end and err set, if
   the answer was not the right one; or with end LOAD_INTERRUPTED and no err if
   it waited for the store to come back and was told to end. */
bool worker_create(struct worker *worker, uint64_t i);
bool worker_search(struct worker *worker, uint64_t i);
bool worker_update(struct worker *worker, uint64_t i);
bool worker_delete(struct worker *worker, uint64_t i);

/* Of three operations one creates a lease, the next updates the one that was
   created half a preload ago and the third deletes the oldest. */
bool worker_churn(struct worker *worker, uint64_t i);

/* The checks between phases, which are not timed.  All set end and err if
   something is wrong. */

/* Does it once more over a new connection if it failed for want of one: then
   true.  Else end and err are set. */
bool worker_reconnect(struct worker *worker);

/* Counts the leases in the store and compares. */
void worker_check_count(struct worker *worker, uint64_t expected,
                        const char *when, uint64_t *counted);

/* Counts leases that there ought to be: number first, first + step and so on.
   Returns 0, or -1 if there is no memory. */
int worker_add_due(const struct worker *worker, struct lease_counts *due,
                   uint64_t first, uint64_t step, uint64_t count);

/* Reads some of the updated leases back: an update that forgot a field answers
   HIT like any other. */
void worker_check_updates(struct worker *worker);

/* Creates lease i of the preload. */
bool worker_preload(struct worker *worker, uint64_t i);

#endif
