/* SPDX-License-Identifier: ISC */
/*
 * The kinds of workload, and the choice of one by the command line.  Each kind has a file of
 * its own with one struct workload, which has what other parts need to know, and an entry in
 * WORKLOADS.
 */
#ifndef UBENCH_LOAD_WORKLOADS_H
#define UBENCH_LOAD_WORKLOADS_H

#include "load/config.h"
#include "load/load.h"

struct engine_kind;

/* See workload_run. */
typedef enum load_end load_run(const struct load_config *config, const struct load_context *context,
                               struct load_result *result, struct err *err);

struct workload {
    /* Its name for --workload and a line of help.  NULL for exchanges and mixes, whose names
       are in exchange/table.h. */
    const char *name;
    const char *help;
    /* The option that selects it instead of a name ("rate"), and whether that was given; or
       NULL. */
    const char *option;
    bool (*is_asked)(const struct load_config *config);
    /* The exchanges of a kind with a name, if it performs any: a mix for IPv4 and one for
       IPv6. */
    const char *mix;
    const char *mix_v6;
    /* The names of its options in addition to those of all loads
       (runner/options/options_table.c), ended by NULL; and the one that sets its length:
       "count". */
    const char *const *options;
    const char *length;
    bool exchanges; /* its operations are exchanges of several steps */
    bool reads;     /* searches for leases ... */
    bool changes;   /* ... changes leases */
    bool cut_short; /* a crash ends it, so baselines are not measured */
    bool by_level;  /* its phases are levels of a pool, of which no mean is a figure */
    /* The kind that warms up, or NULL if it is the same; and whether the warm-up has no
       preload. */
    const struct workload *warm_up;
    bool warms_up_empty;
    /* Sets the defaults that depend on the kind and refuses what cannot be combined; name is
       the value of --workload.  Returns 0, or -1 with err (ERR_USAGE).  NULL: nothing to do. */
    int (*resolve)(struct load_config *config, const char *name, struct err *err);
    /* Writes what the load does, as it stands before "typical leases": "10,000 operations on
       50,000". */
    void (*describe)(const struct load_config *config, const char *name, char *text, size_t size);
    /* Returns the number of leases that it creates in all, for which a ledger has room.  NULL:
       it keeps no ledger. */
    uint64_t (*leases)(const struct load_config *config);
    const struct engine_kind *closed;
    load_run *open; /* an open loop, if closed is NULL */
};

/* Names of options that several kinds have. */
#define OPTIONS_OF_CLOSED  "count", "latency"
#define OPTIONS_OF_THREADS "threads", "warmup", "ipv6", "subnets", "preload"
#define OPTIONS_OF_POOL    "threads", "allocator", "pool", "servers"
#define OPTIONS_OF_CLIENTS \
    "probes", "cache-threshold", "hosts", "trips", "batch", "server-time", "print-exchange"
#define OPTIONS_OF_OPEN "queue", "queue-policy", "hook-delay", "hook"

/* Returns true if the workload takes the option of that name. */
bool workload_takes(const struct workload *workload, const char *option);

/* Empties the store, creates the preload and runs the load.  Fills result, which the caller
   releases; sets err unless the end is LOAD_DONE or LOAD_INTERRUPTED. */
enum load_end workload_run(const struct workload *workload, const struct load_config *config,
                           const struct load_context *context, struct load_result *result,
                           struct err *err);

/* A pool of POOL_MIN has a free address at each level of fill but the last. */
enum { POOL_MIN = 100, POOL_SERVERS_MAX = 64, EXCHANGES_CANDIDATES_MAX = 1000 };

/* All kinds, in the order in which messages name them: workload_phases and so on. */
#define WORKLOADS(each)                                                                      \
    each(phases) each(search) each(update) each(churn) each(exchanges) each(pool) each(fill) \
        each(rate) each(find_rate) each(storm) each(replay)
#define WORKLOAD_DECLARED(name) extern const struct workload workload_##name;
WORKLOADS(WORKLOAD_DECLARED)

/* The same, ended by NULL. */
extern const struct workload *const workload_list[];

/* Returns the kind for the value of --workload, or for an option of config that selects one,
   and sets the mix of config.  NULL with err (ERR_USAGE) if the name is unknown or the options
   cannot be combined. */
const struct workload *workload_choose(struct load_config *config, const char *name,
                                       struct err *err);

#endif
