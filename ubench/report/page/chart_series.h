/* SPDX-License-Identifier: ISC */
/* Runs second by second: a section, or nothing. */
#ifndef UBENCH_REPORT_PAGE_CHART_SERIES_H
#define UBENCH_REPORT_PAGE_CHART_SERIES_H

#include "report/page/page_parts.h"

void chart_series(struct page *page);

#endif
