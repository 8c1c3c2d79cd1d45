/* SPDX-License-Identifier: ISC */
/*
 * Threads with a stack of their own size.  By default it would be what ulimit
 * -s allows, which may be too little for a client library or, with a thousand
 * threads, too much.
 */
#ifndef UBENCH_CORE_THREAD_H
#define UBENCH_CORE_THREAD_H

#include <pthread.h>
#include <stdint.h>

#include "core/err.h"

/* Like pthread_create, with a stack of 1 MiB.  Returns 0 or an error number. */
int thread_start(pthread_t *thread, void *(*run)(void *), void *argument);

/* A thread that does one thing at intervals. */
struct ticker;

/* Calls tick(context) in a thread of its own, the first time after period_ns
   and then each time so long after the last call has returned.  NULL with err
   on failure. */
struct ticker *ticker_start(uint64_t period_ns, void (*tick)(void *context), void *context,
                            struct err *err);

/* Waits for a call in progress; there is none after it.  NULL is fine. */
void ticker_stop(struct ticker *ticker);

#endif
