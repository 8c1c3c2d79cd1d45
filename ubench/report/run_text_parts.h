/* SPDX-License-Identifier: ISC */
/* Parts of the text of a result, for run_*.c alone. */
#ifndef UBENCH_REPORT_RUN_TEXT_PARTS_H
#define UBENCH_REPORT_RUN_TEXT_PARTS_H

#include "report/run_text.h"

/* The tables of all runs in a closed loop. */
void run_closed_print(const struct record *record, enum run_text_detail detail,
                      FILE *out);

/* Those of one run in an open loop, in the words of perfdhcp where it has one:
   rate, sent, received, drops, drop time. */
void run_open_print(const struct record *record, const struct record_run *run,
                    enum run_text_detail detail, FILE *out);

/* What stands below all figures: what they cost, outages, warnings, and what
   was verified. */
void run_remarks_print(const struct record *record, enum run_text_detail detail,
                       FILE *out);

#endif
