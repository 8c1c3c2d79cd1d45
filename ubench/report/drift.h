/* SPDX-License-Identifier: ISC */
/*
 * How the machine changed while a campaign ran.  Each of its blocks begins and
 * ends with the same run, the reference: had nothing changed, the last would
 * take as long as the first.
 */
#ifndef UBENCH_REPORT_DRIFT_H
#define UBENCH_REPORT_DRIFT_H

#include <stdio.h>

#include "record/archive.h"
#include "report/grid.h"

/* Prints a line for each campaign that has a block with both runs, complete;
   before the first an empty one. */
void drift_print(const struct archive *archive, enum grid_format format,
                 FILE *out);

#endif
