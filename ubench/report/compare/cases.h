/* SPDX-License-Identifier: ISC */
/* What is compared with what: the cases that both sides have, and what else
   differs.  For compare.c alone. */
#ifndef UBENCH_REPORT_COMPARE_CASES_H
#define UBENCH_REPORT_COMPARE_CASES_H

#include "report/compare/compare.h"

/* Fills the comparison's cases (without rows) and differences, and notes what
   was left out.  Returns 0, or -1 with err. */
int compare_cases_find(struct comparison *comparison,
                       const struct compare_config *config, struct err *err);

#endif
