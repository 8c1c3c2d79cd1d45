/* SPDX-License-Identifier: ISC */
/* Rates over dates and versions: a section, or nothing. */
#ifndef UBENCH_REPORT_PAGE_CHART_HISTORY_H
#define UBENCH_REPORT_PAGE_CHART_HISTORY_H

#include "report/page/page_parts.h"

void chart_history(struct page *page);

#endif
