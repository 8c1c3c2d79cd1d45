/* SPDX-License-Identifier: ISC */
/*
 * The address for a new client: an allocator yields candidates, and the server looks up each of
 * them in the lease store until one is free.
 *
 * As in Kea 3.3 (src/lib/dhcpsrv/iterative_allocator.cc, random_allocator.cc,
 * flq_allocator.cc): the iterative allocator continues after the last address that it gave; the
 * random one offers each address once, in a random order, before it draws another order.  Both
 * give up after the whole pool.  The free lease queue knows the free addresses and offers only
 * those.
 */
#ifndef UBENCH_LOAD_ALLOCATOR_H
#define UBENCH_LOAD_ALLOCATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"
#include "core/random.h"

enum allocator_kind {
    ALLOCATOR_ITERATIVE,
    ALLOCATOR_RANDOM,
    ALLOCATOR_FREE_LIST,
};

/* Largest pool: a /8. */
#define ALLOCATOR_POOL_MAX (UINT32_C(1) << 24)

struct allocator {
    enum allocator_kind kind;
    uint64_t pool; /* addresses, numbered from 0 */
    uint64_t free; /* addresses that are not taken */
    uint64_t key;
    uint64_t next;            /* position of the next candidate; equal to pool: begin a pass */
    struct permutation order; /* of this pass; not used by the iterative allocator */
    uint64_t passes;          /* begun so far */
    bool *taken;              /* by address */
};

/* Initialises an empty pool of 1..ALLOCATOR_POOL_MAX addresses.  Returns 0, or -1 with err if
   memory is short; call allocator_release in both cases. */
int allocator_init(struct allocator *allocator, enum allocator_kind kind, uint64_t pool,
                   uint64_t key, struct err *err);
void allocator_release(struct allocator *allocator); /* zeroed is fine */

/* Returns the number of candidates after which the allocator gives up. */
uint64_t allocator_candidates_max(const struct allocator *allocator);

/* Returns the next candidate.  Call it at most allocator_candidates_max times for a client, or
   while an address is free. */
uint64_t allocator_candidate(struct allocator *allocator);

/* Records that an address is taken from now on, or free again. */
void allocator_set(struct allocator *allocator, uint64_t address, bool taken);

#endif
