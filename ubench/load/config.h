/* SPDX-License-Identifier: ISC */
/* The configuration of a load: what users ask for, of all kinds of workload. */
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

/* An open loop. */
struct open_config {
    double per_s;         /* of --rate; 0: not asked for */
    bool find_rate;       /* --find-rate */
    uint64_t duration_ns; /* of a trial; of a search: of those that decide */
    uint64_t deadline_ns;
    enum arrivals_kind arrivals;
    uint64_t queue_size;
    enum queue_policy policy;
    uint64_t clients;   /* of a storm */
    uint64_t spread_ns; /* within which they ask first */
    uint64_t hook_delay_ns;
    uint64_t hook_pool; /* threads that make the blocking call; 0: those of the
                           store do, in line */
};

/* The replay of a trace. */
struct replay_config {
    const char *path;
    double speed;        /* how many times as fast as it was; 0: as fast as possible */
    struct trace *trace; /* read when the configuration is resolved; NULL: not yet */
};

/* Frees the trace. */
void replay_config_release(struct replay_config *replay);

/* The configuration; each kind of workload uses a part of it. */
struct load_config {
    uint64_t count;   /* operations per phase, or exchanges; at least 1 */
    uint64_t warmup;  /* as many before, not counted */
    uint64_t preload; /* leases that are there before */
    uint64_t seed;
    uint64_t threads;      /* 1..WORKERS_MAX, a session each; of all ranks */
    uint64_t rank;         /* of this process, from 0 (load/ranks.h) */
    uint64_t ranks;        /* processes that share the run equally; 0 is 1 */
    bool in_turns;         /* it works when it is told to (load/turns.h) */
    uint64_t batch;        /* changes per transaction, at least 1 */
    uint64_t subnets;      /* that the leases are spread over; 0 is 1 */
    bool counted;          /* the store has counters, which are checked */
    int latency;           /* true: record that of each operation, and the series */
    uint64_t read_back_ns; /* ends the reading back; 0: see engine_load */
    enum lease_profile profile;
    enum lease_family family; /* that of the store */
    /* Phases and churn. */
    double hit_ratio; /* of searches, 0..1 */
    enum lookup search_by;
    double pace_per_s; /* operations of churn begin no faster; 0: at once */
    /* Exchanges. */
    struct mix mix;
    uint64_t candidates;     /* addresses looked up until one is free, at least 1 */
    uint64_t server_time_ns; /* of its processor that a worker uses up beside
                                each exchange of a client: a server's work */
    uint64_t reservations;   /* clients that have one, of all there are or will
                                be; those beyond belong to clients that never
                                come.  IPv4 alone */
    double cache_threshold;  /* of its lifetime: none younger is written */
    struct open_config open;
    struct replay_config replay;
    /* A pool that fills up. */
    uint64_t pool; /* addresses, FILL_POOL_MIN..ALLOCATOR_POOL_MAX */
    enum allocator_kind allocator;
};

/* How many ranks there are, and how many threads each of them has. */
static inline uint64_t load_ranks(const struct load_config *config)
{
    return config->ranks > 0 ? config->ranks : 1;
}
static inline uint64_t load_threads(const struct load_config *config)
{
    return config->threads / load_ranks(config);
}

#endif
