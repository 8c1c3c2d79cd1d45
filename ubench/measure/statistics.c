/* SPDX-License-Identifier: ISC */
#include "measure/statistics.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double confidence = 0.95;
static const double pi = 3.14159265358979323846;

static double sum_of_distances(const double *values, size_t count, double from)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[i] - from;
    return sum;
}

double statistics_mean(const double *values, size_t count)
{
    assert(count >= 1);
    const double n = (double)count;
    const double mean = sum_of_distances(values, count, 0) / n;

    return mean + sum_of_distances(values, count, mean) / n;
}

double statistics_sd(const double *values, size_t count)
{
    const double mean = statistics_mean(values, count);
    double squares = 0;

    if (count < 2)
        return 0;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    return sqrt(squares / (double)(count - 1));
}

static int compare_values(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;

    return (left > right) - (left < right);
}

void statistics_sort(double *values, size_t count)
{
    if (count > 0)
        qsort(values, count, sizeof *values, compare_values);
}

static void sort_into(double sorted[static STATISTICS_MAX],
                      const double *values, size_t count)
{
    assert(count >= 1 && count <= STATISTICS_MAX);
    memcpy(sorted, values, count * sizeof *values);
    statistics_sort(sorted, count);
}

double statistics_median_sorted(const double *sorted, size_t count)
{
    assert(count >= 1);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

double statistics_median(const double *values, size_t count)
{
    double sorted[STATISTICS_MAX];

    sort_into(sorted, values, count);
    return statistics_median_sorted(sorted, count);
}

struct interval statistics_median_interval(const double *values, size_t count)
{
    double sorted[STATISTICS_MAX];
    struct interval interval = { .coverage = 0 };
    /* P(heads = k) of count coins; 2^-1000 is still a normal number. */
    double exactly = ldexp(1, -(int)count);
    double fewer = 0; /* P(heads < k) */

    sort_into(sorted, values, count);
    for (size_t k = 1; k <= (count + 1) / 2; k++) {
        fewer += exactly;
        exactly *= (double)(count - k + 1) / (double)k;
        if (1 - 2 * fewer < confidence)
            break;
        interval = (struct interval){
            .coverage = 1 - 2 * fewer,
            .low = sorted[k - 1],
            .high = sorted[count - k],
        };
    }
    return interval;
}

/*
 * P(-t < T < t) for t = sqrt(degrees) tan(angle): a finite sum, because the
 * degrees of freedom are whole.  Source: Abramowitz and Stegun, "Handbook of
 * Mathematical Functions", 26.7.3 and 26.7.4.
 */
static double t_probability(double angle, size_t degrees)
{
    const double cosine = cos(angle);
    const size_t odd = degrees % 2;
    double term = odd ? cosine : 1;
    double sum = 0;

    for (size_t i = odd; i + 2 <= degrees; i += 2) {
        sum += term;
        term *= cosine * cosine * (double)(i + 1) / (double)(i + 2);
    }
    return odd ? 2 / pi * (angle + sin(angle) * sum) : sin(angle) * sum;
}

/* P(Binomial(n, p) <= k), 0 < p < 1. */
static double binomial_at_most(uint64_t k, uint64_t n, double p)
{
    double sum = 0;

    for (uint64_t i = 0; i <= k; i++)
        sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) -
                   lgamma((double)(n - i) + 1) + (double)i * log(p) +
                   (double)(n - i) * log1p(-p));
    return sum;
}

double statistics_binomial_upper(uint64_t k, uint64_t n)
{
    enum { HALVINGS = 60 };
    double low = 0;
    double high = 1;

    if (k >= n)
        return 1;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = (low + high) / 2;

        if (binomial_at_most(k, n, middle) > 0.05)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double statistics_t_quantile(double p, size_t degrees)
{
    assert(p >= 0.5 && p < 1 && degrees >= 1);
    double low = 0;
    double high = pi / 2;
    double middle = high / 2;

    while (middle > low && middle < high) {
        if (t_probability(middle, degrees) < 2 * p - 1)
            low = middle;
        else
            high = middle;
        middle = (low + high) / 2;
    }
    return sqrt((double)degrees) * tan(middle);
}

double statistics_t_p(double t, size_t degrees)
{
    assert(degrees >= 1);
    return fmax(
        0, 1 - t_probability(atan(fabs(t) / sqrt((double)degrees)), degrees));
}

/* Of a sorted sample; the dropped values are lost. */
static double winsorised_sd(double *sorted, size_t count, size_t g)
{
    for (size_t i = 0; i < g; i++) {
        sorted[i] = sorted[g];
        sorted[count - 1 - i] = sorted[count - 1 - g];
    }
    return statistics_sd(sorted, count);
}

struct trimmed_mean statistics_trimmed_mean(const double *values, size_t count,
                                            size_t g)
{
    double sorted[STATISTICS_MAX];

    assert(g < count && count - g > g);
    sort_into(sorted, values, count);
    const size_t kept = count - 2 * g;
    struct trimmed_mean trimmed = {
        .mean = statistics_mean(sorted + g, kept),
        .dropped = g,
    };
    if (kept < 2)
        return trimmed;
    trimmed.winsorised_sd = winsorised_sd(sorted, count, g);
    trimmed.standard_error =
        trimmed.winsorised_sd * sqrt((double)count) / (double)kept;
    trimmed.degrees = kept - 1;
    const double margin =
        statistics_t_quantile((1 + confidence) / 2, trimmed.degrees) *
        trimmed.standard_error;
    trimmed.interval = (struct interval){
        .coverage = confidence,
        .low = trimmed.mean - margin,
        .high = trimmed.mean + margin,
    };
    return trimmed;
}

struct trimmed_mean statistics_headline(const double *values, size_t count)
{
    if (count < 3)
        return (struct trimmed_mean){
            .mean = statistics_mean(values, count),
        };
    return statistics_trimmed_mean(values, count, 1);
}
