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

/*
 * True if the option means something for what is run; also if it does for every
 * kind.  config has its mix.  An option that is for some exchanges alone needs
 * one of these in the mix.
 */
bool workload_uses(const struct workload *workload,
                   const struct load_config *config, const char *option);

/* Writes where an option belongs that is not used, if that is soon said:
   "--rate, --find-rate and --workload=storm", or "". */
void workload_say_uses(const char *option, char *text, size_t size);

#endif
