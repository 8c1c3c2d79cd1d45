/* SPDX-License-Identifier: ISC */
/*
 * Exchanges in a closed loop: each worker begins the next one when the one
 * before has ended, so that the store is never idle and never has a queue.
 */
#ifndef UBENCH_LOAD_EXCHANGE_CLOSED_LOOP_H
#define UBENCH_LOAD_EXCHANGE_CLOSED_LOOP_H

#include "load/workload.h"

/* Exchanges and mixes without --rate and --find-rate. */
extern const struct workload workload_exchanges;

/*
 * Resets the store, makes the preload, performs config->count exchanges in all
 * workers at once, number i in worker i modulo threads, and looks whether all
 * leases are as they should be.  Fills result, which the caller releases, and
 * err unless the end is LOAD_DONE or LOAD_INTERRUPTED.
 */
enum load_end closed_loop_run(const struct load_config *config,
                              const struct load_context *context,
                              struct load_result *result, struct err *err);

#endif
