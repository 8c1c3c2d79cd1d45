/* SPDX-License-Identifier: ISC */
/*
 * The machine that a run was made on, for those who read its figures later,
 * and what disturbed it meanwhile.  Only what bears on speed or durability,
 * and nothing that tells whose machine it is: no host, user, group or volume
 * names, no serial numbers, no network addresses.
 *
 * Every function that reads the kernel's files takes the root of the tree to
 * read them from: "" for this machine; the tests make up others.  A file that
 * is missing or odd is no error: the property becomes "unknown".
 */
#ifndef UBENCH_MEASURE_HOST_HOST_H
#define UBENCH_MEASURE_HOST_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "core/properties.h"

/* Adds 14 properties, from cpu to cflags: results/README.md has them all. */
void host_describe(const char *root, struct properties *properties);

/* Adds 6 properties, from file_system to rotational, on what is below path, a
   file or folder that may not be there yet.  "/home/<name>" stands for anything
   in /home and the like. */
void host_describe_path(const char *root, const char *path, struct properties *properties);

/* Not told by this kernel, or not told to us. */
#define HOST_UNKNOWN UINT64_MAX

/* Counters of the whole machine at one moment; only differences mean anything,
   except for load, running and cores. */
struct host_noise {
    uint64_t at_ns;          /* clock_now_ns */
    uint64_t steal_ticks;    /* a hypervisor gave our cores to others ... */
    uint64_t total_ticks;    /* ... of this time of all cores */
    uint64_t busy_ticks;     /* all processes and the kernel used of it ... */
    uint64_t run_ticks;      /* ... and this process and its servers */
    uint64_t cpu_stalled_us; /* a process had to wait for a core */
    uint64_t io_stalled_us;  /* a process had to wait for a disk */
    uint64_t throttled;      /* times that our control group was stopped */
    uint64_t cores;          /* online */
    uint64_t running;        /* other tasks that a core runs or could run */
    double load;             /* 1 minute's average; negative: unknown */
};

/* servers are the names of the processes that work for the run beside this one,
   with blanks around each: " mariadbd mysqld "; NULL: there are none.  If none
   of them is to be seen, run_ticks is not known, because the server may be in a
   container.  Reads a file of each process of the machine, 20 us each: outside
   the timed window. */
void host_noise_sample(const char *root, const char *servers, struct host_noise *noise);

/* Processor time, in ns, that the processes with such names have used which
   work in a folder above path, or where that is not told to us, and their
   children that have ended; unknown if there are none.  Reads a small file of
   each process of the machine, and another one of each server. */
uint64_t host_servers_used_ns(const char *servers, const char *path);

/*
 * Adds 5 properties on the time between two samples:
 *   load              "before 0.42, after 1.90; other work used 3.1 %" of all
 *                     cores' time; not said below 10 ticks
 *   steal             "0.3 %" of all cores' time; "n/a" below 100 ticks
 *                     (a second of one core)
 *   cpu_pressure      "1.2 %" of the time, a process waited for a core; with
 *   io_pressure       more threads than cores, the run's own threads did
 *   throttled         "0 times"
 *
 * Warns of a clock whose source needs a system call for each reading (by
 * host_describe's property), of steal above 2 %, of throttling, and of other
 * work above 10 % of all cores' time and 10 ticks.  Where that is not known: of
 * a load before the run above half of the cores while another task runs; the
 * load alone may be that of runs which ended within the last minute.  A warning
 * is a reason to doubt the figures: a code of results/schema.json,
 * "other-work", and a text for people, with what it means to the rates.
 */
void host_noise_describe(const struct host_noise *before, const struct host_noise *after,
                         struct properties *properties, struct properties *warnings);

#endif
