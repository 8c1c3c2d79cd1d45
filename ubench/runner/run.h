/* SPDX-License-Identifier: ISC */
/*
 * The runs of a command line and what they need, for the files that do them: runner.c does all
 * runs and reports them, run_store.c opens and describes the store of each, run_load.c runs its
 * load.
 */
#ifndef UBENCH_RUNNER_RUN_H
#define UBENCH_RUNNER_RUN_H

#include <pthread.h>
#include <stdbool.h>

#include "core/workers.h"
#include "load/crash/ledger.h"
#include "load/load.h"
#include "runner/monitor.h"
#include "runner/options/options.h"
#include "runner/result.h"
#include "runner/runner.h"

/* Everything that must be released, in the order in which it is acquired. */
struct run {
    const struct runner_config *config;
    struct result result;
    struct progress *progress;
    struct surroundings surroundings;
    struct monitor *monitor;
    struct ranks *ranks;         /* NULL: a single process */
    struct conductor *conductor; /* NULL: without --turns */
    struct event_counters *counters;
    struct ledger ledger; /* zeroed: no ledger */
    struct store *store;
    struct session *sessions[WORKERS_MAX];
    struct load_result load;  /* current run */
    pthread_mutex_t sampling; /* protects activity, and the store's sample and check_class */
    struct activity activity; /* of the current run */
    struct err class_change;  /* in the current run; "": none */
    bool changed;             /* the class changed, or the clock stood still: no figures */
    bool canceled;            /* the conductor has gone */
    bool wrong;               /* the store gave a wrong answer: no figures */
    bool over;                /* a run of several ranks ended early: no rank does another */
    struct err broken;        /* a setting could not be restored; "": none */
};

/* Returns true in the first rank, which reports; the others print nothing. */
static inline bool run_is_first(const struct run *run)
{
    return run->config->load.rank == 0;
}

/* Returns true if this rank measures baselines: only the first does, and not in
   a run that a crash will cut short, which has no time for them. */
static inline bool run_has_baselines(const struct run *run)
{
    const struct runner_config *const config = run->config;

    return run_is_first(run) && (!config->workload->cut_short || config->load.in_turns);
}

/* --- Its store: run_store.c --- */

/* Opens a fresh store with all its sessions.  Returns 0, or -1 with err; call run_close_store in
   both cases. */
int run_open_store(struct run *run, struct err *err);

/* Closes the store, in whatever state it is.  Returns 0, or -1 with err if something could not be
   restored. */
int run_close_store(struct run *run, struct err *err);

/* Describes the origin of the figures in the result, and prints it, before the first run: creates
   the ledger and measures baselines as well.  Before each other run checks that the durability
   class is still the same.  Returns 0, or -1 with err. */
int run_describe_store(struct run *run, struct err *err);

/* Asks the store what the loss of its machine loses.  The result keeps the lowest answer before and
   after any run. */
void run_note_node_loss(struct run *run);

/* --- Its load: run_load.c --- */

/* Does one run, with its warm-up, on the open store.  Puts its figures in run->load, and sets wrong
   or changed if they must not be shown.  Returns 0, or -1 with err. */
int run_once(struct run *run, struct err *err);

#endif
