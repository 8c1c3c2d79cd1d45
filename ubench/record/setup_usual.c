/* SPDX-License-Identifier: ISC */
#include "record/setups.h"

#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/units.h"

/* Numbers by their size, also 100k; other memory by their letters. */
static int compare_values(const char *a, const char *b)
{
    uint64_t m = 0;
    uint64_t n = 0;

    if (units_scan_count(a, &m) == 0 && units_scan_count(b, &n) == 0 && m != n)
        return m < n ? -1 : 1;
    return strcmp(a, b);
}

/* What most setups of one store and class have, by the items of the first. */
struct usual {
    size_t count;
    const struct setup_item *items;
};

static int compare_texts(const void *left, const void *right)
{
    const char *const *const a = left;
    const char *const *const b = right;

    return compare_values(*a, *b);
}

/* The most frequent of sorted values; the least, if there are several. */
static const char *most_frequent(const char *const *values, size_t count)
{
    const char *found = values[0];
    size_t most = 0;

    for (size_t i = 0; i < count;) {
        const size_t first = i;

        while (i < count && strcmp(values[i], values[first]) == 0)
            i++;
        if (i - first > most) {
            most = i - first;
            found = values[first];
        }
    }
    return found;
}

static struct usual find_usual(struct arena *memory, const struct setup *group,
                               size_t count)
{
    const char **const values = arena_alloc(memory, count, sizeof *values);
    struct setup_item *const items =
        arena_alloc(memory, group->item_count, sizeof *items);

    for (size_t i = 0; i < group->item_count; i++) {
        size_t found = 0;

        items[i] = group->items[i];
        for (size_t k = 0; k < count; k++) {
            values[found] =
                setup_value(&group[k], items[i].kind, items[i].name);
            found += values[found] != NULL;
        }
        qsort(values, found, sizeof *values, compare_texts);
        items[i].value = most_frequent(values, found);
    }
    return (struct usual){ .count = group->item_count, .items = items };
}

static bool is_usual(const struct usual *usual, const struct setup_item *item)
{
    for (size_t i = 0; i < usual->count; i++) {
        if (usual->items[i].kind == item->kind &&
            strcmp(usual->items[i].name, item->name) == 0)
            return strcmp(usual->items[i].value, item->value) == 0;
    }
    return false;
}

/* In how many parameters and settings it differs; versions and machines are
   for history to show. */
static size_t count_unusual(const struct setup *setup,
                            const struct usual *usual)
{
    size_t unusual = 0;

    for (size_t i = 0; i < setup->item_count; i++) {
        const struct setup_item *const item = &setup->items[i];

        unusual += (item->kind == ITEM_PARAMETER || item->kind == ITEM_FACT) &&
                   !is_usual(usual, item);
    }
    return unusual;
}

/* Without a complete run nothing can be said. */
static bool is_better(const struct setup *a, size_t unusual_of_a,
                      const struct setup *b, size_t unusual_of_b)
{
    if ((a->run_count > 0) != (b->run_count > 0))
        return a->run_count > 0;
    if (unusual_of_a != unusual_of_b)
        return unusual_of_a < unusual_of_b;
    return strcmp(setup_newest(a)->started_at, setup_newest(b)->started_at) > 0;
}

void setups_choose_usual(struct arena *memory, struct setup *group,
                         size_t count)
{
    const struct usual usual = find_usual(memory, group, count);
    struct setup *chosen = &group[0];
    size_t least = count_unusual(chosen, &usual);

    for (size_t i = 1; i < count; i++) {
        const size_t unusual = count_unusual(&group[i], &usual);

        if (is_better(&group[i], unusual, chosen, least)) {
            chosen = &group[i];
            least = unusual;
        }
    }
    chosen->usual = true;
}
