/* SPDX-License-Identifier: ISC */
/*
 * Performs the exchanges of a mix on a store, as a DHCP server does, and checks the answers.  A
 * loop, closed or open, decides which exchange comes next, in which worker and when.  Each worker
 * owns a part of the clients, so it knows what a correct store must answer; load/pool/ has clients
 * that share the addresses.  The server's own work (reclaim, purge) is done by one worker at a
 * time, as in Kea, on leases without clients.  These expired before all others, one in each second
 * of the generator's time.
 */
#ifndef UBENCH_LOAD_EXCHANGE_EXCHANGES_H
#define UBENCH_LOAD_EXCHANGE_EXCHANGES_H

#include "load/engine.h"

/* Performs exchange number i in a worker of workload_exchanges, which has a mix and at least
   one candidate; its closed loop performs i in worker i modulo threads.  Calls for
   different workers may overlap.  Sets worker->given_up if the store gave the exchange up
   because of another, so that its last step changed nothing; the end is LOAD_DONE all the same. */
enum load_end exchange_perform(struct worker *worker, uint64_t i);

/* Checks that the store accepts a lease in the state in which a release leaves it.  Returns 0,
   or -1 with the worker's err. */
int exchange_try_released(struct worker *worker);

#endif
