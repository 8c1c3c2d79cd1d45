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
 * Why this one.  A shared machine now and then halves the rate of a run.  One
 * such run in nine pairs blows up Student's t, and no test by ranks or signs
 * can then reach the 5 % / 4 that Holm asks of the first of four phases: the
 * smallest P with one difference on the wrong side may be 20/512.  Trimming
 * does not notice it.  The noise of real runs (tests/noise.h: CPU, fdatasync,
 * a server), 1000 tries each: all quiet means not one verdict on four phases
 * where there is no difference, with the noise as it was; found means that one
 * phase of the four, 10 % slower, is called so at nine blocks, where runs of
 * one command differ by 3 and by 4 % (standard deviation).
 *
 *                        all quiet            found, 3 %          found, 4 %
 *     Student's t     .978 .967 .981       .959 .965 .973       .925 .907 .892
 *     signed ranks    .961 .951 .964       .950 .949 .955       .912 .895 .858
 *     trimmed t       .984 .965 .976       .991 .988 .982       .959 .947 .949
 *
 * One degree of freedom is given away against the sources.  With all of them
 * P <= 0.0125 comes up by chance in 1.5 % of all cases for nine normal values
 * and in 1.9 % for six; with one less in 1.1 % and 0.5 %.  P <= 0.05: 4.7 % and
 * 3.3 %.  100,000 tries each; of other shapes,
 * tests/unit/measure/test_significance.c has some.
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
