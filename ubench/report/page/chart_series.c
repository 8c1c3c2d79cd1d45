/* SPDX-License-Identifier: ISC */
/* One run of a group second by second: operations, and below them the p99. */
#include "report/page/chart_series.h"

#include <string.h>

#include "core/clock.h"

enum { HEIGHT = 300, LEFT = 52, RIGHT = 8, SECONDS_MIN = 5, CHARTS_MAX = 8 };

struct second {
    bool first; /* of its phase */
    double at_s;
    double rate;
    double p99_ns;
};

/* A run's whole seconds, and the part of a last one if it is no mere rest. */
struct time_series {
    const struct group *group;
    const struct record_run *run;
    size_t count;
    struct second *seconds;
    double end_s;
    struct chart_range rates, p99s;
    size_t stalls; /* seconds without an operation */
};

static double seconds_of(uint64_t ns)
{
    return (double)ns / (double)NS_PER_S;
}

static size_t count_seconds(const struct record_run *run)
{
    size_t count = 0;

    for (size_t i = 0; i < run->phase_count; i++)
        count += run->phases[i].second_count;
    return count;
}

static void add_phase(struct time_series *series,
                      const struct record_phase *phase)
{
    if (phase->begun_ns == RECORD_UNKNOWN)
        return;
    const double begun_s = seconds_of(phase->begun_ns);

    for (size_t i = 0; i < phase->second_count; i++) {
        const double rest = seconds_of(phase->elapsed_ns) - (double)i;
        const double width = rest < 1 ? rest : 1;

        if (width < 0.2)
            continue;
        const struct second second = {
            .first = i == 0,
            .at_s = begun_s + (double)i + width / 2,
            .rate = (double)phase->series[i].operations / width,
            .p99_ns = phase->series[i].p99_ns,
        };
        series->stalls += second.rate <= 0;
        chart_range_add(&series->rates, second.rate);
        chart_range_add(&series->p99s, second.p99_ns);
        series->seconds[series->count++] = second;
    }
    series->end_s = begun_s + seconds_of(phase->elapsed_ns);
}

/* Exchanges that ran together as one phase: their sum, and the highest p99 of
   any of them. */
static struct record_phase merge_phases(struct arena *memory,
                                        const struct record_run *run)
{
    struct record_phase merged = run->phases[0];
    size_t count = 0;

    for (size_t i = 0; i < run->phase_count; i++) {
        if (run->phases[i].second_count > count)
            count = run->phases[i].second_count;
    }
    struct record_second *const series =
        arena_alloc(memory, count, sizeof *series);
    for (size_t k = 0; k < count; k++) {
        series[k] = (struct record_second){ .operations = 0 };
        for (size_t i = 0; i < run->phase_count; i++) {
            const struct record_phase *const phase = &run->phases[i];

            if (k >= phase->second_count)
                continue;
            series[k].operations += phase->series[k].operations;
            if (phase->series[k].p99_ns > series[k].p99_ns)
                series[k].p99_ns = phase->series[k].p99_ns;
        }
    }
    merged.elapsed_ns = record_run_elapsed_ns(run);
    merged.series = series;
    merged.second_count = count;
    return merged;
}

static void add_run(struct arena *memory, struct time_series *series)
{
    const struct record_run *const run = series->run;

    series->seconds =
        arena_alloc(memory, count_seconds(run), sizeof *series->seconds);
    if (run->together) {
        const struct record_phase merged = merge_phases(memory, run);

        add_phase(series, &merged);
        return;
    }
    for (size_t i = 0; i < run->phase_count; i++)
        add_phase(series, &run->phases[i]);
}

/* The longest run of a store and class, as it has the most to show; without a
   run if there is none of SECONDS_MIN. */
static struct time_series find_series(const struct page *page,
                                      const struct group *of)
{
    struct time_series series = { .run = NULL };
    uint64_t least_ns = SECONDS_MIN * NS_PER_S;

    for (size_t i = 0; i < page->group_count; i++) {
        const struct group *const group = page->groups[i];

        if (group->class != of->class || strcmp(group->store, of->store) != 0)
            continue;
        for (size_t k = 0; k < group->run_count; k++) {
            const struct record_run *const run = group->runs[k].run;

            if (record_run_elapsed_ns(run) < least_ns)
                continue;
            least_ns = record_run_elapsed_ns(run);
            series.run = run;
            series.group = group;
        }
    }
    if (series.run != NULL)
        add_run(page->memory, &series);
    return series;
}

/* Shades every other phase and names those that are wide enough. */
static void put_bands(FILE *script, const struct time_series *series)
{
    for (size_t i = 0; !series->run->together && i < series->run->phase_count;
         i++) {
        const struct record_phase *const phase = &series->run->phases[i];

        if (phase->begun_ns == RECORD_UNKNOWN)
            continue;
        const double from = seconds_of(phase->begun_ns);
        const double to = from + seconds_of(phase->elapsed_ns);
        if (i % 2 == 0)
            (void)fprintf(script,
                          "set object rectangle from %.4f, graph 0 to %.4f, "
                          "graph 1 behind fc %s fs solid noborder\n",
                          from, to, gnuplot_ink(INK_BAND));
        if ((to - from) / series->end_s < 0.15)
            continue;
        (void)fputs("set label ", script);
        gnuplot_put_text(script, phase->name, 12);
        (void)fprintf(script, " at %.4f, graph 1.05 center tc %s\n",
                      (from + to) / 2, gnuplot_ink(INK_FAINT));
    }
}

/* Seconds without an operation stand at the foot, as triangles. */
static void put_data(FILE *script, const struct time_series *series,
                     const struct chart_axis *rates)
{
    (void)fputs("$series << EOD\n", script);
    for (size_t i = 0; i < series->count; i++) {
        const struct second *const second = &series->seconds[i];

        if (second->first)
            (void)fputc('\n', script); /* no line from phase to phase */
        if (second->rate > 0)
            (void)fprintf(script, "%.4f %.6g %.6g\n", second->at_s,
                          second->rate, second->p99_ns);
    }
    (void)fputs("EOD\n$stalls << EOD\n", script);
    for (size_t i = 0; i < series->count; i++) {
        if (series->seconds[i].rate <= 0)
            (void)fprintf(script, "%.4f %.6g\n", series->seconds[i].at_s,
                          rates->low * 1.1);
    }
    (void)fputs("EOD\n", script);
}

static void draw(struct gnuplot *gnuplot, const struct time_series *series)
{
    const struct chart_axis x =
        chart_linear_axis(series->end_s, chart_second_tick);
    struct chart_axis above = x;
    const struct chart_axis rates =
        chart_log_axis(series->rates.low, series->rates.high, chart_rate_tick);
    const struct chart_axis times =
        chart_log_axis(series->p99s.low, series->p99s.high, chart_time_tick);
    const char *const ink = chart_ink(series->group->class);
    FILE *const script = gnuplot_begin(gnuplot, CHART_WIDTH, HEIGHT);

    for (size_t i = 0; i < above.tick_count; i++)
        above.ticks[i].text[0] = '\0';
    put_data(script, series, &rates);
    (void)fputs("set multiplot\n", script);
    chart_set_axes(script, &above, &rates, CHART_WIDTH, LEFT, RIGHT);
    put_bands(script, series);
    (void)fprintf(script,
                  "set tmargin at screen 0.92\n"
                  "set bmargin at screen 0.47\n"
                  "set label 'per second' at graph 0.01, graph 0.06 tc %s\n"
                  "plot $series using 1:2 with linespoints lw 1.4 pt %d ps 0.3 "
                  "lc %s",
                  gnuplot_ink(INK_FAINT), chart_shape(series->group), ink);
    if (series->stalls > 0)
        (void)fprintf(script,
                      ", $stalls using 1:2 with points pt 9 ps 0.7 lc "
                      "%s",
                      gnuplot_ink(INK_TEXT));
    (void)fputs("\nunset label\nunset object\n", script);
    chart_set_axes(script, &x, &times, CHART_WIDTH, LEFT, RIGHT);
    (void)fprintf(script,
                  "set tmargin at screen 0.42\nset bmargin at screen 0.09\n"
                  "set label 'p99' at graph 0.01, graph 0.09 tc %s\n"
                  "plot $series using 1:3 with linespoints lw 1.4 pt %d ps 0.3 "
                  "lc %s\nunset multiplot\n",
                  gnuplot_ink(INK_FAINT), chart_shape(series->group), ink);
}

void chart_series(struct page *page)
{
    struct page_charts charts = {
        "<section><h2>Within a run</h2>\n"
        "<p class=\"note\">Second by second, the longest run of each "
        "store and class, if it took five or more. A triangle at the foot is a "
        "second in which not one operation ended. Exchanges that ran "
        "together are one line, with the highest p99 of any.</p>\n"
        "<div class=\"charts\">\n",
        0, 0
    };

    for (size_t i = 0; i < page->shown_count; i++) {
        const struct group *const shown = page->shown[i];

        if (!shown->is_default || shown->class == DURABILITY_NONE)
            continue;
        const struct time_series series = find_series(page, shown);
        if (series.rates.low <= 0 || series.p99s.low <= 0)
            continue;
        if (charts.drawn == CHARTS_MAX) {
            charts.left_out++;
            continue;
        }
        draw(page->gnuplot, &series);
        page_put_chart(page, &charts,
                       arena_print(page->memory, "%s, %s",
                                   page_name(page, series.group),
                                   group_class_name(series.group->class)),
                       "Operations in each second of one run on a logarithmic "
                       "axis, and below it the p99 of their latency");
    }
    page_end_charts(page, &charts, "run");
    if (charts.drawn > 0)
        (void)fputs("</section>\n", page->html);
}
