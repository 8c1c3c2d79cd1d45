/* SPDX-License-Identifier: ISC */
/*
 * The line protocol between a runner and the script that started it: each line is a
 * word and usually a number.  The parts of one run (--part) are processes, usually on
 * several machines, that scripts/agents starts and that wait for each other.  A run in
 * turns (--turns) works only on command.
 *
 *   a part says        script answers
 *   clock 0            clock NS    at once: Unix nanoseconds by its own clock
 *   meet N             meet SUM    when all parts have said it: the sum of N
 *   result             the line of JSON follows
 *
 *   a run in turns says
 *   ready              turn MS     work for MS milliseconds, 1..600000
 *                      end         check everything and give the result
 *   turn {JSON}        turn or end again
 *   result             the line of JSON follows
 *
 * In parts any other answer, and the end of the input, mean that the run is
 * canceled: another part has failed, the script was interrupted, the connection
 * is gone.  In turns the end of the input before "end" stops the run, and any
 * other line is an error.  The JSON of a turn is
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
#ifndef UBENCH_LOAD_BARRIER_H
#define UBENCH_LOAD_BARRIER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/err.h"
#include "load/progress.h"

struct barrier;

/* The difference between two clocks: at some time this process' clock said
   own_ns and the script's common_ns, at most error_ns more or less (half of the
   shortest of five round trips). */
struct barrier_clock {
    uint64_t own_ns;
    uint64_t common_ns;
    uint64_t error_ns;
};

/* Begins with a comparison of the clocks, into *clock; NULL: the run is whole
   and in turns.  From then on it is asked to stop soon after it was canceled.
   in is a descriptor; both belong to the caller.  NULL with err on failure;
   ERR_CANCELED: it was canceled. */
struct barrier *barrier_open(int in, FILE *out, struct progress *progress,
                             struct barrier_clock *clock, struct err *err);
void barrier_close(struct barrier *barrier); /* NULL is fine */

/* Waits until all parts are here; *sum becomes that of all values (NULL: not
   wanted).  False if the run was asked to stop or canceled.  NULL is a barrier
   of this part alone, and so is that of a run in turns. */
bool barrier_wait(struct barrier *barrier, int64_t value, int64_t *sum);

/* Says a line, without its newline. */
void barrier_say(struct barrier *barrier, const char *line);

/* Returns the next command for a run in turns, after waiting at most wait_ms.  NULL
   if none has come or the run was asked to stop.  The text is valid until the next
   call.  After "end" the input may end. */
const char *barrier_listen(struct barrier *barrier, int wait_ms);

/* True if the run was canceled.  NULL is fine. */
bool barrier_is_canceled(struct barrier *barrier);

/* Sets err (ERR_CANCELED) to "canceled" with the reason.  Always returns -1. */
int barrier_refuse(struct err *err);

#endif
