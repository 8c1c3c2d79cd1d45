/* SPDX-License-Identifier: ISC */
/* One run, made by hand: round figures that a reader can check. */
#ifndef UBENCH_TESTS_SAMPLE_RESULT_H
#define UBENCH_TESTS_SAMPLE_RESULT_H

#include <stdio.h>

#include "report/result.h"

/* Begins 1 s after the phase before; misses are hundredths of the count. */
static inline struct phase_result sample_phase(const char *name, uint64_t done,
                                               uint64_t misses,
                                               uint64_t begun_ns,
                                               uint64_t elapsed_ns)
{
    return (struct phase_result){
        .name = name,
        .done = done,
        .hits = done - misses,
        .misses = misses,
        .begun_ns = begun_ns,
        .ended_ns = begun_ns + elapsed_ns,
    };
}

/* 1,000,000 operations a phase in 1, 2, 4 and 8 seconds. */
static inline void sample_result_init(struct result *result)
{
    const uint64_t s = UINT64_C(1000000000);
    const uint64_t n = 1000000;

    *result = (struct result){
        .program = "sample_ubench",
        .version = "1.2.3 (abc)",
        .store = "sample",
        .started_at = "2026-01-02T03:04:05Z",
        .durability = DURABILITY_BOUNDED,
        .durability_why = "sync=off",
        .end = PHASES_DONE,
        .config = { .count = n, .seed = 7, .hit_ratio = 0.9 },
        .phases = {
            .phases = {
                sample_phase("create", n, 0, 10 * s, 1 * s),
                sample_phase("search", n, n / 10, 12 * s, 2 * s),
                sample_phase("update", n, 0, 15 * s, 4 * s),
                sample_phase("delete", n, 0, 20 * s, 8 * s),
            },
            .verified = true,
            .digest = UINT64_C(0x0123456789abcdef),
        },
    };
    facts_add(&result->parameters, "count", "1000000");
    facts_add(&result->parameters, "lease", "typical");
    facts_add(&result->parameters, "schema", "lean");
    facts_add(&result->parameters, "seed", "7");
    facts_add(&result->facts, "Sample", "9.8.7");
    facts_add(&result->facts, "sync", "off");
}

/* The same, stopped by somebody after a quarter of the updates. */
static inline void sample_result_interrupt(struct result *result)
{
    struct phase_result *const phases = result->phases.phases;

    result->end = PHASES_INTERRUPTED;
    phases[PHASE_UPDATE] =
        sample_phase("update", 250000, 0, phases[PHASE_UPDATE].begun_ns,
                     UINT64_C(1000000000));
    phases[PHASE_DELETE] = (struct phase_result){ .name = "delete" };
}

#endif
