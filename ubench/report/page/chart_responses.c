/* SPDX-License-Identifier: ISC */
/* What open loops took to answer: over the rate that was asked for, and by
   percentile at some rates.  Lines across the charts are the deadlines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "report/page/chart_latency.h"

enum { CHARTS_MAX = 8 };

static double p50_of(const struct record_histogram *response)
{
    return response->p50_ns;
}

static double p99_of(const struct record_histogram *response)
{
    return response->p99_ns;
}

static double p99_9_of(const struct record_histogram *response)
{
    return response->p99_9_ns;
}

static bool says_something(const struct record_trial *trial)
{
    return trial->rate_per_s > 0 && trial->response.count > 0 &&
           !trial->incomplete && trial->invalid[0] == '\0';
}

/* What was drawn, and what there was no room for: lines, or charts. */
struct done {
    size_t drawn;
    size_t left_out;
};

/* What the lines of a chart reach from and to, and the deadlines there. */
struct extent {
    double low[2], high[2];
    size_t deadline_count;
    double deadlines_ns[CHART_LIMITS];
};

static const struct extent nothing = { .low = { INFINITY, INFINITY } };

static void add_points(struct extent *extent, const struct chart_line *line)
{
    for (size_t i = 0; i < line->count; i++) {
        extent->low[0] = fmin(extent->low[0], line->points[i].x);
        extent->high[0] = fmax(extent->high[0], line->points[i].x);
        extent->low[1] = fmin(extent->low[1], line->points[i].y);
        extent->high[1] = fmax(extent->high[1], line->points[i].y);
    }
}

static void add_deadline(struct extent *extent, uint64_t deadline_ns)
{
    const double at = (double)deadline_ns;

    for (size_t i = 0; i < extent->deadline_count; i++) {
        if (!islessgreater(extent->deadlines_ns[i], at))
            return;
    }
    if (at > 0 && extent->deadline_count < CHART_LIMITS)
        extent->deadlines_ns[extent->deadline_count++] = at;
}

/* A deadline is within the chart, be it far above all responses: that is what
   there is to see. */
static struct chart_axis time_axis(const struct extent *extent)
{
    double high = extent->high[1];

    for (size_t i = 0; i < extent->deadline_count; i++)
        high = fmax(high, extent->deadlines_ns[i]);
    struct chart_axis axis =
        chart_log_axis(extent->low[1], high, chart_time_tick);
    for (size_t i = 0; i < extent->deadline_count; i++) {
        char time[CHART_TEXT];
        char text[CHART_TEXT + sizeof "deadline "];

        (void)snprintf(text, sizeof text, "deadline %s",
                       chart_time_tick(time, extent->deadlines_ns[i]));
        chart_add_limit(&axis, extent->deadlines_ns[i], text);
    }
    return axis;
}

/* Over the rate */

static int by_rate(const void *a, const void *b)
{
    const struct chart_point *const x = a;
    const struct chart_point *const y = b;

    return (x->x > y->x) - (x->x < y->x);
}

/* Adds the trials of the newest run of a setup that say something. */
static void add_trials(struct chart_line *line, struct extent *extent,
                       const struct setup *setup,
                       double (*quantile)(const struct record_histogram *))
{
    const struct record_open *const open = page_newest_run(setup)->open;

    for (size_t i = 0; open != NULL && i < open->trial_count; i++) {
        const struct record_trial *const trial = &open->trials[i];
        const double ns = quantile(&trial->response);

        if (!says_something(trial) || !(ns > 0))
            continue;
        line->points[line->count++] =
            (struct chart_point){ trial->rate_per_s, ns, ns, ns };
        add_deadline(extent, trial->deadline_ns);
    }
}

static const char *workload_of(const struct setup *setup)
{
    return record_parameter(setup_newest(setup), "workload");
}

/* What a figure may hold together: the same exchanges, in the same class. */
static bool same_load(const struct setup *a, const struct setup *b)
{
    return a->section == b->section && strcmp(a->store, b->store) == 0 &&
           strcmp(workload_of(a), workload_of(b)) == 0;
}

/* The place behind the setups that may be held together with the first, which
   follow each other. */
static size_t end_of_load(const struct page *page, size_t first)
{
    const struct setup *const setups = page->open->items;
    size_t i = first;

    while (i < page->open->count && same_load(&setups[i], &setups[first]))
        i++;
    return i;
}

/* The store, and its workload where there are others. */
static const char *name_load(struct page *page, const struct setup *setup)
{
    const char *const workload = workload_of(setup);
    bool same = true;

    for (size_t i = 0; i < page->open->count && same; i++)
        same = strcmp(workload_of(&page->open->items[i]), workload) == 0;
    return same || workload[0] == '\0'
               ? arena_print(page->memory, "%.40s", setup->store)
               : arena_print(page->memory, "%.40s %.40s", setup->store,
                             workload);
}

/* All trials of some setups, which differ in the rate and in how, not in what
   was asked for. */
static void make_line(struct page *page, size_t first, size_t end,
                      struct chart_line *line, struct extent *extent,
                      double (*quantile)(const struct record_histogram *))
{
    const struct setup *const setups = page->open->items;
    size_t most = 0;

    for (size_t i = first; i < end; i++) {
        const struct record_open *const open =
            page_newest_run(&setups[i])->open;

        most += open != NULL ? open->trial_count : 0;
    }
    *line = (struct chart_line){ .setup = &setups[first],
                                 .name = name_load(page, &setups[first]),
                                 .loose = true,
                                 .marked = 1 };
    line->points = arena_alloc(page->memory, most, sizeof *line->points);
    for (size_t i = first; i < end; i++)
        add_trials(line, extent, &setups[i], quantile);
    if (line->count > 0)
        qsort(line->points, line->count, sizeof *line->points, by_rate);
}

static struct done
put_over_rate(struct page *page, const char *name,
              double (*quantile)(const struct record_histogram *),
              const char *before)
{
    struct chart_line lines[CHART_LINES + 1];
    struct extent extent = nothing;
    size_t count = 0;
    size_t left_out = 0;
    size_t end;

    for (size_t i = 0; i < page->open->count; i = end) {
        struct extent more = extent;

        end = end_of_load(page, i);
        make_line(page, i, end, &lines[count], &more, quantile);
        if (lines[count].count == 0)
            continue;
        if (count == CHART_LINES) {
            left_out++;
            continue;
        }
        extent = more;
        add_points(&extent, &lines[count++]);
    }
    if (count == 0)
        return (struct done){ 0 };
    (void)fputs(before, page->html);
    const struct chart_axis x =
        chart_log_axis(extent.low[0], extent.high[0], chart_rate_tick);
    const struct chart_axis y = time_axis(&extent);
    chart_draw_lines(page->gnuplot, &x, &y, lines, count);
    page_put_chart(page, name,
                   "The time from when a request was to come to its answer, "
                   "over the requests per second that were offered");
    return (struct done){ count, left_out };
}

/* By percentile */

/* A trial at a rate; of a search the one that confirmed what it found for its
   first limit.  NULL if there is none that says something. */
static const struct record_trial *find_trial(const struct setup *setup)
{
    const struct record_open *const open = page_newest_run(setup)->open;
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

static bool make_curve(struct page *page, const struct setup *setup,
                       struct histogram *histogram, struct chart_line *line,
                       struct extent *extent)
{
    const struct record_trial *const trial = find_trial(setup);
    double values[CURVE_POINTS];
    char rate[CHART_TEXT];

    if (trial == NULL)
        return false;
    const size_t count = curve_read(&trial->response, histogram, values);
    if (count < 2 || values[0] <= 0)
        return false;
    *line = (struct chart_line){
        .setup = setup,
        .name = arena_print(page->memory, "%s/s",
                            chart_rate_text(rate, trial->rate_per_s)),
        .marked = CURVE_POINTS_EACH,
        .count = count,
        .points = arena_alloc(page->memory, count, sizeof *line->points),
    };
    for (size_t i = 0; i < count; i++)
        line->points[i] =
            (struct chart_point){ .x = (double)i / CURVE_POINTS_EACH,
                                  .y = values[i] };
    add_points(extent, line);
    add_deadline(extent, trial->deadline_ns);
    return true;
}

/* A chart of one store and load, with a line for each rate. */
static void put_by_percentile(struct page *page, size_t first, size_t end,
                              struct histogram *histogram, struct done *done)
{
    const struct setup *const setups = page->open->items;
    struct chart_line lines[CHART_LINES + 1];
    struct extent extent = nothing;
    size_t count = 0;
    char caption[128];

    for (size_t i = first; i < end; i++) {
        struct extent more = extent;

        if (!make_curve(page, &setups[i], histogram, &lines[count], &more))
            continue;
        if (count == CHART_LINES || done->drawn == CHARTS_MAX) {
            done->left_out++;
            continue;
        }
        extent = more;
        count++;
    }
    if (count == 0)
        return;
    if (done->drawn++ == 0)
        (void)fputs("<h3>Response by percentile</h3>\n<p class=\"note\">"
                    "The share of requests that were "
                    "answered within a time, at the rate that stands at the "
                    "line’s end: as it was asked for, or as a search "
                    "confirmed it for its first limit. Requests that were "
                    "lost are not in it.</p>\n<div class=\"charts\">\n",
                    page->html);
    const struct chart_axis x = curve_axis(fmax(1, extent.high[0]));
    const struct chart_axis y = time_axis(&extent);
    chart_draw_lines(page->gnuplot, &x, &y, lines, count);
    (void)snprintf(caption, sizeof caption, "%s, %s",
                   name_load(page, &setups[first]),
                   setup_class_name(setups[first].class));
    page_put_chart(page, caption,
                   "Response by percentile, a line for each rate, and the "
                   "deadline");
}

static void note_left_out(struct page *page, size_t count)
{
    if (count > 0)
        (void)fprintf(page->html,
                      "<p class=\"note\">Left out: %zu more line%s.</p>\n",
                      count, count == 1 ? "" : "s");
}

static void put_percentiles(struct page *page)
{
    struct histogram *const histogram =
        arena_alloc(page->memory, 1, sizeof *histogram);
    struct done done = { 0 };
    size_t end;

    for (size_t i = 0; i < page->open->count; i = end) {
        end = end_of_load(page, i);
        put_by_percentile(page, i, end, histogram, &done);
    }
    if (done.drawn > 0)
        (void)fputs("</div>\n", page->html);
    note_left_out(page, done.left_out);
}

void page_put_responses(struct page *page)
{
    static const struct {
        const char *name;
        double (*quantile)(const struct record_histogram *);
    } charts[] = { { "response, p50", p50_of },
                   { "response, p99", p99_of },
                   { "response, p99.9", p99_9_of } };
    const char *before =
        "<h3>Response over the rate</h3>\n<p class=\"note\">From when a "
        "request was to come to its "
        "answer, over the rate offered, a dot for each trial. Trials that "
        "were invalid are left out.</p>\n<div class=\"charts\">\n";
    struct done all = { 0 };

    for (size_t i = 0; i < sizeof charts / sizeof charts[0]; i++) {
        const struct done one =
            put_over_rate(page, charts[i].name, charts[i].quantile, before);

        if (one.drawn > 0)
            before = "";
        all.drawn += one.drawn;
        if (one.left_out > all.left_out)
            all.left_out = one.left_out;
    }
    if (all.drawn > 0)
        (void)fputs("</div>\n", page->html);
    note_left_out(page, all.left_out);
    put_percentiles(page);
}
