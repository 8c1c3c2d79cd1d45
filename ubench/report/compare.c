/* SPDX-License-Identifier: ISC */
#include "report/compare.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare_groups.h"

static const double significance = 0.05;

/* Of one phase on one side of a case: the logarithms of a figure. */
struct sample {
    size_t count;
    double logs[STATISTICS_MAX];
    const char *campaigns[STATISTICS_MAX];
    const char *blocks[STATISTICS_MAX]; /* NULL: of none */
};

static double figure_of(const struct record_phase *phase,
                        enum compare_figure figure)
{
    if (figure == COMPARE_RATE)
        return record_phase_rate(phase);
    if (phase->latency.count == 0)
        return NAN;
    switch (figure) {
    case COMPARE_P50:
        return phase->latency.p50_ns;
    case COMPARE_P95:
        return phase->latency.p95_ns;
    case COMPARE_P99:
        return phase->latency.p99_ns;
    case COMPARE_P99_9:
        return phase->latency.p99_9_ns;
    case COMPARE_MEAN:
    case COMPARE_RATE:
        break;
    }
    return phase->latency.mean_ns;
}

static void add_run(struct sample *sample, const struct record *record,
                    const struct record_run *run, const char *phase,
                    enum compare_figure figure)
{
    const struct record_phase *const found = record_run_phase(run, phase);

    if (found == NULL || found->incomplete || sample->count == STATISTICS_MAX)
        return;
    const double value = figure_of(found, figure);
    if (!(value > 0) || !isfinite(value))
        return;
    sample->logs[sample->count] = log(value);
    sample->campaigns[sample->count] =
        record_facts_find(&record->labels, "campaign");
    sample->blocks[sample->count] = record_facts_find(&record->labels, "block");
    sample->count++;
}

static struct sample *collect(struct comparison *comparison,
                              const struct compare_records *records,
                              const char *phase, enum compare_figure figure)
{
    struct sample *const sample =
        region_take(&comparison->memory, 1, sizeof *sample);

    sample->count = 0;
    for (size_t i = 0; i < records->count; i++) {
        const struct record *const record = records->items[i];

        for (size_t run = 0; run < record->run_count; run++) {
            if (!record->runs[run].incomplete)
                add_run(sample, record, &record->runs[run], phase, figure);
            else
                compare_note(comparison, "runs that were cut short were left "
                                         "out");
        }
    }
    if (sample->count == STATISTICS_MAX)
        compare_note(comparison, "no more than %d runs of a side are used",
                     STATISTICS_MAX);
    return sample;
}

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* The mean of all that is in the block of the i-th; NAN if there is none. */
static double block_mean(const struct sample *in, const struct sample *of,
                         size_t i)
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
static bool block_is_known(const struct sample *sample, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (same_text(sample->blocks[k], sample->blocks[i]) &&
            same_text(sample->campaigns[k], sample->campaigns[i]))
            return true;
    }
    return false;
}

static bool is_in_block_of(const struct sample *sample, size_t i,
                           const struct sample *other)
{
    return sample->blocks[i] != NULL && isfinite(block_mean(other, sample, i));
}

static void move(struct sample *sample, size_t to, size_t from)
{
    sample->logs[to] = sample->logs[from];
    sample->campaigns[to] = sample->campaigns[from];
    sample->blocks[to] = sample->blocks[from];
}

/* Leaves the runs of blocks that the other side has, too.  Returns how many
   runs are gone. */
static size_t keep_common(struct sample *sample, const struct sample *other)
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

static bool have_common_block(const struct sample *from,
                              const struct sample *to)
{
    for (size_t i = 0; i < from->count; i++) {
        if (is_in_block_of(from, i, to))
            return true;
    }
    return false;
}

/* Of samples that have the same blocks: fills in the differences, one for each
   block, and returns their number. */
static size_t pair_blocks(const struct sample *from, const struct sample *to,
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

static double median_of(const struct sample *sample)
{
    return exp(statistics_median(sample->logs, sample->count));
}

static void fill_row(struct compare_row *row, const struct sample *from,
                     const struct sample *to)
{
    double differences[STATISTICS_MAX];
    struct contrast contrast;

    if (row->paired) {
        row->blocks = pair_blocks(from, to, differences);
        contrast = contrast_paired(differences, row->blocks);
    } else {
        contrast =
            contrast_unpaired(from->logs, from->count, to->logs, to->count);
    }
    row->figures[COMPARE_BASELINE] = median_of(from);
    row->figures[COMPARE_CANDIDATE] = median_of(to);
    row->ratio = exp(contrast.shift);
    row->p = contrast.p;
    if (contrast.interval.coverage > 0)
        row->interval = (struct interval){
            .coverage = contrast.interval.coverage,
            .low = exp(contrast.interval.low),
            .high = exp(contrast.interval.high),
        };
}

static struct compare_row make_row(struct comparison *comparison,
                                   const char *phase,
                                   const struct compare_pair *pair,
                                   enum compare_figure figure)
{
    struct sample *const from =
        collect(comparison, &pair->sides[COMPARE_BASELINE], phase, figure);
    struct sample *const to =
        collect(comparison, &pair->sides[COMPARE_CANDIDATE], phase, figure);
    struct compare_row row = {
        .phase = phase,
        .paired = have_common_block(from, to),
        .ratio = NAN,
        .p = 1,
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

/* True if the name is in a list like "create,update", or there is none. */
static bool is_listed(const char *list, const char *name)
{
    const size_t length = strlen(name);

    while (list != NULL) {
        if (strncmp(list, name, length) == 0 &&
            (list[length] == '\0' || list[length] == ','))
            return true;
        list = strchr(list, ',');
        if (list == NULL)
            return false;
        list++;
    }
    return true;
}

static bool has_row(const struct comparison *comparison, const char *phase,
                    size_t length)
{
    for (size_t c = 0; c < comparison->case_count; c++) {
        for (size_t i = 0; i < comparison->cases[c].count; i++) {
            const char *const name = comparison->cases[c].rows[i].phase;

            if (strlen(name) == length && strncmp(name, phase, length) == 0)
                return true;
        }
    }
    return false;
}

/* Refuses what is in the list and in no row. */
static int check_phases(const struct comparison *comparison, const char *list,
                        struct err *err)
{
    while (list != NULL) {
        const size_t length = strcspn(list, ",");

        if (!has_row(comparison, list, length))
            return err_set_class(err, ERR_USAGE,
                                 "--phases: '%.*s' is not what both groups "
                                 "have",
                                 (int)(length < 80 ? length : 80), list);
        list = list[length] == ',' ? list + length + 1 : NULL;
    }
    return 0;
}

/* The run with the most phases: one that was cut short may not have them. */
static const struct record_run *
find_shape(const struct compare_records *records)
{
    const struct record_run *shape = NULL;

    for (size_t i = 0; i < records->count; i++) {
        for (size_t run = 0; run < records->items[i]->run_count; run++) {
            const struct record_run *const next = &records->items[i]->runs[run];

            if (shape == NULL || next->phase_count > shape->phase_count)
                shape = next;
        }
    }
    return shape;
}

static void note_missing_phases(struct comparison *comparison, const char *name,
                                const char *side, const struct record_run *has,
                                const struct record_run *lacks)
{
    for (size_t i = 0; has != NULL && i < has->phase_count; i++) {
        if (lacks == NULL ||
            record_run_phase(lacks, has->phases[i].name) == NULL)
            compare_note(comparison, "%s: only the %s has the phase %s", name,
                         side, has->phases[i].name);
    }
}

static void make_rows(struct comparison *comparison, struct compare_case *to,
                      const struct compare_pair *pair,
                      const struct compare_config *config)
{
    const struct record_run *const from_shape =
        find_shape(&pair->sides[COMPARE_BASELINE]);
    const struct record_run *const to_shape =
        find_shape(&pair->sides[COMPARE_CANDIDATE]);
    const size_t most = from_shape != NULL ? from_shape->phase_count : 0;
    struct compare_row *const rows =
        region_take(&comparison->memory, most + 1, sizeof *rows);

    to->rows = rows;
    for (size_t i = 0; i < most; i++) {
        const char *const phase = from_shape->phases[i].name;

        if (is_listed(config->phases, phase) && to_shape != NULL &&
            record_run_phase(to_shape, phase) != NULL)
            rows[to->count++] = make_row(comparison, phase, pair,
                                         (enum compare_figure)config->figure);
    }
    note_missing_phases(comparison, to->name, "baseline", from_shape, to_shape);
    note_missing_phases(comparison, to->name, "candidate", to_shape,
                        from_shape);
}

/* Only now that all rows are there can one say what any of them is worth. */
static int judge(struct comparison *comparison, double min_effect, bool less,
                 struct err *err)
{
    double p[CONTRAST_TESTS_MAX];
    struct compare_row *rows[CONTRAST_TESTS_MAX];
    size_t count = 0;

    for (size_t c = 0; c < comparison->case_count; c++) {
        struct compare_row *const all = comparison->cases[c].rows;

        for (size_t i = 0; i < comparison->cases[c].count; i++) {
            if (!(all[i].interval.coverage > 0))
                continue;
            if (count == CONTRAST_TESTS_MAX)
                return err_set(err,
                               "more than %d phases to compare at once; "
                               "--where and --phases choose",
                               CONTRAST_TESTS_MAX);
            p[count] = all[i].p;
            rows[count++] = &all[i];
        }
    }
    contrast_adjust(p, count);
    for (size_t i = 0; i < count; i++) {
        const bool shown = p[i] <= significance &&
                           fabs(log(rows[i]->ratio)) >= log1p(min_effect);
        const bool better = (rows[i]->ratio > 1) != less;

        rows[i]->p = p[i];
        rows[i]->verdict = COMPARE_NO_DIFFERENCE;
        if (shown)
            rows[i]->verdict = better ? COMPARE_BETTER : COMPARE_WORSE;
    }
    return 0;
}

static size_t count_rows(const struct comparison *comparison)
{
    size_t rows = 0;

    for (size_t c = 0; c < comparison->case_count; c++)
        rows += comparison->cases[c].count;
    return rows;
}

static bool have_figures(const struct comparison *comparison)
{
    for (size_t c = 0; c < comparison->case_count; c++) {
        for (size_t i = 0; i < comparison->cases[c].count; i++) {
            if (isfinite(comparison->cases[c].rows[i].ratio))
                return true;
        }
    }
    return false;
}

static int make_cases(struct comparison *comparison,
                      const struct compare_groups *groups,
                      const struct compare_config *config, struct err *err)
{
    comparison->cases = region_take(&comparison->memory, groups->pair_count,
                                    sizeof *comparison->cases);
    comparison->case_count = groups->pair_count;
    for (size_t i = 0; i < groups->pair_count; i++) {
        const struct compare_pair *const pair = &groups->pairs[i];

        comparison->cases[i] = (struct compare_case){
            .name = pair->name,
            .classes = { pair->classes[0], pair->classes[1] },
        };
        make_rows(comparison, &comparison->cases[i], pair, config);
    }
    if (check_phases(comparison, config->phases, err) != 0)
        return -1;
    if (count_rows(comparison) == 0)
        return err_set(err, "the two groups have no phase in common");
    if (!have_figures(comparison))
        return err_set(err, "there is no complete run with that figure on both "
                            "sides");
    return judge(comparison, config->min_effect, config->figure != COMPARE_RATE,
                 err);
}

int compare_init(struct comparison *comparison,
                 const struct compare_config *config,
                 const struct archive *archive, struct err *err)
{
    struct compare_groups groups = { 0 };

    *comparison = (struct comparison){ 0 };
    if (compare_groups_find(&groups, comparison, config, archive, err) != 0)
        return -1;
    return make_cases(comparison, &groups, config, err);
}

void compare_release(struct comparison *comparison)
{
    region_release(&comparison->memory);
}

size_t compare_count(const struct comparison *comparison,
                     enum compare_verdict verdict)
{
    size_t count = 0;

    for (size_t c = 0; c < comparison->case_count; c++) {
        for (size_t i = 0; i < comparison->cases[c].count; i++)
            count += comparison->cases[c].rows[i].verdict == verdict;
    }
    return count;
}

const char *compare_verdict_name(enum compare_verdict verdict)
{
    static const char *const names[] = {
        [COMPARE_NOT_ENOUGH] = "not enough runs",
        [COMPARE_NO_DIFFERENCE] = "no difference shown",
        [COMPARE_BETTER] = "better",
        [COMPARE_WORSE] = "worse",
    };

    return names[verdict];
}
