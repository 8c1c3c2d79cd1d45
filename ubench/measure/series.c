/* SPDX-License-Identifier: ISC */
#include "measure/series.h"

#include <stdlib.h>
#include <string.h>

#include "core/clock.h"

/* Values below 16 ns have a step each, then eight steps per power of two. */
enum { STEP_BITS = 3, STEPS = (64 - STEP_BITS + 1) << STEP_BITS };

struct series_second {
    uint32_t counts[STEPS];
};

_Static_assert(sizeof(struct series_second) == SERIES_SECOND_SIZE, "the size of a second");

void series_begin(struct series *series, struct histogram *seen, uint64_t begun_ns)
{
    *series = (struct series){ .next_ns = begun_ns + NS_PER_S, .seen = seen };
}

void series_release(struct series *series)
{
    free(series->seconds);
    *series = (struct series){ 0 };
}

bool series_extend(struct series *series, size_t count)
{
    if (count <= series->count)
        return true;
    struct series_second *const seconds = realloc(series->seconds, count * sizeof *seconds);
    if (seconds == NULL)
        return false;
    memset(&seconds[series->count], 0, (count - series->count) * sizeof *seconds);
    series->seconds = seconds;
    series->count = count;
    return true;
}

/* Adds a second with the values recorded since the last one.  python/ubench/run/valgrind.py knows
   its name, and does not count what it does. */
static void close_second(struct series *series, const struct histogram *histogram)
{
    if (series->failed || !series_extend(series, series->count + 1)) {
        series->failed = true;
        return;
    }
    struct series_second *const second = &series->seconds[series->count - 1];
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        const uint64_t count = histogram->counts[i] - series->seen->counts[i];

        if (count > 0)
            second->counts[histogram_scale(histogram_bucket_low_ns(i), STEP_BITS)] +=
                (uint32_t)count;
    }
    *series->seen = *histogram;
}

void series_tick(struct series *series, const struct histogram *histogram, uint64_t now_ns)
{
    while (now_ns >= series->next_ns) {
        close_second(series, histogram);
        series->next_ns += NS_PER_S;
    }
}

void series_end(struct series *series, const struct histogram *histogram)
{
    if (histogram->count > series->seen->count)
        close_second(series, histogram);
    series->seen = NULL;
}

void series_add(struct series *series, const struct series *other)
{
    series->failed = series->failed || other->failed || !series_extend(series, other->count);
    for (size_t i = 0; i < other->count && i < series->count; i++) {
        for (size_t step = 0; step < STEPS; step++)
            series->seconds[i].counts[step] += other->seconds[i].counts[step];
    }
}

uint32_t *series_counters(struct series *series, size_t *count)
{
    *count = series->count * STEPS;
    return series->count > 0 ? series->seconds->counts : NULL;
}

uint64_t series_operations(const struct series *series, size_t second)
{
    uint64_t count = 0;

    for (size_t step = 0; step < STEPS; step++)
        count += series->seconds[second].counts[step];
    return count;
}

double series_quantile(const struct series *series, size_t second, double q)
{
    const double wanted = q * (double)series_operations(series, second);
    uint64_t below = 0;
    size_t step = 0;

    if (wanted <= 0)
        return 0;
    while ((double)(below += series->seconds[second].counts[step]) < wanted)
        step++;
    return ((double)histogram_scale_low_ns(step, STEP_BITS) +
            (double)histogram_scale_low_ns(step + 1, STEP_BITS) - 1) /
           2;
}
