/* SPDX-License-Identifier: ISC */
/*
 * Arrival times of requests: from a fixed schedule, which is independent of how
 * requests are served, or from the clients of a site that restarts.  Times are
 * nanoseconds since the start of the trial.
 */
#ifndef UBENCH_LOAD_OPENLOOP_ARRIVALS_H
#define UBENCH_LOAD_OPENLOOP_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"

/* A request. */
struct arrival {
    uint64_t at_ns;  /* its scheduled time */
    uint64_t number; /* which request, or which client, it is */
};

#define ARRIVALS_NEVER UINT64_MAX

/* An interface that yields requests in the order of their times.  It is the
   first member of struct arrivals and of struct storm. */
struct arrival_source {
    /* Returns the time of the next request; ARRIVALS_NEVER after the last. */
    uint64_t (*due_ns)(const struct arrival_source *source);
    /* Removes the next request from the source.  Returns false if it was
       canceled: its client has been answered since it was scheduled. */
    bool (*take)(struct arrival_source *source, struct arrival *arrival);
    /* Optional (NULL).  Called when a request has been answered; at_ns may be
       later than the times of requests that are taken afterwards. */
    void (*answered)(struct arrival_source *source, const struct arrival *arrival, uint64_t at_ns);
};

enum arrivals_kind {
    ARRIVALS_POISSON,  /* gaps of -ln(U)/rate: independent clients */
    ARRIVALS_CONSTANT, /* request i at i/rate: flatters a store below its
                          limit, since requests never arrive in bursts */
};

/* A schedule.  Gap i depends only on the seed and on i, so the schedule is
   fixed before the run and needs no memory, however long it is. */
struct arrivals {
    struct arrival_source source;
    enum arrivals_kind kind;
    double gap_ns; /* mean */
    uint64_t key;
    uint64_t end_ns;
    uint64_t number; /* of the next request */
    double next_ns;  /* its time */
};

/* Initialises a schedule of per_s requests per second (above 0, may be
   fractional) in [0, end_ns); end_ns is at most 2^52 ns (52 days).  Requests
   are numbered from 0. */
void arrivals_init(struct arrivals *arrivals, enum arrivals_kind kind, double per_s,
                   uint64_t end_ns, uint64_t seed);

/*
 * A storm: all clients of a site restart at once, as after a power cut, and
 * those without an answer retransmit.
 *
 * RFC 2131, section 4.1: a client waits 4 s for an answer and doubles that
 * after each retransmission, up to 64 s; each wait is randomised by a uniform
 * offset of -1 to +1 s.  After the last wait it gives up.
 */

enum {
    STORM_RETRANSMISSIONS = 5,
    STORM_CLIENTS_MAX = 10000000,
};

/* Longest possible time from a client's first request to its last
   retransmission. */
#define STORM_LONGEST_NS (UINT64_C(129) * 1000000000)

/* The result of a storm. */
struct storm_outcome {
    uint64_t clients;       /* 0: the load was not a storm */
    uint64_t served;        /* clients that got an answer */
    uint64_t sent;          /* requests, including retransmissions */
    uint64_t retransmitted; /* retransmissions alone */
    uint64_t useless;       /* answers to clients that already had one */
    /* Times at which 50 %, 99 % and all clients had an answer; UINT64_MAX:
       never. */
    uint64_t served_50_ns;
    uint64_t served_99_ns;
    uint64_t served_100_ns;
};

struct storm_client;

/* The clients as a source of requests; a request has the number of its client.
   Takes 28 bytes per client, and 24 more in storm_judge. */
struct storm {
    struct arrival_source source;
    struct storm_outcome outcome; /* so far; see storm_judge */
    uint64_t key;
    struct storm_client *states;
    /* Clients that may send again: a heap, ordered by the time of that. */
    uint32_t *heap;
    uint64_t heap_count;
    uint64_t last_ns; /* time of the latest answer so far */
};

/* Initialises a storm of clients (1..STORM_CLIENTS_MAX), whose first requests
   are spread uniformly over spread_ns.  Returns 0, or -1 with err. */
int storm_init(struct storm *storm, uint64_t clients, uint64_t spread_ns, uint64_t seed,
               struct err *err);
void storm_release(struct storm *storm); /* zeroed is fine */

/* Computes the outcome after the trial has ended. */
void storm_judge(struct storm *storm);

#endif
