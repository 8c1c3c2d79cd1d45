/* SPDX-License-Identifier: ISC */
/*
 * One result as text, as its runner prints it (of many, that is
 * guide_tables.h): the tables of the 2012 DHCP Performance Guide (3.1 to 3.3:
 * seconds and operations per second, by phase, with an Average column), turned
 * so that a phase is a row, and beside the guide's Average the true overall
 * figure.
 */
#ifndef UBENCH_REPORT_RUN_TEXT_H
#define UBENCH_REPORT_RUN_TEXT_H

#include <stdio.h>

#include "record/record.h"

/* Prints where the figures come from: versions, parameters, settings that were
   read back, durability class.  Also before the first run. */
void run_text_print_provenance(const struct record *record, FILE *out);

/* Prints the figures and what was verified.  A phase that was not finished is
   marked; means over all phases then print as n/a.  Of a record that was read
   the runs must be alike: run_text_is_possible. */
void run_text_print_figures(const struct record *record, FILE *out);

/* True if all runs have the same phases with the same number of steps, as those
   that a runner wrote. */
bool run_text_is_possible(const struct record *record);

#endif
