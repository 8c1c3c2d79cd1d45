/* SPDX-License-Identifier: ISC */
/*
 * Where the parts of one run wait for each other (--part): processes, mostly on
 * machines of their own, that scripts/agents starts and that know nothing of
 * each other.  A part and the script exchange lines, each a word and a number:
 *
 *   part says     script answers
 *   clock 0       clock NS    at once: Unix nanoseconds by its own clock
 *   meet N        meet SUM    when all parts have said it: the sum of their N
 *   result 0                  the line of JSON follows
 *
 * Any other answer, and the end of the input, mean that the run is canceled:
 * another part has failed, the script was interrupted, the connection is gone.
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

/*
 * Begins with a comparison of the clocks, into *clock.  From then on the run is
 * asked to stop soon after it was canceled.  in is a descriptor; both belong to
 * the caller.  NULL with err on failure; ERR_CANCELED: it was canceled.
 */
struct barrier *barrier_open(int in, FILE *out, struct progress *progress,
                             struct barrier_clock *clock, struct err *err);
void barrier_close(struct barrier *barrier); /* NULL is fine */

/* Waits until all parts are here; *sum becomes that of all values (NULL: not
   wanted).  False if the run was asked to stop or canceled.  NULL is a barrier
   of this part alone. */
bool barrier_wait(struct barrier *barrier, int64_t value, int64_t *sum);

/* Says that the result follows. */
void barrier_end(struct barrier *barrier);

/* True if the run was canceled.  NULL is fine. */
bool barrier_is_canceled(struct barrier *barrier);

/* Sets err (ERR_CANCELED) to say so, and returns -1. */
int barrier_refuse(struct err *err);

#endif
