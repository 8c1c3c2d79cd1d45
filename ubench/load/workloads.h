/* SPDX-License-Identifier: ISC */
/*
 * The kinds of workload, and which of them a command line asks for.  Each kind has a
 * file of its own with one struct workload, which says all that others ask, and a line
 * in WORKLOADS.
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
    /* The name for --workload and a line of help.  NULL for exchanges and mixes, whose
       names are in exchange/table.h. */
    const char *name;
    const char *help;
    /* The option that asks for it, "rate", where the name does not, and whether it was
       given; or NULL. */
    const char *option;
    bool (*is_asked)(const struct load_config *config);
    /* The exchanges that a kind with a name performs, if any: a mix for IPv4
       and one for IPv6. */
    const char *mix;
    const char *mix_v6;
    /* The options that it takes beside those of all loads, by name (runner/options.c); NULL
       ends them.  One of them says how long it is: "count". */
    const char *const *options;
    const char *length;
    bool exchanges; /* its operations are exchanges, of several steps each */
    bool reads;     /* it searches for leases ... */
    bool changes;   /* ... and changes them */
    bool cut_short; /* a crash ends it, so no baselines are measured */
    /* A warm-up is another kind of load, or NULL; and it has no preload. */
    const struct workload *warm_up;
    bool warms_up_empty;
    /* Gives the defaults that depend on the kind and refuses what does not go
       together; name is what --workload says.  Returns 0, or -1 with err
       (ERR_USAGE).  NULL: there is nothing to do. */
    int (*resolve)(struct load_config *config, const char *name, struct err *err);
    /* Writes what is done, as it stands before "typical leases": "10,000 operations on
       50,000". */
    void (*describe)(const struct load_config *config, const char *name, char *text, size_t size);
    /* How many leases it ever creates: those that a ledger has room for; NULL:
       it keeps no ledger. */
    uint64_t (*leases)(const struct load_config *config);
    const struct engine_kind *closed;
    load_run *open; /* where closed is NULL: an open loop */
};

/* Names of options that several kinds take. */
#define OPTIONS_OF_CLOSED  "count", "latency"
#define OPTIONS_OF_THREADS "threads", "warmup", "ipv6", "subnets", "preload"
#define OPTIONS_OF_CLIENTS "probes", "cache-threshold", "hosts", "server-time", "print-exchange"
#define OPTIONS_OF_OPEN    "queue", "queue-policy", "hook-delay", "hook"

bool workload_takes(const struct workload *workload, const char *option);

/* Resets the store, makes the preload and runs the load.  Fills result, which
   the caller releases, and err unless the end is LOAD_DONE or
   LOAD_INTERRUPTED. */
enum load_end workload_run(const struct workload *workload, const struct load_config *config,
                           const struct load_context *context, struct load_result *result,
                           struct err *err);

/* In fill's pool each level has an address to give. */
enum { FILL_POOL_MIN = 100, EXCHANGES_CANDIDATES_MAX = 1000 };

/* All kinds, in the order in which messages name them: workload_phases and so on. */
#define WORKLOADS(each)                                                                      \
    each(phases) each(search) each(update) each(churn) each(exchanges) each(fill) each(rate) \
        each(find_rate) each(storm) each(replay)
#define WORKLOAD_DECLARED(name) extern const struct workload workload_##name;
WORKLOADS(WORKLOAD_DECLARED)

/* The same as a list; closed by NULL. */
extern const struct workload *const workload_list[];

/* The kind for what --workload says, or for an option of config that asks for one; sets
   the mix of config.  NULL with err (ERR_USAGE) if the name is unknown or the options
   cannot be combined. */
const struct workload *workload_choose(struct load_config *config, const char *name,
                                       struct err *err);

#endif
