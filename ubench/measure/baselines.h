/* SPDX-License-Identifier: ISC */
/*
 * Measures the limits of every store on this machine: the cost of a clock
 * reading, and of one synced record on the store's file system.  Done in every
 * run, as a reference for its figures.
 */
#ifndef UBENCH_MEASURE_BASELINES_H
#define UBENCH_MEASURE_BASELINES_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the cost of one clock_now_ns, in nanoseconds: the median of 25
   batches of 1,000, which take about a millisecond together. */
double baselines_clock_ns(void);

/*
 * Measures one write plus one fdatasync.  *median_ns is the median in a growing
 * file, as a log is at first, so that the file system also has to write the new
 * size.  *min_ns is the least time, including writes over existing bytes, as in
 * a log that is reused.  Leaves both unchanged if it cannot write there.
 *
 * Writes 250 bytes, a typical lease in a lease file, in the directory of the
 * store's file: of each kind 100 times or for 0.1 s, whichever ends first, but
 * at least once, even on a hanging disk.  The file has no name, or is unlinked
 * at once, so that nothing remains even if the process is killed.  For such a
 * file btrfs does not write its log (btrfs_log_inode_parent, i_nlink == 0) and
 * is a little too fast.
 */
void baselines_fdatasync(const char *folder, double *median_ns, double *min_ns);

/*
 * Returns true if a power-safe run changed more leases in elapsed_ns than the
 * fastest sync allows: then something is not durable.  False if nothing was
 * measured.
 *
 * An operation returns after a sync that began after its write.  With batches
 * of b and t threads that share their syncs (group commit), at most
 * sharing = b * t operations return with each sync; threads that sync
 * separately achieve no more.  A fifth more is tolerated: the baseline is a
 * small sample, taken at another time.  A disk that acknowledges flushes
 * without doing them is not detected, since it is equally fast for the
 * baseline.
 */
bool baselines_too_fast(uint64_t changes, uint64_t elapsed_ns, uint64_t sharing, double sync_ns);

#endif
