/* SPDX-License-Identifier: ISC */
/*
 * The four operations of the guide's load, each on one lease, and the checks
 * of their answers.  For load/ alone.
 */
#ifndef UBENCH_LOAD_OPERATIONS_H
#define UBENCH_LOAD_OPERATIONS_H

#include <stdint.h>

#include "core/random.h"
#include "load/handle.h"

/* All that the operations of one thread need. */
struct operations {
    struct handle handle;
    struct generator generator;
    struct permutation updates; /* which lease the i-th update renews */
    uint64_t preload;
    uint64_t existing;      /* leases after create: preload and new ones */
    uint64_t hit_threshold; /* of 2^32 */
    uint64_t search_key;
    enum lookup search_by;
    uint64_t threads; /* of churn: the leases of this thread are worker, worker
                         + threads, worker + 2 * threads and so on */
    struct ledger_client ledger; /* zeroed: there is none */
    uint64_t updated;            /* how many updates were done, by all */
    uint64_t digest;
    uint64_t hits;
    uint64_t misses;
    struct lease lease; /* as it should be */
    struct lease found; /* as the store has it */
};

/* For transactions of at most group operations.  Returns 0, or -1 with err;
   release it either way. */
int operations_init(struct operations *operations,
                    const struct load_config *config,
                    const struct load_context *context, size_t worker,
                    size_t group, struct err *err);
void operations_release(struct operations *operations); /* zeroed is fine */

/* Notes that all that was submitted is acknowledged.  For the timed path. */
static inline void operations_acknowledge(struct operations *operations)
{
    if (operations->ledger.ledger != NULL)
        ledger_acknowledge(&operations->ledger);
    operations->handle.caught_up = false;
    handle_acknowledge(&operations->handle);
}

/* What a run's digest begins with; the operations of all threads add to it. */
uint64_t operations_digest_base(const struct load_config *config);

/* The i-th operation of a phase.  Unless the end is LOAD_DONE, the handle's
   err says why; it is empty if the end is LOAD_INTERRUPTED: the run was asked
   to stop while it waited for the store to come back. */
enum load_end operations_create(struct operations *operations, uint64_t i);
enum load_end operations_search(struct operations *operations, uint64_t i);
enum load_end operations_update(struct operations *operations, uint64_t i);
enum load_end operations_delete(struct operations *operations, uint64_t i);

/* Of three operations one creates a lease, the next updates the one that was
   created half a preload ago and the third deletes the oldest. */
enum load_end operations_churn(struct operations *operations, uint64_t i);

/* Outside the timed window: */

/* Creates lease i of the preload. */
enum load_end operations_preload(struct operations *operations, uint64_t i);

/* Reads some of the updated leases back: an update that forgot a field answers
   HIT like any other. */
enum load_end operations_check_updates(struct operations *operations);

/* Counts leases that there ought to be: number first, first + step and so on.
   Returns 0, or -1 if there is no memory. */
int operations_add_due(const struct operations *operations,
                       struct lease_counts *due, uint64_t first, uint64_t step,
                       uint64_t count);

#endif
