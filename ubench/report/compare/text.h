/* SPDX-License-Identifier: ISC */
/* Comparisons as text: the verdicts first. */
#ifndef UBENCH_REPORT_COMPARE_TEXT_H
#define UBENCH_REPORT_COMPARE_TEXT_H

#include <stdio.h>

#include "report/compare/compare.h"
#include "report/grid.h"

/* Prints all of it; as CSV the rows alone. */
void compare_print(const struct comparisons *comparisons,
                   const struct compare_config *config, enum grid_format format,
                   FILE *out);

#endif
