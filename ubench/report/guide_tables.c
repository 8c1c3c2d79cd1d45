/* SPDX-License-Identifier: ISC */
#include "report/guide_tables.h"

#include <inttypes.h>
#include <math.h>

#include "core/units.h"
#include "record/runs.h"

/* Figures of a run; context is the number of a phase, or nothing. */

static double time_ns(const struct record_run *run, const void *context)
{
    return (double)run->phases[*(const size_t *)context].elapsed_ns;
}

static double rate(const struct record_run *run, const void *context)
{
    return record_phase_rate(&run->phases[*(const size_t *)context]);
}

/* The guide's Average, of times and of rates. */
static double mean_of(const struct record_run *run, runs_figure *figure)
{
    double sum = 0;

    for (size_t i = 0; i < run->phase_count; i++)
        sum += figure(run, &i);
    return sum / (double)run->phase_count;
}

static double mean_time_ns(const struct record_run *run, const void *context)
{
    (void)context;
    return mean_of(run, time_ns);
}

static double mean_rate(const struct record_run *run, const void *context)
{
    (void)context;
    return mean_of(run, rate);
}

static double overall_time_ns(const struct record_run *run, const void *context)
{
    (void)context;
    return (double)record_run_elapsed_ns(run);
}

static double overall_rate(const struct record_run *run, const void *context)
{
    (void)context;
    return record_run_rate(run);
}

/* How a figure is printed. */
enum unit { RATE, RATE_FINE, SECONDS, SECONDS_FINE };

static void add_figure(struct grid *grid, enum unit unit,
                       const struct runs *runs, runs_figure *figure,
                       size_t phase)
{
    if (runs->count == 0) {
        grid_add(grid, "n/a");
        return;
    }
    const double value = runs_median(&grid->memory, runs, figure, &phase);
    switch (unit) {
    case RATE:
        grid_add(grid, "%.2f", value);
        break;
    case RATE_FINE:
        grid_add(grid, "%.6f", value);
        break;
    case SECONDS:
        /* Rounded as whole microseconds, halves up, as the guide's are: in
           seconds a half is no number that a double has. */
        grid_add(grid, "%.6f", round(value / 1e3) / 1e6);
        break;
    case SECONDS_FINE:
        grid_add(grid, "%.9f", round(value) / 1e9);
        break;
    }
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

static void add_operations(struct grid *grid, const struct runs *runs)
{
    char text[UNITS_TEXT_SIZE];

    grid_add(grid, "%s",
             runs->count > 0 ? units_count(text, operations_of(runs->items[0]))
                             : "n/a");
    grid_add(grid, "%zu", runs->count);
}

/* A column of figures. */
struct column {
    const char *name;
    runs_figure *figure;
    size_t phase;
};

/* One of the two tables of a section. */
struct table {
    const char *title;
    enum unit unit;
    char sides[GRID_COLUMNS_MAX + 1]; /* with those for interval and losses */
    struct column columns[GRID_COLUMNS_MAX];
    size_t count;
};

/* In front of the figures: what it is, operations and runs; and behind them. */
enum { HEAD_COLUMNS = 3, TAIL_COLUMNS = 2 };

static void add_column(struct table *table, const char *name,
                       runs_figure *figure, size_t phase)
{
    if (HEAD_COLUMNS + table->count + TAIL_COLUMNS < GRID_COLUMNS_MAX) {
        table->sides[HEAD_COLUMNS + table->count] = 'r';
        table->columns[table->count++] = (struct column){ name, figure, phase };
    }
}

static void add_phases(struct table *table, const struct record_run *shape,
                       runs_figure *figure)
{
    for (size_t i = 0; i < shape->phase_count; i++)
        add_column(table, shape->phases[i].name, figure, i);
}

static const struct record *first_record(const struct section *section)
{
    return section->items[0].records[0];
}

/* Exchanges that ran together have one time, and no average; nor has a single
   phase. */
static bool has_average(const struct section *section)
{
    return section->shape->phase_count > 1 && !section->shape->together &&
           !record_is_fill(first_record(section));
}

static struct table make_time_table(const struct section *section)
{
    const struct record_run *const shape = section->shape;
    struct table table = { "time [s]", SECONDS, .sides = "lrr" };

    if (shape->together) {
        add_column(&table, "all", overall_time_ns, 0);
    } else {
        add_phases(&table, shape, time_ns);
        if (has_average(section))
            add_column(&table, "average", mean_time_ns, 0);
    }
    return table;
}

static struct table make_rate_table(const struct section *section)
{
    struct table table = { "rate [oper/s]", RATE, .sides = "lrr" };

    if (record_is_of_exchanges(first_record(section)))
        table.title = "rate [exch/s]";
    add_phases(&table, section->shape, rate);
    if (has_average(section))
        add_column(&table, "average", mean_rate, 0);
    if (!record_is_fill(first_record(section)))
        add_column(&table, "overall", overall_rate, 0);
    return table;
}

/* True where at least one row has enough runs to say how sure its overall rate
   is. */
static bool has_intervals(const struct section *section)
{
    struct arena memory = { 0 };
    bool has = false;

    if (record_is_fill(first_record(section)))
        return false;
    for (size_t i = 0; i < section->count && !has; i++) {
        const struct runs runs = runs_collect(&memory, &section->items[i]);

        has = runs_interval(&memory, &runs, overall_rate, NULL).coverage > 0;
    }
    arena_release(&memory);
    return has;
}

/* Of the overall rate, which stands before it. */
static void add_interval(struct grid *grid, const struct runs *runs)
{
    const struct interval interval =
        runs_interval(&grid->memory, runs, overall_rate, NULL);

    if (interval.coverage > 0)
        grid_add(grid, "%.2f to %.2f", interval.low, interval.high);
    else
        grid_add(grid, "n/a");
}

/* Beside a rate: what was seen to be lost with the same settings. */
static void add_losses(struct grid *grid, const struct losses *losses,
                       const struct configuration *configuration)
{
    const char *const text =
        losses_tell(losses, configuration->records[0], &grid->memory);

    grid_add(grid, "%s", text[0] != '\0' ? text : "not tested");
}

static void print_table(const struct section *section, struct table *table,
                        const struct losses *losses, enum grid_format format,
                        FILE *out)
{
    const bool intervals = table->unit == RATE && has_intervals(section);
    const bool beside = losses->count > 0 && table->unit == RATE;
    struct grid grid;

    (void)snprintf(table->sides + HEAD_COLUMNS + table->count, TAIL_COLUMNS + 1,
                   "%s%s", intervals ? "r" : "", beside ? "l" : "");
    grid_init(&grid, table->sides);
    grid_add(&grid, "%s", table->title);
    grid_add(&grid, "%s",
             record_is_of_exchanges(first_record(section)) ? "exchanges"
                                                           : "operations");
    grid_add(&grid, "runs");
    for (size_t i = 0; i < table->count; i++)
        grid_add(&grid, "%s", table->columns[i].name);
    if (intervals)
        grid_add(&grid, "its 95 %% interval");
    if (beside)
        grid_add(&grid, "lossy crashes");
    for (size_t i = 0; i < section->count; i++) {
        const struct runs runs = runs_collect(&grid.memory, &section->items[i]);

        grid_add(&grid, "%s", section->items[i].label);
        add_operations(&grid, &runs);
        for (size_t k = 0; k < table->count; k++)
            add_figure(&grid, table->unit, &runs, table->columns[k].figure,
                       table->columns[k].phase);
        if (intervals)
            add_interval(&grid, &runs);
        if (beside)
            add_losses(&grid, losses, &section->items[i]);
    }
    grid_print(&grid, format, out);
    grid_release(&grid);
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
    (void)fprintf(notes->out, "%s%s: %s\n",
                  notes->format == GRID_MARKDOWN ? "- " : "note  ", label,
                  text);
}

struct warnings {
    const char *first;
    size_t count;
    size_t records; /* of which so many have one */
};

static void count_warnings(struct warnings *warnings,
                           const struct configuration *configuration)
{
    for (size_t i = 0; i < configuration->record_count; i++) {
        const char *const warning = configuration->records[i]->warning;

        if (warning[0] != '\0' && warnings->count++ == 0)
            warnings->first = warning;
    }
    warnings->records += configuration->record_count;
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

/* Where all results have one, it is the machine's, and once is enough. */
static bool note_common_warning(struct notes *notes,
                                const struct section *section)
{
    struct warnings all = { 0 };

    for (size_t i = 0; i < section->count; i++)
        count_warnings(&all, &section->items[i]);
    if (section->count == 1 || all.count < all.records)
        return false;
    note_warnings(notes, "all rows", &all);
    return true;
}

static void print_notes(const struct section *section, enum grid_format format,
                        FILE *out)
{
    struct notes notes = { .format = format, .out = out };
    const bool common = note_common_warning(&notes, section);

    for (size_t i = 0; i < section->count; i++) {
        const struct configuration *const configuration = &section->items[i];
        const struct runs runs = runs_collect(&notes.memory, configuration);

        if (runs.incomplete > 0)
            print_note(&notes, configuration->label,
                       arena_print(&notes.memory,
                                   "%zu incomplete run%s left out",
                                   runs.incomplete,
                                   runs.incomplete == 1 ? " is" : "s are"));
        struct warnings warnings = { 0 };

        count_warnings(&warnings, configuration);
        if (!common)
            note_warnings(&notes, configuration->label, &warnings);
    }
    arena_release(&notes.memory);
}

static void print_heading(const struct section *section,
                          enum grid_format format, FILE *out)
{
    struct arena memory = { 0 };

    (void)fprintf(out, "%s%s: %s\n\n", format == GRID_MARKDOWN ? "### " : "",
                  section_heading(&memory, section), section->meaning);
    arena_release(&memory);
}

static void print_section(const struct section *section,
                          const struct losses *losses, enum grid_format format,
                          FILE *out)
{
    struct table times = make_time_table(section);
    struct table rates = make_rate_table(section);

    print_heading(section, format, out);
    print_table(section, &times, losses, format, out);
    (void)fputc('\n', out);
    print_table(section, &rates, losses, format, out);
    print_notes(section, format, out);
}

static void print_legend(const struct sections *sections, FILE *out)
{
    bool intervals = false;

    for (size_t i = 0; i < sections->count; i++)
        intervals = intervals || has_intervals(&sections->items[i]);
    (void)fprintf(out,
                  "average: the mean of the phases, as in the 2012 guide; "
                  "overall: all operations by all time.\n"
                  "Of several runs the median.  Only rows of one table and "
                  "one load say which store is faster.\n");
    if (intervals)
        (void)fprintf(out, "An interval is that of the median of overall, of 6 "
                           "to 1,000 runs; compare says what of a difference\n"
                           "is more than chance.\n");
}

static void add_csv_row(struct grid *grid, const struct section *section,
                        const struct configuration *configuration,
                        const struct runs *runs, size_t phase)
{
    grid_add(grid, "%s", section->title);
    grid_add(grid, "%s",
             record_parameter(configuration->records[0], "workload"));
    grid_add(grid, "%s", configuration->records[0]->store);
    grid_add(grid, "%s", configuration->differs);
    grid_add(grid, "%s", section->shape->phases[phase].name);
    grid_add(grid, "%zu", runs->count);
    if (runs->count > 0)
        grid_add(grid, "%" PRIu64, runs->items[0]->phases[phase].operations);
    else
        grid_add(grid, "%s", "");
    add_figure(grid, SECONDS_FINE, runs, time_ns, phase);
    add_figure(grid, RATE_FINE, runs, rate, phase);
    const struct interval interval =
        runs_interval(&grid->memory, runs, rate, &phase);
    if (interval.coverage > 0) {
        grid_add(grid, "%.6f", interval.low);
        grid_add(grid, "%.6f", interval.high);
    } else {
        grid_add(grid, "%s", "");
        grid_add(grid, "%s", "");
    }
}

static void print_csv(const struct sections *sections, FILE *out)
{
    static const char *const header[] = {
        "class",      "workload", "store",      "differs",  "phase",    "runs",
        "operations", "time_s",   "rate_per_s", "rate_low", "rate_high"
    };
    struct grid grid;

    grid_init(&grid, "lllllrrrrrr");
    for (size_t i = 0; i < sizeof header / sizeof header[0]; i++)
        grid_add(&grid, "%s", header[i]);
    for (size_t i = 0; i < sections->count; i++) {
        const struct section *const section = &sections->items[i];

        for (size_t k = 0; k < section->count; k++) {
            const struct configuration *const item = &section->items[k];
            const struct runs runs = runs_collect(&grid.memory, item);

            for (size_t p = 0; p < section->shape->phase_count; p++)
                add_csv_row(&grid, section, item, &runs, p);
        }
    }
    grid_print(&grid, GRID_CSV, out);
    grid_release(&grid);
}

void guide_tables_print(const struct sections *sections,
                        const struct losses *losses, enum grid_format format,
                        FILE *out)
{
    if (format == GRID_CSV) {
        print_csv(sections, out);
        return;
    }
    for (size_t i = 0; i < sections->count; i++) {
        print_section(&sections->items[i], losses, format, out);
        (void)fputc('\n', out);
    }
    if (sections->count > 0)
        print_legend(sections, out);
}
