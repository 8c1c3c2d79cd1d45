/* SPDX-License-Identifier: ISC */
/*
 * The limits of any store on this machine: the price of a clock reading and of
 * one synced record on the file system below it.  Measured in every run, so
 * that its figures can be read against them.
 */
#ifndef UBENCH_MEASURE_BASELINES_H
#define UBENCH_MEASURE_BASELINES_H

#include <stdbool.h>
#include <stdint.h>

/* The cost of one clock_now_ns, in nanoseconds: the median of 25 batches of
   1,000, which take about a millisecond together. */
double baselines_clock_ns(void);

/*
 * Writes the times of one write and one fdatasync: the median in a file that
 * grows, as a log does at first, so that the file system has to write down its
 * new size, too; and the best, be it of bytes that are already there, as in a
 * log that is used over again.  Nothing is written if the folder cannot be.
 *
 * Measures writes of 250 bytes, a typical lease in a lease file, in the folder
 * in which a store keeps its file: 100 of a kind or 0.1 s of each, whichever is
 * less; on a disk that hangs, as long as two writes take.  The file has no
 * name, or none for longer than it takes to remove it, so that nothing is left
 * behind, even by a process that is killed; for such a file btrfs does not
 * write its log (btrfs_log_inode_parent, i_nlink == 0) and is a little too
 * fast.
 */
void baselines_fdatasync(const char *folder, double *median_ns, double *min_ns);

/*
 * True if a power-safe run changed more leases in that time than the best sync
 * allows: then something is not durable.  False if nothing was measured.
 *
 * An operation returns after a sync that began after it had written.  With
 * batches of b and t threads that share their syncs (group commit), at most
 * sharing = b * t operations can return with each sync; threads that sync each
 * for themselves come no further.  A fifth more is let pass: the baseline is a
 * small sample, taken at another moment.  A disk that acknowledges flushes
 * without doing them is not seen: it is as fast for the baseline.
 */
bool baselines_too_fast(uint64_t changes, uint64_t elapsed_ns, uint64_t sharing, double sync_ns);

#endif
