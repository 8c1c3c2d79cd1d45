/* SPDX-License-Identifier: ISC */
/*
 * The patience with a server, and its end.  The client library's own timeout is
 * not used: it arms a timer for each answer, which costs some 3 % of a search's
 * rate and which Kea does not have by default.  Instead a thread looks from
 * time to time whether a connection still waits for the same answer, and then
 * shuts it down.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "core/clock.h"
#include "store/mysql_store.h"

#define TICK_NS UINT64_C(100000000)

struct sql_watch {
    atomic_bool canceled;
    pthread_t thread;
    pthread_cond_t wake;
    pthread_mutex_t lock; /* for what follows, and so that no socket is closed
                             while it is being shut down */
    bool stop;
    uint64_t patience_s; /* 0: for ever */
    struct sql_link *links;
};

/* Whoever waits on that socket is told that there is nothing more to come. */
static void give_up(struct sql_link *link)
{
    (void)shutdown(link->socket, SHUT_RDWR);
}

static void look_at(struct sql_link *link, uint64_t now_ns, uint64_t patience_s)
{
    const unsigned turn = atomic_load(&link->turn);

    if (turn % 2 == 0 || turn != link->seen_turn) {
        link->seen_turn = turn;
        link->seen_ns = now_ns;
    } else if (patience_s > 0 &&
               now_ns - link->seen_ns >= patience_s * NS_PER_S) {
        atomic_store(&link->timed_out, true);
        give_up(link);
    }
}

static void *run(void *argument)
{
    struct sql_watch *const watch = argument;

    (void)pthread_mutex_lock(&watch->lock);
    while (!watch->stop) {
        const uint64_t now_ns = clock_now_ns();
        const struct timespec until = {
            .tv_sec = (time_t)((now_ns + TICK_NS) / NS_PER_S),
            .tv_nsec = (long)((now_ns + TICK_NS) % NS_PER_S),
        };

        for (struct sql_link *link = watch->links; link != NULL;
             link = link->next)
            look_at(link, now_ns, watch->patience_s);
        (void)pthread_cond_timedwait(&watch->wake, &watch->lock, &until);
    }
    (void)pthread_mutex_unlock(&watch->lock);
    return NULL;
}

struct sql_watch *sql_watch_new(uint64_t patience_s, struct err *err)
{
    struct sql_watch *const watch = calloc(1, sizeof *watch);
    pthread_condattr_t monotonic;

    if (watch == NULL) {
        (void)err_set(err, "mysql: out of memory");
        return NULL;
    }
    watch->patience_s = patience_s;
    atomic_init(&watch->canceled, false);
    (void)pthread_mutex_init(&watch->lock, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&watch->wake, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    const int error = pthread_create(&watch->thread, NULL, run, watch);
    if (error != 0) {
        (void)err_set(err, "mysql: cannot start a thread: %s", strerror(error));
        (void)pthread_cond_destroy(&watch->wake);
        (void)pthread_mutex_destroy(&watch->lock);
        free(watch);
        return NULL;
    }
    return watch;
}

void sql_watch_free(struct sql_watch *watch)
{
    if (watch == NULL)
        return;
    (void)pthread_mutex_lock(&watch->lock);
    watch->stop = true;
    (void)pthread_cond_signal(&watch->wake);
    (void)pthread_mutex_unlock(&watch->lock);
    (void)pthread_join(watch->thread, NULL);
    (void)pthread_cond_destroy(&watch->wake);
    (void)pthread_mutex_destroy(&watch->lock);
    free(watch);
}

uint64_t sql_watch_patience_s(struct sql_watch *watch)
{
    (void)pthread_mutex_lock(&watch->lock);
    const uint64_t patience_s = watch->patience_s;
    (void)pthread_mutex_unlock(&watch->lock);
    return patience_s;
}

void sql_watch_set_patience(struct sql_watch *watch, uint64_t patience_s)
{
    (void)pthread_mutex_lock(&watch->lock);
    watch->patience_s = patience_s;
    (void)pthread_mutex_unlock(&watch->lock);
}

void sql_watch_add(struct sql_watch *watch, struct sql_link *link)
{
    (void)pthread_mutex_lock(&watch->lock);
    link->seen_turn = 0;
    link->next = watch->links;
    watch->links = link;
    (void)pthread_mutex_unlock(&watch->lock);
}

void sql_watch_remove(struct sql_watch *watch, struct sql_link *link)
{
    (void)pthread_mutex_lock(&watch->lock);
    struct sql_link **at = &watch->links;
    while (*at != NULL && *at != link)
        at = &(*at)->next;
    if (*at != NULL)
        *at = link->next;
    (void)pthread_mutex_unlock(&watch->lock);
}

void sql_watch_cancel(struct sql_watch *watch)
{
    (void)pthread_mutex_lock(&watch->lock);
    atomic_store(&watch->canceled, true);
    for (struct sql_link *link = watch->links; link != NULL; link = link->next)
        give_up(link);
    (void)pthread_mutex_unlock(&watch->lock);
}

bool sql_watch_canceled(const struct sql_watch *watch)
{
    return atomic_load(&watch->canceled);
}

void sql_watch_forget(struct sql_watch *watch)
{
    atomic_store(&watch->canceled, false);
}
