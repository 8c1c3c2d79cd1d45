/* SPDX-License-Identifier: ISC */
/* Rates by phase and store, grouped by class: a dot for each run, a whisker for
   the interval. */
#include "report/page/page_parts.h"

#include <string.h>

#include "report/page/html.h"

enum {
    ROW = 26,     /* height of a setup's row */
    MARGINS = 34, /* above and below the rows */
    RIGHT = 50,
    LETTER = 7, /* width of one */
    NAME_LENGTH = 26,
    DOTS_MAX = 40
};

/* One phase of the page. */
struct rates {
    const char *phase;
    bool labels;
    size_t count; /* of setups that have it */
    const struct setup *setups[PAGE_SHOWN_MAX];
    size_t rows; /* with one for the name of each class */
    double low, high;
};

static struct rates collect(const struct page *page, const char *phase)
{
    struct rates rates = { .phase = phase, .labels = page->all_shown };

    for (size_t i = 0; i < page->shown_count; i++) {
        const struct setup *const setup = page->shown[i];
        const struct setup_phase *const its = setup_phase(setup, phase);

        if (its == NULL || its->count == 0 || setup->class == SETUP_NONE)
            continue;
        if (rates.count == 0 ||
            rates.setups[rates.count - 1]->section != setup->section)
            rates.rows++;
        rates.setups[rates.count++] = setup;
        rates.rows++;
        for (size_t k = 0; k < its->count; k++) {
            const double rate = its->rates[k];

            rates.low = rates.low == 0 || rate < rates.low ? rate : rates.low;
            rates.high = rate > rates.high ? rate : rates.high;
        }
    }
    return rates;
}

/* Where there is one of a store in a class, its name is enough. */
static void make_name(const struct rates *rates, const struct setup *setup,
                      char *name, size_t size)
{
    const bool enough = !rates->labels || setup->label[0] == '\0';

    (void)snprintf(name, size, "%s%s%s", setup->store, enough ? "" : " ",
                   enough ? "" : setup->label);
}

/* What the widest name of a row or a section needs. */
static unsigned left_margin(const struct rates *rates)
{
    size_t longest = 0;

    for (size_t i = 0; i < rates->count; i++) {
        const size_t title =
            strnlen(rates->setups[i]->section->title, NAME_LENGTH);
        char name[NAME_LENGTH + 1];

        make_name(rates, rates->setups[i], name, sizeof name);
        longest = strlen(name) > longest ? strlen(name) : longest;
        longest = title > longest ? title : longest;
    }
    return (unsigned)longest * LETTER + 12;
}

/* The data of one row: whisker, median and runs. */
static void put_row(FILE *script, const struct rates *rates,
                    const struct setup *setup, const struct setup_phase *phase,
                    size_t number, double y)
{
    const size_t step = (phase->count + DOTS_MAX - 1) / DOTS_MAX;
    const char *const ink = gnuplot_ink(chart_ink(setup->class));
    char name[NAME_LENGTH + 1];
    char text[CHART_TEXT];

    make_name(rates, setup, name, sizeof name);
    (void)fprintf(script, "$row%zu << EOD\n%.6g %g %.6g %.6g\nEOD\n", number,
                  phase->median, y, phase->low, phase->high);
    (void)fprintf(script, "$runs%zu << EOD\n", number);
    for (size_t i = 0; i < phase->count; i += step)
        (void)fprintf(script, "%.6g %g\n", phase->rates[i], y - 0.3);
    (void)fputs("EOD\nset label ", script);
    gnuplot_put_text(script, name, NAME_LENGTH);
    (void)fprintf(script, " at graph 0, first %g right offset -0.8,0 tc %s\n",
                  y, gnuplot_ink(INK_TEXT));
    (void)fputs("set label ", script);
    gnuplot_put_text(script, chart_rate_text(text, phase->median), CHART_TEXT);
    (void)fprintf(script, " at graph 1, first %g left offset 0.8,0 tc %s\n", y,
                  ink);
}

static void put_rows(FILE *script, const struct rates *rates)
{
    double y = (double)rates->rows - 0.5;

    for (size_t i = 0; i < rates->count; i++) {
        const struct setup *const setup = rates->setups[i];

        if (i == 0 || rates->setups[i - 1]->section != setup->section) {
            (void)fputs("set label ", script);
            gnuplot_put_text(script, setup->section->title, NAME_LENGTH);
            (void)fprintf(script,
                          " at graph 0, first %g right offset -0.8,-0.2 tc "
                          "%s\n",
                          y, gnuplot_ink(chart_ink(setup->class)));
            y--;
        }
        put_row(script, rates, setup, setup_phase(setup, rates->phase), i, y);
        y--;
    }
}

static void plot_rows(FILE *script, const struct rates *rates)
{
    for (size_t i = 0; i < rates->count; i++) {
        const struct setup *const setup = rates->setups[i];
        const struct setup_phase *const phase =
            setup_phase(setup, rates->phase);
        const char *const ink = gnuplot_ink(chart_ink(setup->class));

        (void)fprintf(script,
                      "%s$runs%zu using 1:2 with points pt 7 ps 0.25 "
                      "lc %s",
                      i == 0 ? "plot " : ", \\\n", i, ink);
        if (phase->count > 1)
            (void)fprintf(script,
                          ", $row%zu using 3:2:($4-$3):(0) with vectors nohead "
                          "lw %s lc %s",
                          i, phase->interval ? "3" : "0.8", ink);
        (void)fprintf(script,
                      ", $row%zu using 1:2 with points pt %d ps 0.8 "
                      "lc %s",
                      i, chart_shape(setup), ink);
    }
    (void)fputc('\n', script);
}

static void put_phase(struct page *page, const struct rates *rates)
{
    const unsigned height = (unsigned)rates->rows * ROW + MARGINS;
    const struct chart_axis x =
        chart_log_axis(rates->low, rates->high, chart_rate_tick);
    const struct chart_axis y = { .low = 0, .high = (double)rates->rows };
    FILE *const script = gnuplot_begin(page->gnuplot, CHART_WIDTH, height);
    char label[256];

    chart_set_axes(script, &x, &y, CHART_WIDTH, left_margin(rates), RIGHT);
    (void)fprintf(script,
                  "set noytics\nset tmargin at screen %.4f\n"
                  "set bmargin at screen %.4f\n",
                  1 - 4.0 / height, 24.0 / height);
    put_rows(script, rates);
    plot_rows(script, rates);
    (void)snprintf(label, sizeof label,
                   "Operations per second of %.60s by store, on a logarithmic "
                   "axis; the figures are in the first table",
                   rates->phase);
    page_put_chart(page, rates->phase, label);
}

void page_put_rates(struct page *page)
{
    bool begun = false;

    for (size_t i = 0; i < page->phase_count; i++) {
        const struct rates rates = collect(page, page->phases[i]);

        if (rates.count == 0 || rates.low <= 0)
            continue;
        if (!begun)
            (void)fputs(
                "<section><h2>Rates</h2>\n"
                "<p class=\"note\">Operations per second on a logarithmic "
                "axis, one chart for each phase. A small dot is a run, the "
                "large mark their median, a thick line the median’s 95&nbsp;% "
                "interval; with fewer than six runs there is none, and a thin "
                "line goes from the lowest to the highest. Compare within a "
                "class only.</p>\n<div class=\"charts\">\n",
                page->html);
        begun = true;
        put_phase(page, &rates);
    }
    if (begun)
        (void)fputs("</div></section>\n", page->html);
}
