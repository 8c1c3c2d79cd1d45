/* SPDX-License-Identifier: ISC */
/*
 * A batch: exchanges of one worker in one transaction, whose clients are answered after its
 * commit, as a server could park them until then (--batch).
 *
 * If the store gives the transaction up in favour of others, all its exchanges are performed
 * again, and their clients wait meanwhile.  Nothing counts as done before the commit.
 */
#ifndef UBENCH_LOAD_OPENLOOP_BATCH_H
#define UBENCH_LOAD_OPENLOOP_BATCH_H

#include "load/exchange/state.h"

/* Performs exchange number, the phase's operation, in the worker's transaction, and begins that if
   there is none. begun_ns is when its client asked (clock_now_ns).  Unless the end is LOAD_DONE,
   the batch is dropped. */
enum load_end batch_perform(struct worker *worker, uint64_t number, uint64_t begun_ns);

/* Returns true if the batch has as many exchanges, or is as old, as --batch says. */
bool batch_is_due(const struct worker *worker, uint64_t now_ns);

/* Commits: all parked exchanges can be answered; batch_clear follows.  Unless the end is
   LOAD_DONE, the batch is dropped. */
enum load_end batch_commit(struct worker *worker);
void batch_clear(struct worker *worker);

/* Takes back what was not committed; nothing is fine. */
void batch_drop(struct worker *worker);

/* The closed loop with batches: the next exchange begins when the one before has been performed,
   and each takes until the commit. */
engine_loop batch_loop;

#endif
