/* SPDX-License-Identifier: ISC */
/* What crash campaigns came to, as text. */
#ifndef UBENCH_REPORT_CRASH_TABLES_H
#define UBENCH_REPORT_CRASH_TABLES_H

#include <stdio.h>

#include "record/crash_results.h"
#include "report/grid.h"

/* One line for each cell that contradicts its class, to be said first of all;
   nothing if there is none.  Not for GRID_CSV. */
void crash_tables_print_contradictions(const struct crash_results *crashes,
                                       enum grid_format format, FILE *out);

/*
 * The cells of each campaign and level whose controls passed, and why there is
 * no verdict of the others.  Returns false if there was such a level.
 */
bool crash_tables_print(const struct crash_results *crashes,
                        enum grid_format format, FILE *out);

#endif
