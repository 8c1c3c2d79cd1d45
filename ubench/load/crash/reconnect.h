/* SPDX-License-Identifier: ISC */
/*
 * Reconnects after the connection to a store is lost: a worker retries at
 * intervals until --reconnect is over and then continues, as Kea does with
 * max-reconnect-tries, reconnect-wait-time and on-fail=serve-retry-continue.  A
 * server that exceeds --read-timeout counts as lost.
 *
 * An outage lasts from the last acknowledgement of any thread to the first one
 * on a connection that was opened after the loss was noticed.  Threads that
 * notice the loss later belong to the same outage.
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

/* The state of one thread. */
struct reconnect_worker {
    _Alignas(64) _Atomic(uint64_t) acknowledged_ns; /* last acknowledgement */
    uint64_t before_ns;                             /* the one before it */
    uint64_t outages;     /* number of outages when its session was opened */
    uint64_t deadline_ns; /* when it gives up; 0: connected */
};

struct reconnect {
    const struct load_context *context;
    struct reconnect_worker workers[WORKERS_MAX];
    pthread_mutex_t lock; /* protects the members below */
    bool away;
    uint64_t ended_ns; /* end of the last outage */
    struct outages tally;
};

/* Starts to watch a store whose sessions are open.  A lost session is closed
   and replaced in context->sessions, by NULL if it cannot be reopened; context
   has the time to retry and outlives the result.  NULL with err if memory is
   short. */
struct reconnect *reconnect_new(const struct load_context *context, struct err *err);
void reconnect_free(struct reconnect *reconnect); /* NULL is fine */

/* Call when a load or a trial begins: idle time before it is not an outage. */
void reconnect_begin(struct reconnect *reconnect);

/* Reopens the worker's session after an operation failed with err, and retries
   until its deadline.  Returns 0; 1 with an empty err if the run was
   interrupted; or -1 with err, which is unchanged if the connection was not
   lost. */
int reconnect_session(struct reconnect *reconnect, size_t worker, struct err *err);

/* Records the time of an acknowledgement.  Called in the timed path. */
void reconnect_acknowledge(struct reconnect *reconnect, size_t worker);

/* Returns true, and counts it, if a change that failed with err lost its
   answer, so that the store may have done it. */
bool reconnect_in_doubt(struct reconnect *reconnect, const struct err *err);

/* Counts how such a change was settled: found done, or submitted again. */
void reconnect_settle(struct reconnect *reconnect, bool found_done);

#endif
