/* SPDX-License-Identifier: ISC */
/* Rates by phase: a section with a chart for each of the chapter, or nothing.
 */
#ifndef UBENCH_REPORT_PAGE_CHART_RATES_H
#define UBENCH_REPORT_PAGE_CHART_RATES_H

#include "report/page/page_parts.h"

void chart_rates(struct page *page);

#endif
