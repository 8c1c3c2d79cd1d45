/* SPDX-License-Identifier: ISC */
/*
 * Exchanges performed on a store, and their answers checked: the server's part
 * of a mix.  A loop, closed or open, says which exchange comes next, in which
 * worker and when.  Each worker owns a part of the clients, so that it knows
 * what a correct store must answer.  The server's own work (reclaim, purge) one
 * worker does at a time, as in Kea, on leases that no client uses, which
 * expired before all others, one in each second of the generator's time.
 */
#ifndef UBENCH_LOAD_EXCHANGE_EXCHANGES_H
#define UBENCH_LOAD_EXCHANGE_EXCHANGES_H

#include <pthread.h>

#include "load/engine.h"
#include "load/workloads.h"

/* Performs exchange number i in a worker of workload_exchanges.  Calls for
   different workers may overlap.  worker->tally is NULL afterwards if the store
   gave the exchange up for another, and its last step changed nothing; the end is
   LOAD_DONE all the same. */
enum load_end exchange_perform(struct worker *worker, uint64_t i);

/* Each kind of draw has a sequence of its own. */
enum exchange_sequence {
    EXCHANGE_SEQUENCE_MIX = 101,
    EXCHANGE_SEQUENCE_CLIENT,
    EXCHANGE_SEQUENCE_CANDIDATE,
    EXCHANGE_SEQUENCE_DIGEST,
    EXCHANGE_SEQUENCE_RESERVED,
    EXCHANGE_SEQUENCE_AGE,
};

/* The needs of a run, by its mix and its seed; in turns, of one at most. */
struct exchange_plan {
    uint64_t newcomers; /* exchanges of new clients, and the server's own: */
    uint64_t reclaims;
    uint64_t purges;
    /* The clients that need a lease: one for each worker and as many more as
       the exchanges that take one away, if any worker may do all of a turn. */
    uint64_t preload_min;
};

/* Number i is done in turn i modulo turns, 1..WORKERS_MAX.  There is a draw for
   each exchange, so that this may take seconds: it ends early, with too few,
   once progress, which may be NULL, is stopped. */
struct exchange_plan exchange_plan_make(const struct load_config *config, uint64_t turns,
                                        struct progress *progress);

/* The most leases that there will be. */
uint64_t exchange_plan_leases_max(const struct load_config *config,
                                  const struct exchange_plan *plan);

/* Gives config the usual number of clients if it has none.  workload
   is what --workload says.  Returns 0, or -1 with err (ERR_USAGE): there are
   too few, or there would be too many leases. */
int exchange_plan_resolve(struct load_config *config, const char *workload, struct err *err);

/* Clients */

/* Adds an active one of version 0.  Returns 0, or -1 with err if there is no
   memory. */
int clients_add(struct clients *clients, uint32_t number, struct err *err);

/* Puts an active client (an index below active) behind them, in a state. */
void clients_retire(struct clients *clients, size_t index, enum client_state state);

/* Makes the client's lease as a correct store has it.  A renewal comes at half
   the lifetime and grants the same one again; a release ends the lease at once;
   a decline leaves it to no client for a time. */
void client_make_lease(const struct worker *worker, const struct client *client,
                       struct lease *lease);

/* A load of exchanges; its workers' clients are in struct worker. */
struct exchanges {
    struct engine engine;
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

static inline struct exchanges *all_of(const struct worker *worker)
{
    return (struct exchanges *)worker->engine;
}

/* When the first of the reclaimed and of the expired leases expired; one more
   in each second.  There are seconds enough between them and the clients. */
#define RECLAIMED_S (GENERATOR_EPOCH_S - 2 * (int64_t)GENERATOR_LEASES_MAX)
#define EXPIRED_S   (GENERATOR_EPOCH_S - (int64_t)GENERATOR_LEASES_MAX)

/* Makes a lease by its number, as it is preloaded. */
void exchange_make_preloaded(const struct engine *engine, uint64_t number, struct lease *lease);

/* Turns an expired lease into a reclaimed one. */
void exchange_reclaim(struct lease *lease);

extern const struct step_kind step_kinds[]; /* by enum step_action */

/* Performs worker->exchange with worker->client, keeps the client's state, and
   counts the steps in the worker's tally.  Not LOAD_DONE: see the worker's
   err. */
enum load_end exchange_run(struct worker *worker);

#endif
