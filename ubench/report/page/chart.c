/* SPDX-License-Identifier: ISC */
#include "report/page/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEIGHT = 280, LEFT = 52, RIGHT = 72, NAME_MAX_LENGTH = 11 };

/* Colour alone must not tell classes apart: so do dashes. */
static const struct {
    enum ink ink;
    const char *gnuplot;
    const char *svg;
} classes[GROUP_CLASSES] = {
    [DURABILITY_POWER_SAFE] = { INK_POWER_SAFE, "solid", "none" },
    [DURABILITY_BOUNDED] = { INK_BOUNDED, "(14,6)", "7,3" },
    [DURABILITY_PROCESS_SAFE] = { INK_PROCESS_SAFE, "(6,5)", "3,2.5" },
    [DURABILITY_VOLATILE] = { INK_VOLATILE, "(2,4)", "1,2" },
    [DURABILITY_NONE] = { INK_NONE, "(12,4,2,4)", "6,2,1,2" },
    [GROUP_PUBLISHED] = { INK_PUBLISHED, "(3,9)", "1.5,4.5" },
};

const char *chart_ink(int class)
{
    return gnuplot_ink(classes[class].ink);
}

const char *chart_dashes_svg(int class)
{
    return classes[class].svg;
}

/* The type of gnuplot's filled points; the one before is the same, hollow. */
static const struct {
    const char *store; /* NULL: any other */
    int type;
    const char *svg;
} shapes[] = {
    { "memfile", 7, "<circle r=\"1.2\"/>" },
    { "sqlite", 9, "<path d=\"M0,-1.5 L1.5,1.1 L-1.5,1.1 z\"/>" },
    { "mysql", 5, "<path d=\"M-1.1,-1.1 h2.2 v2.2 h-2.2 z\"/>" },
    { "pgsql", 13, "<path d=\"M0,-1.6 L1.6,0 L0,1.6 L-1.6,0 z\"/>" },
    { NULL, 11, "<path d=\"M0,1.5 L1.5,-1.1 L-1.5,-1.1 z\"/>" },
};

static size_t find_shape(const char *store)
{
    size_t i = 0;

    while (shapes[i].store != NULL && strcmp(shapes[i].store, store) != 0)
        i++;
    return i;
}

int chart_shape(const struct group *group)
{
    const int type = shapes[find_shape(group->store)].type;

    return group->class == GROUP_PUBLISHED ? type - 1 : type;
}

const char *chart_shape_svg(const char *store)
{
    return shapes[find_shape(store)].svg;
}

void chart_range_add(struct chart_range *range, double value)
{
    if (!(value > 0))
        return;
    if (!(range->low > 0) || value < range->low)
        range->low = value;
    if (value > range->high)
        range->high = value;
}

void chart_lines_add(struct chart_lines *lines, const struct chart_line *line)
{
    if (line->count < (line->unconnected ? 1 : 2))
        return;
    if (lines->count == CHART_LINES) {
        lines->left_out++;
        return;
    }
    for (size_t i = 0; i < line->count; i++) {
        chart_range_add(&lines->x, line->points[i].x);
        chart_range_add(&lines->y, line->points[i].y);
        chart_range_add(&lines->y, line->points[i].low);
        chart_range_add(&lines->y, line->points[i].high);
    }
    lines->items[lines->count++] = *line;
}

char *chart_rate_text(char text[static CHART_TEXT], double rate)
{
    static const struct {
        double from;
        double unit;
        const char *name;
    } units[] = { { 999.5e6, 1e9, "G" },
                  { 999.5e3, 1e6, "M" },
                  { 9999.5, 1e3, "k" } };
    const unsigned whole = (unsigned)(rate < 9999.5 ? rate + 0.5 : 0);

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        const double value = rate / units[i].unit;

        if (rate < units[i].from)
            continue;
        (void)snprintf(text, CHART_TEXT, "%.*f%s",
                       value < 9.995   ? 2
                       : value < 99.95 ? 1
                                       : 0,
                       value, units[i].name);
        return text;
    }
    if (rate >= 999.5)
        (void)snprintf(text, CHART_TEXT, "%u,%03u", whole / 1000, whole % 1000);
    else
        (void)snprintf(text, CHART_TEXT, "%.3g", rate);
    return text;
}

char *chart_rate_tick(char text[static CHART_TEXT], double rate)
{
    const char *const unit = rate >= 1e6 ? "M" : rate >= 1e3 ? "k" : "";
    const double size = rate >= 1e6 ? 1e6 : rate >= 1e3 ? 1e3 : 1;

    (void)snprintf(text, CHART_TEXT, "%.6g%s", rate / size, unit);
    return text;
}

char *chart_time_tick(char text[static CHART_TEXT], double time_ns)
{
    static const char *const units[] = { "ns", "\xc2\xb5s", "ms", "s" };
    size_t unit = 0;

    for (; time_ns >= 999.5 && unit < 3; unit++)
        time_ns /= 1000;
    (void)snprintf(text, CHART_TEXT, "%.6g %s", time_ns, units[unit]);
    return text;
}

char *chart_second_tick(char text[static CHART_TEXT], double time_s)
{
    (void)snprintf(text, CHART_TEXT, "%.6g s", time_s);
    return text;
}

void chart_add_tick(struct chart_axis *axis, double at, const char *text)
{
    if (axis->tick_count == CHART_TICKS)
        return;
    struct chart_tick *const tick = &axis->ticks[axis->tick_count++];
    tick->at = at;
    (void)snprintf(tick->text, sizeof tick->text, "%s", text);
}

void chart_add_limit(struct chart_axis *y, double at, const char *text)
{
    for (size_t i = 0; i < y->limit_count; i++) {
        if (!islessgreater(y->limits[i].at, at))
            return;
    }
    if (y->limit_count == CHART_LIMITS)
        return;
    struct chart_tick *const limit = &y->limits[y->limit_count++];
    limit->at = at;
    (void)snprintf(limit->text, sizeof limit->text, "%s", text);
}

/* Adds the ticks 1, 2 and 5 (or 1 alone) times a power of ten that fit. */
static void add_log_ticks(struct chart_axis *axis, bool all,
                          chart_write_value *write)
{
    static const double steps[] = { 1, 2, 5 };
    const int first = (int)floor(log10(axis->low));
    const int last = (int)ceil(log10(axis->high));

    for (int power = first; power <= last; power++) {
        for (size_t i = 0; i < (all ? 3 : 1); i++) {
            const double at = steps[i] * pow(10, power);
            char text[CHART_TEXT];

            if (at >= axis->low * 0.999 && at <= axis->high * 1.001)
                chart_add_tick(axis, at, write(text, at));
        }
    }
}

struct chart_axis chart_log_axis(double low, double high,
                                 chart_write_value *write)
{
    struct chart_axis axis = { .logarithmic = true,
                               .low = low / 1.3,
                               .high = high * 1.3 };

    /* At least as much as a factor of five: less looks like much. */
    if (axis.high / axis.low < 5) {
        const double middle = sqrt(axis.low * axis.high);

        axis.low = middle / sqrt(5);
        axis.high = middle * sqrt(5);
    }
    add_log_ticks(&axis, axis.high / axis.low < 150, write);
    return axis;
}

struct chart_axis chart_linear_axis(double high, chart_write_value *write)
{
    static const double steps[] = { 1, 2, 5 };
    struct chart_axis axis = { .high = high };
    double step = 0;

    for (int power = (int)floor(log10(high)) - 1; step <= 0; power++) {
        for (size_t i = 0; i < 3 && step <= 0; i++) {
            if (high / (steps[i] * pow(10, power)) <= 6)
                step = steps[i] * pow(10, power);
        }
    }
    for (size_t i = 0; (double)i * step <= high * 1.0001; i++) {
        char text[CHART_TEXT];

        chart_add_tick(&axis, (double)i * step, write(text, (double)i * step));
    }
    return axis;
}

double chart_place(const struct chart_axis *axis, double value)
{
    if (axis->logarithmic)
        return log(value / axis->low) / log(axis->high / axis->low);
    return (value - axis->low) / (axis->high - axis->low);
}

static void set_axis(FILE *script, char name, const struct chart_axis *axis)
{
    const char *separator = "";

    if (axis->logarithmic)
        (void)fprintf(script, "set logscale %c\n", name);
    (void)fprintf(script, "set %crange [%.9g:%.9g]\nset %ctics scale 0 (", name,
                  axis->low, axis->high, name);
    for (size_t i = 0; i < axis->tick_count; i++) {
        (void)fputs(separator, script);
        gnuplot_put_text(script, axis->ticks[i].text, CHART_TEXT);
        (void)fprintf(script, " %.9g", axis->ticks[i].at);
        separator = ", ";
    }
    (void)fprintf(script, ") textcolor %s\n", gnuplot_ink(INK_FAINT));
}

/* The line, and above it what it is. */
static void set_limit(FILE *script, const struct chart_tick *limit)
{
    const char *const ink = gnuplot_ink(INK_TEXT);

    (void)fprintf(script,
                  "set arrow from graph 0, first %.9g to graph 1, first %.9g "
                  "nohead lw 1 dt (8,5) lc %s\nset label ",
                  limit->at, limit->at, ink);
    gnuplot_put_text(script, limit->text, CHART_TEXT);
    (void)fprintf(script, " at graph 0.01, first %.9g offset 0,0.6 tc %s\n",
                  limit->at, ink);
}

void chart_set_axes(FILE *script, const struct chart_axis *x,
                    const struct chart_axis *y, unsigned width, unsigned left,
                    unsigned right)
{
    (void)fprintf(script,
                  "unset key\nset border 0\n"
                  "set grid xtics ytics lt 1 lc %s lw 1 dt solid\n"
                  "set lmargin at screen %.4f\nset rmargin at screen %.4f\n",
                  gnuplot_ink(INK_GRID), (double)left / width,
                  1 - (double)right / width);
    set_axis(script, 'x', x);
    set_axis(script, 'y', y);
    for (size_t i = 0; i < y->limit_count; i++)
        set_limit(script, &y->limits[i]);
}

static void put_points(FILE *script, size_t number,
                       const struct chart_line *line)
{
    (void)fprintf(script, "$line%zu << EOD\n", number);
    for (size_t i = 0; i < line->count; i++)
        (void)fprintf(script, "%.9g %.6g %.6g %.6g\n", line->points[i].x,
                      line->points[i].y, line->points[i].low,
                      line->points[i].high);
    (void)fputs("EOD\n", script);
}

struct name_at {
    const struct chart_line *line;
    double y; /* in units of the chart, from the axis upward */
};

static int compare_heights(const void *left, const void *right)
{
    const struct name_at *const a = left;
    const struct name_at *const b = right;

    return (a->y > b->y) - (a->y < b->y);
}

/* Pushes names that would overlap apart, up and then down again. */
static void spread_names(struct name_at *names, size_t count, double height)
{
    const double apart = 13;

    qsort(names, count, sizeof *names, compare_heights);
    for (size_t i = 1; i < count; i++) {
        if (names[i].y < names[i - 1].y + apart)
            names[i].y = names[i - 1].y + apart;
    }
    for (size_t i = count; i-- > 0;) {
        const double top = i + 1 < count ? names[i + 1].y - apart : height;

        if (names[i].y > top)
            names[i].y = top;
    }
}

/* From a line's end to its name. */
static void put_leader(FILE *script, const struct chart_line *line, double y)
{
    const struct chart_point *const end = &line->points[line->count - 1];

    (void)fprintf(script,
                  "set arrow from %.9g,%.6g to graph 1.025, graph %.4f nohead "
                  "lw 0.5 lc %s\n",
                  end->x, end->y, y, chart_ink(line->group->class));
}

static void put_names(FILE *script, const struct chart_axis *y,
                      const struct chart_lines *lines)
{
    const double height = HEIGHT - 40;
    struct name_at names[CHART_LINES];

    for (size_t i = 0; i < lines->count; i++) {
        const struct chart_line *const line = &lines->items[i];

        names[i] = (struct name_at){
            line, height * chart_place(y, line->points[line->count - 1].y)
        };
    }
    spread_names(names, lines->count, height);
    for (size_t i = 0; i < lines->count; i++) {
        const struct chart_line *const line = names[i].line;

        (void)fputs("set label ", script);
        gnuplot_put_text(script,
                         line->name != NULL ? line->name : line->group->store,
                         NAME_MAX_LENGTH);
        (void)fprintf(script, " at graph 1.03, graph %.4f left textcolor %s\n",
                      names[i].y / height, chart_ink(line->group->class));
        put_leader(script, line, names[i].y / height);
    }
}

static void plot_line(FILE *script, size_t number,
                      const struct chart_line *line)
{
    const struct group *const group = line->group;
    const char *const ink = chart_ink(group->class);

    (void)fputs(number == 0 ? "plot " : ", \\\n", script);
    if (!line->unconnected)
        (void)fprintf(script,
                      "$line%zu using 1:2 with lines lw 1.6 dt %s lc %s, ",
                      number, classes[group->class].gnuplot, ink);
    if (!line->unconnected && line->marker_every == 1)
        (void)fprintf(script,
                      "$line%zu using 1:3:(0):($4-$3) with vectors nohead lw "
                      "1.2 dt solid lc %s, ",
                      number, ink);
    (void)fprintf(script,
                  "$line%zu every %zu using 1:2 with points pt %d ps %s "
                  "lc %s",
                  number, line->marker_every, chart_shape(group),
                  line->marker_every == 1 ? "0.7" : "0.5", ink);
}

void chart_draw_lines(struct gnuplot *gnuplot, const struct chart_axis *x,
                      const struct chart_axis *y,
                      const struct chart_lines *lines)
{
    FILE *const script = gnuplot_begin(gnuplot, CHART_WIDTH, HEIGHT);

    chart_set_axes(script, x, y, CHART_WIDTH, LEFT, RIGHT);
    (void)fprintf(script,
                  "set tmargin at screen %.4f\n"
                  "set bmargin at screen %.4f\n",
                  1 - 10.0 / HEIGHT, 30.0 / HEIGHT);
    put_names(script, y, lines);
    for (size_t i = 0; i < lines->count; i++)
        put_points(script, i, &lines->items[i]);
    for (size_t i = 0; i < lines->count; i++)
        plot_line(script, i, &lines->items[i]);
    (void)fputc('\n', script);
}
