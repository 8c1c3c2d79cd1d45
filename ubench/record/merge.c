/* SPDX-License-Identifier: ISC */
#include "record/merge.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/fields.h"
#include "record/key.h"

struct merger {
    struct arena *memory;
    struct err *err;
    size_t count;
    const struct record **parts; /* in order */
    struct record_part *about;   /* of the merged record */
    struct histogram *room;      /* to add histograms in */
};

/* What is refused */

static int refuse(struct err *err, const struct record *record,
                  const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int refuse(struct err *err, const struct record *record,
                  const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return err_set(err, "%s:%zu: %s", record->file, record->line, text);
}

/* What bears on a part alone. */
static int check_part(const struct record *record, struct err *err)
{
    const struct record_run *const run = &record->runs[0];
    const struct record_open *const open = run->open;

    if (record->part_count != 1)
        return refuse(err, record, "parts: it is no part of a run (--part)");
    if (record->incomplete || run->incomplete)
        return refuse(err, record,
                      "incomplete: the part did not come to its "
                      "end%s%s",
                      record->error[0] != '\0' ? ": " : "", record->error);
    if (record->run_count != 1)
        return refuse(err, record, "runs: %zu, expected one",
                      record->run_count);
    if (open != NULL && (open->trial_count != 1 || open->goal_count > 0 ||
                         open->storm.clients > 0))
        return refuse(err, record, "trials: expected a single one at a rate");
    return open != NULL && open->trials[0].invalid[0] != '\0'
               ? refuse(err, record, "trials: invalid: %s",
                        open->trials[0].invalid)
               : 0;
}

/* What may differ: which part it is, and how its host reaches the servers. */
static bool may_differ(const struct key_item *item)
{
    return item->kind == KEY_PARAMETER
               ? strcmp(item->name, "part") == 0
               : item->kind == KEY_FACT &&
                     (strcmp(item->name, "connection") == 0 ||
                      strcmp(item->name, "endpoints") == 0);
}

static const char *place_of(enum key_kind kind)
{
    return (kind & (KEY_PARAMETER | KEY_REQUEST)) != 0 ? "parameters."
           : (kind & (KEY_FACT | KEY_PRODUCT)) != 0    ? "facts."
                                                       : "";
}

/* That both are of one command line, on the same store. */
static int check_same(struct merger *to, const struct record *first,
                      const struct record *record)
{
    const unsigned kinds =
        (KEY_CONFIGURATION | KEY_REQUEST | KEY_STORE) & ~(unsigned)KEY_HOST;
    const struct key a = key_make(to->memory, first, kinds, true);
    const struct key b = key_make(to->memory, record, kinds, true);
    struct key_names names = { 0 };

    key_names_add_differences(to->memory, &names, &a, &b);
    for (size_t i = 0; i < names.count; i++) {
        const struct key_item *const item = &names.items[i];
        const char *const theirs = key_value(&a, item->kind, item->name);
        const char *const ours = key_value(&b, item->kind, item->name);

        if (!may_differ(item))
            return refuse(
                to->err, record,
                "%s%s is '%.99s', and '%.99s' in "
                "%s:%zu",
                place_of(item->kind), item->name, ours != NULL ? ours : "",
                theirs != NULL ? theirs : "", first->file, first->line);
    }
    return first->runs[0].phase_count == record->runs[0].phase_count
               ? 0
               : refuse(to->err, record, "phases: they are not those of %s:%zu",
                        first->file, first->line);
}

static int compare_numbers(const void *a, const void *b)
{
    const struct record *const *const left = a;
    const struct record *const *const right = b;

    return ((*left)->parts->number > (*right)->parts->number) -
           ((*left)->parts->number < (*right)->parts->number);
}

/* That each part of the run is there, once.  They are sorted. */
static int check_numbers(const struct merger *to)
{
    const uint64_t of = to->parts[0]->parts->of;

    for (size_t i = 0; i < to->count || i < of; i++) {
        const struct record *const record =
            to->parts[i < to->count ? i : to->count - 1];

        if (i >= to->count || i >= of || record->parts->of != of ||
            record->parts->number != i + 1)
            return refuse(to->err, record,
                          "parts: part %zu of %" PRIu64
                          " is missing, or there twice",
                          i + 1, of);
    }
    return 0;
}

/* Time */

/* When a phase of a part began, in ns after the first part's run, by the common
   clock. */
static double begun_ns(const struct merger *to, size_t part, size_t phase)
{
    const double run_us = (double)to->parts[part]->parts->common_us -
                          (double)to->parts[0]->parts->common_us;
    const uint64_t after_ns = to->parts[part]->runs[0].phases[phase].begun_ns;

    return run_us * 1e3 + (after_ns != RECORD_UNKNOWN ? (double)after_ns : 0);
}

static double elapsed_ns(const struct merger *to, size_t part, size_t phase)
{
    return (double)to->parts[part]->runs[0].phases[phase].elapsed_ns;
}

struct window {
    double from_ns;
    double until_ns;
};

/* When all parts were at work in a phase. */
static struct window find_window(const struct merger *to, size_t phase)
{
    struct window window = { -INFINITY, INFINITY };

    for (size_t i = 0; i < to->count; i++) {
        const double begun = begun_ns(to, i, phase);

        window.from_ns = fmax(window.from_ns, begun);
        window.until_ns =
            fmin(window.until_ns, begun + elapsed_ns(to, i, phase));
    }
    return window;
}

/* Refuses a part that was at work when others were not. */
static int check_window(struct merger *to, size_t phase)
{
    const struct window window = find_window(to, phase);

    for (size_t i = 0; i < to->count; i++) {
        const double share = fmax(window.until_ns - window.from_ns, 0) /
                             fmax(elapsed_ns(to, i, phase), 1);

        if (share < MERGE_TOGETHER)
            return refuse(to->err, to->parts[i],
                          "parts.common_us: in %s all parts were at work in "
                          "%.3g %% of the time of this one, and %g %% is the "
                          "least",
                          to->parts[i]->runs[0].phases[phase].name, 100 * share,
                          100 * MERGE_TOGETHER);
        if (phase == 0 || share < to->about[i].together)
            to->about[i].together = fmin(share, 1);
    }
    return 0;
}

/* 0 before a time, 1 after it, and in it how much of it is over. */
static double over(double now_ns, double length_ns)
{
    return length_ns > 0 ? fmin(fmax(now_ns / length_ns, 0), 1) : now_ns >= 0;
}

/* The operations that a phase had done at a time after it began: by its
   seconds, or, if they are not known, evenly. */
static double done_by(const struct record_phase *phase, double now_ns)
{
    const double elapsed = (double)phase->elapsed_ns;
    uint64_t counted = 0;
    double done = 0;

    for (size_t i = 0; i < phase->second_count; i++) {
        const double begun = 1e9 * (double)i;

        counted += phase->series[i].operations;
        done += (double)phase->series[i].operations *
                over(now_ns - begun, fmin(elapsed - begun, 1e9));
    }
    return counted == phase->operations
               ? done
               : (double)phase->operations * over(now_ns, elapsed);
}

/* The time of a phase: see the header.  Those that ran mixed have that of all
   of them. */
static uint64_t merged_ns(const struct merger *to, size_t phase)
{
    const struct window window = find_window(to, phase);
    double all = 0;
    double within = 0;

    for (size_t i = 0; i < to->count; i++) {
        const struct record_run *const run = &to->parts[i]->runs[0];
        const double begun = begun_ns(to, i, phase);

        for (size_t p = 0; p < run->phase_count; p++) {
            const struct record_phase *const done = &run->phases[p];

            if (p != phase && !run->together)
                continue;
            all += (double)done->operations;
            within += done_by(done, window.until_ns - begun) -
                      done_by(done, window.from_ns - begun);
        }
    }
    const double length_ns = window.until_ns - window.from_ns;
    return (uint64_t)(within > 0 ? all / within * length_ns + 0.5 : length_ns);
}

/* Sums, of what the table of fields has */

static uint64_t add_counts(const struct field *field, uint64_t a, uint64_t b)
{
    const bool unknown = a == RECORD_UNKNOWN || b == RECORD_UNKNOWN;

    if ((field->flags & FIELD_KEPT) != 0)
        return a;
    /* Where it is left out there was none. */
    if (unknown && (field->flags & FIELD_OUT) != 0)
        return a == RECORD_UNKNOWN ? b : a;
    if (unknown)
        return RECORD_UNKNOWN;
    return (field->flags & FIELD_MOST) == 0 ? a + b : a > b ? a : b;
}

static double add_reals(const struct field *field, double a, double b)
{
    return (field->flags & FIELD_KEPT) != 0   ? a
           : (field->flags & FIELD_MOST) != 0 ? fmax(a, b)
                                              : a + b;
}

static void add_histogram(struct merger *to, struct record_histogram *histogram,
                          const struct record_histogram *more)
{
    histogram_init(to->room);
    /* What was read is whole. */
    (void)record_histogram_restore(histogram, to->room);
    (void)record_histogram_restore(more, to->room);
    *histogram = record_histogram_of(to->memory, to->room);
}

static bool add_items(struct merger *to, const struct field *field, char *item,
                      const char *more);

/* Adds what an item of a table has to another, and to a copy of what that
   points to.  False if they are not of the same things. */
static bool add_item(struct merger *to, const struct field_table *table,
                     char *item, const char *more)
{
    bool alike = true;

    for (size_t i = 0; alike && i < table->count; i++) {
        const struct field *const field = &table->rows[i];
        void *const at = item + field->offset;
        const void *const from = more + field->offset;

        if (field->kind == FIELD_COUNT)
            *(uint64_t *)at =
                add_counts(field, *(uint64_t *)at, *(const uint64_t *)from);
        else if (field->kind == FIELD_REAL)
            *(double *)at =
                add_reals(field, *(double *)at, *(const double *)from);
        else if (field->kind == FIELD_FLAG)
            *(bool *)at = (field->flags & FIELD_ALL) != 0
                              ? *(bool *)at && *(const bool *)from
                              : *(bool *)at || *(const bool *)from;
        else if (field->kind == FIELD_OBJECT &&
                 strcmp(field->table->name, "histogram") == 0)
            add_histogram(to, at, from);
        else if (field->kind == FIELD_OBJECT)
            alike = add_item(to, field->table, at, from);
        else if (field->kind == FIELD_TUPLE)
            alike = add_item(to, field->table, item, more);
        else if (field->kind >= FIELD_POINTER)
            alike = add_items(to, field, item, more);
    }
    return alike;
}

/* Items of a list have a name, or not. */
static bool have_same_name(const struct field *field, const char *a,
                           const char *b)
{
    const struct field *const name = &field->table->rows[0];

    return field->kind != FIELD_LIST || name->kind != FIELD_TEXT ||
           strcmp(field_items(name, a, NULL), field_items(name, b, NULL)) == 0;
}

/* The same of what a field points to.  A list of seconds may be longer. */
static bool add_items(struct merger *to, const struct field *field, char *item,
                      const char *more)
{
    const size_t size = field->table->size;
    size_t count;
    size_t added;
    const char *const before = field_items(field, item, &count);
    const char *const from = field_items(field, more, &added);
    const size_t all = count > added ? count : added;
    bool alike = count == added || field->kind == FIELD_TUPLES;

    if (!alike || all == 0)
        return alike;
    char *const items = arena_alloc(to->memory, all, size);
    memset(items, 0, all * size);
    if (count > 0)
        memcpy(items, before, count * size);
    for (size_t i = 0; alike && i < added; i++)
        alike = have_same_name(field, items + i * size, from + i * size) ||
                i >= count;
    for (size_t i = 0; alike && i < added; i++)
        alike = add_item(to, field->table, items + i * size, from + i * size);
    memcpy(item + field->offset, &items, sizeof items);
    if (field->kind == FIELD_TUPLES)
        *(size_t *)(void *)(item + field->second) = all;
    return alike;
}

/* The runs of all parts, added to those of the first one. */
static int add_runs(struct merger *to, struct record *merged)
{
    size_t row = 0;

    while (strcmp(record_fields.rows[row].name, "runs") != 0)
        row++;
    for (size_t i = 1; i < to->count; i++) {
        if (!add_items(to, &record_fields.rows[row], (char *)merged,
                       (const char *)to->parts[i]))
            return refuse(to->err, to->parts[i],
                          "runs: it did other things than %s:%zu",
                          to->parts[0]->file, to->parts[0]->line);
    }
    return 0;
}

/* What is no sum */

static const struct record_phase *finish_phases(const struct merger *to,
                                                const struct record_run *run)
{
    const size_t count = run->phase_count;
    struct record_phase *const phases =
        arena_alloc(to->memory, count, sizeof *phases);
    double zero_ns = 0;

    memcpy(phases, run->phases, count * sizeof *phases);
    for (size_t p = 0; p < count; p++) {
        double earliest_ns = begun_ns(to, 0, p);

        for (size_t i = 1; i < to->count; i++)
            earliest_ns = fmin(earliest_ns, begun_ns(to, i, p));
        zero_ns = p == 0 ? earliest_ns : zero_ns;
        phases[p].begun_ns = (uint64_t)fmax(earliest_ns - zero_ns, 0);
        phases[p].elapsed_ns = merged_ns(to, p);
    }
    return phases;
}

static const struct record_open *finish_open(const struct merger *to,
                                             const struct record_open *from)
{
    struct record_open *const open = arena_alloc(to->memory, 1, sizeof *open);
    struct record_trial *const trial =
        arena_alloc(to->memory, 1, sizeof *trial);

    *trial = from->trials[0];
    trial->bad_share = record_trial_bad_share(trial, trial->deadline_ns);
    *open = *from;
    open->trials = trial;
    open->predicted = (struct record_predicted){ .servers = 0 };
    return open;
}

static const struct record_run *finish_run(const struct merger *to,
                                           const struct record_run *from)
{
    struct record_run *const run = arena_alloc(to->memory, 1, sizeof *run);
    uint64_t digest = 0;

    for (size_t i = 0; i < to->count; i++)
        digest += strtoull(to->parts[i]->runs[0].digest, NULL, 16);
    *run = *from;
    run->digest = arena_print(to->memory, "%016" PRIx64, digest);
    run->phases = finish_phases(to, from);
    if (from->open != NULL)
        run->open = finish_open(to, from->open);
    return run;
}

/* The properties without one of them. */
static struct record_properties without(struct arena *memory,
                                        const struct record_properties *of,
                                        const char *key)
{
    struct record_property *const items =
        arena_alloc(memory, of->count, sizeof *items);
    size_t count = 0;

    for (size_t i = 0; i < of->count; i++) {
        if (strcmp(of->items[i].key, key) != 0)
            items[count++] = of->items[i];
    }
    return (struct record_properties){ count,
                                       of->items != NULL ? items : NULL };
}

/* What each host says: where they differ, one after the other. */
static struct record_properties merge_hosts(struct merger *to)
{
    const struct record_properties *const first = &to->parts[0]->host;
    struct record_property *const items =
        arena_alloc(to->memory, first->count, sizeof *items);

    for (size_t i = 0; i < first->count; i++) {
        items[i] = first->items[i];
        for (size_t p = 1; p < to->count; p++) {
            const char *const value =
                record_properties_find(&to->parts[p]->host, items[i].key);

            if (value != NULL)
                items[i].value =
                    arena_join_once(to->memory, items[i].value, "; ", value);
        }
    }
    return (struct record_properties){ first->count, items };
}

static const char *merge_warnings(struct merger *to)
{
    const char *warnings = "";

    for (size_t i = 0; i < to->count; i++) {
        const struct record *const part = to->parts[i];
        bool told = part->warning[0] == '\0';

        for (size_t k = 0; k < i; k++)
            told = told || strcmp(to->parts[k]->warning, part->warning) == 0;
        if (!told)
            warnings = arena_join(to->memory, warnings, "; ", "%s: %s",
                                  part->parts->host, part->warning);
    }
    return warnings;
}

int merge_parts(struct arena *memory, const struct record *records,
                size_t count, struct record *merged, struct err *err)
{
    struct merger to = {
        .memory = memory,
        .err = err,
        .count = count,
        .parts = arena_alloc(memory, count, sizeof *to.parts),
        .about = arena_alloc(memory, count, sizeof *to.about),
        .room = arena_alloc(memory, 1, sizeof *to.room),
    };

    for (size_t i = 0; i < count; i++) {
        to.parts[i] = &records[i];
        if (check_part(&records[i], err) != 0 ||
            (i > 0 && check_same(&to, &records[0], &records[i]) != 0))
            return -1;
    }
    qsort(to.parts, count, sizeof *to.parts, compare_numbers);
    if (check_numbers(&to) != 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        to.about[i] = to.parts[i]->parts[0];
    for (size_t p = 0; p < to.parts[0]->runs[0].phase_count; p++) {
        if (check_window(&to, p) != 0)
            return -1;
    }
    *merged = *to.parts[0];
    merged->parameters = without(memory, &merged->parameters, "part");
    merged->labels = without(memory, &merged->labels, "agent");
    merged->host = merge_hosts(&to);
    merged->warning = merge_warnings(&to);
    merged->parts = to.about;
    merged->part_count = count;
    if (add_runs(&to, merged) != 0)
        return -1;
    merged->runs = finish_run(&to, &merged->runs[0]);
    return 0;
}
