/* SPDX-License-Identifier: ISC */
/*
 * A run in turns (--turns): the closed loop works only when its conductor says so
 * (load/conductor.h), so that two configurations can take turns and meet the same noise.
 * The answer to a turn is
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
 * An operation is one exchange, or one of a phase.  A turn ends when each worker has ended
 * the operation in which its time was over, and has done one at least.  Quantiles and
 * maximum are right within 0.8 %, and given however few operations there were; null: there
 * was none, or --latency=off.
 */
#ifndef UBENCH_LOAD_TURNS_H
#define UBENCH_LOAD_TURNS_H

#include "load/engine.h"

/* The work of a load, for engine_load: takes turns until the conductor says "end", each
   followed by a restore of the store.  The stretch becomes as long as all turns together,
   with what they used.  context is not used. */
enum load_end turns_work(struct engine *engine, void *context, struct stretch *stretch);

#endif
