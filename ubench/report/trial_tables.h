/* SPDX-License-Identifier: ISC */
/*
 * What came of open loops, by durability class: trials at a rate, rates that
 * were searched for, storms.  The rate of a trial was asked for, so none of
 * them ranks stores by it.
 */
#ifndef UBENCH_REPORT_TRIAL_TABLES_H
#define UBENCH_REPORT_TRIAL_TABLES_H

#include <stdio.h>

#include "record/group.h"
#include "report/grid.h"

/* Prints groups of open loops alone, a row for each run.  Nothing if there
   are none.  Not for GRID_CSV. */
void trial_tables_print(const struct groups *groups, enum grid_format format,
                        FILE *out);

/* What a trial says of the store, in words. */
struct trial_verdict {
    const char *name;    /* "saturated" */
    const char *meaning; /* a sentence, which says why */
};

struct trial_verdict trial_verdict_of(const struct record_trial *trial);

#endif
