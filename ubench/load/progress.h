/* SPDX-License-Identifier: ISC */
/*
 * What the load tells whoever watches it, and how the watcher stops it.  The
 * load writes one counter per operation (a plain store, no lock, no fence);
 * the watcher reads it from a thread of its own.
 */
#ifndef UBENCH_LOAD_PROGRESS_H
#define UBENCH_LOAD_PROGRESS_H

#include <stdatomic.h>
#include <stdint.h>

struct progress {
    _Atomic(const char *) phase;  /* NULL while none runs */
    _Atomic(uint64_t) planned;    /* operations of this phase */
    _Atomic(uint64_t) started_ns; /* of this phase, by clock_now_ns */
    _Atomic(uint64_t) done;       /* operations of this phase so far */
    _Atomic(int) stop;            /* set by the watcher: end early */
};

/* True if the watcher wants an early end.  For the timed path. */
static inline int progress_stopped(struct progress *progress)
{
    return atomic_load_explicit(&progress->stop, memory_order_relaxed);
}

/* Says that so many operations of the phase are done.  For the timed path. */
static inline void progress_set_done(struct progress *progress, uint64_t done)
{
    atomic_store_explicit(&progress->done, done, memory_order_relaxed);
}

#endif
