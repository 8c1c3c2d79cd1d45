/* SPDX-License-Identifier: ISC */
/* The options of loads that do not wait for answers, and what they ask of each
   other. */
#ifndef UBENCH_PROGRAMS_OPEN_OPTIONS_H
#define UBENCH_PROGRAMS_OPEN_OPTIONS_H

#include "core/err.h"
#include "programs/options.h"

/* What -w calls a reboot storm, for --help, and what it says there. */
extern const char open_storm_name[];
extern const char open_storm_help[];

/*
 * Reads config->open and config->workload into config->open_load; its kind is
 * OPEN_NONE if they ask for a closed loop.  exchanges is true if the workload
 * has some.  Returns 0, or -1 with err (ERR_USAGE).
 */
int open_options_resolve(struct runner_config *config, bool exchanges,
                         struct err *err);

/* The mix that -w names, for mix_parse: a storm has one of its own. */
const char *open_options_mix(const struct runner_config *config);

#endif
