/* SPDX-License-Identifier: ISC */
/* Writes a phase as JSON, and those of its parts that trials of open loops and replays also
   have.  The members are those of results/schema.json. */
#ifndef UBENCH_RUNNER_JSON_JSON_PHASE_H
#define UBENCH_RUNNER_JSON_JSON_PHASE_H

#include "core/json.h"
#include "load/load.h"

/* Writes a member: a histogram with its quantiles, or null if it is empty. */
void json_histogram(struct json *out, const char *name, const struct histogram *histogram);

/* Writes the member "series": the operations of each second and their 99th percentile. */
void json_series(struct json *out, const struct series *series);

/* Writes a phase, an item of an array.  Times since zero_ns (clock_now_ns).  shares_pool: its
   clients take addresses of a pool that is shared. */
void json_phase(struct json *out, const struct phase_result *phase, uint64_t zero_ns,
                bool shares_pool);

#endif
