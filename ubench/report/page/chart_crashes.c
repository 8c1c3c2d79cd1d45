/* SPDX-License-Identifier: ISC */
/* A dot for each crash: how many leases it lost. */
#include "report/page/chart_crashes.h"

#include <math.h>
#include <string.h>

enum { NAME_LENGTH = 24, ROW = 20, MARGINS = 30, LEFT = 176, RIGHT = 16 };

/* Of a cell whose class is not known, or "mixed", the ink is that of none. */
static const char *ink_of(const struct loss_cell *cell)
{
    int class = DURABILITY_POWER_SAFE;

    while (class > DURABILITY_NONE &&
           strcmp(group_class_name(class), cell->class) != 0)
        class --;
    return chart_ink(class);
}

static bool is_told(const struct page *page, const struct loss_cell *cell)
{
    return cell->judged > 0 && losses_doubt(page->losses, cell) == NULL;
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
static void draw(struct page *page, const char *level, size_t rows)
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
        inks[row] = ink_of(cell);
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

void chart_crashes(struct page *page)
{
    static const char *const levels[] = { "1", "1b", "1c", "2", "3" };
    struct page_charts charts = { "<div class=\"charts\">\n", 0, 0 };

    for (size_t l = 0; l < sizeof levels / sizeof levels[0]; l++) {
        size_t rows = 0;

        for (size_t i = 0; i < page->losses->count; i++)
            rows += strcmp(page->losses->cells[i].level, levels[l]) == 0 &&
                    is_told(page, &page->losses->cells[i]);
        if (rows == 0)
            continue;
        const size_t shown = rows < PAGE_SHOWN_MAX ? rows : PAGE_SHOWN_MAX;
        charts.left_out += rows - shown;
        draw(page, levels[l], shown);
        page_put_chart(page, &charts,
                       arena_print(page->memory, "%s, leases lost",
                                   loss_level_name(levels[l])),
                       "Leases lost in each crash, a dot each, on an axis of "
                       "log(1 + x); how many crashes lost any is in the table");
    }
    page_end_charts(page, &charts, "row");
}
