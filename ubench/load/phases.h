/* SPDX-License-Identifier: ISC */
/*
 * The load of the 2012 DHCP Performance Guide: create n leases, search n
 * times, update n, delete n, with a timestamp before, between and after.
 *
 * Every answer is compared with what a correct store must give, searches
 * byte by byte, and the rows are counted after create and after delete.  A
 * sample of the updated leases is read back after update.
 *
 * And, to be cut short by a crash, a load in which all that changes leases is
 * mixed at any time: one phase, churn.
 */
#ifndef UBENCH_LOAD_PHASES_H
#define UBENCH_LOAD_PHASES_H

#include "load/crash/ledger.h"
#include "load/exchange/lookup.h"
#include "load/load.h"

enum phase_name {
    PHASE_CREATE,
    PHASE_SEARCH,
    PHASE_UPDATE,
    PHASE_DELETE,
    PHASE_COUNT,
};

struct phases_config {
    struct load_config load;
    double hit_ratio; /* of searches, 0..1 */
    enum lookup search_by;
    /* Of three operations one creates a lease, the next updates the one that
       was created half a preload ago and the third deletes the oldest.  The
       preload is a multiple of the threads, twice as many at least. */
    bool churn;
    double pace_per_s;     /* operations of churn begin no faster; 0: at once */
    struct ledger *ledger; /* where each change is recorded, or NULL */
    /* Who opens lost sessions anew, or NULL; not with groups of changes.  Its
       sessions are those that the load is given. */
    struct reconnect *reconnect;
};

/* How many leases the load ever creates: those that a ledger has room for. */
uint64_t phases_leases(const struct phases_config *config);

/*
 * Resets the store, makes the preload and runs the phases, each in all threads
 * at once; sessions has one for each thread.  Fills result, which the caller
 * releases, and err unless the end is LOAD_DONE or LOAD_INTERRUPTED.
 */
enum load_end phases_run(const struct phases_config *config,
                         const struct backend *backend,
                         struct session *const *sessions,
                         struct progress *progress, struct load_result *result,
                         struct err *err);

#endif
