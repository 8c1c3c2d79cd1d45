/* SPDX-License-Identifier: ISC */
#include "report/tables.h"

#include <inttypes.h>
#include <math.h>

#include "core/units.h"

/* Figures of a run; context is the number of a phase, or nothing. */

static double phase_ns(const struct record_run *run, const void *context)
{
    return (double)run->phases[*(const size_t *)context].elapsed_ns;
}

static double phase_rate(const struct record_run *run, const void *context)
{
    return record_phase_rate(&run->phases[*(const size_t *)context]);
}

static double mean_ns(const struct record_run *run, const void *context)
{
    (void)context;
    return record_run_mean_time_ns(run);
}

static double mean_rate(const struct record_run *run, const void *context)
{
    (void)context;
    return record_run_mean_rate(run);
}

static double overall_ns(const struct record_run *run, const void *context)
{
    (void)context;
    return (double)record_run_elapsed_ns(run);
}

/* One of the two tables of a section. */
struct table {
    bool rates;
    struct grid grid;
    size_t count; /* of columns of figures */
    struct {
        summary_figure *figure;
        size_t phase;
    } columns[GRID_COLUMNS_MAX];
};

static void add_column(struct table *table, const char *name,
                       summary_figure *figure, size_t phase)
{
    if (!grid_column(&table->grid, 'r', name))
        return;
    table->columns[table->count].figure = figure;
    table->columns[table->count++].phase = phase;
}

static const struct record *first_record(const struct section *section)
{
    return section->groups[0].records[0];
}

/* Exchanges that ran together have one time, and no average; nor has a single
   phase. */
static void add_columns(struct table *table, const struct section *section)
{
    const struct record_run *const shape = section->shape;
    const bool fill = record_is_fill(first_record(section));

    for (size_t i = 0; i < shape->phase_count; i++) {
        if (table->rates || !shape->together)
            add_column(table, shape->phases[i].name,
                       table->rates ? phase_rate : phase_ns, i);
    }
    if (shape->phase_count > 1 && !shape->together && !fill)
        add_column(table, "average", table->rates ? mean_rate : mean_ns, 0);
    if (table->rates && !fill)
        add_column(table, "overall", group_run_rate, 0);
    if (!table->rates && shape->together)
        add_column(table, "all", overall_ns, 0);
}

static struct summary overall_of(struct arena *memory,
                                 const struct group *group)
{
    return group_summary(memory, group, group_run_rate, NULL);
}

/* True where at least one row has enough runs to say how sure its overall rate
   is. */
static bool has_intervals(const struct section *section)
{
    struct arena memory = { 0 };
    bool has = false;

    for (size_t i = 0; i < section->count && !has; i++)
        has = !record_is_fill(first_record(section)) &&
              overall_of(&memory, &section->groups[i]).interval;
    arena_release(&memory);
    return has;
}

static bool has_node_loss(const struct section *section)
{
    bool has = false;

    for (size_t i = 0; i < section->count && !has; i++)
        has = group_node_loss(&section->groups[i])[0] != '\0';
    return has;
}

/* Per phase, if it is the same for all; else of all phases. */
static uint64_t operations_of(const struct record_run *run)
{
    uint64_t sum = 0;
    bool same = true;

    for (size_t i = 0; i < run->phase_count; i++) {
        sum += run->phases[i].operations;
        same = same && run->phases[i].operations == run->phases[0].operations;
    }
    return same ? run->phases[0].operations : sum;
}

/* Four significant digits; of published figures as many as were published.
   Times are rounded as whole microseconds, halves up, as the guide's are: in
   seconds a half is no number that a double has. */
static const char *figure_text(struct arena *memory, bool rate, double figure,
                               bool published)
{
    if (rate)
        return published ? arena_print(memory, "%.2f", figure)
                         : arena_text(memory, units_figure(UNITS_TEXT, figure));
    return arena_print(memory, published ? "%.6f" : "%.4g",
                       round(figure / 1e3) / 1e6);
}

static void add_row(struct table *table, const struct group *group)
{
    struct grid *const grid = &table->grid;
    char text[UNITS_TEXT_SIZE] = "";

    if (group->run_count > 0)
        (void)units_count(text, operations_of(group->runs[0].run));
    grid_add(grid, "%s", group->label);
    grid_add_if(grid, group->run_count > 0, "%s", text);
    grid_add(grid, "%zu", group->run_count);
    for (size_t i = 0; i < table->count; i++) {
        const struct summary figure =
            group_summary(&grid->memory, group, table->columns[i].figure,
                          &table->columns[i].phase);

        grid_add_if(grid, figure.count > 0, "%s",
                    figure_text(&grid->memory, table->rates, figure.median,
                                group->class == GROUP_PUBLISHED));
    }
}

static void print_table(const struct section *section, bool rates,
                        const struct crash_results *crashes,
                        enum grid_format format, FILE *out)
{
    const bool exchanges = record_is_of_exchanges(first_record(section));
    const char *const heads[] = { !rates      ? "time [s]"
                                  : exchanges ? "rate [exch/s]"
                                              : "rate [oper/s]",
                                  exchanges ? "exchanges" : "operations",
                                  "runs" };
    struct table table = { .rates = rates };
    struct grid *const grid = &table.grid;

    grid_init(grid, "lrr", heads);
    add_columns(&table, section);
    const bool intervals = rates && has_intervals(section) &&
                           grid_column(grid, 'r', "95 % interval");
    const bool nodes =
        rates && has_node_loss(section) && grid_column(grid, 'l', "node loss");
    const bool beside =
        rates && crashes->count > 0 && grid_column(grid, 'l', "lossy crashes");
    for (size_t i = 0; i < section->count; i++) {
        const struct group *const group = &section->groups[i];
        const struct summary overall = overall_of(&grid->memory, group);

        add_row(&table, group);
        if (intervals)
            grid_add_if(grid, overall.interval, "%s to %s",
                        figure_text(&grid->memory, true, overall.low, false),
                        figure_text(&grid->memory, true, overall.high, false));
        const char *const loss = group_node_loss(group);
        if (nodes)
            grid_add_if(grid, loss[0] != '\0', "%s", loss);
        const char *const text =
            beside ? crash_results_of(crashes, group->records[0], &grid->memory)
                   : "";
        if (beside)
            grid_add(grid, "%s", text[0] != '\0' ? text : "not tested");
    }
    grid_print(grid, format, out);
    grid_release(grid);
}

/* What bears on the figures, below them */

/* Notes are set apart from the table by an empty line before the first. */
struct notes {
    struct arena memory;
    enum grid_format format;
    FILE *out;
    size_t count;
};

static void print_note(struct notes *notes, const char *label, const char *text)
{
    if (notes->count++ == 0)
        (void)fputc('\n', notes->out);
    grid_print_labelled(notes->format, notes->out, "note",
                        arena_print(&notes->memory, "%s: %s", label, text));
}

struct warnings {
    const char *first;
    size_t count;
    size_t records; /* of which so many have one */
    size_t rows;    /* with such a record */
};

static void count_warnings(struct warnings *warnings, const struct group *group)
{
    const size_t before = warnings->count;

    for (size_t i = 0; i < group->record_count; i++) {
        const char *const warning = group->records[i]->warning;

        if (warning[0] != '\0' && warnings->count++ == 0)
            warnings->first = warning;
    }
    warnings->records += group->record_count;
    warnings->rows += warnings->count > before;
}

static void note_warnings(struct notes *notes, const char *label,
                          const struct warnings *warnings)
{
    if (warnings->count == 1 && warnings->records == 1)
        print_note(notes, label, warnings->first);
    else if (warnings->count > 0)
        print_note(notes, label,
                   arena_print(&notes->memory,
                               "%zu of %zu results have a warning, such as: %s",
                               warnings->count, warnings->records,
                               warnings->first));
}

static void print_notes(const struct section *section, enum grid_format format,
                        FILE *out)
{
    struct notes notes = { .format = format, .out = out };
    struct warnings all = { 0 };

    for (size_t i = 0; i < section->count; i++)
        count_warnings(&all, &section->groups[i]);
    /* What most rows have is the machine's, and once is enough; of published
       figures each says something else. */
    const bool common = all.rows > 1 && 2 * all.rows > section->count &&
                        first_record(section)->durability_known;
    if (common)
        note_warnings(&notes, "all rows", &all);
    for (size_t i = 0; i < section->count; i++) {
        const struct group *const group = &section->groups[i];
        struct warnings warnings = { 0 };

        if (group->incomplete > 0)
            print_note(&notes, group->label,
                       arena_print(&notes.memory,
                                   "%zu incomplete run%s left out",
                                   group->incomplete,
                                   group->incomplete == 1 ? " is" : "s are"));
        count_warnings(&warnings, group);
        if (!common)
            note_warnings(&notes, group->label, &warnings);
    }
    arena_release(&notes.memory);
}

static void print_section(const struct section *section,
                          const struct crash_results *crashes,
                          enum grid_format format, FILE *out)
{
    struct arena memory = { 0 };

    grid_print_heading(format, out,
                       arena_print(&memory, "%s: %s",
                                   section_heading(&memory, section),
                                   section->meaning));
    arena_release(&memory);
    print_table(section, false, crashes, format, out);
    (void)fputc('\n', out);
    print_table(section, true, crashes, format, out);
    print_notes(section, format, out);
    (void)fputc('\n', out);
}

static void print_legend(const struct groups *groups, enum grid_format format,
                         FILE *out)
{
    bool intervals = false;
    bool nodes = false;

    for (size_t i = 0; i < groups->section_count; i++) {
        intervals = intervals || has_intervals(&groups->sections[i]);
        nodes = nodes || has_node_loss(&groups->sections[i]);
    }
    grid_print_labelled(format, out, "average",
                        "the mean of the phases, as in the 2012 guide: the "
                        "fastest phase decides it, so that a store with slow "
                        "changes can have the higher one");
    grid_print_labelled(format, out, "overall",
                        "all operations by all time, of several runs the "
                        "median: compare by this, or by "
                        "phase, and only rows of one table and one load");
    if (intervals)
        grid_print_labelled(format, out, "interval",
                            "of the median of overall, of 6 to 1,000 runs; "
                            "compare says what of a difference is more than "
                            "chance");
    if (nodes)
        grid_print_labelled(format, out, "node loss", node_loss_meaning);
}

static void add_csv_row(struct grid *grid, const struct group *group,
                        size_t phase)
{
    const struct record_phase *const shape =
        &group->section->shape->phases[phase];
    const bool known = group->run_count > 0;
    const struct summary time =
        group_summary(&grid->memory, group, phase_ns, &phase);
    const struct summary rate =
        group_summary(&grid->memory, group, phase_rate, &phase);

    grid_add(grid, "%s", group->section->title);
    grid_add(grid, "%s", record_parameter(group->records[0], "workload"));
    grid_add(grid, "%s", group->store);
    grid_add(grid, "%s", group->differs);
    grid_add(grid, "%s", shape->name);
    grid_add(grid, "%zu", group->run_count);
    grid_add_if(grid, known, "%" PRIu64,
                known ? group->runs[0].run->phases[phase].operations : 0);
    grid_add_if(grid, known, "%.9f", round(time.median) / 1e9);
    grid_add_if(grid, known, "%.6f", rate.median);
    grid_add_if(grid, rate.interval, "%.6f", rate.low);
    grid_add_if(grid, rate.interval, "%.6f", rate.high);
}

static void print_csv(const struct groups *groups, FILE *out)
{
    static const char *const heads[] = { "class",      "workload", "store",
                                         "differs",    "phase",    "runs",
                                         "operations", "time_s",   "rate_per_s",
                                         "rate_low",   "rate_high" };
    struct grid grid;

    grid_init(&grid, "lllllrrrrrr", heads);
    grid.absent = "";
    for (size_t i = 0; i < groups->count; i++) {
        const struct group *const group = &groups->items[i];

        for (size_t p = 0; p < group->section->shape->phase_count; p++)
            add_csv_row(&grid, group, p);
    }
    grid_print(&grid, GRID_CSV, out);
    grid_release(&grid);
}

void guide_tables_print(const struct groups *groups,
                        const struct crash_results *crashes,
                        enum grid_format format, FILE *out)
{
    if (format == GRID_CSV) {
        print_csv(groups, out);
        return;
    }
    for (size_t i = 0; i < groups->section_count; i++)
        print_section(&groups->sections[i], crashes, format, out);
    if (groups->section_count > 0)
        print_legend(groups, format, out);
}
