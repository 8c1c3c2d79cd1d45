/* SPDX-License-Identifier: ISC */
/*
 * The rows of a case: a figure that runs on both sides have by the same name.
 * Of phases that is the rate or a latency.  In an open loop the rate of a trial
 * was asked for, so it is none: there it is a rate that was searched for, or
 * what trials at the same rate took to answer.  For compare.c alone.
 */
#ifndef UBENCH_REPORT_COMPARE_ROWS_H
#define UBENCH_REPORT_COMPARE_ROWS_H

#include "report/compare/compare.h"

/* Fills the rows of a case, without their verdicts, and notes what was left
   out. */
void compare_rows_make(struct comparison *comparison, struct compare_case *to,
                       const struct compare_config *config);

#endif
