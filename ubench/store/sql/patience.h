/* SPDX-License-Identifier: ISC */
/*
 * The patience with a server, and its end.  A timeout of the client library, or
 * of poll, would arm a timer for each answer, which costs some 3 % of a
 * search's rate and which Kea does not have by default.  Instead a thread looks
 * from time to time whether a connection still waits for the same answer, and
 * then shuts it down.
 */
#ifndef UBENCH_STORE_SQL_PATIENCE_H
#define UBENCH_STORE_SQL_PATIENCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"

struct patience;

/* One connection that answers are waited for on. */
struct waiting {
    int socket;
    atomic_uint turn;      /* odd while an answer is waited for */
    atomic_bool timed_out; /* and so was shut down */
    /* The thread's own, under its lock. */
    struct waiting *next;
    unsigned seen_turn;
    uint64_t seen_ns;
};

/* Before and after everything that waits for the server. */
static inline void patience_turn(struct waiting *waiting)
{
    atomic_store_explicit(
        &waiting->turn,
        atomic_load_explicit(&waiting->turn, memory_order_relaxed) + 1,
        memory_order_relaxed);
}

/* Starts the thread.  The limit is for one answer, in seconds; 0: for ever.
   NULL with err on failure. */
struct patience *patience_new(uint64_t limit_s, struct err *err);
void patience_free(struct patience *patience); /* NULL is fine */

uint64_t patience_limit_s(struct patience *patience);
void patience_set_limit(struct patience *patience, uint64_t limit_s);

/* Watches over a connection, from when its socket is known until before it is
   closed.  It must stay where it is. */
void patience_add(struct patience *patience, struct waiting *waiting);
void patience_remove(struct patience *patience, struct waiting *waiting);

/* Shuts all connections down, from another thread, and until it is forgotten
   each that is added. */
void patience_cancel(struct patience *patience);
bool patience_canceled(const struct patience *patience);
void patience_forget(struct patience *patience);

#endif
