/* SPDX-License-Identifier: ISC */
/*
 * Exchanges performed on a store, and their answers checked: the server's part
 * of a mix.  A loop, closed or open, says which exchange comes next, in which
 * worker and when.  Each worker owns a part of the clients, so that it knows
 * what a correct store must answer.  The server's own work (reclaim, purge) one
 * worker does at a time, as in Kea, on leases that no client uses, which
 * expired before all others, one in each second of the generator's time.
 */
#ifndef UBENCH_LOAD_EXCHANGE_EXCHANGES_H
#define UBENCH_LOAD_EXCHANGE_EXCHANGES_H

#include "load/engine.h"

/* Performs exchange number i in a worker of workload_exchanges, which has a mix, at least
   one candidate and a batch of 1; its closed loop does i in worker i modulo threads.  Calls for
   different workers may overlap.  worker->given_up says afterwards whether the store
   gave the exchange up for another, and its last step changed nothing; the end is
   LOAD_DONE all the same. */
enum load_end exchange_perform(struct worker *worker, uint64_t i);

/* Tries whether the store takes the lease that a release leaves behind.  Returns 0, or -1 with
   the worker's err. */
int exchange_try_released(struct worker *worker);

#endif
