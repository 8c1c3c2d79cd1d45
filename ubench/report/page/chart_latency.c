/* SPDX-License-Identifier: ISC */
/* Latency by percentile: x = log 1/(1-q), so that each step to the right is a
   tenth of the operations, the slowest. */
#include "report/page/chart_latency.h"

#include <math.h>
#include <string.h>

#include "measure/statistics.h"

enum {
    STEPS = CURVE_POINTS,
    STEPS_EACH = CURVE_POINTS_EACH,
    RUNS_MAX = 25, /* of a setup; the newest */
    BEYOND = 10    /* operations that must lie beyond a quantile */
};

struct curve {
    const struct setup *setup;
    size_t count;
    struct chart_point points[STEPS];
};

static double quantile_at(size_t step)
{
    return 1 - pow(10, -(double)step / STEPS_EACH);
}

size_t curve_read(const struct record_histogram *from,
                  struct histogram *histogram, double values[static STEPS])
{
    size_t count = 0;

    histogram_init(histogram);
    if (record_histogram_restore(from, histogram) < 0 || histogram->count == 0)
        return 0;
    for (; count < STEPS; count++) {
        const double q = quantile_at(count);

        if ((double)histogram->count * (1 - q) < BEYOND)
            break;
        values[count] = histogram_quantile(histogram, q);
    }
    return count;
}

/* The runs' medians, as far as all of them reach.  Quantiles of a run are taken
   first and never from several runs together. */
static void add_runs(struct curve *curve, size_t runs,
                     double values[RUNS_MAX][STEPS])
{
    for (size_t i = 0; i < curve->count; i++) {
        double at[RUNS_MAX];

        for (size_t k = 0; k < runs; k++)
            at[k] = values[k][i];
        curve->points[i] =
            (struct chart_point){ .x = (double)i / STEPS_EACH,
                                  .y = statistics_median(at, runs) };
    }
}

static struct curve make_curve(const struct setup *setup, const char *name,
                               struct histogram *histogram)
{
    struct curve curve = { .setup = setup, .count = STEPS };
    double values[RUNS_MAX][STEPS];
    size_t runs = 0;

    for (size_t i = setup->record_count; i-- > 0 && runs < RUNS_MAX;) {
        const struct record *const record = setup->records[i];

        for (size_t k = record->run_count; k-- > 0 && runs < RUNS_MAX;) {
            const struct record_phase *const phase =
                record_run_phase(&record->runs[k], name);

            if (record->runs[k].incomplete || phase == NULL)
                continue;
            const size_t known =
                curve_read(&phase->latency, histogram, values[runs]);
            if (known == 0)
                continue;
            curve.count = known < curve.count ? known : curve.count;
            runs++;
        }
    }
    if (runs == 0)
        curve.count = 0;
    else
        add_runs(&curve, runs, values);
    return curve;
}

struct chart_axis curve_axis(double high)
{
    static const struct {
        double at;
        const char *text;
    } ticks[] = { { 0, "0" },        { 0.30103, "50 %%" }, { 1, "90 %%" },
                  { 2, "99 %%" },    { 3, "99.9 %%" },     { 4, "99.99 %%" },
                  { 5, "99.999 %%" } };
    struct chart_axis axis = { .low = 0, .high = high };

    for (size_t i = 0; i < sizeof ticks / sizeof ticks[0]; i++) {
        if (ticks[i].at <= high)
            chart_add_tick(&axis, ticks[i].at, ticks[i].text);
    }
    return axis;
}

static bool put_phase(struct page *page, const char *phase,
                      struct histogram *histogram, const char *before)
{
    struct curve *const curves =
        arena_alloc(page->memory, CHART_LINES, sizeof *curves);
    struct chart_line lines[CHART_LINES];
    double low = 0;
    double high = 0;
    double right = 1;
    size_t count = 0;
    char label[256];

    for (size_t i = 0; i < page->shown_count && count < CHART_LINES; i++) {
        struct curve *const curve = &curves[count];

        if (page->shown[i]->class == SETUP_NONE)
            continue;
        *curve = make_curve(page->shown[i], phase, histogram);
        if (curve->count < 2 || curve->points[0].y <= 0)
            continue;
        const struct chart_point *const last = &curve->points[curve->count - 1];
        low = low == 0 || curve->points[0].y < low ? curve->points[0].y : low;
        high = last->y > high ? last->y : high;
        right = last->x > right ? last->x : right;
        lines[count++] = (struct chart_line){ .setup = curve->setup,
                                              .marked = STEPS_EACH,
                                              .count = curve->count,
                                              .points = curve->points };
    }
    if (count == 0)
        return false;
    (void)fputs(before, page->html);
    const struct chart_axis x = curve_axis(right);
    const struct chart_axis y = chart_log_axis(low, high, chart_time_tick);
    chart_draw_lines(page->gnuplot, &x, &y, lines, count);
    (void)snprintf(label, sizeof label,
                   "Latency of %.60s by percentile, a line for each store and "
                   "class; median, p95 and p99 are in the folded tables",
                   phase);
    page_put_chart(page, phase, label);
    return true;
}

void page_put_latencies(struct page *page)
{
    const char *before =
        "<section><h2>Latency by percentile</h2>\n"
        "<p class=\"note\">The share of operations that were at least as fast; "
        "each step to the right leaves out nine tenths of those before it. "
        "Each point is the median over a setup’s runs (at most the newest 25); "
        "a line ends where fewer than ten operations of a run lie beyond it. "
        "Back to back, without pause between operations: the time of "
        "service, not what clients would wait.</p>\n"
        "<div class=\"charts\">\n";
    struct histogram *const histogram =
        arena_alloc(page->memory, 1, sizeof *histogram);
    const char *const heading = before;

    for (size_t i = 0; i < page->phase_count; i++) {
        if (put_phase(page, page->phases[i], histogram, before))
            before = "";
    }
    if (before != heading)
        (void)fputs("</div></section>\n", page->html);
}
