/* SPDX-License-Identifier: ISC */
/*
 * The configuration, the surroundings and the result of a load, whether of the
 * phases of 2012 or of the exchanges of a DHCP server.  A result is always a
 * list of phases, each with a name.
 */
#ifndef UBENCH_LOAD_LOAD_H
#define UBENCH_LOAD_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lease/generator.h"
#include "load/allocator.h"
#include "load/crash/ledger.h"
#include "load/crash/reconnect.h"
#include "load/exchange/table.h"
#include "load/openloop/rate_search.h"
#include "load/progress.h"
#include "load/ranks.h"
#include "measure/histogram.h"
#include "measure/series.h"
#include "measure/usage.h"
#include "store/backend.h"

/* For sets of kinds. */
enum workload_kind {
    WORKLOAD_PHASES = 1 << 0,
    WORKLOAD_CHURN = 1 << 1,
    WORKLOAD_EXCHANGES = 1 << 2, /* in a closed loop */
    WORKLOAD_FILL = 1 << 3,
    WORKLOAD_RATE = 1 << 4,
    WORKLOAD_FIND_RATE = 1 << 5,
    WORKLOAD_STORM = 1 << 6,
    WORKLOAD_SEARCH = 1 << 7,
    WORKLOAD_UPDATE = 1 << 8,
};

struct open_config {
    double per_s;         /* of --rate */
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
    /* A pool that fills up. */
    uint64_t pool; /* addresses, FILL_POOL_MIN..ALLOCATOR_POOL_MAX */
    enum allocator_kind allocator;
};

/* The store and all else that a load is run with. */
struct load_context {
    const struct backend *backend;
    struct store *store;
    struct session **sessions; /* of each thread; reconnect replaces them */
    size_t session_count;
    struct progress *progress;
    struct properties *facts;    /* of the store, to be added to; or NULL */
    struct ledger *ledger;       /* where each change is recorded, or NULL */
    uint64_t reconnect_ns;       /* 0: what is lost is lost */
    struct reconnect *reconnect; /* workload_run makes it, or NULL */
    const char *data_path;       /* of a server on this machine, or NULL */
    struct ranks *ranks;         /* NULL: this process is alone */
    struct conductor *conductor; /* of a run in turns; else NULL */
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

/* One step of an exchange, over all exchanges of that kind. */
struct step_result {
    const char *name;      /* "request: by client-id" */
    const char *operation; /* its name in results: "find_by_client_id" */
    bool changes;          /* each hit is a commit of its own */
    uint64_t hits;
    uint64_t misses;
    double predicted; /* how many of both there should be; 0: no theory */
    struct histogram latency;
};

/* A phase, or one kind of exchange. */
struct phase_result {
    const char *name;
    bool complete; /* it was not cut short */
    uint64_t done; /* operations, or exchanges, answered rightly */
    uint64_t hits;
    uint64_t misses;
    uint64_t commits_due; /* acknowledged changes, each durable by itself
                             unless in groups */
    uint64_t begun_ns;    /* by clock_now_ns, before its first operation */
    uint64_t ended_ns;    /* after its last one */
    /* The answered operations, of a transaction that failed, too; its beginning
       and its commit are one sample of the second. */
    struct histogram operations;
    struct histogram commits;
    struct series series;
    struct usage usage;        /* of the whole process */
    uint64_t deadlocks;        /* exchanges that the store gave up for others */
    uint64_t conflicts;        /* the same, and operations, for other nodes */
    uint64_t stale;            /* answers that other nodes were ahead of */
    struct step_result *steps; /* of an exchange, in order; else NULL */
    size_t step_count;
};

/* How long a phase took.  Not the time since the phase before: rows are
   counted in between. */
static inline uint64_t phase_elapsed_ns(const struct phase_result *phase)
{
    return phase->ended_ns - phase->begun_ns;
}

double phase_rate_per_s(const struct phase_result *phase); /* NAN: no time */

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

struct load_result {
    struct phase_result *phases; /* done is 0 if not reached */
    size_t phase_count;
    bool together;  /* its phases ran mixed: each has the times of all */
    bool complete;  /* not cut short; workload_run's caller says so */
    uint64_t turns; /* that it worked in; 0: without a pause */
    uint64_t left;  /* leases counted at the end beyond those that are due */
    bool verified;  /* false if the backend keeps no leases */
    /* Leases that were read back, field by field, after all changes of them,
       and how many there were to read: the same unless that took too long. */
    uint64_t read_back;
    uint64_t read_back_of;
    /* A sum over all operations of a hash of what was asked and answered.
       The same for every store, whatever the order of the operations. */
    uint64_t digest;
    bool reconnects; /* what is lost is connected again */
    struct outages reconnect;
    struct open_result *open; /* of an open loop; else NULL */
};

void load_result_release(struct load_result *result); /* zeroed is fine */

/* The time of all phases, one after the other or together. */
uint64_t load_result_elapsed_ns(const struct load_result *result);

/* The resources that the process, its store and its server have used: ever, and
   since a sample.  Outside the timed window.  asks: the store is asked; it need
   not answer any more. */
struct usage load_sample(const struct load_context *context);
struct usage load_used(const struct load_context *context, const struct usage *since, bool asks);

#endif
