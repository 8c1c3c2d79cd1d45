/* SPDX-License-Identifier: ISC */
/* Latency by percentile: x = log 1/(1-q), so that each step to the right is a
   tenth of the operations, the slowest. */
#include "report/page/chart_latency.h"

#include <math.h>

#include "measure/statistics.h"

enum {
    STEPS = CURVE_POINTS,
    STEPS_EACH = CURVE_POINTS_EACH,
    RUNS_MAX = 25, /* of a group; the newest */
    BEYOND = 10    /* operations that must lie beyond a quantile */
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
static struct chart_line make_line(struct page *page, const struct group *group,
                                   const char *name,
                                   struct histogram *histogram)
{
    struct chart_line line = { .group = group, .marker_every = STEPS_EACH };
    double values[RUNS_MAX][STEPS];
    double at[RUNS_MAX];
    size_t count = STEPS;
    size_t runs = 0;

    for (size_t i = group->run_count; i-- > 0 && runs < RUNS_MAX;) {
        const struct record_phase *const phase =
            record_run_phase(group->runs[i].run, name);
        const size_t known =
            phase != NULL ? curve_read(&phase->latency, histogram, values[runs])
                          : 0;

        if (known == 0)
            continue;
        count = known < count ? known : count;
        runs++;
    }
    if (runs == 0)
        return line;
    line.points = arena_alloc(page->memory, count, sizeof *line.points);
    line.count = count;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < runs; k++)
            at[k] = values[k][i];
        line.points[i] =
            (struct chart_point){ .x = (double)i / STEPS_EACH,
                                  .y = statistics_median(at, runs) };
    }
    return line;
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

static void put_phase(struct page *page, const char *phase,
                      struct page_charts *charts)
{
    struct histogram *const histogram =
        arena_alloc(page->memory, 1, sizeof *histogram);
    struct chart_lines lines = { .count = 0 };

    for (size_t i = 0; i < page->shown_count; i++) {
        if (page->shown[i]->class == DURABILITY_NONE)
            continue;
        const struct chart_line line =
            make_line(page, page->shown[i], phase, histogram);
        chart_lines_add(&lines, &line);
    }
    if (lines.count == 0 || lines.y.low <= 0)
        return;
    const struct chart_axis x = curve_axis(fmax(1, lines.x.high));
    const struct chart_axis y =
        chart_log_axis(lines.y.low, lines.y.high, chart_time_tick);
    chart_draw_lines(page->gnuplot, &x, &y, &lines);
    page_put_chart(page, charts, phase,
                   arena_print(page->memory,
                               "Latency of %.60s by percentile, a line for "
                               "each store and class; median, p95 and p99 are "
                               "in the folded tables",
                               phase));
}

void chart_latencies(struct page *page)
{
    struct page_charts charts = {
        "<section><h2>Latency by percentile</h2>\n"
        "<p class=\"note\">The share of operations that were at least as fast; "
        "each step to the right leaves out nine tenths of those before it. "
        "Each point is the median over a configuration’s runs (at most the "
        "newest 25); "
        "a line ends where fewer than ten operations of a run lie beyond it. "
        "Back to back, without pause between operations: the time of "
        "service, not what clients would wait.</p>\n"
        "<div class=\"charts\">\n",
        0, 0
    };

    for (size_t i = 0; i < page->phase_count; i++)
        put_phase(page, page->phases[i], &charts);
    page_end_charts(page, &charts, "");
    if (charts.drawn > 0)
        (void)fputs("</section>\n", page->html);
}
