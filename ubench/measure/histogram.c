/* SPDX-License-Identifier: ISC */
#include "measure/histogram.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { BEYOND_MIN = 10 };

void histogram_init(struct histogram *histogram)
{
    memset(histogram, 0, sizeof *histogram);
    histogram->min_ns = UINT64_MAX;
}

void histogram_add(struct histogram *histogram, const struct histogram *more)
{
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        histogram->counts[i] += more->counts[i];
    histogram->count += more->count;
    histogram->sum_ns += more->sum_ns;
    if (more->min_ns < histogram->min_ns)
        histogram->min_ns = more->min_ns;
    if (more->max_ns > histogram->max_ns)
        histogram->max_ns = more->max_ns;
}

uint64_t histogram_scale_low_ns(size_t bucket, unsigned bits)
{
    const size_t shift = bucket >> bits > 0 ? (bucket >> bits) - 1 : 0;

    return (bucket - (shift << bits)) << shift;
}

uint64_t histogram_bucket_low_ns(size_t i)
{
    assert(i < HISTOGRAM_BUCKETS);
    return histogram_scale_low_ns(i, HISTOGRAM_SUB_BITS);
}

static uint64_t bucket_high_ns(size_t i)
{
    return histogram_scale_low_ns(i + 1, HISTOGRAM_SUB_BITS) - 1;
}

/* Returns the middle of a bucket, limited to min and max as the values are. */
static double middle_ns(const struct histogram *histogram, size_t i)
{
    const double middle = ((double)histogram_bucket_low_ns(i) + (double)bucket_high_ns(i)) / 2;

    return fmax((double)histogram->min_ns, fmin((double)histogram->max_ns, middle));
}

/*
 * Returns how many values must not exceed the q-quantile.  Slightly less than
 * the product is rounded up, because 0.07 * 100 is 7.000000000000001 and means
 * 7.
 */
static uint64_t rank_of(const struct histogram *histogram, double q)
{
    assert(q >= 0 && q <= 1);
    const double rank = ceil(q * (double)histogram->count * (1 - 4 * DBL_EPSILON));

    return rank < 1 ? 1 : (uint64_t)rank;
}

double histogram_quantile(const struct histogram *histogram, double q)
{
    const uint64_t rank = rank_of(histogram, q);
    uint64_t below = 0;

    if (histogram->count == 0)
        return 0;
    if (rank == 1)
        return (double)histogram->min_ns;
    if (rank >= histogram->count)
        return (double)histogram->max_ns;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        below += histogram->counts[i];
        if (below >= rank)
            return middle_ns(histogram, i);
    }
    return (double)histogram->max_ns;
}

bool histogram_quantile_known(const struct histogram *histogram, double q)
{
    const uint64_t rank = rank_of(histogram, q);

    return rank <= histogram->count && histogram->count - rank >= BEYOND_MIN;
}

double histogram_mean(const struct histogram *histogram)
{
    if (histogram->count == 0)
        return 0;
    return (double)histogram->sum_ns / (double)histogram->count;
}

double histogram_sd(const struct histogram *histogram)
{
    const double n = (double)histogram->count;
    double mean = 0;
    double squares = 0;

    if (histogram->count < 2)
        return 0;
    /* Uses the mean of the middles: the exact mean would add the distance
       between the two to the deviation. */
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        mean += (double)histogram->counts[i] / n * middle_ns(histogram, i);
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        const double distance = middle_ns(histogram, i) - mean;

        squares += (double)histogram->counts[i] * distance * distance;
    }
    return sqrt(squares / (n - 1));
}

void histogram_difference(struct histogram *difference, const struct histogram *before,
                          const struct histogram *after)
{
    histogram_init(difference);
    difference->count = after->count - before->count;
    difference->sum_ns = after->sum_ns - before->sum_ns;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        const uint64_t count = after->counts[i] - before->counts[i];

        difference->counts[i] = count;
        if (count > 0 && difference->min_ns == UINT64_MAX)
            difference->min_ns = histogram_bucket_low_ns(i);
        if (count > 0)
            difference->max_ns = bucket_high_ns(i);
    }
    if (difference->max_ns > after->max_ns)
        difference->max_ns = after->max_ns;
}
