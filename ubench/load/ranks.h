/* SPDX-License-Identifier: ISC */
/*
 * The processes of one run.  A runner that was started alone is the only one.  If the runners
 * were built with MPI (make MPI=1), mpirun starts several, perhaps on several machines: each is
 * a rank, and the threads of all ranks share the run as those of one process do.  Rank 0
 * prepares the store and reports; the others print nothing. ranks_alone.c and ranks_mpi.c
 * implement this; the link line chooses one of them.
 *
 * Unless its comment says otherwise, all ranks call a function at the same place, in the thread
 * that opened them.  NULL stands for a single process.
 *
 * A rank whose run ends early (a signal, an error, a wrong answer) asks the others to stop and
 * calls ranks_finish, where it meets them wherever they wait.
 */
#ifndef UBENCH_LOAD_RANKS_H
#define UBENCH_LOAD_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "load/progress.h"

struct ranks;

/* Finds the other ranks; *ranks becomes NULL if there are none.  Returns 0, or -1 with
   err. */
int ranks_open(struct ranks **ranks, struct err *err);

/* Closes the ranks; status is the program's exit status.  Does not return if a rank is lost, so
   that no other rank waits for it. */
void ranks_close(struct ranks *ranks, int status);

/* Return the number of this process, from 0, and the number of processes.  Any rank may call
   them at any time. */
uint64_t ranks_number(const struct ranks *ranks);
uint64_t ranks_count(const struct ranks *ranks);

/* Returns the time of the first rank's clock when clock_now_ns of this rank returned ns:
   accurate to the time of a few messages, and exact if both ranks have the same clock.  Any
   rank may call it at any time. */
uint64_t ranks_common_ns(const struct ranks *ranks, uint64_t ns);

/* From now on, until ranks_unwatch, a request to stop in one rank soon reaches all of them.
   Returns 0, or -1 with err. */
int ranks_watch(struct ranks *ranks, struct progress *progress, struct err *err);
void ranks_unwatch(struct ranks *ranks);

/* Waits until all ranks have called it; *sum becomes the sum of all values (sum may be NULL).
   All return at the same time, within the time of a message.  Returns false if the run ends
   early; call ranks_finish next.  Only between ranks_watch and ranks_unwatch. */
bool ranks_meet(struct ranks *ranks, uint64_t value, uint64_t *sum);

/* Waits until all ranks have ended their run.  Returns the worst end; unless it is LOAD_DONE,
   no other run follows. */
enum load_end ranks_finish(struct ranks *ranks, enum load_end end);

/* Returns true if another rank has died, or did not answer after a signal told this one to end.
   Then all functions return at once, and their results mean nothing.  Any rank may call it at
   any time. */
bool ranks_are_lost(const struct ranks *ranks);

/* Set each value to the lowest, or the highest, of all ranks. */
void ranks_least(struct ranks *ranks, uint64_t *values, size_t count);
void ranks_most(struct ranks *ranks, uint64_t *values, size_t count);

/* In rank 0, set each value to the sum of those of all ranks. */
void ranks_sum(struct ranks *ranks, uint64_t *values, size_t count);
void ranks_sum_32(struct ranks *ranks, uint32_t *values, size_t count);

/* Sets data in all ranks to that of the rank with the highest weight; if there are several, to
   that of the first. */
void ranks_share(struct ranks *ranks, int weight, void *data, size_t size);

/* In rank 0, fills all with the data of all ranks, in their order. */
void ranks_collect(struct ranks *ranks, const void *data, size_t size, void *all);

/* Returns the first rank on this rank's machine. */
uint64_t ranks_machine(struct ranks *ranks);

#endif
