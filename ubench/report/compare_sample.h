/* SPDX-License-Identifier: ISC */
/* What a row is made of: one figure of each run, on both sides.  For compare*.c
   alone. */
#ifndef UBENCH_REPORT_COMPARE_SAMPLE_H
#define UBENCH_REPORT_COMPARE_SAMPLE_H

#include "report/compare.h"

/* Of a run. */
struct compare_value {
    double figure;                  /* NAN, or 0: it has none */
    struct compare_bracket bracket; /* of a rate that was searched for */
};

/* Of one side: the logarithms of a figure. */
struct compare_sample {
    size_t count;
    double logs[STATISTICS_MAX];
    const char *campaigns[STATISTICS_MAX];
    const char *blocks[STATISTICS_MAX]; /* NULL: of none */
    struct compare_bracket bracket;     /* that holds those of all runs */
    size_t width_count;
    double widths[STATISTICS_MAX]; /* of the brackets: logarithms */
};

/* Adds a figure of a run of the record, unless it is no number above 0, or
   there is no room, which is noted. */
void compare_sample_add(struct compare_sample *sample,
                        struct comparison *comparison,
                        const struct record *record,
                        const struct compare_value *value);

/* The row of two samples, without its verdict: paired if they have blocks in
   common, of which then no others are left in them. */
struct compare_row compare_samples(struct comparison *comparison,
                                   const char *name,
                                   struct compare_sample *from,
                                   struct compare_sample *to);

#endif
