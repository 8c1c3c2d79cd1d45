/* SPDX-License-Identifier: ISC */
/*
 * One result as text, as its runner prints it (of many, that is
 * guide_tables.h), in 80 columns: what was measured and how safe it is, the
 * figures, what they mean, and where they come from.
 */
#ifndef UBENCH_REPORT_RUN_TEXT_H
#define UBENCH_REPORT_RUN_TEXT_H

#include <stdio.h>

#include "record/record.h"

/* What --verbose chose. */
enum run_text_detail {
    RUN_TEXT_RESULTS, /* no: the figures alone */
    RUN_TEXT_USUAL,   /* yes: for a reader who knows none of our words */
    RUN_TEXT_FULL, /* full: all settings, all quantiles, the guide's tables */
};

/* The detail that the run asked for, as its parameters have it. */
enum run_text_detail run_text_detail_of(const struct record *record);

/* Prints what stands above the figures: the store, the load and the durability
   class, and in full all settings, parameters and the machine.  Also before the
   first run. */
void run_text_print_head(const struct record *record,
                         enum run_text_detail detail, FILE *out);

/* Prints the figures, what was verified, and where they come from.  A phase
   that was not finished is marked; figures of all phases then print as n/a.  Of
   a record that was read the runs must be alike: run_text_is_possible. */
void run_text_print_figures(const struct record *record,
                            enum run_text_detail detail, FILE *out);

/* True if all runs have the same phases with the same number of steps, as those
   that a runner wrote. */
bool run_text_is_possible(const struct record *record);

#endif
