/* SPDX-License-Identifier: ISC */
/*
 * A store that goes away and comes back: the worker tries to connect again, at
 * intervals, for so long, and goes on, as Kea does with max-reconnect-tries,
 * reconnect-wait-time and on-fail=serve-retry-continue.  A server that gives no
 * answer in its time has gone away, too.
 *
 * An outage lasts from the latest acknowledgement by any thread to the first
 * one over a connection that was opened after it was noticed.  A thread that
 * notices later belongs to the same outage.
 */
#ifndef UBENCH_LOAD_CRASH_RECONNECT_H
#define UBENCH_LOAD_CRASH_RECONNECT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"
#include "core/workers.h"
#include "load/load.h"

/* One thread's part. */
struct reconnect_worker {
    _Alignas(64) _Atomic(uint64_t) acknowledged_ns; /* its latest one */
    uint64_t before_ns;                             /* the one before that */
    uint64_t outages;     /* that there were when its session was opened */
    uint64_t deadline_ns; /* of giving up; 0: its connection works */
};

struct reconnect {
    const struct load_context *context;
    struct reconnect_worker workers[WORKERS_MAX];
    pthread_mutex_t lock; /* for what follows */
    bool away;
    uint64_t ended_ns; /* of the latest outage */
    struct outages tally;
};

/* For a store whose sessions are open.  A session that is lost is closed and
   replaced in the context's sessions, where NULL stands for one that could not
   be; the context, which is the caller's, says how long that is tried.  NULL
   with err if there is no memory. */
struct reconnect *reconnect_new(const struct load_context *context, struct err *err);
void reconnect_free(struct reconnect *reconnect); /* NULL is fine */

/* A load, or another trial of it, begins: what was before is no outage. */
void reconnect_begin(struct reconnect *reconnect);

/* Opens the thread's session anew after an operation failed with err; tries
   until it is time to give up.  Returns 0; 1 and an empty err if the run was
   asked to stop; or -1 with err, untouched if it is no loss. */
int reconnect_session(struct reconnect *reconnect, size_t worker, struct err *err);

/* Takes the time of an acknowledgement.  For the timed path. */
void reconnect_acknowledge(struct reconnect *reconnect, size_t worker);

/* After a change failed with err: true, and counts it, if its answer was lost,
   so that it may have been done or not. */
bool reconnect_in_doubt(struct reconnect *reconnect, const struct err *err);

/* Counts what became of it: it had been done, or was submitted again. */
void reconnect_settle(struct reconnect *reconnect, bool found_done);

#endif
