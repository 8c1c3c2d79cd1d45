/* SPDX-License-Identifier: ISC */
/*
 * One result as text, as a runner prints it (of many, that is guide_tables.h):
 * the tables of the 2012 DHCP Performance Guide (3.1 to 3.3: seconds and
 * operations per second, by phase, with an Average column), turned so that a
 * phase is a row, and beside the guide's Average the true overall figure.
 */
#ifndef UBENCH_REPORT_TABLES_H
#define UBENCH_REPORT_TABLES_H

#include <stdio.h>

#include "record/result.h"

/* Prints where the figures will come from: versions, parameters, settings
   that were read back, durability class.  For before the run. */
void tables_print_provenance(const struct result *result, FILE *out);

/* Prints the figures and what was verified.  A phase that was not finished is
   marked; means over all phases then print as n/a. */
void tables_print_figures(const struct result *result, FILE *out);

#endif
