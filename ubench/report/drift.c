/* SPDX-License-Identifier: ISC */
#include "report/drift.h"

#include <stdlib.h>
#include <string.h>

#include "measure/statistics.h"

/* A reference, and where it stood. */
struct reference {
    const char *file;
    const char *campaign;
    const char *block;
    const char *store;
    double position;
    double time_ns;
};

static const char *label(const struct record *record, const char *key)
{
    const char *const value = record_properties_find(&record->labels, key);

    return value != NULL ? value : "";
}

/* 0 if a run is missing: there is nothing to compare. */
static double time_of(const struct record *record)
{
    double sum = 0;

    for (size_t i = 0; i < record->run_count; i++) {
        if (record->runs[i].incomplete)
            return 0;
        sum += (double)record_run_elapsed_ns(&record->runs[i]);
    }
    return sum;
}

static int by_campaign(const struct reference *a, const struct reference *b)
{
    const int order = strcmp(a->file, b->file);

    return order != 0 ? order : strcmp(a->campaign, b->campaign);
}

static int by_block(const struct reference *a, const struct reference *b)
{
    const int order = by_campaign(a, b);

    return order != 0 ? order : strcmp(a->block, b->block);
}

static int by_position(const void *a, const void *b)
{
    const struct reference *const left = a;
    const struct reference *const right = b;
    const int order = by_block(left, right);

    return order != 0 ? order
                      : (left->position > right->position) -
                            (left->position < right->position);
}

static size_t collect(const struct archive *archive, struct reference *items)
{
    size_t count = 0;

    for (size_t i = 0; i < archive->count; i++) {
        const struct record *const record = &archive->records[i];
        const double time_ns = time_of(record);

        if (record_is_reference(record) && time_ns > 0)
            items[count++] = (struct reference){
                .file = record->file,
                .campaign = label(record, "campaign"),
                .block = label(record, "block"),
                .store = record->store,
                .position = strtod(label(record, "position"), NULL),
                .time_ns = time_ns,
            };
    }
    qsort(items, count, sizeof *items, by_position);
    return count;
}

static const char *tell(struct arena *memory, const struct drift *drift)
{
    const char *const text =
        arena_print(memory,
                    "%s, reference first and last in each block%s%s: the last "
                    "took %.2f times as long",
                    drift->store, drift->campaign[0] != '\0' ? " of " : "",
                    drift->campaign, drift->median);

    if (drift->blocks == 1)
        return text;
    return arena_print(memory,
                       "%s (median; %.2f to %.2f in %zu blocks); beyond a "
                       "factor of %.1f in %zu",
                       text, drift->low, drift->high, drift->blocks, DRIFT_MUCH,
                       drift->much);
}

/* The references of one campaign, in order. */
static struct drift measure(struct arena *memory, const struct reference *items,
                            size_t count)
{
    struct drift drift = { .campaign = items[0].campaign,
                           .store = items[0].store };
    double *const ratios = arena_alloc(memory, count, sizeof *ratios);

    for (size_t first = 0; first < count;) {
        size_t last = first;

        while (last + 1 < count &&
               by_block(&items[first], &items[last + 1]) == 0)
            last++;
        if (last > first) {
            const double ratio = items[last].time_ns / items[first].time_ns;

            drift.much += ratio > DRIFT_MUCH || ratio < 1 / DRIFT_MUCH;
            ratios[drift.blocks++] = ratio;
        }
        first = last + 1;
    }
    if (drift.blocks > 0) {
        statistics_sort(ratios, drift.blocks);
        drift.low = ratios[0];
        drift.median = statistics_median_sorted(ratios, drift.blocks);
        drift.high = ratios[drift.blocks - 1];
        drift.sentence = tell(memory, &drift);
    }
    return drift;
}

void drifts_gather(struct drifts *drifts, const struct archive *archive)
{
    *drifts = (struct drifts){ .count = 0 };
    struct arena *const memory = &drifts->memory;
    struct reference *const references =
        arena_alloc(memory, archive->count + 1, sizeof *references);
    const size_t count = collect(archive, references);
    struct drift *const items = arena_alloc(memory, count + 1, sizeof *items);

    for (size_t first = 0; first < count;) {
        size_t end = first + 1;

        while (end < count &&
               by_campaign(&references[first], &references[end]) == 0)
            end++;
        items[drifts->count] = measure(memory, references + first, end - first);
        drifts->count += items[drifts->count].blocks > 0;
        first = end;
    }
    drifts->items = items;
}

void drifts_release(struct drifts *drifts)
{
    arena_release(&drifts->memory);
    *drifts = (struct drifts){ .count = 0 };
}
