/* SPDX-License-Identifier: ISC */
/* What crashes lost: what contradicts a class, a table, and a dot for each
   crash. */
#include "report/page/page_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/page/html.h"

enum { NAME_LENGTH = 24, ROW = 20, MARGINS = 30, LEFT = 176, RIGHT = 16 };

void page_put_contradictions(struct page *page)
{
    for (size_t i = 0; i < page->losses->count; i++) {
        const struct loss_cell *const cell = &page->losses->cells[i];

        if (!losses_contradict(page->losses, cell))
            continue;
        (void)fputs("<p class=\"warning\">⚠ Contradiction: ", page->html);
        html_text_cut(page->html, cell->name, 80);
        (void)fprintf(page->html,
                      " is %s by its settings, and lost acknowledged changes "
                      "in %" PRIu64 " of %" PRIu64 " crashes (%s).</p>\n",
                      cell->class, cell->lossy, cell->judged,
                      loss_level_name(cell->level));
    }
}

void page_put_observed(struct page *page, const struct setup *setup)
{
    if (page->losses->count == 0 || setup->class == SETUP_NONE ||
        setup->class == SETUP_PUBLISHED)
        return;
    const char *const text =
        losses_tell(page->losses, setup_newest(setup), page->memory);

    (void)fputs("<small>lossy crashes: ", page->html);
    html_text(page->html, text[0] != '\0' ? text : "not tested");
    (void)fputs("</small>", page->html);
}

static enum setup_class class_of(const struct loss_cell *cell)
{
    enum setup_class class = SETUP_POWER_SAFE;

    while (class < SETUP_NONE &&
           strcmp(setup_class_name(class), cell->class) != 0)
        class ++;
    return class;
}

/* True if there is something to draw of it, too. */
static bool is_told(const struct page *page, const struct loss_cell *cell)
{
    return cell->judged > 0 && losses_doubt(page->losses, cell) == NULL;
}

static void put_cell(struct page *page, const struct loss_cell *cell)
{
    FILE *const html = page->html;
    const char *const doubt = losses_doubt(page->losses, cell);

    (void)fprintf(html, "<tr class=\"c-%s\"><th scope=\"row\">",
                  setup_class_name(class_of(cell)));
    html_text_cut(html, cell->name, 60);
    (void)fprintf(
        html, "<small>%s%s%s</small></th>", cell->class,
        loss_is_meant(cell) ? ", control: must lose" : "",
        losses_contradict(page->losses, cell) ? ", contradicts its class" : "");
    (void)fprintf(html, "<td data-name=\"crash\">%s</td>",
                  loss_level_name(cell->level));
    if (is_told(page, cell))
        (void)fprintf(html,
                      "<td data-name=\"lossy\">%" PRIu64 " of %" PRIu64
                      "</td><td data-name=\"at most\">%.3g&nbsp;%%</td>",
                      cell->lossy, cell->judged, 100 * loss_bound(cell));
    else
        (void)fprintf(html,
                      "<td data-name=\"lossy\">no verdict<small>%s</small>"
                      "</td><td data-name=\"at most\">–</td>",
                      doubt != NULL ? doubt : "no crash could be judged");
    (void)fprintf(html, "<td data-name=\"not judged\">%" PRIu64 "</td></tr>\n",
                  cell->invalid);
}

/* The data of a row: a dot for each crash, spread a little so that equal ones
   can be told apart; returns the most leases that any lost. */
static double put_dots(FILE *script, const struct loss_cell *cell, double y)
{
    double most = 0;

    for (size_t i = 0; i < cell->judged; i++) {
        const uint64_t leases = cell->crashes[i].leases;

        if (leases == RECORD_UNKNOWN)
            continue;
        most = fmax(most, (double)leases);
        (void)fprintf(script, "%.4f %.3f\n", log10(1 + (double)leases),
                      y + 0.5 * ((double)(i % 7) / 6 - 0.5));
    }
    return most;
}

/* Leases on an axis of log(1 + x), so that 0 has a place on it. */
static struct chart_axis leases_axis(double most)
{
    struct chart_axis axis = { .low = -0.1, .high = log10(1 + most) + 0.2 };
    char text[CHART_TEXT];

    chart_add_tick(&axis, 0, "0");
    for (double at = 1; log10(1 + at) < axis.high; at *= 10)
        chart_add_tick(&axis, log10(1 + at), chart_rate_tick(text, at));
    return axis;
}

/* One level of all campaigns. */
static void put_chart(struct page *page, const char *level, size_t rows)
{
    const unsigned height = (unsigned)rows * ROW + MARGINS;
    FILE *const script = gnuplot_begin(page->gnuplot, CHART_WIDTH, height);
    const char *inks[PAGE_SHOWN_MAX];
    const struct chart_axis y = { .low = 0, .high = (double)rows };
    double most = 0;
    size_t row = 0;

    for (size_t i = 0; i < page->losses->count && row < rows; i++) {
        const struct loss_cell *const cell = &page->losses->cells[i];
        const double at = (double)(rows - row) - 0.5;

        if (strcmp(cell->level, level) != 0 || !is_told(page, cell))
            continue;
        inks[row] = gnuplot_ink(chart_ink(class_of(cell)));
        (void)fprintf(script, "$cell%zu << EOD\n", row);
        most = fmax(most, put_dots(script, cell, at));
        (void)fputs("EOD\nset label ", script);
        gnuplot_put_text(script, cell->name, NAME_LENGTH);
        (void)fprintf(script, " at graph 0, first %g right offset -0.8,0\n",
                      at);
        row++;
    }
    const struct chart_axis x = leases_axis(most);
    chart_set_axes(script, &x, &y, CHART_WIDTH, LEFT, RIGHT);
    (void)fprintf(script,
                  "set noytics\nset tmargin at screen %.4f\n"
                  "set bmargin at screen %.4f\n",
                  1 - 4.0 / height, 24.0 / height);
    for (size_t i = 0; i < row; i++)
        (void)fprintf(script,
                      "%s$cell%zu using 1:2 with points pt 7 ps 0.3 lc %s",
                      i == 0 ? "plot " : ", \\\n", i, inks[i]);
    (void)fputc('\n', script);
}

static void put_charts(struct page *page)
{
    static const char *const levels[] = { "1", "1b", "1c", "2", "3" };

    (void)fputs("<div class=\"charts\">\n", page->html);
    for (size_t l = 0; l < sizeof levels / sizeof levels[0]; l++) {
        size_t rows = 0;
        char caption[64];

        for (size_t i = 0; i < page->losses->count; i++)
            rows += strcmp(page->losses->cells[i].level, levels[l]) == 0 &&
                    is_told(page, &page->losses->cells[i]);
        if (rows == 0)
            continue;
        put_chart(page, levels[l],
                  rows < PAGE_SHOWN_MAX ? rows : PAGE_SHOWN_MAX);
        (void)snprintf(caption, sizeof caption, "%s, leases lost",
                       loss_level_name(levels[l]));
        page_put_chart(page, caption,
                       "Leases lost in each crash, a dot each, on an axis of "
                       "log(1 + x); how many crashes lost any is in the table");
        if (rows > PAGE_SHOWN_MAX)
            (void)fprintf(page->html,
                          "<p class=\"note\">Left out: %zu more, which are in "
                          "the table.</p>\n",
                          rows - PAGE_SHOWN_MAX);
    }
    (void)fputs("</div>\n", page->html);
}

void page_put_losses(struct page *page)
{
    if (page->losses->count == 0)
        return;
    (void)fputs(
        "<section><h2>What was lost in crashes</h2>\n"
        "<p class=\"note\">Lossy: crashes that lost or damaged something "
        "that was acknowledged. At most: how often that happens in truth, "
        "with a confidence of 95&nbsp;%. Where a campaign’s controls failed "
        "there is no verdict.</p>\n"
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" "
        "aria-label=\"What was lost in crashes\">\n<table class=\"rates\">"
        "<caption>What was lost in crashes</caption>\n<thead><tr>"
        "<th scope=\"col\">settings</th><th scope=\"col\">crash</th>"
        "<th scope=\"col\">lossy</th><th scope=\"col\">at most</th>"
        "<th scope=\"col\">not judged</th></tr></thead>\n<tbody>\n",
        page->html);
    for (size_t i = 0; i < page->losses->count; i++)
        put_cell(page, &page->losses->cells[i]);
    (void)fputs("</tbody></table></div>\n", page->html);
    put_charts(page);
    (void)fputs("</section>\n", page->html);
}
