/* SPDX-License-Identifier: ISC */
/*
 * Latencies by the million in fixed memory: a log-linear histogram.  All times
 * are nanoseconds.  Values below 256 have a bucket each; above, each power of
 * two is cut into 128 buckets of equal width, so that the middle of a bucket is
 * at most 1/256 = 0.4 % away from any value in it.  Source of the idea, one
 * relative error for the whole range: Gil Tene's HdrHistogram.
 *
 * A histogram belongs to one thread; add them up after the barrier.
 */
#ifndef UBENCH_MEASURE_HISTOGRAM_H
#define UBENCH_MEASURE_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HISTOGRAM_SUB_BITS = 7, /* 128 buckets for each power of two */
    HISTOGRAM_TOP_BITS = 45,
    HISTOGRAM_BUCKETS = (HISTOGRAM_TOP_BITS - HISTOGRAM_SUB_BITS + 1)
                        << HISTOGRAM_SUB_BITS,
};

/*
 * 40 kB.  Read what you like; written by the functions below alone.  Count,
 * sum, min and max are exact whatever was recorded.  Values from 2^45 ns (9.8
 * hours) on are counted in the last bucket, and quantiles up there and the
 * standard deviation are then too low.
 */
struct histogram {
    uint64_t count;
    uint64_t sum_ns;
    uint64_t min_ns; /* UINT64_MAX if count is 0 */
    uint64_t max_ns; /* 0 if count is 0 */
    uint64_t counts[HISTOGRAM_BUCKETS];
};

/* Makes it empty. */
void histogram_init(struct histogram *histogram);

/* The bucket that a value is counted in. */
static inline size_t histogram_bucket_of(uint64_t ns)
{
    enum { SUB = 1 << HISTOGRAM_SUB_BITS };
    /* How many low bits are given up; none for values below 2 * SUB. */
    const unsigned shift =
        63 - HISTOGRAM_SUB_BITS - (unsigned)__builtin_clzll(ns | SUB);
    const uint64_t bucket = (uint64_t)shift * SUB + (ns >> shift);

    return bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS - 1;
}

/* Counts one value.  Inline and without a branch that can be mispredicted:
   it stands between two operations of 20 ns. */
static inline void histogram_record(struct histogram *histogram, uint64_t ns)
{
    histogram->counts[histogram_bucket_of(ns)]++;
    histogram->count++;
    histogram->sum_ns += ns;
    histogram->min_ns = ns < histogram->min_ns ? ns : histogram->min_ns;
    histogram->max_ns = ns > histogram->max_ns ? ns : histogram->max_ns;
}

/* Adds all that is in more; nothing is lost by adding. */
void histogram_add(struct histogram *histogram, const struct histogram *more);

/*
 * The q-quantile, q in 0..1: the smallest value that at least q * count of the
 * values do not exceed.  Given as the middle of its bucket, kept between min
 * and max: at most 0.4 % off, exact below 256 ns, min for the lowest value and
 * max for the highest.  0 if the histogram is empty.
 */
double histogram_quantile(const struct histogram *histogram, double q);

/* False if fewer than 10 values lie beyond the q-quantile: it is then chance
   and prints as n/a.  p99.9 needs 10,000 values. */
bool histogram_quantile_known(const struct histogram *histogram, double q);

/* The mean, exact.  0 if the histogram is empty. */
double histogram_mean(const struct histogram *histogram);

/*
 * The sample standard deviation (count - 1), from the middles of the buckets.
 * Exact if all values are below 256 ns; else off by at most 0.4 % of the root
 * mean square of the values.  0 if there are fewer than two.
 */
double histogram_sd(const struct histogram *histogram);

/*
 * Export and import.  A histogram is written as [lowest value, count] for each
 * bucket that is not empty, with the exact sum, min and max.
 */

/* The lowest value that the i-th of HISTOGRAM_BUCKETS buckets counts;
   histogram->counts[i] is how many there were. */
uint64_t histogram_bucket_low_ns(size_t i);

/*
 * Puts a bucket back.  Sum, min and max are guessed from the bucket.  Returns
 * 0, or -1, changing nothing, if low_ns is not the lowest value of a bucket or
 * if the total would not fit.
 */
int histogram_bucket_add(struct histogram *histogram, uint64_t low_ns,
                         uint64_t count);

#endif
