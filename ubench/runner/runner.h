/* SPDX-License-Identifier: ISC */
/* Parts of a runner, each in a file of its own, for runner.c alone. */
#ifndef UBENCH_RUNNER_RUNNER_H
#define UBENCH_RUNNER_RUNNER_H

#include <stdio.h>

#include "core/err.h"
#include "core/thread.h"
#include "load/load.h"
#include "load/progress.h"
#include "measure/baselines.h"
#include "measure/host/host.h"
#include "runner/options.h"
#include "runner/result.h"
#include "store/backend.h"

/*
 * What a reader needs beside the figures: the machine, the times below which
 * nothing can go on it, and what makes the figures doubtful.
 */

struct surroundings {
    char servers[160]; /* for host_noise_sample; "" if there are none */
    char *data_path;   /* where the leases are; NULL: not on this machine */
    struct host_noise before;
    struct baselines_sync sync; /* zeroed if it was not measured */
    bool too_fast; /* a run's changes came faster than the disk can sync */
    double scanned; /* rows without an index for each operation; 0: few */
};

/* Returns 0, or -1 with err if the clock does not move. */
int surroundings_check_clock(struct err *err);

/* Before the first run, with a store that is open: measures the floors and
   describes the host, into the result.  Takes about a third of a second. */
void surroundings_begin(struct surroundings *surroundings,
                        const struct backend *backend,
                        const struct store *store, struct session *session,
                        struct result *result);

/* After each run. */
void surroundings_note_run(struct surroundings *surroundings,
                           const struct load_config *load,
                           const struct load_result *run);

/* After the last run: adds what the machine did meanwhile, and the warnings. */
void surroundings_end(struct surroundings *surroundings, struct result *result);

/* Watches over a store's durability class while a load is running: figures
   stand for a class only if it held all the time. */

struct class_watch {
    const struct backend *backend;
    struct store *store;
    struct progress *progress;
    struct ticker *ticker; /* NULL: the class cannot change */
    bool changed;          /* and err says what */
    struct err err;
};

/* Looks once a second from now on, in a thread of its own, and asks the load to
   stop if the class is another.  watch must stay where it is.  Returns 0, or
   -1 with err. */
int class_watch_begin(struct class_watch *watch, const struct backend *backend,
                      struct store *store, struct progress *progress,
                      struct err *err);

/* Looks for a last time, unless the load failed, and ends the thread.  Returns
   0, or -1 with err if the class was another at any time. */
int class_watch_end(struct class_watch *watch, bool failed, struct err *err);

/* --verify: opens a store after a crash, judges it by the ledger and prints
   the verdict, or appends it as ubench-crash/1 (results/README.md). */

enum verdict {
    VERDICT_WHOLE,  /* nothing acknowledged is missing or wrong */
    VERDICT_LOST,   /* something is */
    VERDICT_UNKNOWN /* the harness failed, with err */
};

/* store is what to open; the settings of the command line are not applied. */
enum verdict verifier_run(const struct runner_config *config,
                          const struct store_config *store,
                          const struct backend *backend, FILE *out,
                          struct err *err);

#endif
