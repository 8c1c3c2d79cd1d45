/* SPDX-License-Identifier: ISC */
/* One figure of several runs, put together. */
#ifndef UBENCH_RECORD_SUMMARY_H
#define UBENCH_RECORD_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arena.h"
#include "record/record.h"

struct summary {
    size_t count;         /* of values; may be 0 */
    const double *values; /* in the order of the runs */
    double median;        /* of them; 0 if there are none */
    double low, high;     /* the median's interval, or the lowest and highest */
    bool interval;        /* the former: from 6 to STATISTICS_MAX runs */
};

/* A figure of a run, or NAN if it has none; context is what the caller of
   group_summary gave. */
typedef double summary_figure(const struct record_run *run,
                              const void *context);

/* A figure of a run's latencies. */
enum latency_figure {
    LATENCY_P50, /* quantiles: NAN where they would be chance */
    LATENCY_P95,
    LATENCY_P99,
    LATENCY_P99_9,
    LATENCY_MEAN,
    LATENCY_MAX,
    LATENCY_FIGURES
};

/* In nanoseconds; NAN if there is none. */
double latency_figure(const struct record_histogram *histogram,
                      enum latency_figure figure);

/* Of these values, which have to outlive it. */
struct summary summary_make(struct arena *memory, const double *values,
                            size_t count);

#endif
