/* SPDX-License-Identifier: ISC */
/*
 * The operations of the guide's load, each on one lease, and the checks of
 * their answers.  For load/ alone.
 */
#ifndef UBENCH_LOAD_OPERATIONS_H
#define UBENCH_LOAD_OPERATIONS_H

#include <stdint.h>

#include "load/engine.h"

/* One run of phases. */
struct phases {
    struct engine engine;
    struct permutation updates; /* which lease the i-th update renews */
    uint64_t existing;          /* leases after create: preload and new ones */
    uint64_t there;             /* leases by now, from number 0 on */
    uint64_t updated;           /* how many updates were done, by all */
    uint64_t hit_threshold;     /* of 2^32 */
    uint64_t search_key;
};

/* One thread's share of a phase: every threads-th operation, as clients that
   come at the same time get neighbouring addresses. */
struct phase_worker {
    struct worker base;
    struct ledger_client ledger; /* zeroed: there is none */
    uint64_t hits;
    uint64_t misses;
    struct lease lease; /* as it should be */
    struct lease found; /* as the store has it */
    /* Of the loop, at hand: */
    struct progress *progress;
    const struct phase *phase;
    uint64_t stride;   /* from one operation to the next: the workers of all */
    uint64_t batch;    /* operations per transaction; 1: no transactions */
    bool latency;      /* record it */
    uint64_t share;    /* operations of this worker */
    uint64_t done;     /* and committed */
    uint64_t grouped;  /* done, and not yet committed */
    uint64_t last_ns;  /* where the operation before ended */
    uint64_t begin_ns; /* what beginning this transaction took */
    double gap_ns;     /* between the operations of all workers; 0: none */
    struct histogram latencies;
    struct histogram commits;
    struct histogram seen; /* the series' */
    struct series series;
};

static inline const struct phases *phases_of(const struct phase_worker *worker)
{
    return (const struct phases *)worker->base.engine;
}

/* Notes that all that was submitted is acknowledged.  For the timed path. */
static inline void phase_acknowledge(struct phase_worker *worker)
{
    if (worker->ledger.ledger != NULL)
        ledger_acknowledge(&worker->ledger);
    worker->base.handle.caught_up = false;
    handle_acknowledge(&worker->base.handle);
}

/* Sets what the operations need to know; the engine was made. */
void phases_init(struct phases *phases);

/* What a run's digest begins with; the operations of all threads add to it. */
uint64_t phases_digest_base(const struct load_config *config);

/* True if lease number was updated by now. */
bool phases_is_updated(const struct phases *phases, uint64_t number);

/* The i-th operation of a phase.  Unless the end is LOAD_DONE, the handle's
   err says why; it is empty if the end is LOAD_INTERRUPTED: the run was asked
   to stop while it waited for the store to come back. */
enum load_end phase_create(struct phase_worker *worker, uint64_t i);
enum load_end phase_search(struct phase_worker *worker, uint64_t i);
enum load_end phase_update(struct phase_worker *worker, uint64_t i);
enum load_end phase_delete(struct phase_worker *worker, uint64_t i);

/* Of three operations one creates a lease, the next updates the one that was
   created half a preload ago and the third deletes the oldest.  The leases of
   this thread are number, number + threads, number + 2 * threads and so on. */
enum load_end phase_churn(struct phase_worker *worker, uint64_t i);

/* Of churn: the first of a thread's own leases that is updated, counted from
   0. */
static inline uint64_t churn_first_updated(const struct load_config *config)
{
    return config->preload / config->threads / 2;
}

/* Untimed: creates lease i of the preload. */
enum load_end phase_preload(struct phase_worker *worker, uint64_t i);

#endif
