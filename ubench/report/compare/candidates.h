/* SPDX-License-Identifier: ISC */
/* What is compared with the baseline, one or several.  For compare.c alone. */
#ifndef UBENCH_REPORT_COMPARE_CANDIDATES_H
#define UBENCH_REPORT_COMPARE_CANDIDATES_H

#include "report/compare/compare.h"

/* Fills in a config for each candidate, as compare_init says, and room for the
   comparisons, zeroed.  Returns 0, or -1 with err. */
int compare_candidates_find(struct comparisons *comparisons,
                            const struct compare_config *config,
                            const char *const *files, size_t file_count,
                            const struct archive *archive, struct err *err);

#endif
