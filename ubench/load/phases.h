/* SPDX-License-Identifier: ISC */
/*
 * The load of the 2012 DHCP Performance Guide: create n leases, search n
 * times, update n, delete n, with a timestamp before, between and after.
 *
 * Every answer is compared with that of a correct store, searches byte by byte;
 * the leases are counted after create and after delete, and read back after
 * update.  Groups of changes go without reconnect.
 *
 * Churn is a load for a crash to cut short: it mixes all changes in one phase.
 * Of three operations the first creates a lease, the second updates the one
 * that was created half a preload ago and the third deletes the oldest; the
 * preload is a multiple of the threads, twice as many at least.  Searches alone
 * and updates alone work on such a preload, too, and leave it as large as it
 * is: in turns, they can go on for ever.
 */
#ifndef UBENCH_LOAD_PHASES_H
#define UBENCH_LOAD_PHASES_H

#include "load/workloads.h"

enum phase_name {
    PHASE_CREATE,
    PHASE_SEARCH,
    PHASE_UPDATE,
    PHASE_DELETE,
    PHASE_COUNT,
};

extern const struct workload workload_phases;
extern const struct workload workload_churn;
extern const struct workload workload_search;
extern const struct workload workload_update;

#endif
