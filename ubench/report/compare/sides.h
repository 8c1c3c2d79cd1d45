/* SPDX-License-Identifier: ISC */
/* Which results are on which side, as the options choose.  For compare*.c
   alone. */
#ifndef UBENCH_REPORT_COMPARE_SIDES_H
#define UBENCH_REPORT_COMPARE_SIDES_H

#include "report/compare/compare.h"

/* Fills the comparison's sides, of which none is empty, and their names.
   Returns 0, or -1 with err. */
int compare_sides_choose(struct comparison *comparison,
                         const struct compare_config *config,
                         const struct archive *archive, struct err *err);

/* True if --baseline or --candidate name that key. */
bool compare_is_chosen_by(const struct compare_config *config, const char *key);

/* "baseline" or "candidate" */
const char *compare_side_name(int side);

/* Adds a sentence to the notes, unless it is there already. */
void compare_note(struct comparison *comparison, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
