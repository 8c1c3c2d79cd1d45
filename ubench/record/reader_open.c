/* SPDX-License-Identifier: ISC */
/* What a run of the open loop has: trials, goals, a storm. */
#include "record/members.h"

#include <stdio.h>

static bool read_answers(const json_t *second, struct record_answers *answers)
{
    const json_t *const answered = json_array_get(second, 0);
    const json_t *const late = json_array_get(second, 1);
    const json_t *const longest = json_array_get(second, 2);

    if (!json_is_integer(answered) || json_integer_value(answered) < 0 ||
        !json_is_integer(late) || json_integer_value(late) < 0 ||
        json_integer_value(late) > json_integer_value(answered) ||
        !json_is_number(longest) || json_number_value(longest) < 0)
        return false;
    *answers = (struct record_answers){
        .answered = (uint64_t)json_integer_value(answered),
        .late = (uint64_t)json_integer_value(late),
        .longest_ns = (uint64_t)json_number_value(longest),
    };
    return true;
}

static struct record_seconds read_seconds(struct record_reader *reader,
                                          const json_t *object)
{
    const json_t *const array =
        record_read_container(reader, object, "seconds", JSON_ARRAY, false);
    const size_t count = json_array_size(array);
    struct record_answers *const items =
        arena_alloc(reader->memory, count, sizeof *items);

    for (size_t i = 0; i < count; i++) {
        if (read_answers(json_array_get(array, i), &items[i]))
            continue;
        (void)record_complain_of(reader, "seconds",
                                 "is not of [answered, late, longest in ns]");
        return (struct record_seconds){ 0 };
    }
    return (struct record_seconds){ count, items };
}

/* The "is not ..." of a member is told with the number of its trial. */
static void read_trial(struct record_reader *reader, const json_t *object,
                       struct record_trial *trial)
{
    trial->stage = record_read_text(reader, object, "stage", true);
    trial->rate_per_s = record_read_real(reader, object, "rate_per_s", 0);
    trial->incomplete = record_read_flag(reader, object, "incomplete");
    trial->elapsed_ns = record_read_count(reader, object, "elapsed_ns", true);
    trial->deadline_ns = record_read_count(reader, object, "deadline_ns", true);
    trial->offered = record_read_count(reader, object, "offered", true);
    trial->late = record_read_count(reader, object, "late", true);
    trial->dropped = record_read_count(reader, object, "dropped", true);
    trial->failed = record_read_count(reader, object, "failed", true);
    trial->unanswered = record_read_count(reader, object, "unanswered", true);
    trial->in_time_per_s = record_read_real(reader, object, "in_time_per_s", 0);
    trial->bad_share = record_read_real(reader, object, "bad_share", 0);
    trial->grew = record_read_flag(reader, object, "grew");
    trial->invalid = record_read_text(reader, object, "invalid", false);
    trial->response = record_read_histogram(reader, object, "response");
    trial->seconds = read_seconds(reader, object);
}

static void read_goal(struct record_reader *reader, const json_t *object,
                      struct record_goal *goal)
{
    goal->name = record_read_text(reader, object, "goal", false);
    goal->low_per_s = record_read_real(reader, object, "low_per_s", 0);
    goal->high_per_s = record_read_real(reader, object, "high_per_s", 0);
    goal->in_time_per_s = record_read_real(reader, object, "in_time_per_s", 0);
    goal->verified = record_read_flag(reader, object, "verified");
    goal->invalid = record_read_flag(reader, object, "invalid");
}

static void read_storm(struct record_reader *reader, const json_t *of,
                       struct record_storm *storm)
{
    const json_t *const object =
        record_read_container(reader, of, "storm", JSON_OBJECT, false);

    if (object == NULL)
        return;
    storm->clients = record_read_count(reader, object, "clients", true);
    storm->served = record_read_count(reader, object, "served", true);
    storm->sent = record_read_count(reader, object, "sent", true);
    storm->retransmitted =
        record_read_count(reader, object, "retransmitted", false);
    storm->served_50_ns =
        record_read_count(reader, object, "served_50_ns", false);
    storm->served_99_ns =
        record_read_count(reader, object, "served_99_ns", false);
    storm->served_100_ns =
        record_read_count(reader, object, "served_100_ns", false);
}

static void read_trials(struct record_reader *reader, const json_t *run,
                        struct record_open *open)
{
    const json_t *const array =
        record_read_container(reader, run, "trials", JSON_ARRAY, true);
    struct record_trial *const trials =
        arena_alloc(reader->memory, json_array_size(array) + 1, sizeof *trials);

    open->trial_count = json_array_size(array);
    open->trials = trials;
    for (size_t i = 0; i < open->trial_count; i++) {
        (void)snprintf(reader->where, sizeof reader->where, "trial %zu", i + 1);
        trials[i] = (struct record_trial){ 0 };
        read_trial(reader, json_array_get(array, i), &trials[i]);
    }
}

static void read_goals(struct record_reader *reader, const json_t *run,
                       struct record_open *open)
{
    const json_t *const array =
        record_read_container(reader, run, "goals", JSON_ARRAY, false);
    struct record_goal *const goals =
        arena_alloc(reader->memory, json_array_size(array) + 1, sizeof *goals);

    open->goal_count = json_array_size(array);
    open->goals = goals;
    for (size_t i = 0; i < open->goal_count; i++) {
        (void)snprintf(reader->where, sizeof reader->where, "goal %zu", i + 1);
        goals[i] = (struct record_goal){ 0 };
        read_goal(reader, json_array_get(array, i), &goals[i]);
    }
}

const struct record_open *record_read_open(struct record_reader *reader,
                                           const json_t *run)
{
    if (json_object_get(run, "trials") == NULL)
        return NULL;
    struct record_open *const open =
        arena_alloc(reader->memory, 1, sizeof *open);
    const json_t *const predicted =
        record_read_container(reader, run, "predicted", JSON_OBJECT, false);

    *open = (struct record_open){ 0 };
    read_trials(reader, run, open);
    read_goals(reader, run, open);
    (void)snprintf(reader->where, sizeof reader->where, "storm");
    read_storm(reader, run, &open->storm);
    read_storm(reader, predicted, &open->predicted.storm);
    open->predicted.trial.seconds = read_seconds(reader, predicted);
    return open;
}
