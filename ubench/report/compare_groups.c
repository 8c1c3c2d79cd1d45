/* SPDX-License-Identifier: ISC */
#include "report/compare_groups.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const char *const side_names[] = { "baseline", "candidate" };

static bool is_one_of(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

void compare_note(struct comparison *comparison, const char *format, ...)
{
    enum { NOTES_MAX = 64 };
    char text[512];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (comparison->notes == NULL)
        comparison->notes = arena_alloc(&comparison->memory, NOTES_MAX,
                                        sizeof *comparison->notes);
    if (comparison->note_count < NOTES_MAX &&
        !is_one_of(comparison->notes, comparison->note_count, text))
        comparison->notes[comparison->note_count++] =
            arena_text(&comparison->memory, text);
}

static const char *class_of(const struct record *record)
{
    return record->durability_known ? durability_name(record->durability)
                                    : "unknown";
}

/* What a record has under a key, wherever it stands; NULL if it has not. */
static const char *value_of(const struct record *record, const char *key)
{
    const struct record_properties *const places[] = {
        &record->parameters, &record->facts, &record->labels, &record->host
    };

    if (strcmp(key, "store") == 0)
        return record->store;
    if (strcmp(key, "version") == 0)
        return record->version;
    if (strcmp(key, "durability") == 0)
        return class_of(record);
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        const char *const value = record_properties_find(places[i], key);

        if (value != NULL)
            return value;
    }
    return NULL;
}

static bool has_all(const struct record *record,
                    const struct opt_settings *wanted)
{
    for (size_t i = 0; i < wanted->count; i++) {
        const char *const value = value_of(record, wanted->items[i].name);

        if (value == NULL || strcmp(value, wanted->items[i].value) != 0)
            return false;
    }
    return true;
}

static bool names_key(const struct opt_settings *settings, const char *key)
{
    for (size_t i = 0; i < settings->count; i++) {
        if (strcmp(settings->items[i].name, key) == 0)
            return true;
    }
    return false;
}

static bool is_chosen_by(const struct compare_config *config, const char *key)
{
    return names_key(&config->baseline, key) ||
           names_key(&config->candidate, key);
}

/* Refuses NAME=VALUE that no result has; says what there is instead. */
static int check_setting(const char *option, const struct opt_setting *setting,
                         const struct archive *archive, struct err *err)
{
    const char *there[8];
    size_t count = 0;
    char list[256] = "";
    size_t length = 0;

    for (size_t i = 0; i < archive->count; i++) {
        const char *const value = value_of(&archive->records[i], setting->name);

        if (value != NULL && strcmp(value, setting->value) == 0)
            return 0;
        if (value != NULL && count < COUNT_OF(there) &&
            !is_one_of(there, count, value))
            there[count++] = value;
    }
    for (size_t i = 0; i < count && length < sizeof list; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s",
                                   i > 0 ? ", " : "", there[i]);
    if (count > 0)
        return err_set_class(err, ERR_USAGE,
                             "--%s: no result has %s=%s; there is %s%s", option,
                             setting->name, setting->value, list,
                             count == COUNT_OF(there) ? ", ..." : "");
    return err_set_class(err, ERR_USAGE,
                         "--%s: no result has '%s'; a parameter, a fact, "
                         "a label, store, version or durability is wanted",
                         option, setting->name);
}

static int check_settings(const char *option,
                          const struct opt_settings *settings,
                          const struct archive *archive, struct err *err)
{
    for (size_t i = 0; i < settings->count; i++) {
        if (check_setting(option, &settings->items[i], archive, err) != 0)
            return -1;
    }
    return 0;
}

/* The first and the last run of a block, which show its drift: they are of no
   group, unless they were asked for. */
static bool is_reference(const struct record *record,
                         const struct compare_config *config)
{
    return record_is_reference(record) && !is_chosen_by(config, "role") &&
           !names_key(&config->where, "role");
}

static bool is_on_side(const struct record *record,
                       const struct compare_config *config, int side)
{
    if (config->baseline.count == 0 && config->candidate.count == 0)
        return strcmp(record->file, config->files[side]) == 0;
    return has_all(record, side == COMPARE_BASELINE ? &config->baseline
                                                    : &config->candidate);
}

static void add_record(struct compare_records *to, const struct record *record)
{
    to->items[to->count++] = record;
}

static int choose_sides(struct compare_records sides[COMPARE_SIDES],
                        struct comparison *comparison,
                        const struct compare_config *config,
                        const struct archive *archive, struct err *err)
{
    size_t references = 0;

    for (int side = 0; side < COMPARE_SIDES; side++)
        sides[side].items = arena_alloc(&comparison->memory, archive->count,
                                        sizeof *sides[side].items);
    for (size_t i = 0; i < archive->count; i++) {
        const struct record *const record = &archive->records[i];
        const bool from = is_on_side(record, config, COMPARE_BASELINE);
        const bool to = is_on_side(record, config, COMPARE_CANDIDATE);

        if (!has_all(record, &config->where) || (!from && !to))
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
        add_record(&sides[from ? COMPARE_BASELINE : COMPARE_CANDIDATE], record);
    }
    if (references > 0)
        compare_note(comparison,
                     "%zu reference runs of the campaign were left out; "
                     "role=reference chooses them",
                     references);
    return 0;
}

static void describe_group(struct compare_group *group,
                           const struct compare_records *records)
{
    group->results = records->count;
    for (size_t i = 0; i < records->count; i++) {
        const struct record *const record = records->items[i];

        for (size_t run = 0; run < record->run_count; run++)
            group->runs += !record->runs[run].incomplete;
        if (record->warning[0] != '\0' && group->warned++ == 0)
            group->warning = record->warning;
        if (group->begun == NULL ||
            strcmp(record->started_at, group->begun) < 0)
            group->begun = record->started_at;
        if (group->last == NULL || strcmp(record->started_at, group->last) > 0)
            group->last = record->started_at;
    }
}

static const char *name_group(struct arena *memory,
                              const struct compare_config *config, int side)
{
    const struct opt_settings *const settings =
        side == COMPARE_BASELINE ? &config->baseline : &config->candidate;
    const char *name = "";

    if (settings->count == 0)
        return config->files[side];
    for (size_t i = 0; i < settings->count; i++)
        name = arena_print(memory, "%s%s%s=%s", name, i > 0 ? ", " : "",
                           settings->items[i].name, settings->items[i].value);
    return name;
}

/* ---- Cases ---- */

/* Results that differ in these are still each other's like. */
static const char *const no_axes[] = {
    /* parameters: where it lies, what is printed, chance */
    "file", "database", "host", "port", "user", "connect-timeout",
    "read-timeout", "output", "json", "verbose", "progress", "label", "repeat",
    "seed",
    /* labels: the place in a campaign */
    "campaign", "block", "position", "role", "cell"
};

struct axis {
    const char *store; /* as axis_store has it */
    const char *key;
};

struct axes {
    bool across_stores; /* these are what is compared */
    size_t count;
    struct axis items[128];
};

/* The store of all records, or NULL if there are several. */
static const char *common_store(const struct compare_records *side)
{
    for (size_t i = 1; i < side->count; i++) {
        if (strcmp(side->items[i]->store, side->items[0]->store) != 0)
            return NULL;
    }
    return side->items[0]->store;
}

/* A store against another: there is nothing else that could be meant. */
static bool is_across_stores(const struct compare_records sides[COMPARE_SIDES],
                             const struct compare_config *config)
{
    const char *const from = common_store(&sides[COMPARE_BASELINE]);
    const char *const to = common_store(&sides[COMPARE_CANDIDATE]);

    return is_chosen_by(config, "store") ||
           (from != NULL && to != NULL && strcmp(from, to) != 0);
}

static bool is_open(const struct record *record)
{
    return record->runs[0].open != NULL;
}

static const char *axis_store(const struct axes *axes,
                              const struct record *record)
{
    return axes->across_stores ? "" : record->store;
}

static bool is_axis(const struct axes *axes, const char *store, const char *key)
{
    for (size_t i = 0; i < axes->count; i++) {
        if (strcmp(axes->items[i].store, store) == 0 &&
            strcmp(axes->items[i].key, key) == 0)
            return true;
    }
    return false;
}

static void add_axes(struct axes *axes, const char *store,
                     const struct record_properties *of,
                     const struct record_properties *first,
                     const struct compare_config *config)
{
    for (size_t i = 0; i < of->count; i++) {
        const char *const key = of->items[i].key;
        const char *const other = record_properties_find(first, key);

        if (other != NULL && strcmp(of->items[i].value, other) == 0)
            continue;
        if (!is_one_of(no_axes, COUNT_OF(no_axes), key) &&
            !is_chosen_by(config, key) && !is_axis(axes, store, key) &&
            axes->count < COUNT_OF(axes->items))
            axes->items[axes->count++] = (struct axis){ store, key };
    }
}

/* Each record is held to the first of its store on its side, and of its kind of
   loop: what varies there is an axis. */
static void find_axes(struct axes *axes, const struct compare_records *side,
                      const struct compare_config *config)
{
    for (size_t i = 0; i < side->count; i++) {
        const struct record *const record = side->items[i];
        const char *const store = axis_store(axes, record);
        size_t first = 0;

        while (strcmp(axis_store(axes, side->items[first]), store) != 0 ||
               is_open(side->items[first]) != is_open(record))
            first++;
        add_axes(axes, store, &record->parameters,
                 &side->items[first]->parameters, config);
        add_axes(axes, store, &record->labels, &side->items[first]->labels,
                 config);
    }
}

static const char *name_case(struct arena *memory, const struct axes *axes,
                             const struct record *record)
{
    const struct record_properties *const places[] = { &record->parameters,
                                                       &record->labels };
    const char *const store = axis_store(axes, record);
    const char *name = store;

    if (is_open(record))
        name = arena_print(memory, "%s%sopen loop", store,
                           store[0] != '\0' ? ", " : "");
    for (size_t p = 0; p < COUNT_OF(places); p++) {
        for (size_t i = 0; i < places[p]->count; i++) {
            const struct record_property *const property = &places[p]->items[i];

            if (is_axis(axes, store, property->key))
                name = arena_print(memory, "%s%s%s=%s", name,
                                   name[0] != '\0' ? ", " : "", property->key,
                                   property->value);
        }
    }
    return name;
}

static struct compare_pair *find_pair(struct compare_groups *groups,
                                      const char *name)
{
    for (size_t i = 0; i < groups->pair_count; i++) {
        if (strcmp(groups->pairs[i].name, name) == 0)
            return &groups->pairs[i];
    }
    return NULL;
}

static void add_to_pairs(struct compare_groups *groups, struct arena *memory,
                         const struct compare_records *records, int side,
                         const struct axes *axes)
{
    for (size_t i = 0; i < records->count; i++) {
        const char *const name = name_case(memory, axes, records->items[i]);
        struct compare_pair *pair = find_pair(groups, name);

        if (pair == NULL) {
            pair = &groups->pairs[groups->pair_count++];
            *pair = (struct compare_pair){
                .name = name,
                .open = is_open(records->items[i]),
            };
        }
        if (pair->sides[side].items == NULL)
            pair->sides[side].items = arena_alloc(
                memory, records->count, sizeof *pair->sides[side].items);
        add_record(&pair->sides[side], records->items[i]);
    }
}

/* By name, but threads=4 before threads=16. */
static int by_name(const void *a, const void *b)
{
    const char *x = ((const struct compare_pair *)a)->name;
    const char *y = ((const struct compare_pair *)b)->name;

    while (*x == *y && *x != '\0') {
        x++;
        y++;
    }
    const size_t x_digits = strspn(x, "0123456789");
    const size_t y_digits = strspn(y, "0123456789");

    if (x_digits != y_digits && x_digits > 0 && y_digits > 0)
        return x_digits < y_digits ? -1 : 1;
    return (unsigned char)*x - (unsigned char)*y;
}

/* Leaves the cases that both sides have. */
static int keep_matched(struct compare_groups *groups,
                        struct comparison *comparison, struct err *err)
{
    size_t kept = 0;

    for (size_t i = 0; i < groups->pair_count; i++) {
        const struct compare_pair *const pair = &groups->pairs[i];

        if (pair->sides[0].count > 0 && pair->sides[1].count > 0)
            groups->pairs[kept++] = *pair;
        else
            compare_note(comparison, "only the %s has %s",
                         side_names[pair->sides[0].count == 0], pair->name);
    }
    if (kept == 0)
        return err_set(err,
                       "the two groups have no case in common: %s on one side, "
                       "%s on the other",
                       groups->pairs[0].name,
                       groups->pairs[groups->pair_count - 1].name);
    groups->pair_count = kept;
    qsort(groups->pairs, kept, sizeof *groups->pairs, by_name);
    return 0;
}

/* The class of all records on a side, or "mixed". */
static const char *common_class(const struct compare_records *records)
{
    for (size_t i = 1; i < records->count; i++) {
        if (strcmp(class_of(records->items[i]), class_of(records->items[0])) !=
            0)
            return "mixed";
    }
    return class_of(records->items[0]);
}

static int check_classes(struct compare_groups *groups, bool across,
                         struct err *err)
{
    for (size_t i = 0; i < groups->pair_count; i++) {
        struct compare_pair *const pair = &groups->pairs[i];
        const char *const from = common_class(&pair->sides[0]);
        const char *const to = common_class(&pair->sides[1]);

        pair->classes[0] = from;
        pair->classes[1] = to;
        if (across || (strcmp(from, to) == 0 && strcmp(from, "mixed") != 0 &&
                       strcmp(from, "unknown") != 0))
            continue;
        if (strcmp(from, to) == 0 && strcmp(from, "unknown") == 0)
            return err_set(err,
                           "%s%sthe durability of both groups is unknown, and "
                           "may not be the same; --across-classes compares "
                           "them all the same",
                           pair->name, pair->name[0] != '\0' ? ": " : "");
        return err_set(err,
                       "%s%sthe durability of the baseline is %s, of the "
                       "candidate %s: they promise different things; "
                       "--across-classes compares them all the same",
                       pair->name, pair->name[0] != '\0' ? ": " : "", from, to);
    }
    return 0;
}

static int find_pairs(struct compare_groups *groups,
                      struct comparison *comparison,
                      const struct compare_records sides[COMPARE_SIDES],
                      const struct compare_config *config, struct err *err)
{
    struct axes axes = { .across_stores = is_across_stores(sides, config) };

    for (int side = 0; side < COMPARE_SIDES; side++)
        find_axes(&axes, &sides[side], config);
    groups->pairs =
        arena_alloc(&comparison->memory, sides[0].count + sides[1].count,
                    sizeof *groups->pairs);
    for (int side = 0; side < COMPARE_SIDES; side++)
        add_to_pairs(groups, &comparison->memory, &sides[side], side, &axes);
    return keep_matched(groups, comparison, err);
}

int compare_groups_find(struct compare_groups *groups,
                        struct comparison *comparison,
                        const struct compare_config *config,
                        const struct archive *archive, struct err *err)
{
    struct compare_records sides[COMPARE_SIDES] = { 0 };

    if (check_settings("where", &config->where, archive, err) != 0 ||
        check_settings("baseline", &config->baseline, archive, err) != 0 ||
        check_settings("candidate", &config->candidate, archive, err) != 0 ||
        choose_sides(sides, comparison, config, archive, err) != 0)
        return -1;
    for (int side = 0; side < COMPARE_SIDES; side++) {
        struct compare_group *const group = &comparison->groups[side];

        group->name = name_group(&comparison->memory, config, side);
        describe_group(group, &sides[side]);
        if (sides[side].count == 0)
            return err_set_class(err, ERR_USAGE,
                                 "there is no result for the %s, %s",
                                 side_names[side], group->name);
    }
    if (find_pairs(groups, comparison, sides, config, err) != 0 ||
        check_classes(groups, config->across_classes, err) != 0)
        return -1;
    compare_differences_find(comparison, groups);
    return 0;
}
