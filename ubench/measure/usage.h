/* SPDX-License-Identifier: ISC */
/*
 * The cost of a phase besides its time: CPU, context switches, bytes and memory
 * of this process with all its threads, and of its server.  A sample takes some
 * ten microseconds and system calls: take it outside the timed window.
 */
#ifndef UBENCH_MEASURE_USAGE_H
#define UBENCH_MEASURE_USAGE_H

#include <stdint.h>

/* The kernel does not provide the value, or this process may not read it. */
#define USAGE_UNKNOWN UINT64_MAX

/* All members are counts, those of the server last: usage.c treats them as an
   array. */
struct usage {
    uint64_t user_ns;              /* CPU time of this process in user space */
    uint64_t system_ns;            /* and in the kernel; whole microseconds */
    uint64_t voluntary_switches;   /* it waited */
    uint64_t involuntary_switches; /* it was preempted */

    /* Written by write(2) and similar calls: to files, pipes and the terminal,
       but not to sockets by send(2).  May be USAGE_UNKNOWN. */
    uint64_t written_bytes;
    /* Marked to be written to a disk: whole pages, counted when they first
       become dirty.  0 on a file system in memory.  May be USAGE_UNKNOWN. */
    uint64_t disk_bytes;

    uint64_t max_rss_bytes; /* peak */
    uint64_t fdatasyncs;    /* of the store's file by this process; or
                               USAGE_UNKNOWN */
    uint64_t instructions;  /* of the workers, in user space; or USAGE_UNKNOWN */
    uint64_t cycles;        /* likewise */

    /* All processes of a server on this machine, including their work for other
       clients; each may be USAGE_UNKNOWN. */
    uint64_t server_cpu_ns;
    uint64_t server_syncs;        /* of its logs and other files */
    uint64_t server_log_bytes;    /* written to its logs */
    uint64_t server_scanned;      /* rows that the server, or SQLite, read without
                                     an index */
    uint64_t server_instructions; /* in user space */
    uint64_t server_cycles;
};

/* Sets usage to the totals since the process began.  Leaves fdatasyncs, what
   counters_end sets (measure/counters.h) and the members of the server
   unchanged. */
void usage_sample(struct usage *usage);

/* Adds the usage of another period; max_rss_bytes becomes that of more. */
void usage_add(struct usage *usage, const struct usage *more);

/* Returns the difference of two samples.  A member is unknown if it is in one
   of them; max_rss_bytes, a peak, is that of after. */
struct usage usage_difference(const struct usage *before, const struct usage *after);

#endif
