/* SPDX-License-Identifier: ISC */
/* Parts of a comparison, for compare.c alone: candidates.c, sides.c, cases.c
   and rows.c, in this order.  Those that return a number return 0, or -1 with
   err. */
#ifndef UBENCH_REPORT_COMPARE_PARTS_H
#define UBENCH_REPORT_COMPARE_PARTS_H

#include "report/compare/compare.h"

/* What is compared with the baseline: fills in a config for each candidate, as
   compare_init says, and room for the comparisons. */
int compare_candidates_find(struct comparisons *comparisons,
                            const struct compare_config *config,
                            const char *const *files, size_t file_count,
                            const struct archive *archive, struct err *err);

/* Which results are on which side: fills the comparison's sides, of which none
   is empty, and their names. */
int compare_sides_choose(struct comparison *comparison,
                         const struct compare_config *config,
                         const struct archive *archive, struct err *err);

/* What is compared with what: fills the cases that both sides have, and the
   differences, and notes what was left out. */
int compare_cases_find(struct comparison *comparison,
                       const struct compare_config *config, struct err *err);

/* Adds the rows of a case, without their verdicts: a figure that runs on both
   sides have by the same name.  Of phases that is the rate or a latency.  In an
   open loop the rate of a trial was asked for, so it is none: there it is a
   rate that was searched for, or what trials at the same rate took to answer.
   Notes what was left out. */
void compare_rows_add(struct comparisons *comparisons,
                      struct comparison *comparison,
                      const struct compare_case *of,
                      const struct compare_config *config);

/* True if --baseline or --candidate name that key. */
bool compare_is_chosen_by(const struct compare_config *config, const char *key);

/* "baseline" or "candidate" */
const char *compare_side_name(int side);

/* Adds a sentence to the notes, unless it is there already. */
void compare_note(struct comparison *comparison, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Notes what only one side has, of a case or "": what the candidate lacks is
   told in comparison->lacking, too. */
void compare_note_alone(struct comparison *comparison, int side, const char *of,
                        const char *what);

#endif
