/* SPDX-License-Identifier: ISC */
/*
 * Operations on single leases, with the checks of their answers: shared by the phases of 2012
 * and the loads that repeat one of them.  Every answer is compared with that of a correct
 * store, and the leases that searches find byte by byte.
 */
#ifndef UBENCH_LOAD_OPERATIONS_OPERATIONS_H
#define UBENCH_LOAD_OPERATIONS_OPERATIONS_H

#include <string.h>

#include "load/engine.h"

/* The phases in order; digests contain these numbers. */
enum phase_name {
    PHASE_CREATE,
    PHASE_SEARCH,
    PHASE_UPDATE,
    PHASE_DELETE,
    PHASE_COUNT,
};

/* Sequences of the seed, for random choices and digests. */
enum operation_sequence {
    OPERATION_SEQUENCE_SEARCH = 1,
    OPERATION_SEQUENCE_UPDATE,
    OPERATION_SEQUENCE_DIGEST,
};

/* A load of operations. */
struct operations {
    struct engine engine;
    struct permutation updates; /* which lease the i-th update renews */
    uint64_t existing;          /* leases that searches and updates find */
    uint64_t hit_threshold;     /* hit ratio times 2^32 */
    uint64_t search_key;
};

static inline const struct operations *operations_of(const struct worker *worker)
{
    return (const struct operations *)worker->engine;
}

/* For init: existing leases are in the store; updated of them are updated, in a random order,
   before any is updated again. */
void operations_begin(struct engine *engine, uint64_t existing, uint64_t updated);

/* For resolve: both refuse a batch that would deadlock on counters. operations_resolve_steady
   is for loads that find their leases in the preload, an equal part for each thread; it sets or
   refuses the preload. */
int operations_resolve(struct load_config *config, const char *name, struct err *err);
int operations_resolve_steady(struct load_config *config, const char *name, struct err *err);

/* For describe: "10,000 operations on 50,000". */
void operations_describe_steady(const struct load_config *config, const char *name, char *text,
                                size_t size);

/* For items: a worker's leases are number, number + threads and so on. */
uint64_t operations_items(const struct worker *worker);

/* Searches for one of the existing leases or, to miss, for one that does not exist. */
enum load_end operation_search(struct worker *worker, uint64_t i);

/* Adds one operation to the digest; client stands for its client. */
static inline void operation_digest_add(struct worker *worker, enum phase_name phase,
                                        enum outcome outcome, struct lease_address address,
                                        const uint64_t client[2])
{
    const uint64_t what =
        (address.low << 8 | (uint64_t)phase << 4 | (uint64_t)outcome) ^ address.high;

    worker->digest += random_at(client[0] ^ (client[1] << 7 | client[1] >> 57), what);
}

/* Creates a lease, changes it from version from to version to, or deletes it.  Inline, so that
   the timed path has no branch on change. */
static inline __attribute__((always_inline)) enum load_end
operation_change(struct worker *worker, enum change change, uint64_t number, uint32_t from,
                 uint32_t to)
{
    static const struct {
        const char *step;
        enum phase_name phase;
    } changes[] = { [CHANGE_CREATE] = { "creating", PHASE_CREATE },
                    [CHANGE_UPDATE] = { "updating", PHASE_UPDATE },
                    [CHANGE_DELETE] = { "deleting", PHASE_DELETE } };
    const struct generator *const generator = &worker->engine->generator;
    struct lease *const lease = &worker->lease;
    const int64_t expire_s =
        change == CHANGE_CREATE ? 0 : generator_expire_s(generator, number, from);
    uint64_t client[2] = { 0, 0 };

    worker->doing = changes[change].step;
    if (change == CHANGE_DELETE)
        lease->address = generator_address(generator, number);
    else
        generator_make(generator, number, to, lease);
    ledger_attempt(&worker->ledger, number, change);
    const enum load_end end = worker_expect(
        worker, lease->address, worker_change(worker, change, lease, expire_s), OUTCOME_HIT);
    if (end != LOAD_DONE)
        return end;
    if (change != CHANGE_DELETE)
        memcpy(client, lease->hwaddr, sizeof client);
    worker->tally->counts.hits++;
    operation_digest_add(worker, changes[change].phase, OUTCOME_HIT, lease->address, client);
    return LOAD_DONE;
}

#endif
