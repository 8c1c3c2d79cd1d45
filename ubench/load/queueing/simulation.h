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

/* How long serving a request takes, at least 1 ns; and it is answered. */
struct simulated_service {
    void *context;
    uint64_t (*service_ns)(void *context, const struct arrival *arrival,
                           uint64_t begun_ns);
};

/* Serves what comes by servers, at least 1, until all is served or the pool
   closes.  Fills trial as open_loop_run does.  Returns 0, or -1 with err if
   there was no memory. */
int simulation_run(const struct server_pool_config *config, size_t servers,
                   const struct simulated_service *service, struct trial *trial,
                   struct err *err);

/* The same with the same service time for all, which is what queueing theory
   calls D. */
int simulation_run_fixed(const struct server_pool_config *config,
                         size_t servers, uint64_t service_ns,
                         struct trial *trial, struct err *err);

#endif
