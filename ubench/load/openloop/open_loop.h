/* SPDX-License-Identifier: ISC */
/*
 * The open loop: requests come when the schedule says so, whether or not a
 * thread is free for them, as clients do.  A store that stands still is charged
 * with all that came meanwhile; a closed loop would forget them ("coordinated
 * omission").
 *
 * One of the threads without a request, the leader, sleeps until the next is
 * due, serves it, and leaves the lead to another, so that no thread is a
 * bottleneck; how late one begins all the same is measured (trial_invalid).
 */
#ifndef UBENCH_LOAD_OPENLOOP_OPEN_LOOP_H
#define UBENCH_LOAD_OPENLOOP_OPEN_LOOP_H

#include <stddef.h>

#include "core/err.h"
#include "load/openloop/trial.h"

enum service_end {
    SERVICE_ANSWERED,
    SERVICE_FAILED, /* counted: the next request may go well */
    SERVICE_STOP,   /* nothing more can be measured; err says why */
};

/* Serves request number in one of the threads, counted from 0. */
typedef enum service_end open_loop_serve(void *context, size_t thread,
                                         uint64_t number, struct err *err);

/* Serves what comes, in threads 1..WORKERS_MAX, until the trial closes or
   progress is stopped: within a tenth of a second if no service takes longer.
   trial is as for trial_begin.  Returns 0, or -1 with err if a service said
   SERVICE_STOP or there were no threads or memory. */
int open_loop_run(struct trial *trial, size_t threads, open_loop_serve *serve,
                  void *context, struct progress *progress, struct err *err);

#endif
