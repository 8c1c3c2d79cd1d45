/* SPDX-License-Identifier: ISC */
#include "store/sql/patience.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "core/clock.h"

#define TICK_NS UINT64_C(100000000)

struct patience {
    atomic_bool canceled;
    pthread_t thread;
    pthread_cond_t wake;
    pthread_mutex_t lock; /* for what follows, and so that no socket is closed
                             while it is being shut down */
    bool stop;
    uint64_t limit_s; /* 0: for ever */
    struct waiting *first;
};

/* Whoever waits on that socket is told that there is nothing more to come. */
static void give_up(struct waiting *waiting)
{
    (void)shutdown(waiting->socket, SHUT_RDWR);
}

static void look_at(struct waiting *waiting, uint64_t now_ns, uint64_t limit_s)
{
    const unsigned turn = atomic_load(&waiting->turn);

    if (turn % 2 == 0 || turn != waiting->seen_turn) {
        waiting->seen_turn = turn;
        waiting->seen_ns = now_ns;
    } else if (limit_s > 0 && now_ns - waiting->seen_ns >= limit_s * NS_PER_S) {
        atomic_store(&waiting->timed_out, true);
        give_up(waiting);
    }
}

static void *run(void *argument)
{
    struct patience *const patience = argument;

    (void)pthread_mutex_lock(&patience->lock);
    while (!patience->stop) {
        const uint64_t now_ns = clock_now_ns();
        const struct timespec until = {
            .tv_sec = (time_t)((now_ns + TICK_NS) / NS_PER_S),
            .tv_nsec = (long)((now_ns + TICK_NS) % NS_PER_S),
        };

        for (struct waiting *waiting = patience->first; waiting != NULL;
             waiting = waiting->next)
            look_at(waiting, now_ns, patience->limit_s);
        (void)pthread_cond_timedwait(&patience->wake, &patience->lock, &until);
    }
    (void)pthread_mutex_unlock(&patience->lock);
    return NULL;
}

struct patience *patience_new(uint64_t limit_s, struct err *err)
{
    struct patience *const patience = calloc(1, sizeof *patience);
    pthread_condattr_t monotonic;

    if (patience == NULL) {
        (void)err_set(err, "out of memory");
        return NULL;
    }
    patience->limit_s = limit_s;
    atomic_init(&patience->canceled, false);
    (void)pthread_mutex_init(&patience->lock, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&patience->wake, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    const int error = pthread_create(&patience->thread, NULL, run, patience);
    if (error != 0) {
        (void)err_set(err, "cannot start a thread: %s", strerror(error));
        (void)pthread_cond_destroy(&patience->wake);
        (void)pthread_mutex_destroy(&patience->lock);
        free(patience);
        return NULL;
    }
    return patience;
}

void patience_free(struct patience *patience)
{
    if (patience == NULL)
        return;
    (void)pthread_mutex_lock(&patience->lock);
    patience->stop = true;
    (void)pthread_cond_signal(&patience->wake);
    (void)pthread_mutex_unlock(&patience->lock);
    (void)pthread_join(patience->thread, NULL);
    (void)pthread_cond_destroy(&patience->wake);
    (void)pthread_mutex_destroy(&patience->lock);
    free(patience);
}

uint64_t patience_limit_s(struct patience *patience)
{
    (void)pthread_mutex_lock(&patience->lock);
    const uint64_t limit_s = patience->limit_s;
    (void)pthread_mutex_unlock(&patience->lock);
    return limit_s;
}

void patience_set_limit(struct patience *patience, uint64_t limit_s)
{
    (void)pthread_mutex_lock(&patience->lock);
    patience->limit_s = limit_s;
    (void)pthread_mutex_unlock(&patience->lock);
}

void patience_add(struct patience *patience, struct waiting *waiting)
{
    (void)pthread_mutex_lock(&patience->lock);
    waiting->seen_turn = 0;
    waiting->next = patience->first;
    patience->first = waiting;
    if (atomic_load(&patience->canceled))
        give_up(waiting);
    (void)pthread_mutex_unlock(&patience->lock);
}

void patience_remove(struct patience *patience, struct waiting *waiting)
{
    (void)pthread_mutex_lock(&patience->lock);
    struct waiting **at = &patience->first;
    while (*at != NULL && *at != waiting)
        at = &(*at)->next;
    if (*at != NULL)
        *at = waiting->next;
    (void)pthread_mutex_unlock(&patience->lock);
}

void patience_cancel(struct patience *patience)
{
    (void)pthread_mutex_lock(&patience->lock);
    atomic_store(&patience->canceled, true);
    for (struct waiting *waiting = patience->first; waiting != NULL;
         waiting = waiting->next)
        give_up(waiting);
    (void)pthread_mutex_unlock(&patience->lock);
}

bool patience_canceled(const struct patience *patience)
{
    return atomic_load(&patience->canceled);
}

void patience_forget(struct patience *patience)
{
    atomic_store(&patience->canceled, false);
}
