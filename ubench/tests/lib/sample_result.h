/* SPDX-License-Identifier: ISC */
/* Runs made by hand: round figures that a reader can check. */
#ifndef UBENCH_TESTS_LIB_SAMPLE_RESULT_H
#define UBENCH_TESTS_LIB_SAMPLE_RESULT_H

#include "load/phases.h"
#include "record/record.h"
#include "record/result.h"

enum { SAMPLE_COUNT = 1000000 };

/* Complete runs of 1,000,000 operations a phase in 1, 2, 4 and 8 seconds; run
   k (from 0) takes k+1 times as long.  Without latency.  NULL: no memory. */
struct result *sample_result_new(size_t runs);
void sample_result_free(struct result *result);

/* Sets how long a phase took, and when it began, in seconds. */
void sample_result_time(struct result *result, size_t run,
                        enum phase_name phase, uint64_t begun_s,
                        uint64_t elapsed_ns);

/* The last run is stopped by somebody after a quarter of its updates. */
void sample_result_interrupt(struct result *result);

/* All runs get latencies: 100 ns to 99,000 operations of each phase, 200 ns to
   990, 250 ns to 9, and 1.5 ms to one. */
void sample_result_add_latency(struct result *result);

/* The same as a record, in memory. */
struct record sample_result_record(const struct result *result,
                                   struct arena *memory);

#endif
