/* SPDX-License-Identifier: ISC */
/*
 * The address for a new client: an allocator yields candidates, and the server looks up each of
 * them in the lease store until one is free.
 *
 * As in Kea 3.3 (src/lib/dhcpsrv/iterative_allocator.cc, random_allocator.cc,
 * flq_allocator.cc): the iterative allocator continues after the last address that it gave; the
 * random one offers each address once, in a random order, before it draws another order.  The free
 * lease queue has the addresses that are free as far as its server knows; it offers the first and
 * moves it to the end.
 */
#ifndef UBENCH_LOAD_ALLOCATOR_H
#define UBENCH_LOAD_ALLOCATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"
#include "core/random.h"
#include "store/backend.h"

enum allocator_kind {
    ALLOCATOR_NONE, /* not asked for */
    ALLOCATOR_ITERATIVE,
    ALLOCATOR_RANDOM,
    ALLOCATOR_FLQ,
    ALLOCATOR_SHARED_FLQ, /* these two: the store picks, from its list */
    ALLOCATOR_SKIP_LOCKED,
};

/* Returns the list in the store that servers with the allocator pick from. */
enum free_list allocator_free_list(enum allocator_kind kind);

/* Largest pool: a /8. */
#define ALLOCATOR_POOL_MAX (UINT32_C(1) << 24)

#define ALLOCATOR_NO_CANDIDATE UINT64_MAX

/* The neighbours of an address in the circle of a free lease queue. */
struct allocator_link {
    uint32_t next; /* UINT32_MAX: the address is not in the queue */
    uint32_t previous;
};

struct allocator {
    enum allocator_kind kind;
    uint64_t pool; /* addresses, numbered from 0 */
    uint64_t key;
    uint64_t next;            /* position of the next candidate; equal to pool: begin a pass */
    struct permutation order; /* of this pass; random only */
    uint64_t passes;          /* begun so far */
    /* The free lease queue: */
    struct allocator_link *links; /* by address */
    uint64_t free;                /* addresses in the queue */
    uint32_t first;               /* in the queue, unless it is empty */
};

/* Initialises an empty pool of 1..ALLOCATOR_POOL_MAX addresses.  Returns 0, or -1 with err if
   memory is short; call allocator_release in both cases. */
int allocator_init(struct allocator *allocator, enum allocator_kind kind, uint64_t pool,
                   uint64_t key, struct err *err);
void allocator_release(struct allocator *allocator); /* zeroed is fine */

/* Returns the next candidate of an allocator without a list in the store; ALLOCATOR_NO_CANDIDATE if
   the queue is empty.  For the timed path. */
uint64_t allocator_candidate(struct allocator *allocator);

/* Tells the queue of a server that an address is taken from now on, or free again.  The queue may
   know that already. */
void allocator_set(struct allocator *allocator, uint64_t address, bool taken);

#endif
