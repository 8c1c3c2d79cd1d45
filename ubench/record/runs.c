/* SPDX-License-Identifier: ISC */
#include "record/runs.h"

#include "measure/statistics.h"

static size_t count_runs(const struct configuration *configuration)
{
    size_t count = 0;

    for (size_t i = 0; i < configuration->record_count; i++)
        count += configuration->records[i]->run_count;
    return count;
}

struct runs runs_collect(struct arena *memory,
                         const struct configuration *configuration)
{
    const struct record_run **const items =
        arena_alloc(memory, count_runs(configuration), sizeof *items);
    struct runs runs = { .items = items };

    for (size_t i = 0; i < configuration->record_count; i++) {
        const struct record *const record = configuration->records[i];

        for (size_t k = 0; k < record->run_count; k++) {
            const struct record_run *const run = &record->runs[k];

            /* The shape is that of a record's first run. */
            if (run->incomplete ||
                run->phase_count != record->runs[0].phase_count)
                runs.incomplete++;
            else
                items[runs.count++] = run;
        }
    }
    return runs;
}

static double *values_of(struct arena *memory, const struct runs *runs,
                         runs_figure *figure, const void *context)
{
    double *const values = arena_alloc(memory, runs->count, sizeof *values);

    for (size_t i = 0; i < runs->count; i++)
        values[i] = figure(runs->items[i], context);
    return values;
}

struct interval runs_interval(struct arena *memory, const struct runs *runs,
                              runs_figure *figure, const void *context)
{
    if (runs->count == 0 || runs->count > STATISTICS_MAX)
        return (struct interval){ 0 };
    return statistics_median_interval(values_of(memory, runs, figure, context),
                                      runs->count);
}

double runs_median(struct arena *memory, const struct runs *runs,
                   runs_figure *figure, const void *context)
{
    double *const values = values_of(memory, runs, figure, context);

    statistics_sort(values, runs->count);
    return statistics_median_sorted(values, runs->count);
}
