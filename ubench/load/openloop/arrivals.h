/* SPDX-License-Identifier: ISC */
/*
 * When requests come: by a schedule that knows nothing of how they are served,
 * or from the clients of a site that restarts.  Times are nanoseconds since the
 * beginning.
 */
#ifndef UBENCH_LOAD_OPENLOOP_ARRIVALS_H
#define UBENCH_LOAD_OPENLOOP_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"

/* A request: when it was to come, and which one it is. */
struct arrival {
    uint64_t at_ns;
    uint64_t number;
};

#define ARRIVALS_NEVER UINT64_MAX

/* Where requests come from, in the order of their times; the first member of
   what they come from. */
struct arrival_source {
    /* When the next one comes; ARRIVALS_NEVER if there is none. */
    uint64_t (*due_ns)(const struct arrival_source *source);
    /* Takes it.  False if it has been canceled meanwhile. */
    bool (*take)(struct arrival_source *source, struct arrival *arrival);
    /* Hears that one was answered, at a time that may be later than that of
       requests still to come.  NULL: does not want to know. */
    void (*answered)(struct arrival_source *source, const struct arrival *arrival, uint64_t at_ns);
};

enum arrivals_kind {
    ARRIVALS_POISSON,  /* gaps of -ln(U)/rate: independent clients */
    ARRIVALS_CONSTANT, /* the i-th at i/rate: flatters the store below its
                          limit, since none come in a bunch */
};

/* The i-th gap depends on the seed and on i alone, so that the schedule is
   fixed before the run and takes no memory however long it is. */
struct arrivals {
    struct arrival_source source;
    enum arrivals_kind kind;
    double gap_ns; /* the mean one */
    uint64_t key;
    uint64_t end_ns;
    uint64_t number; /* of the next one */
    double next_ns;
};

/* A schedule from 0 to below end_ns (at most 2^52 ns, 52 days), per_s requests
   per second, above 0, fractions included.  Numbers count from 0. */
void arrivals_init(struct arrivals *arrivals, enum arrivals_kind kind, double per_s,
                   uint64_t end_ns, uint64_t seed);

/*
 * The restart of a site: all its clients ask at once, as after a power cut (a
 * storm, or thundering herd), and those that get no answer ask again.
 *
 * RFC 2131, section 4.1: a client waits 4 s for an answer, and then twice as
 * long after each retransmission, up to 64 s, each plus or minus a second
 * drawn uniformly.  After that it gives up.
 */

enum {
    STORM_RETRANSMISSIONS = 5,
    STORM_CLIENTS_MAX = 10000000,
};

/* The last retransmission comes at most so long after the first request. */
#define STORM_LONGEST_NS (UINT64_C(129) * 1000000000)

/* The end of a storm. */
struct storm_outcome {
    uint64_t clients;       /* 0: there was no storm */
    uint64_t served;        /* of these, had an answer */
    uint64_t sent;          /* requests, retransmissions among them */
    uint64_t retransmitted; /* of these, by clients that had asked before */
    uint64_t useless;       /* answers to clients that had one already */
    /* When half, 99 % and all of the clients had an answer; UINT64_MAX:
       never. */
    uint64_t served_50_ns;
    uint64_t served_99_ns;
    uint64_t served_100_ns;
};

struct storm_client;

/* The clients, as a source of requests; a request's number is its client's.
   28 bytes for each client, and 24 more while it is judged. */
struct storm {
    struct arrival_source source;
    struct storm_outcome outcome; /* so far; see storm_judge */
    uint64_t key;
    struct storm_client *states;
    /* The clients that may ask again, a heap by when they do. */
    uint32_t *heap;
    uint64_t heap_count;
    uint64_t last_ns; /* when the latest of all answers is there */
};

/* clients: 1..STORM_CLIENTS_MAX, that first ask within spread_ns, uniformly.
   Returns 0, or -1 with err. */
int storm_init(struct storm *storm, uint64_t clients, uint64_t spread_ns, uint64_t seed,
               struct err *err);
void storm_release(struct storm *storm); /* zeroed is fine */

/* Completes the outcome of a storm that is over. */
void storm_judge(struct storm *storm);

#endif
