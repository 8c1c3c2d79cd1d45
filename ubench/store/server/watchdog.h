/* SPDX-License-Identifier: ISC */
/*
 * A read timeout for connections to a server: a thread looks from time to time whether one still
 * waits for the same answer, and then shuts it down.  A timeout of the client library, or of poll,
 * would arm a timer for each answer, which costs some 3 % of a search's rate.
 */
#ifndef UBENCH_STORE_SERVER_WATCHDOG_H
#define UBENCH_STORE_SERVER_WATCHDOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"

/* One connection that answers are waited for on. */
struct watched {
    int socket;
    atomic_uint turn;      /* odd while an answer is waited for */
    atomic_bool timed_out; /* and so was shut down */
    /* The thread's own, under its lock. */
    struct watchdog *watchdog;
    struct watched *next;
    unsigned seen_turn;
    uint64_t seen_ns;
};

/* Before and after everything that waits for the server. */
static inline void watchdog_toggle(struct watched *watched)
{
    atomic_store_explicit(&watched->turn,
                          atomic_load_explicit(&watched->turn, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

/* Zeroed until it is started; it must stay where it is. */
struct watchdog {
    atomic_uint_least64_t limit_s; /* for one answer; 0: for ever */
    atomic_bool canceled;          /* until that is set to false, no connection is left open */
    atomic_bool timed_out;         /* a connection was shut down for want of an answer */
    struct ticker *ticker;
    pthread_mutex_t lock; /* for what follows, and so that no socket is closed
                             while it is being shut down */
    struct watched *first;
};

/* Starts the thread.  0, or -1 with err. */
int watchdog_start(struct watchdog *watchdog, uint64_t limit_s, struct err *err);
void watchdog_stop(struct watchdog *watchdog); /* also one that was not started */

/* Watches over a connection, from when its socket is known until before it is
   closed.  It must stay where it is. */
void watchdog_add(struct watchdog *watchdog, struct watched *watched, int socket);
void watchdog_remove(struct watchdog *watchdog, struct watched *watched);

/* Shuts all connections down, from another thread. */
void watchdog_cancel(struct watchdog *watchdog);

/* Calls visit for each connection, none of which is closed meanwhile. */
void watchdog_each(struct watchdog *watchdog, void (*visit)(struct watched *watched));

#endif
