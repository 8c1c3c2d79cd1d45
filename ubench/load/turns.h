/* SPDX-License-Identifier: ISC */
/*
 * A run in turns (--turns): the closed loop works only when its conductor says so
 * (load/conductor.h), so that two configurations can take turns and meet the same noise.
 * The answer to a turn is
 *
 *   {"operations":N, "elapsed_ns":N,
 *    "cpu_ns":N,          processor time of this process
 *    "server_cpu_ns":N,   of the server's processes; null: not visible
 *    "syncs":N,           of the store's file, or of any file of its server;
 *                         null: not counted
 *    "log_bytes":N,       written to the server's logs; null: not counted
 *    "instructions":N,    of the workers, in user space; null: not counted
 *    "server_instructions":N,
 *    "cycles":N,          of the workers, in user space
 *    "switches":N,        context switches of this process
 *    "hits":N, "misses":N,
 *    "errors":N,          given up by the store: deadlocks and conflicts
 *    "latency":{"p50_ns":N, "p95_ns":N, "p99_ns":N, "max_ns":N}}
 *
 * An operation is one exchange, or one operation of a phase.  A turn ends when each worker has
 * done the operation during which the time ran out, and at least one.  Quantiles and maximum
 * are accurate to 0.8 %, however few operations there were; null: none, or --latency=off.
 */
#ifndef UBENCH_LOAD_TURNS_H
#define UBENCH_LOAD_TURNS_H

#include "load/engine.h"

/* The work of a load in turns, for engine_load: takes turns until the conductor sends "end",
   and restores the store after each.  The stretch becomes as long as all turns together, with
   their resources. context is not used. */
enum load_end turns_work(struct engine *engine, void *context, struct stretch *stretch);

#endif
