/* SPDX-License-Identifier: ISC */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/compare/parts.h"

enum { NAME_SIZE = 32 };

/* Of a run. */
struct value {
    double figure;                  /* NAN, or 0: it has none */
    struct compare_bracket bracket; /* of a rate that was searched for */
};

/* What rows are made from. */
struct source {
    const char *kind; /* "the phase ", for notes */
    /* The name of a run's i-th figure, for which there may be room in text;
       NULL behind the last. */
    const char *(*name)(const struct record_run *run, size_t i,
                        char text[static NAME_SIZE]);
    /* What the run has under a name; if that is not to be used, *note says
       why. */
    struct value (*value)(const struct record_run *run, const char *name,
                          int figure, const char **note);
    const char *nothing; /* to be said where no run has a name; or NULL */
};

static const struct value no_value = { .figure = NAN };

/* Phases */

static const char *phase_name(const struct record_run *run, size_t i,
                              char text[static NAME_SIZE])
{
    (void)text;
    return i < run->phase_count ? run->phases[i].name : NULL;
}

static struct value phase_value(const struct record_run *run, const char *name,
                                int figure, const char **note)
{
    const struct record_phase *const phase = record_run_phase(run, name);

    if (run->incomplete)
        *note = "runs that were cut short were left out";
    if (run->incomplete || phase == NULL || phase->incomplete)
        return no_value;
    return (struct value){ .figure = figure == COMPARE_RATE
                                         ? record_phase_rate(phase)
                                         : latency_figure(
                                               &phase->latency,
                                               (enum latency_figure)figure) };
}

/* Rates that were searched for */

static const char *goal_name(const struct record_run *run, size_t i,
                             char text[static NAME_SIZE])
{
    (void)text;
    return run->open != NULL && i < run->open->goal_count
               ? run->open->goals[i].name
               : NULL;
}

/* At the limit of the machine a bracket says nothing of the store, and without
   an end there is none. */
static struct value goal_value(const struct record_run *run, const char *name,
                               int figure, const char **note)
{
    const char *other;
    char text[NAME_SIZE];

    (void)figure;
    for (size_t i = 0; (other = goal_name(run, i, text)) != NULL; i++) {
        const struct record_goal *const goal = &run->open->goals[i];

        if (strcmp(other, name) != 0)
            continue;
        if (!run->incomplete && goal->verified && !goal->invalid &&
            goal->low_per_s > 0 && goal->high_per_s > goal->low_per_s)
            return (struct value){ goal->low_per_s,
                                   { goal->low_per_s, goal->high_per_s } };
        *note = "searches that confirmed no rate, found no limit, or ended at "
                "the machine's own, were left out";
    }
    return no_value;
}

/* Trials at a rate; of a search they are in its goals. */

static const char *trial_name(const struct record_run *run, size_t i,
                              char text[static NAME_SIZE])
{
    const struct record_open *const open = run->open;

    if (i > 0 || open == NULL || open->goal_count > 0 ||
        open->trial_count == 0 || !(open->trials[0].rate_per_s > 0))
        return NULL;
    (void)snprintf(text, NAME_SIZE, "at %.6g/s", open->trials[0].rate_per_s);
    return text;
}

/* Where requests were lost, the rest were answered sooner for it. */
static struct value trial_value(const struct record_run *run, const char *name,
                                int figure, const char **note)
{
    char text[NAME_SIZE];
    const char *const own = trial_name(run, 0, text);

    if (own == NULL || strcmp(own, name) != 0)
        return no_value;
    const struct record_trial *const trial = &run->open->trials[0];
    if (!trial->incomplete && trial->invalid[0] == '\0' &&
        trial->dropped + trial->failed + trial->unanswered == 0)
        return (
            struct value){ .figure = latency_figure(
                               &trial->response, (enum latency_figure)figure) };
    *note = "trials that lost requests, or in which the harness failed, were "
            "left out: the responses that there were say nothing";
    return no_value;
}

static const struct source phases = { "the phase ", phase_name, phase_value,
                                      NULL };
static const struct source goals = {
    "", goal_name, goal_value,
    "no rate was searched for, and one that was asked for is no figure of the "
    "store; --figure=p99 compares responses at the same rate"
};
static const struct source trials = {
    "", trial_name, trial_value,
    "a search has no latency of its own; --figure=rate compares what was found"
};

/* Samples */

/* Of one side; of rates that were searched for with their brackets. */
struct side_sample {
    struct sample sample;
    struct compare_bracket bracket; /* that holds those of all runs */
    size_t width_count;
    double widths[STATISTICS_MAX]; /* of the brackets: logarithms */
};

/* Adds a figure of a run of the record, unless it is no number above 0, or
   there is no room. */
static void add_value(struct comparison *comparison, struct side_sample *to,
                      const struct record *record, const struct value *value)
{
    const struct compare_bracket *const bracket = &value->bracket;
    struct compare_bracket *const all = &to->bracket;

    if (!(value->figure > 0) || !isfinite(value->figure))
        return;
    if (!sample_add(&to->sample, record, value->figure)) {
        compare_note(comparison, "no more than %d runs of a side are used",
                     STATISTICS_MAX);
        return;
    }
    if (!(bracket->low > 0))
        return;
    all->low = all->low > 0 ? fmin(all->low, bracket->low) : bracket->low;
    all->high = fmax(all->high, bracket->high);
    to->widths[to->width_count++] = log(bracket->high / bracket->low);
}

static double median_width(const struct side_sample *of)
{
    return of->width_count > 0 ? statistics_median(of->widths, of->width_count)
                               : 0;
}

/* Rows */

struct names {
    size_t count;
    size_t room;
    const char **items;
};

static bool has_name(const struct names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->items[i], name) == 0)
            return true;
    }
    return false;
}

/* The names that any run of a side has, also one that was cut short. */
static struct names find_names(struct arena *memory, const struct group *side,
                               const struct source *source)
{
    struct names names = { 0 };
    char text[NAME_SIZE];

    for (size_t i = 0; i < side->record_count; i++) {
        for (size_t k = 0; k < side->records[i]->run_count; k++) {
            const struct record_run *const run = &side->records[i]->runs[k];
            const char *name;

            for (size_t n = 0; (name = source->name(run, n, text)) != NULL;
                 n++) {
                if (has_name(&names, name))
                    continue;
                names.items = arena_grow(memory, names.items, names.count,
                                         &names.room, sizeof *names.items);
                names.items[names.count++] = arena_text(memory, name);
            }
        }
    }
    return names;
}

static struct side_sample *collect(struct comparison *comparison,
                                   const struct group *side,
                                   const struct source *source,
                                   const char *name, int figure)
{
    struct side_sample *const sample =
        arena_alloc(comparison->memory, 1, sizeof *sample);

    *sample = (struct side_sample){ .width_count = 0 };
    for (size_t i = 0; i < side->record_count; i++) {
        const struct record *const record = side->records[i];

        for (size_t k = 0; k < record->run_count; k++) {
            const char *note = NULL;
            const struct value value =
                source->value(&record->runs[k], name, figure, &note);

            if (note != NULL)
                compare_note(comparison, "%s", note);
            add_value(comparison, sample, record, &value);
        }
    }
    return sample;
}

/* True if the name is in a list like "create,update", or there is none. */
static bool is_listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    const char *at = list;

    while (at != NULL &&
           (strcspn(at, ",") != length || strncmp(at, name, length) != 0)) {
        at = strchr(at, ',');
        at += at != NULL;
    }
    return list == NULL || at != NULL;
}

static void note_missing(struct comparison *comparison, const char *of,
                         int side, const struct source *source,
                         const struct names *has, const struct names *lacks,
                         const char *wanted)
{
    for (size_t i = 0; i < has->count; i++) {
        if (is_listed(wanted, has->items[i]) && !has_name(lacks, has->items[i]))
            compare_note_alone(comparison, side, of,
                               arena_print(comparison->memory, "%s%s",
                                           source->kind, has->items[i]));
    }
}

static void add_row(struct comparisons *comparisons,
                    struct comparison *comparison,
                    const struct compare_case *of, const char *name,
                    struct side_sample *const samples[COMPARE_SIDES])
{
    const struct side_sample *const from = samples[COMPARE_BASELINE];
    const struct side_sample *const to = samples[COMPARE_CANDIDATE];

    comparisons->rows = arena_grow(
        &comparisons->memory, comparisons->rows, comparisons->row_count,
        &comparisons->row_room, sizeof *comparisons->rows);
    struct compare_row *const row =
        &comparisons->rows[comparisons->row_count++];
    *row = (struct compare_row){
        .in = comparison,
        .of = of,
        .phase = name,
        .contrast = sample_contrast(&from->sample, &to->sample),
        .brackets = { from->bracket, to->bracket },
        .resolution = fmax(median_width(from), median_width(to)),
    };
    if (row->contrast.left_out > 0)
        compare_note(comparison,
                     "runs of blocks that only one side has, or of none, were "
                     "left out");
}

void compare_rows_add(struct comparisons *comparisons,
                      struct comparison *comparison,
                      const struct compare_case *of,
                      const struct compare_config *config)
{
    const struct source *const source = !of->open ? &phases
                                        : config->figure == COMPARE_RATE
                                            ? &goals
                                            : &trials;
    struct names names[COMPARE_SIDES];

    for (int side = 0; side < COMPARE_SIDES; side++)
        names[side] = find_names(comparison->memory, &of->sides[side], source);
    for (size_t i = 0; i < names[0].count; i++) {
        const char *const name = names[0].items[i];
        struct side_sample *samples[COMPARE_SIDES];

        if (!is_listed(config->phases, name) || !has_name(&names[1], name))
            continue;
        for (int side = 0; side < COMPARE_SIDES; side++)
            samples[side] = collect(comparison, &of->sides[side], source, name,
                                    config->figure);
        add_row(comparisons, comparison, of, name, samples);
    }
    for (int side = 0; side < COMPARE_SIDES; side++)
        note_missing(comparison, of->name, side, source, &names[side],
                     &names[1 - side], config->phases);
    if (names[0].count + names[1].count == 0 && source->nothing != NULL)
        compare_note(comparison, "%s: %s", of->name, source->nothing);
}
