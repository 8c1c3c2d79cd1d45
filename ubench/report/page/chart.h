/* SPDX-License-Identifier: ISC */
/*
 * What the charts of a page have in common: inks and shapes of a group, axes
 * with their ticks, and a chart of lines with their names at the end.
 */
#ifndef UBENCH_REPORT_PAGE_CHART_H
#define UBENCH_REPORT_PAGE_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "record/group.h"
#include "report/page/gnuplot.h"

/* Wide enough for half a desktop, narrow enough to be read on a phone. */
enum {
    CHART_WIDTH = 440,
    CHART_TEXT = 24,
    CHART_TICKS = 32,
    CHART_LINES = 16,
    CHART_LIMITS = 4
};

/* The text of a tick is a format to gnuplot: %% is a per cent sign. */
struct chart_tick {
    double at;
    char text[CHART_TEXT];
};

/* From low to high; on a logarithmic one both are above 0. */
struct chart_axis {
    bool logarithmic;
    double low, high;
    size_t limit_count; /* of a y axis: lines across the chart */
    struct chart_tick limits[CHART_LIMITS];
    size_t tick_count;
    struct chart_tick ticks[CHART_TICKS];
};

/* A point's low and high are equal where there is nothing to show. */
struct chart_point {
    double x, y;
    double low, high;
};

struct chart_line {
    const struct group *group; /* says ink, shape and name */
    const char *name;          /* at its end; NULL: the store's */
    bool unconnected;          /* its points are not joined */
    size_t marker_every;       /* so many points have a mark; 1: and whiskers */
    size_t count;
    struct chart_point *points; /* ordered by x */
};

/* From the least of some values to the greatest; those that are not above 0 do
   not count.  Zeroed: of none. */
struct chart_range {
    double low, high;
};

/* The lines of one chart, and what their points reach from and to. */
struct chart_lines {
    size_t count;
    size_t left_out;
    struct chart_line items[CHART_LINES];
    struct chart_range x, y;
};

void chart_range_add(struct chart_range *range, double value);

/* Adds a line, unless it has too few points to be one; or, if there are
   CHART_LINES, counts it as left out. */
void chart_lines_add(struct chart_lines *lines, const struct chart_line *line);

/* Colour says the class, as gnuplot_ink has it; shape and words say the
   store. */
const char *chart_ink(int class);
int chart_shape(const struct group *group); /* gnuplot's point type */

/* The shape of a store as an element of SVG, about 2 by 2 around the origin,
   and the dashes of a class as a stroke-dasharray. */
const char *chart_shape_svg(const char *store);
const char *chart_dashes_svg(int class);

/* "24.1", "3,120", "106k", "1.07M": three digits or four. */
char *chart_rate_text(char text[static CHART_TEXT], double rate);

/* What stands beside an axis: "10k", and "100 µs" for nanoseconds. */
char *chart_rate_tick(char text[static CHART_TEXT], double rate);
char *chart_time_tick(char text[static CHART_TEXT], double time_ns);

/* A logarithmic axis that holds low to high, with some air and at least two
   ticks.  write gives a tick its text. */
typedef char *chart_write_value(char text[static CHART_TEXT], double value);
struct chart_axis chart_log_axis(double low, double high,
                                 chart_write_value *write);

/* From 0 to high, in steps of 1, 2 or 5 times a power of ten. */
struct chart_axis chart_linear_axis(double high, chart_write_value *write);

/* "10 s", for an axis of seconds. */
char *chart_second_tick(char text[static CHART_TEXT], double time_s);

/* Adds a tick; beyond CHART_TICKS nothing happens. */
void chart_add_tick(struct chart_axis *axis, double at, const char *text);

/* Adds a line across the chart at a value of a y axis, unless it has that one;
   beyond CHART_LIMITS nothing happens. */
void chart_add_limit(struct chart_axis *y, double at, const char *text);

/* Where a value lies on an axis: 0 at its low, 1 at its high end. */
double chart_place(const struct chart_axis *axis, double value);

/* Commands that set both axes, grid and margins; left and right are the widths
   of what stands beside the axes, in units of the chart. */
void chart_set_axes(FILE *script, const struct chart_axis *x,
                    const struct chart_axis *y, unsigned width, unsigned left,
                    unsigned right);

/* Draws lines, of which there is one, each with its name at its end. */
void chart_draw_lines(struct gnuplot *gnuplot, const struct chart_axis *x,
                      const struct chart_axis *y,
                      const struct chart_lines *lines);

#endif
