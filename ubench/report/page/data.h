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
#include "report/answer/answer.h"
#include "report/predict/predict.h"

struct page_parts {
    const struct groups *closed; /* configurations of closed loops */
    const struct groups *open;   /* and of open ones */
    const struct crash_results *crashes;
    const struct answer *answer;   /* without rows there is none */
    const struct predict *predict; /* the same */
};

/*
 * Writes the object for the content of a script element: no text in it can end
 * the element.  Returns 0, or -1 with err if there is no memory; whether all of
 * it arrived is for out to tell.
 */
int page_data_write(const struct page_parts *parts, FILE *out, struct err *err);

#endif
