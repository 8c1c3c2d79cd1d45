/* SPDX-License-Identifier: ISC */
/*
 * The closed loop: each worker begins its next operation when the one before
 * has ended.  A load is run from the beginning to the end: the preload, its
 * phases one after the other, each with the checks that follow it.  With
 * --turns it works when it is told to, so that two configurations can take
 * turns and meet the same noise (load/barrier.h).
 */
#ifndef UBENCH_LOAD_CLOSED_LOOP_H
#define UBENCH_LOAD_CLOSED_LOOP_H

#include "load/engine.h"
#include "load/workloads.h"

/* Performs a worker's operations of the engine's phase until its share is done,
   the stretch has lasted for the engine's limit, or progress is paused; called
   again, it goes on.  For engine_run. */
void closed_loop(struct worker *worker);

/* Runs workload->closed; the run of all workloads in a closed loop. */
enum load_end closed_loop_run(const struct workload *workload,
                              const struct load_config *config,
                              const struct load_context *context,
                              struct load_result *result, struct err *err);

/* Takes turns until the end: in each, body works until progress_paused, and
   called again it goes on; then the engine's kind restores the store.  stretch
   becomes as long as all turns together, with what they used; *turns how many
   there were.  The end and err are as engine_run's. */
enum load_end turns_run(struct engine *engine,
                        void (*body)(struct worker *worker),
                        struct stretch *stretch, uint64_t *turns,
                        struct err *err);

#endif
