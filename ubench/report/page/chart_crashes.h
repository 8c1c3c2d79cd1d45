/* SPDX-License-Identifier: ISC */
/* What each crash lost, a chart for each level of the campaigns. */
#ifndef UBENCH_REPORT_PAGE_CHART_CRASHES_H
#define UBENCH_REPORT_PAGE_CHART_CRASHES_H

#include "report/page/page_parts.h"

void chart_crashes(struct page *page);

#endif
