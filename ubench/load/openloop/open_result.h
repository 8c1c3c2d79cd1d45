/* SPDX-License-Identifier: ISC */
/* The results that only open-loop workloads have. */
#ifndef UBENCH_LOAD_OPENLOOP_OPEN_RESULT_H
#define UBENCH_LOAD_OPENLOOP_OPEN_RESULT_H

#include "load/load.h"
#include "load/openloop/arrivals.h"
#include "load/openloop/rate_search.h"

/* Extends struct load_result, which has the phases of the last trial. */
struct open_result {
    bool is_search; /* --find-rate */
    bool is_storm;
    /* All exchanges of the closed loop that ran first, without --hook. */
    struct phase_result closed;
    /* The trials, and the bounds if it is a search. */
    struct rate_search search;
    /* The simulated trial, unless it is a search. */
    struct trial predicted;
    size_t servers;      /* simulated */
    uint64_t service_ns; /* their service time: the closed loop's mean plus the
                            hook's */
    struct storm_outcome storm;
    struct storm_outcome storm_predicted;
};

void open_result_free(struct open_result *open); /* NULL is fine */

#endif
