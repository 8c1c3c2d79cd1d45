/* SPDX-License-Identifier: ISC */
/*
 * How a DHCP server picks the address for a new client: the candidates, in the
 * order in which they are looked up in the lease store until one is free.
 *
 * As in Kea 3.3 (src/lib/dhcpsrv/iterative_allocator.cc, random_allocator.cc,
 * flq_allocator.cc): iterative goes on from the last address that it gave,
 * random offers each address once in a random order before it begins another,
 * and both go on until they have been through the whole pool; the free lease
 * queue knows the free addresses and offers only these.
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

/* The most addresses of a pool: a /8. */
#define ALLOCATOR_POOL_MAX (UINT32_C(1) << 24)

struct allocator {
    enum allocator_kind kind;
    uint64_t pool; /* addresses, numbered from 0 */
    uint64_t free; /* of these, not taken */
    uint64_t key;
    uint64_t next;            /* where the next candidate comes from; pool: a new pass */
    struct permutation order; /* of random: this pass's; of free-list: all */
    uint64_t passes;          /* that have begun */
    bool *taken;              /* of each address */
};

/* An empty pool of 1..ALLOCATOR_POOL_MAX addresses.  Returns 0, or -1 with err
   if there is no memory; release it either way. */
int allocator_init(struct allocator *allocator, enum allocator_kind kind, uint64_t pool,
                   uint64_t key, struct err *err);
void allocator_release(struct allocator *allocator); /* zeroed is fine */

/* How many candidates it offers at most before it gives up. */
uint64_t allocator_candidates_max(const struct allocator *allocator);

/* The next candidate; call it as often as that, or while an address is free. */
uint64_t allocator_candidate(struct allocator *allocator);

/* Notes that an address has a lease from now on, or has none any more. */
void allocator_set(struct allocator *allocator, uint64_t address, bool taken);

#endif
