/* SPDX-License-Identifier: ISC */
/*
 * A pool of addresses that all clients of a run share, and the servers that give them out.
 *
 * Each worker is a thread of one of the servers.  The threads of a server share its allocator,
 * under a lock, as Kea's do, and none of them looks up an address that another is looking up (Kea's
 * ResourceHandler4).  A server knows of no lease that another has given.
 *
 * The pool knows the occupant of each address, so that every answer can be judged although other
 * threads change the store meanwhile.  Whoever changes the lease of an address claims it before,
 * and drops the claim after the answer.  A client that gets an address becomes its occupant before
 * the claim is dropped; one that gives it back ceases to be before the store is asked.  So a
 * question during which an address had no claim and one occupant has one right answer.
 *
 * With several ranks, each knows its own clients; in the end they compare them (pool_agree.h).
 */
#ifndef UBENCH_LOAD_POOL_POOL_H
#define UBENCH_LOAD_POOL_POOL_H

#include <pthread.h>
#include <stdatomic.h>

#include "load/allocator.h"
#include "load/config.h"
#include "load/exchange/state.h"

/* A DHCP server, which hands out addresses of the pool. */
struct pool_server {
    pthread_mutex_t lock;
    struct allocator allocator; /* under the lock */
    _Atomic(bool) *looked_at;   /* of each place: a thread is looking it up */
};

/* One worker's claim of an address for a client. */
struct pool_claim {
    _Alignas(64) _Atomic(uint64_t) packed; /* the client's number + 1, and the place; 0: none */
};

/* What the lease of an address is: a client and its state, packed, and a count of changes.  The
   numbers of clients are those of struct exchanges. */
typedef uint64_t occupant;

struct shared_pool {
    uint64_t size;                /* addresses, by their place from 0 */
    uint64_t others;              /* of these, taken before the load: order[0] and on */
    uint32_t *order;              /* all places, in the order in which others take them */
    _Atomic(occupant) *occupants; /* of each place */
    _Atomic(uint16_t) *offers;    /* of each place: clients that it is offered to now */
    _Atomic(uint32_t) *elsewhere; /* of each place, with several ranks: the number + 1 of another
                                     rank's client whose lease was found there; or POOL_SOMEBODY;
                                     0: none */
    struct pool_claim *claims;    /* of each worker */
    struct pool_server *servers;  /* of this rank */
    size_t server_count;
    size_t workers;
    uint64_t own;    /* leases of the server's own work, which have the last places of order */
    bool listed;     /* the store picks candidates, from a list of free addresses */
    bool gives_back; /* clients end their leases during the load, or change them */
};
#define POOL_SOMEBODY UINT32_MAX

/* Creates an empty pool of config->pool.size addresses.  Returns NULL with err if memory is
   short. */
struct shared_pool *pool_new(const struct load_config *config, struct err *err);
void pool_free(struct shared_pool *pool); /* NULL is fine */

/* Returns the server of a worker. */
static inline struct pool_server *pool_server_of(struct shared_pool *pool, size_t worker)
{
    return &pool->servers[worker % pool->server_count];
}

/* Returns the place of a lease of the server's own work. */
static inline uint64_t pool_own_place(const struct shared_pool *pool, uint64_t number)
{
    return pool->order[pool->size - 1 - number];
}

/* The occupants. */
static inline occupant pool_occupant(const struct shared_pool *pool, uint64_t place)
{
    return atomic_load(&pool->occupants[place]);
}

/* Returns true if the store has a lease at the place, and sets *client, which may be NULL, to whose
   it is. */
bool occupant_client(occupant now, struct client *client);

/* Returns true if the address is not free: its lease is not one that the server has reclaimed. */
bool occupant_keeps(occupant now);

/* Makes the lease of a place's occupant, which is somebody. */
void pool_make_lease(const struct engine *engine, uint64_t place, occupant now,
                     struct lease *lease);

/* Makes a client the occupant, or none (NULL).  Returns the former one. */
occupant pool_occupy(struct shared_pool *pool, uint64_t place, const struct client *client);

/* Returns the client that holds a place; POOL_NOBODY: it is free. */
#define POOL_NOBODY UINT64_MAX
static inline uint64_t pool_holder(const struct shared_pool *pool, uint64_t place)
{
    const occupant now = pool_occupant(pool, place);
    struct client client = { .number = 0 };

    return occupant_keeps(now) && occupant_client(now, &client) ? client.number : POOL_NOBODY;
}

/* Returns the client for which a worker claims a place; POOL_NOBODY: none. */
uint64_t pool_claimant(const struct shared_pool *pool, size_t worker, uint64_t place);

/* Returns true if another worker claims the place. */
bool pool_is_claimed(const struct shared_pool *pool, size_t worker, uint64_t place);

/* Claim a place before its lease is changed, and drop the claim after the answer: not while it is
   unknown whether the lease was changed. */
void pool_claim(struct shared_pool *pool, size_t worker, uint64_t place, uint64_t client);
void pool_drop_claim(struct shared_pool *pool, size_t worker);

/* Gives a place to a client, and tells its server's allocator.  Returns false, without a change, if
   another client holds it.  For the timed path. */
bool pool_give(struct shared_pool *pool, struct pool_server *server, uint64_t place,
               const struct client *client);

/* Call between stretches of work: a client has had the address since before any server started; or
   nobody has it any more. */
void pool_take_before(struct shared_pool *pool, uint64_t place, uint64_t client);
void pool_give_back(struct shared_pool *pool, uint64_t place);

/* Gives back all places. */
void pool_clear(struct shared_pool *pool);

/* Returns the next candidate of the server's allocator, or ALLOCATOR_NO_CANDIDATE.  For the timed
   path. */
uint64_t pool_candidate(struct pool_server *server);

/* Reserve a place for the look-up of one thread of the server, and end that.  pool_begin_look
   returns false if another thread has reserved it.  For the timed path. */
bool pool_begin_look(struct pool_server *server, uint64_t place);
void pool_end_look(struct pool_server *server, uint64_t place);

#endif
