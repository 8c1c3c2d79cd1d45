/* SPDX-License-Identifier: ISC */
/*
 * A call to another service that each request makes before the store is asked,
 * and that blocks its thread, as some hook libraries of Kea do (options --hook
 * and --hook-delay): in line, so that a thread which waits for it does nothing
 * else, or in a pool of threads that wait while others use the store.
 */
#ifndef UBENCH_LOAD_OPENLOOP_BLOCKING_CALL_H
#define UBENCH_LOAD_OPENLOOP_BLOCKING_CALL_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "load/openloop/open_loop.h"

struct blocking_call {
    uint64_t delay_ns;
    const struct service *inner;
    struct progress *progress;
    pthread_mutex_t lock; /* for what is below */
    pthread_cond_t freed;
    size_t free_count;
    size_t *free; /* threads of the inner service that are not in use */
};

/* Puts a delay before the inner service, which has inner_threads.  Returns 0,
   or -1 with err. */
int blocking_call_init(struct blocking_call *call, uint64_t delay_ns,
                       const struct service *inner, size_t inner_threads,
                       struct progress *progress, struct err *err);
void blocking_call_release(struct blocking_call *call);

/* The slow service as a service for any number of threads; keeps the pointer.
   When progress is stopped it waits no longer and says SERVICE_FAILED, which
   the open loop does not count then. */
struct service blocking_call_service(struct blocking_call *call);

#endif
