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

#include "measure/statistics.h"
#include "record/server.h"

/* A record, and what it is sorted by. */
struct entry {
    const struct record *record;
    struct key section;
    size_t store_rank; /* the place of the first record of its store */
    struct key key;
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
static struct key section_key(struct arena *memory, const struct record *record,
                              bool setups)
{
    enum { CLASS, PUBLISHED, SYNC, PHASES, SERVER, COUNT };
    static const char *const ranks[GROUP_CLASSES] = { "4", "3", "2",
                                                      "1", "0", "5" };
    const char *const sync = record_parameter(record, "sync");
    struct key_item *const items = arena_alloc(memory, COUNT, sizeof *items);
    const bool sorts_first =
        record->durability_known || strcmp(sync, "yes") == 0;

    items[CLASS].value = ranks[class_of(record)];
    items[PUBLISHED].value = record->published;
    items[SYNC].value = sorts_first ? "" : sync;
    items[PHASES].value = setups ? "" : name_phases(memory, &record->runs[0]);
    items[SERVER].value = record->server == NULL ? ""
                          : setups               ? "server"
                                                 : record->server->command;
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

/* Those of one second are in the order of the archive. */
static int compare_times(const void *left, const void *right)
{
    const struct record *const a = *(const struct record *const *)left;
    const struct record *const b = *(const struct record *const *)right;
    const int order = strcmp(a->started_at, b->started_at);

    return order != 0 ? order : (a > b) - (a < b);
}

static int compare_entries(const void *left, const void *right)
{
    const struct entry *const a = left;
    const struct entry *const b = right;
    const int order = compare_groups(a, b);

    return order != 0 ? order : compare_times(&a->record, &b->record);
}

static struct entry *sort_entries(struct arena *memory,
                                  const struct archive *archive, bool setups)
{
    struct entry *const entries =
        arena_alloc(memory, archive->count, sizeof *entries);

    for (size_t i = 0; i < archive->count; i++) {
        const struct record *const record = &archive->records[i];
        const struct key key =
            key_make(memory, record, KEY_CONFIGURATION, false);
        size_t rank = 0;

        /* There are few stores, so their first records are found soon. */
        while (strcmp(archive->records[rank].store, record->store) != 0)
            rank++;
        entries[i] = (struct entry){
            .record = record,
            .section = section_key(memory, record, setups),
            .store_rank = rank,
            .key = setups ? key_of_setup(memory, &key) : key,
        };
    }
    if (archive->count > 0)
        qsort(entries, archive->count, sizeof *entries, compare_entries);
    return entries;
}

/* Groups */

struct group group_of_records(struct arena *memory,
                              const struct record **records, size_t count)
{
    struct group group = { .class = class_of(records[0]),
                           .record_count = count,
                           .records = records };
    size_t most = 0;

    qsort(records, count, sizeof *records, compare_times);
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

static struct summary summarise(struct arena *memory, const double *values,
                                size_t count)
{
    struct summary summary = { .count = count, .values = values };
    struct interval interval = { 0 };

    if (count == 0)
        return summary;
    double *const sorted = arena_alloc(memory, count, sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    statistics_sort(sorted, count);
    if (count <= STATISTICS_MAX)
        interval = statistics_median_interval(sorted, count);
    summary.median = statistics_median_sorted(sorted, count);
    summary.interval = interval.coverage > 0;
    summary.low = summary.interval ? interval.low : sorted[0];
    summary.high = summary.interval ? interval.high : sorted[count - 1];
    return summary;
}

const char *group_node_loss(const struct group *group)
{
    static const char *const texts[] = { [NODE_LOSS_NO] = "lost",
                                         [NODE_LOSS_UNKNOWN] = "unknown",
                                         [NODE_LOSS_YES] = "survived" };
    enum { NONE_SAYS = NODE_LOSS_YES + 1 };
    int least = NONE_SAYS;

    for (size_t i = 0; i < group->record_count; i++) {
        const char *const text = group->records[i]->node_loss;

        for (int k = 0; k < least; k++) {
            if (strcmp(text, node_loss_name((enum node_loss)k)) == 0)
                least = k;
        }
    }
    return least < NONE_SAYS ? texts[least] : "";
}

double group_run_rate(const struct record_run *run, const void *context)
{
    (void)context;
    return record_run_rate(run);
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
    return summarise(memory, values, count);
}

const char *group_class_name(int class)
{
    return class == GROUP_PUBLISHED ? "published"
                                    : durability_name((enum durability) class);
}

/* Sections */

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

static void name_section(struct arena *memory, struct section *section,
                         bool setups)
{
    const struct record *const record = section->groups[0].records[0];

    section->load = common_workload(section);
    section->title = durability_name(record->durability);
    section->meaning = durability_meaning(record->durability);
    section->shape = &record->runs[0];
    section->phases = name_phases(memory, section->shape);
    if (setups && record->server != NULL)
        section->title = arena_print(memory, "%s server", section->title);
    if (record->durability_known)
        return;
    const char *const sync = record_parameter(record, "sync");

    section->title = sync[0] == '\0'
                         ? "published"
                         : arena_print(memory, "published, -s %s", sync);
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

/* Labels */

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
    if (!key_alike(&a->key, &b->key, ~(unsigned)KEY_HISTORY))
        return false;
    return strcmp(group_newest(a)->started_at, group_newest(b)->started_at) > 0;
}

static struct key_names find_names(struct arena *memory,
                                   const struct key_names *some,
                                   const struct group *groups, size_t count)
{
    struct key_names names = { 0 };

    for (size_t i = 0; i < some->count; i++)
        key_names_add(memory, &names, some->items[i].kind, some->items[i].name);
    for (size_t i = 1; i < count; i++)
        key_names_add_differences(memory, &names, &groups[0].key,
                                  &groups[i].key);
    return names;
}

/* Names the groups of one store in one section by what differs, and first by
   what of the load does so in the section; and chooses the default one. */
static void label_groups(struct arena *memory, const struct key_names *load,
                         struct group *groups, size_t count)
{
    struct key_names names = find_names(memory, load, groups, count);
    struct key *const keys = arena_alloc(memory, count, sizeof *keys);
    size_t best = 0;

    for (size_t i = 0; i < count; i++)
        keys[i] = groups[i].key;
    const size_t *const in_common =
        key_names_reduce(memory, &names, load->count, keys, count);
    for (size_t i = 0; i < count; i++) {
        struct group *const group = &groups[i];

        group->differs = key_label(memory, &group->key, &names);
        group->label =
            group->differs[0] == '\0'
                ? group->store
                : arena_print(memory, "%s, %s", group->store, group->differs);
        if (is_better(group, in_common[i], &groups[best], in_common[best]))
            best = i;
    }
    groups[best].is_default = true;
}

/* A section of these groups, each of which now learns what it is called.  What
   of the load is not the same for all of them every row has to say, as the
   figures are of different work. */
static struct section make_section(struct arena *memory, struct group *groups,
                                   size_t count, bool setups)
{
    struct section section = { .groups = groups, .count = count };
    struct key_names load = { 0 };

    load = find_names(memory, &load, groups, count);
    load.count = key_names_put_load_first(&load);
    for (size_t first = 0; first < count;) {
        size_t end = first + 1;

        while (end < count &&
               strcmp(groups[end].store, groups[first].store) == 0)
            end++;
        label_groups(memory, &load, groups + first, end - first);
        first = end;
    }
    name_section(memory, &section, setups);
    return section;
}

static void init(struct groups *groups, const struct archive *archive,
                 bool setups)
{
    struct arena *const memory = &groups->memory;

    *groups = (struct groups){ 0 };
    const struct entry *const entries = sort_entries(memory, archive, setups);
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
                             groups->count - first_of_section, setups);
            first_of_section = groups->count;
        }
        first = end;
    }
    tell_apart(memory, sections, groups->section_count);
    groups->items = items;
    groups->sections = sections;
}

void groups_init(struct groups *groups, const struct archive *archive)
{
    init(groups, archive, false);
}

void groups_init_setups(struct groups *groups, const struct archive *archive)
{
    init(groups, archive, true);
}

void groups_release(struct groups *groups)
{
    arena_release(&groups->memory);
    *groups = (struct groups){ 0 };
}
