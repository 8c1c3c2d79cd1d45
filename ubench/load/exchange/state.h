/* SPDX-License-Identifier: ISC */
/*
 * The state of exchanges: the clients, the exchange and the step that each worker
 * performs, and what all workers share.
 */
#ifndef UBENCH_LOAD_EXCHANGE_STATE_H
#define UBENCH_LOAD_EXCHANGE_STATE_H

#include <pthread.h>

#include "load/engine.h"
#include "load/exchange/table.h"

/* Clients */

enum client_state {
    CLIENT_ACTIVE,
    CLIENT_RELEASED, /* its row is there, at its end */
    CLIENT_DECLINED, /* the row is there, of no client */
    CLIENT_GONE,     /* the row is not */
    CLIENT_EXPIRED,  /* its row is there, and the server has reclaimed it */
};

/* A client of DHCP, and those of one worker. */
struct client {
    uint32_t number;  /* of the generator's lease */
    uint16_t version; /* how often it was renewed; after the last comes 0 */
    uint8_t state;    /* enum client_state */
};

struct clients {
    struct client *all; /* free takes it */
    size_t active;
    size_t count; /* active ones and others */
    size_t capacity;
    bool fixed; /* each keeps its place, whatever its state; active does not count */
};

/* Adds an active one of version 0.  Returns 0, or -1 with err if there is no
   memory. */
int clients_add(struct clients *clients, uint32_t number, struct err *err);

/* Puts an active client (an index below active) behind them, in a state. */
void clients_retire(struct clients *clients, size_t index, enum client_state state);

/* Makes the client's lease as a correct store has it.  A renewal comes at half
   the lifetime and grants the same one again; a release ends the lease at once;
   a decline leaves it to no client for a time. */
void client_make_lease(const struct generator *generator, const struct client *client,
                       struct lease *lease);

/* A worker */

/* One worker's part, with the exchange that it performs. */
struct exchange_state {
    struct worker *worker;
    bool latency; /* the load's config.latency */
    struct clients clients;
    uint64_t added; /* clients that were new */
    /* The exchange. */
    const struct exchange *exchange;
    uint64_t number;
    struct client client; /* whose lease is the worker's */
    size_t picked;        /* a known client's place */
    uint64_t answers[2];  /* MISS and HIT, to all its questions */
    /* The same of a pool that is shared (pool.h). */
    uint64_t place; /* of the address that is offered to the client */
    bool offered;
    bool refused; /* there was no free address for the client */
    bool lost;    /* another client has the address that was offered */
    /* Its step. */
    const struct step *step;
    struct step_result *step_result;
    uint64_t answered;  /* questions, all answered as is right */
    uint64_t asked_ns;  /* when the store was asked ... */
    uint64_t took_ns;   /* ... and how long it took to answer */
    struct lease other; /* as the lease will be, or another client's */
    bool shares_trip;   /* the time of its round trip is that of a step before it */
    struct trip *trip;  /* free takes it; NULL: each question has a round trip of its own */
};

/* What stands in digests for the answers to an exchange. */
static inline uint64_t exchange_answers(const struct exchange_state *state)
{
    return (state->answers[OUTCOME_HIT] << 16) + state->answers[OUTCOME_MISS];
}

struct shared_pool;

enum candidate {
    CANDIDATE_TAKEN, /* an address that another client has */
    CANDIDATE_FREE,  /* that of the exchange's own client */
};

/* The addresses that an allocator tries for a new client, in order.  Says what candidate k is,
   from 0 on, and of a taken one whose it is. */
typedef enum candidate candidate_source(const struct exchange_state *state, uint64_t k,
                                        const struct client **client);

/* A load of exchanges. */
struct exchanges {
    struct engine engine;
    struct exchange_state *states; /* of each worker */
    candidate_source *candidates;
    struct shared_pool *pool; /* that gives all clients their addresses; NULL: each has its own */
    struct tally_kind tally_kinds[MIX_MAX];
    struct step_result steps[MIX_MAX][STEPS_MAX];
    uint64_t client_key;
    uint64_t candidate_key;
    uint64_t mix_key;
    uint64_t age_key;
    /* The leases by number: those of the server's own work, reclaimed ones
       before expired ones; those of the clients; and those of new clients. */
    uint64_t own;
    uint64_t reclaimed;
    /* Which clients, by number from the first on, have a reservation: those
       that the permutation sends below config.reservations. */
    struct permutation reserved;
    /* The server's own work; under the lock. */
    pthread_mutex_t lock;
    uint64_t reclaims_done; /* leases */
    uint64_t purges_done;   /* leases */
    struct lease list[RECLAIM_LEASES + 1];
};

static inline struct exchanges *exchanges_of(const struct worker *worker)
{
    return (struct exchanges *)worker->engine;
}

static inline struct exchange_state *exchange_state_of(const struct worker *worker)
{
    return &exchanges_of(worker)->states[worker->index];
}

/* True if the client of the exchange has a reservation: of its lease's address. */
bool exchange_is_reserved(const struct exchange_state *state);

/* Makes the state of each worker.  Returns 0, or -1 with the engine's err; release it either
   way. */
int exchange_states_init(struct exchanges *all);
void exchange_states_release(struct exchanges *all);

/* Leases */

/* When the first of the reclaimed and of the expired leases expired; one more
   in each second.  There are seconds enough between them and the clients. */
#define RECLAIMED_S (GENERATOR_EPOCH_S - 2 * (int64_t)GENERATOR_LEASES_MAX)
#define EXPIRED_S   (GENERATOR_EPOCH_S - (int64_t)GENERATOR_LEASES_MAX)

/* Makes a lease by its number, as it is preloaded. */
void exchange_make_preloaded(const struct engine *engine, uint64_t number, struct lease *lease);

/* Turns an expired lease into a reclaimed one. */
void exchange_reclaim(struct lease *lease);

#endif
