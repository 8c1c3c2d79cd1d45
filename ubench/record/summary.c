/* SPDX-License-Identifier: ISC */
#include "record/summary.h"

#include <math.h>
#include <string.h>

#include "measure/statistics.h"

struct summary summary_make(struct arena *memory, const double *values,
                            size_t count)
{
    struct summary summary = { .count = count, .values = values };
    struct interval interval = { 0 };

    if (count == 0)
        return summary;
    double *const sorted = arena_alloc(memory, count, sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    statistics_sort(sorted, count);
    if (count <= STATISTICS_MAX)
        interval = statistics_median_interval(sorted, count);
    summary.median = statistics_median_sorted(sorted, count);
    summary.interval = interval.coverage > 0;
    summary.low = summary.interval ? interval.low : sorted[0];
    summary.high = summary.interval ? interval.high : sorted[count - 1];
    return summary;
}

double latency_figure(const struct record_histogram *histogram,
                      enum latency_figure figure)
{
    const double figures[LATENCY_FIGURES] = {
        [LATENCY_P50] = histogram->p50_ns,
        [LATENCY_P95] = histogram->p95_ns,
        [LATENCY_P99] = histogram->p99_ns,
        [LATENCY_P99_9] = histogram->p99_9_ns,
        [LATENCY_MEAN] = histogram->mean_ns,
        [LATENCY_MAX] = (double)histogram->max_ns,
    };

    return histogram->count > 0 ? figures[figure] : (double)NAN;
}
