/* SPDX-License-Identifier: ISC */
/*
 * Are two series of runs different, and by how much: one figure per run, or
 * per block of runs, as in statistics.h.  For a ratio, give the logarithms.
 *
 * Trimmed means are compared: the lowest and the highest tenth, but at least
 * one value on each side, are dropped, as for the headline, and the t of the
 * winsorised values says how sure that is (Tukey, McLaughlin 1963 for pairs;
 * Yuen, "The two-sample trimmed t for unequal population variances",
 * Biometrika 1974; Wilcox, "Introduction to Robust Estimation and Hypothesis
 * Testing", 5.3 and 5.9).
 *
 * One slow run in nine pairs, as on a shared machine, spoils Student's t and
 * tests by ranks; trimming drops it.  One degree of freedom fewer is used than
 * in the sources, because with all of them chance alone gives small P too
 * often. docs/statistics.md has the simulations that both rest on.
 */
#ifndef UBENCH_MEASURE_SIGNIFICANCE_H
#define UBENCH_MEASURE_SIGNIFICANCE_H

#include <stddef.h>

#include "measure/statistics.h"

struct significance {
    double effect;            /* by how much, in the unit of the values */
    double standard_error;    /* of the effect */
    size_t degrees;           /* of freedom; 0: too few values, p is 1 */
    struct interval interval; /* of the effect */
    double p; /* two-sided: how often chance alone would do as much or more */
};

enum {
    SIGNIFICANCE_MIN = 6, /* values in each series, or pairs, for an interval */
    SIGNIFICANCE_TESTS_MAX = 2000, /* adjusted together */
};

/* Of the differences within pairs; 1 to STATISTICS_MAX. */
struct significance significance_paired(const double *differences,
                                        size_t count);

/* Of two series that were not paired, to - from; 1 to STATISTICS_MAX values
   each. */
struct significance significance_unpaired(const double *from, size_t from_count,
                                          const double *to, size_t to_count);

/*
 * Adjusts the P of several tests, in place, so that those that are then below
 * 0.05 hold together: the probability that chance alone has made even one of
 * them is 5 % at most.  Source: Holm, "A simple sequentially rejective
 * multiple test procedure", Scandinavian Journal of Statistics 1979.
 */
void significance_adjust(double *p, size_t count);

#endif
