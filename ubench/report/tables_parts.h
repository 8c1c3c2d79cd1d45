/* SPDX-License-Identifier: ISC */
/* Parts of the text of a result, for tables*.c alone. */
#ifndef UBENCH_REPORT_TABLES_PARTS_H
#define UBENCH_REPORT_TABLES_PARTS_H

#include "report/tables.h"

enum { TABLES_LABEL = 10 }; /* width of "durability", "verified", ... */

/* What stands below all figures: moments of the latency, what it cost, outages,
   the warning, and what was verified. */
void tables_print_remarks(const struct result *result, FILE *out);

#endif
