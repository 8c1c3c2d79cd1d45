/* SPDX-License-Identifier: ISC */
/*
 * Counts the operations that ended in each second of a phase, and their
 * latencies.  Records nothing per operation: at the end of each second it adds
 * the differences of the phase's histogram to a coarser one (eight steps per
 * power of two; a quantile is within 6 %).
 */
#ifndef UBENCH_MEASURE_SERIES_H
#define UBENCH_MEASURE_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/histogram.h"

enum { SERIES_SECOND_SIZE = 1984 }; /* bytes that each second takes */

struct series_second;

struct series {
    struct series_second *seconds;
    size_t count;           /* seconds that have ended, or begun and are not
                               empty */
    uint64_t next_ns;       /* when the current second ends */
    struct histogram *seen; /* values already in the seconds */
    bool failed;            /* memory was short: the series ends early */
};

/* Begins a series at a phase's first timestamp.  seen is an empty histogram for
   internal use; the caller owns it and keeps it until series_end. */
void series_begin(struct series *series, struct histogram *seen, uint64_t begun_ns);
void series_release(struct series *series); /* zeroed is fine */

/* Returns true if an operation that ends at now_ns belongs to a later second
   than those before it: then call series_tick before recording it.  For the
   timed path. */
static inline bool series_is_due(const struct series *series, uint64_t now_ns)
{
    return now_ns >= series->next_ns;
}

/* Closes the seconds that have ended.  Takes some microseconds. */
void series_tick(struct series *series, const struct histogram *histogram, uint64_t now_ns);

/* Closes the last second, which may be incomplete. */
void series_end(struct series *series, const struct histogram *histogram);

/* Adds another series, for example that of another thread, second by second. */
void series_add(struct series *series, const struct series *other);

/* To add up the series of several processes: series_extend makes a series at
   least count seconds long (false if memory is short); series_counters returns
   all its counters, which have the same order in every process. */
bool series_extend(struct series *series, size_t count);
uint32_t *series_counters(struct series *series, size_t *count);

/* Return the number of operations that ended in a second (from 0), and a
   quantile of their latency in ns; 0 if there were none. */
uint64_t series_operations(const struct series *series, size_t second);
double series_quantile(const struct series *series, size_t second, double q);

#endif
