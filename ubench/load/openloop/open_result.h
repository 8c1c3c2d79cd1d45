/* SPDX-License-Identifier: ISC */
/* What comes of an open loop, beside the phases of its last trial. */
#ifndef UBENCH_LOAD_OPENLOOP_OPEN_RESULT_H
#define UBENCH_LOAD_OPENLOOP_OPEN_RESULT_H

#include "load/exchange/exchanges.h"
#include "load/openloop/rate_search.h"
#include "load/openloop/storm.h"

struct open_result {
    enum open_kind kind;
    /* What the store was seen to do in a closed loop, before, without blocking
       call. */
    struct service_capacity capacity;
    /* Trials, and of a search what was found. */
    struct rate_search search;
    /* The same load, served by simulated servers that take as long as the
       closed loop's mean, and the blocking call.  Not of a search. */
    struct trial predicted;
    size_t servers;      /* that were simulated ... */
    uint64_t service_ns; /* ... and what each takes */
    struct storm_outcome storm;
    struct storm_outcome storm_predicted;
};

static inline void open_result_release(struct open_result *open)
{
    rate_search_release(&open->search);
    trial_release(&open->predicted);
}

#endif
