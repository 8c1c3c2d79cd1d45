/* SPDX-License-Identifier: ISC */
/* --verify: opens a store after a crash, judges it by the ledger and prints
   the verdict, or appends it as ubench-crash/1 (results/README.md). */
#ifndef UBENCH_PROGRAMS_VERIFIER_H
#define UBENCH_PROGRAMS_VERIFIER_H

#include <stdio.h>

#include "programs/options.h"

enum verdict {
    VERDICT_WHOLE,  /* nothing acknowledged is missing or wrong */
    VERDICT_LOST,   /* something is */
    VERDICT_UNKNOWN /* the harness failed, with err */
};

/* store is what to open; the settings of the command line are not applied. */
enum verdict verifier_run(const struct runner_config *config,
                          const struct store_config *store,
                          const struct backend *backend, FILE *out,
                          struct err *err);

#endif
