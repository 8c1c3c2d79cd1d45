/* SPDX-License-Identifier: ISC */
/*
 * What no store can beat on this machine: the price of a clock reading and of
 * one synced record on the file system below it.  Measured in every run, so
 * that its figures can be read against them.
 */
#ifndef UBENCH_MEASURE_BASELINES_H
#define UBENCH_MEASURE_BASELINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

/* The cost of one clock_now_ns, in nanoseconds: the median of batches that
   take about a millisecond together (five milliseconds where each reading is
   a system call of a microsecond). */
double baselines_clock_ns(void);

struct baselines_times {
    uint64_t count;
    uint64_t min_ns;
    uint64_t median_ns;
};

/* Each sample is one write and one fdatasync. */
struct baselines_sync {
    /* A file that grows, as a log does at first: the file system has to
       write down its new size, too. */
    struct baselines_times append;
    /* Bytes that are already there, as in a log that is used over again. */
    struct baselines_times overwrite;
};

/*
 * Measures writes of record_bytes (above 0) in the folder in which a store
 * keeps its file, 100 of a kind or 0.1 s of each, whichever is less; on a
 * disk that hangs, as long as two writes take.  The file never has a name,
 * or none for longer than it takes to remove it, so that nothing is left
 * behind, even by a process that is killed; for such a file btrfs does not
 * write its log (btrfs_log_inode_parent, i_nlink == 0) and is a little too
 * fast. Returns 0, or -1 with err.
 */
int baselines_fdatasync(const char *folder, size_t record_bytes,
                        struct baselines_sync *result, struct err *err);

/*
 * Whether a power-safe run changed more leases per second than this baseline
 * allows: then something is not durable.
 *
 * An operation returns after a sync that began after it had written.  So one
 * thread with one operation per transaction cannot be faster than one per
 * best sync; with batches of b and t threads that share their syncs (group
 * commit), at most sharing = b * t operations can return with each sync, and
 * t threads that sync each for themselves come no further.  The best of all
 * syncs measured is what counts, and a fifth more is let pass: the baseline is
 * a small sample, taken at another moment.
 *
 * False if nothing was measured.  It cannot see a disk that acknowledges
 * flushes without doing them: that one is just as fast for the baseline.
 */
bool baselines_too_fast(double changes_per_s, uint64_t sharing,
                        const struct baselines_sync *baseline);

#endif
