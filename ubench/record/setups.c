/* SPDX-License-Identifier: ISC */
#include "record/setups.h"

#include <stdlib.h>
#include <string.h>

#include "measure/statistics.h"

const char *setup_class_name(enum setup_class class)
{
    static const char *const names[] = { "power-safe",   "bounded",
                                         "process-safe", "volatile",
                                         "none",         "published" };

    return names[class];
}

static enum setup_class class_of(const struct record *record)
{
    if (!record->durability_known)
        return SETUP_PUBLISHED;
    switch (record->durability) {
    case DURABILITY_POWER_SAFE:
        return SETUP_POWER_SAFE;
    case DURABILITY_BOUNDED:
        return SETUP_BOUNDED;
    case DURABILITY_PROCESS_SAFE:
        return SETUP_PROCESS_SAFE;
    case DURABILITY_VOLATILE:
        return SETUP_VOLATILE;
    case DURABILITY_NONE:
        break;
    }
    return SETUP_NONE;
}

static bool counts(const struct record_run *run)
{
    return !run->incomplete && run->phase_count > 0;
}

void setup_phase_summarise(struct setup_phase *phase)
{
    if (phase->count == 0)
        return;
    const struct interval interval =
        statistics_median_interval(phase->rates, phase->count);

    phase->median = statistics_median(phase->rates, phase->count);
    phase->interval = interval.coverage > 0;
    phase->low = phase->interval ? interval.low : phase->rates[0];
    phase->high = phase->interval ? interval.high : phase->rates[0];
    for (size_t i = 0; !phase->interval && i < phase->count; i++) {
        phase->low =
            phase->rates[i] < phase->low ? phase->rates[i] : phase->low;
        phase->high =
            phase->rates[i] > phase->high ? phase->rates[i] : phase->high;
    }
}

/* A phase's rate in a run; without a name that of all its operations.  0 if
   there is none. */
static double rate_of(const struct record_run *run, const char *name)
{
    if (name == NULL)
        return record_run_rate(run);
    const struct record_phase *const phase = record_run_phase(run, name);
    return phase != NULL && !phase->incomplete ? record_phase_rate(phase) : 0;
}

/* The rates of all complete runs, the newest STATISTICS_MAX. */
static struct setup_phase
gather_phase(struct arena *memory, const struct setup *setup, const char *name)
{
    double *const rates = arena_alloc(memory, setup->run_count, sizeof *rates);
    struct setup_phase phase = { .name = name, .rates = rates };
    size_t skip = setup->left_out;

    for (size_t i = 0; i < setup->record_count; i++) {
        for (size_t k = 0; k < setup->records[i]->run_count; k++) {
            const struct record_run *const run = &setup->records[i]->runs[k];

            if (!counts(run) || (skip > 0 && skip-- > 0))
                continue;
            const double rate = rate_of(run, name);
            if (rate > 0)
                rates[phase.count++] = rate;
        }
    }
    setup_phase_summarise(&phase);
    return phase;
}

/* The run that says which phases there are: the one with the most. */
static const struct record_run *fullest_run(const struct setup *setup)
{
    const struct record_run *fullest = NULL;

    for (size_t i = 0; i < setup->record_count; i++) {
        for (size_t k = 0; k < setup->records[i]->run_count; k++) {
            const struct record_run *const run = &setup->records[i]->runs[k];

            if (fullest == NULL || run->phase_count > fullest->phase_count)
                fullest = run;
        }
    }
    return fullest;
}

static void gather_phases(struct arena *memory, struct setup *setup)
{
    const struct record_run *const model = fullest_run(setup);
    size_t complete = 0;

    for (size_t i = 0; i < setup->record_count; i++) {
        for (size_t k = 0; k < setup->records[i]->run_count; k++)
            complete += counts(&setup->records[i]->runs[k]);
    }
    setup->run_count = complete < STATISTICS_MAX ? complete : STATISTICS_MAX;
    setup->left_out = complete - setup->run_count;
    setup->phase_count = model != NULL ? model->phase_count : 0;
    struct setup_phase *const phases =
        arena_alloc(memory, setup->phase_count, sizeof *phases);
    for (size_t i = 0; i < setup->phase_count; i++)
        phases[i] = gather_phase(memory, setup, model->phases[i].name);
    setup->phases = phases;
    setup->overall = gather_phase(memory, setup, NULL);
}

static int compare_times(const void *left, const void *right)
{
    const struct record *const *const a = left;
    const struct record *const *const b = right;
    const int times = strcmp((*a)->started_at, (*b)->started_at);

    return times != 0 ? times : (*a > *b) - (*a < *b);
}

static void gather_records(struct arena *memory, struct setup *setup,
                           const struct configuration *from)
{
    const struct record **const records =
        arena_alloc(memory, from->record_count, sizeof *records);

    memcpy(records, from->records, from->record_count * sizeof *records);
    qsort(records, from->record_count, sizeof *records, compare_times);
    setup->records = records;
    setup->record_count = from->record_count;
}

static void add_items(struct setup_item *items, size_t *count,
                      enum setup_item_kind kind,
                      const struct record_properties *properties)
{
    for (size_t i = 0; i < properties->count; i++) {
        const struct record_property *const property = &properties->items[i];
        const bool product = kind == ITEM_FACT && i == 0;

        if (configuration_depends_on(property->key))
            items[(*count)++] =
                (struct setup_item){ product ? ITEM_VERSION : kind,
                                     property->key, property->value };
    }
}

static void gather_items(struct arena *memory, struct setup *setup)
{
    const struct record *const record = setup_newest(setup);
    struct setup_item *const items = arena_alloc(
        memory,
        1 + record->parameters.count + record->facts.count + record->host.count,
        sizeof *items);
    size_t count = 0;

    items[count++] =
        (struct setup_item){ ITEM_VERSION, "ubench", record->version };
    add_items(items, &count, ITEM_PARAMETER, &record->parameters);
    add_items(items, &count, ITEM_FACT, &record->facts);
    add_items(items, &count, ITEM_HOST, &record->host);
    setup->items = items;
    setup->item_count = count;
}

/* The label without the store, with which it begins. */
static const char *shorten(const char *label, const char *store)
{
    const size_t length = strlen(store);

    label += strncmp(label, store, length) == 0 ? length : 0;
    return label + strspn(label, ", ");
}

static struct setup gather_setup(struct arena *memory,
                                 const struct section *section,
                                 const struct configuration *from)
{
    const struct record *const first = from->records[0];
    struct setup setup = { .class = class_of(first),
                           .section = section,
                           .store = first->store,
                           .label = shorten(from->label, first->store) };

    gather_records(memory, &setup, from);
    gather_phases(memory, &setup);
    gather_items(memory, &setup);
    return setup;
}

const struct record *setup_newest(const struct setup *setup)
{
    return setup->records[setup->record_count - 1];
}

const struct setup_phase *setup_phase(const struct setup *setup,
                                      const char *name)
{
    for (size_t i = 0; i < setup->phase_count; i++) {
        if (strcmp(setup->phases[i].name, name) == 0)
            return &setup->phases[i];
    }
    return NULL;
}

const char *setup_value(const struct setup *setup, enum setup_item_kind kind,
                        const char *name)
{
    for (size_t i = 0; i < setup->item_count; i++) {
        if (setup->items[i].kind == kind &&
            strcmp(setup->items[i].name, name) == 0)
            return setup->items[i].value;
    }
    return NULL;
}

static bool same_group(const struct setup *a, const struct setup *b)
{
    return a->section == b->section && strcmp(a->store, b->store) == 0;
}

/* What was asked for stands among the facts as it was read back. */
static bool is_request(const struct setup_item *item)
{
    return item->kind == ITEM_PARAMETER &&
           (strcmp(item->name, "set") == 0 || strcmp(item->name, "sync") == 0);
}

static bool is_excepted(const struct setup_item *item,
                        enum setup_item_kind kind, const char *name)
{
    if (is_request(item))
        return true;
    if (kind == ITEM_VERSION)
        return item->kind == ITEM_VERSION || item->kind == ITEM_HOST;
    return name != NULL && item->kind == kind && strcmp(item->name, name) == 0;
}

bool setups_alike(const struct setup *a, const struct setup *b,
                  enum setup_item_kind kind, const char *name)
{
    size_t i = 0;
    size_t k = 0;

    if (!same_group(a, b))
        return false;
    for (;; i++, k++) {
        while (i < a->item_count && is_excepted(&a->items[i], kind, name))
            i++;
        while (k < b->item_count && is_excepted(&b->items[k], kind, name))
            k++;
        if (i == a->item_count || k == b->item_count)
            return i == a->item_count && k == b->item_count;
        if (a->items[i].kind != b->items[k].kind ||
            strcmp(a->items[i].name, b->items[k].name) != 0 ||
            strcmp(a->items[i].value, b->items[k].value) != 0)
            return false;
    }
}

/* Chooses what stands for each store and class. */
static void choose_usual(struct arena *memory, struct setup *setups,
                         size_t count)
{
    for (size_t first = 0; first < count;) {
        size_t end = first + 1;

        while (end < count && same_group(&setups[first], &setups[end]))
            end++;
        setups_choose_usual(memory, &setups[first], end - first);
        first = end;
    }
}

void setups_gather(struct setups *setups, const struct archive *archive)
{
    *setups = (struct setups){ .count = 0 };
    sections_init(&setups->sections, archive);
    struct setup *const items =
        arena_alloc(&setups->memory, archive->count, sizeof *items);

    for (size_t i = 0; i < setups->sections.count; i++) {
        const struct section *const section = &setups->sections.items[i];

        for (size_t k = 0; k < section->count; k++) {
            items[setups->count] =
                gather_setup(&setups->memory, section, &section->items[k]);
            setups->count++;
        }
    }
    setups->items = items;
    choose_usual(&setups->memory, items, setups->count);
}

void setups_release(struct setups *setups)
{
    sections_release(&setups->sections);
    arena_release(&setups->memory);
    *setups = (struct setups){ .count = 0 };
}
