/* SPDX-License-Identifier: ISC */
/*
 * The parts of one run (--part), put together as that run.
 *
 * Counts and what else adds up is added: operations, outcomes, requests that
 * were offered, answered, late or lost, the rates that an open loop asked for,
 * processor time, memory, histograms bucket by bucket, the digest modulo 2^64.
 * Quantiles are those of the histograms that were added.
 *
 * The common window of a phase is from when the last part began it to when the
 * first one ended it, by the clock of agents.sh.  A part whose own time is
 * outside of it by more than 1 - MERGE_TOGETHER is refused.  The rate is that
 * of all parts in the window:
 *
 *     rate = sum over all parts of the operations in the window / its length
 *
 * where a part's operations are counted by its seconds, evenly within each, or
 * evenly over its whole time if it has no seconds (--latency=off, --rate).  A
 * line has the time of a phase and not its rate: the merged time is all
 * operations divided by that rate.
 *
 * Of seconds, the first one of each part is added to the first of the others,
 * and so on; p99 and the longest answer of one are the highest of any part's.
 * So are the mean waits of an open loop.  What was predicted for parts says
 * nothing of the whole and is left out; the baselines are the first part's.
 */
#ifndef UBENCH_RECORD_MERGE_H
#define UBENCH_RECORD_MERGE_H

#include "core/err.h"
#include "record/record.h"

#define MERGE_TOGETHER 0.5

/* Puts records together, which have to be all parts of one run, in any order.
   *merged lives in memory and refers to them.  Returns 0, or -1 with err, which
   names the file, the line and the member that refuses it. */
int merge_parts(struct arena *memory, const struct record *records,
                size_t count, struct record *merged, struct err *err);

#endif
