/* SPDX-License-Identifier: ISC */
/* Open loops: what was found, and the response over the rate that was asked
   for. */
#include "report/page_parts.h"

#include <math.h>
#include <stdlib.h>

#include "core/units.h"
#include "report/html.h"
#include "report/trial_tables.h"

enum { TRIALS_MAX = 200 };

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

static void put_rate(struct page *page, const char *name, double per_s)
{
    (void)fprintf(page->html, "<td data-name=\"%s\">", name);
    if (per_s > 0)
        page_put_rate(page, per_s);
    else
        (void)fputs("none", page->html);
    (void)fputs("</td>", page->html);
}

static void put_row(struct page *page, const struct setup *setup,
                    const char *what, double low, double high,
                    const char *verdict)
{
    (void)fprintf(page->html, "<tr class=\"c-%s\"><th scope=\"row\">",
                  setup_class_name(setup->class));
    page_put_name(page, setup);
    (void)fprintf(page->html, "<small>%s, ", setup_class_name(setup->class));
    html_text_cut(page->html, what, 40);
    (void)fputs("</small></th>", page->html);
    put_rate(page, "sustained", low);
    put_rate(page, "not", high);
    (void)fputs("<td data-name=\"verdict\">", page->html);
    html_text_cut(page->html, verdict, 40);
    (void)fputs("</td></tr>\n", page->html);
}

/* The newest run of a setup, which is never without one. */
static const struct record_run *newest_run(const struct setup *setup)
{
    const struct record *const record = setup_newest(setup);

    return &record->runs[record->run_count - 1];
}

static void put_setup(struct page *page, const struct setup *setup)
{
    const struct record_open *const open = newest_run(setup)->open;

    if (open == NULL)
        return;
    for (size_t i = 0; i < open->goal_count; i++) {
        const struct record_goal *const goal = &open->goals[i];

        put_row(page, setup, goal->name, goal->low_per_s, goal->high_per_s,
                goal->invalid    ? "the limit is the machine's"
                : goal->verified ? "confirmed"
                                 : "not confirmed");
    }
    for (size_t i = 0; open->goal_count == 0 && i < open->trial_count; i++) {
        const struct record_trial *const trial = &open->trials[i];
        char text[UNITS_TEXT_SIZE];
        const bool kept = !trial->grew && !(trial->bad_share > 0);

        if (trial->rate_per_s > 0)
            put_row(page, setup, "at a rate", kept ? trial->rate_per_s : 0,
                    kept ? 0 : trial->rate_per_s, trial_verdict(trial));
        else if (open->storm.all_ns == RECORD_UNKNOWN)
            put_row(page, setup, "storm", 0, 0, "not all were served");
        else
            put_row(page, setup, "storm: all were served after", 0, 0,
                    units_time(text, (double)open->storm.all_ns));
    }
}

static int by_rate(const void *a, const void *b)
{
    const struct chart_point *const x = a;
    const struct chart_point *const y = b;

    return (x->x > y->x) - (x->x < y->x);
}

/* The points of a setup: all trials of its newest run that say something. */
static struct chart_line
make_line(struct page *page, const struct setup *setup,
          double (*quantile)(const struct record_histogram *))
{
    const struct record_open *const open = newest_run(setup)->open;
    struct chart_line line = { .setup = setup, .marked = 1 };

    if (open == NULL)
        return line;
    line.points =
        region_take(page->memory, open->trial_count + 1, sizeof *line.points);
    for (size_t i = 0; i < open->trial_count && i < TRIALS_MAX; i++) {
        const struct record_trial *const trial = &open->trials[i];

        if (!(trial->rate_per_s > 0) || trial->response.count == 0 ||
            trial->incomplete || trial->invalid[0] != '\0')
            continue;
        const double ns = quantile(&trial->response);
        if (ns > 0)
            line.points[line.count++] =
                (struct chart_point){ trial->rate_per_s, ns, ns, ns };
    }
    if (line.count > 0)
        qsort(line.points, line.count, sizeof *line.points, by_rate);
    return line;
}

static void put_chart(struct page *page, const char *name,
                      double (*quantile)(const struct record_histogram *))
{
    struct chart_line lines[CHART_LINES];
    double low[2] = { INFINITY, INFINITY };
    double high[2] = { 0, 0 };
    size_t count = 0;

    for (size_t i = 0; i < page->open->count && count < CHART_LINES; i++) {
        const struct chart_line line =
            make_line(page, &page->open->items[i], quantile);

        for (size_t k = 0; k < line.count; k++) {
            low[0] = fmin(low[0], line.points[k].x);
            high[0] = fmax(high[0], line.points[k].x);
            low[1] = fmin(low[1], line.points[k].y);
            high[1] = fmax(high[1], line.points[k].y);
        }
        if (line.count > 1)
            lines[count++] = line;
    }
    if (count == 0)
        return;
    const struct chart_axis x =
        chart_log_axis(low[0], high[0], chart_rate_tick);
    const struct chart_axis y =
        chart_log_axis(low[1], high[1], chart_time_tick);
    chart_draw_lines(page->gnuplot, &x, &y, lines, count);
    page_put_chart(page, name,
                   "The time from when a request was to come to its answer, "
                   "over the requests per second that were offered");
}

void page_put_trials(struct page *page)
{
    if (page->open->count == 0)
        return;
    (void)fputs(
        "<section><h2>Open loop</h2>\n"
        "<p class=\"note\">Requests come at a rate, whether the store keeps up "
        "or not. What is sustained is what a search confirmed, or a rate that "
        "was asked for; only the former is what a store can do. Of several "
        "runs, the newest.</p>\n"
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" "
        "aria-label=\"Open loop\">\n<table class=\"rates\">"
        "<caption>Open loop</caption>\n<thead><tr>"
        "<th scope=\"col\">store</th>"
        "<th scope=\"col\">sustained [1/s]</th><th scope=\"col\">not [1/s]</th>"
        "<th scope=\"col\">verdict</th></tr></thead>\n<tbody>\n",
        page->html);
    for (size_t i = 0; i < page->open->count; i++)
        put_setup(page, &page->open->items[i]);
    (void)fputs("</tbody></table></div>\n"
                "<p class=\"note\">Response: from when a request was to come "
                "to its answer, over the rate offered, a dot for each trial "
                "of a search.</p>\n<div class=\"charts\">\n",
                page->html);
    put_chart(page, "response, p50", p50_of);
    put_chart(page, "response, p99", p99_of);
    put_chart(page, "response, p99.9", p99_9_of);
    (void)fputs("</div></section>\n", page->html);
}
