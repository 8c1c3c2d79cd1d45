/* SPDX-License-Identifier: ISC */
/*
 * The restart of a site as a load: all its clients ask at once (a storm, or
 * thundering herd), and ask again while they get no answer; see storm.h.
 */
#ifndef UBENCH_LOAD_OPENLOOP_RESTART_H
#define UBENCH_LOAD_OPENLOOP_RESTART_H

#include "load/workload.h"

extern const struct workload workload_storm;

#endif
