/* SPDX-License-Identifier: ISC */
/* What a row is made of: one figure of each run, on both sides.  For compare*.c
   alone. */
#ifndef UBENCH_REPORT_COMPARE_SAMPLE_H
#define UBENCH_REPORT_COMPARE_SAMPLE_H

#include "report/compare_groups.h"

/* Of one side: the logarithms of a figure. */
struct compare_sample {
    size_t count;
    double logs[STATISTICS_MAX];
    const char *campaigns[STATISTICS_MAX];
    const char *blocks[STATISTICS_MAX]; /* NULL: of none */
};

/* Adds a figure of a run of the record, unless it is no number above 0, or
   there is no room, which is noted. */
void compare_sample_add(struct compare_sample *sample,
                        struct comparison *comparison,
                        const struct record *record, double value);

/* The row of two samples, without its verdict: paired if they have blocks in
   common, of which then no others are left in them. */
struct compare_row compare_samples(struct comparison *comparison,
                                   const char *name,
                                   struct compare_sample *from,
                                   struct compare_sample *to);

/* Of a pair that ran in an open loop: rates that were searched for, or, of a
   latency, what trials at the same rate took to answer. */
void compare_open_rows(struct comparison *comparison, struct compare_case *to,
                       const struct compare_pair *pair,
                       const struct compare_config *config);

/* A figure of a histogram, in nanoseconds; NAN if there is none. */
double compare_latency(const struct record_histogram *histogram,
                       enum compare_figure figure);

/* True if the name is in a list like "create,update", or there is none. */
bool compare_is_listed(const char *list, const char *name);

#endif
