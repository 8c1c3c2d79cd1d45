/* SPDX-License-Identifier: ISC */
/* Charts of open loops: responses over the rate and by percentile, and answers
   second by second, each with a heading, or nothing. */
#ifndef UBENCH_REPORT_PAGE_CHART_OPEN_H
#define UBENCH_REPORT_PAGE_CHART_OPEN_H

#include "report/page/page_parts.h"

void chart_open(struct page *page);

#endif
