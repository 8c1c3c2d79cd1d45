/* SPDX-License-Identifier: ISC */
/*
 * The context and the result of a load, whether of the phases of 2012 or of the exchanges of a
 * DHCP server.  A result is always a list of phases, each with a name.  The configuration is in
 * load/config.h.
 */
#ifndef UBENCH_LOAD_LOAD_H
#define UBENCH_LOAD_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/progress.h"
#include "measure/histogram.h"
#include "measure/series.h"
#include "measure/usage.h"
#include "store/backend.h"

struct conductor;
struct event_counters;
struct ledger;
struct open_result;
struct ranks;
struct reconnect;
struct replay_result;

/* What a load works with, besides its configuration. */
struct load_context {
    const struct backend *backend;
    struct store *store;
    struct session **sessions; /* one per thread; reconnect replaces them */
    size_t session_count;
    struct progress *progress;
    struct properties *facts;        /* of the store; a load adds to them; or NULL */
    struct ledger *ledger;           /* where each change is recorded, or NULL */
    uint64_t reconnect_ns;           /* 0: a lost connection ends the run */
    struct reconnect *reconnect;     /* made by workload_run; or NULL */
    const char *data_path;           /* of a server on this machine, or NULL */
    struct ranks *ranks;             /* NULL: a single process */
    struct conductor *conductor;     /* in a run in turns; else NULL */
    struct event_counters *counters; /* of instructions; or NULL */
    /* Called just before and just after the timed part of a phase, or NULL. */
    void (*on_edge)(void *on_edge_context);
    void *on_edge_context;
};

/* One step of an exchange, summed over all exchanges of the kind. */
struct step_result {
    const char *name;      /* "request: by client-id" */
    const char *operation; /* its name in results: "find_by_client_id" */
    bool changes;          /* each hit is a commit of its own */
    uint64_t hits;
    uint64_t misses;
    double predicted; /* expected number of hits and misses; 0: not known */
    struct histogram latency;
};

/* What became of the offers of a shared pool (load/pool/pool.h): an offer is an address that a
   client's DISCOVER found free. */
struct allocation_counts {
    uint64_t offered;
    uint64_t offered_twice; /* offers of an address that another client was offered or had just got;
                               with several ranks also those lost to another rank's client */
    uint64_t lost;          /* offers whose address another client had when theirs asked for it */
    uint64_t lost_on_insert; /* of the lost ones, those that the insert of the lease found out */
};

/* A phase, or one kind of exchange. */
struct phase_result {
    const char *name;
    bool complete; /* not cut short */
    uint64_t done; /* operations, or exchanges, with the right answer */
    uint64_t hits;
    uint64_t misses;
    uint64_t commits_due; /* acknowledged changes; each is a commit unless grouped */
    uint64_t begun_ns;    /* before its first operation (clock_now_ns) */
    uint64_t ended_ns;    /* after its last operation */
    /* Latencies: of the answered operations, including those of transactions that failed; and
       of transactions, one sample for the begin and the commit. */
    struct histogram operations;
    struct histogram commits;
    struct series series;
    struct usage usage;   /* of the whole process */
    uint64_t deadlocks;   /* exchanges that the store gave up because of others */
    uint64_t conflicts;   /* exchanges and operations given up because of other nodes */
    uint64_t stale;       /* answers of nodes that lagged behind others */
    uint64_t round_trips; /* of exchanges with --trips other than series; else 0 */
    struct allocation_counts allocation;
    struct step_result *steps; /* of an exchange, in order; else NULL */
    size_t step_count;
};

/* Returns how long a phase took.  The time since the phase before would be longer: leases are
   counted in between. */
static inline uint64_t phase_elapsed_ns(const struct phase_result *phase)
{
    return phase->ended_ns - phase->begun_ns;
}

double phase_rate_per_s(const struct phase_result *phase); /* NAN: it took no time */

/* Lost connections of a run.  Zeroed: none. */
struct outages {
    uint64_t outages;
    uint64_t ended;       /* outages that ended */
    uint64_t outage_ns;   /* total of the outages that ended */
    uint64_t longest_ns;  /* longest of these */
    uint64_t connections; /* opened again */
    /* Changes without an answer.  They were found to be done, or were submitted again; or the
       run ended first. */
    uint64_t unknown;
    uint64_t found_done;
    uint64_t repeated;
};

struct load_result {
    struct phase_result *phases; /* done is 0 in phases that were not reached */
    size_t phase_count;
    bool together;  /* the phases ran mixed; each has the times of all */
    bool complete;  /* not cut short; set by the caller of workload_run */
    uint64_t turns; /* 0: not in turns */
    uint64_t left;  /* leases in the store at the end beyond the expected ones */
    bool verified;  /* false if the backend keeps no leases */
    /* Leases that were read back, field by field, after their last change, and how many there
       were to read: the same unless that took too long. */
    uint64_t read_back;
    uint64_t read_back_of;
    /* Sum of a hash of each operation's question and answer.  The same for every store and in
       any order of the operations. */
    uint64_t digest;
    bool reconnects; /* lost connections are opened again */
    struct outages reconnect;
    struct open_result *open;     /* of an open loop; else NULL */
    struct replay_result *replay; /* of a replay; else NULL */
    struct activity activity;     /* of --activity; else empty */
};

void load_result_release(struct load_result *result); /* zeroed is fine */

/* Returns the time of all phases, which ran one after the other or together. */
uint64_t load_result_elapsed_ns(const struct load_result *result);

/* Return the resources that the process, its store and its server have used: in total, and
   since a sample.  Call them outside the timed window. asks is false if the store may no longer
   answer. */
struct usage load_sample(const struct load_context *context);
struct usage load_used(const struct load_context *context, const struct usage *since, bool asks);

#endif
