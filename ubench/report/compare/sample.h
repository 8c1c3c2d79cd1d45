/* SPDX-License-Identifier: ISC */
/*
 * A figure of several runs, and what two such samples say of each other.
 *
 * Runs that a campaign interleaved are paired: the labels campaign and block
 * say which belong together, and the figure of a block is the geometric mean of
 * its runs.  What drifts from block to block cancels out.  Otherwise each run
 * counts by itself, and what drifted between the samples counts as a
 * difference.  See measure/significance.h for the statistics.
 */
#ifndef UBENCH_REPORT_COMPARE_SAMPLE_H
#define UBENCH_REPORT_COMPARE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/significance.h"
#include "record/record.h"

/* A run's figure, as a logarithm. */
struct sample_point {
    double log;
    const char *campaign;
    const char *order_seed; /* tells campaigns of one name apart */
    const char *block;      /* NULL: of none */
};

struct sample {
    size_t count;
    struct sample_point points[STATISTICS_MAX];
};

/* Adds a figure of a run of the record, a finite number above 0.  Returns
   false if there is no room for it. */
bool sample_add(struct sample *sample, const struct record *record,
                double figure);

/* The median of the figures; there is at least one. */
double sample_median(const struct sample *sample);

/* Two samples, from and to. */
struct contrast {
    bool paired;              /* by block */
    size_t blocks;            /* that were paired */
    size_t counts[2];         /* of runs that were used */
    size_t left_out;          /* runs of blocks that only one of them has */
    double figures[2];        /* their medians; 0 without a run */
    double ratio;             /* to / from; NAN if one of them has no run */
    struct interval interval; /* of the ratio; coverage 0: too few runs */
    double p; /* of this contrast alone; 1 without an interval */
};

/* Paired if the samples have blocks in common: then only those count. */
struct contrast sample_contrast(const struct sample *from,
                                const struct sample *to);

/* True if a ratio is more than chance, and by a factor that counts, of which
   least is the logarithm; p is adjusted for all that is told beside it. */
bool contrast_is_shown(double ratio, double p, double least);

#endif
