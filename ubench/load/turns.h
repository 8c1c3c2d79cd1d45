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

/* What a kind of load does in its turns. */
struct turns_kind {
    /* Works until progress_paused; called again, it goes on. */
    void (*body)(struct worker *worker);
    /* Adds what a worker has counted so far to the sum. */
    void (*count)(const struct worker *worker, struct phase_result *sum);
    /* After a turn, untimed: gives the store the size that it had before.  Sets
       err unless the end is LOAD_DONE or LOAD_INTERRUPTED.  NULL: it has not
       changed. */
    enum load_end (*restore)(struct engine *engine, struct err *err);
};

/* Takes turns until the end.  stretch becomes as long as all of them together,
   with what they used; *turns how many there were.  The end and err are as
   engine_run's. */
enum load_end turns_run(struct engine *engine, const struct turns_kind *kind,
                        struct stretch *stretch, uint64_t *turns,
                        struct err *err);

#endif
