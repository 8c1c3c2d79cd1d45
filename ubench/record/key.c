/* SPDX-License-Identifier: ISC */
#include "record/key.h"

#include <string.h>

#include "core/units.h"

/* These say nothing of what was measured. */
static const char *const never_keys[] = {
    "output", "json", "verbose", "progress", "label",
    /* labels: the place in a campaign */
    "campaign", "order-seed", "block", "position", "role", "cell",
    /* of the machine: noise */
    "load", "steal", "cpu_pressure", "io_pressure", "throttled"
};

/* These may differ between results of one configuration. */
static const char *const ignored_keys[] = {
    "file",   "database",        "port",        "user", "seed",
    "repeat", "connect-timeout", "read-timeout"
};

/* Parameters of the work, and not of what does it; and those of the load, in
   the order in which they are told, of an open loop but its rate, which its
   tables have. */
static const struct {
    const char *name;
    bool is_work;
    bool is_load;
} parameters[] = {
    { "workload", true, true },    { "ipv6", false, true },
    { "schema", false, true },     { "lease", false, true },
    { "threads", false, true },    { "batch", true, true },
    { "hit-ratio", true, true },   { "subnets", false, true },
    { "preload", true, true },     { "search-by", true, true },
    { "probes", true, true },      { "hosts", false, true },
    { "pool", true, true },        { "pace", true, true },
    { "allocator", true, true },   { "arrivals", true, true },
    { "queue", true, true },       { "queue-policy", true, true },
    { "clients", true, true },     { "spread", true, true },
    { "hook-delay", true, true },  { "hook", true, true },
    { "server-time", true, true }, { "count", true, false },
    { "warmup", true, false },     { "rate", true, false },
    { "find-rate", true, false },  { "duration", true, false },
    { "deadline", true, false },
};

enum { PARAMETERS = sizeof parameters / sizeof parameters[0] };

#define IS_IN(list, name) is_in(list, sizeof(list) / sizeof((list)[0]), name)

static bool is_in(const char *const *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i], name) == 0)
            return true;
    }
    return false;
}

struct maker {
    struct key_item *items;
    size_t count;
    unsigned kinds;
    bool all;
};

static void add(struct maker *to, enum key_kind kind, const char *name,
                const char *value)
{
    if ((to->kinds & kind) != 0 && !IS_IN(never_keys, name) &&
        (to->all || !IS_IN(ignored_keys, name)))
        to->items[to->count++] = (struct key_item){ kind, name, value };
}

static enum key_kind kind_of(enum key_kind kind, const char *name, bool first)
{
    if (kind == KEY_FACT && first)
        return KEY_PRODUCT;
    if (kind == KEY_PARAMETER &&
        (strcmp(name, "sync") == 0 || strcmp(name, "set") == 0))
        return KEY_REQUEST;
    return kind;
}

static void add_all(struct maker *to, enum key_kind kind,
                    const struct record_properties *properties)
{
    for (size_t i = 0; i < properties->count; i++) {
        const struct record_property *const property = &properties->items[i];

        add(to, kind_of(kind, property->key, i == 0), property->key,
            property->value);
    }
}

struct key key_make(struct arena *memory, const struct record *record,
                    unsigned kinds, bool all)
{
    const size_t most = record->parameters.count + record->facts.count +
                        record->labels.count + record->host.count + 3;
    struct maker to = {
        .items = arena_alloc(memory, most, sizeof *to.items),
        .kinds = kinds,
        .all = all,
    };

    add_all(&to, KEY_PARAMETER, &record->parameters);
    add_all(&to, KEY_FACT, &record->facts);
    add_all(&to, KEY_LABEL, &record->labels);
    add_all(&to, KEY_HOST, &record->host);
    add(&to, KEY_DURABILITY, "durability", record->durability_from);
    add(&to, KEY_VERSION, "version", record->version);
    add(&to, KEY_STORE, "store", record->store);
    return (struct key){ to.count, to.items };
}

static bool is_work(const struct key_item *item)
{
    size_t i = 0;

    while (i < PARAMETERS && strcmp(parameters[i].name, item->name) != 0)
        i++;
    return item->kind == KEY_PARAMETER && i < PARAMETERS &&
           parameters[i].is_work;
}

struct key key_of_setup(struct arena *memory, const struct key *key)
{
    struct key_item *const items =
        arena_alloc(memory, key->count, sizeof *items);
    size_t count = 0;

    for (size_t i = 0; i < key->count; i++) {
        if (!is_work(&key->items[i]))
            items[count++] = key->items[i];
    }
    return (struct key){ count, items };
}

static bool has_name(const struct key_item *item, enum key_kind kind,
                     const char *name)
{
    return item->kind == kind && strcmp(item->name, name) == 0;
}

/* Keys of one store have mostly the same items in the same places. */
static const char *find(const struct key *key, const struct key_item *wanted,
                        size_t place)
{
    if (place < key->count &&
        has_name(&key->items[place], wanted->kind, wanted->name))
        return key->items[place].value;
    return key_value(key, wanted->kind, wanted->name);
}

const char *key_value(const struct key *key, enum key_kind kind,
                      const char *name)
{
    for (size_t i = 0; i < key->count; i++) {
        if (has_name(&key->items[i], kind, name))
            return key->items[i].value;
    }
    return NULL;
}

int key_compare_values(const char *a, const char *b)
{
    const int order = strcmp(a, b);
    double left;
    double right;

    /* Nearly all are the same. */
    if (order != 0 && units_scan_real(a, &left) == 0 &&
        units_scan_real(b, &right) == 0 && (left < right || left > right))
        return left < right ? -1 : 1;
    return order;
}

int key_compare(const struct key *a, const struct key *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        int order = strcmp(a->items[i].name, b->items[i].name);

        if (order == 0)
            order = key_compare_values(a->items[i].value, b->items[i].value);
        if (order != 0)
            return order;
    }
    return (a->count > b->count) - (a->count < b->count);
}

bool key_alike(const struct key *a, const struct key *b, unsigned kinds)
{
    size_t i = 0;
    size_t k = 0;

    for (;; i++, k++) {
        while (i < a->count && (a->items[i].kind & kinds) == 0)
            i++;
        while (k < b->count && (b->items[k].kind & kinds) == 0)
            k++;
        if (i == a->count || k == b->count)
            return i == a->count && k == b->count;
        if (!has_name(&a->items[i], b->items[k].kind, b->items[k].name) ||
            strcmp(a->items[i].value, b->items[k].value) != 0)
            return false;
    }
}

void key_names_add(struct arena *memory, struct key_names *names,
                   enum key_kind kind, const char *name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (has_name(&names->items[i], kind, name))
            return;
    }
    names->items = arena_grow(memory, names->items, names->count, &names->room,
                              sizeof *names->items);
    names->items[names->count++] = (struct key_item){ kind, name, NULL };
}

/* Adds the items of a that b has not, or otherwise; nothing is as good as an
   empty value. */
static void add_others(struct arena *memory, struct key_names *names,
                       const struct key *a, const struct key *b)
{
    for (size_t i = 0; i < a->count; i++) {
        const char *const value = find(b, &a->items[i], i);

        if (strcmp(value != NULL ? value : "", a->items[i].value) != 0)
            key_names_add(memory, names, a->items[i].kind, a->items[i].name);
    }
}

void key_names_add_differences(struct arena *memory, struct key_names *names,
                               const struct key *a, const struct key *b)
{
    add_others(memory, names, a, b);
    add_others(memory, names, b, a);
}

const char *key_label(struct arena *memory, const struct key *key,
                      const struct key_names *names)
{
    const char *label = "";

    for (size_t i = 0; i < names->count; i++) {
        const struct key_item *const item = &names->items[i];
        const char *const value = key_value(key, item->kind, item->name);

        if (value != NULL && value[0] != '\0')
            label = arena_join(memory, label, ", ", "%s=%s", item->name, value);
    }
    return label;
}

size_t key_names_put_load_first(struct key_names *names)
{
    struct key_item *const items = names->items;
    size_t place = 0;

    for (size_t k = 0; k < PARAMETERS && parameters[k].is_load; k++) {
        for (size_t i = place; i < names->count; i++) {
            const struct key_item item = items[i];

            if (!has_name(&item, KEY_PARAMETER, parameters[k].name))
                continue;
            memmove(&items[place + 1], &items[place],
                    (i - place) * sizeof *items);
            items[place++] = item;
        }
    }
    return place;
}

/* For each key, the first that has the same value.  Two names for which that
   is the same say the same thing. */
static size_t *partition(struct arena *memory, const struct key_item *item,
                         const struct key *keys, size_t count)
{
    const char **const values = arena_alloc(memory, count, sizeof *values);
    size_t *const parts = arena_alloc(memory, count, sizeof *parts);

    for (size_t i = 0; i < count; i++) {
        const char *const value = key_value(&keys[i], item->kind, item->name);

        values[i] = value != NULL ? value : "";
        for (parts[i] = 0; strcmp(values[parts[i]], values[i]) != 0; parts[i]++)
            continue;
    }
    return parts;
}

/* Adds to each key in how many keys it finds its own value. */
static void count_equals(const size_t *parts, size_t count, size_t *in_common)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++)
            in_common[i] += parts[i] == parts[k];
    }
}

size_t *key_names_reduce(struct arena *memory, struct key_names *names,
                         size_t stay, const struct key *keys, size_t count)
{
    size_t **const kept = arena_alloc(memory, names->count, sizeof *kept);
    size_t *const in_common = arena_alloc(memory, count, sizeof *in_common);
    size_t keep = 0;

    memset(in_common, 0, count * sizeof *in_common);
    for (size_t i = 0; i < names->count; i++) {
        const struct key_item item = names->items[i];
        size_t *const parts = partition(memory, &item, keys, count);
        bool echo = false;

        for (size_t k = 0; k < keep && i >= stay && !echo; k++)
            echo = memcmp(kept[k], parts, count * sizeof *parts) == 0;
        if (echo)
            continue;
        if ((item.kind & KEY_HISTORY) == 0)
            count_equals(parts, count, in_common);
        kept[keep] = parts;
        names->items[keep++] = item;
    }
    names->count = keep;
    return in_common;
}
