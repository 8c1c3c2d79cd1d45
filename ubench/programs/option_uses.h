/* SPDX-License-Identifier: ISC */
/*
 * Which options mean something for what is run.  Others are not shown among the
 * parameters, and refused if they were given: who asks for a rate and gets none
 * has measured something else.
 */
#ifndef UBENCH_PROGRAMS_OPTION_USES_H
#define UBENCH_PROGRAMS_OPTION_USES_H

#include <stdbool.h>

#include "core/err.h"
#include "programs/options.h"

/* What an option may be for; or-ed in opt.uses, where 0 means everything. */
enum option_use {
    USE_PHASES = 1 << 0,
    USE_CHURN = 1 << 1,
    USE_EXCHANGES = 1 << 2, /* in a closed loop */
    USE_FILL = 1 << 3,
    USE_RATE = 1 << 4,
    USE_SEARCH = 1 << 5, /* --find-rate */
    USE_STORM = 1 << 6,
    USE_PROBES = 1 << 7, /* exchanges that look for a free address */
    USE_HOOK = 1 << 8,   /* --hook-delay */
    USE_HOSTS = 1 << 9,  /* exchanges that look for a reservation */

    USE_OPEN = USE_RATE | USE_SEARCH | USE_STORM,
    USE_SESSIONS = USE_PHASES | USE_CHURN | USE_EXCHANGES | USE_OPEN,
    USE_CLOSED = USE_PHASES | USE_CHURN | USE_EXCHANGES | USE_FILL,
};

/* True if the option means something for what config, which is resolved,
   runs. */
bool option_is_used(const struct opt *row, const struct runner_config *config);

/* Returns 0, or -1 with err (ERR_USAGE) if one was given that does not. */
int option_uses_check(const struct options *options,
                      const struct runner_config *config, struct err *err);

#endif
