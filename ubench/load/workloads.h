/* SPDX-License-Identifier: ISC */
/*
 * The kinds of workload, and which of them a command line asks for.  Each kind
 * has files of its own, which define one struct workload, and a line in the
 * list of workloads.c.  The options that it takes are in runner/options.c.
 */
#ifndef UBENCH_LOAD_WORKLOADS_H
#define UBENCH_LOAD_WORKLOADS_H

#include "load/load.h"

struct engine_kind;
struct workload;

/* See workload_run. */
typedef enum load_end load_run(const struct workload *workload, const struct load_config *config,
                               const struct load_context *context, struct load_result *result,
                               struct err *err);

struct workload {
    enum workload_kind kind;
    /* The name for --workload and a line of help.  NULL for exchanges and mixes, whose
       names are in exchange/table.h. */
    const char *name;
    const char *help;
    /* The option that asks for it, "rate", where the name does not; or NULL. */
    const char *option;
    /* The exchanges that a kind with a name performs, if any: a mix for IPv4
       and one for IPv6. */
    const char *mix;
    const char *mix_v6;
    bool exchanges; /* its operations are exchanges, of several steps each */
    bool cut_short; /* a crash ends it, so no baselines are measured */
    /* Gives the defaults that depend on the kind and refuses what does not go
       together; name is what --workload says.  Returns 0, or -1 with err
       (ERR_USAGE).  NULL: there is nothing to do. */
    int (*resolve)(struct load_config *config, const char *name, struct err *err);
    /* How many leases it ever creates: those that a ledger has room for; NULL:
       it keeps no ledger. */
    uint64_t (*leases)(const struct load_config *config);
    const struct engine_kind *closed;
    /* Where closed is NULL: it is an open loop, for which exchanges warm up. */
    load_run *open;
};

/* Resets the store, makes the preload and runs the load.  Fills result, which
   the caller releases, and err unless the end is LOAD_DONE or
   LOAD_INTERRUPTED. */
enum load_end workload_run(const struct workload *workload, const struct load_config *config,
                           const struct load_context *context, struct load_result *result,
                           struct err *err);

/* The phases in order, three of them mixed (churn), and two alone. */
enum phase_name {
    PHASE_CREATE,
    PHASE_SEARCH,
    PHASE_UPDATE,
    PHASE_DELETE,
    PHASE_COUNT,
};
extern const struct workload workload_phases;
extern const struct workload workload_churn;
extern const struct workload workload_search;
extern const struct workload workload_update;

/* In one thread, IPv4, without a preload.  config->count is new clients per
   level, at most half of the addresses that are free there.  A pool has enough
   addresses that each level has one to give. */
enum { FILL_POOL_MIN = 100 };
extern const struct workload workload_fill;

/* In a closed loop: exchange number i in worker i modulo threads.  With a mix,
   at least one candidate, and a batch of 1. */
enum { EXCHANGES_CANDIDATES_MAX = 1000 };
extern const struct workload workload_exchanges;

/*
 * In an open loop: the exchanges of a DHCP server, asked for by clients that do
 * not wait for each other: at a rate (--rate), at the highest rate that is
 * sustained (--find-rate), or by all clients of a site that restarts (-w
 * storm).
 *
 * Each measures first what the store can do in a closed loop.  A rate and a
 * storm are then served twice: by simulated servers, as fast as the store was
 * there, and by the store.  A store that is too slow for a rate is a result.
 */
extern const struct workload workload_rate;
extern const struct workload workload_find_rate;
extern const struct workload workload_storm;

/* All of them, in the order in which messages name them; closed by NULL. */
extern const struct workload *const workload_list[];

/* The kind for what --workload says, and --rate (in config) and --find-rate;
   sets the mix of config.  NULL with err (ERR_USAGE) if the name is unknown or the
   options cannot be combined. */
const struct workload *workload_choose(struct load_config *config, const char *name, bool find_rate,
                                       struct err *err);

#endif
