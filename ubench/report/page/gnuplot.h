/* SPDX-License-Identifier: ISC */
/*
 * Many charts from one gnuplot process: scripts go in, SVG elements come out,
 * made fit for one HTML page.  Knows nothing of results.
 *
 * Colours are inks, named places in the page's style sheet, so that a chart
 * follows a reader's light or dark theme.  Never give gnuplot a foreign text
 * but by gnuplot_put_text: its language can run commands.
 */
#ifndef UBENCH_REPORT_PAGE_GNUPLOT_H
#define UBENCH_REPORT_PAGE_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/err.h"

/* In a script an ink is rgb '#nn0000', see gnuplot_ink; in the SVG it is
   var(--its-name). */
enum ink {
    INK_TEXT = 1,
    INK_FAINT, /* text that matters less */
    INK_GRID,
    INK_BAND, /* a shade behind the figures */
    INK_POWER_SAFE,
    INK_BOUNDED,
    INK_PROCESS_SAFE,
    INK_VOLATILE,
    INK_NONE,
    INK_PUBLISHED,
    INK_END
};

/* "--power-safe" */
const char *gnuplot_ink_variable(enum ink ink);

/* What stands in a script: "rgb '#050000'".  Lives as long as the program. */
const char *gnuplot_ink(enum ink ink);

struct gnuplot;

/* NULL, with err, if there is no room for the script. */
struct gnuplot *gnuplot_new(struct err *err);
void gnuplot_free(struct gnuplot *gnuplot); /* NULL is fine */

/*
 * Begins a chart, width by height units large; a letter is 12 high.  Returns
 * the stream for its commands, of which the last is a plot; the stream belongs
 * to gnuplot.  Charts are numbered from 0.
 */
FILE *gnuplot_begin(struct gnuplot *gnuplot, unsigned width, unsigned height);

/* How many were begun. */
size_t gnuplot_count(const struct gnuplot *gnuplot);

/* Writes text as a quoted string: characters that mean something to gnuplot
   become a blank, and what is longer than max characters is cut. */
void gnuplot_put_text(FILE *script, const char *text, size_t max);

/* Draws all of them.  Returns 0, or -1 with err if there is no gnuplot or it
   failed; those before the one that failed can then be had. */
int gnuplot_draw(struct gnuplot *gnuplot, struct err *err);

/*
 * Writes chart number i as one <svg> element; label, foreign text, says to
 * those who cannot see it what it shows.  False, and nothing is written, if
 * there is no such picture.  Chart 0 has the symbols for all the others: where
 * that is not in the page, they show no points.
 */
bool gnuplot_write_svg(const struct gnuplot *gnuplot, size_t i,
                       const char *label, FILE *out);

#endif
