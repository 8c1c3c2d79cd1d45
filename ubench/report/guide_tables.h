/* SPDX-License-Identifier: ISC */
/*
 * The tables of the 2012 DHCP Performance Guide from any set of results: a row
 * for each store and whatever differs, seconds per phase (Tables 3.1 and 3.2)
 * and operations per second (Table 3.3), each with the guide's Average, and
 * the true overall rate beside it.  One pair of tables for each durability
 * class: there is no ranking across classes.
 */
#ifndef UBENCH_REPORT_GUIDE_TABLES_H
#define UBENCH_REPORT_GUIDE_TABLES_H

#include <stdio.h>

#include "record/crash_results.h"
#include "record/group.h"
#include "report/grid.h"

/*
 * Prints all sections.  Where a group has several complete runs, each
 * figure is the median of theirs; runs that are incomplete are left out, and
 * a note says so.  As CSV it is one table, with a row for each phase.  Beside
 * the rates stands what crashes lost with the same settings, if there are any.
 */
void guide_tables_print(const struct groups *groups,
                        const struct crash_results *crashes,
                        enum grid_format format, FILE *out);

#endif
