/* SPDX-License-Identifier: ISC */
/*
 * What page.js draws from, as one object of JSON.  Its members are named in
 * data.c beside what they hold.
 */
#ifndef UBENCH_REPORT_PAGE_DATA_H
#define UBENCH_REPORT_PAGE_DATA_H

#include <stdio.h>

#include "core/err.h"
#include "record/crash_results.h"
#include "record/group.h"

/*
 * Writes the object for the content of a script element: no text in it can end
 * the element.  closed has configurations of closed loops, open those of open
 * ones.  Returns 0, or -1 with err if there is no memory; whether all of it
 * arrived is for out to tell.
 */
int page_data_write(const struct groups *closed, const struct groups *open,
                    const struct crash_results *crashes, FILE *out,
                    struct err *err);

#endif
