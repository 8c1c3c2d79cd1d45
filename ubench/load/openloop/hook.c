/* SPDX-License-Identifier: ISC */
#include "load/openloop/hook.h"

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "core/clock.h"

int hook_init(struct hook *hook, uint64_t delay_ns, const struct service *inner,
              size_t inner_threads, struct progress *progress, struct err *err)
{
    *hook = (struct hook){ .delay_ns = delay_ns,
                           .inner = inner,
                           .progress = progress,
                           .free_count = inner_threads,
                           .free = calloc(inner_threads, sizeof *hook->free) };
    if (hook->free == NULL)
        return err_set(err, "no memory for %zu threads", inner_threads);
    for (size_t i = 0; i < inner_threads; i++)
        hook->free[i] = inner_threads - 1 - i;
    (void)pthread_mutex_init(&hook->lock, NULL);
    (void)pthread_cond_init(&hook->freed, NULL);
    return 0;
}

void hook_release(struct hook *hook)
{
    if (hook->free == NULL)
        return;
    (void)pthread_cond_destroy(&hook->freed);
    (void)pthread_mutex_destroy(&hook->lock);
    free(hook->free);
    hook->free = NULL;
}

/* The service that is asked.  False if somebody wants an early end. */
static bool ask(struct hook *hook)
{
    return progress_sleep_until(hook->progress,
                                clock_now_ns() + hook->delay_ns);
}

static size_t borrow(struct hook *hook)
{
    (void)pthread_mutex_lock(&hook->lock);
    while (hook->free_count == 0)
        (void)pthread_cond_wait(&hook->freed, &hook->lock);
    const size_t thread = hook->free[--hook->free_count];
    (void)pthread_mutex_unlock(&hook->lock);
    return thread;
}

static void give_back(struct hook *hook, size_t thread)
{
    (void)pthread_mutex_lock(&hook->lock);
    hook->free[hook->free_count++] = thread;
    (void)pthread_mutex_unlock(&hook->lock);
    (void)pthread_cond_signal(&hook->freed);
}

static enum service_end serve(void *context, size_t thread, uint64_t number,
                              struct err *err)
{
    struct hook *const hook = context;

    (void)thread;
    if (!ask(hook))
        return SERVICE_FAILED;
    const size_t inner = borrow(hook);
    const enum service_end end =
        hook->inner->serve(hook->inner->context, inner, number, err);
    give_back(hook, inner);
    return end;
}

struct service hook_service(struct hook *hook)
{
    return (struct service){ .context = hook, .serve = serve };
}
