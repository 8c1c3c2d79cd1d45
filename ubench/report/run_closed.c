/* SPDX-License-Identifier: ISC */
/* The tables of a closed loop. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/units.h"
#include "measure/statistics.h"
#include "report/fold.h"
#include "report/run_text_parts.h"

/* Columns of the tables; a line has 77. */
enum { NAME = 15, COUNT = 12, RATE = 14, LATENCY = 9 };

/* What does not change from row to row. */
struct layout {
    const struct record *record;
    const struct record_run *first; /* has the names and the counts */
    size_t complete;
    size_t shown; /* runs: the complete ones, or the one that was cut short */
    bool exchanges;
    bool latency; /* that of each operation was recorded */
    bool overall; /* all phases together are a figure */
    FILE *out;
};

enum { RUNS_MAX = 100 }; /* more are left out */

/* One figure of each run that is shown. */
struct figures {
    size_t count;
    double values[RUNS_MAX];
};

typedef double phase_figure(const struct record_phase *phase);
typedef double run_figure(const struct record_run *run);

/* Figures */

static struct figures figures_of_phase(const struct layout *layout,
                                       size_t phase, phase_figure *figure)
{
    struct figures figures = { .count = layout->shown };

    for (size_t i = 0; i < figures.count; i++)
        figures.values[i] = figure(&layout->record->runs[i].phases[phase]);
    return figures;
}

static struct figures figures_of_runs(const struct layout *layout,
                                      run_figure *figure)
{
    struct figures figures = { .count = layout->shown };

    for (size_t i = 0; i < figures.count; i++)
        figures.values[i] = figure(&layout->record->runs[i]);
    return figures;
}

/* What stands for all of them. */
static double headline(const struct figures *figures)
{
    return statistics_headline(figures->values, figures->count).mean;
}

static double phase_time_s(const struct record_phase *phase)
{
    return (double)phase->elapsed_ns / 1e9;
}

static double time_s(const struct record_run *run)
{
    return (double)record_run_elapsed_ns(run) / 1e9;
}

static double mean_time_s(const struct record_run *run)
{
    return record_run_mean_time_ns(run) / 1e9;
}

static double step_rate(const struct record_run *run)
{
    const uint64_t elapsed_ns = record_run_elapsed_ns(run);

    return elapsed_ns > 0
               ? (double)record_run_steps(run) * 1e9 / (double)elapsed_ns
               : 0;
}

/* Latency */

static const char *const latency_names[] = {
    [LATENCY_P50] = "p50",       [LATENCY_P95] = "p95",
    [LATENCY_P99] = "p99",       [LATENCY_P99_9] = "p99.9",
    [LATENCY_P99_99] = "p99.99", [LATENCY_MAX] = "max",
    [LATENCY_MIN] = "min",       [LATENCY_MEAN] = "mean",
    [LATENCY_SD] = "sd",
};

/* The columns beside a rate, and those of the other table, each of which ends
   with LATENCY_FIGURES. */
static const enum latency_figure usual[] = { LATENCY_P50, LATENCY_P99,
                                             LATENCY_P99_9, LATENCY_MAX,
                                             LATENCY_FIGURES };
static const enum latency_figure others[] = { LATENCY_MIN,    LATENCY_MEAN,
                                              LATENCY_SD,     LATENCY_P95,
                                              LATENCY_P99_99, LATENCY_FIGURES };

/* Whose: a phase's, its commits', or that of a step, by its number. */
enum { OPERATIONS, COMMITS, STEPS };

static const struct record_histogram *
latency_of(const struct record_phase *phase, size_t whose)
{
    return whose == OPERATIONS ? &phase->latency
           : whose == COMMITS  ? &phase->commit
                               : &phase->steps[whose - STEPS].latency;
}

/* The median over the runs, of which each merges its threads; NAN if one has
   no such figure. */
static double median_ns(const struct layout *layout, size_t phase, size_t whose,
                        enum latency_figure figure)
{
    double values[RUNS_MAX];

    for (size_t i = 0; i < layout->shown; i++) {
        values[i] = latency_figure(
            latency_of(&layout->record->runs[i].phases[phase], whose), figure);
        if (isnan(values[i]))
            return NAN;
    }
    return statistics_median(values, layout->shown);
}

static void print_latency_names(const struct layout *layout,
                                const enum latency_figure *figure)
{
    for (; layout->latency && *figure != LATENCY_FIGURES; figure++)
        (void)fprintf(layout->out, "%*s", LATENCY, latency_names[*figure]);
    (void)fputc('\n', layout->out);
}

static void print_latency(const struct layout *layout, size_t phase,
                          size_t whose, const enum latency_figure *figure)
{
    for (; *figure != LATENCY_FIGURES; figure++) {
        const double ns = median_ns(layout, phase, whose, *figure);

        (void)fprintf(layout->out, "%*s", LATENCY,
                      isnan(ns) ? "n/a" : units_time(UNITS_TEXT, ns));
    }
    (void)fputc('\n', layout->out);
}

static bool has_commits(const struct layout *layout, size_t phase)
{
    return layout->first->phases[phase].commit.count > 0;
}

/* What bears on a cost or is far out in the tail. */
static void print_other_latency(const struct layout *layout)
{
    (void)fprintf(layout->out, "\n%-*s", NAME, "");
    print_latency_names(layout, others);
    for (size_t i = 0; i < layout->first->phase_count; i++) {
        (void)fprintf(layout->out, "%-*s", NAME, layout->first->phases[i].name);
        print_latency(layout, i, OPERATIONS, others);
        if (!has_commits(layout, i))
            continue;
        (void)fprintf(layout->out, "%-*s", NAME, "  commit");
        print_latency(layout, i, COMMITS, others);
    }
}

/* Steps of exchanges */

static void print_step(const struct layout *layout, size_t phase, size_t number)
{
    const struct record_step *const step =
        &layout->first->phases[phase].steps[number];
    char count[UNITS_TEXT_SIZE];

    (void)fprintf(layout->out, "%-19s%-18s%*s", step->name, step->operation,
                  COUNT - 6, units_count(count, step->count));
    print_latency(layout, phase, STEPS + number, usual);
    if (step->predicted > 0)
        (void)fprintf(layout->out, "%-19s%-18s%*s\n", "predicted",
                      step->operation, COUNT - 6,
                      units_count(count, (uint64_t)(step->predicted + 0.5)));
}

/* What each exchange asked of the store, in order. */
static void print_steps(const struct layout *layout)
{
    for (size_t i = 0; i < layout->first->phase_count; i++) {
        const struct record_phase *const phase = &layout->first->phases[i];
        char title[64];

        if (phase->operations == 0)
            continue;
        (void)snprintf(title, sizeof title, "steps of %s", phase->name);
        (void)fprintf(layout->out, "\n%-37s%*s", title, COUNT - 6, "");
        print_latency_names(layout, usual);
        for (size_t k = 0; k < phase->step_count; k++)
            print_step(layout, i, k);
    }
}

/* Rows of rates */

static void print_rate(const struct layout *layout, const char *name,
                       const char *operations, const struct figures *rates)
{
    (void)fprintf(layout->out, "%-*s%*s%*s", NAME, name, COUNT, operations,
                  RATE, units_figure(UNITS_TEXT, headline(rates)));
}

static void print_commits(const struct layout *layout, size_t phase)
{
    char count[UNITS_TEXT_SIZE];

    (void)fprintf(layout->out, "%-*s%*s%*s", NAME, "  commit", COUNT,
                  units_count(count, layout->first->phases[phase].commit.count),
                  RATE, "");
    print_latency(layout, phase, COMMITS, usual);
}

/* What is in no rate. */
static void print_aside(const struct layout *layout, const char *name,
                        uint64_t count, const char *what)
{
    if (count > 0 && count != RECORD_UNKNOWN)
        (void)fprintf(layout->out, "  %-*s%*s   %s\n", NAME - 2, name, COUNT,
                      units_count(UNITS_TEXT, count), what);
}

/* With what begins and commits transactions in a row of its own, and what was
   given up. */
static void print_phase(const struct layout *layout, size_t i)
{
    const struct record_phase *const phase = &layout->first->phases[i];
    const struct figures rates = figures_of_phase(layout, i, record_phase_rate);

    if (layout->complete == 0 && phase->operations == 0) {
        (void)fprintf(layout->out, "%-*s%*s\n", NAME, phase->name, COUNT,
                      "not reached");
        return;
    }
    print_rate(layout, phase->name, units_count(UNITS_TEXT, phase->operations),
               &rates);
    if (layout->latency)
        print_latency(layout, i, OPERATIONS, usual);
    else
        (void)fputc('\n', layout->out);
    if (layout->complete == 0 && phase->incomplete)
        (void)fprintf(layout->out, "%-*s%*s\n", NAME, "", COUNT, "incomplete");
    if (has_commits(layout, i))
        print_commits(layout, i);
    print_aside(layout, "given up", phase->deadlocks,
                "deadlocks: not done, not counted");
    print_aside(layout, "conflicts", phase->conflicts,
                "another came first: not done, not counted");
    print_aside(layout, "stale", phase->stale,
                "the node was behind another: asked again");
}

static void print_total(const struct layout *layout, const char *name,
                        uint64_t operations, run_figure *per_s,
                        const char *what)
{
    const struct figures rates = figures_of_runs(layout, per_s);

    print_rate(layout, name, units_count(UNITS_TEXT, operations), &rates);
    (void)fprintf(layout->out, "   %s\n", what);
}

static void print_overall(const struct layout *layout)
{
    if (!layout->overall)
        return;
    if (layout->complete == 0) {
        (void)fprintf(layout->out, "%-*s%*s   the run is incomplete\n", NAME,
                      "overall", COUNT, "n/a");
        return;
    }
    print_total(layout, "overall", record_run_operations(layout->first),
                record_run_rate,
                layout->exchanges ? "all exchanges / all time"
                                  : "all operations / all time");
    if (layout->exchanges)
        print_total(layout, "operations", record_run_steps(layout->first),
                    step_rate, "of the store, in these exchanges");
}

static void print_figures(const struct layout *layout)
{
    (void)fprintf(layout->out, "%-*s%*s%*s", NAME, "", COUNT,
                  layout->exchanges ? "exchanges" : "operations", RATE,
                  "per second");
    print_latency_names(layout, usual);
    for (size_t i = 0; i < layout->first->phase_count; i++)
        print_phase(layout, i);
    print_overall(layout);
}

/* The tables of the guide: seconds and rates, with its Average. */

static void print_times_row(const struct layout *layout, const char *name,
                            const struct figures *times,
                            const struct figures *rates, const char *what)
{
    (void)fprintf(layout->out, "%-*s%*.6f%17.2f%s\n", NAME, name, COUNT,
                  headline(times), headline(rates), what);
}

static void print_times_total(const struct layout *layout, const char *name,
                              run_figure *time, run_figure *per_s,
                              const char *what)
{
    const struct figures times = figures_of_runs(layout, time);
    const struct figures rates = figures_of_runs(layout, per_s);

    print_times_row(layout, name, &times, &rates, what);
}

static void print_times(const struct layout *layout)
{
    (void)fprintf(layout->out, "\n%-*s%*s%17s\n", NAME, "", COUNT, "time [s]",
                  layout->exchanges ? "rate [exch/s]" : "rate [oper/s]");
    for (size_t i = 0; i < layout->first->phase_count; i++) {
        const struct figures times = figures_of_phase(layout, i, phase_time_s);
        const struct figures rates =
            figures_of_phase(layout, i, record_phase_rate);

        print_times_row(layout, layout->first->phases[i].name, &times, &rates,
                        "");
    }
    if (!layout->overall || layout->complete == 0)
        return;
    if (record_is_of_2012(layout->record))
        print_times_total(layout, "average", mean_time_s, record_run_mean_rate,
                          "   the mean of the four");
    print_times_total(layout, "overall", time_s, record_run_rate, "");
    if (record_is_of_2012(layout->record))
        fold_print(layout->out, "",
                   "The guide of 2012 prints this average. Its fastest phase, "
                   "mostly search, decides it: compare by overall.");
}

/* Repeats: what the headline stands on. */

static void print_spread(const struct layout *layout, const char *name,
                         const struct figures *figures)
{
    const struct interval mean =
        statistics_headline(figures->values, figures->count).interval;
    const struct interval median =
        statistics_median_interval(figures->values, figures->count);

    (void)fprintf(layout->out, "%-*s%*s", NAME, name, COUNT,
                  units_figure(UNITS_TEXT, headline(figures)));
    (void)fprintf(layout->out, " +- %11s",
                  mean.coverage > 0
                      ? units_figure(UNITS_TEXT, (mean.high - mean.low) / 2)
                      : "n/a");
    (void)fprintf(layout->out, "%*s", COUNT,
                  units_figure(UNITS_TEXT, statistics_median(figures->values,
                                                             figures->count)));
    if (median.coverage > 0) {
        (void)fprintf(layout->out, "   %s to",
                      units_figure(UNITS_TEXT, median.low));
        (void)fprintf(layout->out, " %s\n",
                      units_figure(UNITS_TEXT, median.high));
    } else {
        (void)fprintf(layout->out, "   n/a\n");
    }
}

static void print_spreads(const struct layout *layout)
{
    const struct figures first = figures_of_phase(layout, 0, record_phase_rate);
    const struct interval median =
        statistics_median_interval(first.values, first.count);

    (void)fprintf(layout->out, "%-*s%*s +-        95 %%%*s   its interval",
                  NAME, "per second", COUNT, "mean", COUNT, "median");
    if (median.coverage > 0)
        (void)fprintf(layout->out, " (%.1f %%)", 100 * median.coverage);
    (void)fputc('\n', layout->out);
    for (size_t i = 0; i < layout->first->phase_count; i++) {
        const struct figures rates =
            figures_of_phase(layout, i, record_phase_rate);

        print_spread(layout, layout->first->phases[i].name, &rates);
    }
    if (layout->overall) {
        const struct figures rates = figures_of_runs(layout, record_run_rate);

        print_spread(layout, "overall", &rates);
    }
}

static void print_run_rate(double rate, FILE *out)
{
    (void)fprintf(out, "%*s", COUNT, units_figure(UNITS_TEXT, rate));
}

/* Each run in a row, some phases at a time. */
static void print_runs(const struct layout *layout)
{
    enum { AT_A_TIME = 4 };
    const struct record_run *const runs = layout->record->runs;
    const size_t count = layout->first->phase_count;
    FILE *const out = layout->out;

    for (size_t begin = 0; begin < count; begin += AT_A_TIME) {
        const size_t end =
            begin + AT_A_TIME < count ? begin + AT_A_TIME : count;
        const bool overall = layout->overall && end == count;

        (void)fprintf(out, "%-*s", NAME, "per second");
        for (size_t i = begin; i < end; i++)
            (void)fprintf(out, "%*s", COUNT, layout->first->phases[i].name);
        (void)fprintf(out, "%*s\n", overall ? COUNT : 0,
                      overall ? "overall" : "");
        for (size_t k = 0; k < layout->complete; k++) {
            (void)fprintf(out, "run %-*zu", NAME - 4, k + 1);
            for (size_t i = begin; i < end; i++)
                print_run_rate(record_phase_rate(&runs[k].phases[i]), out);
            if (overall)
                print_run_rate(record_run_rate(&runs[k]), out);
            (void)fputc('\n', out);
        }
    }
}

/* Of few runs each stands for itself. */
static void print_repeats(const struct layout *layout, uint64_t repeat,
                          bool full)
{
    enum { FEW = 4 };
    const size_t complete = layout->complete;

    (void)fputc('\n', layout->out);
    fold_print(layout->out, complete < repeat ? "incomplete" : "runs",
               "%zu of %" PRIu64 " runs%s", complete, repeat,
               complete >= 3 ? "; each figure above is a mean of its own, "
                               "without its highest and lowest run: they need "
                               "not add up"
                             : "");
    if (complete >= FEW)
        print_spreads(layout);
    if (full || complete < FEW)
        print_runs(layout);
}

void run_closed_print(const struct record *record, enum run_text_detail detail,
                      FILE *out)
{
    const uint64_t repeat = record_parameter_count(record, "repeat", 1);
    const bool exchanges = record_is_of_exchanges(record);
    const bool full = detail == RUN_TEXT_FULL;
    const size_t complete = record_complete_runs(record);
    const struct layout layout = {
        .record = record,
        .first = &record->runs[0],
        .complete = complete,
        .shown = complete == 0         ? 1
                 : complete < RUNS_MAX ? complete
                                       : RUNS_MAX,
        .exchanges = exchanges,
        .latency = strcmp(record_parameter(record, "latency"), "on") == 0,
        .overall = !exchanges || record->runs[0].together,
        .out = out,
    };

    print_figures(&layout);
    if (full)
        print_times(&layout);
    if (full && layout.latency)
        print_other_latency(&layout);
    if (full && layout.latency && exchanges)
        print_steps(&layout);
    if (repeat > 1 && complete > 0)
        print_repeats(&layout, repeat, full);
}
