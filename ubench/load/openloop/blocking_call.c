/* SPDX-License-Identifier: ISC */
#include "load/openloop/blocking_call.h"

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "core/clock.h"

int blocking_call_init(struct blocking_call *call, uint64_t delay_ns,
                       const struct service *inner, size_t inner_threads,
                       struct progress *progress, struct err *err)
{
    *call = (struct blocking_call){ .delay_ns = delay_ns,
                                    .inner = inner,
                                    .progress = progress,
                                    .free_count = inner_threads,
                                    .free = calloc(inner_threads,
                                                   sizeof *call->free) };
    if (call->free == NULL)
        return err_set(err, "no memory for %zu threads", inner_threads);
    for (size_t i = 0; i < inner_threads; i++)
        call->free[i] = inner_threads - 1 - i;
    (void)pthread_mutex_init(&call->lock, NULL);
    (void)pthread_cond_init(&call->freed, NULL);
    return 0;
}

void blocking_call_release(struct blocking_call *call)
{
    if (call->free == NULL)
        return;
    (void)pthread_cond_destroy(&call->freed);
    (void)pthread_mutex_destroy(&call->lock);
    free(call->free);
    call->free = NULL;
}

/* False if the run was asked to stop meanwhile. */
static bool wait_for_answer(struct blocking_call *call)
{
    return progress_sleep_until(call->progress,
                                clock_now_ns() + call->delay_ns);
}

static size_t borrow(struct blocking_call *call)
{
    (void)pthread_mutex_lock(&call->lock);
    while (call->free_count == 0)
        (void)pthread_cond_wait(&call->freed, &call->lock);
    const size_t thread = call->free[--call->free_count];
    (void)pthread_mutex_unlock(&call->lock);
    return thread;
}

static void give_back(struct blocking_call *call, size_t thread)
{
    (void)pthread_mutex_lock(&call->lock);
    call->free[call->free_count++] = thread;
    (void)pthread_mutex_unlock(&call->lock);
    (void)pthread_cond_signal(&call->freed);
}

static enum service_end call_and_serve(void *context, size_t thread,
                                       uint64_t number, struct err *err)
{
    struct blocking_call *const call = context;

    (void)thread;
    if (!wait_for_answer(call))
        return SERVICE_FAILED;
    const size_t inner = borrow(call);
    const enum service_end end =
        call->inner->serve(call->inner->context, inner, number, err);
    give_back(call, inner);
    return end;
}

struct service blocking_call_service(struct blocking_call *call)
{
    return (struct service){ .context = call, .serve = call_and_serve };
}
