/* SPDX-License-Identifier: ISC */
#include "report/compare_sample.h"

#include <math.h>
#include <string.h>

#include "report/compare_sides.h"

void compare_sample_add(struct compare_sample *sample,
                        struct comparison *comparison,
                        const struct record *record,
                        const struct compare_value *value)
{
    const struct compare_bracket *const bracket = &value->bracket;
    struct compare_bracket *const all = &sample->bracket;

    if (!(value->figure > 0) || !isfinite(value->figure))
        return;
    if (sample->count == STATISTICS_MAX) {
        compare_note(comparison, "no more than %d runs of a side are used",
                     STATISTICS_MAX);
        return;
    }
    if (bracket->low > 0) {
        all->low = all->low > 0 ? fmin(all->low, bracket->low) : bracket->low;
        all->high = fmax(all->high, bracket->high);
        sample->widths[sample->width_count++] =
            log(bracket->high / bracket->low);
    }
    sample->logs[sample->count] = log(value->figure);
    sample->campaigns[sample->count] =
        record_properties_find(&record->labels, "campaign");
    sample->blocks[sample->count] =
        record_properties_find(&record->labels, "block");
    sample->count++;
}

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* The mean of all that is in the block of the i-th; NAN if there is none. */
static double block_mean(const struct compare_sample *in,
                         const struct compare_sample *of, size_t i)
{
    double sum = 0;
    size_t count = 0;

    for (size_t k = 0; k < in->count; k++) {
        if (in->blocks[k] == NULL || !same_text(in->blocks[k], of->blocks[i]) ||
            !same_text(in->campaigns[k], of->campaigns[i]))
            continue;
        sum += in->logs[k];
        count++;
    }
    return count > 0 ? sum / (double)count : NAN;
}

/* True if an earlier one is of the same block. */
static bool block_is_known(const struct compare_sample *sample, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (same_text(sample->blocks[k], sample->blocks[i]) &&
            same_text(sample->campaigns[k], sample->campaigns[i]))
            return true;
    }
    return false;
}

static bool is_in_block_of(const struct compare_sample *sample, size_t i,
                           const struct compare_sample *other)
{
    return sample->blocks[i] != NULL && isfinite(block_mean(other, sample, i));
}

static void move(struct compare_sample *sample, size_t to, size_t from)
{
    sample->logs[to] = sample->logs[from];
    sample->campaigns[to] = sample->campaigns[from];
    sample->blocks[to] = sample->blocks[from];
}

/* Leaves the runs of blocks that the other side has, too.  Returns how many
   runs are gone. */
static size_t keep_common(struct compare_sample *sample,
                          const struct compare_sample *other)
{
    const size_t before = sample->count;
    size_t kept = 0;

    for (size_t i = 0; i < before; i++) {
        if (is_in_block_of(sample, i, other))
            move(sample, kept++, i);
    }
    sample->count = kept;
    return before - kept;
}

static bool have_common_block(const struct compare_sample *from,
                              const struct compare_sample *to)
{
    for (size_t i = 0; i < from->count; i++) {
        if (is_in_block_of(from, i, to))
            return true;
    }
    return false;
}

/* Of samples that have the same blocks: fills in the differences, one for each
   block, and returns their number. */
static size_t pair_blocks(const struct compare_sample *from,
                          const struct compare_sample *to,
                          double differences[static STATISTICS_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < from->count; i++) {
        if (!block_is_known(from, i))
            differences[count++] =
                block_mean(to, from, i) - block_mean(from, from, i);
    }
    return count;
}

static double median_of(const struct compare_sample *sample)
{
    return exp(statistics_median(sample->logs, sample->count));
}

static void fill_row(struct compare_row *row, const struct compare_sample *from,
                     const struct compare_sample *to)
{
    double differences[STATISTICS_MAX];
    struct significance test;

    if (row->paired) {
        row->blocks = pair_blocks(from, to, differences);
        test = significance_paired(differences, row->blocks);
    } else {
        test =
            significance_unpaired(from->logs, from->count, to->logs, to->count);
    }
    row->figures[COMPARE_BASELINE] = median_of(from);
    row->figures[COMPARE_CANDIDATE] = median_of(to);
    row->ratio = exp(test.effect);
    row->p = test.p;
    if (test.interval.coverage > 0)
        row->interval = (struct interval){
            .coverage = test.interval.coverage,
            .low = exp(test.interval.low),
            .high = exp(test.interval.high),
        };
}

static double median_width(const struct compare_sample *sample)
{
    return sample->width_count > 0
               ? statistics_median(sample->widths, sample->width_count)
               : 0;
}

struct compare_row compare_samples(struct comparison *comparison,
                                   const char *name,
                                   struct compare_sample *from,
                                   struct compare_sample *to)
{
    struct compare_row row = {
        .phase = name,
        .paired = have_common_block(from, to),
        .ratio = NAN,
        .p = 1,
        .brackets = { from->bracket, to->bracket },
        .resolution = fmax(median_width(from), median_width(to)),
    };

    if (row.paired && keep_common(from, to) + keep_common(to, from) > 0)
        compare_note(comparison,
                     "runs of blocks that only one side has, or of none, were "
                     "left out");
    row.counts[COMPARE_BASELINE] = from->count;
    row.counts[COMPARE_CANDIDATE] = to->count;
    if (from->count > 0 && to->count > 0)
        fill_row(&row, from, to);
    return row;
}
