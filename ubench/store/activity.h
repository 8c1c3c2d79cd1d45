/* SPDX-License-Identifier: ISC */
/*
 * What a store does besides answering: counters and sizes, sampled once a second by a thread beside
 * the load (--activity).
 */
#ifndef UBENCH_STORE_ACTIVITY_H
#define UBENCH_STORE_ACTIVITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum activity_figure {
    /* Counters. */
    ACTIVITY_SYNCS,         /* of logs and other files */
    ACTIVITY_LOG_BYTES,     /* written to the log of changes */
    ACTIVITY_BINLOG_BYTES,  /* written to the binary log */
    ACTIVITY_WRITTEN_BYTES, /* that the store's processes gave to write(2) and its like */
    ACTIVITY_DISK_BYTES,    /* of pages and larger folios that they made dirty, or wrote directly */
    ACTIVITY_DEVICE_BYTES,  /* written to the device, by all programs */
    ACTIVITY_PAGES_WRITTEN, /* pages of tables and indexes */
    ACTIVITY_CHECKPOINTS,
    ACTIVITY_VACUUMS,       /* automatic ones of the lease table, and analyses */
    ACTIVITY_CLEANUPS,      /* of Kea's lease file, by kea-lfc, that ended */
    ACTIVITY_CLEANUP_MS,    /* milliseconds that they took */
    ACTIVITY_CLEANUP_BYTES, /* of the files that they wrote */
    /* Levels. */
    ACTIVITY_OLD_ROWS,         /* versions of rows that vacuum or purge has yet to remove */
    ACTIVITY_SINCE_CHECKPOINT, /* bytes of the log that a recovery would read */
    ACTIVITY_DATA_BYTES,       /* of the leases: a table with its indexes, or a file */
    ACTIVITY_STORE_BYTES,      /* of all files of the store */
    ACTIVITY_FIGURES
};
#define ACTIVITY_COUNTERS ACTIVITY_OLD_ROWS /* those before it are counters */

/* The names of the figures in results: "log_bytes". */
extern const char *const activity_names[ACTIVITY_FIGURES];

#define ACTIVITY_UNKNOWN UINT64_MAX

struct activity_sample {
    uint64_t at_ns;                     /* clock_now_ns */
    uint64_t figures[ACTIVITY_FIGURES]; /* each may be ACTIVITY_UNKNOWN */
};

/* Initialise with zeros. */
struct activity {
    struct activity_sample *samples;
    size_t count;
    size_t capacity;
};

/* Adds a sample whose figures are unknown and returns it; NULL if memory is short. */
struct activity_sample *activity_add(struct activity *activity, uint64_t at_ns);
void activity_release(struct activity *activity); /* zeroed is fine */

/* Returns the samples from the last one at or before begun_ns to the first one at or after
   ended_ns, as a position and *count. */
size_t activity_between(const struct activity *activity, uint64_t begun_ns, uint64_t ended_ns,
                        size_t *count);

/* Returns the bytes of a file and of those beside it with the suffixes, which NULL ends; NULL: none
   beside it.  ACTIVITY_UNKNOWN if it cannot be read. */
uint64_t activity_file_bytes(const char *path, const char *const *suffixes);

/* Returns the bytes that all files below a directory occupy on the disk, without following
   symbolic links.  Takes a millisecond for some hundred files. */
uint64_t activity_folder_bytes(const char *path);

#endif
