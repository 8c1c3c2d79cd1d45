/* SPDX-License-Identifier: ISC */
#include "report/tables.h"

#include "core/clock.h"
#include "core/units.h"
#include "measure/statistics.h"
#include "report/figures.h"
#include "report/open_tables.h"
#include "report/tables_parts.h"

/* Latency, in microseconds */

static const struct {
    const char *name;
    double quantile; /* above 1: the maximum */
} columns[] = { { "p50", 0.5 },     { "p95", 0.95 },      { "p99", 0.99 },
                { "p99.9", 0.999 }, { "p99.99", 0.9999 }, { "max", 2 } };

enum { COLUMNS = sizeof columns / sizeof columns[0] };

static void print_us(double ns, FILE *out)
{
    const double us = ns / (double)NS_PER_US;

    (void)fprintf(out, " %9.*f", us < 10 ? 3 : us < 1000 ? 1 : 0, us);
}

/* The median over the runs, of which each merges its threads. */
static void print_quantiles(const struct histogram *const *histograms,
                            size_t runs, FILE *out)
{
    for (size_t c = 0; c < COLUMNS; c++) {
        const double q = columns[c].quantile;
        double values[FIGURES_MAX];
        bool known = true;

        for (size_t i = 0; i < runs; i++) {
            const struct histogram *const h = histograms[i];

            known = known && h->count > 0 &&
                    (q > 1 || histogram_quantile_known(h, q));
            values[i] = q > 1 ? (double)h->max_ns : histogram_quantile(h, q);
        }
        if (known)
            print_us(statistics_median(values, runs), out);
        else
            (void)fprintf(out, " %9s", "n/a");
    }
}

/* The complete runs, or the one that was cut short. */
static size_t runs_shown(const struct result *result)
{
    const size_t complete = result_complete_runs(result);

    return complete > 0 ? complete : result->run_count;
}

static void print_latency(const struct result *result, size_t phase,
                          bool commits, FILE *out)
{
    const struct histogram *histograms[FIGURES_MAX];
    const size_t runs = runs_shown(result);

    for (size_t i = 0; i < runs; i++) {
        const struct phase_result *const p = &result->runs[i].phases[phase];

        histograms[i] = commits ? &p->commits : &p->operations;
    }
    print_quantiles(histograms, runs, out);
}

static void print_step(const struct result *result, size_t phase, size_t step,
                       FILE *out)
{
    const struct step_result *const first =
        &result->runs[0].phases[phase].steps[step];
    const struct histogram *histograms[FIGURES_MAX];
    const size_t runs = runs_shown(result);
    char count[UNITS_TEXT_SIZE];

    for (size_t i = 0; i < runs; i++)
        histograms[i] = &result->runs[i].phases[phase].steps[step].latency;
    (void)fprintf(out, "  %-18s  %-17s %16s", first->name, first->operation,
                  units_count(count, first->hits + first->misses));
    print_quantiles(histograms, runs, out);
    (void)fputc('\n', out);
    if (first->predicted > 0)
        (void)fprintf(out, "  %-18s  %-17s %16s\n", "predicted",
                      first->operation,
                      units_count(count, (uint64_t)(first->predicted + 0.5)));
}

/* What each exchange asked of the store, in order. */
static void print_steps(const struct result *result, FILE *out)
{
    const struct load_result *const run = &result->runs[0];
    const char *unit = ", in microseconds";
    char count[UNITS_TEXT_SIZE];

    for (size_t i = 0; i < run->phase_count; i++) {
        const struct phase_result *const phase = &run->phases[i];

        if (phase->done == 0)
            continue;
        (void)fprintf(out, "\nsteps of %s%s\n", phase->name, unit);
        unit = "";
        for (size_t k = 0; k < phase->step_count; k++)
            print_step(result, i, k, out);
        if (phase->deadlocks > 0)
            (void)fprintf(out, "  %-18s  %-17s %16s\n", "given up", "deadlock",
                          units_count(count, phase->deadlocks));
    }
}

/* The names of exchanges are longer than those of phases. */
static int name_width(const struct result *result)
{
    return result->exchanges ? 11 : 8;
}

static void print_row(const struct result *result, const char *name,
                      const char *operations, double time_s, double per_s,
                      FILE *out)
{
    (void)fprintf(out, "%-*s %13s  %12.6f  %15.2f", name_width(result), name,
                  operations, time_s, per_s);
}

static void print_header(const struct result *result, FILE *out)
{
    const bool exchanges = result->exchanges;

    (void)fprintf(out, "%-*s %13s  %12s  %15s", name_width(result), "",
                  exchanges ? "exchanges" : "operations", "time [s]",
                  exchanges ? "rate [exch/s]" : "rate [oper/s]");
    for (size_t c = 0; result->config.latency && c < COLUMNS; c++)
        (void)fprintf(out, " %9s", columns[c].name);
    (void)fprintf(out, "%s\n", result->config.latency ? "  [us]" : "");
}

/* What begins and commits transactions, in a row of its own. */
static void print_commits(const struct result *result, size_t phase, FILE *out)
{
    const struct histogram *const commits =
        &result->runs[0].phases[phase].commits;
    char count[UNITS_TEXT_SIZE];

    if (commits->count == 0)
        return;
    (void)fprintf(out, "  commit %13s  %12s  %15s",
                  units_count(count, commits->count), "", "");
    print_latency(result, phase, true, out);
    (void)fputc('\n', out);
}

/* The last run, if it was cut short and none is complete. */
static void print_cut_short(const struct result *result, FILE *out)
{
    for (size_t i = 0; i < result->runs[0].phase_count; i++) {
        const struct phase_result *const phase = &result->runs[0].phases[i];
        char operations[UNITS_TEXT_SIZE];

        if (phase->done == 0) {
            (void)fprintf(out, "%-*s %13s\n", name_width(result), phase->name,
                          "not reached");
            continue;
        }
        print_row(result, phase->name, units_count(operations, phase->done),
                  phase_time_s(phase), phase_rate(phase), out);
        if (result->config.latency)
            print_latency(result, i, false, out);
        (void)fprintf(out, "%s\n",
                      phase->done + phase->deadlocks < phase->planned
                          ? "    incomplete"
                          : "");
        print_commits(result, i, out);
    }
    if (figures_have_overall(result))
        (void)fprintf(out, "%soverall: n/a, the run is incomplete\n",
                      figures_of_2012(result) ? "average and " : "");
}

static void print_phases(const struct result *result, FILE *out)
{
    for (size_t i = 0; i < result->runs[0].phase_count; i++) {
        const struct phase_result *const phase = &result->runs[0].phases[i];
        const struct figures times = figures_of_phase(result, i, phase_time_s);
        const struct figures rates = figures_of_phase(result, i, phase_rate);
        char operations[UNITS_TEXT_SIZE];

        print_row(result, phase->name, units_count(operations, phase->done),
                  figures_headline(&times), figures_headline(&rates), out);
        if (result->config.latency)
            print_latency(result, i, false, out);
        (void)fputc('\n', out);
        print_commits(result, i, out);
    }
}

static void print_total(const struct result *result, const char *name,
                        uint64_t operations, run_figure *time,
                        run_figure *per_s, const char *what, FILE *out)
{
    const struct figures times = figures_of_runs(result, time);
    const struct figures rates = figures_of_runs(result, per_s);
    char text[UNITS_TEXT_SIZE];

    print_row(result, name, operations > 0 ? units_count(text, operations) : "",
              figures_headline(&times), figures_headline(&rates), out);
    (void)fprintf(out, "    %s\n", what);
}

static void print_means(const struct result *result, FILE *out)
{
    const struct load_result *const run = &result->runs[0];

    if (!figures_have_overall(result))
        return;
    if (figures_of_2012(result))
        print_total(result, "average", 0, run_mean_time_s, run_mean_rate,
                    "as in the 2012 guide: mean of the four", out);
    print_total(result, "overall", run_done(run), run_time_s, run_rate,
                result->exchanges ? "all exchanges / all time"
                                  : "all operations / all time",
                out);
    if (result->exchanges)
        print_total(result, "operations", run_steps_done(run), run_time_s,
                    run_step_rate,
                    "of the store, per second, in these exchanges", out);
}

/* Repeats: what the headline stands on. */

static void print_spread(const struct result *result, const char *name,
                         const struct figures *figures, FILE *out)
{
    const struct trimmed_mean mean =
        statistics_headline(figures->values, figures->count);
    const struct interval median =
        statistics_median_interval(figures->values, figures->count);

    (void)fprintf(out, "%-*s %15.2f", name_width(result), name, mean.mean);
    if (mean.interval.coverage > 0)
        (void)fprintf(out, " +- %13.2f",
                      (mean.interval.high - mean.interval.low) / 2);
    else
        (void)fprintf(out, " +- %13s", "n/a");
    (void)fprintf(out, "  %15.2f",
                  statistics_median(figures->values, figures->count));
    if (median.coverage > 0)
        (void)fprintf(out, "  %.2f to %.2f (%.1f %%)", median.low, median.high,
                      100 * median.coverage);
    else
        (void)fprintf(out, "  n/a");
    (void)fputc('\n', out);
}

static void print_run(const struct result *result, size_t run, FILE *out)
{
    const struct figures overall = figures_of_runs(result, run_rate);

    (void)fprintf(out, "run %-*zu", name_width(result) - 4, run + 1);
    for (size_t i = 0; i < result->runs[0].phase_count; i++)
        (void)fprintf(out, " %15.2f", phase_rate(&result->runs[run].phases[i]));
    if (figures_have_overall(result))
        (void)fprintf(out, " %15.2f", overall.values[run]);
    (void)fputc('\n', out);
}

static void print_repeats(const struct result *result, FILE *out)
{
    const size_t runs = result_complete_runs(result);

    const bool exchanges = result->exchanges;

    (void)fprintf(
        out, "\n%zu of %zu runs%s\n%-*s %15s    %13s  %15s  %s\n", runs,
        result->repeat,
        runs >= 3 ? "; each figure above is a mean of its own, without its "
                    "highest and lowest: they need not add up"
                  : "",
        name_width(result), "", exchanges ? "mean [exch/s]" : "mean [oper/s]",
        "95 % (Yuen)", exchanges ? "median [exch/s]" : "median [oper/s]",
        "its exact interval");
    for (size_t i = 0; i < result->runs[0].phase_count; i++) {
        const struct figures rates = figures_of_phase(result, i, phase_rate);

        print_spread(result, result->runs[0].phases[i].name, &rates, out);
    }
    const struct figures overall = figures_of_runs(result, run_rate);
    if (figures_have_overall(result))
        print_spread(result, "overall", &overall, out);
    (void)fprintf(out, "\n%-*s", name_width(result),
                  exchanges ? "[exch/s]" : "[oper/s]");
    for (size_t i = 0; i < result->runs[0].phase_count; i++)
        (void)fprintf(out, " %15s", result->runs[0].phases[i].name);
    (void)fprintf(out, "%s\n",
                  figures_have_overall(result) ? "         overall" : "");
    for (size_t i = 0; i < runs; i++)
        print_run(result, i, out);
}

/* An open loop has tables of its own. */
static void print_open(const struct result *result, FILE *out)
{
    for (size_t i = 0; i < result->run_count; i++) {
        if (result->repeat > 1)
            (void)fprintf(out, "run %zu of %zu\n", i + 1, result->repeat);
        open_tables_print(&result->config.open, result->runs[i].open, out);
    }
    if (result_complete_runs(result) < result->repeat)
        (void)fprintf(out, "%-*s  %zu of %zu runs are complete\n", TABLES_LABEL,
                      "incomplete", result_complete_runs(result),
                      result->repeat);
}

static void print_closed(const struct result *result, FILE *out)
{
    const size_t complete = result_complete_runs(result);

    print_header(result, out);
    if (complete == 0) {
        print_cut_short(result, out);
    } else {
        print_phases(result, out);
        print_means(result, out);
    }
    if (result->exchanges && result->config.latency)
        print_steps(result, out);
    if (result->repeat > 1 && complete > 0)
        print_repeats(result, out);
    if (complete > 0 && complete < result->repeat)
        (void)fprintf(out, "incomplete: %zu of %zu runs\n", complete,
                      result->repeat);
    (void)fputc('\n', out);
}

void tables_print_figures(const struct result *result, FILE *out)
{
    if (result->config.open.kind != OPEN_NONE)
        print_open(result, out);
    else
        print_closed(result, out);
    tables_print_remarks(result, out);
}
