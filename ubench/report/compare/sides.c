/* SPDX-License-Identifier: ISC */
#include <stdarg.h>
#include <string.h>

#include "report/choose.h"
#include "report/compare/parts.h"

const char *compare_side_name(int side)
{
    return side == COMPARE_BASELINE ? "baseline" : "candidate";
}

void compare_note(struct comparison *comparison, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    const char *const text =
        arena_vprint(comparison->memory, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < comparison->note_count; i++) {
        if (strcmp(comparison->notes[i], text) == 0)
            return;
    }
    comparison->notes = arena_grow(
        comparison->memory, comparison->notes, comparison->note_count,
        &comparison->note_room, sizeof *comparison->notes);
    comparison->notes[comparison->note_count++] = text;
}

void compare_note_alone(struct comparison *comparison, int side, const char *of,
                        const char *what)
{
    const char *const separator = of[0] != '\0' ? ": " : "";

    compare_note(comparison, "%s%sonly the %s has %s", of, separator,
                 compare_side_name(side), what);
    if (side == COMPARE_BASELINE)
        comparison->lacking =
            arena_join(comparison->memory, comparison->lacking, "; ", "%s%s%s",
                       of, separator, what);
}

bool compare_is_chosen_by(const struct compare_config *config, const char *key)
{
    return choose_setting(&config->baseline, key) != NULL ||
           choose_setting(&config->candidate, key) != NULL;
}

/* The first and the last run of a block, which show its drift: they are on no
   side, unless they were asked for. */
static bool is_reference(const struct record *record,
                         const struct compare_config *config)
{
    return record_is_reference(record) &&
           !compare_is_chosen_by(config, "role") &&
           choose_setting(&config->where, "role") == NULL;
}

static bool is_on_side(const struct record *record,
                       const struct compare_config *config, int side)
{
    if (config->baseline.count == 0 && config->candidate.count == 0)
        return strcmp(record->file, config->files[side]) == 0;
    return choose_has_all(record, side == COMPARE_BASELINE
                                      ? &config->baseline
                                      : &config->candidate);
}

/* "store=mysql, threads=4", or the file. */
static const char *name_side(struct arena *memory,
                             const struct compare_config *config, int side)
{
    const struct opt_settings *const settings =
        side == COMPARE_BASELINE ? &config->baseline : &config->candidate;
    const char *name = "";

    if (settings->count == 0)
        return config->files[side];
    for (size_t i = 0; i < settings->count; i++)
        name = arena_join(memory, name, ", ", "%s=%s", settings->items[i].name,
                          settings->items[i].value);
    return name;
}

/* The records of a side, in the order of the archive. */
struct side {
    size_t count;
    const struct record **records;
};

static int sort_out(struct comparison *comparison,
                    struct side sides[COMPARE_SIDES],
                    const struct compare_config *config,
                    const struct archive *archive, struct err *err)
{
    size_t references = 0;

    for (size_t i = 0; i < archive->count; i++) {
        const struct record *const record = &archive->records[i];
        const bool from = is_on_side(record, config, COMPARE_BASELINE);
        const bool to = is_on_side(record, config, COMPARE_CANDIDATE);

        if (!choose_has_all(record, &config->where) || (!from && !to))
            continue;
        if (is_reference(record, config)) {
            references++;
            continue;
        }
        if (from && to)
            return err_set_class(err, ERR_USAGE,
                                 "%s:%zu is in both groups; --baseline and "
                                 "--candidate must exclude each other",
                                 record->file, record->line);
        struct side *const side =
            &sides[from ? COMPARE_BASELINE : COMPARE_CANDIDATE];
        side->records[side->count++] = record;
    }
    if (references > 0)
        compare_note(comparison,
                     "%zu reference runs of the campaign were left out; "
                     "role=reference chooses them",
                     references);
    return 0;
}

int compare_sides_choose(struct comparison *comparison,
                         const struct compare_config *config,
                         const struct archive *archive, struct err *err)
{
    struct arena *const memory = comparison->memory;
    struct side sides[COMPARE_SIDES] = { 0 };

    for (int side = 0; side < COMPARE_SIDES; side++)
        sides[side].records =
            arena_alloc(memory, archive->count, sizeof *sides[side].records);
    if (choose_check("where", &config->where, archive, err) != 0 ||
        choose_check("baseline", &config->baseline, archive, err) != 0 ||
        choose_check("candidate", &config->candidate, archive, err) != 0 ||
        sort_out(comparison, sides, config, archive, err) != 0)
        return -1;
    for (int side = 0; side < COMPARE_SIDES; side++) {
        comparison->names[side] = name_side(memory, config, side);
        if (sides[side].count == 0)
            return err_set_class(
                err, ERR_USAGE, "there is no result for the %s, %s",
                compare_side_name(side), comparison->names[side]);
        comparison->sides[side] =
            group_of_records(memory, sides[side].records, sides[side].count);
    }
    return 0;
}
