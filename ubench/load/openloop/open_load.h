/* SPDX-License-Identifier: ISC */
/* What all loads in an open loop have in common: the closed loop before, and trials. */
#ifndef UBENCH_LOAD_OPENLOOP_OPEN_LOAD_H
#define UBENCH_LOAD_OPENLOOP_OPEN_LOAD_H

#include <pthread.h>

#include "load/engine.h"
#include "load/openloop/open_result.h"

/* The state of one run. */
struct open_run {
    struct load_config config;
    const struct load_context *context;
    struct engine *engine;    /* of the exchanges of the trial */
    struct trial *trial;      /* that the store serves ... */
    uint64_t expected;        /* ... about so many requests, for the watcher */
    _Atomic(uint64_t) number; /* of the next exchange */
    struct err *err;          /* filled where an end is neither LOAD_DONE nor
                                 LOAD_INTERRUPTED */
    struct load_result *result;
    struct open_result *open;
    /* The workers that no thread of the hook uses; under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t freed;
    size_t free_count;
    size_t free[WORKERS_MAX];
};

/* Measures in an open loop: finds out how much the store can do in a closed one, and calls measure
   for the rest.  The result has the phases of the last trial that began. */
enum load_end open_load(const struct load_config *config, const struct load_context *context,
                        enum load_end (*measure)(struct open_run *run), struct load_result *result,
                        struct err *err);

/* Makes one trial by simulated servers, and the same by the store. */
enum load_end open_load_once(struct open_run *run,
                             enum load_end (*make)(struct open_run *run, struct trial *trial));

/* Makes a trial, whose source is set, by the store or by simulated servers:
   most requests at most, and about so many as expected.  The result has the
   phases of the last trial that began. */
enum load_end open_load_try(struct open_run *run, struct trial *trial, uint64_t most,
                            uint64_t expected);

/* Makes a trial, whose times and rate are set, by the draws of seed.  context is the
   run. */
enum load_end open_load_try_rate(void *context, struct trial *trial, uint64_t seed);

/* Makes config that of a trial of so many requests: it begins with as many
   clients as are needed even if one worker serves all requests.  progress may
   be NULL, see exchange_plan_make.  Returns 0, or -1 with err: there may be too
   many leases. */
int open_load_plan(struct load_config *config, uint64_t requests, struct progress *progress,
                   struct err *err);

/* At most so many requests come, but for one in a thousand million cases, if
   that is their mean: for the memory that is taken before. */
uint64_t open_load_requests_max(double mean);

/* For resolve, where no client sends the same request twice. */
int open_load_refuse_dedup(const struct load_config *config, struct err *err);

/* For describe: "exchanges (dora) of 10,000 clients with". */
void open_load_describe(const struct load_config *config, const char *name, char *text,
                        size_t size);

#endif
