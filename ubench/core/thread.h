/* SPDX-License-Identifier: ISC */
/*
 * Threads with a fixed stack size.  The default, from ulimit -s, may be too
 * small for a client library or, with a thousand threads, too large.
 */
#ifndef UBENCH_CORE_THREAD_H
#define UBENCH_CORE_THREAD_H

#include <pthread.h>
#include <stdint.h>

#include "core/err.h"

/* Creates a thread like pthread_create, with a stack of 1 MiB.  Returns 0 or an
   error number. */
int thread_start(pthread_t *thread, void *(*run)(void *), void *argument);

/* A thread that calls a function at intervals. */
struct ticker;

/* Starts a thread that calls tick(context), first after period_ns and then
   period_ns after each call has returned.  NULL with err on failure. */
struct ticker *ticker_start(uint64_t period_ns, void (*tick)(void *context), void *context,
                            struct err *err);

/* Waits for a call in progress, then stops the thread and frees the ticker.
   NULL is fine. */
void ticker_stop(struct ticker *ticker);

#endif
