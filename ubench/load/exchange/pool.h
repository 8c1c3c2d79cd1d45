/* SPDX-License-Identifier: ISC */
/*
 * A pool of addresses that all new clients of a run share, and the servers that give them out.
 *
 * Each worker is a thread of one of the servers.  The threads of a server share its allocator,
 * under a lock, as Kea's do, and none of them looks up an address that another is looking up (Kea's
 * ResourceHandler4).  A server knows of no lease that another has given.
 *
 * The pool knows who holds each address, so that every answer can be judged although other threads
 * change the store meanwhile: no address is given back during a stretch of work, so an address that
 * had a holder before a question still has it after the answer; and whoever stores a lease claims
 * its address before, and is its holder before it drops the claim.
 */
#ifndef UBENCH_LOAD_EXCHANGE_POOL_H
#define UBENCH_LOAD_EXCHANGE_POOL_H

#include <pthread.h>
#include <stdatomic.h>

#include "load/allocator.h"
#include "load/config.h"

struct pool_server {
    pthread_mutex_t lock;
    struct allocator allocator; /* under the lock */
    _Atomic(bool) *looked_at;   /* of each place: a thread is looking it up */
};

/* One worker's claim of an address for a client. */
struct pool_claim {
    _Alignas(64) _Atomic(uint64_t) of; /* 0: none */
};

struct shared_pool {
    uint64_t size;               /* addresses, by their place from 0 */
    uint64_t others;             /* of these, taken by clients that do nothing: order[0] and on */
    uint32_t *order;             /* all places, in the order in which others take them */
    _Atomic(uint32_t) *holders;  /* of each place: the client's number + 1; 0: nobody */
    _Atomic(uint16_t) *offers;   /* of each place: clients that it is offered to now */
    struct pool_claim *claims;   /* of each worker */
    struct pool_server *servers; /* config.servers */
    size_t server_count;
    size_t workers;
    bool listed; /* the store picks candidates, from a list of free addresses */
};

/* Creates an empty pool of config->pool addresses.  Returns NULL with err if memory is
   short. */
struct shared_pool *pool_new(const struct load_config *config, struct err *err);
void pool_free(struct shared_pool *pool); /* NULL is fine */

/* Returns the server of a worker. */
static inline struct pool_server *pool_server_of(struct shared_pool *pool, size_t worker)
{
    return &pool->servers[worker % pool->server_count];
}

/* Returns the client that holds a place; POOL_NOBODY: none. */
#define POOL_NOBODY UINT64_MAX
static inline uint64_t pool_holder(const struct shared_pool *pool, uint64_t place)
{
    const uint32_t holder = atomic_load(&pool->holders[place]);

    return holder != 0 ? holder - 1 : POOL_NOBODY;
}

/* Returns the client for which a worker claims a place; POOL_NOBODY: none. */
uint64_t pool_claimant(const struct shared_pool *pool, size_t worker, uint64_t place);

/* Claim a place before its lease is stored, and drop the claim after the answer: not while it is
   unknown whether the lease was stored. */
void pool_claim(struct shared_pool *pool, size_t worker, uint64_t place, uint64_t client);
void pool_drop_claim(struct shared_pool *pool, size_t worker);

/* Gives a place to a client, and tells its server's allocator.  Returns false if another client
   holds it, and goes on to.  For the timed path. */
bool pool_give(struct shared_pool *pool, struct pool_server *server, uint64_t place,
               uint64_t client);

/* Called between stretches of work: for an address that was taken before all servers started,
   and for one that was returned. */
void pool_take_before(struct shared_pool *pool, uint64_t place, uint64_t client);
void pool_give_back(struct shared_pool *pool, uint64_t place);

/* Returns the next candidate of the server's allocator, or ALLOCATOR_NO_CANDIDATE.  For the timed
   path. */
uint64_t pool_candidate(struct pool_server *server);

/* Reserves a place for the look-up of one thread of the server; returns false if another thread has
   it.  For the timed path. */
bool pool_begin_look(struct pool_server *server, uint64_t place);
void pool_end_look(struct pool_server *server, uint64_t place);

#endif
