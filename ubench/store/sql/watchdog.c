/* SPDX-License-Identifier: ISC */
#include "store/sql/watchdog.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "core/clock.h"
#include "core/thread.h"

#define TICK_NS UINT64_C(100000000)

struct watchdog {
    atomic_bool canceled;
    atomic_bool timed_out; /* one of them was */
    struct ticker *ticker;
    pthread_mutex_t lock; /* for what follows, and so that no socket is closed
                             while it is being shut down */
    uint64_t limit_s;     /* 0: for ever */
    struct watched *first;
};

/* Nothing more comes on that socket, which ends the wait for it. */
static void give_up(struct watched *watched)
{
    (void)shutdown(watched->socket, SHUT_RDWR);
}

static void look_at(struct watchdog *watchdog, struct watched *watched,
                    uint64_t now_ns)
{
    const uint64_t limit_s = watchdog->limit_s;
    const unsigned turn = atomic_load(&watched->turn);

    if (turn % 2 == 0 || turn != watched->seen_turn) {
        watched->seen_turn = turn;
        watched->seen_ns = now_ns;
    } else if (limit_s > 0 && now_ns - watched->seen_ns >= limit_s * NS_PER_S) {
        atomic_store(&watched->timed_out, true);
        atomic_store(&watchdog->timed_out, true);
        give_up(watched);
    }
}

static void look(void *context)
{
    struct watchdog *const watchdog = context;
    const uint64_t now_ns = clock_now_ns();

    (void)pthread_mutex_lock(&watchdog->lock);
    for (struct watched *watched = watchdog->first; watched != NULL;
         watched = watched->next)
        look_at(watchdog, watched, now_ns);
    (void)pthread_mutex_unlock(&watchdog->lock);
}

struct watchdog *watchdog_new(uint64_t limit_s, struct err *err)
{
    struct watchdog *const watchdog = calloc(1, sizeof *watchdog);

    if (watchdog == NULL) {
        (void)err_set(err, "out of memory");
        return NULL;
    }
    watchdog->limit_s = limit_s;
    atomic_init(&watchdog->canceled, false);
    atomic_init(&watchdog->timed_out, false);
    (void)pthread_mutex_init(&watchdog->lock, NULL);
    watchdog->ticker = ticker_start(TICK_NS, look, watchdog, err);
    if (watchdog->ticker == NULL) {
        watchdog_free(watchdog);
        return NULL;
    }
    return watchdog;
}

void watchdog_free(struct watchdog *watchdog)
{
    if (watchdog == NULL)
        return;
    ticker_stop(watchdog->ticker);
    (void)pthread_mutex_destroy(&watchdog->lock);
    free(watchdog);
}

uint64_t watchdog_limit_s(struct watchdog *watchdog)
{
    (void)pthread_mutex_lock(&watchdog->lock);
    const uint64_t limit_s = watchdog->limit_s;
    (void)pthread_mutex_unlock(&watchdog->lock);
    return limit_s;
}

void watchdog_set_limit(struct watchdog *watchdog, uint64_t limit_s)
{
    (void)pthread_mutex_lock(&watchdog->lock);
    watchdog->limit_s = limit_s;
    (void)pthread_mutex_unlock(&watchdog->lock);
}

void watchdog_add(struct watchdog *watchdog, struct watched *watched)
{
    (void)pthread_mutex_lock(&watchdog->lock);
    watched->seen_turn = 0;
    watched->next = watchdog->first;
    watchdog->first = watched;
    if (atomic_load(&watchdog->canceled))
        give_up(watched);
    (void)pthread_mutex_unlock(&watchdog->lock);
}

void watchdog_remove(struct watchdog *watchdog, struct watched *watched)
{
    (void)pthread_mutex_lock(&watchdog->lock);
    struct watched **at = &watchdog->first;
    while (*at != NULL && *at != watched)
        at = &(*at)->next;
    if (*at != NULL)
        *at = watched->next;
    (void)pthread_mutex_unlock(&watchdog->lock);
}

void watchdog_each(struct watchdog *watchdog,
                   void (*visit)(struct watched *watched))
{
    (void)pthread_mutex_lock(&watchdog->lock);
    for (struct watched *watched = watchdog->first; watched != NULL;
         watched = watched->next)
        visit(watched);
    (void)pthread_mutex_unlock(&watchdog->lock);
}

void watchdog_cancel(struct watchdog *watchdog)
{
    atomic_store(&watchdog->canceled, true);
    watchdog_each(watchdog, give_up);
}

bool watchdog_timed_out(const struct watchdog *watchdog)
{
    return atomic_load(&watchdog->timed_out);
}

bool watchdog_canceled(const struct watchdog *watchdog)
{
    return atomic_load(&watchdog->canceled);
}

void watchdog_forget(struct watchdog *watchdog)
{
    atomic_store(&watchdog->canceled, false);
}
