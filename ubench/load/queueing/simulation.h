/* SPDX-License-Identifier: ISC */
/*
 * The open loop in time that does not pass: the same pool, served by
 * servers that take exactly as long as they are told.  It predicts what a store
 * should do under a load, from what it was seen to do without one.
 */
#ifndef UBENCH_LOAD_QUEUEING_SIMULATION_H
#define UBENCH_LOAD_QUEUEING_SIMULATION_H

#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "load/openloop/trial.h"
#include "load/progress.h"

/*
 * Serves what comes by servers, at least 1, that take service_ns, at least 1,
 * for each request (what queueing theory calls D) and answer it, until all is
 * served or the pool closes, or progress is stopped.  Fills trial as
 * open_loop_run does.  Returns 0, or -1 with err if there was no memory.
 */
int simulation_run(const struct server_pool_config *config, size_t servers,
                   uint64_t service_ns, struct progress *progress,
                   struct trial *trial, struct err *err);

#endif
