/* SPDX-License-Identifier: ISC */
/* Rates by phase and store, grouped by class: a dot for each run, a whisker for
   the interval. */
#include "report/page/chart_rates.h"

#include <string.h>

enum {
    ROW = 26,     /* height of a group's row */
    MARGINS = 34, /* above and below the rows */
    RIGHT = 50,
    LETTER = 7, /* width of one */
    NAME_LENGTH = 26,
    DOTS_MAX = 40
};

/* A group's row, and its place on the axis. */
struct row {
    const struct group *group;
    const char *name;
    struct summary rates;
    bool begins_section;
    double y;
};

/* One phase of the page. */
struct rates {
    const char *phase;
    size_t count; /* of groups that have it */
    struct row rows[PAGE_SHOWN_MAX];
    size_t height; /* in rows: with one for the name of each section */
    struct chart_range range;
};

static struct rates collect(struct page *page, const char *phase)
{
    struct rates rates = { .phase = phase };

    for (size_t i = 0; i < page->shown_count; i++) {
        const struct group *const group = page->shown[i];
        struct row row = { group, group->store, page_rates(page, group, phase),
                           false, 0 };

        if (row.rates.count == 0 || group->class == DURABILITY_NONE)
            continue;
        row.begins_section =
            rates.count == 0 ||
            rates.rows[rates.count - 1].group->section != group->section;
        /* Where there is one of a store in a class, its name is enough. */
        if (page->all_shown)
            row.name = page_name(page, group);
        for (size_t k = 0; k < row.rates.count; k++)
            chart_range_add(&rates.range, row.rates.values[k]);
        rates.height += row.begins_section ? 2 : 1;
        rates.rows[rates.count++] = row;
    }
    double y = (double)rates.height + 0.5;
    for (size_t i = 0; i < rates.count; i++) {
        y -= rates.rows[i].begins_section ? 2 : 1;
        rates.rows[i].y = y;
    }
    return rates;
}

/* What the widest name of a row or a section needs. */
static unsigned left_margin(const struct rates *rates)
{
    size_t longest = 0;

    for (size_t i = 0; i < rates->count; i++) {
        const size_t title =
            strnlen(rates->rows[i].group->section->title, NAME_LENGTH);
        const size_t name = strnlen(rates->rows[i].name, NAME_LENGTH);

        longest = name > longest ? name : longest;
        longest = title > longest ? title : longest;
    }
    return (unsigned)longest * LETTER + 12;
}

/* The data of one row: whisker, median and runs. */
static void put_row(FILE *script, const struct row *row, size_t number)
{
    const struct summary *const rates = &row->rates;
    const size_t step = (rates->count + DOTS_MAX - 1) / DOTS_MAX;
    const char *const ink = chart_ink(row->group->class);
    char text[CHART_TEXT];

    (void)fprintf(script, "$row%zu << EOD\n%.6g %g %.6g %.6g\nEOD\n", number,
                  rates->median, row->y, rates->low, rates->high);
    (void)fprintf(script, "$runs%zu << EOD\n", number);
    for (size_t i = 0; i < rates->count; i += step)
        (void)fprintf(script, "%.6g %g\n", rates->values[i], row->y - 0.3);
    (void)fputs("EOD\nset label ", script);
    gnuplot_put_text(script, row->name, NAME_LENGTH);
    (void)fprintf(script, " at graph 0, first %g right offset -0.8,0 tc %s\n",
                  row->y, gnuplot_ink(INK_TEXT));
    (void)fputs("set label ", script);
    gnuplot_put_text(script, chart_rate_text(text, rates->median), CHART_TEXT);
    (void)fprintf(script, " at graph 1, first %g left offset 0.8,0 tc %s\n",
                  row->y, ink);
    if (!row->begins_section)
        return;
    (void)fputs("set label ", script);
    gnuplot_put_text(script, row->group->section->title, NAME_LENGTH);
    (void)fprintf(script,
                  " at graph 0, first %g right offset -0.8,-0.2 tc %s\n",
                  row->y + 1, ink);
}

static void plot_row(FILE *script, const struct row *row, size_t number)
{
    const char *const ink = chart_ink(row->group->class);

    (void)fprintf(script,
                  "%s$runs%zu using 1:2 with points pt 7 ps 0.25 "
                  "lc %s",
                  number == 0 ? "plot " : ", \\\n", number, ink);
    if (row->rates.count > 1)
        (void)fprintf(script,
                      ", $row%zu using 3:2:($4-$3):(0) with vectors nohead "
                      "lw %s lc %s",
                      number, row->rates.interval ? "3" : "0.8", ink);
    (void)fprintf(script, ", $row%zu using 1:2 with points pt %d ps 0.8 lc %s",
                  number, chart_shape(row->group), ink);
}

static void draw(struct gnuplot *gnuplot, const struct rates *rates)
{
    const unsigned height = (unsigned)rates->height * ROW + MARGINS;
    const struct chart_axis x =
        chart_log_axis(rates->range.low, rates->range.high, chart_rate_tick);
    const struct chart_axis y = { .low = 0, .high = (double)rates->height };
    FILE *const script = gnuplot_begin(gnuplot, CHART_WIDTH, height);

    chart_set_axes(script, &x, &y, CHART_WIDTH, left_margin(rates), RIGHT);
    (void)fprintf(script,
                  "set noytics\nset tmargin at screen %.4f\n"
                  "set bmargin at screen %.4f\n",
                  1 - 4.0 / height, 24.0 / height);
    for (size_t i = 0; i < rates->count; i++)
        put_row(script, &rates->rows[i], i);
    for (size_t i = 0; i < rates->count; i++)
        plot_row(script, &rates->rows[i], i);
    (void)fputc('\n', script);
}

void chart_rates(struct page *page)
{
    struct page_charts charts = {
        "<section><h2>Rates</h2>\n"
        "<p class=\"note\">Operations per second on a logarithmic "
        "axis, one chart for each phase. A small dot is a run, the "
        "large mark their median, a thick line the median’s 95&nbsp;% "
        "interval; with fewer than six runs there is none, and a thin "
        "line goes from the lowest to the highest. Compare within a "
        "class only.</p>\n<div class=\"charts\">\n",
        0, 0
    };

    for (size_t i = 0; i < page->phase_count; i++) {
        const struct rates rates = collect(page, page->phases[i]);

        if (rates.count == 0)
            continue;
        draw(page->gnuplot, &rates);
        page_put_chart(page, &charts, rates.phase,
                       arena_print(page->memory,
                                   "Operations per second of %.60s by store, "
                                   "on a logarithmic axis; the figures are in "
                                   "the first table",
                                   rates.phase));
    }
    page_end_charts(page, &charts, "");
    if (charts.drawn > 0)
        (void)fputs("</section>\n", page->html);
}
