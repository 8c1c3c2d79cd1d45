/* SPDX-License-Identifier: ISC */
/*
 * A load that works when it is told to (--turns), so that two configurations
 * can take turns and meet the same noise.  The lines are those of barrier.h.
 * Each turn is answered with one:
 *
 *   {"operations":N, "elapsed_ns":N,
 *    "cpu_ns":N,          processor time of this process
 *    "server_cpu_ns":N,   of the server's processes; null: none is to be seen
 *    "syncs":N,           of the store's file, or of any of its server's;
 *                         null: it does not count
 *    "log_bytes":N,       written to the server's logs; null: it does not count
 *    "hits":N, "misses":N,
 *    "errors":N,          given up by the store: deadlocks and conflicts
 *    "latency":{"p50_ns":N, "p95_ns":N, "p99_ns":N, "max_ns":N}}
 *
 * An operation is one exchange, or one of a phase.  A turn ends when each
 * worker has ended the operation in which its time was over, and has done one
 * at least.  Quantiles and maximum are right within 0.8 %, and given however
 * few operations there were; null: there was none, or --latency=off.
 */
#ifndef UBENCH_LOAD_TURNS_H
#define UBENCH_LOAD_TURNS_H

#include "load/engine.h"

/* Takes turns until the end: in each, body works until progress_paused, and
   called again it goes on; then the engine's kind restores the store.  stretch
   becomes as long as all turns together, with what they used; *turns how many
   there were.  The end and err are as engine_run's. */
enum load_end turns_run(struct engine *engine,
                        void (*body)(struct worker *worker),
                        struct stretch *stretch, uint64_t *turns,
                        struct err *err);

#endif
