/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "report/choose.h"
#include "report/compare/parts.h"

/* Cases */

/* A record, and what it may be told apart by from others on its side. */
struct entry {
    const struct record *record;
    int side;
    bool open;
    const char *store; /* "" where stores are what is compared */
    struct key key;
    const char *name; /* of its case */
};

struct entries {
    size_t count;
    struct entry *items;
};

/* The store of all records, or NULL if there are several. */
static const char *common_store(const struct group *side)
{
    for (size_t i = 1; i < side->record_count; i++) {
        if (strcmp(side->records[i]->store, side->records[0]->store) != 0)
            return NULL;
    }
    return side->records[0]->store;
}

/* A store against another: there is nothing else that could be meant. */
static bool is_across_stores(const struct comparison *comparison,
                             const struct compare_config *config)
{
    const char *const from = common_store(&comparison->sides[0]);
    const char *const to = common_store(&comparison->sides[1]);

    return compare_is_chosen_by(config, "store") ||
           (from != NULL && to != NULL && strcmp(from, to) != 0);
}

static struct entries make_entries(struct comparison *comparison,
                                   const struct compare_config *config)
{
    const bool across = is_across_stores(comparison, config);
    struct arena *const memory = comparison->memory;
    struct entries entries = { .items = arena_alloc(
                                   memory,
                                   comparison->sides[0].record_count +
                                       comparison->sides[1].record_count,
                                   sizeof *entries.items) };

    for (int side = 0; side < COMPARE_SIDES; side++) {
        for (size_t i = 0; i < comparison->sides[side].record_count; i++) {
            const struct record *const record =
                comparison->sides[side].records[i];

            entries.items[entries.count++] = (struct entry){
                .record = record,
                .side = side,
                .open = record->runs[0].open != NULL,
                .store = across ? "" : record->store,
                .key = key_make(memory, record,
                                KEY_PARAMETER | KEY_REQUEST | KEY_LABEL, false),
            };
        }
    }
    return entries;
}

/* In what the entries of a store differ within a side, unless it is what the
   sides were chosen by: each is held to the first of its kind of loop. */
static struct key_names find_axes(struct arena *memory,
                                  const struct entries *entries,
                                  const char *store,
                                  const struct compare_config *config)
{
    const struct entry *firsts[COMPARE_SIDES][2] = { 0 };
    struct key_names axes = { 0 };
    size_t kept = 0;

    for (size_t i = 0; i < entries->count; i++) {
        const struct entry *const entry = &entries->items[i];
        const struct entry **const first = &firsts[entry->side][entry->open];

        if (strcmp(entry->store, store) != 0)
            continue;
        if (*first == NULL)
            *first = entry;
        key_names_add_differences(memory, &axes, &(*first)->key, &entry->key);
    }
    for (size_t i = 0; i < axes.count; i++) {
        if (!compare_is_chosen_by(config, axes.items[i].name))
            axes.items[kept++] = axes.items[i];
    }
    axes.count = kept;
    return axes;
}

/* Names the entries of a store, by what differs, but not what says the same. */
static void name_entries(struct arena *memory, struct entries *entries,
                         const char *store, const struct compare_config *config)
{
    struct key_names axes = find_axes(memory, entries, store, config);
    struct key *const keys = arena_alloc(memory, entries->count, sizeof *keys);
    size_t count = 0;

    for (size_t i = 0; i < entries->count; i++) {
        if (strcmp(entries->items[i].store, store) == 0)
            keys[count++] = entries->items[i].key;
    }
    (void)key_names_put_load_first(&axes);
    (void)key_names_reduce(memory, &axes, 0, keys, count);
    for (size_t i = 0; i < entries->count; i++) {
        struct entry *const entry = &entries->items[i];

        if (strcmp(entry->store, store) != 0)
            continue;
        const char *const label = key_label(memory, &entry->key, &axes);
        entry->name = store;
        if (entry->open)
            entry->name = arena_join(memory, entry->name, ", ", "open loop");
        if (label[0] != '\0')
            entry->name = arena_join(memory, entry->name, ", ", "%s", label);
    }
}

/* By name, but threads=4 before threads=16; then by side. */
static int by_name(const void *a, const void *b)
{
    const struct entry *const left = a;
    const struct entry *const right = b;
    const char *x = left->name;
    const char *y = right->name;

    while (*x == *y && *x != '\0') {
        x++;
        y++;
    }
    const size_t x_digits = strspn(x, "0123456789");
    const size_t y_digits = strspn(y, "0123456789");

    if (x_digits != y_digits && x_digits > 0 && y_digits > 0)
        return x_digits < y_digits ? -1 : 1;
    if (*x != *y)
        return (unsigned char)*x - (unsigned char)*y;
    return left->side - right->side;
}

/* The class of all records on a side, or "mixed". */
static const char *common_class(const struct group *side)
{
    const char *const class = choose_class(side->records[0]);

    for (size_t i = 1; i < side->record_count; i++) {
        if (strcmp(choose_class(side->records[i]), class) != 0)
            return "mixed";
    }
    return class;
}

/* The case of entries with the same name, of which each side has some; of the
   baseline there are as many as from says. */
static struct compare_case make_case(struct arena *memory,
                                     const struct entry *entries, size_t from,
                                     size_t count)
{
    const struct record **const records =
        arena_alloc(memory, count, sizeof *records);
    struct compare_case made = { .name = entries[0].name,
                                 .open = entries[0].open };

    for (size_t i = 0; i < count; i++)
        records[i] = entries[i].record;
    made.sides[COMPARE_BASELINE] = group_of_records(memory, records, from);
    made.sides[COMPARE_CANDIDATE] =
        group_of_records(memory, records + from, count - from);
    for (int side = 0; side < COMPARE_SIDES; side++)
        made.classes[side] = common_class(&made.sides[side]);
    return made;
}

/* Makes the cases that both sides have. */
static int make_cases(struct comparison *comparison,
                      const struct entries *entries, struct err *err)
{
    struct arena *const memory = comparison->memory;
    const struct entry *const items = entries->items;
    const char *alone[COMPARE_SIDES] = { "", "" };
    size_t end;

    comparison->cases =
        arena_alloc(memory, entries->count, sizeof *comparison->cases);
    for (size_t first = 0; first < entries->count; first = end) {
        size_t from = 0;

        for (end = first; end < entries->count &&
                          strcmp(items[end].name, items[first].name) == 0;
             end++)
            from += items[end].side == COMPARE_BASELINE;
        if (from > 0 && first + from < end) {
            comparison->cases[comparison->case_count++] =
                make_case(memory, &items[first], from, end - first);
            continue;
        }
        if (from == 0 || alone[COMPARE_BASELINE][0] == '\0')
            alone[items[first].side] = items[first].name;
        compare_note_alone(comparison, items[first].side, "",
                           items[first].name);
    }
    if (comparison->case_count == 0)
        return err_set(err,
                       "the two groups have no case in common: %s on one side, "
                       "%s on the other",
                       alone[COMPARE_BASELINE], alone[COMPARE_CANDIDATE]);
    return 0;
}

static int check_classes(const struct comparison *comparison, struct err *err)
{
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct compare_case *const at = &comparison->cases[i];
        const char *const separator = at->name[0] != '\0' ? ": " : "";
        const char *const from = at->classes[COMPARE_BASELINE];
        const char *const to = at->classes[COMPARE_CANDIDATE];
        const bool same = strcmp(from, to) == 0;

        if (same && strcmp(from, "unknown") == 0)
            return err_set(err,
                           "%s%sthe durability of both groups is unknown, and "
                           "may not be the same; --across-classes compares "
                           "them all the same",
                           at->name, separator);
        if (!same || strcmp(from, "mixed") == 0)
            return err_set(err,
                           "%s%sthe durability of the baseline is %s, of the "
                           "candidate %s: they promise different things; "
                           "--across-classes compares them all the same",
                           at->name, separator, from, to);
    }
    return 0;
}

/* Differences */

enum { VALUES_SHOWN = 4 };

/* All there is to tell of the records of a case. */
struct told {
    size_t counts[COMPARE_SIDES];
    struct key *keys[COMPARE_SIDES];
    struct key_names differ;
};

static struct told tell(struct arena *memory, const struct compare_case *of)
{
    struct told told = { .counts = { 0 } };

    for (int side = 0; side < COMPARE_SIDES; side++) {
        const struct group *const group = &of->sides[side];

        told.counts[side] = group->record_count;
        told.keys[side] =
            arena_alloc(memory, group->record_count, sizeof *told.keys[side]);
        for (size_t i = 0; i < group->record_count; i++) {
            told.keys[side][i] = key_make(memory, group->records[i], ~0U, true);
            key_names_add_differences(memory, &told.differ, &told.keys[0][0],
                                      &told.keys[side][i]);
        }
    }
    return told;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All values on one side, in order, "yes | no". */
static const char *join_values(struct arena *memory, const struct key *keys,
                               size_t count, const struct key_item *item)
{
    const char **const values = arena_alloc(memory, count, sizeof *values);
    const char *text = "";
    size_t distinct = 0;

    for (size_t i = 0; i < count; i++) {
        const char *const value = key_value(&keys[i], item->kind, item->name);

        values[i] = value != NULL && value[0] != '\0' ? value : "(none)";
    }
    qsort(values, count, sizeof *values, by_text);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && strcmp(values[i], values[i - 1]) == 0)
            continue;
        if (distinct++ < VALUES_SHOWN)
            text = arena_join(memory, text, " | ", "%s", values[i]);
    }
    return distinct <= VALUES_SHOWN
               ? text
               : arena_print(memory, "%s | ... (%zu values)", text, distinct);
}

static bool are_alike(const struct compare_difference *a,
                      const struct compare_difference *b)
{
    return strcmp(a->key, b->key) == 0 &&
           strcmp(a->values[0], b->values[0]) == 0 &&
           strcmp(a->values[1], b->values[1]) == 0;
}

/* Adds a difference of a case, unless it is there: a parameter may be told
   again as a fact, and other cases may have the same. */
static void add_difference(struct comparison *comparison,
                           const struct compare_case *of,
                           const struct compare_difference *difference)
{
    struct arena *const memory = comparison->memory;

    for (size_t i = 0; i < comparison->difference_count; i++) {
        struct compare_difference *const other = &comparison->differences[i];

        if (!are_alike(other, difference))
            continue;
        if (other->last != of) {
            other->where =
                arena_print(memory, "%s; %s", other->where, of->name);
            other->last = of;
            other->cases++;
        }
        return;
    }
    comparison->differences = arena_grow(
        memory, comparison->differences, comparison->difference_count,
        &comparison->difference_room, sizeof *comparison->differences);
    comparison->differences[comparison->difference_count++] = *difference;
}

static void find_differences(struct comparison *comparison)
{
    /* In this order they are told. */
    static const unsigned kinds[] = { KEY_STORE,
                                      KEY_VERSION,
                                      KEY_DURABILITY,
                                      KEY_PARAMETER | KEY_REQUEST,
                                      KEY_PRODUCT | KEY_FACT,
                                      KEY_LABEL,
                                      KEY_HOST };
    struct arena *const memory = comparison->memory;

    for (size_t c = 0; c < comparison->case_count; c++) {
        const struct compare_case *const of = &comparison->cases[c];
        const struct told told = tell(memory, of);

        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
            for (size_t i = 0; i < told.differ.count; i++) {
                const struct key_item *const item = &told.differ.items[i];
                struct compare_difference difference = {
                    .where = of->name, .last = of, .cases = 1, .key = item->name
                };

                if ((item->kind & kinds[k]) == 0)
                    continue;
                for (int side = 0; side < COMPARE_SIDES; side++)
                    difference.values[side] = join_values(
                        memory, told.keys[side], told.counts[side], item);
                add_difference(comparison, of, &difference);
            }
        }
    }
    for (size_t i = 0; i < comparison->difference_count; i++) {
        if (comparison->differences[i].cases == comparison->case_count)
            comparison->differences[i].where = "";
    }
}

int compare_cases_find(struct comparison *comparison,
                       const struct compare_config *config, struct err *err)
{
    struct entries entries = make_entries(comparison, config);

    for (size_t i = 0; i < entries.count; i++) {
        if (entries.items[i].name == NULL)
            name_entries(comparison->memory, &entries, entries.items[i].store,
                         config);
    }
    qsort(entries.items, entries.count, sizeof *entries.items, by_name);
    if (make_cases(comparison, &entries, err) != 0 ||
        (!config->across_classes && check_classes(comparison, err) != 0))
        return -1;
    find_differences(comparison);
    return 0;
}
