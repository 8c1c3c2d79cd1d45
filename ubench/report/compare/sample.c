/* SPDX-License-Identifier: ISC */
#include "report/compare/sample.h"

#include <math.h>
#include <string.h>

bool sample_add(struct sample *sample, const struct record *record,
                double figure)
{
    if (sample->count == STATISTICS_MAX)
        return false;
    sample->points[sample->count++] = (struct sample_point){
        log(figure),
        record_properties_find(&record->labels, "campaign"),
        record_properties_find(&record->labels, "order-seed"),
        record_properties_find(&record->labels, "block"),
    };
    return true;
}

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool same_block(const struct sample_point *a,
                       const struct sample_point *b)
{
    return a->block != NULL && b->block != NULL &&
           same_text(a->block, b->block) &&
           same_text(a->campaign, b->campaign) &&
           same_text(a->order_seed, b->order_seed);
}

/* The mean of all that is in the block of a point; NAN if there is none. */
static double block_mean(const struct sample *in, const struct sample_point *of)
{
    double sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < in->count; i++) {
        if (!same_block(&in->points[i], of))
            continue;
        sum += in->points[i].log;
        count++;
    }
    return count > 0 ? sum / (double)count : (double)NAN;
}

/* Leaves the runs of blocks that the other side has, too, if there are any.
   Returns how many runs that are. */
static size_t keep_common(struct sample *sample, const struct sample *other)
{
    size_t kept = 0;

    for (size_t i = 0; i < sample->count; i++) {
        if (isfinite(block_mean(other, &sample->points[i])))
            sample->points[kept++] = sample->points[i];
    }
    if (kept > 0)
        sample->count = kept;
    return kept;
}

/* Of samples that have the same blocks: fills in the differences, one for each
   block, and returns their number. */
static size_t pair_blocks(const struct sample *from, const struct sample *to,
                          double differences[static STATISTICS_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < from->count; i++) {
        const struct sample_point *const point = &from->points[i];
        size_t first = 0;

        while (!same_block(&from->points[first], point))
            first++;
        if (first == i)
            differences[count++] =
                block_mean(to, point) - block_mean(from, point);
    }
    return count;
}

/* The logarithms of a side's figures, which logs has room for. */
static const double *logs_of(const struct sample *sample,
                             double logs[static STATISTICS_MAX])
{
    for (size_t i = 0; i < sample->count; i++)
        logs[i] = sample->points[i].log;
    return logs;
}

double sample_median(const struct sample *sample)
{
    double logs[STATISTICS_MAX];

    return exp(statistics_median(logs_of(sample, logs), sample->count));
}

/* The contrast of samples of which each has a run. */
static void fill(struct contrast *contrast, const struct sample *from,
                 const struct sample *to)
{
    double logs[2][STATISTICS_MAX];
    struct significance test;

    contrast->figures[0] = sample_median(from);
    contrast->figures[1] = sample_median(to);
    if (contrast->paired) {
        contrast->blocks = pair_blocks(from, to, logs[0]);
        test = significance_paired(logs[0], contrast->blocks);
    } else {
        test = significance_unpaired(logs_of(from, logs[0]), from->count,
                                     logs_of(to, logs[1]), to->count);
    }
    contrast->ratio = exp(test.effect);
    contrast->p = test.p;
    if (test.interval.coverage > 0)
        contrast->interval = (struct interval){
            .coverage = test.interval.coverage,
            .low = exp(test.interval.low),
            .high = exp(test.interval.high),
        };
}

struct contrast sample_contrast(const struct sample *from,
                                const struct sample *to)
{
    struct sample common[2] = { *from, *to };
    struct contrast contrast = { .ratio = NAN, .p = 1 };

    contrast.paired = keep_common(&common[0], to) > 0;
    if (contrast.paired)
        (void)keep_common(&common[1], from);
    for (int i = 0; i < 2; i++)
        contrast.counts[i] = common[i].count;
    contrast.left_out =
        from->count + to->count - contrast.counts[0] - contrast.counts[1];
    if (from->count > 0 && to->count > 0)
        fill(&contrast, &common[0], &common[1]);
    return contrast;
}

bool contrast_is_shown(double ratio, double p, double least)
{
    static const double significance = 0.05;

    return p <= significance && fabs(log(ratio)) >= least;
}
