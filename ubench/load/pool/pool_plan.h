/* SPDX-License-Identifier: ISC */
/* What a load on a shared pool needs, and what cannot share one. */
#ifndef UBENCH_LOAD_POOL_POOL_PLAN_H
#define UBENCH_LOAD_POOL_POOL_PLAN_H

#include "load/config.h"

/* Returns the number of clients that have an address before the load. */
uint64_t pool_plan_others(const struct load_config *config);

/* Returns true if a mix also has exchanges that change or end leases, which new clients do not. */
bool pool_plan_changes_leases(const struct mix *mix);

/* Sets the defaults of the pool and of what it depends on; workload is not used.  Returns 0, or -1
   with err (ERR_USAGE) if the exchanges cannot share a pool, or it is too small. */
int pool_plan_resolve(struct load_config *config, const char *workload, struct err *err);

/* Refuses more servers than there are threads, or not as many for each rank.  Returns 0, or -1 with
   err. */
int pool_plan_check_servers(const struct load_config *config, struct err *err);

#endif
