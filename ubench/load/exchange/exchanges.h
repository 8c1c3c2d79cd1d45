/* SPDX-License-Identifier: ISC */
/*
 * Exchanges performed on a store, and their answers checked: the server's part
 * of a mix, without a loop.  A loop, closed or open, says which exchange comes
 * next, in which worker and when; this says how it ended and counts.
 *
 * Each worker owns a part of the clients, so that it knows what a correct store
 * must answer.  What the server does by itself (reclaim, purge) one worker does
 * at a time, as in Kea, on leases that no client uses, which expired before all
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

struct exchanges; /* of one run, with its workers */

/*
 * Resets the store, makes the reservations and the preload, and begins to
 * count.  config, whose batch is 1, and context are copied.  Sets *made, or
 * fills err unless the end is LOAD_DONE or LOAD_INTERRUPTED.
 */
enum load_end exchanges_open(struct exchanges **made,
                             const struct load_config *config,
                             const struct load_context *context,
                             struct err *err);
void exchanges_close(struct exchanges *exchanges); /* NULL is fine */

/* Performs exchange number i in a worker (from 0).  Calls for different workers
   may overlap.  *given_up: the store gave the exchange up for another, and
   nothing changed; the end is LOAD_DONE all the same. */
enum load_end exchanges_perform(struct exchanges *exchanges, size_t worker,
                                uint64_t i, bool *given_up);

/* What went wrong in a worker, after LOAD_FAILED and LOAD_WRONG. */
const struct err *exchanges_error(const struct exchanges *exchanges,
                                  size_t worker);

/* Adds up what all workers counted: a phase for each kind of the mix, with its
   steps.  Returns 0, or -1 with err if there is no memory; release result either
   way. */
int exchanges_collect(struct exchanges *exchanges,
                      const struct stretch *stretch, struct load_result *result,
                      struct err *err);

/* Counts the leases and reads them back, those that are to be gone as well.
   Fills err unless the end is LOAD_DONE or LOAD_INTERRUPTED. */
enum load_end exchanges_check_after(struct exchanges *exchanges,
                                    struct load_result *result,
                                    struct err *err);

/* What a closed loop saw: service times, since none ever waited. */
struct service_capacity {
    double per_s; /* answers */
    uint64_t failed;
    struct histogram service;
};

/* Performs exchanges in a closed loop, in all workers, for about so long, or
   until as many were done as the configuration says, which is without latency.
   Fills err unless the end is LOAD_DONE or LOAD_INTERRUPTED. */
enum load_end exchanges_measure(struct exchanges *exchanges,
                                uint64_t duration_ns,
                                struct service_capacity *capacity,
                                struct err *err);

/* Those of -w without --rate: number i in worker i modulo threads. */
extern const struct workload workload_exchanges;

#endif
