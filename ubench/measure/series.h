/* SPDX-License-Identifier: ISC */
/*
 * Second by second: how many operations ended in each second of a phase, and
 * how long they took.  Nothing is recorded per operation: at the end of each
 * second the differences of the phase's histogram are put into a coarse one
 * (eight steps per power of two, a quantile is right within 6 %).
 */
#ifndef UBENCH_MEASURE_SERIES_H
#define UBENCH_MEASURE_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/histogram.h"

struct series_second;

struct series {
    struct series_second *seconds;
    size_t count;           /* of seconds that are over, or begun and not empty */
    uint64_t next_ns;       /* when the current second ends */
    struct histogram *seen; /* what is in the seconds already */
    bool failed;            /* there was no memory: the series ends early */
};

/* Begins a series at a phase's first timestamp.  seen, an empty histogram, is
   space to work in, the caller's, until series_end. */
void series_begin(struct series *series, struct histogram *seen, uint64_t begun_ns);
void series_release(struct series *series); /* zeroed is fine */

/* True if an operation that ends now belongs to a later second than those
   before it: then call series_tick before recording it.  For the timed
   path. */
static inline bool series_is_due(const struct series *series, uint64_t now_ns)
{
    return now_ns >= series->next_ns;
}

/* Ends the seconds that are over.  Takes some microseconds. */
void series_tick(struct series *series, const struct histogram *histogram, uint64_t now_ns);

/* Ends the last second, which may not be a whole one. */
void series_end(struct series *series, const struct histogram *histogram);

/* Adds the seconds of another series, as of another thread. */
void series_add(struct series *series, const struct series *other);

/* For adding up the series of several processes: makes it at least so many seconds long
   (false if there is no memory); and all its counters, which other processes have in the
   same order. */
bool series_extend(struct series *series, size_t count);
uint32_t *series_counters(struct series *series, size_t *count);

/* The operations that ended in a second (from 0), and a quantile of their
   latency in ns; 0 if there were none. */
uint64_t series_operations(const struct series *series, size_t second);
double series_quantile(const struct series *series, size_t second, double q);

#endif
