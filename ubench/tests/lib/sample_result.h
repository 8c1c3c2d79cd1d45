/* SPDX-License-Identifier: ISC */
/* Runs made by hand: round figures that a reader can check. */
#ifndef UBENCH_TESTS_LIB_SAMPLE_RESULT_H
#define UBENCH_TESTS_LIB_SAMPLE_RESULT_H

#include "load/phases.h"
#include "record/record.h"

enum { SAMPLE_COUNT = 1000000 };

/* What a record is made of. */
struct sample_result {
    const char *store;
    struct properties parameters;
    struct properties labels;
    struct properties facts;
    struct properties host;
    struct record_baselines baselines;
    enum durability durability;
    const char *durability_from;
    const char *node_loss;
    const char *warning;
    const char *error;
    enum load_end end; /* of the last run */
    size_t repeat;
    size_t run_count;
    struct load_result *runs;
};

/* Complete runs of 1,000,000 operations a phase in 1, 2, 4 and 8 seconds; run
   k (from 0) takes k+1 times as long.  Without latency.  NULL: no memory. */
struct sample_result *sample_result_new(size_t runs);
void sample_result_free(struct sample_result *result);

/* Sets how long a phase took, and when it began, in seconds. */
void sample_result_time(struct sample_result *result, size_t run,
                        enum phase_name phase, uint64_t begun_s,
                        uint64_t elapsed_ns);

/* The last run is stopped by somebody after a quarter of its updates. */
void sample_result_interrupt(struct sample_result *result);

/* All runs get latencies: 100 ns to 99,000 operations of each phase, 200 ns to
   990, 250 ns to 9, and 1.5 ms to one. */
void sample_result_add_latency(struct sample_result *result);

/* The same as a record, in memory. */
struct record sample_result_record(const struct sample_result *result,
                                   struct arena *memory);

#endif
