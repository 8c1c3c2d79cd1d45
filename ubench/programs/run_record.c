/* SPDX-License-Identifier: ISC */
#include "programs/runner.h"

#include <inttypes.h>

#include "load/openloop/open_result.h"

/* RECORD_UNKNOWN and USAGE_UNKNOWN are the same. */
_Static_assert(RECORD_UNKNOWN == USAGE_UNKNOWN, "of both");

static const struct record_step *make_steps(struct arena *memory,
                                            const struct phase_result *phase)
{
    if (phase->steps == NULL)
        return NULL;
    struct record_step *const steps =
        arena_alloc(memory, phase->step_count, sizeof *steps);

    for (size_t i = 0; i < phase->step_count; i++) {
        const struct step_result *const step = &phase->steps[i];

        steps[i] = (struct record_step){
            .name = step->name,
            .operation = step->operation,
            .count = step->hits + step->misses,
            .hits = step->hits,
            .misses = step->misses,
            .latency = record_histogram_of(memory, &step->latency),
            .predicted = step->predicted,
        };
    }
    return steps;
}

static const struct record_second *make_series(struct arena *memory,
                                               const struct series *series)
{
    struct record_second *const seconds =
        arena_alloc(memory, series->count, sizeof *seconds);

    for (size_t i = 0; i < series->count; i++)
        seconds[i] = (struct record_second){
            .operations = series_operations(series, i),
            .p99_ns = series_quantile(series, i, 0.99),
        };
    return seconds;
}

/* What belongs to clusters, and is left out where there was none. */
static uint64_t known(uint64_t count)
{
    return count > 0 ? count : RECORD_UNKNOWN;
}

static struct record_phase make_phase(struct arena *memory,
                                      const struct phase_result *phase,
                                      uint64_t zero_ns)
{
    const bool reached = phase->begun_ns != 0;
    const bool exchange = phase->steps != NULL;
    const uint64_t given_up =
        exchange ? phase->deadlocks + phase->conflicts : 0;

    return (struct record_phase){
        .name = phase->name,
        .incomplete = phase->done + given_up != phase->planned,
        .operations = phase->done,
        .hits = phase->hits,
        .misses = phase->misses,
        .begun_ns = reached ? phase->begun_ns - zero_ns : RECORD_UNKNOWN,
        .elapsed_ns = phase_elapsed_ns(phase),
        .latency = record_histogram_of(memory, &phase->operations),
        .commit = record_histogram_of(memory, &phase->commits),
        .second_count = phase->series.count,
        .series = make_series(memory, &phase->series),
        .usage = reached ? phase->usage
                         : (struct usage){ .user_ns = RECORD_UNKNOWN },
        .deadlocks = exchange ? phase->deadlocks : RECORD_UNKNOWN,
        .conflicts = known(phase->conflicts),
        .stale = known(phase->stale),
        .step_count = phase->step_count,
        .steps = make_steps(memory, phase),
    };
}

static const struct outages *make_reconnect(struct arena *memory,
                                            const struct load_result *result)
{
    if (!result->reconnects)
        return NULL;
    struct outages *const to = arena_alloc(memory, 1, sizeof *to);
    *to = result->reconnect;
    return to;
}

/* An open loop */

static struct record_seconds make_seconds(struct arena *memory,
                                          const struct trial *trial)
{
    struct record_answers *const items =
        arena_alloc(memory, trial->second_count, sizeof *items);

    for (size_t i = 0; i < trial->second_count; i++)
        items[i] = (struct record_answers){
            .answered = trial->seconds[i].answered,
            .late = trial->seconds[i].late,
            .longest_ns = trial->seconds[i].longest_ns,
        };
    return (struct record_seconds){ trial->second_count, items };
}

static struct record_trial make_trial(struct arena *memory,
                                      const struct trial *trial)
{
    const struct server_tally *const tally = &trial->tally;
    const char *const invalid = trial_invalid(trial);

    return (struct record_trial){
        .stage = trial_stage_name(trial->stage),
        .rate_per_s = trial->per_s,
        .warmup_ns = trial->warmup_ns,
        .duration_ns = trial->duration_ns,
        .deadline_ns = trial->deadline_ns,
        .queue = trial->queue_size,
        .incomplete = !trial->complete,
        .elapsed_ns = trial->elapsed_ns,
        .offered = trial->offered,
        .answered = trial_answered(trial),
        .late = tally->late,
        .dropped = trial->dropped,
        .merged = trial->merged,
        .failed = tally->failed,
        .unanswered = trial->unanswered,
        .in_time_per_s = trial_good_per_s(trial, trial->deadline_ns),
        .bad_share = trial_bad_share(trial, trial->deadline_ns),
        .grew = trial_queue_growing(trial, trial->deadline_ns),
        .invalid = invalid != NULL ? invalid : "",
        .wait_ns = { trial_wait_ns(trial, 0), trial_wait_ns(trial, 1),
                     trial_wait_ns(trial, 2) },
        .overhead_ns = tally->overhead_ns,
        .response = record_histogram_of(memory, &tally->response),
        .service = record_histogram_of(memory, &tally->service),
        .lag = record_histogram_of(memory, &tally->lag),
        .seconds = make_seconds(memory, trial),
    };
}

/* One that did not come to its first request is none. */
static void add_trials(struct arena *memory, const struct rate_search *search,
                       struct record_open *open)
{
    struct record_trial *const trials =
        arena_alloc(memory, search->count, sizeof *trials);

    open->trials = trials;
    for (size_t i = 0; i < search->count; i++) {
        if (search->trials[i].offered > 0)
            trials[open->trial_count++] =
                make_trial(memory, &search->trials[i]);
    }
}

static void add_goals(struct arena *memory, const struct rate_search *search,
                      struct record_open *open)
{
    struct record_goal *const goals =
        arena_alloc(memory, RATE_GOALS, sizeof *goals);

    open->goals = goals;
    for (; open->goal_count < RATE_GOALS; open->goal_count++) {
        const struct rate_goal *const goal = &rate_goals[open->goal_count];
        const struct rate_bracket *const bracket =
            &search->brackets[open->goal_count];

        goals[open->goal_count] = (struct record_goal){
            .name = goal->name,
            .source = goal->source,
            .bad_share = goal->bad_share,
            .deadline_ns = goal->deadline_ns,
            .low_per_s = bracket->low_per_s,
            .high_per_s = bracket->high_per_s,
            .in_time_per_s = bracket->good_per_s,
            .verified = bracket->verified,
            .invalid = bracket->invalid,
        };
    }
}

static const struct record_open *make_open(struct arena *memory,
                                           const struct open_result *open)
{
    struct record_open *const to = arena_alloc(memory, 1, sizeof *to);

    *to = (struct record_open){
        .closed_loop = {
            .rate_per_s = open->capacity.per_s,
            .failed = open->capacity.failed,
            .service = record_histogram_of(memory, &open->capacity.service),
        },
    };
    add_trials(memory, &open->search, to);
    if (open->kind == OPEN_SEARCH)
        add_goals(memory, &open->search, to);
    if (open->kind == OPEN_STORM)
        to->storm = open->storm;
    if (open->predicted.offered == 0)
        return to;
    to->predicted = (struct record_predicted){
        .servers = open->servers,
        .service_ns = open->service_ns,
        .trial = make_trial(memory, &open->predicted),
    };
    if (open->kind == OPEN_STORM)
        to->predicted.storm = open->storm_predicted;
    else
        to->predicted.trial.seconds = (struct record_seconds){ 0 };
    return to;
}

struct record_run run_record_make(struct arena *memory,
                                  const struct load_result *result,
                                  bool complete)
{
    struct record_phase *const phases =
        arena_alloc(memory, result->phase_count, sizeof *phases);
    struct record_run run = {
        .incomplete = !complete,
        .together = result->together,
        .open = result->open != NULL ? make_open(memory, result->open) : NULL,
        .verified = result->verified,
        .leases_left = result->left,
        .digest = arena_print(memory, "%016" PRIx64, result->digest),
        .reconnect = make_reconnect(memory, result),
        .phase_count = result->phase_count,
        .phases = phases,
    };

    for (size_t i = 0; i < result->phase_count; i++)
        phases[i] =
            make_phase(memory, &result->phases[i], result->phases[0].begun_ns);
    return run;
}
