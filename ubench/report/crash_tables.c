/* SPDX-License-Identifier: ISC */
#include "report/tables.h"

#include <inttypes.h>
#include <string.h>

#include "measure/statistics.h"

void crash_tables_print_contradictions(const struct crash_results *crashes,
                                       enum grid_format format, FILE *out)
{
    struct arena memory = { 0 };
    size_t count = 0;

    for (size_t i = 0; i < crashes->count; i++) {
        const struct crash_cell *const cell = &crashes->cells[i];

        if (!crash_contradicts(crashes, cell))
            continue;
        count++;
        grid_print_warning(
            format, out,
            arena_print(&memory,
                        "CONTRADICTION: %s is %s by its settings, and lost "
                        "acknowledged changes in %" PRIu64 " of %zu crashes at "
                        "level %s",
                        cell->name, cell->class, cell->lossy, cell->judged,
                        cell->level));
    }
    if (count > 0)
        (void)fputc('\n', out);
    arena_release(&memory);
}

/* "median [least-most]", or "-". */
static void add_spread(struct grid *grid, const struct crash_cell *cell,
                       enum crash_figure figure, double scale)
{
    double *const values =
        arena_alloc(&grid->memory, cell->judged + 1, sizeof *values);
    size_t count = 0;

    for (size_t i = 0; i < cell->judged; i++) {
        const uint64_t value = cell->crashes[i].figures[figure];

        if (value != RECORD_UNKNOWN)
            values[count++] = (double)value / scale;
    }
    if (count == 0) {
        grid_add(grid, "-");
        return;
    }
    statistics_sort(values, count);
    const int decimals = values[count - 1] < 10 ? 1 : 0;
    grid_add(grid, "%.*f [%.*f-%.*f]", decimals,
             statistics_median_sorted(values, count), decimals, values[0],
             decimals, values[count - 1]);
}

/* What is to be said of a cell beside its figures. */
static const char *remark(struct arena *memory, const struct crash_cell *cell)
{
    const struct {
        uint64_t count;
        const char *text;
    } parts[] = { { cell->holes, "with holes" },
                  { cell->corrupt, "corrupt" },
                  { cell->torn, "with part of a batch" },
                  { cell->invalid, "not judged" } };
    const char *text = crash_must_lose(cell)      ? "control: must lose"
                       : cell->control[0] == '\0' ? ""
                       : strchr(cell->control, cell->level[0]) != NULL
                           ? "control: must not lose"
                           : "";

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].count > 0)
            text = arena_join(memory, text, ", ", "%" PRIu64 " %s",
                              parts[i].count, parts[i].text);
    }
    return text;
}

static void add_cell(struct grid *grid, const struct crash_cell *cell)
{
    grid_add(grid, "%s", cell->name);
    grid_add(grid, "%s", cell->level);
    grid_add_if(grid, cell->class[0] != '\0', "%s", cell->class);
    grid_add_if(grid, cell->judged > 0, "%" PRIu64 " of %zu", cell->lossy,
                cell->judged);
    grid_add_if(grid, cell->judged > 0, "%.2f %%", 100 * crash_bound(cell));
    add_spread(grid, cell, CRASH_WINDOW_OPERATIONS, 1);
    add_spread(grid, cell, CRASH_WINDOW_NS, 1e6);
    add_spread(grid, cell, CRASH_RECOVERY_NS, 1e6);
    grid_add(grid, "%s", remark(&grid->memory, cell));
}

/* True if the cell is the first of its campaign and level. */
static bool is_first(const struct crash_results *crashes, size_t i)
{
    const struct crash_cell *const cell = &crashes->cells[i];

    return i == 0 || strcmp(cell[-1].file, cell->file) != 0 ||
           strcmp(cell[-1].level, cell->level) != 0;
}

/* Levels of which nothing can be said; false if there are any. */
static bool print_doubts(const struct crash_results *crashes,
                         enum grid_format format, FILE *out)
{
    struct arena memory = { 0 };
    bool all = true;

    for (size_t i = 0; i < crashes->count; i++) {
        const struct crash_cell *const cell = &crashes->cells[i];
        const char *const doubt = crash_doubt(crashes, cell);

        if (doubt == NULL || !is_first(crashes, i))
            continue;
        all = false;
        if (format != GRID_CSV)
            grid_print_item(format, out,
                            arena_print(&memory, "%s, level %s: no verdict: %s",
                                        cell->file, cell->level, doubt));
    }
    arena_release(&memory);
    return all;
}

/* False if there was none to print. */
static bool print_cells(const struct crash_results *crashes,
                        enum grid_format format, FILE *out)
{
    static const char *const heads[] = {
        "cell",          "level",       "class",         "lossy",  "at most",
        "window [oper]", "window [ms]", "recovery [ms]", "remarks"
    };
    struct grid grid;

    grid_init(&grid, "lllrrrrrl", heads);
    grid.absent = "-";
    for (size_t i = 0; i < crashes->count; i++) {
        if (crash_doubt(crashes, &crashes->cells[i]) == NULL)
            add_cell(&grid, &crashes->cells[i]);
    }
    const bool any = !grid_is_empty(&grid);
    if (any)
        grid_print(&grid, format, out);
    grid_release(&grid);
    return any;
}

/* A row for each cell, in numbers, those of doubtful levels with their doubt
   and without figures. */
static void print_csv(const struct crash_results *crashes, FILE *out)
{
    static const char *const heads[] = { "campaign", "cell",    "level",
                                         "store",    "class",   "from",
                                         "judged",   "lossy",   "at_most",
                                         "holes",    "corrupt", "not_judged",
                                         "doubt" };
    struct grid grid;

    grid_init(&grid, "llllllrrrrrrl", heads);
    grid.absent = "";
    for (size_t i = 0; i < crashes->count; i++) {
        const struct crash_cell *const cell = &crashes->cells[i];
        const char *const doubt = crash_doubt(crashes, cell);
        const char *const texts[] = { cell->file,  cell->name,  cell->level,
                                      cell->store, cell->class, cell->from };

        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
            grid_add(&grid, "%s", texts[k]);
        grid_add(&grid, "%zu", cell->judged);
        grid_add_if(&grid, doubt == NULL, "%" PRIu64, cell->lossy);
        grid_add_if(&grid, doubt == NULL, "%.6f", crash_bound(cell));
        grid_add_if(&grid, doubt == NULL, "%" PRIu64, cell->holes);
        grid_add_if(&grid, doubt == NULL, "%" PRIu64, cell->corrupt);
        grid_add(&grid, "%" PRIu64, cell->invalid);
        grid_add_if(&grid, doubt != NULL, "%s", doubt);
    }
    grid_print(&grid, GRID_CSV, out);
    grid_release(&grid);
}

bool crash_tables_print(const struct crash_results *crashes,
                        enum grid_format format, FILE *out)
{
    const bool all = print_doubts(crashes, format, out);

    if (format == GRID_CSV) {
        print_csv(crashes, out);
        return all;
    }
    if (!print_cells(crashes, format, out))
        return all;
    (void)fputc('\n', out);
    grid_print_note(
        format, out,
        "lossy: crashes that lost or damaged something that was "
        "acknowledged; at most: how often that happens in truth, with a "
        "confidence of 95 % (Clopper-Pearson); window: from the first lost "
        "acknowledgement to the crash, in operations acknowledged in it, of "
        "which without holes all are lost, and in time.  Levels: 1 kill -9, 1b "
        "of one "
        "backend, 1c of the client, 2 power cut, 3 a disk that keeps what was "
        "synced and some of the rest, 4 the loss of the node for ever; with a "
        "load that goes on with another node: 4k kill -9, 4s SIGSTOP, 4n its "
        "network down.");
    return all;
}
