/* SPDX-License-Identifier: ISC */
#include "record/group_label.h"

#include <stdlib.h>
#include <string.h>

/* Parameters of the load. */
static const char *const load_keys[] = {
    "workload", "ipv6", "schema", "lease", "threads", "batch", "hit-ratio",
    "subnets", "preload", "search-by", "probes", "hosts", "pool", "pace",
    "allocator",
    /* of open loops, but the rate, which their tables have */
    "arrivals", "queue", "queue-policy", "clients", "spread", "hook-delay",
    "hook"
};

/* The value, "" if there is none. */
static const char *text_of(const struct group *group, enum key_kind kind,
                           const char *name)
{
    const char *const value = key_value(&group->key, kind, name);

    return value != NULL ? value : "";
}

struct key_names group_label_load(struct arena *memory,
                                  const struct group *groups, size_t count)
{
    struct key_names load = { 0 };

    for (size_t k = 0; k < sizeof load_keys / sizeof load_keys[0]; k++) {
        const char *const name = load_keys[k];
        const char *const value = text_of(&groups[0], KEY_PARAMETER, name);
        size_t i = 1;

        while (i < count &&
               strcmp(text_of(&groups[i], KEY_PARAMETER, name), value) == 0)
            i++;
        if (i < count)
            key_names_add(memory, &load, KEY_PARAMETER, name);
    }
    return load;
}

/* One group's value of a property. */
struct value {
    const char *text;
    size_t place;
};

static int compare_values(const void *a, const void *b)
{
    const struct value *const left = a;
    const struct value *const right = b;
    const int order = strcmp(left->text, right->text);

    return order != 0
               ? order
               : (left->place > right->place) - (left->place < right->place);
}

/* For each group, the first that has the same value.  Two properties for which
   that is the same say the same thing. */
static size_t *partition(struct arena *memory, const struct group *groups,
                         size_t count, const struct key_item *item)
{
    struct value *const values = arena_alloc(memory, count, sizeof *values);
    size_t *const parts = arena_alloc(memory, count, sizeof *parts);
    size_t first = 0;

    for (size_t i = 0; i < count; i++)
        values[i] =
            (struct value){ text_of(&groups[i], item->kind, item->name), i };
    qsort(values, count, sizeof *values, compare_values);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(values[i].text, values[first].text) != 0)
            first = i;
        parts[values[i].place] = values[first].place;
    }
    return parts;
}

/* Of each group, how many have the same value.  Versions and machines are for
   history to show. */
static void add_in_common(struct arena *memory, enum key_kind kind,
                          const size_t *parts, size_t *in_common, size_t count)
{
    size_t *const sizes = arena_alloc(memory, count, sizeof *sizes);

    if ((kind & (KEY_PARAMETER | KEY_REQUEST | KEY_FACT)) == 0)
        return;
    memset(sizes, 0, count * sizeof *sizes);
    for (size_t i = 0; i < count; i++)
        sizes[parts[i]]++;
    for (size_t i = 0; i < count; i++)
        in_common[i] += sizes[parts[i]];
}

/* Keeps the first of those names that say the same: what was asked for comes
   before what was read back.  Those of the load, to begin with, all stay. */
static void drop_echoes(struct arena *memory, struct key_names *names,
                        size_t stay, const struct group *groups, size_t count,
                        size_t *in_common)
{
    size_t **const kept = arena_alloc(memory, names->count, sizeof *kept);
    size_t keep = 0;

    for (size_t i = 0; i < names->count; i++) {
        const struct key_item item = names->items[i];
        size_t *const parts = partition(memory, groups, count, &item);
        bool echo = false;

        for (size_t k = 0; k < keep && i >= stay && !echo; k++)
            echo = memcmp(kept[k], parts, count * sizeof *parts) == 0;
        if (echo)
            continue;
        add_in_common(memory, item.kind, parts, in_common, count);
        kept[keep] = parts;
        names->items[keep++] = item;
    }
    names->count = keep;
}

/* Without a complete run nothing can be said.  Of those that have as much in
   common the one with the least values stands for its store, so that the rows
   of several stores are alike, and b has it, as groups are in order; of the
   same values the newest does. */
static bool is_better(const struct group *a, size_t in_common_of_a,
                      const struct group *b, size_t in_common_of_b)
{
    if ((a->run_count > 0) != (b->run_count > 0))
        return a->run_count > 0;
    if (in_common_of_a != in_common_of_b)
        return in_common_of_a > in_common_of_b;
    if (!key_alike(&a->key, &b->key, KEY_VERSION | KEY_HOST, NULL))
        return false;
    return strcmp(group_newest(a)->started_at, group_newest(b)->started_at) > 0;
}

void group_label(struct arena *memory, const struct key_names *load,
                 struct group *groups, size_t count)
{
    struct key_names names = { 0 };
    size_t *const in_common = arena_alloc(memory, count, sizeof *in_common);
    size_t best = 0;

    memset(in_common, 0, count * sizeof *in_common);
    for (size_t i = 0; i < load->count; i++)
        key_names_add(memory, &names, load->items[i].kind, load->items[i].name);
    for (size_t i = 1; i < count; i++)
        key_names_add_differences(memory, &names, &groups[0].key,
                                  &groups[i].key);
    drop_echoes(memory, &names, load->count, groups, count, in_common);
    for (size_t i = 0; i < count; i++) {
        groups[i].differs = key_label(memory, &groups[i].key, &names);
        groups[i].label = arena_join(memory, groups[i].store,
                                     groups[i].differs[0] != '\0' ? ", " : "",
                                     "%s", groups[i].differs);
        if (is_better(&groups[i], in_common[i], &groups[best], in_common[best]))
            best = i;
    }
    groups[best].is_default = true;
}
