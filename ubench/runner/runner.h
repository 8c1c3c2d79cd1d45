/* SPDX-License-Identifier: ISC */
/* Parts of a runner, each in a file of its own, for runner.c alone. */
#ifndef UBENCH_RUNNER_RUNNER_H
#define UBENCH_RUNNER_RUNNER_H

#include "core/err.h"
#include "load/load.h"
#include "measure/host/host.h"
#include "runner/options.h"
#include "runner/result.h"
#include "store/backend.h"

/* Facts that a reader needs beside the figures: the machine, the times below
   which nothing can go on it, and what makes the figures doubtful. */
struct surroundings {
    const char *servers; /* for host_noise_sample; NULL: there are none */
    char *data_path;     /* where the leases are; NULL: not on this machine */
    struct host_noise before;
    bool too_fast;  /* a run's changes came faster than the disk can sync */
    double scanned; /* rows without an index for each operation; 0: few */
};

/* Returns 0, or -1 with err if the clock does not move. */
int surroundings_check_clock(struct err *err);

/* Before the first run, with a store that is open: measures the floors and
   describes the host, into the result.  Takes about a third of a second. */
void surroundings_begin(struct surroundings *surroundings, const struct store *store,
                        struct session *session, struct result *result);

/* After each run. */
void surroundings_note_run(struct surroundings *surroundings, const struct result *result,
                           const struct load_result *run);

/* After the last run: adds what the machine did meanwhile, and the warnings. */
void surroundings_end(struct surroundings *surroundings, struct result *result);

/* Before a run of several ranks, by all of them: notes in the first rank's result on which
   machines they are, and refuses ranks that were started in different ways (ERR_USAGE).
   The result has room for as many machines as there are ranks. */
int together_begin(struct ranks *ranks, struct result *result, struct err *err);

/* Whenever a rank may have failed, by all of them: returns the exit status of the rank that
   ended worst; err becomes that rank's. */
int together_end(struct ranks *ranks, int status, struct err *err);

/*
 * --verify: opens the store after a crash, without the settings of the command
 * line, judges it by the ledger, and prints the verdict or appends it as
 * ubench-crash/1 (results/README.md).  *whole: nothing acknowledged is missing
 * or wrong.  Returns 0, or -1 with err if the store could not be judged.
 */
int verifier_run(const struct runner_config *config, bool *whole, struct err *err);

/*
 * Calls program in a thread with a stack of 1 MiB, so that the stack of main
 * does not matter, and returns what it returns.  Signals go to the threads of
 * program alone, and descriptors that it opens are its own.  Where no thread
 * can be started, it is called as it is.
 *
 * Standard streams that were closed are none of its files, and a closed pipe
 * (EPIPE) and a file that reached its limit (EFBIG, ulimit -f) are errors like
 * others, which leave time to put things back.  An output that did not arrive
 * is no success: standard error says so, and 1 is returned.
 */
int program_run(int (*program)(int argc, char **argv), int argc, char **argv);

#endif
