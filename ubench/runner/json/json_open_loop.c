/* SPDX-License-Identifier: ISC */
#include "runner/json/json_open_loop.h"

#include "load/openloop/open_result.h"
#include "runner/json/json_phase.h"

static void write_storm(struct json *out, const struct storm_outcome *storm)
{
    json_begin(out, "storm", '{');
    json_count(out, "clients", storm->clients);
    json_count(out, "served", storm->served);
    json_count(out, "sent", storm->sent);
    json_count(out, "retransmitted", storm->retransmitted);
    json_count(out, "useless", storm->useless);
    json_count(out, "served_50_ns", storm->served_50_ns);
    json_count(out, "served_99_ns", storm->served_99_ns);
    json_count(out, "served_100_ns", storm->served_100_ns);
    json_end(out, '}');
}

static void write_seconds(struct json *out, const struct trial *trial)
{
    json_begin(out, "seconds", '[');
    for (size_t i = 0; i < trial->second_count; i++) {
        json_begin(out, NULL, '[');
        json_count(out, NULL, trial->seconds[i].answered);
        json_count(out, NULL, trial->seconds[i].late);
        json_count(out, NULL, trial->seconds[i].longest_ns);
        json_end(out, ']');
    }
    json_end(out, ']');
}

/* Writes how the requests of a trial ended. */
static void write_ends(struct json *out, const struct trial *trial)
{
    json_count(out, "offered", trial->offered);
    json_count(out, "answered", trial_answered(trial));
    json_count(out, "late", trial->tally.late);
    json_count(out, "dropped", trial->dropped);
    json_count(out, "merged", trial->merged);
    json_count(out, "failed", trial->tally.failed);
    json_count(out, "unanswered", trial->unanswered);
    json_real(out, "bad_share", trial_bad_share(trial, trial->deadline_ns));
}

static void write_judged(struct json *out, const struct trial *trial)
{
    json_begin(out, "judged", '[');
    for (size_t i = 0; i < RATE_GOALS; i++) {
        const struct rate_goal *const goal = &rate_goals[i];

        json_begin(out, NULL, '{');
        json_text(out, "goal", goal->name);
        json_count(out, "late", trial_late(trial, goal->deadline_ns));
        json_real(out, "bad_share", trial_bad_share(trial, goal->deadline_ns));
        json_flag(out, "grew", trial_queue_growing(trial, goal->deadline_ns));
        json_flag(out, "met", trial_meets(trial, goal));
        json_end(out, '}');
    }
    json_end(out, ']');
}

static void write_trial(struct json *out, const struct trial *trial, bool search)
{
    const uint64_t in_time = trial_answered(trial) - trial->tally.late;

    json_begin(out, NULL, '{');
    json_text(out, "stage", trial_stage_names[trial->stage]);
    json_positive(out, "rate_per_s", trial->per_s);
    json_count(out, "warmup_ns", trial->warmup_ns);
    json_count(out, "duration_ns", trial->duration_ns);
    json_count(out, "deadline_ns", trial->deadline_ns);
    json_count(out, "queue", trial->queue_size);
    json_flag(out, "incomplete", !trial->complete);
    json_count(out, "elapsed_ns", trial->elapsed_ns);
    write_ends(out, trial);
    json_real(out, "in_time_per_s", trial_good_per_s(trial, trial->deadline_ns));
    json_real(out, "in_time_share", (double)in_time / (double)trial->offered);
    json_flag(out, "grew", trial_queue_growing(trial, trial->deadline_ns));
    json_text(out, "invalid", trial_invalid(trial));
    json_text(out, "verdict", trial_verdict(trial).name);
    if (search)
        write_judged(out, trial);
    json_begin(out, "wait_ns", '[');
    for (int third = 0; third < SERVER_THIRDS; third++)
        json_real(out, NULL, trial_wait_ns(trial, third));
    json_end(out, ']');
    json_count(out, "overhead_ns", trial->tally.overhead_ns);
    json_histogram(out, "response", &trial->tally.response);
    json_histogram(out, "service", &trial->tally.service);
    json_histogram(out, "lag", &trial->tally.lag);
    write_seconds(out, trial);
    json_end(out, '}');
}

static void write_predicted(struct json *out, const struct open_result *open)
{
    json_begin(out, "predicted", '{');
    json_count(out, "servers", open->servers);
    json_count(out, "service_ns", open->service_ns);
    write_ends(out, &open->predicted);
    json_histogram(out, "response", &open->predicted.tally.response);
    if (open->is_storm) {
        write_storm(out, &open->storm_predicted);
        write_seconds(out, &open->predicted);
    }
    json_end(out, '}');
}

static void write_goal(struct json *out, const struct rate_goal *goal,
                       const struct rate_bracket *found)
{
    json_begin(out, NULL, '{');
    json_text(out, "goal", goal->name);
    json_text(out, "source", goal->source);
    json_real(out, "bad_share", goal->bad_share);
    json_real(out, "width", rate_width);
    json_count(out, "deadline_ns", goal->deadline_ns);
    json_positive(out, "low_per_s", found->low_per_s);
    json_positive(out, "high_per_s", found->high_per_s);
    json_positive(out, "in_time_per_s", found->good_per_s);
    json_flag(out, "verified", found->verified);
    json_flag(out, "invalid", found->invalid);
    json_end(out, '}');
}

void json_open_loop(struct json *out, const struct runner_config *config,
                    const struct load_result *run)
{
    const struct open_result *const open = run->open;
    const bool search = open->is_search;

    json_begin(out, "closed_loop", '{');
    json_positive(out, "rate_per_s", phase_rate_per_s(&open->closed));
    json_count(out, "failed", open->closed.deadlocks + open->closed.conflicts);
    json_histogram(out, "service", &open->closed.operations);
    if (config->load.open.hook_delay_ns > 0)
        json_real(out, "hook_limit_per_s", hook_limit_per_s(config, open));
    json_end(out, '}');
    json_begin(out, "trials", '[');
    for (size_t i = 0; i < open->search.count; i++) {
        /* Omits a trial that did not reach its first request. */
        if (open->search.trials[i].offered > 0)
            write_trial(out, &open->search.trials[i], search);
    }
    json_end(out, ']');
    if (open->predicted.offered > 0)
        write_predicted(out, open);
    else
        json_null(out, "predicted");
    if (open->is_storm)
        write_storm(out, &open->storm);
    if (!search)
        return;
    json_begin(out, "goals", '[');
    for (size_t i = 0; i < RATE_GOALS; i++)
        write_goal(out, &rate_goals[i], &open->search.brackets[i]);
    json_end(out, ']');
    json_real(out, "sustained_per_s", run_sustained_per_s(run));
}
