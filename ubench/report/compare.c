/* SPDX-License-Identifier: ISC */
#include "report/compare.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare_sample.h"

static const double significance = 0.05;

double compare_latency(const struct record_histogram *histogram,
                       enum compare_figure figure)
{
    if (histogram->count == 0)
        return NAN;
    switch (figure) {
    case COMPARE_P50:
        return histogram->p50_ns;
    case COMPARE_P95:
        return histogram->p95_ns;
    case COMPARE_P99:
        return histogram->p99_ns;
    case COMPARE_P99_9:
        return histogram->p99_9_ns;
    case COMPARE_MEAN:
    case COMPARE_RATE:
        break;
    }
    return histogram->mean_ns;
}

static struct compare_sample *collect(struct comparison *comparison,
                                      const struct compare_records *records,
                                      const char *phase,
                                      enum compare_figure figure)
{
    struct compare_sample *const sample =
        arena_alloc(&comparison->memory, 1, sizeof *sample);

    sample->count = 0;
    for (size_t i = 0; i < records->count; i++) {
        const struct record *const record = records->items[i];

        for (size_t k = 0; k < record->run_count; k++) {
            const struct record_run *const run = &record->runs[k];
            const struct record_phase *const found =
                record_run_phase(run, phase);

            if (run->incomplete)
                compare_note(comparison, "runs that were cut short were left "
                                         "out");
            else if (found != NULL && !found->incomplete)
                compare_sample_add(
                    sample, comparison, record,
                    figure == COMPARE_RATE
                        ? record_phase_rate(found)
                        : compare_latency(&found->latency, figure));
        }
    }
    return sample;
}

static struct compare_row make_row(struct comparison *comparison,
                                   const char *phase,
                                   const struct compare_pair *pair,
                                   enum compare_figure figure)
{
    return compare_samples(
        comparison, phase,
        collect(comparison, &pair->sides[COMPARE_BASELINE], phase, figure),
        collect(comparison, &pair->sides[COMPARE_CANDIDATE], phase, figure));
}

/* True if the name is in a list like "create,update", or there is none. */
bool compare_is_listed(const char *list, const char *name)
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
        arena_alloc(&comparison->memory, most + 1, sizeof *rows);

    to->rows = rows;
    for (size_t i = 0; i < most; i++) {
        const char *const phase = from_shape->phases[i].name;

        if (compare_is_listed(config->phases, phase) && to_shape != NULL &&
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
    double p[SIGNIFICANCE_TESTS_MAX];
    struct compare_row *rows[SIGNIFICANCE_TESTS_MAX];
    size_t count = 0;

    for (size_t c = 0; c < comparison->case_count; c++) {
        struct compare_row *const all = comparison->cases[c].rows;

        for (size_t i = 0; i < comparison->cases[c].count; i++) {
            if (!(all[i].interval.coverage > 0))
                continue;
            if (count == SIGNIFICANCE_TESTS_MAX)
                return err_set(err,
                               "more than %d phases to compare at once; "
                               "--where and --phases choose",
                               SIGNIFICANCE_TESTS_MAX);
            p[count] = all[i].p;
            rows[count++] = &all[i];
        }
    }
    significance_adjust(p, count);
    for (size_t i = 0; i < count; i++) {
        const double least = fmax(log1p(min_effect), rows[i]->resolution);
        const bool shown =
            p[i] <= significance && fabs(log(rows[i]->ratio)) >= least;
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
    comparison->cases = arena_alloc(&comparison->memory, groups->pair_count,
                                    sizeof *comparison->cases);
    comparison->case_count = groups->pair_count;
    for (size_t i = 0; i < groups->pair_count; i++) {
        const struct compare_pair *const pair = &groups->pairs[i];

        comparison->cases[i] = (struct compare_case){
            .name = pair->name,
            .open = pair->open,
            .exchanges =
                record_is_of_exchanges(pair->sides[COMPARE_BASELINE].items[0]),
            .classes = { pair->classes[0], pair->classes[1] },
        };
        if (pair->open)
            compare_open_rows(comparison, &comparison->cases[i], pair, config);
        else
            make_rows(comparison, &comparison->cases[i], pair, config);
    }
    if (check_phases(comparison, config->phases, err) != 0)
        return -1;
    if (count_rows(comparison) == 0)
        return err_set(err,
                       "the two groups have nothing in common to compare%s%s",
                       comparison->note_count > 0 ? ": " : "",
                       comparison->note_count > 0
                           ? comparison->notes[comparison->note_count - 1]
                           : "");
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
    arena_release(&comparison->memory);
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

bool compare_has(const struct comparison *comparison, bool open)
{
    for (size_t c = 0; c < comparison->case_count; c++) {
        if (comparison->cases[c].open == open && comparison->cases[c].count > 0)
            return true;
    }
    return false;
}

static bool have_brackets(const struct compare_row *row)
{
    return row->brackets[COMPARE_BASELINE].low > 0 &&
           row->brackets[COMPARE_CANDIDATE].low > 0;
}

static bool brackets_overlap(const struct compare_row *row)
{
    const struct compare_bracket *const from = &row->brackets[COMPARE_BASELINE];
    const struct compare_bracket *const to = &row->brackets[COMPARE_CANDIDATE];

    return from->low < to->high && to->low < from->high;
}

const char *compare_row_verdict(const struct compare_row *row)
{
    static const char *const names[] = {
        [COMPARE_NOT_ENOUGH] = "not enough runs",
        [COMPARE_NO_DIFFERENCE] = "no difference shown",
        [COMPARE_BETTER] = "better",
        [COMPARE_WORSE] = "worse",
    };

    if (row->verdict == COMPARE_NOT_ENOUGH && have_brackets(row))
        return brackets_overlap(row) ? "brackets overlap: no difference shown"
                                     : "brackets apart; not enough runs";
    return names[row->verdict];
}
