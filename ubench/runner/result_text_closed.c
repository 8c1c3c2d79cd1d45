/* SPDX-License-Identifier: ISC */
/* The table of a closed loop: a row for each phase or exchange. */
#include <inttypes.h>
#include <math.h>

#include "core/units.h"
#include "runner/result.h"
#include "runner/text.h"

enum { NAME = -15, COUNT = 12, RATE = 14, LATENCY = 9 };

/* More runs are left out of a row. */
enum { RUNS_MAX = 100 };

/* What does not change from row to row. */
struct rows {
    const struct result *result;
    const struct load_result *first; /* has the names and the counts */
    size_t complete;
    size_t shown; /* runs: the complete ones, or the one that was cut short */
    struct table table;
};

static const struct phase_result *phase_of(const struct rows *rows, size_t run,
                                           size_t phase)
{
    return &rows->result->runs[run].load.phases[phase];
}

static void add_head(struct rows *rows)
{
    const struct runner_config *const config = rows->result->config;

    table_cell(&rows->table, "%s", "");
    table_cell(&rows->table, "%s",
               config->workload->exchanges ? "exchanges" : "operations");
    table_cell(&rows->table, "per second");
    for (size_t i = 0; config->latency && i < QUANTILES; i++) {
        if (quantiles[i].usual)
            table_cell(&rows->table, "%s", quantiles[i].name);
    }
    if (config->latency)
        table_cell(&rows->table, "max");
    table_end(&rows->table, NULL);
}

/* The histogram of a phase, or that of its commits. */
static const struct histogram *latency_of(const struct phase_result *phase,
                                          bool commits)
{
    return commits ? &phase->commits : &phase->operations;
}

/* The median over the runs, of which each merges its threads; NAN if one has
   no such figure.  quantile NULL: the maximum. */
static double median_ns(const struct rows *rows, size_t phase, bool commits,
                        const struct quantile *quantile)
{
    double values[RUNS_MAX];

    for (size_t i = 0; i < rows->shown; i++) {
        const struct histogram *const latency =
            latency_of(phase_of(rows, i, phase), commits);

        if (latency->count == 0)
            return NAN;
        values[i] = quantile != NULL ? quantile_ns(latency, quantile)
                                     : (double)latency->max_ns;
        if (isnan(values[i]))
            return NAN;
    }
    return median(values, rows->shown);
}

static void add_latency(struct rows *rows, size_t phase, bool commits)
{
    if (!rows->result->config->latency)
        return;
    for (size_t i = 0; i < QUANTILES; i++) {
        if (quantiles[i].usual)
            table_time(&rows->table,
                       median_ns(rows, phase, commits, &quantiles[i]));
    }
    table_time(&rows->table, median_ns(rows, phase, commits, NULL));
}

static void begin_row(struct rows *rows, const char *name, uint64_t count)
{
    table_cell(&rows->table, "%s", name);
    table_cell(&rows->table, "%s", units_count(UNITS_TEXT, count));
}

/* What is in no rate. */
static void add_aside(struct rows *rows, const char *name, uint64_t count,
                      const char *what)
{
    if (count == 0)
        return;
    begin_row(rows, name, count);
    table_end(&rows->table, what);
}

static double phase_headline(const struct rows *rows, size_t phase)
{
    double rates[RUNS_MAX];

    for (size_t i = 0; i < rows->shown; i++)
        rates[i] = phase_rate_per_s(phase_of(rows, i, phase));
    return headline(rates, rows->shown);
}

/* With what begins and commits transactions in a row of its own, and what was
   given up. */
static void add_phase(struct rows *rows, size_t i)
{
    const struct phase_result *const phase = &rows->first->phases[i];

    table_cell(&rows->table, "%s", phase->name);
    if (rows->complete == 0 && phase->done == 0) {
        table_cell(&rows->table, "not reached");
        table_end(&rows->table, NULL);
        return;
    }
    table_cell(&rows->table, "%s", units_count(UNITS_TEXT, phase->done));
    table_cell(&rows->table, "%s",
               units_figure(UNITS_TEXT, phase_headline(rows, i)));
    add_latency(rows, i, false);
    table_end(&rows->table, NULL);
    if (rows->complete == 0 && phase_incomplete(phase)) {
        table_cell(&rows->table, "%s", "");
        table_cell(&rows->table, "incomplete");
        table_end(&rows->table, NULL);
    }
    if (phase->commits.count > 0) {
        begin_row(rows, "  commit", phase->commits.count);
        table_cell(&rows->table, "%s", "");
        add_latency(rows, i, true);
        table_end(&rows->table, NULL);
    }
    if (phase->steps != NULL)
        add_aside(rows, "  given up", phase->deadlocks,
                  "deadlocks: not done, not counted");
    add_aside(rows, "  conflicts", phase->conflicts,
              "another came first: not done, not counted");
    add_aside(rows, "  stale", phase->stale,
              "the node was behind another: asked again");
}

static void add_total(struct rows *rows, const char *name,
                      uint64_t (*operations)(const struct load_result *run),
                      const char *what)
{
    double rates[RUNS_MAX];

    for (size_t i = 0; i < rows->shown; i++) {
        const struct load_result *const run = &rows->result->runs[i].load;

        rates[i] = run_rate_per_s(rows->result->config, run, operations(run));
    }
    begin_row(rows, name, operations(rows->first));
    table_cell(&rows->table, "%s",
               units_figure(UNITS_TEXT, headline(rates, rows->shown)));
    table_end(&rows->table, what);
}

/* All phases together, where that is a figure. */
static void add_overall(struct rows *rows)
{
    const bool exchanges = rows->result->config->workload->exchanges;

    if (exchanges && !rows->first->together)
        return;
    if (rows->complete == 0) {
        table_cell(&rows->table, "overall");
        table_cell(&rows->table, "n/a");
        table_end(&rows->table, "the run is incomplete");
        return;
    }
    add_total(rows, "overall", run_operations,
              exchanges ? "all exchanges / all time"
                        : "all operations / all time");
    if (exchanges)
        add_total(rows, "operations", run_store_operations,
                  "of the store, in these exchanges");
}

void text_print_closed(const struct result *result, FILE *out)
{
    const uint64_t repeat = result->config->repeat;
    const size_t complete = result_complete_runs(result);
    struct rows rows = {
        .result = result,
        .first = &result->runs[0].load,
        .complete = complete,
        .shown = complete == 0         ? 1
                 : complete < RUNS_MAX ? complete
                                       : RUNS_MAX,
        .table = { out,
                   { NAME, COUNT, RATE, LATENCY, LATENCY, LATENCY, LATENCY },
                   0 },
    };

    add_head(&rows);
    for (size_t i = 0; i < rows.first->phase_count; i++)
        add_phase(&rows, i);
    add_overall(&rows);
    if (repeat == 1 || complete == 0)
        return;
    (void)fputc('\n', out);
    text_print(out, complete < repeat ? "incomplete" : "runs",
               "%zu of %" PRIu64 " runs%s", complete, repeat,
               complete >= 3 ? "; each figure above is a mean of its own, "
                               "without its highest and lowest run: they need "
                               "not add up"
                             : "");
}
