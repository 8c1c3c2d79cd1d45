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
    CLIENT_RELEASED, /* its row is there, and has expired */
    CLIENT_DECLINED, /* its row is there, without a client */
    CLIENT_GONE,     /* it has no row */
    CLIENT_EXPIRED,  /* its row is there, and the server has reclaimed it */
};

/* A DHCP client, and the clients of one worker. */
struct client {
    uint32_t number;  /* of the generator's lease */
    uint16_t version; /* number of renewals; after the largest comes 0 */
    uint8_t state;    /* enum client_state */
};

struct clients {
    struct client *all; /* to be freed by free */
    size_t active;
    size_t count; /* active and other clients */
    size_t capacity;
    bool fixed; /* each client keeps its place in any state; active is not used */
};

/* Adds an active client of version 0.  Returns 0, or -1 with err if memory is short. */
int clients_add(struct clients *clients, uint32_t number, struct err *err);

/* Moves an active client (index below active) after the active ones, in another state. */
void clients_retire(struct clients *clients, size_t index, enum client_state state);

/* A change of clients, as it can be taken back. */
struct client_change {
    enum { CLIENT_ADDED, CLIENT_CHANGED, CLIENT_RETIRED } kind;
    size_t index;         /* of the client before the change */
    struct client before; /* unless it was added */
};

/* Takes back the latest change that was not taken back yet. */
void clients_take_back(struct clients *clients, const struct client_change *change);

/* Makes the client's lease as a correct store has it.  A renewal comes at half the lifetime and
   grants the same lifetime again; a release ends the lease at once; a decline sets the address
   aside for a time. */
void client_make_lease(const struct generator *generator, const struct client *client,
                       struct lease *lease);

/* A worker */

/* Why the exchange of a client that shares a pool (pool.h) ends before its last step. */
enum denial {
    DENIAL_NONE,
    DENIAL_REFUSED, /* no address was free */
    DENIAL_LOST,    /* another client has the address that was offered */
};

/* An exchange whose client waits for the commit. */
struct parked {
    uint64_t number;
    uint64_t begun_ns;   /* its client asked then (clock_now_ns) */
    struct tally *tally; /* that counts it */
};

/* The exchanges of one transaction (openloop/batch.h). */
struct batch {
    struct parked *parked; /* to be freed, as changes is */
    size_t count;
    size_t capacity;
    size_t performed;  /* of these, since the transaction began */
    bool open;         /* the transaction */
    uint64_t begun_ns; /* when the first exchange began */
    uint64_t begin_ns; /* how long the beginning of the transaction took */
    /* As they were when it began; and what has changed since. */
    uint64_t next_new;
    uint64_t digest;
    struct client_change *changes;
    size_t change_count;
    size_t change_capacity;
};

enum { BATCH_FIRST = 64 }; /* exchanges, or changes, for which it first has room */

/* Adds a change.  Returns 0, or -1 with err if memory is short. */
int batch_note(struct batch *batch, const struct client_change *change, struct err *err);

/* One worker's part, with the exchange that it performs. */
struct exchange_state {
    struct worker *worker;
    bool latency; /* the load's config.latency */
    struct clients clients;
    uint64_t next_new; /* index of its next new client among all clients of the worker */
    struct batch batch;
    /* The exchange. */
    const struct exchange *exchange;
    uint64_t number;
    struct client client; /* its lease is the worker's */
    size_t picked;        /* index of a known client */
    uint64_t answers[2];  /* number of answers, by outcome */
    enum denial denial;
    /* The exchange in a shared pool (pool.h), where the numbers of the worker's clients are the
       places of their addresses. */
    uint64_t place; /* of the address that the client has or is offered */
    uint64_t seen;  /* the place's occupant before it was looked up, or before a change */
    bool settled;   /* nobody has changed it since, or is about to */
    bool offered;
    bool offered_twice;   /* also to another client */
    bool reuses;          /* the offered address has a reclaimed lease ... */
    int64_t old_expire_s; /* ... which expired then */
    /* Its step. */
    const struct step *step;
    struct step_result *step_result;
    uint64_t answered;  /* questions answered so far, all rightly */
    uint64_t asked_ns;  /* when the store was asked ... */
    uint64_t took_ns;   /* ... and how long it took to answer */
    bool shares_trip;   /* the time of its round trip is that of a step before it */
    struct trip *trip;  /* to be freed by free; NULL: each question has a round trip of its own */
    struct lease other; /* the lease as it will be, or another client's */
};

/* Returns what represents the answers to an exchange in digests. */
static inline uint64_t exchange_answers(const struct exchange_state *state)
{
    return (state->answers[OUTCOME_HIT] << 16) + state->answers[OUTCOME_MISS];
}

struct shared_pool;

enum candidate {
    CANDIDATE_TAKEN, /* the address of another client */
    CANDIDATE_FREE,  /* the free address, for the exchange's client */
};

/* The candidates of an allocator for a new client, in order.  Returns the kind of candidate k,
   from 0, and for a taken one its client. */
typedef enum candidate candidate_source(const struct exchange_state *state, uint64_t k,
                                        const struct client **client);

/* Performs the state's step. */
typedef enum load_end step_run(struct exchange_state *state);

/* A load of exchanges. */
struct exchanges {
    struct engine engine;
    struct exchange_state *states; /* by worker */
    step_run *run[STEP_ACTIONS];   /* how this load performs each step */
    candidate_source *candidates;
    struct shared_pool *pool; /* that gives all clients their addresses; NULL: each has its own */
    uint64_t client_key;
    uint64_t candidate_key;
    uint64_t mix_key;
    uint64_t age_key;
    /* Ranges of lease numbers: first the server's own work, reclaimed leases before expired
       ones; then the clients; then new clients. */
    uint64_t own;
    uint64_t reclaimed;
    /* The clients with a reservation, by number from the first client: those that the
       permutation maps below config.reservations. */
    struct permutation reserved;
    /* The server's own work; under the lock. */
    pthread_mutex_t lock;
    uint64_t reclaims_done; /* leases */
    uint64_t purges_done;   /* leases */
    struct lease list[RECLAIM_LEASES + 1];
    /* What the engine counts. */
    struct tally_kind tally_kinds[MIX_MAX];
    struct step_result steps[MIX_MAX][STEPS_MAX];
};

static inline struct exchanges *exchanges_of(const struct worker *worker)
{
    return (struct exchanges *)worker->engine;
}

static inline struct exchange_state *exchange_state_of(const struct worker *worker)
{
    return &exchanges_of(worker)->states[worker->index];
}

/* Makes the lease of a client as client_make_lease does, with the address that the exchange is
   about if a pool is shared. */
void exchange_make_lease(const struct exchange_state *state, const struct client *client,
                         struct lease *lease);

/* Returns true if the client of the exchange has a reservation, which is its lease's
   address. */
bool exchange_is_reserved(const struct exchange_state *state);

/* Makes the state of each worker.  Returns 0, or -1 with the engine's err; release it in both
   cases. */
int exchange_states_init(struct exchanges *all);
void exchange_states_release(struct exchanges *all);

/* Leases */

/* Expiry times of the first reclaimed and the first expired lease; the next ones follow one
   second apart.  The gaps between them and the clients are wide enough. */
#define RECLAIMED_S (GENERATOR_EPOCH_S - 2 * (int64_t)GENERATOR_LEASES_MAX)
#define EXPIRED_S   (GENERATOR_EPOCH_S - (int64_t)GENERATOR_LEASES_MAX)

/* Makes a lease of the preload by its number. */
void exchange_make_preloaded(const struct engine *engine, uint64_t number, struct lease *lease);

/* Turns an expired lease into a reclaimed one. */
void exchange_reclaim(struct lease *lease);

#endif
