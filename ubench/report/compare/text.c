/* SPDX-License-Identifier: ISC */
#include "report/compare/text.h"

#include <stdarg.h>
#include <string.h>

#include "report/compare/sides.h"

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

/* Where a comparison is printed to. */
struct output {
    struct arena memory;
    enum grid_format format;
    FILE *out;
};

/* Prints "label   text", or an item of a list. */
static void print_line(struct output *to, const char *label, const char *format,
                       ...) __attribute__((format(printf, 3, 4)));

static void print_line(struct output *to, const char *label, const char *format,
                       ...)
{
    va_list arguments;

    va_start(arguments, format);
    const char *const text = arena_vprint(&to->memory, format, arguments);
    va_end(arguments);
    grid_print_item(to->format, to->out,
                    to->format == GRID_TEXT
                        ? arena_print(&to->memory, "%-11s %s", label, text)
                        : arena_print(&to->memory, "%s: %s", label, text));
}

static void print_side(struct output *to, const struct comparison *comparison,
                       int side)
{
    const struct group *const group = &comparison->sides[side];
    const char *const first = group->records[0]->started_at;
    const char *const last = group_newest(group)->started_at;
    const bool once = strcmp(first, last) == 0;

    print_line(to, compare_side_name(side),
               "%s: %zu result%s, %zu run%s, %s%s%s", comparison->names[side],
               group->record_count, group->record_count == 1 ? "" : "s",
               group->run_count, group->run_count == 1 ? "" : "s", first,
               once ? "" : " to ", once ? "" : last);
}

static void print_classes(struct output *to,
                          const struct comparison *comparison)
{
    for (size_t c = 0; c < comparison->case_count; c++) {
        const struct compare_case *const at = &comparison->cases[c];
        const char *const separator = at->name[0] != '\0' ? ": " : "";

        if (strcmp(at->classes[0], at->classes[1]) == 0)
            print_line(to, "durability", "%s%s%s", at->name, separator,
                       at->classes[0]);
        else
            print_line(to, "durability", "%s%s%s -> %s: NOT THE SAME PROMISE",
                       at->name, separator, at->classes[0], at->classes[1]);
    }
}

static void print_differences(struct output *to,
                              const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->difference_count; i++) {
        const struct compare_difference *const at = &comparison->differences[i];
        const bool all = at->where[0] == '\0';

        print_line(to, "differs", "%s: %s -> %s%s%s%s", at->key, at->values[0],
                   at->values[1], all ? "" : " (", at->where, all ? "" : ")");
    }
    if (comparison->difference_count == 0)
        print_line(to, "differs", "nothing that was recorded");
}

/* True if a case ran in an open loop, or, unless open, if one did not. */
static bool has_rows(const struct comparison *comparison, bool open)
{
    for (size_t c = 0; c < comparison->case_count; c++) {
        if (comparison->cases[c].open == open && comparison->cases[c].count > 0)
            return true;
    }
    return false;
}

static bool any_unpaired(const struct comparison *comparison)
{
    for (size_t c = 0; c < comparison->case_count; c++) {
        for (size_t i = 0; i < comparison->cases[c].count; i++) {
            if (!comparison->cases[c].rows[i].contrast.paired)
                return true;
        }
    }
    return false;
}

static void print_warnings(struct output *to,
                           const struct comparison *comparison, int side)
{
    const struct group *const group = &comparison->sides[side];
    const char *warning = NULL;
    size_t warned = 0;

    for (size_t i = group->record_count; i-- > 0;) {
        if (group->records[i]->warning[0] == '\0')
            continue;
        warning = group->records[i]->warning;
        warned++;
    }
    if (warned > 0)
        print_line(to, "note", "%zu of the %s's results carr%s a warning: %s",
                   warned, compare_side_name(side), warned == 1 ? "ies" : "y",
                   warning);
}

static void print_notes(struct output *to, const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->note_count; i++)
        print_line(to, "note", "%s", comparison->notes[i]);
    if (any_unpaired(comparison))
        print_line(to, "note",
                   "not paired by block: what changed on the machine between "
                   "the groups counts as a difference");
    for (int side = 0; side < COMPARE_SIDES; side++)
        print_warnings(to, comparison, side);
}

static void add_row(struct grid *grid, const struct compare_case *of,
                    const struct compare_row *row, double scale)
{
    const struct contrast *const contrast = &row->contrast;
    const bool judged = contrast->interval.coverage > 0;

    grid_add(grid, "%s", of->name);
    grid_add(grid, "%s", row->phase);
    for (int side = 0; side < COMPARE_SIDES; side++)
        grid_add_if(grid, contrast->figures[side] > 0, "%.2f",
                    contrast->figures[side] / scale);
    grid_add_if(grid, contrast->ratio > 0, "%.3f", contrast->ratio);
    grid_add_if(grid, judged, "%.3f to %.3f", contrast->interval.low,
                contrast->interval.high);
    if (contrast->paired)
        grid_add(grid, "%zu block%s", contrast->blocks,
                 contrast->blocks == 1 ? "" : "s");
    else
        grid_add(grid, "%zu, %zu", contrast->counts[0], contrast->counts[1]);
    if (judged && row->p < 0.001)
        grid_add(grid, "< 0.001");
    else
        grid_add_if(grid, judged, "%.3f", row->p);
    grid_add(grid, "%s", compare_row_verdict(row));
}

static const char *unit_of(int figure, const struct compare_case *of)
{
    const struct record *const first = of->sides[COMPARE_BASELINE].records[0];

    return figure == COMPARE_RATE && record_is_of_exchanges(first)
               ? "exch/s"
               : figures[figure].unit;
}

/* Of all those cases; of operations and exchanges what they have in common. */
static const char *common_unit(const struct comparison *comparison, int figure,
                               bool open)
{
    const char *unit = NULL;

    for (size_t c = 0; c < comparison->case_count; c++) {
        const struct compare_case *const at = &comparison->cases[c];

        if (at->open != open || at->count == 0)
            continue;
        if (unit != NULL && strcmp(unit, unit_of(figure, at)) != 0)
            return "1/s";
        unit = unit_of(figure, at);
    }
    return unit != NULL ? unit : "";
}

/* Those of the cases that ran in an open loop, or those of the others. */
static void print_rows(const struct comparison *comparison, int figure,
                       bool open, enum grid_format format, FILE *out)
{
    const char *const unit = common_unit(comparison, figure, open);
    char sides[COMPARE_SIDES][32];
    const char *const heads[] = { "case",
                                  !open                    ? "phase"
                                  : figure == COMPARE_RATE ? "highest rate"
                                                           : "responses",
                                  sides[COMPARE_BASELINE],
                                  sides[COMPARE_CANDIDATE],
                                  "ratio",
                                  "95 % interval",
                                  "runs",
                                  "P",
                                  "verdict" };
    struct grid grid;

    if (!has_rows(comparison, open))
        return;
    (void)snprintf(sides[0], sizeof sides[0], "baseline [%s]", unit);
    (void)snprintf(sides[1], sizeof sides[1], "candidate [%s]", unit);
    (void)fputc('\n', out);
    grid_init(&grid, "llrrrrrrl", heads);
    for (size_t c = 0; c < comparison->case_count; c++) {
        const struct compare_case *const at = &comparison->cases[c];

        for (size_t i = 0; at->open == open && i < at->count; i++)
            add_row(&grid, at, &at->rows[i], figures[figure].scale);
    }
    grid_print(&grid, format, out);
    grid_release(&grid);
}

static void add_csv_row(struct grid *grid, const struct compare_case *of,
                        const struct compare_row *row, int figure)
{
    const struct contrast *const contrast = &row->contrast;
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
    grid_add(grid, "%s", compare_row_verdict(row));
}

/* One fact to a column, for programs. */
static void print_csv(const struct comparison *comparison, int figure,
                      FILE *out)
{
    static const char *const heads[] = {
        "case",          "baseline_class", "candidate_class",
        "phase",         "figure",         "unit",
        "baseline",      "candidate",      "ratio",
        "low",           "high",           "blocks",
        "baseline_runs", "candidate_runs", "p_adjusted",
        "verdict",
    };
    struct grid grid;

    grid_init(&grid, "llllllrrrrrrrrrl", heads);
    grid.absent = "";
    for (size_t c = 0; c < comparison->case_count; c++) {
        const struct compare_case *const at = &comparison->cases[c];

        for (size_t i = 0; i < at->count; i++)
            add_csv_row(&grid, at, &at->rows[i], figure);
    }
    grid_print(&grid, GRID_CSV, out);
    grid_release(&grid);
}

static void print_legend(const struct comparison *comparison,
                         const struct compare_config *config, FILE *out)
{
    size_t judged = 0;

    for (int verdict = COMPARE_NO_DIFFERENCE; verdict <= COMPARE_WORSE;
         verdict++)
        judged += compare_count(comparison, (enum compare_verdict)verdict);
    (void)fprintf(out, "\nratio: candidate / baseline%s.\n",
                  config->figure == COMPARE_RATE ? "" : "; below 1 is better");
    if (judged > 0)
        (void)fprintf(out,
                      "better, worse: by a factor of %.4g or more, and with P "
                      "<= 0.05, adjusted by Holm's method\nso that all "
                      "verdicts hold together (%zu row%s); an interval is that "
                      "of its row alone.\n",
                      1 + config->min_effect, judged, judged == 1 ? "" : "s");
    if (config->figure == COMPARE_RATE && has_rows(comparison, true))
        (void)fprintf(out,
                      "highest rate: that a search confirmed.  It is known to "
                      "its bracket, up to the lowest rate\nthat was too high: "
                      "no difference is shown below the width of that.\n");
    if (compare_count(comparison, COMPARE_NOT_ENOUGH) > 0)
        (void)fprintf(out,
                      "not enough runs: %d blocks, or runs on each side, are "
                      "the least that say anything; 9 are better.\n",
                      SIGNIFICANCE_MIN);
}

void compare_print(const struct comparison *comparison,
                   const struct compare_config *config, enum grid_format format,
                   FILE *out)
{
    struct output to = { .format = format, .out = out };

    if (format == GRID_CSV) {
        print_csv(comparison, config->figure, out);
        return;
    }
    for (int side = 0; side < COMPARE_SIDES; side++)
        print_side(&to, comparison, side);
    print_classes(&to, comparison);
    print_differences(&to, comparison);
    print_notes(&to, comparison);
    print_rows(comparison, config->figure, false, format, out);
    print_rows(comparison, config->figure, true, format, out);
    print_legend(comparison, config, out);
    arena_release(&to.memory);
}
