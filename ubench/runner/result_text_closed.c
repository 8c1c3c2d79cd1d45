/* SPDX-License-Identifier: ISC */
/* Prints the table of a closed loop: a row for each phase or exchange. */
#include <inttypes.h>
#include <math.h>

#include "core/units.h"
#include "load/exchange/replay_result.h"
#include "runner/result.h"
#include "runner/text.h"

enum { NAME = -15, COUNT = 12, RATE = 14, LATENCY = 9 };

enum { RUNS_MAX = 100 }; /* of --repeat */

/* The runs that a row summarises. */
struct rows {
    const struct runner_config *config;
    const struct load_result *runs; /* names and counts are from the first */
    size_t complete;
    size_t shown; /* number of runs: the complete ones, or the one that was cut short */
    struct table table;
};

static void add_head(struct rows *rows)
{
    const struct runner_config *const config = rows->config;

    table_cell(&rows->table, "");
    table_cell(&rows->table, config->workload->exchanges ? "exchanges" : "operations");
    table_cell(&rows->table, "per second");
    for (size_t i = 0; config->load.latency && i < QUANTILES; i++) {
        if (quantiles[i].usual)
            table_cell(&rows->table, quantiles[i].name);
    }
    if (config->load.latency)
        table_cell(&rows->table, "max");
    table_end(&rows->table, NULL);
}

/* Returns the median over the runs, each with its threads merged; NAN if a run
   has none.  quantile NULL: the maximum. */
static double median_ns(const struct rows *rows, size_t i, bool commits,
                        const struct quantile *quantile)
{
    double values[RUNS_MAX];

    for (size_t run = 0; run < rows->shown; run++) {
        const struct phase_result *const phase = &rows->runs[run].phases[i];
        const struct histogram *const latency = commits ? &phase->commits : &phase->operations;

        if (latency->count == 0)
            return NAN;
        values[run] = quantile != NULL ? quantile_ns(latency, quantile) : (double)latency->max_ns;
        if (isnan(values[run]))
            return NAN;
    }
    return median(values, rows->shown);
}

/* Ends the row of phase i with its latencies, or with those of its commits. */
static void end_with_latency(struct rows *rows, size_t i, bool commits)
{
    const bool latency = rows->config->load.latency;

    for (size_t k = 0; latency && k < QUANTILES; k++) {
        if (quantiles[k].usual)
            table_time(&rows->table, median_ns(rows, i, commits, &quantiles[k]));
    }
    if (latency)
        table_time(&rows->table, median_ns(rows, i, commits, NULL));
    table_end(&rows->table, NULL);
}

/* Adds a row without figures. */
static void add_remark(struct rows *rows, const char *name, const char *remark, const char *note)
{
    table_cell(&rows->table, name);
    table_cell(&rows->table, remark);
    table_end(&rows->table, note);
}

/* Adds a row for a count that is part of no rate, unless it is 0. */
static void add_aside(struct rows *rows, const char *name, uint64_t count, const char *note)
{
    if (count > 0)
        add_remark(rows, name, units_count(UNITS_TEXT, count), note);
}

/* Adds the rows of a phase: its operations, its commits, and what was given
   up. */
static void add_phase(struct rows *rows, size_t i)
{
    const struct phase_result *const phase = &rows->runs->phases[i];
    double rates[RUNS_MAX];

    if (rows->complete == 0 && phase->done == 0) {
        add_remark(rows, phase->name, "not reached", NULL);
        return;
    }
    for (size_t run = 0; run < rows->shown; run++)
        rates[run] = phase_rate_per_s(&rows->runs[run].phases[i]);
    table_cell(&rows->table, phase->name);
    table_cell(&rows->table, units_count(UNITS_TEXT, phase->done));
    table_cell(&rows->table, units_figure(UNITS_TEXT, headline(rates, rows->shown)));
    end_with_latency(rows, i, false);
    if (rows->complete == 0 && !phase->complete)
        add_remark(rows, "", "incomplete", NULL);
    if (phase->commits.count > 0) {
        table_cell(&rows->table, "  commit");
        table_cell(&rows->table, units_count(UNITS_TEXT, phase->commits.count));
        table_cell(&rows->table, "");
        end_with_latency(rows, i, true);
    }
    add_aside(rows, "  round trips", phase->round_trips, "several store operations in each");
    if (phase->steps != NULL && rows->config->load.batch == 1)
        add_aside(rows, "  given up", phase->deadlocks, "deadlocks: not done, not counted");
    else
        add_aside(rows, "  repeated", phase->deadlocks, "batches, after deadlocks");
    add_aside(rows, "  conflicts", phase->conflicts,
              "another node's change came first: not done, not counted");
    add_aside(rows, "  stale", phase->stale, "the node lagged behind another: read again");
    if (rows->config->load.pool.allocator != ALLOCATOR_NONE)
        add_aside(rows, "  refused", phase->misses, "no address was free");
    add_aside(rows, "  offered twice", phase->allocation.offered_twice,
              "addresses on offer to two clients at a time");
    add_aside(rows, "  lost races", phase->allocation.lost,
              "another client took the offered address: asked again");
}

static void add_total(struct rows *rows, const char *name,
                      uint64_t (*operations)(const struct load_result *run), const char *note)
{
    double rates[RUNS_MAX];

    for (size_t i = 0; i < rows->shown; i++) {
        const struct load_result *const run = &rows->runs[i];

        rates[i] = run_rate_per_s(rows->config, run, operations(run));
    }
    table_cell(&rows->table, name);
    table_cell(&rows->table, units_count(UNITS_TEXT, operations(rows->runs)));
    table_cell(&rows->table, units_figure(UNITS_TEXT, headline(rates, rows->shown)));
    table_end(&rows->table, note);
}

/* Adds the sum of all phases, where that is meaningful. */
static void add_overall(struct rows *rows)
{
    const bool exchanges = rows->config->workload->exchanges;

    if (exchanges && !rows->runs->together)
        return;
    if (rows->complete == 0) {
        add_remark(rows, "overall", "n/a", "the run is incomplete");
        return;
    }
    add_total(rows, "overall", run_operations,
              exchanges ? "all exchanges / all time" : "all operations / all time");
    if (exchanges)
        add_total(rows, "operations", run_store_operations, "store operations in these exchanges");
}

/* Adds how late the changes of a trace began, if they had a scheduled time. */
static void add_lateness(struct rows *rows)
{
    const struct replay_result *const replay = rows->runs->replay;

    if (replay == NULL || replay->late.count == 0)
        return;
    table_cell(&rows->table, "lateness");
    table_cell(&rows->table, units_count(UNITS_TEXT, replay->late.count));
    table_cell(&rows->table, "");
    for (size_t k = 0; k < QUANTILES; k++) {
        if (quantiles[k].usual)
            table_time(&rows->table, quantile_ns(&replay->late, &quantiles[k]));
    }
    table_time(&rows->table, (double)replay->late.max_ns);
    table_end(&rows->table, rows->shown > 1 ? "of the first run" : NULL);
}

void text_print_closed(const struct result *result, FILE *out)
{
    const uint64_t repeat = result->config->repeat;
    const size_t complete = result_complete_runs(result);
    struct rows rows = {
        .config = result->config,
        .runs = result->runs,
        .complete = complete,
        .shown = complete > 0 ? complete : 1,
        .table = { out, { NAME, COUNT, RATE, LATENCY, LATENCY, LATENCY, LATENCY }, 0 },
    };

    add_head(&rows);
    for (size_t i = 0; i < rows.runs->phase_count; i++)
        add_phase(&rows, i);
    add_overall(&rows);
    add_lateness(&rows);
    if (repeat == 1 || complete == 0)
        return;
    (void)fputc('\n', out);
    text_print(out, complete < repeat ? "incomplete" : "runs", "%zu of %" PRIu64 " runs%s",
               complete, repeat,
               complete < 3 ? ""
               : rows.config->load.latency
                   ? "; each rate is the mean without its highest and lowest run, and each time is "
                     "a median, so they need not add up"
                   : "; each rate is the mean without its highest and lowest run, so they need not "
                     "add up");
}
