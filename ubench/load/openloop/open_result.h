/* SPDX-License-Identifier: ISC */
/* The result of an open loop, beside that of every load. */
#ifndef UBENCH_LOAD_OPENLOOP_OPEN_RESULT_H
#define UBENCH_LOAD_OPENLOOP_OPEN_RESULT_H

#include "load/load.h"
#include "load/openloop/arrivals.h"
#include "load/openloop/rate_search.h"

/* The result of an open loop, beside the phases of its last trial. */
struct open_result {
    bool is_search; /* a rate was looked for */
    bool is_storm;
    /* All kinds of exchanges in a closed loop, before, without a hook. */
    struct phase_result closed;
    /* Trials, and of a search what was found. */
    struct rate_search search;
    /* The trial of the simulated servers.  Not of a search. */
    struct trial predicted;
    size_t servers;      /* that were simulated ... */
    uint64_t service_ns; /* ... and what each takes: the closed loop's mean, and
                            the hook */
    struct storm_outcome storm;
    struct storm_outcome storm_predicted;
};

void open_result_free(struct open_result *open); /* NULL is fine */

#endif
