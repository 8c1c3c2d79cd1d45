/* SPDX-License-Identifier: ISC */
#include "measure/significance.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

static const double confidence = 0.95;

/* How many values to drop on each side. */
static size_t trim(size_t count)
{
    if (count < 3)
        return 0;
    return count < 20 ? 1 : count / 10;
}

static struct trimmed_mean trimmed(const double *values, size_t count)
{
    return statistics_trimmed_mean(values, count, trim(count));
}

/* What follows from the effect and its error, once there are enough values. */
static void judge(struct significance *test, double standard_error,
                  size_t degrees)
{
    const double margin =
        statistics_t_quantile((1 + confidence) / 2, degrees) * standard_error;

    test->standard_error = standard_error;
    test->degrees = degrees;
    test->interval = (struct interval){
        .coverage = confidence,
        .low = test->effect - margin,
        .high = test->effect + margin,
    };
    if (fabs(test->effect) > 0) /* or else 0 / 0 is possible */
        test->p = statistics_t_p(test->effect / standard_error, degrees);
}

struct significance significance_paired(const double *differences, size_t count)
{
    const struct trimmed_mean mean = trimmed(differences, count);
    struct significance test = { .effect = mean.mean, .p = 1 };

    if (count >= SIGNIFICANCE_MIN)
        judge(&test, mean.standard_error, mean.degrees - 1);
    return test;
}

/* Of a trimmed mean, as Yuen has it: a little more than the square of Tukey's
   and McLaughlin's standard error, (n - 1) / (h (h - 1)) for n / h^2. */
static double variance(const struct trimmed_mean *mean, size_t count)
{
    const double n = (double)count;
    const double kept = (double)(count - 2 * mean->dropped);

    return mean->winsorised_sd * mean->winsorised_sd * (n - 1) /
           (kept * (kept - 1));
}

/* Welch's degrees of freedom, rounded down. */
static size_t welch(double a_variance, size_t a_degrees, double b_variance,
                    size_t b_degrees)
{
    const double sum = a_variance + b_variance;

    if (!(sum > 0))
        return a_degrees + b_degrees;
    return (size_t)(sum * sum /
                    (a_variance * a_variance / (double)a_degrees +
                     b_variance * b_variance / (double)b_degrees));
}

struct significance significance_unpaired(const double *from, size_t from_count,
                                          const double *to, size_t to_count)
{
    const struct trimmed_mean a = trimmed(from, from_count);
    const struct trimmed_mean b = trimmed(to, to_count);
    struct significance test = { .effect = b.mean - a.mean, .p = 1 };

    if (from_count >= SIGNIFICANCE_MIN && to_count >= SIGNIFICANCE_MIN) {
        const double a_variance = variance(&a, from_count);
        const double b_variance = variance(&b, to_count);

        judge(&test, sqrt(a_variance + b_variance),
              welch(a_variance, a.degrees - 1, b_variance, b.degrees - 1));
    }
    return test;
}

/* The place of the least that is not done yet; there is one. */
static size_t find_least(const double *p, const bool *done, size_t count)
{
    size_t least = 0;

    while (done[least])
        least++;
    for (size_t i = least; i < count; i++) {
        if (!done[i] && p[i] < p[least])
            least = i;
    }
    return least;
}

void significance_adjust(double *p, size_t count)
{
    bool done[SIGNIFICANCE_TESTS_MAX] = { false };
    double adjusted = 0;

    assert(count <= SIGNIFICANCE_TESTS_MAX);
    for (size_t left = count; left > 0; left--) {
        const size_t least = find_least(p, done, count);

        adjusted = fmax(adjusted, fmin(1, (double)left * p[least]));
        p[least] = adjusted;
        done[least] = true;
    }
}
