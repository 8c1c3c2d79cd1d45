/* SPDX-License-Identifier: ISC */
/* Rates over whatever number varies: threads, sizes of groups and tables, a
   setting of a store.  A line joins groups that differ in nothing else. */
#include "report/page/chart_sweeps.h"

#include <math.h>
#include <string.h>

#include "core/units.h"
#include "measure/statistics.h"
#include "report/html.h"

enum { POINTS_MAX = 32, SWEEPS_MAX = 6, SEEDS_MAX = 200 };

/* Groups in the order of the value that varies. */
struct row {
    size_t count;
    size_t left_out; /* groups that found no room */
    const struct group *groups[POINTS_MAX];
    double values[POINTS_MAX];
};

struct sweep {
    struct key_item varies; /* a parameter or a fact */
    size_t count;
    struct row rows[CHART_LINES];
    size_t left_out; /* rows that found no room */
};

static const char *title(const char *name)
{
    static const struct {
        const char *name;
        const char *title;
    } titles[] = { { "threads", "Threads" },
                   { "batch", "Operations per transaction" },
                   { "preload", "Leases in the table beforehand" },
                   { "count", "Operations per phase, and so leases" } };

    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
        if (strcmp(titles[i].name, name) == 0)
            return titles[i].title;
    }
    return name;
}

/* The value as a number of 0 or more; false if it is none. */
static bool read_value(const struct group *group, const struct sweep *sweep,
                       double *value)
{
    const char *const text =
        key_value(&group->key, sweep->varies.kind, sweep->varies.name);
    uint64_t count;

    if (text == NULL)
        return false;
    if (units_scan_count(text, &count) == 0)
        *value = (double)count;
    else if (units_scan_real(text, value) < 0 || *value < 0)
        return false;
    return true;
}

static void insert(struct row *row, const struct group *group, double value)
{
    size_t place = row->count;

    if (row->count == POINTS_MAX)
        return;
    for (; place > 0 && row->values[place - 1] > value; place--) {
        row->values[place] = row->values[place - 1];
        row->groups[place] = row->groups[place - 1];
    }
    row->values[place] = value;
    row->groups[place] = group;
    row->count++;
}

static bool belongs(const struct sweep *sweep, const struct group *seed,
                    const struct group *group, double *value)
{
    return group->run_count > 0 && seed->section == group->section &&
           strcmp(seed->store, group->store) == 0 &&
           key_alike(&seed->key, &group->key, KEY_DURABILITY | KEY_REQUEST,
                     &sweep->varies) &&
           read_value(group, sweep, value);
}

/* Of more than there is room for, every so many. */
static struct row find_row(const struct page *page, const struct sweep *sweep,
                           const struct group *seed)
{
    struct row row = { .count = 0 };
    size_t found = 0;
    size_t seen = 0;
    double value;

    for (size_t i = 0; i < page->group_count; i++)
        found += belongs(sweep, seed, page->groups[i], &value);
    const size_t step = 1 + found / (POINTS_MAX + 1);
    for (size_t i = 0; i < page->group_count; i++) {
        if (belongs(sweep, seed, page->groups[i], &value) && seen++ % step == 0)
            insert(&row, page->groups[i], value);
    }
    row.left_out = found - row.count;
    return row;
}

static bool is_in_a_row(const struct sweep *sweep, const struct group *group)
{
    for (size_t i = 0; i < sweep->count; i++) {
        for (size_t k = 0; k < sweep->rows[i].count; k++) {
            if (sweep->rows[i].groups[k] == group)
                return true;
        }
    }
    return false;
}

/* The rows through the groups that stand for their store and class; if there
   are none, any. */
static void find_rows(struct sweep *sweep, const struct page *page)
{
    for (int any = 0; any < 2 && sweep->count == 0; any++) {
        for (size_t i = 0, tried = 0; i < page->group_count; i++) {
            const struct group *const group = page->groups[i];
            double value;

            if (group->class == DURABILITY_NONE ||
                (!any && !group->is_default) ||
                !read_value(group, sweep, &value) ||
                is_in_a_row(sweep, group) || tried++ == SEEDS_MAX)
                continue;
            const struct row row = find_row(page, sweep, group);
            if (row.count < 2)
                continue;
            if (sweep->count < CHART_LINES)
                sweep->rows[sweep->count++] = row;
            else
                sweep->left_out++;
        }
    }
}

/* A number of 0 lies one step before the least other one. */
static double position(double value, const double *values, size_t count)
{
    double least = 0;
    double next = 0;

    if (value > 0)
        return log10(value);
    for (size_t i = 0; i < count; i++) {
        if (values[i] > 0 && (least == 0 || values[i] < least))
            least = values[i];
    }
    for (size_t i = 0; i < count; i++) {
        if (values[i] > least && (next == 0 || values[i] < next))
            next = values[i];
    }
    if (least == 0)
        return 0;
    return log10(least) - (next > 0 ? log10(next / least) : 1);
}

static void value_text(char text[static CHART_TEXT], double value)
{
    if (value >= 1e6 && fmod(value, 1e5) == 0)
        (void)snprintf(text, CHART_TEXT, "%gM", value / 1e6);
    else if (value >= 1e4 && fmod(value, 100) == 0)
        (void)snprintf(text, CHART_TEXT, "%gk", value / 1e3);
    else
        (void)snprintf(text, CHART_TEXT, "%.6g", value);
}

/* A tick at each value, unless it would touch the one before. */
static struct chart_axis value_axis(double *values, size_t count)
{
    struct chart_axis axis = { .low = 0 };
    double last = 0;

    statistics_sort(values, count);
    axis.low = position(values[0], values, count);
    axis.high = position(values[count - 1], values, count);
    const double apart = (axis.high - axis.low) / 8;
    for (size_t i = 0; i < count; i++) {
        const double at = position(values[i], values, count);
        char text[CHART_TEXT];

        if (i > 0 && at - last < apart)
            continue;
        value_text(text, values[i]);
        chart_add_tick(&axis, at, text);
        last = at;
    }
    const double air = (axis.high - axis.low) * 0.05;
    axis.low -= air;
    axis.high += air;
    return axis;
}

/* The points of a row in one phase. */
static struct chart_line make_line(struct page *page, const struct row *row,
                                   const char *phase, const double *values,
                                   size_t value_count)
{
    struct chart_point *const points =
        arena_alloc(page->memory, row->count, sizeof *points);
    struct chart_line line = { .group = row->groups[0],
                               .marker_every = 1,
                               .points = points };

    for (size_t i = 0; i < row->count; i++) {
        const struct summary its = page_rates(page, row->groups[i], phase);

        if (its.count > 0)
            points[line.count++] = (struct chart_point){
                position(row->values[i], values, value_count),
                its.median,
                its.low,
                its.high,
            };
    }
    return line;
}

/* Moves lines sideways by a little, so that their whiskers can be told. */
static void set_apart(struct chart_lines *lines, double apart)
{
    const double middle = (double)(lines->count - 1) / 2;

    for (size_t i = 0; i < lines->count; i++) {
        for (size_t k = 0; k < lines->items[i].count; k++)
            lines->items[i].points[k].x += apart * ((double)i - middle);
    }
}

static void put_phase(struct page *page, const struct sweep *sweep,
                      const char *phase, const struct chart_axis *x,
                      const double *values, size_t value_count,
                      struct page_charts *charts)
{
    struct chart_lines lines = { .count = 0 };

    for (size_t i = 0; i < sweep->count; i++) {
        const struct chart_line line =
            make_line(page, &sweep->rows[i], phase, values, value_count);

        chart_lines_add(&lines, &line);
    }
    if (lines.count == 0)
        return;
    set_apart(&lines, (x->high - x->low) / 150);
    const struct chart_axis y =
        chart_log_axis(lines.y.low, lines.y.high, chart_rate_tick);
    chart_draw_lines(page->gnuplot, x, &y, &lines);
    page_put_chart(page, charts, phase,
                   arena_print(page->memory,
                               "Operations per second of %.60s over %.60s, a "
                               "line for each store and class; the figures are "
                               "in the table of all configurations",
                               phase, sweep->varies.name));
}

static void put_sweep(struct page *page, const struct sweep *sweep)
{
    struct page_charts charts = { "<div class=\"charts\">\n", 0, 0 };
    double values[CHART_LINES * POINTS_MAX];
    size_t count = 0;
    size_t left_out = 0;

    for (size_t i = 0; i < sweep->count; i++) {
        left_out += sweep->rows[i].left_out;
        for (size_t k = 0; k < sweep->rows[i].count; k++)
            values[count++] = sweep->rows[i].values[k];
    }
    const struct chart_axis x = value_axis(values, count);
    (void)fputs("<h3>", page->html);
    html_text(page->html, title(sweep->varies.name));
    (void)fputs("</h3>\n", page->html);
    for (size_t i = 0; i < page->phase_count; i++)
        put_phase(page, sweep, page->phases[i], &x, values, count, &charts);
    charts.left_out = sweep->left_out;
    page_end_charts(page, &charts, "line");
    page_note_left_out(page, left_out, "point");
}

/* The properties that have several values among the groups of one store and
   class, which are neighbours. */
static struct key_names find_names(const struct page *page)
{
    struct key_names names = { 0 };

    for (size_t i = 1; i < page->group_count; i++) {
        const struct group *const a = page->groups[i - 1];
        const struct group *const b = page->groups[i];

        if (a->class == b->class && strcmp(a->store, b->store) == 0)
            key_names_add_differences(page->memory, &names, &a->key, &b->key);
    }
    return names;
}

void chart_sweeps(struct page *page)
{
    const struct key_names names = find_names(page);
    struct sweep *const sweep = arena_alloc(page->memory, 1, sizeof *sweep);
    size_t drawn = 0;

    for (size_t i = 0; i < names.count; i++) {
        sweep->varies = names.items[i];
        sweep->count = 0;
        sweep->left_out = 0;
        if ((sweep->varies.kind & (KEY_PARAMETER | KEY_FACT)) != 0)
            find_rows(sweep, page);
        if (sweep->count == 0 || drawn++ >= SWEEPS_MAX)
            continue;
        if (drawn == 1)
            (void)fputs("<section><h2>What varies</h2>\n"
                        "<p class=\"note\">Operations per second, medians "
                        "with the interval of the first chart. A line joins "
                        "configurations of one store and class that differ in "
                        "this alone.</p>\n",
                        page->html);
        put_sweep(page, sweep);
    }
    if (drawn > SWEEPS_MAX)
        (void)fprintf(page->html,
                      "<p class=\"note\">Left out: %zu more settings that "
                      "vary; the table of all configurations has them.</p>\n",
                      drawn - SWEEPS_MAX);
    if (drawn > 0)
        (void)fputs("</section>\n", page->html);
}
