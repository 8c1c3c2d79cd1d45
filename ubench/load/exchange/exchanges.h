/* SPDX-License-Identifier: ISC */
/*
 * Exchanges performed on a store, and their answers checked: the server's part
 * of a mix, without a loop.  A loop, closed or open, says which exchange comes
 * next, in which worker and when; the worker counts how it ended.
 *
 * Each worker owns a part of the clients, so that it knows what a correct store
 * must answer.  The server's own work (reclaim, purge) one worker does at a
 * time, as in Kea, on leases that no client uses, which expired before all
 * others, one in each second of the generator's time.
 */
#ifndef UBENCH_LOAD_EXCHANGE_EXCHANGES_H
#define UBENCH_LOAD_EXCHANGE_EXCHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/engine.h"
#include "load/workloads.h"

enum { EXCHANGES_CANDIDATES_MAX = 1000 };

/* With a mix, at least one candidate, and a batch of 1. */
extern const struct engine_kind exchanges_kind;

/* Performs exchange number i in a worker of such a load.  Calls for different
   workers may overlap.  worker->tally is NULL afterwards if the store gave the
   exchange up for another, and nothing changed; the end is LOAD_DONE all the
   same. */
enum load_end exchange_perform(struct worker *worker, uint64_t i);

/* The exchanges of -w without --rate: number i in worker i modulo threads. */
extern const struct workload workload_exchanges;

#endif
