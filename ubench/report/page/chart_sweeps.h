/* SPDX-License-Identifier: ISC */
/* Rates over what varies in the chapter: a section, or nothing. */
#ifndef UBENCH_REPORT_PAGE_CHART_SWEEPS_H
#define UBENCH_REPORT_PAGE_CHART_SWEEPS_H

#include "report/page/page_parts.h"

void chart_sweeps(struct page *page);

#endif
