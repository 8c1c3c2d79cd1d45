/* SPDX-License-Identifier: ISC */
/*
 * When requests come: a schedule that knows nothing of how they are served.
 *
 * The i-th gap depends on the seed and on i alone, so that the schedule is
 * fixed before the run and takes no memory however long it is.  Times are
 * nanoseconds since the schedule's beginning.
 */
#ifndef UBENCH_LOAD_OPENLOOP_ARRIVALS_H
#define UBENCH_LOAD_OPENLOOP_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

/* A request: when it was to come, and which one it is. */
struct arrival {
    uint64_t at_ns;
    uint64_t number;
};

#define ARRIVALS_NEVER UINT64_MAX

/* Where requests come from, in the order of their times. */
struct arrival_source {
    void *context;
    /* When the next one comes; ARRIVALS_NEVER if there is none. */
    uint64_t (*due_ns)(void *context);
    /* Takes it.  False if it has been called off meanwhile. */
    bool (*take)(void *context, struct arrival *arrival);
    /* Hears that one was answered, at a time that may be later than that of
       requests still to come.  NULL: does not want to know. */
    void (*answered)(void *context, const struct arrival *arrival,
                     uint64_t at_ns);
};

enum arrivals_kind {
    ARRIVALS_POISSON,  /* gaps of -ln(U)/rate: independent clients */
    ARRIVALS_CONSTANT, /* the i-th at i/rate: flatters the store below its
                          limit, since none come in a bunch */
};

struct arrivals {
    enum arrivals_kind kind;
    double gap_ns; /* the mean one */
    uint64_t key;
    uint64_t end_ns;
    uint64_t number; /* of the next one */
    double next_ns;
};

/* A schedule from 0 to below end_ns (at most 2^52 ns, 52 days), per_s requests
   per second, above 0, fractions included.  Numbers count from 0. */
void arrivals_init(struct arrivals *arrivals, enum arrivals_kind kind,
                   double per_s, uint64_t end_ns, uint64_t seed);

/* The schedule as a source, which keeps the pointer. */
struct arrival_source arrivals_source(struct arrivals *arrivals);

#endif
