/* SPDX-License-Identifier: ISC */
#include "report/compare/compare.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "core/units.h"
#include "report/compare/parts.h"

/* How a figure is called, and what it is divided by to be printed. */
static const struct {
    const char *name;
    const char *unit;
    double scale;
} figures[] = {
    [COMPARE_RATE] = { "rate", "oper/s", 1 },
    [LATENCY_P50] = { "p50", "us", 1000 },
    [LATENCY_P95] = { "p95", "us", 1000 },
    [LATENCY_P99] = { "p99", "us", 1000 },
    [LATENCY_P99_9] = { "p99.9", "us", 1000 },
    [LATENCY_MEAN] = { "mean", "us", 1000 },
};

static const char *const verdicts[] = {
    [COMPARE_NOT_ENOUGH] = "not enough runs",
    [COMPARE_NO_DIFFERENCE] = "no difference shown",
    [COMPARE_BETTER] = "better",
    [COMPARE_WORSE] = "worse",
};

/* Where comparisons are printed to. */
struct output {
    struct arena memory;
    enum grid_format format;
    FILE *out;
};

static void print_line(struct output *to, const char *label, const char *format,
                       ...) __attribute__((format(printf, 3, 4)));

static void print_line(struct output *to, const char *label, const char *format,
                       ...)
{
    va_list arguments;

    va_start(arguments, format);
    grid_print_labelled(to->format, to->out, label,
                        arena_vprint(&to->memory, format, arguments));
    va_end(arguments);
}

static bool any_row(const struct comparisons *comparisons,
                    bool (*is)(const struct compare_row *row))
{
    size_t i = 0;

    while (i < comparisons->row_count && !is(&comparisons->rows[i]))
        i++;
    return i < comparisons->row_count;
}

static bool is_open(const struct compare_row *row)
{
    return row->of->open;
}

/* The verdicts: "better in 3 of 4, no difference shown in 1" */
static void print_verdicts(struct output *to,
                           const struct comparisons *comparisons)
{
    static const enum compare_verdict order[] = { COMPARE_BETTER, COMPARE_WORSE,
                                                  COMPARE_NO_DIFFERENCE,
                                                  COMPARE_NOT_ENOUGH };

    for (size_t i = 0; i < comparisons->count; i++) {
        const struct comparison *const comparison = &comparisons->items[i];
        size_t counts[sizeof order / sizeof order[0]] = { 0 };
        const char *text = "";
        size_t rows = 0;

        for (size_t k = 0; k < comparisons->row_count; k++) {
            const struct compare_row *const row = &comparisons->rows[k];

            counts[row->verdict] += row->in == comparison;
            rows += row->in == comparison;
        }
        for (size_t k = 0; k < sizeof order / sizeof order[0]; k++) {
            if (counts[order[k]] > 0)
                text = arena_join(&to->memory, text, ", ", "%s in %zu",
                                  verdicts[order[k]], counts[order[k]]);
        }
        print_line(to, "verdict", "%s against %s: %s (of %zu row%s)",
                   comparison->names[COMPARE_CANDIDATE],
                   comparison->names[COMPARE_BASELINE], text, rows,
                   rows == 1 ? "" : "s");
    }
}

/* What a row is called, of several candidates with theirs. */
static const char *name_row(struct arena *memory,
                            const struct comparisons *comparisons,
                            const struct compare_row *row)
{
    const char *const candidate =
        comparisons->count > 1 ? row->in->names[COMPARE_CANDIDATE] : "";

    return row->of->name[0] == '\0'
               ? candidate
               : arena_join(memory, candidate, ", ", "%s", row->of->name);
}

/* Too few searches for a verdict still have brackets, which overlap or not. */
static const char *bracket_verdict(const struct compare_row *row)
{
    const struct compare_bracket *const from = &row->brackets[COMPARE_BASELINE];
    const struct compare_bracket *const to = &row->brackets[COMPARE_CANDIDATE];

    if (row->verdict != COMPARE_NOT_ENOUGH || !(from->low > 0 && to->low > 0))
        return NULL;
    return from->low < to->high && to->low < from->high
               ? "brackets overlap: no difference shown"
               : "brackets apart; not enough runs";
}

/* A verdict that has room in a table. */
static const char *short_verdict(const struct compare_row *row)
{
    const char *const of_brackets = bracket_verdict(row);

    return of_brackets != NULL                     ? of_brackets
           : row->verdict == COMPARE_NO_DIFFERENCE ? "not shown"
           : row->verdict == COMPARE_NOT_ENOUGH    ? "few runs"
                                                   : verdicts[row->verdict];
}

static void add_row(struct grid *grid, const char *name,
                    const struct compare_row *row, double scale)
{
    const struct contrast *const contrast = &row->contrast;

    grid_add(grid, "%s", name);
    grid_add(grid, "%s", row->phase);
    grid_add(grid, "%s", short_verdict(row));
    grid_add_if(grid, contrast->ratio > 0, "%s",
                units_figure(UNITS_TEXT, contrast->ratio));
    grid_add_if(grid, contrast->interval.coverage > 0, "%s to %s",
                units_figure(UNITS_TEXT, contrast->interval.low),
                units_figure(UNITS_TEXT, contrast->interval.high));
    for (int side = 0; side < COMPARE_SIDES; side++)
        grid_add_if(grid, contrast->figures[side] > 0, "%s",
                    units_figure(UNITS_TEXT, contrast->figures[side] / scale));
}

static const char *unit_of(int figure, const struct compare_case *of)
{
    const struct record *const first = of->sides[COMPARE_BASELINE].records[0];

    return figure == COMPARE_RATE && record_is_of_exchanges(first)
               ? "exch/s"
               : figures[figure].unit;
}

/* Those of the cases that ran in an open loop, or those of the others. */
static void print_rows(const struct comparisons *comparisons, int figure,
                       bool open, enum grid_format format, FILE *out)
{
    const char *const heads[] = {
        comparisons->count > 1 ? "candidate" : "case",
        !open                    ? "phase"
        : figure == COMPARE_RATE ? "highest rate"
                                 : "responses",
        "verdict",
        "ratio",
        "95 % interval",
        "baseline",
        "candidate",
    };
    struct grid grid;

    grid_init(&grid, "lllrrrr", heads);
    for (size_t i = 0; i < comparisons->row_count; i++) {
        const struct compare_row *const row = &comparisons->rows[i];

        if (row->of->open == open)
            add_row(&grid, name_row(&grid.memory, comparisons, row), row,
                    figures[figure].scale);
    }
    if (!grid_is_empty(&grid)) {
        (void)fputc('\n', out);
        grid_print(&grid, format, out);
    }
    grid_release(&grid);
}

static void add_csv_row(struct grid *grid, const struct compare_row *row,
                        int figure)
{
    const struct contrast *const contrast = &row->contrast;
    const struct compare_case *const of = row->of;
    const char *const of_brackets = bracket_verdict(row);
    const bool judged = contrast->interval.coverage > 0;
    const double scale = figures[figure].scale;

    grid_add(grid, "%s", of->name);
    grid_add(grid, "%s", of->classes[0]);
    grid_add(grid, "%s", of->classes[1]);
    grid_add(grid, "%s", row->phase);
    grid_add(grid, "%s", figures[figure].name);
    grid_add(grid, "%s", unit_of(figure, of));
    for (int side = 0; side < COMPARE_SIDES; side++)
        grid_add_if(grid, contrast->figures[side] > 0, "%.6g",
                    contrast->figures[side] / scale);
    grid_add_if(grid, contrast->ratio > 0, "%.6g", contrast->ratio);
    grid_add_if(grid, judged, "%.6g", contrast->interval.low);
    grid_add_if(grid, judged, "%.6g", contrast->interval.high);
    grid_add(grid, "%zu", contrast->blocks);
    grid_add(grid, "%zu", contrast->counts[0]);
    grid_add(grid, "%zu", contrast->counts[1]);
    grid_add_if(grid, judged, "%.4g", row->p);
    grid_add(grid, "%s",
             of_brackets != NULL ? of_brackets : verdicts[row->verdict]);
    grid_add(grid, "%s", row->in->names[COMPARE_CANDIDATE]);
}

/* One fact to a column, for programs. */
static void print_csv(const struct comparisons *comparisons, int figure,
                      FILE *out)
{
    static const char *const heads[] = {
        "case",          "baseline_class", "candidate_class",
        "phase",         "figure",         "unit",
        "baseline",      "candidate",      "ratio",
        "low",           "high",           "blocks",
        "baseline_runs", "candidate_runs", "p_adjusted",
        "verdict",       "candidate_is",
    };
    struct grid grid;

    grid_init(&grid, "llllllrrrrrrrrrll", heads);
    grid.absent = "";
    for (size_t i = 0; i < comparisons->row_count; i++)
        add_csv_row(&grid, &comparisons->rows[i], figure);
    grid_print(&grid, GRID_CSV, out);
    grid_release(&grid);
}

/* What the rates count. */
static const char *rate_unit(const struct comparisons *comparisons)
{
    const char *unit = NULL;

    for (size_t i = 0; i < comparisons->row_count; i++) {
        const char *const other =
            unit_of(COMPARE_RATE, comparisons->rows[i].of);

        if (unit != NULL && strcmp(unit, other) != 0)
            return "operations or exchanges per second";
        unit = other;
    }
    return unit != NULL && strcmp(unit, "exch/s") == 0
               ? "exchanges per second"
               : "operations per second";
}

/* True if the medians of a row say something else than its ratio: by a
   twentieth, or which side has more. */
static bool disagrees(const struct compare_row *row)
{
    const struct contrast *const contrast = &row->contrast;
    const double quotient = contrast->figures[1] / contrast->figures[0];

    return contrast->figures[0] > 0 && contrast->ratio > 0 &&
           fabs(log(quotient / contrast->ratio)) > log(1.05);
}

static bool is_unpaired(const struct compare_row *row)
{
    return !row->contrast.paired;
}

static void print_legend(struct output *to,
                         const struct comparisons *comparisons,
                         const struct compare_config *config)
{
    const size_t judged = compare_count(comparisons, COMPARE_NO_DIFFERENCE) +
                          compare_count(comparisons, COMPARE_BETTER) +
                          compare_count(comparisons, COMPARE_WORSE);

    (void)fputc('\n', to->out);
    print_line(to, "ratio", "candidate / baseline%s; beside it are medians, %s",
               config->figure == COMPARE_RATE ? "" : ", below 1 is better",
               config->figure != COMPARE_RATE ? "in us"
                                              : rate_unit(comparisons));
    if (any_row(comparisons, disagrees))
        print_line(to, "",
                   "the medians beside it are of each side alone; the "
                   "ratio is of runs that belong together, without "
                   "the highest and the lowest: trust it more");
    if (judged > 0)
        print_line(to, "verdict",
                   "better, worse: by a factor of %.4g or more, and more than "
                   "chance (P <= 0.05 for all %zu row%s together, Holm); not "
                   "shown: there may be a difference, and the interval, which "
                   "is that of its row alone, says how large",
                   1 + config->min_effect, judged, judged == 1 ? "" : "s");
    if (config->figure == COMPARE_RATE && any_row(comparisons, is_open))
        print_line(to, "highest rate",
                   "that a search confirmed.  It is known to its bracket, up "
                   "to the lowest rate that was too high: no difference is "
                   "shown below the width of that");
    if (compare_count(comparisons, COMPARE_NOT_ENOUGH) > 0)
        print_line(to, "few runs",
                   "%d blocks, or runs on each side, are the least that say "
                   "anything; 9 are better",
                   SIGNIFICANCE_MIN);
    if (any_row(comparisons, is_unpaired))
        print_line(to, "note",
                   "not paired by block: what changed on the machine between "
                   "the groups counts as a difference");
}

/* What the groups are */

static void print_side(struct output *to, const struct comparison *comparison,
                       int side)
{
    const struct group *const group = &comparison->sides[side];
    const char *const first = group->records[0]->started_at;
    const char *const last = group_newest(group)->started_at;
    const char *warning = NULL;
    size_t warned = 0;

    for (size_t i = group->record_count; i-- > 0;) {
        if (group->records[i]->warning[0] == '\0')
            continue;
        warning = group->records[i]->warning;
        warned++;
    }
    print_line(to, compare_side_name(side), "%s: %zu run%s%s%s%s%s%s",
               comparison->names[side], group->run_count,
               group->run_count == 1 ? "" : "s", last[0] != '\0' ? ", " : "",
               first, strcmp(first, last) == 0 ? "" : " to ",
               strcmp(first, last) == 0 ? "" : last,
               warned == 0
                   ? ""
                   : arena_print(&to->memory,
                                 "; %zu of %zu results carr%s a warning: %s",
                                 warned, group->record_count,
                                 warned == 1 ? "ies" : "y", warning));
}

/* Cases of the same classes are told together. */
static void print_classes(struct output *to,
                          const struct comparison *comparison)
{
    for (size_t c = 0; c < comparison->case_count; c++) {
        const struct compare_case *const at = &comparison->cases[c];
        const char *names = "";
        bool told = false;

        for (size_t k = 0; k < comparison->case_count; k++) {
            const struct compare_case *const other = &comparison->cases[k];

            if (strcmp(at->classes[0], other->classes[0]) != 0 ||
                strcmp(at->classes[1], other->classes[1]) != 0)
                continue;
            told = told || k < c;
            names = arena_join(&to->memory, names, "; ", "%s", other->name);
        }
        if (told)
            continue;
        if (strcmp(at->classes[0], at->classes[1]) == 0)
            print_line(to, "durability", "%s%s%s", names,
                       names[0] != '\0' ? ": " : "", at->classes[0]);
        else
            print_line(to, "durability", "%s%s%s -> %s: NOT THE SAME PROMISE",
                       names, names[0] != '\0' ? ": " : "", at->classes[0],
                       at->classes[1]);
    }
}

static bool is_none(const char *value)
{
    return strcmp(value, "(none)") == 0;
}

/* The differences of a place in one line; of what only one side has, the names
   alone. */
static void print_differences_at(struct output *to,
                                 const struct comparison *comparison,
                                 const char *where)
{
    const char *both = "";
    const char *only[COMPARE_SIDES] = { "", "" };

    for (size_t i = 0; i < comparison->difference_count; i++) {
        const struct compare_difference *const at = &comparison->differences[i];

        if (strcmp(at->where, where) != 0)
            continue;
        if (is_none(at->values[0]) || is_none(at->values[1])) {
            const int side =
                is_none(at->values[0]) ? COMPARE_CANDIDATE : COMPARE_BASELINE;

            only[side] =
                arena_join(&to->memory, only[side], ", ", "%s", at->key);
        } else {
            both = arena_join(&to->memory, both, "; ", "%s: %s -> %s", at->key,
                              at->values[0], at->values[1]);
        }
    }
    for (int side = 0; side < COMPARE_SIDES; side++) {
        if (only[side][0] != '\0')
            both = arena_join(&to->memory, both, "; ", "only the %s has %s",
                              compare_side_name(side), only[side]);
    }
    print_line(to, "differs", "%s%s%s%s", both, where[0] == '\0' ? "" : " (",
               where, where[0] == '\0' ? "" : ")");
}

static void print_differences(struct output *to,
                              const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->difference_count; i++) {
        const char *const where = comparison->differences[i].where;
        size_t first = 0;

        while (strcmp(comparison->differences[first].where, where) != 0)
            first++;
        if (first == i)
            print_differences_at(to, comparison, where);
    }
    if (comparison->difference_count == 0)
        print_line(to, "differs", "nothing that was recorded");
}

/* A comparison's groups; the baseline only if it was not told before. */
static void print_groups(struct output *to, const struct comparison *comparison,
                         bool first)
{
    (void)fputc('\n', to->out);
    if (first)
        print_side(to, comparison, COMPARE_BASELINE);
    print_side(to, comparison, COMPARE_CANDIDATE);
    print_classes(to, comparison);
    print_differences(to, comparison);
    for (size_t i = 0; i < comparison->note_count; i++)
        print_line(to, "note", "%s", comparison->notes[i]);
}

void compare_print(const struct comparisons *comparisons,
                   const struct compare_config *config, enum grid_format format,
                   FILE *out)
{
    struct output to = { .format = format, .out = out };

    if (format == GRID_CSV) {
        print_csv(comparisons, config->figure, out);
        return;
    }
    print_verdicts(&to, comparisons);
    print_rows(comparisons, config->figure, false, format, out);
    print_rows(comparisons, config->figure, true, format, out);
    print_legend(&to, comparisons, config);
    for (size_t i = 0; i < comparisons->count; i++)
        print_groups(&to, &comparisons->items[i], i == 0);
    arena_release(&to.memory);
}
