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

/* Performs a worker's operations of the engine's phase until its share is done,
   the stretch has lasted for the engine's limit, or progress is paused; called
   again, it goes on.  For engine_run. */
void closed_loop(struct worker *worker);

/* See workload_run. */
enum load_end closed_loop_run(const struct engine_kind *kind,
                              const struct load_config *config,
                              const struct load_context *context,
                              struct load_result *result, struct err *err);

#endif
