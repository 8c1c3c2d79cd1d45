/* SPDX-License-Identifier: ISC */
/*
 * The load of the 2012 DHCP Performance Guide: create n leases, search n
 * times, update n, delete n, with a timestamp before, between and after.
 *
 * Every answer is compared with what a correct store must give, searches
 * byte by byte, and the rows are counted after create and after delete.  A
 * sample of the updated leases is read back after update.  Groups of changes go
 * without reconnect.
 *
 * And, to be cut short by a crash, a load in which all that changes leases is
 * mixed at any time: one phase, churn.  Of three operations one creates a
 * lease, the next updates the one that was created half a preload ago and the
 * third deletes the oldest; the preload is a multiple of the threads, twice as
 * many at least.  Searches alone and updates alone work on such a preload, too,
 * and leave it as large as it is: loads that can go on for ever, in turns.
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
