/* SPDX-License-Identifier: ISC */
/*
 * Compares a store after a crash with the ledger of the load before it.  The
 * ledger has, for each lease, the last acknowledged operation and those
 * submitted after it.  The store may have done none, some or all of the latter,
 * so the lease must be in one of the states that they leave.
 */
#ifndef UBENCH_LOAD_CRASH_VERIFY_H
#define UBENCH_LOAD_CRASH_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "load/crash/ledger.h"
#include "store/backend.h"

struct verify_result {
    uint64_t acknowledged; /* operations before the crash */
    uint64_t unanswered;   /* submitted, never acknowledged */
    uint64_t late;         /* acknowledged after the crash; not judged */
    /* Threads whose last transaction was not acknowledged and is present in
       part; 0 for a store with atomic transactions.  Not judged if leases are
       lost, since the missing part may be a loss. */
    uint64_t torn_batches;
    /* Leases; each is counted in exactly one of these: */
    uint64_t kept;        /* in a state that the ledger allows */
    uint64_t lost;        /* created, absent */
    uint64_t outdated;    /* updated, present in its former version */
    uint64_t resurrected; /* deleted, present */
    uint64_t phantom;     /* present, never submitted */
    uint64_t corrupt;     /* present, in no version ever submitted */
    uint64_t strangers;   /* present, not in the ledger */
    /* Acknowledged operations that are undone, as far as that can be seen: a
       lease that was created and deleted leaves no trace. */
    uint64_t lost_operations;
    /* Lost operations that are followed by a kept one of the same thread.  A
       lost tail leaves an older state; a hole leaves one that never existed. */
    uint64_t holes;
    uint64_t window_ns;         /* first lost acknowledgement to crash */
    uint64_t window_operations; /* acknowledged within it; all lost if the loss
                                   is a tail */
    enum outcome check;         /* the store's own check; MISS: damaged */
    char check_text[256];
    uint64_t first_found_ns; /* time of the first answer to a search */
};

/* True if no acknowledged operation is missing or wrong. */
bool verify_is_whole(const struct verify_result *result);

/* Searches for each lease of the ledger and counts the others.  Returns 0, or
   -1 with err if a search failed or an entry of the ledger is impossible. */
int verify_run(const struct ledger *ledger, const struct backend *backend, struct session *session,
               struct verify_result *result, struct err *err);

#endif
