/* SPDX-License-Identifier: ISC */
/* The configuration of a load: the options of all kinds of workload. */
#ifndef UBENCH_LOAD_CONFIG_H
#define UBENCH_LOAD_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "lease/generator.h"
#include "lease/trace.h"
#include "load/allocator.h"
#include "load/exchange/table.h"
#include "load/openloop/arrivals.h"
#include "load/openloop/trial.h"
#include "store/backend.h"

/* Options of phases and of churn. */
struct phases_config {
    double hit_ratio; /* of searches, 0..1 */
    enum lookup search_by;
    double pace_per_s; /* churn begins operations no faster; 0: without a pause */
};

/* Options of open loops. */
struct open_config {
    double per_s;         /* --rate; 0: not given */
    bool find_rate;       /* --find-rate */
    uint64_t duration_ns; /* of a trial; in a search, of the trials that decide */
    uint64_t deadline_ns;
    enum arrivals_kind arrivals;
    uint64_t queue_size;
    enum queue_policy policy;
    uint64_t clients;   /* of a storm */
    uint64_t spread_ns; /* their first requests are spread over this time */
    uint64_t hook_delay_ns;
    uint64_t hook_pool; /* threads that make the blocking call; 0: the store's threads make it
                           themselves */
};

/* Options of a replay. */
struct replay_config {
    const char *path;
    double speed;        /* times as fast as recorded; 0: as fast as possible */
    uint64_t span_ns;    /* how much of it, from its start; 0: all */
    struct trace *trace; /* read when the configuration is resolved; NULL before */
};

/* Frees the trace. */
void replay_config_release(struct replay_config *replay);

/* Options of a pool of addresses that all new clients share. */
struct pool_config {
    enum allocator_kind allocator; /* ALLOCATOR_NONE: no pool is shared */
    uint64_t size;    /* addresses, POOL_MIN..ALLOCATOR_POOL_MAX; 0: the usual number */
    double full;      /* the share that is taken when clients come, 0..1 */
    uint64_t servers; /* with an allocator each, at most as many as threads; 0 is 1 */
};

/* The configuration; each kind of workload uses some of the members. */
struct load_config {
    uint64_t count;   /* operations per phase, or exchanges; at least 1 */
    uint64_t warmup;  /* operations or exchanges before these, not counted */
    uint64_t preload; /* leases in the store before the load */
    uint64_t seed;
    uint64_t threads;      /* 1..WORKERS_MAX of all ranks together, one session each */
    uint64_t rank;         /* of this process, from 0 (load/ranks.h) */
    uint64_t ranks;        /* processes that share the run equally; 0 is 1 */
    bool in_turns;         /* it works on command (load/turns.h) */
    uint64_t batch;        /* changes or exchanges per transaction at most, at least 1 */
    uint64_t batch_ns;     /* a transaction with exchanges is committed after this time; 0: any */
    uint64_t subnets;      /* over which the leases are spread; 0 is 1 */
    bool counted;          /* the store keeps counters, which are checked */
    int latency;           /* true: record the latency of each operation, and the series */
    uint64_t read_back_ns; /* time limit of reading back; 0: see engine_load */
    enum lease_profile profile;
    enum lease_family family; /* of the store */
    struct phases_config phases;
    /* Exchanges. */
    struct mix mix;
    uint64_t candidates;     /* addresses looked up until one is free, at least 1 */
    uint64_t server_time_ns; /* processor time that a worker spends on each exchange of a client,
                                like the server's own work */
    uint64_t reservations;   /* clients with a reservation, among existing and new ones; numbers
                                beyond these belong to clients that never come.  IPv4 only */
    enum trips trips;        /* of the exchanges of clients */
    double cache_threshold;  /* share of the lifetime; a younger lease is not written again */
    struct open_config open;
    struct replay_config replay;
    struct pool_config pool;
};

/* Return the number of ranks, and the number of threads of each. */
static inline uint64_t load_ranks(const struct load_config *config)
{
    return config->ranks > 0 ? config->ranks : 1;
}
static inline uint64_t load_threads(const struct load_config *config)
{
    return config->threads / load_ranks(config);
}

#endif
