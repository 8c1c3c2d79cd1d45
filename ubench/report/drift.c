/* SPDX-License-Identifier: ISC */
#include "report/tables.h"

#include <stdlib.h>
#include <string.h>

#include "measure/statistics.h"

/* Beyond this factor a block's own runs had better not be compared. */
static const double much = 1.1;

static const char *label(const struct record *record, const char *name)
{
    const char *const value = record_properties_find(&record->labels, name);

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

static int by_campaign(const struct record *a, const struct record *b)
{
    const int order = strcmp(a->file, b->file);

    return order != 0 ? order
                      : strcmp(label(a, "campaign"), label(b, "campaign"));
}

static int by_block(const struct record *a, const struct record *b)
{
    const int order = by_campaign(a, b);

    return order != 0 ? order : strcmp(label(a, "block"), label(b, "block"));
}

static double position_of(const struct record *record)
{
    return strtod(label(record, "position"), NULL);
}

static int by_position(const void *left, const void *right)
{
    const struct record *const a = *(const struct record *const *)left;
    const struct record *const b = *(const struct record *const *)right;
    const int order = by_block(a, b);

    return order != 0 ? order
                      : (position_of(a) > position_of(b)) -
                            (position_of(a) < position_of(b));
}

/* Of the references of a campaign: how many times as long the last of each
   block took as the first, in order.  Returns of how many blocks. */
static size_t measure(const struct record *const *references, size_t count,
                      double *ratios)
{
    size_t blocks = 0;
    size_t last;

    for (size_t first = 0; first < count; first = last + 1) {
        last = first;
        while (last + 1 < count &&
               by_block(references[first], references[last + 1]) == 0)
            last++;
        if (last > first)
            ratios[blocks++] =
                time_of(references[last]) / time_of(references[first]);
    }
    statistics_sort(ratios, blocks);
    return blocks;
}

/* The sentence about a campaign, whose reference is of a store. */
static const char *describe(struct arena *memory,
                            const struct record *reference,
                            const double *ratios, size_t blocks)
{
    const char *const campaign = label(reference, "campaign");
    const double median = statistics_median_sorted(ratios, blocks);
    const char *const text = arena_print(
        memory,
        "%s, reference first and last in each block%s%s: the last "
        "took %.2f times as long",
        reference->store, campaign[0] != '\0' ? " of " : "", campaign, median);
    size_t beyond = 0;

    if (blocks == 1)
        return text;
    for (size_t i = 0; i < blocks; i++)
        beyond += ratios[i] > much || ratios[i] < 1 / much;
    return arena_print(memory,
                       "%s (median; %.2f to %.2f in %zu blocks); beyond a "
                       "factor of %.1f in %zu",
                       text, ratios[0], ratios[blocks - 1], blocks, much,
                       beyond);
}

void drift_print(const struct archive *archive, enum grid_format format,
                 FILE *out)
{
    struct arena memory = { 0 };
    const struct record **const references =
        arena_alloc(&memory, archive->count + 1, sizeof *references);
    double *const ratios =
        arena_alloc(&memory, archive->count + 1, sizeof *ratios);
    size_t count = 0;
    size_t printed = 0;
    size_t end;

    for (size_t i = 0; i < archive->count; i++) {
        if (record_is_reference(&archive->records[i]) &&
            time_of(&archive->records[i]) > 0)
            references[count++] = &archive->records[i];
    }
    qsort(references, count, sizeof *references, by_position);
    for (size_t first = 0; first < count; first = end) {
        for (end = first + 1; end < count && by_campaign(references[first],
                                                         references[end]) == 0;
             end++)
            continue;
        const size_t blocks = measure(&references[first], end - first, ratios);
        if (blocks == 0)
            continue;
        if (printed++ == 0)
            (void)fputc('\n', out);
        grid_print_labelled(
            format, out, "drift",
            describe(&memory, references[first], ratios, blocks));
    }
    arena_release(&memory);
}
