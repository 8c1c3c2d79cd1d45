/* SPDX-License-Identifier: ISC */
/*
 * Judges a store after a crash by the ledger of the load that it was under.  Of
 * each lease that has the last operation that was acknowledged and those that
 * were submitted later, of which the store may have done none, some or all: the
 * lease must be as one of these leaves it.
 */
#ifndef UBENCH_LOAD_CRASH_VERIFY_H
#define UBENCH_LOAD_CRASH_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "load/crash/ledger.h"
#include "store/backend.h"

struct verify_result {
    uint64_t acknowledged; /* operations, until the crash */
    uint64_t unanswered;   /* submitted and never acknowledged */
    uint64_t late;         /* acknowledged after the crash: not judged */
    /* Threads whose last transaction, which was never acknowledged, is there in
       part.  A store with atomic transactions must have none.  Not judged
       where something is lost: what is gone may be either. */
    uint64_t torn_batches;
    /* Leases, each in one of these: */
    uint64_t kept;        /* as it must be, or may be */
    uint64_t lost;        /* created, and not there */
    uint64_t outdated;    /* updated, and there as it was before */
    uint64_t resurrected; /* deleted, and there */
    uint64_t phantom;     /* there, and never submitted */
    uint64_t corrupt;     /* there, and not what was ever stored */
    uint64_t strangers;   /* counted beyond the ledger's */
    /* Acknowledged operations that were undone, as far as that shows: not
       those on a lease that was made and deleted since. */
    uint64_t lost_operations;
    /* The lost operations that one of the same thread followed which was kept:
       a missing tail is an old state, a hole is one that never was. */
    uint64_t holes;
    uint64_t window_ns;         /* from the first lost acknowledgement to the crash */
    uint64_t window_operations; /* acknowledged in it; all lost if a tail is */
    enum outcome check;         /* the store's own; MISS: damaged */
    char check_text[256];
    uint64_t first_found_ns; /* when the first search was answered */
};

/* Nothing that was acknowledged is missing or wrong. */
bool verify_is_whole(const struct verify_result *result);

/* Searches for every lease that was ever to be created, and counts what else
   there is.  Returns 0, or -1 with err if it could not be judged: what the
   ledger has of a lease cannot be, or a search failed. */
int verify_run(const struct ledger *ledger, const struct backend *backend, struct session *session,
               struct verify_result *result, struct err *err);

#endif
