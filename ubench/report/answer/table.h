/* SPDX-License-Identifier: ISC */
/* An answer printed: its sentences, then the table, then what safety costs and
   what the figures stand for. */
#ifndef UBENCH_REPORT_ANSWER_TABLE_H
#define UBENCH_REPORT_ANSWER_TABLE_H

#include <stdio.h>

#include "report/answer/answer.h"
#include "report/grid.h"

/* Prints all of it; as CSV a row for each setup and demand. */
void answer_print(const struct answer *answer, enum grid_format format,
                  FILE *out);

/* The same in two parts: the sentences with the table, and the rest.  Not for
   GRID_CSV. */
void answer_print_table(const struct answer *answer, enum grid_format format,
                        FILE *out);
void answer_print_notes(const struct answer *answer, enum grid_format format,
                        FILE *out);

#endif
