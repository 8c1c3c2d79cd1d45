/* SPDX-License-Identifier: ISC */
/*
 * A read timeout for connections to a server.  A timeout of the client library,
 * or of poll, would arm a timer for each answer, which costs some 3 % of a
 * search's rate and which Kea does not have by default.  Instead a thread looks
 * from time to time whether a connection still waits for the same answer, and
 * then shuts it down.
 */
#ifndef UBENCH_STORE_SQL_WATCHDOG_H
#define UBENCH_STORE_SQL_WATCHDOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"

struct watchdog;

/* One connection that answers are waited for on. */
struct watched {
    int socket;
    atomic_uint turn;      /* odd while an answer is waited for */
    atomic_bool timed_out; /* and so was shut down */
    /* The thread's own, under its lock. */
    struct watched *next;
    unsigned seen_turn;
    uint64_t seen_ns;
};

/* Before and after everything that waits for the server. */
static inline void watchdog_toggle(struct watched *watched)
{
    atomic_store_explicit(
        &watched->turn,
        atomic_load_explicit(&watched->turn, memory_order_relaxed) + 1,
        memory_order_relaxed);
}

/* Starts the thread.  The limit is for one answer, in seconds; 0: for ever.
   NULL with err on failure. */
struct watchdog *watchdog_new(uint64_t limit_s, struct err *err);
void watchdog_free(struct watchdog *watchdog); /* NULL is fine */

uint64_t watchdog_limit_s(struct watchdog *watchdog);
void watchdog_set_limit(struct watchdog *watchdog, uint64_t limit_s);

/* Watches over a connection, from when its socket is known until before it is
   closed.  It must stay where it is. */
void watchdog_add(struct watchdog *watchdog, struct watched *watched);
void watchdog_remove(struct watchdog *watchdog, struct watched *watched);

/* Shuts all connections down, from another thread, and until it is forgotten
   each that is added. */
void watchdog_cancel(struct watchdog *watchdog);
bool watchdog_canceled(const struct watchdog *watchdog);
void watchdog_forget(struct watchdog *watchdog);

/* True if a connection had to be shut down for want of an answer. */
bool watchdog_timed_out(const struct watchdog *watchdog);

/* Calls visit for each connection, none of which is closed meanwhile. */
void watchdog_each(struct watchdog *watchdog,
                   void (*visit)(struct watched *watched));

#endif
