/* SPDX-License-Identifier: ISC */
/*
 * Instructions and cycles in user space, as the processor counts them
 * (perf_event_open(2)): those of the workers of a phase, and those of a server.
 * Counting begins before the timed window and ends after it; meanwhile nothing
 * in this process is called.
 */
#ifndef UBENCH_MEASURE_COUNTERS_H
#define UBENCH_MEASURE_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "measure/usage.h"

/* What is counted: a type and two numbers of perf_event_open(2). */
struct counter_events {
    uint32_t type;
    uint64_t instructions;
    uint64_t cycles;
};

extern const struct counter_events counters_of_processor;

struct event_counters;

/* events must outlive the counters.  NULL with err if memory is short. */
struct event_counters *counters_new(const struct counter_events *events, struct err *err);
void counters_free(struct event_counters *counters); /* NULL is fine */

/* Begins to count, from 0, the calling thread and the threads that it starts
   from now on; and, unless servers is NULL, all threads of the processes that
   host_servers_used_ns would count.  Counting that was not ended is dropped.
   NULL is fine. */
void counters_begin(struct event_counters *counters, const char *servers, const char *path);

/* Ends counting, and sets instructions, cycles, server_instructions and
   server_cycles, each to USAGE_UNKNOWN if it was not counted.  NULL: none was. */
void counters_end(struct event_counters *counters, struct usage *usage);

/* Writes whether this process may count: "yes", or "no: " and the reason.  root
   is that of host_describe. */
void counters_describe(const struct counter_events *events, const char *root, char *text,
                       size_t size);

#endif
