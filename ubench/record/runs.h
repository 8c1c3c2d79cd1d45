/* SPDX-License-Identifier: ISC */
/* All complete runs of a configuration, whatever lines they stand in. */
#ifndef UBENCH_RECORD_RUNS_H
#define UBENCH_RECORD_RUNS_H

#include "core/arena.h"
#include "measure/statistics.h"
#include "record/configurations.h"

struct runs {
    size_t count; /* of complete ones */
    const struct record_run *const *items;
    size_t incomplete; /* how many there were besides */
};

/* A figure of one run; context is what runs_median was given. */
typedef double runs_figure(const struct record_run *run, const void *context);

struct runs runs_collect(struct arena *memory,
                         const struct configuration *configuration);

/* Its exact interval, see statistics.h: none (its coverage is 0) below 6 runs,
   or above STATISTICS_MAX. */
struct interval runs_interval(struct arena *memory, const struct runs *runs,
                              runs_figure *figure, const void *context);

/* The median of a figure over the runs, of which there is at least one. */
double runs_median(struct arena *memory, const struct runs *runs,
                   runs_figure *figure, const void *context);

#endif
