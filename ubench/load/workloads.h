/* SPDX-License-Identifier: ISC */
/* The kinds of workload, and which of them a command line asks for. */
#ifndef UBENCH_LOAD_WORKLOADS_H
#define UBENCH_LOAD_WORKLOADS_H

#include "load/workload.h"

/* All of them, in the order in which messages name them; closed by NULL. */
extern const struct workload *const workload_list[];

/*
 * The kind for what --workload says, and --rate (in config) and --find-rate;
 * gives config its mix and its kind of open loop.  NULL with err (ERR_USAGE) if
 * there is none such, or if these do not go together.
 */
const struct workload *workload_choose(struct load_config *config,
                                       const char *name, bool find_rate,
                                       struct err *err);

#endif
