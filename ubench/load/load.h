/* SPDX-License-Identifier: ISC */
/*
 * The surroundings and the result of a load, whether of the phases of 2012 or of
 * the exchanges of a DHCP server.  A result is always a list of phases, each with
 * a name.  The configuration is in load/config.h.
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
struct ledger;
struct open_result;
struct ranks;
struct reconnect;
struct replay_result;

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

/* The lost connections of a run.  Zeroed: nothing ever went away. */
struct outages {
    uint64_t outages;
    uint64_t ended;       /* of these */
    uint64_t outage_ns;   /* of those that ended, together */
    uint64_t longest_ns;  /* of those */
    uint64_t connections; /* that were opened anew */
    /* Changes that were submitted and not answered; they were found to have
       been done, or were submitted again, or the run ended before. */
    uint64_t unknown;
    uint64_t found_done;
    uint64_t repeated;
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
    struct open_result *open;     /* of an open loop; else NULL */
    struct replay_result *replay; /* of a replay; else NULL */
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
