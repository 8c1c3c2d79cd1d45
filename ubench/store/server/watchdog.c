/* SPDX-License-Identifier: ISC */
#include "store/server/watchdog.h"

#include <sys/socket.h>

#include "core/clock.h"
#include "core/thread.h"

#define TICK_NS UINT64_C(100000000)

void watchdog_each(struct watchdog *watchdog, void (*visit)(struct watched *watched))
{
    (void)pthread_mutex_lock(&watchdog->lock);
    for (struct watched *watched = watchdog->first; watched != NULL; watched = watched->next)
        visit(watched);
    (void)pthread_mutex_unlock(&watchdog->lock);
}

/* Shuts the socket down, which ends the wait for an answer. */
static void give_up(struct watched *watched)
{
    (void)shutdown(watched->socket, SHUT_RDWR);
}

static void look_at(struct watched *watched)
{
    struct watchdog *const watchdog = watched->watchdog;
    const uint64_t now_ns = clock_now_ns();
    const uint64_t limit_s = atomic_load(&watchdog->limit_s);
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
    watchdog_each(context, look_at);
}

int watchdog_start(struct watchdog *watchdog, uint64_t limit_s, struct err *err)
{
    atomic_store(&watchdog->limit_s, limit_s);
    (void)pthread_mutex_init(&watchdog->lock, NULL);
    watchdog->ticker = ticker_start(TICK_NS, look, watchdog, err);
    return watchdog->ticker != NULL ? 0 : -1;
}

void watchdog_stop(struct watchdog *watchdog)
{
    ticker_stop(watchdog->ticker);
}

void watchdog_add(struct watchdog *watchdog, struct watched *watched, int socket)
{
    (void)pthread_mutex_lock(&watchdog->lock);
    watched->watchdog = watchdog;
    watched->socket = socket;
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

void watchdog_cancel(struct watchdog *watchdog)
{
    atomic_store(&watchdog->canceled, true);
    watchdog_each(watchdog, give_up);
}
