/* SPDX-License-Identifier: ISC */
/*
 * Records are sorted so that those of one configuration are neighbours: first
 * by what makes a section, then by store, then by everything that counts.
 * Sorting makes it n log n, and 10,000 records are nothing.
 */
#include "record/configurations_parts.h"

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

static void add_traits(struct record_property *items, size_t *count,
                       const struct record_properties *properties)
{
    for (size_t i = 0; i < properties->count; i++) {
        if (configuration_depends_on(properties->items[i].key))
            items[(*count)++] = properties->items[i];
    }
}

static struct record_properties make_traits(struct arena *memory,
                                            const struct record *record)
{
    const size_t most =
        record->parameters.count + record->facts.count + record->host.count + 2;
    struct record_property *const items =
        arena_alloc(memory, most, sizeof *items);
    size_t count = 0;

    add_traits(items, &count, &record->parameters);
    add_traits(items, &count, &record->facts);
    add_traits(items, &count, &record->host);
    items[count++] =
        (struct record_property){ "durability", record->durability_from };
    items[count++] = (struct record_property){ "ubench", record->version };
    return (struct record_properties){ count, items };
}

static const char *name_phases(struct arena *memory,
                               const struct record_run *run)
{
    size_t size = 1;

    for (size_t i = 0; i < run->phase_count; i++)
        size += strlen(run->phases[i].name) + 1;
    char *const names = arena_alloc(memory, size, 1);
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

static int compare_sections(const struct configuration_entry *a,
                            const struct configuration_entry *b)
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

static int compare_traits(const struct record_properties *a,
                          const struct record_properties *b)
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

static int compare_configurations(const struct configuration_entry *a,
                                  const struct configuration_entry *b)
{
    int order = compare_sections(a, b);

    if (order == 0)
        order =
            (a->store_rank > b->store_rank) - (a->store_rank < b->store_rank);
    return order != 0 ? order : compare_traits(&a->traits, &b->traits);
}

static int compare_entries(const void *a, const void *b)
{
    const struct configuration_entry *const left = a;
    const struct configuration_entry *const right = b;
    const int order = compare_configurations(left, right);

    return order != 0
               ? order
               : (left->place > right->place) - (left->place < right->place);
}

static struct configuration_entry *sort_entries(struct arena *memory,
                                                const struct archive *archive)
{
    struct configuration_entry *const entries =
        arena_alloc(memory, archive->count, sizeof *entries);

    for (size_t i = 0; i < archive->count; i++) {
        const struct record *const record = &archive->records[i];
        size_t rank = 0;

        /* There are few stores, so their first records are found soon. */
        while (strcmp(archive->records[rank].store, record->store) != 0)
            rank++;
        entries[i] = (struct configuration_entry){
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
static const char *common_workload(const struct configuration_entry *entries,
                                   size_t count)
{
    const char *const workload =
        configuration_trait(&entries[0], "workload", 0);

    for (size_t i = 1; i < count; i++) {
        if (strcmp(configuration_trait(&entries[i], "workload", 0), workload) !=
            0)
            return "";
    }
    return strcmp(workload, "phases") != 0 ? workload : "";
}

static void name_section(struct arena *memory,
                         const struct configuration_entry *entries,
                         size_t count, struct section *section)
{
    const struct record *const record = entries[0].record;

    section->load = common_workload(entries, count);
    section->title = durability_name(record->durability);
    section->meaning = durability_meaning(record->durability);
    section->shape = &record->runs[0];
    if (record->durability_known)
        return;
    section->title = arena_print(memory, "published, -s %s",
                                 record_parameter(record, "sync"));
    section->meaning =
        arena_print(memory, "%s; not measured here", record->published);
}

/* Fills a section from the entries that are its own. */
static void fill_section(struct arena *memory,
                         const struct configuration_entry *entries,
                         size_t count, struct section *section)
{
    struct configuration *const items =
        arena_alloc(memory, count, sizeof *items);
    const struct configuration_entry **const firsts =
        arena_alloc(memory, count, sizeof *firsts);
    const struct record **const records =
        arena_alloc(memory, count, sizeof *records);
    const struct configuration_differences load =
        configuration_loads(memory, entries, count);
    size_t of_store = 0; /* the first configuration of this store */
    size_t made = 0;

    for (size_t i = 0; i < count; i++) {
        records[i] = entries[i].record;
        if (i == 0 ||
            compare_configurations(&entries[i], &entries[i - 1]) != 0) {
            if (i > 0 && entries[i].store_rank != entries[i - 1].store_rank) {
                configuration_labels(memory, &load, firsts + of_store,
                                     made - of_store, items + of_store);
                of_store = made;
            }
            items[made] = (struct configuration){ .records = &records[i] };
            firsts[made++] = &entries[i];
        }
        items[made - 1].record_count++;
    }
    configuration_labels(memory, &load, firsts + of_store, made - of_store,
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
static const char *name_shape(struct arena *memory,
                              const struct section *section)
{
    const char *names = "";

    for (size_t i = 0; i < section->shape->phase_count; i++)
        names = arena_print(memory, "%s%s%s", names, i > 0 ? ", " : "",
                            section->shape->phases[i].name);
    return section->load[0] == '\0'
               ? arena_print(memory, "phases %s", names)
               : arena_print(memory, "%s (%s)", section->load, names);
}

/* Sections of one class did other phases, which tells them apart if nothing
   else does. */
static void tell_apart(struct arena *memory, struct section *sections,
                       size_t count)
{
    bool *const alike = arena_alloc(memory, count, sizeof *alike);

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

const char *section_heading(struct arena *memory, const struct section *section)
{
    return arena_print(memory, "%s%s%s", section->title,
                       section->load[0] != '\0' ? ", " : "", section->load);
}

void sections_init(struct sections *sections, const struct archive *archive)
{
    *sections = (struct sections){ .count = 0 };
    struct arena *const memory = &sections->memory;
    const struct configuration_entry *const entries =
        sort_entries(memory, archive);
    struct section *const items =
        arena_alloc(memory, archive->count, sizeof *items);
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
    arena_release(&sections->memory);
    *sections = (struct sections){ .count = 0 };
}
