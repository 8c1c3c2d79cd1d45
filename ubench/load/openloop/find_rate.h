/* SPDX-License-Identifier: ISC */
/* The search for the highest rate that is sustained (--find-rate). */
#ifndef UBENCH_LOAD_OPENLOOP_FIND_RATE_H
#define UBENCH_LOAD_OPENLOOP_FIND_RATE_H

#include "load/workload.h"

extern const struct workload workload_find_rate;

#endif
