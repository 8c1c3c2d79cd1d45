/* SPDX-License-Identifier: ISC */
#include "record/result_json.h"

static json_t *count_json(uint64_t count)
{
    return json_integer((json_int_t)count);
}

/* [answered, late, longest response in ns] of each second. */
static json_t *seconds_json(const struct trial *trial)
{
    json_t *const array = json_array();

    for (size_t i = 0; i < trial->second_count; i++) {
        const struct server_pool_second *const s = &trial->seconds[i];

        (void)json_array_append_new(
            array, json_pack("[I, I, I]", (json_int_t)s->answered,
                             (json_int_t)s->late, (json_int_t)s->longest_ns));
    }
    return array;
}

/* By how the requests ended; together they are what was offered. */
static void add_counts(json_t *json, const struct trial *trial)
{
    const struct {
        const char *name;
        uint64_t count;
    } counts[] = {
        { "offered", trial->offered },
        { "answered", trial_answered(trial) },
        { "late", trial->tally.late },
        { "dropped", trial->dropped },
        { "merged", trial->merged },
        { "failed", trial->tally.failed },
        { "unanswered", trial->unanswered },
    };

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        (void)json_object_set_new(json, counts[i].name,
                                  count_json(counts[i].count));
}

static json_t *trial_json(const struct trial *trial)
{
    const struct server_tally *const tally = &trial->tally;
    const char *const invalid = trial_invalid(trial);
    json_t *const json =
        json_pack("{s:s, s:o, s:I, s:I, s:I, s:I, s:b, s:I}", "stage",
                  trial_stage_name(trial->stage), "rate_per_s",
                  trial->per_s > 0 ? real_json(trial->per_s) : json_null(),
                  "warmup_ns", (json_int_t)trial->warmup_ns, "duration_ns",
                  (json_int_t)trial->duration_ns, "deadline_ns",
                  (json_int_t)trial->deadline_ns, "queue",
                  (json_int_t)trial->queue_size, "incomplete", !trial->complete,
                  "elapsed_ns", (json_int_t)trial->elapsed_ns);

    add_counts(json, trial);
    json_t *const figures = json_pack(
        "{s:o, s:o, s:b, s:o, s:[o, o, o], s:I, s:o, s:o, s:o, s:o}",
        "in_time_per_s", real_json(trial_good_per_s(trial, trial->deadline_ns)),
        "bad_share", real_json(trial_bad_share(trial, trial->deadline_ns)),
        "grew", trial_queue_growing(trial, trial->deadline_ns), "invalid",
        invalid != NULL ? json_string(invalid) : json_null(), "wait_ns",
        real_json(trial_wait_ns(trial, 0)), real_json(trial_wait_ns(trial, 1)),
        real_json(trial_wait_ns(trial, 2)), "overhead_ns",
        (json_int_t)tally->overhead_ns, "response",
        histogram_json(&tally->response), "service",
        histogram_json(&tally->service), "lag", histogram_json(&tally->lag),
        "seconds", seconds_json(trial));
    (void)json_object_update(json, figures);
    json_decref(figures);
    return json;
}

/* One that did not come to its first request is none. */
static json_t *trials_json(const struct rate_search *search)
{
    json_t *const array = json_array();

    for (size_t i = 0; i < search->count; i++) {
        if (search->trials[i].offered > 0)
            (void)json_array_append_new(array, trial_json(&search->trials[i]));
    }
    return array;
}

static json_t *rate_json(double per_s)
{
    return per_s > 0 ? real_json(per_s) : json_null();
}

static json_t *brackets_json(const struct rate_search *search)
{
    json_t *const array = json_array();

    for (int i = 0; i < RATE_GOALS; i++) {
        const struct rate_bracket *const bracket = &search->brackets[i];
        const struct rate_goal *const goal = &rate_goals[i];

        (void)json_array_append_new(
            array,
            json_pack("{s:s, s:s, s:o, s:I, s:o, s:o, s:o, s:b, s:b}", "goal",
                      goal->name, "source", goal->source, "bad_share",
                      real_json(goal->bad_share), "deadline_ns",
                      (json_int_t)goal->deadline_ns, "low_per_s",
                      rate_json(bracket->low_per_s), "high_per_s",
                      rate_json(bracket->high_per_s), "in_time_per_s",
                      rate_json(bracket->good_per_s), "verified",
                      bracket->verified, "invalid", bracket->invalid));
    }
    return array;
}

static json_t *time_json(uint64_t ns)
{
    return ns > 0 ? count_json(ns) : json_null();
}

static json_t *outcome_json(const struct storm_outcome *outcome)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "clients",
                     (json_int_t)outcome->clients, "served",
                     (json_int_t)outcome->served, "sent",
                     (json_int_t)outcome->sent, "retransmitted",
                     (json_int_t)outcome->retransmitted, "useless",
                     (json_int_t)outcome->useless, "served_50_ns",
                     time_json(outcome->served_50_ns), "served_99_ns",
                     time_json(outcome->served_99_ns), "served_100_ns",
                     time_json(outcome->served_100_ns));
}

static json_t *predicted_json(const struct open_result *open)
{
    if (open->predicted.offered == 0)
        return json_null();
    json_t *const json =
        json_pack("{s:I, s:I}", "servers", (json_int_t)open->servers,
                  "service_ns", (json_int_t)open->service_ns);

    add_counts(json, &open->predicted);
    (void)json_object_set_new(json, "response",
                              histogram_json(&open->predicted.tally.response));
    if (open->kind == OPEN_STORM) {
        (void)json_object_set_new(json, "storm",
                                  outcome_json(&open->storm_predicted));
        (void)json_object_set_new(json, "seconds",
                                  seconds_json(&open->predicted));
    }
    return json;
}

void open_json_add(json_t *run, const struct open_result *open)
{
    (void)json_object_set_new(
        run, "closed_loop",
        json_pack("{s:o, s:I, s:o}", "rate_per_s",
                  rate_json(open->capacity.per_s), "failed",
                  (json_int_t)open->capacity.failed, "service",
                  histogram_json(&open->capacity.service)));
    (void)json_object_set_new(run, "trials", trials_json(&open->search));
    (void)json_object_set_new(run, "predicted", predicted_json(open));
    if (open->kind == OPEN_SEARCH)
        (void)json_object_set_new(run, "goals", brackets_json(&open->search));
    if (open->kind == OPEN_STORM)
        (void)json_object_set_new(run, "storm", outcome_json(&open->storm));
}
