/* SPDX-License-Identifier: ISC */
/*
 * What can be compared of open loops.  The rate of a trial was asked for, so it
 * is none: only a rate that was searched for is, and what trials at the same
 * rate took to answer.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/compare_sample.h"

enum { NAME_SIZE = 32 };

static size_t goal_count(const struct record_run *run)
{
    return run->open != NULL ? run->open->goal_count : 0;
}

static const struct record_goal *find_goal(const struct record_run *run,
                                           const char *name)
{
    for (size_t i = 0; i < goal_count(run); i++) {
        if (strcmp(run->open->goals[i].name, name) == 0)
            return &run->open->goals[i];
    }
    return NULL;
}

/* At the limit of the machine a bracket says nothing of the store, and without
   an end there is none. */
static bool is_found(const struct record_run *run,
                     const struct record_goal *goal)
{
    return !run->incomplete && goal->verified && !goal->invalid &&
           goal->low_per_s > 0 && goal->high_per_s > goal->low_per_s;
}

/* What is found for a goal on one side. */
struct side {
    struct compare_sample *sample;
    struct compare_bracket bracket; /* that holds those of all runs */
    size_t widths_count;
    double widths[STATISTICS_MAX]; /* of the brackets: logarithms */
};

static void add_goal(struct side *side, const struct record_goal *goal)
{
    const bool first = side->bracket.low <= 0;

    if (first || goal->low_per_s < side->bracket.low)
        side->bracket.low = goal->low_per_s;
    if (first || goal->high_per_s > side->bracket.high)
        side->bracket.high = goal->high_per_s;
    if (side->widths_count < STATISTICS_MAX)
        side->widths[side->widths_count++] =
            log(goal->high_per_s / goal->low_per_s);
}

static struct side *collect_goal(struct comparison *comparison,
                                 const struct compare_records *records,
                                 const char *name)
{
    struct side *const side = arena_alloc(&comparison->memory, 1, sizeof *side);

    side->sample = arena_alloc(&comparison->memory, 1, sizeof *side->sample);
    side->sample->count = 0;
    side->bracket = (struct compare_bracket){ 0 };
    side->widths_count = 0;
    for (size_t i = 0; i < records->count; i++) {
        const struct record *const record = records->items[i];

        for (size_t k = 0; k < record->run_count; k++) {
            const struct record_run *const run = &record->runs[k];
            const struct record_goal *const goal = find_goal(run, name);

            if (goal == NULL)
                continue;
            if (!is_found(run, goal)) {
                compare_note(comparison,
                             "searches that confirmed no rate, found no limit, "
                             "or ended at the machine's own, were left out");
                continue;
            }
            compare_sample_add(side->sample, comparison, record,
                               goal->low_per_s);
            add_goal(side, goal);
        }
    }
    return side;
}

static double median_width(const struct side *side)
{
    return side->widths_count > 0
               ? statistics_median(side->widths, side->widths_count)
               : 0;
}

static struct compare_row make_goal_row(struct comparison *comparison,
                                        const struct compare_pair *pair,
                                        const char *name)
{
    const struct side *const from =
        collect_goal(comparison, &pair->sides[COMPARE_BASELINE], name);
    const struct side *const to =
        collect_goal(comparison, &pair->sides[COMPARE_CANDIDATE], name);
    struct compare_row row =
        compare_samples(comparison, name, from->sample, to->sample);

    row.brackets[COMPARE_BASELINE] = from->bracket;
    row.brackets[COMPARE_CANDIDATE] = to->bracket;
    row.resolution = fmax(median_width(from), median_width(to));
    return row;
}

/* The trial at a rate, or NULL.  Of a search the trials are in its goals. */
static const struct record_trial *trial_of(const struct record_run *run)
{
    const struct record_open *const open = run->open;

    if (open == NULL || open->goal_count > 0 || open->trial_count == 0 ||
        !(open->trials[0].rate_per_s > 0))
        return NULL;
    return &open->trials[0];
}

/* "at 100/s" */
static const char *name_trial(char name[static NAME_SIZE],
                              const struct record_trial *trial)
{
    (void)snprintf(name, NAME_SIZE, "at %.6g/s", trial->rate_per_s);
    return name;
}

/* Where requests were lost, the rest were answered sooner for it. */
static bool has_responses(const struct record_trial *trial)
{
    return !trial->incomplete && trial->invalid[0] == '\0' &&
           trial->dropped + trial->failed + trial->unanswered == 0;
}

static struct compare_sample *
collect_trials(struct comparison *comparison,
               const struct compare_records *records, const char *name,
               enum compare_figure figure)
{
    struct compare_sample *const sample =
        arena_alloc(&comparison->memory, 1, sizeof *sample);
    char text[NAME_SIZE];

    sample->count = 0;
    for (size_t i = 0; i < records->count; i++) {
        const struct record *const record = records->items[i];

        for (size_t k = 0; k < record->run_count; k++) {
            const struct record_trial *const trial = trial_of(&record->runs[k]);

            if (trial == NULL || strcmp(name_trial(text, trial), name) != 0)
                continue;
            if (has_responses(trial))
                compare_sample_add(sample, comparison, record,
                                   compare_latency(&trial->response, figure));
            else
                compare_note(comparison,
                             "trials that lost requests, or in which the "
                             "harness failed, were left out: the responses "
                             "that there were say nothing");
        }
    }
    return sample;
}

static struct compare_row make_trial_row(struct comparison *comparison,
                                         const struct compare_pair *pair,
                                         const char *name,
                                         enum compare_figure figure)
{
    return compare_samples(
        comparison, name,
        collect_trials(comparison, &pair->sides[COMPARE_BASELINE], name,
                       figure),
        collect_trials(comparison, &pair->sides[COMPARE_CANDIDATE], name,
                       figure));
}

/* Rows are named by goals, or by the rate of a trial. */
struct names {
    size_t count;
    const char *items[SIGNIFICANCE_TESTS_MAX];
};

static bool has_name(const struct names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->items[i], name) == 0)
            return true;
    }
    return false;
}

static void add_name(struct names *names, struct arena *memory,
                     const char *name)
{
    if (!has_name(names, name) && names->count < SIGNIFICANCE_TESTS_MAX)
        names->items[names->count++] = arena_text(memory, name);
}

static struct names *find_names(struct arena *memory,
                                const struct compare_records *records,
                                bool goals)
{
    struct names *const names = arena_alloc(memory, 1, sizeof *names);
    char name[NAME_SIZE];

    names->count = 0;
    for (size_t i = 0; i < records->count; i++) {
        for (size_t k = 0; k < records->items[i]->run_count; k++) {
            const struct record_run *const run = &records->items[i]->runs[k];
            const struct record_trial *const trial = trial_of(run);

            for (size_t g = 0; goals && g < goal_count(run); g++)
                add_name(names, memory, run->open->goals[g].name);
            if (!goals && trial != NULL)
                add_name(names, memory, name_trial(name, trial));
        }
    }
    return names;
}

static void note_missing(struct comparison *comparison, const char *of,
                         const char *side, const struct names *has,
                         const struct names *lacks)
{
    for (size_t i = 0; i < has->count; i++) {
        if (!has_name(lacks, has->items[i]))
            compare_note(comparison, "%s: only the %s has %s", of, side,
                         has->items[i]);
    }
}

void compare_open_rows(struct comparison *comparison, struct compare_case *to,
                       const struct compare_pair *pair,
                       const struct compare_config *config)
{
    const bool goals = config->figure == COMPARE_RATE;
    struct arena *const memory = &comparison->memory;
    const struct names *const from_names =
        find_names(memory, &pair->sides[COMPARE_BASELINE], goals);
    const struct names *const to_names =
        find_names(memory, &pair->sides[COMPARE_CANDIDATE], goals);

    to->rows = arena_alloc(memory, from_names->count + 1, sizeof *to->rows);
    for (size_t i = 0; i < from_names->count; i++) {
        const char *const name = from_names->items[i];

        if (compare_is_listed(config->phases, name) && has_name(to_names, name))
            to->rows[to->count++] =
                goals ? make_goal_row(comparison, pair, name)
                      : make_trial_row(comparison, pair, name,
                                       (enum compare_figure)config->figure);
    }
    note_missing(comparison, to->name, "baseline", from_names, to_names);
    note_missing(comparison, to->name, "candidate", to_names, from_names);
    if (from_names->count + to_names->count == 0)
        compare_note(comparison, "%s: %s", to->name,
                     goals ? "no rate was searched for, and one that was asked "
                             "for is no figure of the store; --figure=p99 "
                             "compares responses at the same rate"
                           : "a search has no latency of its own; "
                             "--figure=rate compares what was found");
}
