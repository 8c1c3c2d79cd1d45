/* SPDX-License-Identifier: ISC */
/* The tables of a chapter, and what is folded below a result. */
#ifndef UBENCH_REPORT_PAGE_PAGE_TABLES_H
#define UBENCH_REPORT_PAGE_PAGE_TABLES_H

#include "report/page/page_parts.h"

/* What the chapter shows first: its rates, by class and store. */
void page_put_headline(struct page *page);

/* All of the chapter, if that is more. */
void page_put_all(struct page *page);

#endif
