/* SPDX-License-Identifier: ISC */
/* The parts of a runner, each in its own file, for main.c and the files of a run (run.h). */
#ifndef UBENCH_RUNNER_RUNNER_H
#define UBENCH_RUNNER_RUNNER_H

#include "core/err.h"
#include "load/load.h"
#include "measure/host/host.h"
#include "runner/options/options.h"
#include "runner/result.h"
#include "store/backend.h"

enum exit_code { EXIT_STORE = 1, EXIT_USAGE = 2, EXIT_WRONG = 3 };

/* Prints an error on standard error, after the runner's name. */
void runner_complain(const char *text);

/* Prints err and returns code. */
int runner_fail(const struct err *err, int code);

/* Does the runs that the command line specifies, and reports them.  Returns the exit status. */
int runner_benchmark(const struct options *options, const struct runner_config *config,
                     struct ranks *ranks);

/* What a reader needs besides the figures: the machine, its baselines, and what
   makes the figures doubtful. */
struct surroundings {
    const char *servers; /* for host_noise_sample; NULL: none */
    const char *writers; /* the processes that write the leases; NULL: this one */
    char *data_path;     /* where the leases are; NULL: not on this machine */
    struct host_noise before;
    bool too_fast;  /* a run changed leases faster than the disk can sync */
    double scanned; /* rows per operation read without an index; 0: too few for a warning */
};

/* Returns 0, or -1 with err if the clock does not advance. */
int surroundings_check_clock(struct err *err);

/* Call before the first run, with an open store: measures the baselines and
   describes the host, in the result.  Takes about a third of a second. */
void surroundings_begin(struct surroundings *surroundings, const struct store *store,
                        struct session *session, struct result *result);

/* Call after each run. */
void surroundings_note_run(struct surroundings *surroundings, const struct result *result,
                           const struct load_result *run);

/* Adds a sample of what the store does. */
void surroundings_sample(const struct surroundings *surroundings, struct store *store,
                         struct activity *activity);

/* Call after the last run: adds what else the machine did during the runs, and
   the warnings. */
void surroundings_end(struct surroundings *surroundings, struct result *result);

/* Called by all ranks before a run: records in the first rank's result on which
   machines they are, and refuses ranks that were started differently
   (ERR_USAGE).  result->machines has space for one machine per rank.  Returns
   0, or -1 with err. */
int together_begin(struct ranks *ranks, struct result *result, struct err *err);

/* Called by all ranks whenever one may have failed.  Returns the exit status of
   the rank with the worst end, and sets err to the error of that rank. */
int together_end(struct ranks *ranks, int status, struct err *err);

/*
 * Does --verify: opens the store after a crash, without the settings of the
 * command line, compares it with the ledger, and prints the verdict or appends
 * it as ubench-crash/1 (results/README.md).  Sets *whole if no acknowledged
 * change is missing or wrong.  Returns 0, or -1 with err if the store could not
 * be compared.
 */
int verifier_run(const struct runner_config *config, bool *whole, struct err *err);

/*
 * Calls program in a thread with a stack of 1 MiB, so that the stack of main
 * does not matter, and returns its exit status.  Only the threads of program
 * receive signals, and program has its own table of descriptors.  If no thread
 * can be started, calls program directly.
 *
 * Standard streams that are closed are not reused for its files.  A closed pipe
 * (EPIPE) and a file at its size limit (EFBIG, ulimit -f) are ordinary errors,
 * which leave time to restore settings.  If standard output cannot be written,
 * reports that on standard error and returns 1 instead of 0.
 */
int program_run(int (*program)(int argc, char **argv), int argc, char **argv);

#endif
