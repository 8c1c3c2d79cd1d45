/* SPDX-License-Identifier: ISC */
/*
 * Records millions of latencies in fixed memory: a log-linear histogram.  All
 * times are nanoseconds.  Values below 256 have a bucket each; above, each
 * power of two is divided into 128 buckets of equal width, so that the middle
 * of a bucket is within 1/256 = 0.4 % of each value in it.  Source of the idea,
 * one relative error for the whole range: Gil Tene's HdrHistogram.
 *
 * A histogram belongs to one thread; add the threads' histograms after the
 * barrier.
 */
#ifndef UBENCH_MEASURE_HISTOGRAM_H
#define UBENCH_MEASURE_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HISTOGRAM_SUB_BITS = 7, /* 128 buckets for each power of two */
    HISTOGRAM_TOP_BITS = 45,
    HISTOGRAM_BUCKETS = (HISTOGRAM_TOP_BITS - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS,
};

/*
 * 40 kB.  All members may be read; only the functions below write them.  Count,
 * sum, min and max are always exact.  Values from 2^45 ns (9.8 hours) on are
 * counted in the last bucket; quantiles in it and the standard deviation are
 * then too low.
 */
struct histogram {
    uint64_t count;
    uint64_t sum_ns;
    uint64_t min_ns; /* UINT64_MAX if count is 0 */
    uint64_t max_ns; /* 0 if count is 0 */
    uint64_t counts[HISTOGRAM_BUCKETS];
};

/* Initialises an empty histogram. */
void histogram_init(struct histogram *histogram);

/* histogram_scale returns the bucket of a value if each power of two is divided
   into 1 << bits buckets and values below twice that have a bucket each.
   histogram_scale_low_ns returns the lowest value of a bucket. */
static inline size_t histogram_scale(uint64_t ns, unsigned bits)
{
    /* How many low bits are dropped. */
    const unsigned shift = 63 - bits - (unsigned)__builtin_clzll(ns | UINT64_C(1) << bits);

    return ((size_t)shift << bits) + (ns >> shift);
}
uint64_t histogram_scale_low_ns(size_t bucket, unsigned bits);

/* Returns the bucket that counts a value. */
static inline size_t histogram_bucket_of(uint64_t ns)
{
    const size_t bucket = histogram_scale(ns, HISTOGRAM_SUB_BITS);

    return bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS - 1;
}

/* Counts one value.  Inline and without a branch that can be mispredicted,
   since it runs between two operations of 20 ns. */
static inline void histogram_record(struct histogram *histogram, uint64_t ns)
{
    histogram->counts[histogram_bucket_of(ns)]++;
    histogram->count++;
    histogram->sum_ns += ns;
    histogram->min_ns = ns < histogram->min_ns ? ns : histogram->min_ns;
    histogram->max_ns = ns > histogram->max_ns ? ns : histogram->max_ns;
}

/* Adds the values of more, without loss of accuracy. */
void histogram_add(struct histogram *histogram, const struct histogram *more);

/*
 * Returns the q-quantile, q in 0..1: the smallest value that at least q * count
 * of the values do not exceed.  It is the middle of that value's bucket,
 * limited to min and max: within 0.4 %, exact below 256 ns, min for the lowest
 * value and max for the highest.  0 if the histogram is empty.
 */
double histogram_quantile(const struct histogram *histogram, double q);

/* Returns false if fewer than 10 values lie beyond the q-quantile: it is then
   chance and prints as n/a.  p99.9 needs 10,000 values. */
bool histogram_quantile_known(const struct histogram *histogram, double q);

/* Returns the exact mean; 0 if the histogram is empty. */
double histogram_mean(const struct histogram *histogram);

/*
 * Returns the sample standard deviation (count - 1), from the middles of the
 * buckets.  Exact if all values are below 256 ns; otherwise the error is at
 * most 0.4 % of the root mean square of the values.  0 if there are fewer than
 * two values.
 */
double histogram_sd(const struct histogram *histogram);

/* Returns the lowest value that the i-th of HISTOGRAM_BUCKETS buckets
   counts. */
uint64_t histogram_bucket_low_ns(size_t i);

/* Computes the histogram of the values that were recorded between before and
   after.  Its min and max are the ends of buckets, so their error is up to
   0.8 %. */
void histogram_difference(struct histogram *difference, const struct histogram *before,
                          const struct histogram *after);

#endif
