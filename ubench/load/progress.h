/* SPDX-License-Identifier: ISC */
/*
 * The progress of a load, for its watcher; how the watcher stops it; and how it ended.  Each
 * worker writes its own counter, once per operation (a plain store, no lock, no fence); the
 * watcher reads them from another thread.
 */
#ifndef UBENCH_LOAD_PROGRESS_H
#define UBENCH_LOAD_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/workers.h"

/* How a run ended, from best to worst. */
enum load_end {
    LOAD_DONE,        /* all done, every answer right */
    LOAD_INTERRUPTED, /* the watcher stopped it; what was done is right */
    LOAD_FAILED,      /* the store failed; what was done is right */
    LOAD_WRONG,       /* the store gave a wrong answer: no figures */
};

enum progress_stop {
    PROGRESS_STOP = 1,  /* ends the run early */
    PROGRESS_PAUSE = 2, /* ends the turn (load/turns.c) */
    PROGRESS_HURRY = 4, /* a signal asked it to stop half a second ago */
};

/* One worker's operations of this phase so far, on a cache line of its own. */
struct progress_worker {
    _Alignas(64) _Atomic(uint64_t) done;
};

struct progress {
    _Atomic(const char *) phase;  /* NULL: none */
    _Atomic(uint64_t) planned;    /* operations of this phase */
    _Atomic(uint64_t) started_ns; /* of this phase, by clock_now_ns */
    _Atomic(int) stop;            /* enum progress_stop, or-ed */
    _Atomic(unsigned) run;        /* number of the repetition, from 1 */
    _Atomic(unsigned) runs;       /* number of repetitions; 1: not shown */
    _Atomic(size_t) worker_count; /* workers of this phase */
    struct progress_worker workers[WORKERS_MAX];
};

/* Returns a zeroed struct on a cache line boundary, for free to release; NULL if memory is
   short. */
struct progress *progress_new(void);

/* Tells the watcher that a phase begins; name must stay valid while it runs. */
void progress_begin(struct progress *progress, const char *name, uint64_t planned, size_t workers);

/* Returns true if the run was asked to stop.  For the timed path. */
static inline int progress_stopped(struct progress *progress)
{
    return atomic_load_explicit(&progress->stop, memory_order_relaxed) & PROGRESS_STOP;
}

/* Returns true if the run was asked to stop or its turn is over.  For the timed path. */
static inline int progress_paused(struct progress *progress)
{
    return atomic_load_explicit(&progress->stop, memory_order_relaxed);
}

/* Sleeps until at_ns (clock_now_ns).  Returns false, soon, if the run was asked to stop. */
bool progress_sleep_until(struct progress *progress, uint64_t at_ns);

/* Sets the number of operations that a worker has done.  For the timed path. */
static inline void progress_set_done(struct progress_worker *worker, uint64_t done)
{
    atomic_store_explicit(&worker->done, done, memory_order_relaxed);
}

/* Returns the operations of this phase that all workers have done, at most the planned
   number. */
static inline uint64_t progress_done(struct progress *progress)
{
    const uint64_t planned = atomic_load(&progress->planned);
    const size_t count = atomic_load(&progress->worker_count);
    uint64_t done = 0;

    for (size_t i = 0; i < count; i++)
        done += atomic_load_explicit(&progress->workers[i].done, memory_order_relaxed);
    return done < planned ? done : planned;
}

#endif
