/* SPDX-License-Identifier: ISC */
/*
 * The exchanges of a DHCP server, asked for by clients who do not wait for each
 * other: at a rate, at the highest rate that is sustained, or all at once.
 */
#ifndef UBENCH_LOAD_OPENLOOP_OPEN_LOAD_H
#define UBENCH_LOAD_OPENLOOP_OPEN_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"
#include "load/exchange/exchanges.h"
#include "load/openloop/arrivals.h"
#include "load/openloop/queue.h"
#include "load/openloop/rate_search.h"
#include "load/openloop/service.h"
#include "load/openloop/storm.h"
#include "load/openloop/trial.h"

enum open_kind {
    OPEN_NONE,   /* the closed loop, which is not for this module */
    OPEN_RATE,   /* a trial at a rate */
    OPEN_SEARCH, /* for the highest rate */
    OPEN_STORM,
};

struct open_config {
    enum open_kind kind;
    double per_s;         /* OPEN_RATE */
    uint64_t duration_ns; /* of a trial; of a search: of those that decide */
    uint64_t deadline_ns;
    enum arrivals_kind arrivals;
    uint64_t queue_size;
    enum queue_policy policy;
    uint64_t clients;   /* OPEN_STORM */
    uint64_t spread_ns; /* within which they ask first */
    uint64_t hook_delay_ns;
    uint64_t hook_pool; /* threads that ask the slow service; 0: those of the
                           store do, in line */
};

struct open_result {
    enum open_kind kind;
    /* What the store was seen to do in a closed loop, before, without blocking
     * call. */
    struct service_probe capacity;
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

/* How many requests a service can have to perform, at most, but for one in a
   thousand million cases: for the memory that is taken before. */
uint64_t open_load_requests_max(double per_s, uint64_t duration_ns);

/*
 * Runs it.  exchanges says what an exchange is; its count is set here.  Each
 * trial begins on a store that was reset, with the preload.  Fills result and
 * open, which the caller releases both, and err unless the end is LOAD_DONE or
 * LOAD_INTERRUPTED.  A store that is too slow for the rate is a result.
 */
enum load_end open_load_run(const struct open_config *config,
                            const struct exchanges_config *exchanges,
                            const struct backend *backend,
                            struct session *const *sessions,
                            struct progress *progress,
                            struct load_result *result,
                            struct open_result *open, struct err *err);

void open_result_release(struct open_result *open); /* zeroed is fine */

#endif
