/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "report/compare_groups.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* These say nothing of what was measured, or are never twice the same. */
static const char *const passing[] = {
    "output",   "json",  "verbose",      "progress",    "label",
    "campaign", "block", "position",     "role",        "cell",
    "load",     "steal", "cpu_pressure", "io_pressure", "throttled"
};

/* Where a key may stand; the members of a record come first. */
enum place { RECORD, PARAMETERS, FACTS, LABELS, HOST, PLACES };

static const char *const record_keys[] = { "store", "version",
                                           "durability from" };

static const struct record_properties *
properties_at(const struct record *record, enum place place)
{
    switch (place) {
    case PARAMETERS:
        return &record->parameters;
    case FACTS:
        return &record->facts;
    case LABELS:
        return &record->labels;
    case HOST:
    case RECORD:
    case PLACES:
        break;
    }
    return &record->host;
}

static const char *value_at(const struct record *record, enum place place,
                            const char *key)
{
    const char *value;

    if (place != RECORD)
        value = record_properties_find(properties_at(record, place), key);
    else if (strcmp(key, record_keys[0]) == 0)
        value = record->store;
    else if (strcmp(key, record_keys[1]) == 0)
        value = record->version;
    else
        value = record->durability_from;
    return value != NULL && value[0] != '\0' ? value : "(none)";
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum { VALUES_SHOWN = 4, KEYS_MAX = 256 };

/* All values on one side, in order, "yes | no"; *distinct says how many. */
static const char *join_values(struct arena *memory,
                               const struct compare_records *records,
                               enum place place, const char *key,
                               size_t *distinct)
{
    const char **const values =
        arena_alloc(memory, records->count, sizeof *values);
    const char *text = "";
    size_t count = 0;

    for (size_t i = 0; i < records->count; i++) {
        const char *const value = value_at(records->items[i], place, key);

        if (i == 0 || strcmp(value, values[count - 1]) != 0)
            values[count++] = value;
    }
    qsort(values, count, sizeof *values, by_text);
    *distinct = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && strcmp(values[i], values[i - 1]) == 0)
            continue;
        if (*distinct < VALUES_SHOWN)
            text = arena_print(memory, "%s%s%s", text, i > 0 ? " | " : "",
                               values[i]);
        ++*distinct;
    }
    if (*distinct > VALUES_SHOWN)
        text = arena_print(memory, "%s | ... (%zu values)", text, *distinct);
    return text;
}

struct keys {
    size_t count;
    const char *items[KEYS_MAX];
};

static void add_key(struct keys *keys, const char *key)
{
    for (size_t i = 0; i < COUNT_OF(passing); i++) {
        if (strcmp(passing[i], key) == 0)
            return;
    }
    for (size_t i = 0; i < keys->count; i++) {
        if (strcmp(keys->items[i], key) == 0)
            return;
    }
    if (keys->count < KEYS_MAX)
        keys->items[keys->count++] = key;
}

static void find_keys(struct keys *keys, const struct compare_pair *pair,
                      enum place place)
{
    keys->count = 0;
    for (size_t i = 0; place == RECORD && i < COUNT_OF(record_keys); i++)
        add_key(keys, record_keys[i]);
    for (int side = 0; place != RECORD && side < COMPARE_SIDES; side++) {
        for (size_t i = 0; i < pair->sides[side].count; i++) {
            const struct record_properties *const properties =
                properties_at(pair->sides[side].items[i], place);

            for (size_t k = 0; k < properties->count; k++)
                add_key(keys, properties->items[k].key);
        }
    }
}

struct found {
    size_t count;
    size_t room;
    struct compare_difference *items;
};

static void add_difference(struct found *found, struct arena *memory,
                           struct compare_difference difference)
{
    if (found->count == found->room) {
        struct compare_difference *const more =
            arena_alloc(memory, 2 * found->room + 16, sizeof *found->items);

        if (found->count > 0)
            memcpy(more, found->items, found->count * sizeof *more);
        found->items = more;
        found->room = 2 * found->room + 16;
    }
    found->items[found->count++] = difference;
}

static bool are_alike(const struct compare_difference *a,
                      const struct compare_difference *b)
{
    return strcmp(a->key, b->key) == 0 &&
           strcmp(a->values[0], b->values[0]) == 0 &&
           strcmp(a->values[1], b->values[1]) == 0;
}

/* From the first on: a parameter may be told again as a fact. */
static bool is_found(const struct found *found, size_t first,
                     const struct compare_difference *difference)
{
    for (size_t i = first; i < found->count; i++) {
        if (are_alike(&found->items[i], difference))
            return true;
    }
    return false;
}

static void find_in_pair(struct found *found, struct arena *memory,
                         const struct compare_pair *pair)
{
    const size_t first = found->count;
    struct keys keys;

    for (enum place place = RECORD; place < PLACES; place++) {
        find_keys(&keys, pair, place);
        for (size_t k = 0; k < keys.count; k++) {
            struct compare_difference difference = { .where = pair->name,
                                                     .key = keys.items[k] };
            size_t distinct[COMPARE_SIDES];

            for (int side = 0; side < COMPARE_SIDES; side++)
                difference.values[side] =
                    join_values(memory, &pair->sides[side], place,
                                keys.items[k], &distinct[side]);
            if ((distinct[0] > 1 || distinct[1] > 1 ||
                 strcmp(difference.values[0], difference.values[1]) != 0) &&
                !is_found(found, first, &difference))
                add_difference(found, memory, difference);
        }
    }
}

/* The same difference of several cases becomes one. */
static void merge(struct found *found, struct arena *memory, size_t cases)
{
    size_t kept = 0;

    for (size_t i = 0; i < found->count; i++) {
        struct compare_difference next = found->items[i];
        size_t times = 1;

        for (size_t k = 0; k < kept && times > 0; k++) {
            if (are_alike(&found->items[k], &next))
                times = 0;
        }
        if (times == 0)
            continue;
        for (size_t k = i + 1; k < found->count; k++) {
            if (!are_alike(&found->items[k], &next))
                continue;
            times++;
            next.where = arena_print(memory, "%s; %s", next.where,
                                     found->items[k].where);
        }
        if (times == cases)
            next.where = "";
        found->items[kept++] = next;
    }
    found->count = kept;
}

void compare_differences_find(struct comparison *comparison,
                              const struct compare_groups *groups)
{
    struct found found = { 0 };

    for (size_t i = 0; i < groups->pair_count; i++)
        find_in_pair(&found, &comparison->memory, &groups->pairs[i]);
    merge(&found, &comparison->memory, groups->pair_count);
    comparison->differences = found.items;
    comparison->difference_count = found.count;
}
