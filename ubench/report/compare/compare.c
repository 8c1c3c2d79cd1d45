/* SPDX-License-Identifier: ISC */
#include "report/compare/compare.h"

#include <math.h>
#include <string.h>

#include "report/compare/parts.h"

/* The rows of one comparison, which are the last so far. */
struct rows {
    size_t count;
    const struct compare_row *items;
};

static bool has_row(const struct rows *rows, const char *phase, size_t length)
{
    for (size_t i = 0; i < rows->count; i++) {
        const char *const name = rows->items[i].phase;

        if (strlen(name) == length && strncmp(name, phase, length) == 0)
            return true;
    }
    return false;
}

/* Refuses what is in the list and in no row. */
static int check_phases(const struct rows *rows, const char *list,
                        struct err *err)
{
    while (list != NULL) {
        const size_t length = strcspn(list, ",");

        if (!has_row(rows, list, length))
            return err_set_class(err, ERR_USAGE,
                                 "--phases: '%.*s' is not what both groups "
                                 "have",
                                 (int)(length < 80 ? length : 80), list);
        list = list[length] == ',' ? list + length + 1 : NULL;
    }
    return 0;
}

/* Refuses a comparison without a row, or without a figure. */
static int check_rows(const struct comparison *comparison,
                      const struct rows *rows, struct err *err)
{
    bool known = false;

    for (size_t i = 0; i < rows->count; i++)
        known = known || isfinite(rows->items[i].contrast.ratio);
    if (rows->count == 0)
        return err_set(err,
                       "the two groups have nothing in common to compare%s%s",
                       comparison->note_count > 0 ? ": " : "",
                       comparison->note_count > 0
                           ? comparison->notes[comparison->note_count - 1]
                           : "");
    if (!known)
        return err_set(err, "there is no complete run with that figure on both "
                            "sides");
    return 0;
}

/* All but the verdicts. */
static int compare(struct comparisons *comparisons, size_t i,
                   const struct archive *archive, struct err *err)
{
    const struct compare_config *const config = &comparisons->configs[i];
    struct comparison *const comparison = &comparisons->items[i];
    const size_t first = comparisons->row_count;

    if (compare_sides_choose(comparison, config, archive, err) != 0 ||
        compare_cases_find(comparison, config, err) != 0)
        return -1;
    for (size_t c = 0; c < comparison->case_count; c++)
        compare_rows_add(comparisons, comparison, &comparison->cases[c],
                         config);
    const struct rows rows = { comparisons->row_count - first,
                               comparisons->rows + first };
    return check_phases(&rows, config->phases, err) != 0
               ? -1
               : check_rows(comparison, &rows, err);
}

/* Only now that all rows are there can one say what any of them is worth. */
static int judge(const struct comparisons *comparisons,
                 const struct compare_config *config, struct err *err)
{
    const bool less = config->figure != COMPARE_RATE;
    struct compare_row *judged[SIGNIFICANCE_TESTS_MAX];
    double p[SIGNIFICANCE_TESTS_MAX];
    size_t count = 0;

    for (size_t i = 0; i < comparisons->row_count; i++) {
        struct compare_row *const row = &comparisons->rows[i];

        if (!(row->contrast.interval.coverage > 0))
            continue;
        if (count == SIGNIFICANCE_TESTS_MAX)
            return err_set(err,
                           "more than %d phases to compare at once; "
                           "--where and --phases choose",
                           SIGNIFICANCE_TESTS_MAX);
        p[count] = row->contrast.p;
        judged[count++] = row;
    }
    significance_adjust(p, count);
    for (size_t i = 0; i < count; i++) {
        struct compare_row *const row = judged[i];
        const double ratio = row->contrast.ratio;

        row->p = p[i];
        row->verdict = COMPARE_NO_DIFFERENCE;
        if (contrast_is_shown(ratio, row->p,
                              fmax(log1p(config->min_effect), row->resolution)))
            row->verdict = (ratio > 1) != less ? COMPARE_BETTER : COMPARE_WORSE;
    }
    return 0;
}

int compare_init(struct comparisons *comparisons,
                 const struct compare_config *config, const char *const *files,
                 size_t file_count, const struct archive *archive,
                 struct err *err)
{
    *comparisons = (struct comparisons){ 0 };
    if (compare_candidates_find(comparisons, config, files, file_count, archive,
                                err) != 0)
        return -1;
    for (size_t i = 0; i < comparisons->count; i++) {
        if (compare(comparisons, i, archive, err) != 0)
            return -1;
    }
    return judge(comparisons, config, err);
}

void compare_release(struct comparisons *comparisons)
{
    arena_release(&comparisons->memory);
}

size_t compare_count(const struct comparisons *comparisons,
                     enum compare_verdict verdict)
{
    size_t count = 0;

    for (size_t i = 0; i < comparisons->row_count; i++)
        count += comparisons->rows[i].verdict == verdict;
    return count;
}
