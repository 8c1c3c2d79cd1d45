/* SPDX-License-Identifier: ISC */
/*
 * What may be said of a handful of runs: one figure per run (a rate, a time, a
 * p99), never the samples inside a run, which depend on each other.
 *
 * The values are finite, in any order, and stay as they are, but for
 * statistics_sort.  All results are in the unit of the values.  Intervals are
 * 95 % confidence intervals.
 */
#ifndef UBENCH_MEASURE_STATISTICS_H
#define UBENCH_MEASURE_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

enum { STATISTICS_MAX = 1000 }; /* values, where a function says so */

struct interval {
    double coverage; /* 0: there is none, and low and high are 0 */
    double low;
    double high;
};

/* A mean without the lowest and the highest values, and what it is worth. */
struct trimmed_mean {
    double mean;
    size_t dropped;           /* on each side */
    double winsorised_sd;     /* 0 if there is no interval */
    double standard_error;    /* 0 if there is no interval */
    size_t degrees;           /* of freedom; 0 if there is no interval */
    struct interval interval; /* mean -+ t * standard_error */
};

/* The mean; at least 1 value.  Corrected for rounding: a second pass adds the
   mean of the differences. */
double statistics_mean(const double *values, size_t count);

/* The sample standard deviation (count - 1); 0 for a single value. */
double statistics_sd(const double *values, size_t count);

/* The median; 1 to STATISTICS_MAX values.  The mean of the middle two if their
   number is even. */
double statistics_median(const double *values, size_t count);

/* Puts any number of values into ascending order. */
void statistics_sort(double *values, size_t count);

/* The median of values that are in ascending order, 1 or any number of them. */
double statistics_median_sorted(const double *sorted, size_t count);

/*
 * The median's exact interval, whatever the distribution: the narrowest
 * [x(k), x(count + 1 - k)] of the sorted values with a coverage of 95 % at
 * least.  The median is below x(k) if fewer than k of count coins show heads,
 * so the coverage, which is returned with it, is 1 - 2 P(Binomial(count, 1/2)
 * < k).  There is none for fewer than 6 values.  1 to STATISTICS_MAX values.
 * Source: Nair, "Table of confidence interval for the median", Sankhya 1940.
 */
struct interval statistics_median_interval(const double *values, size_t count);

/*
 * The mean of what is left when the g lowest and the g highest are dropped
 * (2g < count, at most STATISTICS_MAX values), with its interval after Tukey,
 * McLaughlin and Yuen.  The winsorised sample has the dropped values replaced
 * by their nearest neighbours that were kept; s_w is its standard deviation.
 *
 *     standard error = s_w / ((1 - 2g/count) sqrt(count))
 *     interval       = mean -+ t(.975, count - 2g - 1) standard error
 *
 * For 9 values and g = 1: mean -+ 1.049 s_w.  The standard deviation of the
 * values that were kept would be too small.  With g = 0 it is Student's
 * interval of the mean.  There is none if only one value is left.
 * Source: Wilcox, "Introduction to Robust Estimation and Hypothesis Testing",
 * section 4.3, with g/count for his fixed share.  Simulated with normal values
 * and g = 1 it holds the true mean in 92.4 % of all cases for 4 values, 93.5 %
 * for 6, 94.4 % for 9 and 94.6 % for 20; with skewed ones (lognormal, 0.5) in
 * 92.7 % for 9.  Where it must not be less than 95 %, take the median's.
 */
struct trimmed_mean statistics_trimmed_mean(const double *values, size_t count,
                                            size_t g);

/*
 * The headline of a series of runs, as ISC makes it in its reports on Kea's
 * performance: from 3 values on the lowest and the highest are dropped; below
 * that it is the mean.  There is an interval from 4 values on.  1 to
 * STATISTICS_MAX values.
 */
struct trimmed_mean statistics_headline(const double *values, size_t count);

/*
 * How often at most, with a confidence of 95 %, what was seen k times in n
 * trials happens in truth: the p at which so few have a probability of 5 %.
 * Exact, one-sided: 0 of 59 is 4.95 %.  1 if k is n; n at least 1.
 * Source: Clopper and Pearson, "The use of confidence or fiducial limits
 * illustrated in the case of the binomial", Biometrika 1934.
 */
double statistics_binomial_upper(uint64_t k, uint64_t n);

/* Student's t: the value that is exceeded with probability 1 - p; p from 0.5
   to below 1, at least 1 degree of freedom. */
double statistics_t_quantile(double p, size_t degrees);

/* The other way round, and on both sides: how often chance alone gives a t as
   far from 0 as this one, which may be infinite. */
double statistics_t_p(double t, size_t degrees);

#endif
