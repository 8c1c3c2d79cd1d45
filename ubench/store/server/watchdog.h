/* SPDX-License-Identifier: ISC */
/*
 * A read timeout for connections to a server.  A thread checks periodically whether a connection
 * still waits for the same answer, and shuts it down after the limit.  A timeout of the client
 * library, or of poll, would arm a timer for each answer, which costs some 3 % of a search's rate.
 */
#ifndef UBENCH_STORE_SERVER_WATCHDOG_H
#define UBENCH_STORE_SERVER_WATCHDOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"

/* A watched connection. */
struct watched {
    int socket;
    atomic_uint turn;      /* odd while it waits for an answer */
    atomic_bool timed_out; /* shut down after the limit */
    /* Used by the watchdog, under its lock. */
    struct watchdog *watchdog;
    struct watched *next;
    unsigned seen_turn;
    uint64_t seen_ns;
};

/* Call before and after each wait for the server. */
static inline void watchdog_toggle(struct watched *watched)
{
    atomic_store_explicit(&watched->turn,
                          atomic_load_explicit(&watched->turn, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

/* Zeroed before it is started; must not be moved. */
struct watchdog {
    atomic_uint_least64_t limit_s; /* for one answer; 0: no limit */
    atomic_bool canceled;          /* until reset to false, every connection is shut down */
    atomic_bool timed_out;         /* a connection was shut down after the limit */
    struct ticker *ticker;
    pthread_mutex_t lock; /* protects the members below; also held while a socket is shut down, so
                             that it is not closed meanwhile */
    struct watched *first;
};

/* Starts the thread.  Returns 0, or -1 with err. */
int watchdog_start(struct watchdog *watchdog, uint64_t limit_s, struct err *err);
void watchdog_stop(struct watchdog *watchdog); /* fine if not started */

/* Adds a connection as soon as its socket is known, until watchdog_remove
   before it is closed.  *watched must not be moved. */
void watchdog_add(struct watchdog *watchdog, struct watched *watched, int socket);
void watchdog_remove(struct watchdog *watchdog, struct watched *watched);

/* Shuts down all connections; called by another thread. */
void watchdog_cancel(struct watchdog *watchdog);

/* Calls visit for each connection, under the lock: none is closed meanwhile. */
void watchdog_each(struct watchdog *watchdog, void (*visit)(struct watched *watched));

#endif
