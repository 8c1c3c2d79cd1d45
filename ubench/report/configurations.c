/* SPDX-License-Identifier: ISC */
/*
 * Records are sorted so that those of one configuration are neighbours: first
 * by what makes a section, then by store, then by everything that counts.
 * Sorting makes it n log n, and 10,000 records are nothing.
 */
#include "report/configurations.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"

/* What may differ between records of the same configuration. */
static const char *const passing[] = {
    /* parameters; what --sync did was read back */
    "sync", "file", "json", "output", "port", "progress", "repeat", "seed",
    "user", "verbose", "connect-timeout", "read-timeout",
    /* of the machine: noise */
    "load", "steal", "cpu_pressure", "io_pressure", "throttled"
};

bool configuration_depends_on(const char *key)
{
    for (size_t i = 0; i < sizeof passing / sizeof passing[0]; i++) {
        if (strcmp(passing[i], key) == 0)
            return false;
    }
    return true;
}

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

/* A record, and what it is sorted by. */
struct entry {
    const struct record *record;
    struct record_facts traits; /* all that counts */
    const char *phases;         /* the names of its phases */
    const char *store;
    size_t store_rank; /* the place of the first record of its store */
    size_t place;      /* in the archive */
};

/* Of a store in a section: the traits that tell its configurations apart, those
   of the load first. */
struct differences {
    size_t count;
    size_t room;
    const char **keys;
};

static void add_traits(struct record_fact *items, size_t *count,
                       const struct record_facts *facts)
{
    for (size_t i = 0; i < facts->count; i++) {
        if (configuration_depends_on(facts->items[i].key))
            items[(*count)++] = facts->items[i];
    }
}

static struct record_facts make_traits(struct region *memory,
                                       const struct record *record)
{
    const size_t most =
        record->parameters.count + record->facts.count + record->host.count + 2;
    struct record_fact *const items = region_take(memory, most, sizeof *items);
    size_t count = 0;

    add_traits(items, &count, &record->parameters);
    add_traits(items, &count, &record->facts);
    add_traits(items, &count, &record->host);
    items[count++] =
        (struct record_fact){ "durability", record->durability_from };
    items[count++] = (struct record_fact){ "ubench", record->version };
    return (struct record_facts){ count, items };
}

static const char *name_phases(struct region *memory,
                               const struct record_run *run)
{
    size_t size = 1;

    for (size_t i = 0; i < run->phase_count; i++)
        size += strlen(run->phases[i].name) + 1;
    char *const names = region_take(memory, size, 1);
    char *end = names;
    for (size_t i = 0; i < run->phase_count; i++) {
        const size_t length = strlen(run->phases[i].name);

        memcpy(end, run->phases[i].name, length);
        end[length] = '\n';
        end += length + 1;
    }
    *end = '\0';
    return names;
}

/* Where figures were published, -s tells what they are; measured ones have a
   class, the safest first. */
static int compare_classes(const struct record *a, const struct record *b)
{
    int order = (b->durability_known ? 1 : 0) - (a->durability_known ? 1 : 0);

    if (order == 0)
        order = strcmp(a->published, b->published);
    if (order == 0)
        order = (int)b->durability - (int)a->durability;
    if (order == 0 && !a->durability_known)
        order =
            strcmp(record_parameter(b, "sync"), record_parameter(a, "sync"));
    return order;
}

static int compare_sections(const struct entry *a, const struct entry *b)
{
    const int order = compare_classes(a->record, b->record);

    return order != 0 ? order : strcmp(a->phases, b->phases);
}

/* Numbers by their value, all else as text. */
static int compare_values(const char *a, const char *b)
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

static int compare_traits(const struct record_facts *a,
                          const struct record_facts *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        int order = strcmp(a->items[i].key, b->items[i].key);

        if (order == 0)
            order = compare_values(a->items[i].value, b->items[i].value);
        if (order != 0)
            return order;
    }
    return (a->count > b->count) - (a->count < b->count);
}

static int compare_configurations(const struct entry *a, const struct entry *b)
{
    int order = compare_sections(a, b);

    if (order == 0)
        order =
            (a->store_rank > b->store_rank) - (a->store_rank < b->store_rank);
    return order != 0 ? order : compare_traits(&a->traits, &b->traits);
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *const left = a;
    const struct entry *const right = b;
    const int order = compare_configurations(left, right);

    return order != 0
               ? order
               : (left->place > right->place) - (left->place < right->place);
}

static struct entry *sort_entries(struct region *memory,
                                  const struct archive *archive)
{
    struct entry *const entries =
        region_take(memory, archive->count, sizeof *entries);

    for (size_t i = 0; i < archive->count; i++) {
        const struct record *const record = &archive->records[i];
        size_t rank = 0;

        /* There are few stores, so their first records are found soon. */
        while (strcmp(archive->records[rank].store, record->store) != 0)
            rank++;
        entries[i] = (struct entry){
            .record = record,
            .traits = make_traits(memory, record),
            .phases = name_phases(memory, &record->runs[0]),
            .store = record->store,
            .store_rank = rank,
            .place = i,
        };
    }
    if (archive->count > 0)
        qsort(entries, archive->count, sizeof *entries, compare_entries);
    return entries;
}

/* What differs */

/* The trait's value, "" if there is none; guess is where it probably is. */
static const char *trait(const struct entry *entry, const char *key,
                         size_t guess)
{
    const struct record_facts *const traits = &entry->traits;

    if (guess < traits->count && strcmp(traits->items[guess].key, key) == 0)
        return traits->items[guess].value;
    const char *const value = record_facts_find(traits, key);
    return value != NULL ? value : "";
}

static void add_key(struct region *memory, struct differences *differences,
                    const char *key)
{
    for (size_t i = 0; i < differences->count; i++) {
        if (strcmp(differences->keys[i], key) == 0)
            return;
    }
    if (differences->count == differences->room) {
        const size_t room = 2 * differences->room + 16;
        const char **const keys = region_take(memory, room, sizeof *keys);

        if (differences->count > 0)
            memcpy(keys, differences->keys, differences->count * sizeof *keys);
        differences->keys = keys;
        differences->room = room;
    }
    differences->keys[differences->count++] = key;
}

/* Adds the traits of a that b has not, or has otherwise. */
static void add_differences(struct region *memory,
                            struct differences *differences,
                            const struct entry *a, const struct entry *b)
{
    for (size_t i = 0; i < a->traits.count; i++) {
        const struct record_fact *const fact = &a->traits.items[i];

        if (strcmp(trait(b, fact->key, i), fact->value) != 0)
            add_key(memory, differences, fact->key);
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
static size_t *partition(struct region *memory,
                         const struct entry *const *firsts, size_t count,
                         const char *key)
{
    struct value *const values = region_take(memory, count, sizeof *values);
    size_t *const parts = region_take(memory, count, sizeof *parts);
    size_t first = 0;

    for (size_t i = 0; i < count; i++)
        values[i] = (struct value){ trait(firsts[i], key, 0), i };
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
static void drop_echoes(struct region *memory, struct differences *differences,
                        size_t stay, const struct entry *const *firsts,
                        size_t count)
{
    size_t **const kept = region_take(memory, differences->count, sizeof *kept);
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

static const char *name_difference(struct region *memory,
                                   const struct entry *entry,
                                   const struct differences *differences)
{
    const char *text = "";

    for (size_t i = 0; i < differences->count; i++) {
        const char *const key = differences->keys[i];
        const char *const value = trait(entry, key, 0);

        if (value[0] != '\0')
            text = region_print(memory, "%s%s%s=%s", text,
                                text[0] != '\0' ? ", " : "", key, value);
    }
    return text;
}

/* Names the configurations of one store in one section. */
static void make_labels(struct region *memory, const struct differences *load,
                        const struct entry *const *firsts, size_t count,
                        struct configuration *items)
{
    struct differences differences = { 0 };

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
        items[i].label = region_print(memory, "%s%s%s", firsts[i]->store,
                                      differs[0] != '\0' ? ", " : "", differs);
    }
}

/* Sections */

const char *durability_meaning(enum durability durability)
{
    switch (durability) {
    case DURABILITY_POWER_SAFE:
        return "every acknowledged change survives a power failure";
    case DURABILITY_BOUNDED:
        return "survives kill -9; a power failure loses a bounded time";
    case DURABILITY_PROCESS_SAFE:
        return "survives kill -9; a power failure may lose any amount";
    case DURABILITY_VOLATILE:
        return "lost even when a process is killed";
    case DURABILITY_NONE:
        return "nothing is stored";
    }
    return "";
}

/* The workload of all entries, unless it is the phases of the guide; "" where
   it differs: then each row has its own. */
static const char *common_workload(const struct entry *entries, size_t count)
{
    const char *const workload = trait(&entries[0], "workload", 0);

    for (size_t i = 1; i < count; i++) {
        if (strcmp(trait(&entries[i], "workload", 0), workload) != 0)
            return "";
    }
    return strcmp(workload, "phases") != 0 ? workload : "";
}

static void name_section(struct region *memory, const struct entry *entries,
                         size_t count, struct section *section)
{
    const struct record *const record = entries[0].record;

    section->load = common_workload(entries, count);
    section->title = durability_name(record->durability);
    section->meaning = durability_meaning(record->durability);
    section->shape = &record->runs[0];
    if (record->durability_known)
        return;
    section->title = region_print(memory, "published, -s %s",
                                  record_parameter(record, "sync"));
    section->meaning =
        region_print(memory, "%s; not measured here", record->published);
}

/* What of the load is not the same for all. */
static struct differences
compare_loads(struct region *memory, const struct entry *entries, size_t count)
{
    struct differences load = { 0 };

    for (size_t k = 0; k < sizeof load_keys / sizeof load_keys[0]; k++) {
        const char *const key = load_keys[k];
        const char *const value = trait(&entries[0], key, 0);
        size_t i = 1;

        while (i < count && strcmp(trait(&entries[i], key, 0), value) == 0)
            i++;
        if (i < count)
            add_key(memory, &load, key);
    }
    return load;
}

/* Fills a section from the entries that are its own. */
static void fill_section(struct region *memory, const struct entry *entries,
                         size_t count, struct section *section)
{
    struct configuration *const items =
        region_take(memory, count, sizeof *items);
    const struct entry **const firsts =
        region_take(memory, count, sizeof *firsts);
    const struct record **const records =
        region_take(memory, count, sizeof *records);
    const struct differences load = compare_loads(memory, entries, count);
    size_t of_store = 0; /* the first configuration of this store */
    size_t made = 0;

    for (size_t i = 0; i < count; i++) {
        records[i] = entries[i].record;
        if (i == 0 ||
            compare_configurations(&entries[i], &entries[i - 1]) != 0) {
            if (i > 0 && entries[i].store_rank != entries[i - 1].store_rank) {
                make_labels(memory, &load, firsts + of_store, made - of_store,
                            items + of_store);
                of_store = made;
            }
            items[made] = (struct configuration){ .records = &records[i] };
            firsts[made++] = &entries[i];
        }
        items[made - 1].record_count++;
    }
    make_labels(memory, &load, firsts + of_store, made - of_store,
                items + of_store);
    name_section(memory, entries, count, section);
    section->items = items;
    section->count = made;
}

static bool same_heading(const struct section *a, const struct section *b)
{
    return strcmp(a->title, b->title) == 0 && strcmp(a->load, b->load) == 0 &&
           strcmp(a->meaning, b->meaning) == 0;
}

/* "mix (renew, release)", "phases create, search" */
static const char *name_shape(struct region *memory,
                              const struct section *section)
{
    const char *names = "";

    for (size_t i = 0; i < section->shape->phase_count; i++)
        names = region_print(memory, "%s%s%s", names, i > 0 ? ", " : "",
                             section->shape->phases[i].name);
    return section->load[0] == '\0'
               ? region_print(memory, "phases %s", names)
               : region_print(memory, "%s (%s)", section->load, names);
}

/* Sections of one class did other phases, which tells them apart if nothing
   else does. */
static void tell_apart(struct region *memory, struct section *sections,
                       size_t count)
{
    bool *const alike = region_take(memory, count, sizeof *alike);

    for (size_t i = 0; i < count; i++) {
        alike[i] = false;
        for (size_t k = 0; k < count && !alike[i]; k++)
            alike[i] = k != i && same_heading(&sections[i], &sections[k]);
    }
    for (size_t i = 0; i < count; i++) {
        if (alike[i])
            sections[i].load = name_shape(memory, &sections[i]);
    }
}

const char *section_heading(struct region *memory,
                            const struct section *section)
{
    return region_print(memory, "%s%s%s", section->title,
                        section->load[0] != '\0' ? ", " : "", section->load);
}

void sections_init(struct sections *sections, const struct archive *archive)
{
    *sections = (struct sections){ .count = 0 };
    struct region *const memory = &sections->memory;
    const struct entry *const entries = sort_entries(memory, archive);
    struct section *const items =
        region_take(memory, archive->count, sizeof *items);
    size_t first = 0;

    for (size_t i = 1; i <= archive->count; i++) {
        if (i < archive->count &&
            compare_sections(&entries[i], &entries[first]) == 0)
            continue;
        fill_section(memory, entries + first, i - first,
                     &items[sections->count++]);
        first = i;
    }
    tell_apart(memory, items, sections->count);
    sections->items = items;
}

void sections_release(struct sections *sections)
{
    region_release(&sections->memory);
    *sections = (struct sections){ .count = 0 };
}
