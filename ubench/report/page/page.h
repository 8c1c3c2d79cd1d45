/* SPDX-License-Identifier: ISC */
/*
 * One self-contained page of HTML from results: nothing in it is fetched from
 * anywhere.  Its script draws tables and charts, filters and sorts; without
 * script it has the tables.
 */
#ifndef UBENCH_REPORT_PAGE_PAGE_H
#define UBENCH_REPORT_PAGE_PAGE_H

#include <stdio.h>

#include "core/err.h"
#include "record/archive.h"
#include "record/crash_results.h"

/* Writes the page; the title is foreign text.  Returns 0, or -1 with err;
   whether all of it arrived is for out to tell. */
int page_write(const struct archive *archive,
               const struct crash_results *crashes, const char *title,
               FILE *out, struct err *err);

#endif
