/* SPDX-License-Identifier: ISC */
/* Rates over the dates and versions of campaigns that were repeated. */
#include "report/page/chart_history.h"

#include <stdlib.h>
#include <string.h>

#include "measure/statistics.h"
#include "report/html.h"

enum { MOMENTS_MAX = 24, DATE_LENGTH = 10 };

/* A day and a version of ubench: one place on the axis. */
struct moment {
    const char *started_at;
    const char *version;
};

struct history {
    size_t count;
    struct moment moments[MOMENTS_MAX]; /* the newest, in their order */
    size_t left_out;
};

static int compare_moments(const void *left, const void *right)
{
    const struct moment *const a = left;
    const struct moment *const b = right;
    const int dates = strncmp(a->started_at, b->started_at, DATE_LENGTH);

    return dates != 0 ? dates : strcmp(a->version, b->version);
}

static struct moment moment_of(const struct record *record)
{
    return (struct moment){ record->started_at, record->version };
}

static struct history find_history(const struct page *page)
{
    struct moment *const all =
        arena_alloc(page->memory, page->archive->count, sizeof *all);
    struct history history = { .count = 0 };
    size_t count = 0;
    size_t different = 0;

    for (size_t i = 0; i < page->group_count; i++) {
        const struct group *const group = page->groups[i];

        for (size_t k = 0;
             group->class != GROUP_PUBLISHED && k < group->record_count; k++)
            all[count++] = moment_of(group->records[k]);
    }
    qsort(all, count, sizeof *all, compare_moments);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_moments(&all[i - 1], &all[i]) != 0)
            all[different++] = all[i];
    }
    history.count = different < MOMENTS_MAX ? different : MOMENTS_MAX;
    history.left_out = different - history.count;
    memcpy(history.moments, all + history.left_out,
           history.count * sizeof *all);
    return history;
}

/* The rates of one moment, of the groups that differ from seed in versions and
   machine alone. */
static struct summary rates_at(const struct page *page,
                               const struct group *seed, const char *phase,
                               const struct moment *moment)
{
    double *const rates =
        arena_alloc(page->memory, STATISTICS_MAX, sizeof *rates);
    size_t count = 0;

    for (size_t i = 0; i < page->group_count; i++) {
        const struct group *const group = page->groups[i];

        if (seed->section != group->section ||
            strcmp(seed->store, group->store) != 0 ||
            !key_alike(&seed->key, &group->key,
                       KEY_VERSION | KEY_DURABILITY | KEY_HOST | KEY_REQUEST,
                       NULL))
            continue;
        for (size_t k = 0; k < group->run_count; k++) {
            const struct moment its = moment_of(group->runs[k].record);
            const struct record_phase *const found =
                record_run_phase(group->runs[k].run, phase);

            if (compare_moments(&its, moment) == 0 && found != NULL &&
                found->elapsed_ns > 0 && count < STATISTICS_MAX)
                rates[count++] = record_phase_rate(found);
        }
    }
    return summary_make(page->memory, rates, count);
}

static struct chart_line make_line(struct page *page,
                                   const struct history *history,
                                   const struct group *seed, const char *phase)
{
    struct chart_point *const points =
        arena_alloc(page->memory, history->count, sizeof *points);
    struct chart_line line = { .group = seed,
                               .marker_every = 1,
                               .points = points };

    for (size_t i = 0; i < history->count; i++) {
        const struct summary at =
            rates_at(page, seed, phase, &history->moments[i]);

        if (at.count > 0 && at.low > 0)
            points[line.count++] =
                (struct chart_point){ (double)i, at.median, at.low, at.high };
    }
    return line;
}

/* Month and day; the versions are in the text below the charts. */
static struct chart_axis moment_axis(const struct history *history)
{
    struct chart_axis axis = { .low = -0.3,
                               .high = (double)history->count - 0.7 };
    const size_t step = (history->count + 3) / 4;

    for (size_t i = 0; i < history->count; i += step) {
        char text[CHART_TEXT];

        (void)snprintf(text, sizeof text, "%zu: %.*s", i + 1, DATE_LENGTH - 5,
                       strlen(history->moments[i].started_at) >= DATE_LENGTH
                           ? history->moments[i].started_at + 5
                           : "");
        chart_add_tick(&axis, (double)i, text);
    }
    return axis;
}

static void put_phase(struct page *page, const struct history *history,
                      const char *phase, struct page_charts *charts)
{
    const struct chart_axis x = moment_axis(history);
    struct chart_lines lines = { .count = 0 };

    for (size_t i = 0; i < page->shown_count; i++) {
        const struct group *const seed = page->shown[i];

        if (!seed->is_default || seed->class == DURABILITY_NONE ||
            seed->class == GROUP_PUBLISHED)
            continue;
        const struct chart_line line = make_line(page, history, seed, phase);
        chart_lines_add(&lines, &line);
    }
    if (lines.count == 0)
        return;
    const struct chart_axis y =
        chart_log_axis(lines.y.low, lines.y.high, chart_rate_tick);
    chart_draw_lines(page->gnuplot, &x, &y, &lines);
    page_put_chart(page, charts, phase,
                   arena_print(page->memory,
                               "Operations per second of %.60s over dates and "
                               "versions",
                               phase));
}

static void put_moments(FILE *html, const struct history *history)
{
    (void)fputs("<ol class=\"moments\">\n", html);
    for (size_t i = 0; i < history->count; i++) {
        (void)fputs("<li>", html);
        html_text_part(html, history->moments[i].started_at, DATE_LENGTH);
        (void)fputs(", ubench ", html);
        html_text(html, history->moments[i].version);
        (void)fputs("</li>\n", html);
    }
    (void)fputs("</ol>\n", html);
    if (history->left_out > 0)
        (void)fprintf(html,
                      "<p class=\"note\">Left out: what is earlier "
                      "(%zu).</p>\n",
                      history->left_out);
}

void chart_history(struct page *page)
{
    const struct history history = find_history(page);
    struct page_charts charts = {
        "<section><h2>History</h2>\n"
        "<p class=\"note\">The same configurations, measured on other days or "
        "with other versions; the machine may differ as well.</p>\n"
        "<div class=\"charts\">\n",
        0, 0
    };

    for (size_t i = 0; history.count > 1 && i < page->phase_count; i++)
        put_phase(page, &history, page->phases[i], &charts);
    page_end_charts(page, &charts, "");
    if (charts.drawn == 0)
        return;
    put_moments(page->html, &history);
    (void)fputs("</section>\n", page->html);
}
