/* SPDX-License-Identifier: ISC */
/* What tells the configurations of a section apart, and so what they are
 * called.
 */
#include "record/configurations_parts.h"

#include <stdlib.h>
#include <string.h>

/* Parameters of the load.  Where they are not the same for all stores of a
   section, every row has to say them: the figures are of different work. */
static const char *const load_keys[] = {
    "workload", "ipv6", "schema", "lease", "threads", "batch", "hit-ratio",
    "subnets", "preload", "search-by", "probes", "hosts", "pool", "pace",
    "allocator",
    /* of open loops, but the rate, which their tables have */
    "arrivals", "queue", "queue-policy", "clients", "spread", "hook-delay",
    "hook"
};

const char *configuration_trait(const struct configuration_entry *entry,
                                const char *key, size_t guess)
{
    const struct record_properties *const traits = &entry->traits;

    if (guess < traits->count && strcmp(traits->items[guess].key, key) == 0)
        return traits->items[guess].value;
    const char *const value = record_properties_find(traits, key);
    return value != NULL ? value : "";
}

static void add_key(struct arena *memory,
                    struct configuration_differences *differences,
                    const char *key)
{
    for (size_t i = 0; i < differences->count; i++) {
        if (strcmp(differences->keys[i], key) == 0)
            return;
    }
    if (differences->count == differences->room) {
        const size_t room = 2 * differences->room + 16;
        const char **const keys = arena_alloc(memory, room, sizeof *keys);

        if (differences->count > 0)
            memcpy(keys, differences->keys, differences->count * sizeof *keys);
        differences->keys = keys;
        differences->room = room;
    }
    differences->keys[differences->count++] = key;
}

/* Adds the traits of a that b has not, or has otherwise. */
static void add_differences(struct arena *memory,
                            struct configuration_differences *differences,
                            const struct configuration_entry *a,
                            const struct configuration_entry *b)
{
    for (size_t i = 0; i < a->traits.count; i++) {
        const struct record_property *const property = &a->traits.items[i];

        if (strcmp(configuration_trait(b, property->key, i), property->value) !=
            0)
            add_key(memory, differences, property->key);
    }
}

/* One configuration's value of a key. */
struct value {
    const char *text;
    size_t place;
};

static int compare_value_places(const void *a, const void *b)
{
    const struct value *const left = a;
    const struct value *const right = b;
    const int order = strcmp(left->text, right->text);

    return order != 0
               ? order
               : (left->place > right->place) - (left->place < right->place);
}

/* For each configuration, the first that has the same value.  Two keys for
   which that is the same say the same thing. */
static size_t *partition(struct arena *memory,
                         const struct configuration_entry *const *firsts,
                         size_t count, const char *key)
{
    struct value *const values = arena_alloc(memory, count, sizeof *values);
    size_t *const parts = arena_alloc(memory, count, sizeof *parts);
    size_t first = 0;

    for (size_t i = 0; i < count; i++)
        values[i] = (struct value){ configuration_trait(firsts[i], key, 0), i };
    qsort(values, count, sizeof *values, compare_value_places);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(values[i].text, values[first].text) != 0)
            first = i;
        parts[values[i].place] = values[first].place;
    }
    return parts;
}

/* Keeps the first of those keys that say the same: what was asked for comes
   before what was read back.  Those of the load, to begin with, all stay. */
static void drop_echoes(struct arena *memory,
                        struct configuration_differences *differences,
                        size_t stay,
                        const struct configuration_entry *const *firsts,
                        size_t count)
{
    size_t **const kept = arena_alloc(memory, differences->count, sizeof *kept);
    size_t keep = 0;

    for (size_t i = 0; i < differences->count; i++) {
        size_t *const parts =
            partition(memory, firsts, count, differences->keys[i]);
        bool echo = false;

        for (size_t k = 0; k < keep && i >= stay && !echo; k++)
            echo = memcmp(kept[k], parts, count * sizeof *parts) == 0;
        if (echo)
            continue;
        kept[keep] = parts;
        differences->keys[keep++] = differences->keys[i];
    }
    differences->count = keep;
}

static const char *
name_difference(struct arena *memory, const struct configuration_entry *entry,
                const struct configuration_differences *differences)
{
    const char *text = "";

    for (size_t i = 0; i < differences->count; i++) {
        const char *const key = differences->keys[i];
        const char *const value = configuration_trait(entry, key, 0);

        if (value[0] != '\0')
            text = arena_print(memory, "%s%s%s=%s", text,
                               text[0] != '\0' ? ", " : "", key, value);
    }
    return text;
}

void configuration_labels(struct arena *memory,
                          const struct configuration_differences *load,
                          const struct configuration_entry *const *firsts,
                          size_t count, struct configuration *items)
{
    struct configuration_differences differences = { 0 };

    for (size_t i = 0; i < load->count; i++)
        add_key(memory, &differences, load->keys[i]);
    for (size_t i = 1; i < count; i++) {
        add_differences(memory, &differences, firsts[0], firsts[i]);
        add_differences(memory, &differences, firsts[i], firsts[0]);
    }
    drop_echoes(memory, &differences, load->count, firsts, count);
    for (size_t i = 0; i < count; i++) {
        const char *const differs =
            name_difference(memory, firsts[i], &differences);

        items[i].differs = differs;
        items[i].label = arena_print(memory, "%s%s%s", firsts[i]->store,
                                     differs[0] != '\0' ? ", " : "", differs);
    }
}

struct configuration_differences
configuration_loads(struct arena *memory,
                    const struct configuration_entry *entries, size_t count)
{
    struct configuration_differences load = { 0 };

    for (size_t k = 0; k < sizeof load_keys / sizeof load_keys[0]; k++) {
        const char *const key = load_keys[k];
        const char *const value = configuration_trait(&entries[0], key, 0);
        size_t i = 1;

        while (i < count &&
               strcmp(configuration_trait(&entries[i], key, 0), value) == 0)
            i++;
        if (i < count)
            add_key(memory, &load, key);
    }
    return load;
}
