/* SPDX-License-Identifier: ISC */
/*
 * The cost of a phase beside its time: CPU, context switches, bytes and memory
 * of this process with all its threads, and of its server.  A sample takes some
 * ten microseconds and system calls: take it outside the timed window.
 */
#ifndef UBENCH_MEASURE_USAGE_H
#define UBENCH_MEASURE_USAGE_H

#include <stdint.h>

/* The kernel does not tell, or this process may not ask. */
#define USAGE_UNKNOWN UINT64_MAX

/* All its members are counts, those of the server last: usage.c goes through
   them as an array. */
struct usage {
    uint64_t user_ns;              /* CPU time of this process in its own code ... */
    uint64_t system_ns;            /* ... and in the kernel; whole microseconds */
    uint64_t voluntary_switches;   /* it had to wait */
    uint64_t involuntary_switches; /* others wanted its core */

    /* Given to write(2) and its like: files, pipes and the terminal, but not
       what goes out by send(2).  USAGE_UNKNOWN if not known. */
    uint64_t written_bytes;
    /* Made to be sent to a disk: whole pages, counted when they first become
       dirty.  0 on a file system in memory.  USAGE_UNKNOWN if not known. */
    uint64_t disk_bytes;

    uint64_t max_rss_bytes; /* the most memory it ever held */
    uint64_t fdatasyncs;    /* of the store's file, by it; or USAGE_UNKNOWN */

    /* All processes of a server on this machine, whoever they work for; each
       may be USAGE_UNKNOWN. */
    uint64_t server_cpu_ns;
    uint64_t server_syncs;     /* of its logs and other files */
    uint64_t server_log_bytes; /* written to its logs */
    uint64_t server_scanned;   /* rows that it, or SQLite, read by no index */
};

/* Fills usage with the totals since the process began, but for fdatasyncs and
   what a server did, which the process does not know: these are left alone. */
void usage_sample(struct usage *usage);

/* Adds what happened at another time; the peak is that of more. */
void usage_add(struct usage *usage, const struct usage *more);

/* The difference of two samples.  It is unknown where one of them is;
 * max_rss_bytes, a peak, is that of after. */
struct usage usage_difference(const struct usage *before, const struct usage *after);

#endif
