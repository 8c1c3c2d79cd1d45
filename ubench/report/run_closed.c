/* SPDX-License-Identifier: ISC */
/* The tables of a closed loop. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/units.h"
#include "measure/statistics.h"
#include "report/run_text_parts.h"

/* What does not change from row to row. */
struct layout {
    const struct record *record;
    const struct record_run *first; /* has the names and the counts */
    size_t complete;
    size_t shown; /* runs: the complete ones, or the one that was cut short */
    bool exchanges;
    bool latency;   /* that of each operation was recorded */
    bool overall;   /* all phases together are a figure */
    int name_width; /* the names of exchanges are longer than those of phases */
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

/* Latency, in microseconds */

static const char *const columns[] = {
    [LATENCY_P50] = "p50",       [LATENCY_P95] = "p95",
    [LATENCY_P99] = "p99",       [LATENCY_P99_9] = "p99.9",
    [LATENCY_P99_99] = "p99.99", [LATENCY_MAX] = "max",
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

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
static double median_us(const struct layout *layout, size_t phase, size_t whose,
                        enum latency_figure figure)
{
    double values[RUNS_MAX];

    for (size_t i = 0; i < layout->shown; i++) {
        values[i] = latency_figure(
            latency_of(&layout->record->runs[i].phases[phase], whose), figure);
        if (isnan(values[i]))
            return NAN;
    }
    return statistics_median(values, layout->shown) / 1e3;
}

static void print_us(const struct layout *layout, int width, double us)
{
    (void)fprintf(layout->out, "%*.*f", width,
                  us < 10     ? 3
                  : us < 1000 ? 1
                              : 0,
                  us);
}

static void print_latency(const struct layout *layout, size_t phase,
                          size_t whose)
{
    for (int c = 0; c < COLUMNS; c++) {
        const double us =
            median_us(layout, phase, whose, (enum latency_figure)c);

        if (isnan(us))
            (void)fprintf(layout->out, "%10s", "n/a");
        else
            print_us(layout, 10, us);
    }
}

/* The least, the mean and the standard deviation, which bear on a cost and say
   little of a tail. */
static void print_moments(const struct layout *layout)
{
    const char *separator = "";

    for (size_t i = 0; i < layout->first->phase_count; i++) {
        if (layout->complete == 0 ||
            isnan(median_us(layout, i, OPERATIONS, LATENCY_MEAN)))
            continue;
        if (separator[0] == '\0')
            (void)fprintf(layout->out,
                          "%-*s  min/mean/sd [us]:", RUN_TEXT_LABEL, "latency");
        (void)fprintf(layout->out, "%s %s", separator,
                      layout->first->phases[i].name);
        for (int m = LATENCY_MIN; m <= LATENCY_SD; m++) {
            (void)fputc(m == LATENCY_MIN ? ' ' : '/', layout->out);
            print_us(layout, 0,
                     median_us(layout, i, OPERATIONS, (enum latency_figure)m));
        }
        separator = ",";
    }
    if (separator[0] != '\0')
        (void)fputc('\n', layout->out);
}

static void print_step(const struct layout *layout, size_t phase, size_t number)
{
    const struct record_step *const step =
        &layout->first->phases[phase].steps[number];
    char count[UNITS_TEXT_SIZE];

    (void)fprintf(layout->out, "  %-18s  %-17s %16s", step->name,
                  step->operation, units_count(count, step->count));
    print_latency(layout, phase, STEPS + number);
    (void)fputc('\n', layout->out);
    if (step->predicted > 0)
        (void)fprintf(layout->out, "  %-18s  %-17s %16s\n", "predicted",
                      step->operation,
                      units_count(count, (uint64_t)(step->predicted + 0.5)));
}

/* What each exchange asked of the store, in order. */
static void print_steps(const struct layout *layout)
{
    const char *unit = ", in microseconds";
    char count[UNITS_TEXT_SIZE];

    for (size_t i = 0; i < layout->first->phase_count; i++) {
        const struct record_phase *const phase = &layout->first->phases[i];

        if (phase->operations == 0)
            continue;
        (void)fprintf(layout->out, "\nsteps of %s%s\n", phase->name, unit);
        unit = "";
        for (size_t k = 0; k < phase->step_count; k++)
            print_step(layout, i, k);
        if (phase->deadlocks > 0 && phase->deadlocks != RECORD_UNKNOWN)
            (void)fprintf(layout->out, "  %-18s  %-17s %16s\n", "given up",
                          "deadlock", units_count(count, phase->deadlocks));
    }
}

/* Rows of times and rates */

static void print_header(const struct layout *layout)
{
    (void)fprintf(layout->out, "%-*s %13s  %12s  %15s", layout->name_width, "",
                  layout->exchanges ? "exchanges" : "operations", "time [s]",
                  layout->exchanges ? "rate [exch/s]" : "rate [oper/s]");
    for (int c = 0; layout->latency && c < COLUMNS; c++)
        (void)fprintf(layout->out, " %9s", columns[c]);
    (void)fprintf(layout->out, "%s\n", layout->latency ? "  [us]" : "");
}

static void print_row(const struct layout *layout, const char *name,
                      const char *operations, const struct figures *times,
                      const struct figures *rates)
{
    (void)fprintf(layout->out, "%-*s %13s  %12.6f  %15.2f", layout->name_width,
                  name, operations, headline(times), headline(rates));
}

/* With what begins and commits transactions in a row of its own. */
static void print_phase(const struct layout *layout, size_t i)
{
    const struct record_phase *const phase = &layout->first->phases[i];
    const struct figures times = figures_of_phase(layout, i, phase_time_s);
    const struct figures rates = figures_of_phase(layout, i, record_phase_rate);
    char count[UNITS_TEXT_SIZE];

    if (layout->complete == 0 && phase->operations == 0) {
        (void)fprintf(layout->out, "%-*s %13s\n", layout->name_width,
                      phase->name, "not reached");
        return;
    }
    print_row(layout, phase->name, units_count(count, phase->operations),
              &times, &rates);
    if (layout->latency)
        print_latency(layout, i, OPERATIONS);
    (void)fprintf(layout->out, "%s\n",
                  layout->complete == 0 && phase->incomplete ? "    incomplete"
                                                             : "");
    if (phase->commit.count == 0)
        return;
    (void)fprintf(layout->out, "  commit %13s  %12s  %15s",
                  units_count(count, phase->commit.count), "", "");
    print_latency(layout, i, COMMITS);
    (void)fputc('\n', layout->out);
}

static void print_total(const struct layout *layout, const char *name,
                        uint64_t operations, run_figure *time,
                        run_figure *per_s, const char *what)
{
    const struct figures times = figures_of_runs(layout, time);
    const struct figures rates = figures_of_runs(layout, per_s);
    char count[UNITS_TEXT_SIZE];

    print_row(layout, name,
              operations > 0 ? units_count(count, operations) : "", &times,
              &rates);
    (void)fprintf(layout->out, "    %s\n", what);
}

static void print_means(const struct layout *layout)
{
    const bool of_2012 = record_is_of_2012(layout->record);

    if (!layout->overall)
        return;
    if (layout->complete == 0) {
        (void)fprintf(layout->out, "%soverall: n/a, the run is incomplete\n",
                      of_2012 ? "average and " : "");
        return;
    }
    if (of_2012)
        print_total(layout, "average", 0, mean_time_s, record_run_mean_rate,
                    "as in the 2012 guide: mean of the four");
    print_total(layout, "overall", record_run_operations(layout->first), time_s,
                record_run_rate,
                layout->exchanges ? "all exchanges / all time"
                                  : "all operations / all time");
    if (layout->exchanges)
        print_total(layout, "operations", record_run_steps(layout->first),
                    time_s, step_rate,
                    "of the store, per second, in these exchanges");
}

/* Repeats: what the headline stands on. */

static void print_spread(const struct layout *layout, const char *name,
                         const struct figures *figures)
{
    const struct trimmed_mean mean =
        statistics_headline(figures->values, figures->count);
    const struct interval median =
        statistics_median_interval(figures->values, figures->count);

    (void)fprintf(layout->out, "%-*s %15.2f", layout->name_width, name,
                  mean.mean);
    if (mean.interval.coverage > 0)
        (void)fprintf(layout->out, " +- %13.2f",
                      (mean.interval.high - mean.interval.low) / 2);
    else
        (void)fprintf(layout->out, " +- %13s", "n/a");
    (void)fprintf(layout->out, "  %15.2f",
                  statistics_median(figures->values, figures->count));
    if (median.coverage > 0)
        (void)fprintf(layout->out, "  %.2f to %.2f (%.1f %%)\n", median.low,
                      median.high, 100 * median.coverage);
    else
        (void)fprintf(layout->out, "  n/a\n");
}

static void print_spreads(const struct layout *layout)
{
    const char *const unit = layout->exchanges ? "exch/s" : "oper/s";

    (void)fprintf(layout->out, "%-*s %6s [%s]    %13s  %6s [%s]  %s\n",
                  layout->name_width, "", "mean", unit, "95 % (Yuen)", "median",
                  unit, "its exact interval");
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

/* Each run in a row. */
static void print_runs(const struct layout *layout)
{
    const struct record_run *const runs = layout->record->runs;
    FILE *const out = layout->out;

    (void)fprintf(out, "\n%-*s", layout->name_width,
                  layout->exchanges ? "[exch/s]" : "[oper/s]");
    for (size_t i = 0; i < layout->first->phase_count; i++)
        (void)fprintf(out, " %15s", layout->first->phases[i].name);
    (void)fprintf(out, "%s\n", layout->overall ? "         overall" : "");
    for (size_t k = 0; k < layout->complete; k++) {
        (void)fprintf(out, "run %-*zu", layout->name_width - 4, k + 1);
        for (size_t i = 0; i < layout->first->phase_count; i++)
            (void)fprintf(out, " %15.2f",
                          record_phase_rate(&runs[k].phases[i]));
        if (layout->overall)
            (void)fprintf(out, " %15.2f", record_run_rate(&runs[k]));
        (void)fputc('\n', out);
    }
}

static void print_repeats(const struct layout *layout, uint64_t repeat)
{
    (void)fprintf(layout->out, "\n%zu of %" PRIu64 " runs%s\n",
                  layout->complete, repeat,
                  layout->complete >= 3
                      ? "; each figure above is a mean of its own, without its "
                        "highest and lowest: they need not add up"
                      : "");
    print_spreads(layout);
    print_runs(layout);
}

void run_closed_print(const struct record *record, FILE *out)
{
    const uint64_t repeat = record_parameter_count(record, "repeat", 1);
    const bool exchanges = record_is_of_exchanges(record);
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
        .name_width = exchanges ? 11 : 8,
        .out = out,
    };

    print_header(&layout);
    for (size_t i = 0; i < layout.first->phase_count; i++)
        print_phase(&layout, i);
    print_means(&layout);
    if (exchanges && layout.latency)
        print_steps(&layout);
    if (repeat > 1 && layout.complete > 0)
        print_repeats(&layout, repeat);
    if (layout.complete > 0 && layout.complete < repeat)
        (void)fprintf(out, "incomplete: %zu of %" PRIu64 " runs\n",
                      layout.complete, repeat);
    (void)fputc('\n', out);
    print_moments(&layout);
}
