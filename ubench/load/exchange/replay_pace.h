/* SPDX-License-Identifier: ISC */
/*
 * The pace of a replay (--speed).  Each change has a time of its own, however late the one before
 * it was; how late it begins is counted apart from how long it takes.
 */
#ifndef UBENCH_LOAD_EXCHANGE_REPLAY_PACE_H
#define UBENCH_LOAD_EXCHANGE_REPLAY_PACE_H

#include <pthread.h>

#include "load/exchange/replay_result.h"
#include "load/worker.h"

/* The lateness of the changes of all workers; shared, because each second takes memory. */
struct replay_pace {
    pthread_mutex_t lock;
    struct histogram late;
    struct histogram seen;
    struct series series;
};

/* A worker's range of changes in the same second as its next one.  Zeroed: none yet. */
struct replay_second {
    uint64_t first, end; /* indexes in the trace */
};

void replay_pace_init(struct replay_pace *pace); /* zeroed before */
void replay_pace_release(struct replay_pace *pace);

/* Waits until change i of the worker is due, and records how late it begins.  Returns at once
   without --speed.  Returns false if the run was asked to stop. */
bool replay_pace_wait(struct replay_pace *pace, struct worker *worker, struct replay_second *at,
                      uint64_t i);

/* Moves the lateness to the result. */
void replay_pace_end(struct replay_pace *pace, struct replay_result *result);

#endif
