/* SPDX-License-Identifier: ISC */
/* The exchanges at a rate (--rate), and the search for the highest one that is
   sustained (--find-rate). */
#ifndef UBENCH_LOAD_OPENLOOP_RATE_H
#define UBENCH_LOAD_OPENLOOP_RATE_H

#include "load/workload.h"

extern const struct workload workload_rate;
extern const struct workload workload_find_rate;

#endif
