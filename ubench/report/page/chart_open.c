/* SPDX-License-Identifier: ISC */
/* What open loops took to answer: over the rate that was asked for, by
   percentile at some rates, and second by second.  Lines across the charts are
   the deadlines. */
#include "report/page/chart_open.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "report/page/chart_latency.h"

enum {
    CHARTS_MAX = 8,
    HEIGHT = 300, /* of answers second by second */
    LEFT = 52,
    RIGHT = 8,
    BARS_MAX = 200
};

static bool says_something(const struct record_trial *trial)
{
    return trial->rate_per_s > 0 && trial->response.count > 0 &&
           !trial->incomplete && trial->invalid[0] == '\0';
}

struct deadlines {
    size_t count;
    double ns[CHART_LIMITS];
};

static void add_deadline(struct deadlines *deadlines, uint64_t deadline_ns)
{
    const double at = (double)deadline_ns;

    for (size_t i = 0; i < deadlines->count; i++) {
        if (!islessgreater(deadlines->ns[i], at))
            return;
    }
    if (deadline_ns > 0 && deadlines->count < CHART_LIMITS)
        deadlines->ns[deadlines->count++] = at;
}

/* A deadline is within the chart, be it far above all responses: that is what
   there is to see. */
static struct chart_axis response_axis(struct chart_range times,
                                       const struct deadlines *deadlines)
{
    for (size_t i = 0; i < deadlines->count; i++)
        chart_range_add(&times, deadlines->ns[i]);
    struct chart_axis axis =
        chart_log_axis(times.low, times.high, chart_time_tick);
    for (size_t i = 0; i < deadlines->count; i++) {
        char time[CHART_TEXT];
        char text[CHART_TEXT + sizeof "deadline "];

        (void)snprintf(text, sizeof text, "deadline %s",
                       chart_time_tick(time, deadlines->ns[i]));
        chart_add_limit(&axis, deadlines->ns[i], text);
    }
    return axis;
}

static const char *workload_of(const struct group *group)
{
    return record_parameter(group_newest(group), "workload");
}

/* What a figure may hold together: the same exchanges, in the same class. */
static bool same_load(const struct group *a, const struct group *b)
{
    return a->section == b->section && strcmp(a->store, b->store) == 0 &&
           strcmp(workload_of(a), workload_of(b)) == 0;
}

/* The place behind the groups that may be held together with the first, which
   follow each other. */
static size_t end_of_load(const struct page *page, size_t first)
{
    const struct group *const groups = page->open->items;
    size_t i = first;

    while (i < page->open->count && same_load(&groups[i], &groups[first]))
        i++;
    return i;
}

/* The store, and its workload where there are others. */
static const char *name_load(struct page *page, const struct group *group)
{
    const char *const workload = workload_of(group);
    bool same = true;

    for (size_t i = 0; i < page->open->count && same; i++)
        same = strcmp(workload_of(&page->open->items[i]), workload) == 0;
    return same || workload[0] == '\0'
               ? arena_print(page->memory, "%.40s", group->store)
               : arena_print(page->memory, "%.40s %.40s", group->store,
                             workload);
}

/* Over the rate */

static int by_rate(const void *a, const void *b)
{
    const struct chart_point *const x = a;
    const struct chart_point *const y = b;

    return (x->x > y->x) - (x->x < y->x);
}

/* All trials that say something of some groups, which differ in the rate and
   in how, not in what was asked for. */
static struct chart_line make_line(struct page *page, size_t first, size_t end,
                                   struct deadlines *deadlines,
                                   enum latency_figure quantile)
{
    const struct group *const groups = page->open->items;
    struct chart_line line = { .group = &groups[first],
                               .name = name_load(page, &groups[first]),
                               .unconnected = true,
                               .marker_every = 1 };
    size_t room = 0;

    for (size_t i = first; i < end; i++) {
        const struct record_open *const open =
            page_newest_run(&groups[i])->open;

        for (size_t k = 0; open != NULL && k < open->trial_count; k++) {
            const struct record_trial *const trial = &open->trials[k];
            const double ns = latency_figure(&trial->response, quantile);

            if (!says_something(trial) || !(ns > 0))
                continue;
            line.points = arena_grow(page->memory, line.points, line.count,
                                     &room, sizeof *line.points);
            line.points[line.count++] =
                (struct chart_point){ trial->rate_per_s, ns, ns, ns };
            add_deadline(deadlines, trial->deadline_ns);
        }
    }
    if (line.count > 0)
        qsort(line.points, line.count, sizeof *line.points, by_rate);
    return line;
}

static void put_over_rate(struct page *page, struct page_charts *charts,
                          const char *name, enum latency_figure quantile)
{
    struct chart_lines lines = { .count = 0 };
    struct deadlines deadlines = { 0 };
    size_t end;

    for (size_t i = 0; i < page->open->count; i = end) {
        end = end_of_load(page, i);
        const struct chart_line line =
            make_line(page, i, end, &deadlines, quantile);
        chart_lines_add(&lines, &line);
    }
    if (lines.count == 0)
        return;
    const struct chart_axis x =
        chart_log_axis(lines.x.low, lines.x.high, chart_rate_tick);
    const struct chart_axis y = response_axis(lines.y, &deadlines);
    chart_draw_lines(page->gnuplot, &x, &y, &lines);
    page_put_chart(page, charts, name,
                   "The time from when a request was to come to its answer, "
                   "over the requests per second that were offered");
    charts->left_out = lines.left_out;
}

static void put_rates(struct page *page)
{
    struct page_charts charts = {
        "<h3>Response over the rate</h3>\n<p class=\"note\">From when a "
        "request was to come to its "
        "answer, over the rate offered, a dot for each trial. Trials that "
        "were invalid are left out.</p>\n<div class=\"charts\">\n",
        0, 0
    };

    put_over_rate(page, &charts, "response, p50", LATENCY_P50);
    put_over_rate(page, &charts, "response, p99", LATENCY_P99);
    put_over_rate(page, &charts, "response, p99.9", LATENCY_P99_9);
    page_end_charts(page, &charts, "line");
}

/* By percentile */

/* A trial at a rate; of a search the one that confirmed what it found for its
   first limit.  NULL if there is none that says something. */
static const struct record_trial *find_trial(const struct group *group)
{
    const struct record_open *const open = page_newest_run(group)->open;
    const struct record_trial *found = NULL;

    if (open == NULL)
        return NULL;
    for (size_t i = 0; i < open->trial_count; i++) {
        const struct record_trial *const trial = &open->trials[i];

        if (says_something(trial) &&
            (open->goal_count == 0 ||
             (open->goals[0].verified &&
              !islessgreater(trial->rate_per_s, open->goals[0].low_per_s))))
            found = trial;
    }
    return found;
}

static struct chart_line make_curve(struct page *page,
                                    const struct group *group,
                                    struct histogram *histogram,
                                    struct deadlines *deadlines)
{
    const struct record_trial *const trial = find_trial(group);
    struct chart_line line = { .group = group,
                               .marker_every = CURVE_POINTS_EACH };
    double values[CURVE_POINTS];
    char rate[CHART_TEXT];

    if (trial == NULL)
        return line;
    line.name = arena_print(page->memory, "%s/s",
                            chart_rate_text(rate, trial->rate_per_s));
    line.count = curve_read(&trial->response, histogram, values);
    line.points = arena_alloc(page->memory, line.count, sizeof *line.points);
    for (size_t i = 0; i < line.count; i++)
        line.points[i] =
            (struct chart_point){ .x = (double)i / CURVE_POINTS_EACH,
                                  .y = values[i] };
    add_deadline(deadlines, trial->deadline_ns);
    return line;
}

/* A chart of one store and load, with a line for each rate. */
static void put_by_percentile(struct page *page, size_t first, size_t end,
                              struct histogram *histogram,
                              struct page_charts *charts)
{
    const struct group *const groups = page->open->items;
    struct chart_lines lines = { .count = 0 };
    struct deadlines deadlines = { 0 };

    for (size_t i = first; i < end; i++) {
        const struct chart_line line =
            make_curve(page, &groups[i], histogram, &deadlines);

        chart_lines_add(&lines, &line);
    }
    charts->left_out += lines.left_out;
    if (lines.count == 0 || lines.y.low <= 0)
        return;
    if (charts->drawn == CHARTS_MAX) {
        charts->left_out += lines.count;
        return;
    }
    const struct chart_axis x = curve_axis(fmax(1, lines.x.high));
    const struct chart_axis y = response_axis(lines.y, &deadlines);
    chart_draw_lines(page->gnuplot, &x, &y, &lines);
    page_put_chart(page, charts,
                   arena_print(page->memory, "%s, %s",
                               name_load(page, &groups[first]),
                               group_class_name(groups[first].class)),
                   "Response by percentile, a line for each rate, and the "
                   "deadline");
}

static void put_percentiles(struct page *page)
{
    struct histogram *const histogram =
        arena_alloc(page->memory, 1, sizeof *histogram);
    struct page_charts charts = {
        "<h3>Response by percentile</h3>\n<p class=\"note\">"
        "The share of requests that were "
        "answered within a time, at the rate that stands at the "
        "line’s end: as it was asked for, or as a search "
        "confirmed it for its first limit. Requests that were "
        "lost are not in it.</p>\n<div class=\"charts\">\n",
        0, 0
    };
    size_t end;

    for (size_t i = 0; i < page->open->count; i = end) {
        end = end_of_load(page, i);
        put_by_percentile(page, i, end, histogram, &charts);
    }
    page_end_charts(page, &charts, "line");
}

/* Second by second: the answers, of which some were late, and below them the
   longest response. */

/* Some seconds together, where there are many. */
struct bar {
    double at_s; /* its middle */
    double per_s;
    double late_per_s;
    double longest_ns;
};

struct bars {
    double width_s;
    size_t count;
    struct bar items[BARS_MAX];
};

/* What one chart shows. */
struct time_series {
    const struct group *group;
    const struct record_trial *trial;
    struct bars measured;
    struct bars predicted;
};

static size_t last_answer(const struct record_seconds *seconds)
{
    size_t count = seconds->count;

    while (count > 0 && seconds->items[count - 1].answered == 0)
        count--;
    return count;
}

static void make_bars(struct bars *bars, const struct record_seconds *seconds,
                      size_t shown)
{
    const size_t width = (shown + BARS_MAX - 1) / BARS_MAX;

    bars->width_s = (double)width;
    bars->count = width > 0 ? (shown + width - 1) / width : 0;
    for (size_t i = 0; i < bars->count; i++) {
        struct bar *const bar = &bars->items[i];

        *bar = (struct bar){ .at_s = ((double)i + 0.5) * (double)width };
        for (size_t k = i * width; k < (i + 1) * width && k < seconds->count;
             k++) {
            const struct record_answers *const second = &seconds->items[k];

            bar->per_s += (double)second->answered / (double)width;
            bar->late_per_s += (double)second->late / (double)width;
            bar->longest_ns = fmax(bar->longest_ns, (double)second->longest_ns);
        }
    }
}

/* False if there is nothing to see. */
static bool make_series(struct time_series *series, const struct group *group)
{
    const struct record_open *const open = page_newest_run(group)->open;

    if (open == NULL || open->goal_count > 0 || open->trial_count == 0)
        return false;
    const struct record_trial *const trial = &open->trials[0];
    const size_t measured = last_answer(&trial->seconds);
    const size_t predicted = last_answer(&open->predicted.trial.seconds);
    const size_t shown = measured > predicted ? measured : predicted;

    series->group = group;
    series->trial = trial;
    make_bars(&series->measured, &trial->seconds, shown);
    make_bars(&series->predicted, &open->predicted.trial.seconds,
              predicted > 0 ? shown : 0);
    return measured > 1;
}

static void put_bars(FILE *script, const char *name, const struct bars *bars)
{
    (void)fprintf(script, "$%s << EOD\n", name);
    for (size_t i = 0; i < bars->count; i++)
        (void)fprintf(script, "%.6g %.6g %.6g %.6g\n", bars->items[i].at_s,
                      bars->items[i].per_s,
                      bars->items[i].per_s - bars->items[i].late_per_s,
                      bars->items[i].longest_ns);
    (void)fputs("EOD\n", script);
}

static double highest(const struct bars *bars)
{
    double high = 0;

    for (size_t i = 0; i < bars->count; i++)
        high = fmax(high, bars->items[i].per_s);
    return high;
}

static void draw(struct gnuplot *gnuplot, const struct time_series *series)
{
    const struct bars *const bars = &series->measured;
    const struct chart_axis x = chart_linear_axis(
        (double)bars->count * bars->width_s, chart_second_tick);
    struct chart_axis above = x;
    const struct chart_axis rates = chart_linear_axis(
        1.1 * fmax(highest(bars), highest(&series->predicted)),
        chart_rate_tick);
    const struct deadlines deadlines = {
        series->trial->deadline_ns > 0, { (double)series->trial->deadline_ns }
    };
    struct chart_range longest = { 0 };
    for (size_t i = 0; i < bars->count; i++)
        chart_range_add(&longest, bars->items[i].longest_ns);
    const struct chart_axis times = response_axis(longest, &deadlines);
    const char *const ink = chart_ink(series->group->class);
    FILE *const script = gnuplot_begin(gnuplot, CHART_WIDTH, HEIGHT);

    for (size_t i = 0; i < above.tick_count; i++)
        above.ticks[i].text[0] = '\0';
    put_bars(script, "measured", bars);
    put_bars(script, "predicted", &series->predicted);
    (void)fputs("set multiplot\n", script);
    chart_set_axes(script, &above, &rates, CHART_WIDTH, LEFT, RIGHT);
    (void)fprintf(script,
                  "set tmargin at screen 0.95\nset bmargin at screen 0.47\n"
                  "set boxwidth %.6g absolute\n"
                  "plot $measured using 1:2 with boxes fs solid noborder lc %s"
                  ", $measured using 1:3 with boxes fs solid noborder lc %s",
                  0.8 * bars->width_s, gnuplot_ink(INK_TEXT), ink);
    if (series->predicted.count > 0)
        (void)fprintf(script,
                      ", $predicted using 1:2 with histeps lw 1.2 dt (6,4) lc "
                      "%s",
                      gnuplot_ink(INK_FAINT));
    (void)fputc('\n', script);
    chart_set_axes(script, &x, &times, CHART_WIDTH, LEFT, RIGHT);
    (void)fprintf(script,
                  "set tmargin at screen 0.42\nset bmargin at screen 0.09\n"
                  "plot $measured using 1:($4 > 0 ? $4 : NaN) with points pt "
                  "%d ps 0.5 lc %s\nunset multiplot\n",
                  chart_shape(series->group), ink);
}

/* How many were sent again, if that is known. */
static const char *tell_again(struct arena *memory,
                              const struct record_storm *storm)
{
    char text[UNITS_TEXT_SIZE];

    return storm->retransmitted == RECORD_UNKNOWN
               ? ""
               : arena_print(memory, ", %s of them again",
                             units_count(text, storm->retransmitted));
}

/* "sqlite, power-safe, storm: 3,000 clients, 4,520 requests, ..." */
static const char *describe(struct page *page, const struct time_series *series)
{
    const struct record_trial *const trial = series->trial;
    const struct record_storm *const storm =
        &page_newest_run(series->group)->open->storm;
    const char *const name =
        arena_print(page->memory, "%.40s, %s", series->group->store,
                    group_class_name(series->group->class));
    char one[UNITS_TEXT_SIZE];
    char other[UNITS_TEXT_SIZE];
    char time[UNITS_TEXT_SIZE];
    char rate[CHART_TEXT];

    if (storm->clients == 0)
        return arena_print(
            page->memory, "%s, %s/s: %s requests, %s late, %" PRIu64 " lost",
            name, chart_rate_text(rate, trial->rate_per_s),
            units_count(one, trial->offered), units_count(other, trial->late),
            trial->dropped + trial->failed + trial->unanswered);
    return arena_print(
        page->memory, "%s, storm: %s clients, %s requests%s; %s%s", name,
        units_count(one, storm->clients), units_count(other, storm->sent),
        tell_again(page->memory, storm),
        storm->served_100_ns == RECORD_UNKNOWN ? "not all were served"
                                               : "all served after ",
        storm->served_100_ns == RECORD_UNKNOWN
            ? ""
            : units_time(time, (double)storm->served_100_ns));
}

static void put_seconds(struct page *page)
{
    struct time_series *const series =
        arena_alloc(page->memory, 1, sizeof *series);
    struct page_charts charts = {
        "<h3>Second by second</h3>\n"
        "<p class=\"note\">Answers per second, those in the "
        "colour of the text late; dashed, of a storm, what was "
        "predicted. Below, the longest response of each "
        "second.</p>\n<div class=\"charts\">\n",
        0, 0
    };

    for (size_t i = 0; i < page->open->count; i++) {
        if (!make_series(series, &page->open->items[i]))
            continue;
        if (charts.drawn == CHARTS_MAX) {
            charts.left_out++;
            continue;
        }
        draw(page->gnuplot, series);
        page_put_chart(page, &charts, describe(page, series),
                       "Answers in each second, in time and late, and below "
                       "the longest response, with the deadline");
    }
    page_end_charts(page, &charts, "configuration");
}

void chart_open(struct page *page)
{
    put_rates(page);
    put_percentiles(page);
    put_seconds(page);
}
