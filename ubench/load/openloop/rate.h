/* SPDX-License-Identifier: ISC */
/* The exchanges at a rate (--rate), and what trials at a rate have in common.
 */
#ifndef UBENCH_LOAD_OPENLOOP_RATE_H
#define UBENCH_LOAD_OPENLOOP_RATE_H

#include "load/openloop/open_load.h"

extern const struct workload workload_rate;

/* Makes a trial at a rate, by the draws of seed; pool has its times.  As
   open_load_trial. */
bool rate_trial(struct open_run *run, struct server_pool_config pool,
                double per_s, uint64_t seed, struct trial *trial,
                struct err *err);

#endif
