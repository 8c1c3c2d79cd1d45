/* SPDX-License-Identifier: ISC */
/*
 * Shared by all open-loop workloads, in which the exchanges of a DHCP server are requested
 * by clients that do not wait for each other: at a rate (--rate), at the highest sustained
 * rate (--find-rate), or by all clients of a site that restarts (-w storm).
 *
 * Each first measures the store's capacity in a closed loop.  A rate and a storm are then
 * served twice: by simulated servers, as fast as the store was there, and by the store.  A
 * store that is too slow for a rate is a result.
 */
#ifndef UBENCH_LOAD_OPENLOOP_OPEN_LOAD_H
#define UBENCH_LOAD_OPENLOOP_OPEN_LOAD_H

#include <pthread.h>

#include "load/engine.h"
#include "load/openloop/open_result.h"

/* The state of one run. */
struct open_run {
    struct load_config config;
    const struct load_context *context;
    struct engine *engine;        /* of the exchanges of the trial */
    struct trial *trial;          /* the current one */
    struct trial_batches batches; /* of --batch */
    uint64_t expected;            /* about how many requests it has, for progress */
    _Atomic(uint64_t) number;     /* of the next exchange */
    struct err *err;              /* filled where an end is neither LOAD_DONE nor
                                     LOAD_INTERRUPTED */
    struct load_result *result;
    struct open_result *open;
    /* Idle workers; protected by the lock. */
    pthread_mutex_t lock;
    pthread_cond_t freed;
    size_t free_count;
    size_t free[WORKERS_MAX];
};

/* Runs an open-loop workload: measures the store's capacity in a closed loop,
   then calls measure.  The result has the phases of the last trial begun. */
enum load_end open_load(const struct load_config *config, const struct load_context *context,
                        enum load_end (*measure)(struct open_run *run), struct load_result *result,
                        struct err *err);

/* Runs one trial twice: simulated first, then against the store. */
enum load_end open_load_once(struct open_run *run,
                             enum load_end (*make)(struct open_run *run, struct trial *trial));

/* Runs a trial, whose source is set, against the store or simulated servers.
   most is the greatest possible number of requests, expected the likely one.
   The result has the phases of the last trial begun. */
enum load_end open_load_try(struct open_run *run, struct trial *trial, uint64_t most,
                            uint64_t expected);

/* Runs a trial, whose times and rate are set, with arrivals drawn from seed.
   context is the struct open_run. */
enum load_end open_load_try_rate(void *context, struct trial *trial, uint64_t seed);

/* Adapts config to a trial of that many requests: sets the preload so that the
   clients suffice even if one worker serves all requests.  progress may be
   NULL, see exchange_plan_make.  Returns 0, or -1 with err if that takes too
   many leases. */
int open_load_plan(struct load_config *config, uint64_t requests, struct progress *progress,
                   struct err *err);

/* Returns a number of requests that a Poisson process with that mean exceeds
   with a probability below 1e-9, to reserve memory for. */
uint64_t open_load_requests_max(double mean);

/* For a workload's resolve: refuses --queue=dedup where no client sends a
   request twice. */
int open_load_refuse_dedup(const struct load_config *config, struct err *err);

/* For a workload's describe: writes "exchanges (dora) of 10,000 clients with". */
void open_load_describe(const struct load_config *config, const char *name, char *text,
                        size_t size);

#endif
