/* SPDX-License-Identifier: ISC */
/*
 * The exchanges of a DHCP server, asked for by clients that do not wait for
 * each other: what the kinds of open loop have in common.
 */
#ifndef UBENCH_LOAD_OPENLOOP_OPEN_LOAD_H
#define UBENCH_LOAD_OPENLOOP_OPEN_LOAD_H

#include "load/exchange/exchanges.h"
#include "load/openloop/rate_search.h"
#include "load/openloop/storm.h"

/* The result of an open loop, beside the phases of its last trial. */
struct open_result {
    enum open_kind kind;
    /* Measured in a closed loop, before, without blocking call. */
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

/* The state of one run. */
struct open_run {
    struct load_config config;
    const struct load_context *context;
    struct engine *engine;    /* of the exchanges, or NULL */
    _Atomic(uint64_t) number; /* of the next exchange */
    _Atomic(int) end;         /* enum load_end: the worst of all exchanges */
    struct err *err; /* what functions that return an end fill, unless that is
                        LOAD_DONE or LOAD_INTERRUPTED */
    struct load_result *result;
    struct open_result *open;
};

/* workload.run for all open loops: measures what the store can do, and what a
   simulated server would take, and then calls the workload's trials, whose end
   it returns.  A store that is too slow for a rate is a result. */
enum load_end open_load_run(const struct workload *workload,
                            const struct load_config *config,
                            const struct load_context *context,
                            struct load_result *result, struct err *err);

/*
 * Makes config that of a trial of so many requests: it begins with as many
 * clients as are needed even if one worker serves all requests.  progress may
 * be NULL, see exchange_plan_kinds.  Returns 0, or -1 with err: there may be
 * too many leases.
 */
int open_load_plan(struct load_config *config, uint64_t requests,
                   struct progress *progress, struct err *err);

/* Allocates a single trial.  NULL with run->err if there is no memory. */
struct trial *open_load_add_trial(struct open_run *run);

/* Serves the same requests by simulated servers: predicted.  Here and below the
   caller has set source, times and rate, and the queue is as the options say.
 */
enum load_end open_load_predict(struct open_run *run);

/* One trial, for at most so many requests, and expected ones
   for the watcher, on a store that is reset and has the preload. */
enum load_end open_load_trial(struct open_run *run, struct trial *trial,
                              uint64_t requests, uint64_t expected);

/* The exchanges at a rate (--rate), and the search for the highest one that is
   sustained (--find-rate). */
extern const struct workload workload_rate;
extern const struct workload workload_find_rate;

#endif
