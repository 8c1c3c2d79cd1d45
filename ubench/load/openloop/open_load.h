/* SPDX-License-Identifier: ISC */
/*
 * The exchanges of a DHCP server, asked for by clients that do not wait for
 * each other: at a rate (--rate), at the highest rate that is sustained
 * (--find-rate), or by all clients of a site that restarts (-w storm).
 *
 * Each measures first what the store can do in a closed loop.  A rate and a
 * storm are then served twice: by simulated servers, as fast as the store was
 * there, and by the store.  A store that is too slow for a rate is a result.
 */
#ifndef UBENCH_LOAD_OPENLOOP_OPEN_LOAD_H
#define UBENCH_LOAD_OPENLOOP_OPEN_LOAD_H

#include "load/openloop/rate_search.h"
#include "load/workloads.h"

/* The result of an open loop, beside the phases of its last trial. */
struct open_result {
    enum workload_kind kind;
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

/* See workload_run. */
enum load_end open_load_run(enum workload_kind kind,
                            const struct load_config *config,
                            const struct load_context *context,
                            struct load_result *result, struct err *err);

#endif
