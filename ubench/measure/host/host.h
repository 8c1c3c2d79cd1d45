/* SPDX-License-Identifier: ISC */
/*
 * Describes the machine of a run, for later readers of its figures, and what
 * disturbed the run.  Records only what affects speed or durability, and
 * nothing that identifies the owner: no host, user, group or volume names, no
 * serial numbers, no network addresses.
 *
 * Every function that reads the kernel's files takes the root of the tree to
 * read them from: "" for this machine; tests pass a tree of their own.  A
 * missing or malformed file is not an error: the property becomes "unknown".
 */
#ifndef UBENCH_MEASURE_HOST_HOST_H
#define UBENCH_MEASURE_HOST_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "core/properties.h"

/* Adds 14 properties, from cpu to cflags; results/README.md lists them. */
void host_describe(const char *root, struct properties *properties);

/* Adds 6 properties, from file_system to rotational, of the storage below path,
   a file or directory that may not exist yet.  Replaces the names of
   directories in /home and similar places by "<name>". */
void host_describe_path(const char *root, const char *path, struct properties *properties);

/* The kernel does not provide the value, or this process may not read it. */
#define HOST_UNKNOWN UINT64_MAX

/* Counters of the whole machine at one time; only differences are meaningful,
   except for load, running and cores. */
struct host_noise {
    uint64_t at_ns;          /* clock_now_ns */
    uint64_t steal_ticks;    /* a hypervisor gave the cores to other guests */
    uint64_t total_ticks;    /* time of all cores */
    uint64_t busy_ticks;     /* of these, used by all processes and the
                                kernel */
    uint64_t run_ticks;      /* of these, used by this process and its
                                servers */
    uint64_t cpu_stalled_us; /* some process waited for a core */
    uint64_t io_stalled_us;  /* some process waited for a disk */
    uint64_t throttled;      /* times that this control group was throttled */
    uint64_t cores;          /* online */
    uint64_t running;        /* other tasks that are running or runnable */
    double load;             /* average over 1 minute; negative: unknown */
};

/* Takes a sample.  servers has the names of the processes that work for the run
   besides this one, with a blank around each: " mariadbd mysqld "; NULL: none.
   If none of them is visible, run_ticks is unknown, because the server may run
   in a container.  Reads a file of each process of the machine, 20 us each:
   call it outside the timed window. */
void host_noise_sample(const char *root, const char *servers, struct host_noise *noise);

/* Returns the processor time, in ns, of the processes with these names and of
   their children that have ended.  Counts a process only if its working
   directory is above path or not readable.  HOST_UNKNOWN if there is no process
   to count.  Reads a small file of each process of the machine, and another one
   of each server. */
uint64_t host_servers_used_ns(const char *servers, const char *path);

/* Calls visit for each of these processes. */
void host_servers_visit(const char *servers, const char *path,
                        void (*visit)(void *context, uint64_t pid), void *context);

/* Returns the sum of a counter of /proc/PID/io over those processes, with their children that have
   ended.  HOST_UNKNOWN if there is no process to count or one may not be read. */
uint64_t host_servers_io_bytes(const char *servers, const char *path, const char *counter);

/* Returns the bytes that were ever written to the device below a path, by all programs.
   HOST_UNKNOWN if it is no block device. */
uint64_t host_device_written_bytes(const char *path);

/*
 * Adds 5 properties on the time between two samples:
 *
 *     load              "before 0.42, after 1.90; other work used 3.1 %" of all
 *                       cores' time; other work is omitted below 10 ticks
 *     steal             "0.3 %" of all cores' time; "n/a" below 100 ticks
 *                       (a second of one core)
 *     cpu_pressure      "1.2 %" of the time, a process waited for a core; with
 *     io_pressure       more threads than cores, the run's own threads did
 *     throttled         "0 times"
 *
 * Warns of a clock whose source needs a system call for each reading (by the
 * property of host_describe), of steal above 2 %, of throttling, and of other
 * work above 10 % of all cores' time and 10 ticks.  If other work is unknown,
 * warns of a load before the run above half of the cores while another task
 * runs; the load alone may come from runs that ended within the last minute.  A
 * warning is a reason to doubt the figures: a code of results/schema.json,
 * "other-work", and a text for people that states its effect on the rates.
 */
void host_noise_describe(const struct host_noise *before, const struct host_noise *after,
                         struct properties *properties, struct properties *warnings);

#endif
