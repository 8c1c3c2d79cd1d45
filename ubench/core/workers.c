/* SPDX-License-Identifier: ISC */
#include "core/workers.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "core/thread.h"

struct crew {
    void (*body)(void *context, size_t index);
    void *context;
    pthread_rwlock_t start; /* held until all threads have started or one has failed to */
    bool canceled;
    atomic_size_t next; /* index */
};

static void *run(void *argument)
{
    struct crew *const crew = argument;

    (void)pthread_rwlock_rdlock(&crew->start);
    if (!crew->canceled)
        crew->body(crew->context, atomic_fetch_add(&crew->next, 1));
    (void)pthread_rwlock_unlock(&crew->start);
    return NULL;
}

int workers_run(size_t count, void (*body)(void *context, size_t index), void *context,
                struct err *err)
{
    struct crew crew = { .body = body, .context = context };
    pthread_t threads[WORKERS_MAX];
    size_t started = 0;
    int error = 0;

    assert(count >= 1 && count <= WORKERS_MAX);
    if (count == 1) {
        body(context, 0);
        return 0;
    }
    (void)pthread_rwlock_init(&crew.start, NULL);
    (void)pthread_rwlock_wrlock(&crew.start);
    for (; started < count && error == 0; started += error == 0)
        error = thread_start(&threads[started], run, &crew);
    crew.canceled = error != 0;
    (void)pthread_rwlock_unlock(&crew.start);
    for (size_t i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
    (void)pthread_rwlock_destroy(&crew.start);
    if (error != 0)
        return err_set(err, "cannot start thread %zu of %zu: %s", started + 1, count,
                       strerror(error));
    return 0;
}
