/* SPDX-License-Identifier: ISC */
/*
 * The exchanges of a DHCP server, asked for by clients that do not wait for
 * each other: what the kinds of open loop have in common.
 */
#ifndef UBENCH_LOAD_OPENLOOP_OPEN_LOAD_H
#define UBENCH_LOAD_OPENLOOP_OPEN_LOAD_H

#include "load/openloop/open_result.h"

/* What belongs to one run. */
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

/* Of all open loops, workload.run: measures what the store can do, and what a
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

/* Allocates space for a single trial.  NULL with run->err if there is no
 * memory. */
struct trial *open_load_add_trial(struct open_run *run);

/* As the options say; source is for the caller to set. */
struct server_pool_config open_load_pool(const struct open_run *run,
                                         uint64_t warmup_ns,
                                         uint64_t duration_ns,
                                         uint64_t drain_ns);

/* What simulated servers come to with the same requests; fills predicted. */
enum load_end open_load_predict(struct open_run *run,
                                const struct server_pool_config *pool);

/* One trial, for at most so many requests, and expected ones for the watcher,
   on a store that is reset and has the preload. */
enum load_end open_load_trial(struct open_run *run,
                              const struct server_pool_config *pool,
                              uint64_t requests, uint64_t expected,
                              struct trial *trial);

/* The exchanges at a rate (--rate), and the search for the highest one that is
   sustained (--find-rate). */
extern const struct workload workload_rate;
extern const struct workload workload_find_rate;

#endif
