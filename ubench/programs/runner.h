/* SPDX-License-Identifier: ISC */
/* Parts of a runner, each in a file of its own, for runner.c alone. */
#ifndef UBENCH_PROGRAMS_RUNNER_H
#define UBENCH_PROGRAMS_RUNNER_H

#include <stdio.h>

#include "core/arena.h"
#include "core/err.h"
#include "core/thread.h"
#include "load/load.h"
#include "load/progress.h"
#include "measure/baselines.h"
#include "measure/host/host.h"
#include "programs/options.h"
#include "record/record.h"
#include "store/backend.h"

/*
 * What a reader needs beside the figures: the machine, what nothing can be
 * faster than on it, and what makes the figures doubtful.
 */

struct provenance {
    const char *servers; /* of host_noise_sample, in the record's memory */
    struct properties host;
    struct host_noise before;
    struct baselines_sync sync; /* zeroed if it was not measured */
    bool too_fast; /* a run's changes came faster than the disk can sync */
};

/* Before the first run, with a store that is open: measures the baselines and
   describes the host, into the record and its memory.  Takes about a third of a
   second. */
void provenance_begin(struct provenance *provenance,
                      const struct backend *backend, const struct store *store,
                      struct session *session, const struct load_config *load,
                      struct arena *memory, struct record *record);

/* After each run. */
void provenance_note_run(struct provenance *provenance,
                         const struct load_config *load,
                         const struct load_result *run);

/* After the last run: adds what the machine did meanwhile, and the warning. */
void provenance_end(struct provenance *provenance, struct arena *memory,
                    struct record *record);

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

/* What a load came to, as a run of a record. */

/* Everything is copied but for the names of phases and steps.  complete is
   false if the run was cut short. */
struct record_run run_record_make(struct arena *memory,
                                  const struct load_result *result,
                                  bool complete);

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
