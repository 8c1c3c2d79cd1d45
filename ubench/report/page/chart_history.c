/* SPDX-License-Identifier: ISC */
/* Rates over the dates and versions of campaigns that were repeated. */
#include "report/page/page_parts.h"

#include <stdlib.h>
#include <string.h>

#include "measure/statistics.h"
#include "report/page/html.h"

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

    for (size_t i = 0; i < page->setups->count; i++) {
        const struct setup *const setup = &page->setups->items[i];

        for (size_t k = 0;
             setup->class != SETUP_PUBLISHED && k < setup->record_count; k++)
            all[count++] = moment_of(setup->records[k]);
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

/* The rates of the records of one moment among the setups that differ from
   seed in versions and machine alone. */
static struct setup_phase rates_at(const struct page *page,
                                   const struct setup *seed, const char *phase,
                                   const struct moment *moment,
                                   double rates[static STATISTICS_MAX])
{
    struct setup_phase at = { .name = phase, .rates = rates };

    for (size_t i = 0; i < page->setups->count; i++) {
        const struct setup *const setup = &page->setups->items[i];

        if (!setups_alike(seed, setup, ITEM_VERSION, NULL))
            continue;
        for (size_t k = 0; k < setup->record_count; k++) {
            const struct record *const record = setup->records[k];
            const struct moment its = moment_of(record);

            if (compare_moments(&its, moment) != 0)
                continue;
            for (size_t r = 0; r < record->run_count; r++) {
                const struct record_phase *const p =
                    record_run_phase(&record->runs[r], phase);

                if (!record->runs[r].incomplete && p != NULL &&
                    p->elapsed_ns > 0 && at.count < STATISTICS_MAX)
                    rates[at.count++] = record_phase_rate(p);
            }
        }
    }
    setup_phase_summarise(&at);
    return at;
}

static struct chart_line make_line(struct page *page,
                                   const struct history *history,
                                   const struct setup *seed, const char *phase)
{
    struct chart_point *const points =
        arena_alloc(page->memory, history->count, sizeof *points);
    struct chart_line line = { .setup = seed, .marked = 1, .points = points };
    double rates[STATISTICS_MAX];

    for (size_t i = 0; i < history->count; i++) {
        const struct setup_phase at =
            rates_at(page, seed, phase, &history->moments[i], rates);

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

static bool put_phase(struct page *page, const struct history *history,
                      const char *phase, const char *before)
{
    const struct chart_axis x = moment_axis(history);
    struct chart_line lines[CHART_LINES];
    size_t count = 0;
    double low = 0;
    double high = 0;
    char label[256];

    for (size_t i = 0; i < page->shown_count; i++) {
        const struct setup *const seed = page->shown[i];

        if (!seed->usual || seed->class == SETUP_NONE ||
            seed->class == SETUP_PUBLISHED)
            continue;
        const struct chart_line line = make_line(page, history, seed, phase);
        if (line.count < 2)
            continue;
        for (size_t k = 0; k < line.count; k++) {
            low =
                low == 0 || line.points[k].low < low ? line.points[k].low : low;
            high = line.points[k].high > high ? line.points[k].high : high;
        }
        lines[count++] = line;
    }
    if (count == 0)
        return false;
    (void)fputs(before, page->html);
    const struct chart_axis y = chart_log_axis(low, high, chart_rate_tick);
    chart_draw_lines(page->gnuplot, &x, &y, lines, count);
    (void)snprintf(label, sizeof label,
                   "Operations per second of %.60s over dates and versions",
                   phase);
    page_put_chart(page, phase, label);
    return true;
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

void page_put_history(struct page *page)
{
    const struct history history = find_history(page);
    static const char heading[] =
        "<section><h2>History</h2>\n"
        "<p class=\"note\">The same setups, measured on other days or with "
        "other versions; the machine may differ as well.</p>\n"
        "<div class=\"charts\">\n";
    const char *before = heading;

    if (history.count < 2)
        return;
    for (size_t i = 0; i < page->phase_count; i++) {
        if (put_phase(page, &history, page->phases[i], before))
            before = "";
    }
    if (before == heading)
        return;
    (void)fputs("</div>\n", page->html);
    put_moments(page->html, &history);
    (void)fputs("</section>\n", page->html);
}
