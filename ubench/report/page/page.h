/* SPDX-License-Identifier: ISC */
/*
 * One self-contained page of HTML from results: nothing in it is fetched from
 * anywhere, and it needs no script.
 */
#ifndef UBENCH_REPORT_PAGE_PAGE_H
#define UBENCH_REPORT_PAGE_PAGE_H

#include <stdio.h>

#include "core/err.h"
#include "record/archive.h"
#include "record/losses.h"

/*
 * Writes the page; the title is foreign text.  Without gnuplot it has its
 * tables alone, and says so; the reason is then in warning, which is otherwise
 * emptied.  Returns 0, or -1 with err; whether all of it arrived is for out to
 * tell.
 */
int page_write(const struct archive *archive, const struct losses *losses,
               const char *title, FILE *out, struct err *warning,
               struct err *err);

#endif
