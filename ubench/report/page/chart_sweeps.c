/* SPDX-License-Identifier: ISC */
/* Rates over whatever number varies: threads, sizes of groups and tables, a
   setting of a store.  A line joins setups that differ in nothing else. */
#include "report/page/page_parts.h"

#include <math.h>
#include <string.h>

#include "core/units.h"
#include "measure/statistics.h"
#include "report/page/html.h"

enum { POINTS_MAX = 32, SWEEPS_MAX = 6, SEEDS_MAX = 200, NAMES_MAX = 64 };

/* Setups in the order of the value that varies. */
struct row {
    size_t count;
    size_t left_out; /* setups that found no room */
    const struct setup *setups[POINTS_MAX];
    double values[POINTS_MAX];
};

struct sweep {
    enum setup_item_kind kind;
    const char *name;
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
static bool read_value(const struct setup *setup, const struct sweep *sweep,
                       double *value)
{
    const char *const text = setup_value(setup, sweep->kind, sweep->name);
    uint64_t count;

    if (text == NULL)
        return false;
    if (units_scan_count(text, &count) == 0)
        *value = (double)count;
    else if (units_scan_real(text, value) < 0 || *value < 0)
        return false;
    return true;
}

static void insert(struct row *row, const struct setup *setup, double value)
{
    size_t place = row->count;

    if (row->count == POINTS_MAX)
        return;
    for (; place > 0 && row->values[place - 1] > value; place--) {
        row->values[place] = row->values[place - 1];
        row->setups[place] = row->setups[place - 1];
    }
    row->values[place] = value;
    row->setups[place] = setup;
    row->count++;
}

static bool belongs(const struct sweep *sweep, const struct setup *seed,
                    const struct setup *setup, double *value)
{
    return setup->run_count > 0 &&
           setups_alike(seed, setup, sweep->kind, sweep->name) &&
           read_value(setup, sweep, value);
}

/* Of more than there is room for, every so many. */
static struct row find_row(const struct setups *setups,
                           const struct sweep *sweep, const struct setup *seed)
{
    struct row row = { .count = 0 };
    size_t found = 0;
    size_t seen = 0;
    double value;

    for (size_t i = 0; i < setups->count; i++)
        found += belongs(sweep, seed, &setups->items[i], &value);
    const size_t step = 1 + found / (POINTS_MAX + 1);
    for (size_t i = 0; i < setups->count; i++) {
        const struct setup *const setup = &setups->items[i];

        if (belongs(sweep, seed, setup, &value) && seen++ % step == 0)
            insert(&row, setup, value);
    }
    row.left_out = found - row.count;
    return row;
}

static bool is_in_a_row(const struct sweep *sweep, const struct setup *setup)
{
    for (size_t i = 0; i < sweep->count; i++) {
        for (size_t k = 0; k < sweep->rows[i].count; k++) {
            if (sweep->rows[i].setups[k] == setup)
                return true;
        }
    }
    return false;
}

/* The rows through the setups that stand for their store and class; if there
   are none, any. */
static void find_rows(struct sweep *sweep, const struct setups *setups)
{
    for (int any = 0; any < 2 && sweep->count == 0; any++) {
        for (size_t i = 0, tried = 0; i < setups->count; i++) {
            const struct setup *const setup = &setups->items[i];
            double value;

            if (setup->class == SETUP_NONE || (!any && !setup->usual) ||
                !read_value(setup, sweep, &value) ||
                is_in_a_row(sweep, setup) || tried++ == SEEDS_MAX)
                continue;
            const struct row row = find_row(setups, sweep, setup);
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
    struct chart_line line = { .setup = row->setups[0],
                               .marked = 1,
                               .points = points };

    for (size_t i = 0; i < row->count; i++) {
        const struct setup_phase *const its =
            setup_phase(row->setups[i], phase);

        if (its != NULL && its->count > 0 && its->low > 0)
            points[line.count++] = (struct chart_point){
                position(row->values[i], values, value_count),
                its->median,
                its->low,
                its->high,
            };
    }
    return line;
}

/* Moves lines sideways by a little, so that their whiskers can be told. */
static void set_apart(struct chart_line *lines, size_t count, double apart)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < lines[i].count; k++)
            lines[i].points[k].x +=
                apart * ((double)i - (double)(count - 1) / 2);
    }
}

static void put_phase(struct page *page, const struct sweep *sweep,
                      const char *phase, const struct chart_axis *x,
                      const double *values, size_t value_count)
{
    struct chart_line lines[CHART_LINES];
    size_t count = 0;
    double low = 0;
    double high = 0;
    char label[256];

    for (size_t i = 0; i < sweep->count; i++) {
        const struct chart_line line =
            make_line(page, &sweep->rows[i], phase, values, value_count);

        if (line.count < 2)
            continue;
        for (size_t k = 0; k < line.count; k++) {
            const struct chart_point *const point = &line.points[k];

            low = low == 0 || point->low < low ? point->low : low;
            high = point->high > high ? point->high : high;
        }
        lines[count++] = line;
    }
    if (count == 0)
        return;
    set_apart(lines, count, (x->high - x->low) / 150);
    const struct chart_axis y = chart_log_axis(low, high, chart_rate_tick);
    chart_draw_lines(page->gnuplot, x, &y, lines, count);
    (void)snprintf(label, sizeof label,
                   "Operations per second of %.60s over %.60s, a line for each "
                   "store and class; the figures are in the table of all "
                   "setups",
                   phase, sweep->name);
    page_put_chart(page, phase, label);
}

static void put_sweep(struct page *page, const struct sweep *sweep)
{
    double values[CHART_LINES * POINTS_MAX];
    size_t count = 0;

    for (size_t i = 0; i < sweep->count; i++) {
        for (size_t k = 0; k < sweep->rows[i].count; k++)
            values[count++] = sweep->rows[i].values[k];
    }
    const struct chart_axis x = value_axis(values, count);
    (void)fputs("<h3>", page->html);
    html_text(page->html, title(sweep->name));
    (void)fputs("</h3>\n<div class=\"charts\">\n", page->html);
    for (size_t i = 0; i < page->phase_count; i++)
        put_phase(page, sweep, page->phases[i], &x, values, count);
    (void)fputs("</div>\n", page->html);
    size_t points = 0;
    for (size_t i = 0; i < sweep->count; i++)
        points += sweep->rows[i].left_out;
    if (points > 0)
        (void)fprintf(page->html,
                      "<p class=\"note\">Left out: %zu setups between these "
                      "points.</p>\n",
                      points);
    if (sweep->left_out > 0)
        (void)fprintf(page->html,
                      "<p class=\"note\">Left out: %zu more lines.</p>\n",
                      sweep->left_out);
}

/* The names of all numbers that have several values among the setups. */
struct names {
    size_t count;
    size_t left_out;
    struct sweep items[NAMES_MAX];
};

static bool has_name(const struct names *names, const struct setup_item *item)
{
    for (size_t i = 0; i < names->count; i++) {
        if (names->items[i].kind == item->kind &&
            strcmp(names->items[i].name, item->name) == 0)
            return true;
    }
    return false;
}

/* Setups stand by store and class: a value that differs from the neighbour's
   is one that varies. */
static void find_names(struct names *names, const struct setups *setups)
{
    for (size_t i = 1; i < setups->count; i++) {
        const struct setup *const a = &setups->items[i - 1];
        const struct setup *const b = &setups->items[i];

        if (a->class != b->class || strcmp(a->store, b->store) != 0)
            continue;
        for (size_t k = 0; k < b->item_count; k++) {
            const struct setup_item *const item = &b->items[k];

            if (item->kind != ITEM_PARAMETER && item->kind != ITEM_FACT)
                continue;
            const char *const other = setup_value(a, item->kind, item->name);
            if (other == NULL || strcmp(other, item->value) == 0 ||
                has_name(names, item) || names->count == NAMES_MAX)
                continue;
            names->items[names->count++] =
                (struct sweep){ .kind = item->kind, .name = item->name };
        }
    }
}

void page_put_sweeps(struct page *page)
{
    struct names *const names = arena_alloc(page->memory, 1, sizeof *names);
    size_t drawn = 0;

    names->count = 0;
    find_names(names, page->setups);
    for (size_t i = 0; i < names->count; i++) {
        struct sweep *const sweep = &names->items[i];

        find_rows(sweep, page->setups);
        if (sweep->count == 0 || drawn++ >= SWEEPS_MAX)
            continue;
        if (drawn == 1)
            (void)fputs("<section><h2>What varies</h2>\n"
                        "<p class=\"note\">Operations per second, medians "
                        "with the interval of the first chart. A line joins "
                        "setups of one store and class that differ in this "
                        "alone.</p>\n",
                        page->html);
        put_sweep(page, sweep);
    }
    if (drawn > SWEEPS_MAX)
        (void)fprintf(page->html,
                      "<p class=\"note\">Left out: %zu more settings that "
                      "vary; the table of all setups has them.</p>\n",
                      drawn - SWEEPS_MAX);
    if (drawn > 0)
        (void)fputs("</section>\n", page->html);
}
