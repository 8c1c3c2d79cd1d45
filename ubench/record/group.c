/* SPDX-License-Identifier: ISC */
/*
 * Records are sorted so that those of one configuration are neighbours: first
 * by what makes a section, then by store, then by key.  Sorting makes it
 * n log n, and 10,000 records are nothing.
 */
#include "record/group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/group_label.h"

/* A record, and what it is sorted by. */
struct entry {
    const struct record *record;
    struct key section;
    size_t store_rank; /* the place of the first record of its store */
    struct key key;
    size_t place; /* in the archive */
};

static int class_of(const struct record *record)
{
    return record->durability_known ? (int)record->durability : GROUP_PUBLISHED;
}

static const char *name_phases(struct arena *memory,
                               const struct record_run *run)
{
    const char *names = "";

    for (size_t i = 0; i < run->phase_count; i++)
        names = arena_join(memory, names, ", ", "%s", run->phases[i].name);
    return names;
}

/* The safest class comes first; where figures were published, -s tells what
   they are, "yes" first. */
static struct key section_key(struct arena *memory, const struct record *record)
{
    enum { CLASS, PUBLISHED, SYNC, PHASES, COUNT };
    static const char *const ranks[GROUP_CLASSES] = { "4", "3", "2",
                                                      "1", "0", "5" };
    const char *const sync = record_parameter(record, "sync");
    struct key_item *const items = arena_alloc(memory, COUNT, sizeof *items);
    const bool is_first = record->durability_known || strcmp(sync, "yes") == 0;

    items[CLASS].value = ranks[class_of(record)];
    items[PUBLISHED].value = record->published;
    items[SYNC].value = is_first ? "" : sync;
    items[PHASES].value = name_phases(memory, &record->runs[0]);
    for (size_t i = 0; i < COUNT; i++)
        items[i].name = "";
    return (struct key){ COUNT, items };
}

static int compare_groups(const struct entry *a, const struct entry *b)
{
    int order = key_compare(&a->section, &b->section);

    if (order == 0)
        order =
            (a->store_rank > b->store_rank) - (a->store_rank < b->store_rank);
    return order != 0 ? order : key_compare(&a->key, &b->key);
}

static int compare_entries(const void *left, const void *right)
{
    const struct entry *const a = left;
    const struct entry *const b = right;
    int order = compare_groups(a, b);

    if (order == 0)
        order = strcmp(a->record->started_at, b->record->started_at);
    return order != 0 ? order : (a->place > b->place) - (a->place < b->place);
}

static struct entry *sort_entries(struct arena *memory,
                                  const struct archive *archive)
{
    struct entry *const entries =
        arena_alloc(memory, archive->count, sizeof *entries);

    for (size_t i = 0; i < archive->count; i++) {
        const struct record *const record = &archive->records[i];
        size_t rank = 0;

        /* There are few stores, so their first records are found soon. */
        while (strcmp(archive->records[rank].store, record->store) != 0)
            rank++;
        entries[i] = (struct entry){
            .record = record,
            .section = section_key(memory, record),
            .store_rank = rank,
            .key = key_make(memory, record, KEY_CONFIGURATION, false),
            .place = i,
        };
    }
    if (archive->count > 0)
        qsort(entries, archive->count, sizeof *entries, compare_entries);
    return entries;
}

/* Groups */

struct group group_of_records(struct arena *memory,
                              const struct record *const *records, size_t count)
{
    struct group group = { .class = class_of(records[0]),
                           .record_count = count,
                           .records = records };
    size_t most = 0;

    for (size_t i = 0; i < count; i++)
        most += records[i]->run_count;
    struct group_run *const runs = arena_alloc(memory, most, sizeof *runs);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < records[i]->run_count; k++) {
            const struct record_run *const run = &records[i]->runs[k];

            /* The phases are those of a record's first run. */
            if (run->incomplete ||
                run->phase_count != records[i]->runs[0].phase_count)
                group.incomplete++;
            else
                runs[group.run_count++] = (struct group_run){ run, records[i] };
        }
    }
    group.runs = runs;
    return group;
}

const struct record *group_newest(const struct group *group)
{
    return group->records[group->record_count - 1];
}

struct summary group_summary(struct arena *memory, const struct group *group,
                             summary_figure *figure, const void *context)
{
    double *const values =
        arena_alloc(memory, group->run_count, sizeof *values);
    size_t count = 0;

    for (size_t i = 0; i < group->run_count; i++) {
        values[count] = figure(group->runs[i].run, context);
        count += isnan(values[count]) ? 0 : 1;
    }
    return summary_make(memory, values, count);
}

const char *group_class_name(int class)
{
    return class == GROUP_PUBLISHED ? "published"
                                    : durability_name((enum durability) class);
}

/* Sections */

static const char *meaning_of(enum durability durability)
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

/* The workload of all groups, unless it is the phases of the guide; "" where
   it differs: then each row has its own. */
static const char *common_workload(const struct section *section)
{
    const char *const workload =
        record_parameter(section->groups[0].records[0], "workload");

    for (size_t i = 1; i < section->count; i++) {
        if (strcmp(record_parameter(section->groups[i].records[0], "workload"),
                   workload) != 0)
            return "";
    }
    return strcmp(workload, "phases") != 0 ? workload : "";
}

static void name_section(struct arena *memory, struct section *section)
{
    const struct record *const record = section->groups[0].records[0];

    section->load = common_workload(section);
    section->title = durability_name(record->durability);
    section->meaning = meaning_of(record->durability);
    section->shape = &record->runs[0];
    section->phases = name_phases(memory, section->shape);
    if (record->durability_known)
        return;
    section->title = arena_print(memory, "published, -s %s",
                                 record_parameter(record, "sync"));
    section->meaning =
        arena_print(memory, "%s; not measured here", record->published);
}

static bool same_heading(const struct section *a, const struct section *b)
{
    return strcmp(a->title, b->title) == 0 && strcmp(a->load, b->load) == 0 &&
           strcmp(a->meaning, b->meaning) == 0;
}

/* Sections of one class did other phases, which tells them apart if nothing
   else does: "mix (renew, release)", "phases create, search". */
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
        struct section *const section = &sections[i];

        if (alike[i])
            section->load =
                section->load[0] == '\0'
                    ? arena_print(memory, "phases %s", section->phases)
                    : arena_print(memory, "%s (%s)", section->load,
                                  section->phases);
    }
}

const char *section_heading(struct arena *memory, const struct section *section)
{
    return section->load[0] == '\0'
               ? section->title
               : arena_print(memory, "%s, %s", section->title, section->load);
}

/* A section of these groups, each of which now learns what it is called. */
static struct section make_section(struct arena *memory, struct group *groups,
                                   size_t count)
{
    const struct key_names load = group_label_load(memory, groups, count);
    struct section section = { .groups = groups, .count = count };

    for (size_t first = 0; first < count;) {
        size_t end = first + 1;

        while (end < count &&
               strcmp(groups[end].store, groups[first].store) == 0)
            end++;
        group_label(memory, &load, groups + first, end - first);
        first = end;
    }
    name_section(memory, &section);
    return section;
}

void groups_init(struct groups *groups, const struct archive *archive)
{
    struct arena *const memory = &groups->memory;

    *groups = (struct groups){ 0 };
    const struct entry *const entries = sort_entries(memory, archive);
    const struct record **const records =
        arena_alloc(memory, archive->count, sizeof *records);
    struct group *const items =
        arena_alloc(memory, archive->count, sizeof *items);
    struct section *const sections =
        arena_alloc(memory, archive->count, sizeof *sections);
    size_t first = 0;            /* entry of this group */
    size_t first_of_section = 0; /* group */

    for (size_t end = 1; end <= archive->count; end++) {
        const struct entry *const next = &entries[end];

        records[end - 1] = entries[end - 1].record;
        if (end < archive->count && compare_groups(&entries[first], next) == 0)
            continue;
        struct group *const group = &items[groups->count++];
        *group = group_of_records(memory, &records[first], end - first);
        group->key = entries[first].key;
        group->store = entries[first].record->store;
        group->section = &sections[groups->section_count];
        if (end == archive->count ||
            key_compare(&entries[first].section, &next->section) != 0) {
            sections[groups->section_count++] =
                make_section(memory, &items[first_of_section],
                             groups->count - first_of_section);
            first_of_section = groups->count;
        }
        first = end;
    }
    tell_apart(memory, sections, groups->section_count);
    groups->items = items;
    groups->sections = sections;
}

void groups_release(struct groups *groups)
{
    arena_release(&groups->memory);
    *groups = (struct groups){ 0 };
}
