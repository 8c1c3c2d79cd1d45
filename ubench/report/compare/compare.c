/* SPDX-License-Identifier: ISC */
#include "report/compare/compare.h"

#include <math.h>
#include <string.h>

#include "report/compare/candidates.h"
#include "report/compare/cases.h"
#include "report/compare/rows.h"
#include "report/compare/sides.h"

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

/* The rows of all comparisons of which there is something to say. */
struct judged {
    size_t count;
    double p[SIGNIFICANCE_TESTS_MAX];
    struct compare_row *rows[SIGNIFICANCE_TESTS_MAX];
};

static int gather(struct judged *judged, const struct comparison *comparison,
                  struct err *err)
{
    for (size_t c = 0; c < comparison->case_count; c++) {
        struct compare_row *const all = comparison->cases[c].rows;

        for (size_t i = 0; i < comparison->cases[c].count; i++) {
            if (!(all[i].contrast.interval.coverage > 0))
                continue;
            if (judged->count == SIGNIFICANCE_TESTS_MAX)
                return err_set(err,
                               "more than %d phases to compare at once; "
                               "--where and --phases choose",
                               SIGNIFICANCE_TESTS_MAX);
            judged->p[judged->count] = all[i].contrast.p;
            judged->rows[judged->count++] = &all[i];
        }
    }
    return 0;
}

/* Only now that all rows are there can one say what any of them is worth. */
static int judge(const struct comparisons *comparisons,
                 const struct compare_config *config, struct err *err)
{
    const bool less = config->figure != COMPARE_RATE;
    struct judged judged = { 0 };

    for (size_t i = 0; i < comparisons->count; i++) {
        if (gather(&judged, &comparisons->items[i], err) != 0)
            return -1;
    }
    significance_adjust(judged.p, judged.count);
    for (size_t i = 0; i < judged.count; i++) {
        struct compare_row *const row = judged.rows[i];
        const double ratio = row->contrast.ratio;
        const bool better = (ratio > 1) != less;

        row->p = judged.p[i];
        row->verdict = COMPARE_NO_DIFFERENCE;
        if (contrast_is_shown(ratio, row->p,
                              fmax(log1p(config->min_effect), row->resolution)))
            row->verdict = better ? COMPARE_BETTER : COMPARE_WORSE;
    }
    return 0;
}

/* The cases have their rows; refuses what has none, or no figure. */
static int check_rows(const struct comparison *comparison, struct err *err)
{
    size_t rows = 0;
    bool known = false;

    for (size_t c = 0; c < comparison->case_count; c++) {
        rows += comparison->cases[c].count;
        for (size_t i = 0; i < comparison->cases[c].count; i++)
            known =
                known || isfinite(comparison->cases[c].rows[i].contrast.ratio);
    }
    if (rows == 0)
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
static int compare(struct comparison *comparison,
                   const struct compare_config *config,
                   const struct archive *archive, struct err *err)
{
    if (compare_sides_choose(comparison, config, archive, err) != 0 ||
        compare_cases_find(comparison, config, err) != 0)
        return -1;
    for (size_t i = 0; i < comparison->case_count; i++)
        compare_rows_make(comparison, &comparison->cases[i], config);
    return check_phases(comparison, config->phases, err) != 0
               ? -1
               : check_rows(comparison, err);
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
        if (compare(&comparisons->items[i], &comparisons->configs[i], archive,
                    err) != 0)
            return -1;
    }
    return judge(comparisons, config, err);
}

void compare_release(struct comparisons *comparisons)
{
    for (size_t i = 0; i < comparisons->count; i++)
        arena_release(&comparisons->items[i].memory);
    arena_release(&comparisons->memory);
}

size_t compare_count_one(const struct comparison *comparison,
                         enum compare_verdict verdict)
{
    size_t count = 0;

    for (size_t c = 0; c < comparison->case_count; c++) {
        for (size_t i = 0; i < comparison->cases[c].count; i++)
            count += comparison->cases[c].rows[i].verdict == verdict;
    }
    return count;
}

size_t compare_count(const struct comparisons *comparisons,
                     enum compare_verdict verdict)
{
    size_t count = 0;

    for (size_t i = 0; i < comparisons->count; i++)
        count += compare_count_one(&comparisons->items[i], verdict);
    return count;
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
