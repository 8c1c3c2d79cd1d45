/* SPDX-License-Identifier: ISC */
/*
 * The processes of one run.  A runner that was started alone is the only one.  Where the
 * runners are built with MPI (make MPI=1), mpirun starts several, perhaps on several
 * machines: each is a rank, and the threads of all ranks share the run as those of one
 * process do.  Rank 0 prepares the store and reports; the others print nothing.
 * ranks_alone.c and ranks_mpi.c implement this; the link line chooses one of them.
 *
 * Unless it says otherwise, a function is called by all ranks at the same place, in the
 * thread that opened them.  NULL stands for a process that is alone.
 *
 * A rank whose run ends early (a signal, an error, a wrong answer) asks the others to stop
 * and goes to ranks_finish, where it meets them wherever they wait.
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

/* status is what the program exits with.  Does not return if a rank is lost, so that no
   other waits for it. */
void ranks_close(struct ranks *ranks, int status);

/* The number of this process, from 0, and how many there are.  By any rank at any time. */
uint64_t ranks_number(const struct ranks *ranks);
uint64_t ranks_count(const struct ranks *ranks);

/* What the clock of the first rank said when that of this one, clock_now_ns, said ns: right
   within the time that a few messages take, and exact where both have the same clock.  By
   any rank at any time. */
uint64_t ranks_common_ns(const struct ranks *ranks, uint64_t ns);

/* From now on, until ranks_unwatch, a run that is asked to stop in one rank is soon asked
   to stop in all of them.  Returns 0, or -1 with err. */
int ranks_watch(struct ranks *ranks, struct progress *progress, struct err *err);
void ranks_unwatch(struct ranks *ranks);

/* Waits until all ranks are here; *sum becomes that of all values (NULL: not wanted).  All
   return at the same time, within a message's time.  False if the run ends early: then
   ranks_finish comes next.  Only between ranks_watch and ranks_unwatch. */
bool ranks_meet(struct ranks *ranks, uint64_t value, uint64_t *sum);

/* Waits until all ranks have ended their run.  Returns how it ended: the worst end of all.
   After one that is not LOAD_DONE there is no other run. */
enum load_end ranks_finish(struct ranks *ranks, enum load_end end);

/* True if another rank has died, or did not answer after this one was told by a signal to
   end.  Then all functions return at once, and what they return means nothing.  By any
   rank at any time. */
bool ranks_are_lost(const struct ranks *ranks);

/* Each of these values becomes the lowest, or the highest, that any rank has. */
void ranks_least(struct ranks *ranks, uint64_t *values, size_t count);
void ranks_most(struct ranks *ranks, uint64_t *values, size_t count);

/* In rank 0, each of these values becomes the sum of those of all ranks. */
void ranks_sum(struct ranks *ranks, uint64_t *values, size_t count);
void ranks_sum_32(struct ranks *ranks, uint32_t *values, size_t count);

/* The data becomes that of the rank with the highest weight, of the first of these. */
void ranks_share(struct ranks *ranks, int weight, void *data, size_t size);

/* In rank 0, all becomes an array of the data of all ranks, in their order. */
void ranks_collect(struct ranks *ranks, const void *data, size_t size, void *all);

/* The first rank on this rank's machine. */
uint64_t ranks_machine(struct ranks *ranks);

#endif
