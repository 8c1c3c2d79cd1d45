/* SPDX-License-Identifier: ISC */
#include "report/figures.h"

#include <math.h>

#include "measure/statistics.h"

static size_t count_shown(const struct record *record)
{
    const size_t complete = record_complete_runs(record);

    return complete == 0 ? 1 : complete < FIGURES_MAX ? complete : FIGURES_MAX;
}

struct figures figures_of_phase(const struct record *record, size_t phase,
                                phase_figure *figure)
{
    struct figures figures = { .count = count_shown(record) };

    for (size_t i = 0; i < figures.count; i++)
        figures.values[i] = figure(&record->runs[i].phases[phase]);
    return figures;
}

struct figures figures_of_runs(const struct record *record, run_figure *figure)
{
    struct figures figures = { .count = count_shown(record) };

    for (size_t i = 0; i < figures.count; i++)
        figures.values[i] = figure(&record->runs[i]);
    return figures;
}

static double value_of(const struct record_histogram *of,
                       enum figures_quantity quantity)
{
    const double values[] = {
        [FIGURES_P50] = of->p50_ns,
        [FIGURES_P95] = of->p95_ns,
        [FIGURES_P99] = of->p99_ns,
        [FIGURES_P99_9] = of->p99_9_ns,
        [FIGURES_P99_99] = of->p99_99_ns,
        [FIGURES_MAXIMUM] = (double)of->max_ns,
        [FIGURES_MINIMUM] = (double)of->min_ns,
        [FIGURES_MEAN] = of->mean_ns,
        [FIGURES_SD] = of->sd_ns,
    };

    return of->count > 0 ? values[quantity] : NAN;
}

struct figures figures_of_latency(const struct record *record, size_t phase,
                                  size_t latency,
                                  enum figures_quantity quantity)
{
    struct figures figures = { .count = count_shown(record) };

    for (size_t i = 0; i < figures.count; i++) {
        const struct record_phase *const of = &record->runs[i].phases[phase];

        figures.values[i] =
            value_of(latency == FIGURES_OPERATIONS ? &of->latency
                     : latency == FIGURES_COMMITS
                         ? &of->commit
                         : &of->steps[latency - FIGURES_STEPS].latency,
                     quantity);
    }
    return figures;
}

double figures_headline(const struct figures *figures)
{
    return statistics_headline(figures->values, figures->count).mean;
}

double figures_median(const struct figures *figures)
{
    for (size_t i = 0; i < figures->count; i++) {
        if (isnan(figures->values[i]))
            return NAN;
    }
    return statistics_median(figures->values, figures->count);
}
