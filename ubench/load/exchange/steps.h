/* SPDX-License-Identifier: ISC */
/*
 * One worker's exchange while it is performed, and its steps.  For the
 * exchanges' own files alone.
 */
#ifndef UBENCH_LOAD_EXCHANGE_STEPS_H
#define UBENCH_LOAD_EXCHANGE_STEPS_H

#include <pthread.h>

#include "load/exchange/clients.h"
#include "load/exchange/exchanges.h"

/* When the first of the reclaimed and of the expired leases expired; one more
   in each second.  Between them and the clients is room for all there can be.
 */
#define RECLAIMED_S (GENERATOR_EPOCH_S - 2 * (int64_t)GENERATOR_LEASES_MAX)
#define EXPIRED_S   (GENERATOR_EPOCH_S - (int64_t)GENERATOR_LEASES_MAX)

/* What a worker counted of one part of the mix. */
struct book {
    uint64_t done;
    uint64_t deadlocks;
    struct histogram latency;
    struct histogram seen; /* the series' */
    struct series series;
    struct step_result steps[STEPS_MAX];
};

struct exchange_worker {
    struct exchanges *all;
    struct session *session;
    size_t index;
    struct clients clients;
    uint64_t added; /* clients that were new */
    uint64_t removed;
    uint64_t digest;
    struct book *books; /* one for each part of the mix */
    struct err err;
    /* The exchange that is being performed. */
    const struct exchange *exchange;
    const struct step *step;
    struct step_result *step_result;
    uint64_t number; /* of the exchange */
    uint64_t hits;
    uint64_t misses;
    uint64_t step_ns; /* when the store was asked */
    size_t picked;    /* a known client's place; of a new one, the next */
    struct client client;
    struct lease lease; /* the client's, as it should be */
    struct lease other; /* as it will be, or another one's */
    struct lease found;
};

struct exchanges {
    struct exchanges_config config;
    const struct backend *backend;
    struct generator generator;
    uint64_t client_key;
    uint64_t probe_key;
    uint64_t mix_key;
    uint64_t planned[MIX_MAX]; /* exchanges of each part */
    /* The leases by number: reclaimed ones, expired ones, those of the clients,
       and from there on those of new clients. */
    uint64_t reclaimed;
    uint64_t expired;
    /* Who has a reservation, of the clients by number from the first on: whom
       the permutation sends below config.reservations. */
    struct permutation reserved;
    /* The exchanges of the mix without the steps that are left out, and what
       stands for each in the digest. */
    struct exchange exchanges[MIX_MAX];
    uint64_t digest_keys[MIX_MAX];
    /* What the server does by itself; under the lock. */
    pthread_mutex_t lock;
    uint64_t reclaims_done; /* leases */
    uint64_t purges_done;   /* leases */
    struct lease list[RECLAIM_LEASES + 1];
    struct exchange_worker *workers;
};

/* Asks what worker->step says, compares the answers, and keeps the client's
   state if all went well.  Else worker->err is set. */
enum exchange_end exchange_run_step(struct exchange_worker *worker);

/* Makes an expired or a reclaimed lease by its number, as it is preloaded. */
void exchange_make_expired(const struct exchanges *all, uint64_t number,
                           struct lease *lease);
void exchange_make_reclaimed(const struct exchanges *all, uint64_t number,
                             struct lease *lease);

/* True if that client, by the number of its lease, has a reservation: of its
   lease's address. */
bool exchange_is_reserved(const struct exchanges *all, uint64_t number);

/* Turns an expired lease into a reclaimed one. */
void exchange_reclaim(struct lease *lease);

#endif
