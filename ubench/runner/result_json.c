/* SPDX-License-Identifier: ISC */
/* Writes a result as a line of JSON, member by member as in
   results/schema.json. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/json.h"
#include "load/exchange/replay_result.h"
#include "runner/describe.h"
#include "runner/result.h"

_Static_assert(JSON_UNKNOWN == USAGE_UNKNOWN, "both are null");

/* Returns a rate or a time, or NAN for 0, which means none. */
static double above_0(double value)
{
    return value > 0 ? value : (double)NAN;
}

static void write_histogram(struct json *out, const char *name, const struct histogram *histogram)
{
    if (histogram->count == 0) {
        json_null(out, name);
        return;
    }
    json_begin(out, name, '{');
    json_count(out, "count", histogram->count);
    json_count(out, "sum_ns", histogram->sum_ns);
    json_count(out, "min_ns", histogram->min_ns);
    json_count(out, "max_ns", histogram->max_ns);
    json_real(out, "mean_ns", histogram_mean(histogram));
    json_real(out, "sd_ns", histogram_sd(histogram));
    json_begin(out, "buckets", '[');
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        if (histogram->counts[i] == 0)
            continue;
        json_begin(out, NULL, '[');
        json_count(out, NULL, histogram_bucket_low_ns(i));
        json_count(out, NULL, histogram->counts[i]);
        json_end(out, ']');
    }
    json_end(out, ']');
    for (size_t i = 0; i < QUANTILES; i++)
        json_real(out, quantiles[i].member, quantile_ns(histogram, &quantiles[i]));
    json_end(out, '}');
}

/* Phases */

static void write_steps(struct json *out, const struct phase_result *phase)
{
    json_begin(out, "steps", '[');
    for (size_t i = 0; i < phase->step_count; i++) {
        const struct step_result *const step = &phase->steps[i];

        json_begin(out, NULL, '{');
        json_text(out, "name", step->name);
        json_text(out, "operation", step->operation);
        json_count(out, "count", step->hits + step->misses);
        json_count(out, "hits", step->hits);
        json_count(out, "misses", step->misses);
        write_histogram(out, "latency", &step->latency);
        if (step->predicted > 0)
            json_real(out, "predicted", step->predicted);
        json_end(out, '}');
    }
    json_end(out, ']');
}

static void write_series(struct json *out, const struct series *series)
{
    json_begin(out, "series", '[');
    for (size_t i = 0; i < series->count; i++) {
        json_begin(out, NULL, '[');
        json_count(out, NULL, series_operations(series, i));
        json_real(out, NULL, series_quantile(series, i, 0.99));
        json_end(out, ']');
    }
    json_end(out, ']');
}

static void write_usage(struct json *out, const struct usage *usage)
{
    json_begin(out, "usage", '{');
    json_count(out, "user_ns", usage->user_ns);
    json_count(out, "system_ns", usage->system_ns);
    json_count(out, "voluntary_switches", usage->voluntary_switches);
    json_count(out, "involuntary_switches", usage->involuntary_switches);
    json_count(out, "written_bytes", usage->written_bytes);
    json_count(out, "disk_bytes", usage->disk_bytes);
    json_count(out, "fdatasyncs", usage->fdatasyncs);
    json_count(out, "max_rss_bytes", usage->max_rss_bytes);
    json_count(out, "instructions", usage->instructions);
    json_count(out, "cycles", usage->cycles);
    json_count(out, "server_cpu_ns", usage->server_cpu_ns);
    json_count(out, "server_syncs", usage->server_syncs);
    json_count(out, "server_log_bytes", usage->server_log_bytes);
    json_count(out, "server_scanned_rows", usage->server_scanned);
    json_count(out, "server_instructions", usage->server_instructions);
    json_count(out, "server_cycles", usage->server_cycles);
    json_end(out, '}');
}

static void write_allocation(struct json *out, const struct allocation_counts *counts)
{
    json_begin(out, "allocation", '{');
    json_count(out, "offered", counts->offered);
    json_count(out, "offered_twice", counts->offered_twice);
    json_count(out, "lost", counts->lost);
    json_count(out, "lost_on_insert", counts->lost_on_insert);
    json_end(out, '}');
}

static void write_phase(struct json *out, const struct phase_result *phase, uint64_t zero_ns,
                        bool shares_pool)
{
    const bool reached = phase->begun_ns != 0;

    json_begin(out, NULL, '{');
    json_text(out, "name", phase->name);
    json_flag(out, "incomplete", !phase->complete);
    json_count(out, "operations", phase->done);
    json_count(out, "hits", phase->hits);
    json_count(out, "misses", phase->misses);
    json_count(out, "begun_ns", reached ? phase->begun_ns - zero_ns : JSON_UNKNOWN);
    json_count(out, "elapsed_ns", phase_elapsed_ns(phase));
    json_real(out, "rate_per_s", phase_rate_per_s(phase));
    write_histogram(out, "latency", &phase->operations);
    write_histogram(out, "commit", &phase->commits);
    write_series(out, &phase->series);
    if (reached)
        write_usage(out, &phase->usage);
    else
        json_null(out, "usage");
    if (phase->steps != NULL)
        json_count(out, "deadlocks", phase->deadlocks);
    if (phase->conflicts > 0)
        json_count(out, "conflicts", phase->conflicts);
    if (phase->stale > 0)
        json_count(out, "stale", phase->stale);
    if (shares_pool)
        write_allocation(out, &phase->allocation);
    if (phase->round_trips > 0)
        json_count(out, "round_trips", phase->round_trips);
    if (phase->steps != NULL)
        write_steps(out, phase);
    json_end(out, '}');
}

/* An open loop */

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
    json_real(out, "rate_per_s", above_0(trial->per_s));
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
    write_histogram(out, "response", &trial->tally.response);
    write_histogram(out, "service", &trial->tally.service);
    write_histogram(out, "lag", &trial->tally.lag);
    write_seconds(out, trial);
    json_end(out, '}');
}

static void write_predicted(struct json *out, const struct open_result *open)
{
    json_begin(out, "predicted", '{');
    json_count(out, "servers", open->servers);
    json_count(out, "service_ns", open->service_ns);
    write_ends(out, &open->predicted);
    write_histogram(out, "response", &open->predicted.tally.response);
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
    json_real(out, "low_per_s", above_0(found->low_per_s));
    json_real(out, "high_per_s", above_0(found->high_per_s));
    json_real(out, "in_time_per_s", above_0(found->good_per_s));
    json_flag(out, "verified", found->verified);
    json_flag(out, "invalid", found->invalid);
    json_end(out, '}');
}

static void write_open(struct json *out, const struct runner_config *config,
                       const struct load_result *run)
{
    const struct open_result *const open = run->open;
    const bool search = open->is_search;

    json_begin(out, "closed_loop", '{');
    json_real(out, "rate_per_s", above_0(phase_rate_per_s(&open->closed)));
    json_count(out, "failed", open->closed.deadlocks + open->closed.conflicts);
    write_histogram(out, "service", &open->closed.operations);
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

/* A replay */

static void write_replay(struct json *out, const struct load_config *load,
                         const struct replay_result *replay)
{
    const struct trace *const trace = load->replay.trace;

    json_begin(out, "replay", '{');
    json_real(out, "speed", above_0(replay->speed));
    json_count(out, "leases", trace->leases);
    json_count(out, "changes", trace->count);
    json_count(out, "seconds", trace->seconds);
    write_histogram(out, "lateness", &replay->late);
    write_series(out, &replay->series);
    json_end(out, '}');
}

/* Activity */

/* Writes a figure of all samples: a counter since the first one. */
static void write_figure(struct json *out, const struct activity_sample *samples, size_t count,
                         enum activity_figure figure)
{
    const bool counts = figure < ACTIVITY_COUNTERS;
    uint64_t before = counts ? ACTIVITY_UNKNOWN : 0;
    size_t known = 0;

    for (; known < count && samples[known].figures[figure] == ACTIVITY_UNKNOWN; known++)
        ;
    if (known == count)
        return;
    json_begin(out, activity_names[figure], '[');
    for (size_t i = 0; i < count; i++) {
        const uint64_t value = samples[i].figures[figure];

        if (counts && before == ACTIVITY_UNKNOWN)
            before = value;
        json_count(out, NULL,
                   value == ACTIVITY_UNKNOWN || value < before ? JSON_UNKNOWN : value - before);
    }
    json_end(out, ']');
}

/* Writes the samples from just before the first phase to just after the last one. */
static void write_activity(struct json *out, const struct load_result *run)
{
    const uint64_t begun_ns = run->phases[0].begun_ns;
    uint64_t ended_ns = begun_ns;
    size_t count;

    for (size_t i = 0; i < run->phase_count; i++) {
        if (run->phases[i].ended_ns > ended_ns)
            ended_ns = run->phases[i].ended_ns;
    }
    const size_t first = activity_between(&run->activity, begun_ns, ended_ns, &count);
    const struct activity_sample *const samples = &run->activity.samples[first];
    json_begin(out, "activity", '{');
    json_begin(out, "second", '[');
    for (size_t i = 0; i < count; i++)
        json_real(out, NULL, ((double)samples[i].at_ns - (double)begun_ns) / (double)NS_PER_S);
    json_end(out, ']');
    for (size_t figure = 0; figure < ACTIVITY_FIGURES; figure++)
        write_figure(out, samples, count, (enum activity_figure)figure);
    json_end(out, '}');
}

/* A run */

static void write_reconnect(struct json *out, const struct outages *outages)
{
    json_begin(out, "reconnect", '{');
    json_count(out, "outages", outages->outages);
    json_count(out, "ended", outages->ended);
    json_count(out, "outage_ns", outages->outage_ns);
    json_count(out, "longest_ns", outages->longest_ns);
    json_count(out, "connections", outages->connections);
    json_count(out, "unknown", outages->unknown);
    json_count(out, "found_done", outages->found_done);
    json_count(out, "repeated", outages->repeated);
    json_end(out, '}');
}

/* Writes the exchanges of a run, if its operations are exchanges.  Without
   --hosts none has a step for reservations. */
static void write_exchange(struct json *out, const struct load_config *load,
                           const struct workload *workload)
{
    const struct mix *const whole = &load->mix;
    struct mix mix = *whole;

    if (load->reservations == 0)
        mix_leave_out(&mix, STEP_FIND_RESERVATION);
    if (allocator_free_list(load->allocator) != FREE_LIST_NONE)
        (void)mix_insert_picks(&mix);
    json_begin(out, "exchange", '{');
    json_flag(out, "exchanges", workload->exchanges);
    json_begin(out, "kinds", '[');
    for (size_t i = 0; i < mix.count; i++) {
        json_begin(out, NULL, '{');
        json_count(out, "weight", mix.kinds[i].weight);
        json_exchange(out, &mix.kinds[i].exchange, load->candidates);
        json_definition(out, &whole->kinds[i].exchange, whole->kinds[i].weight);
        json_end(out, '}');
    }
    json_end(out, ']');
    json_end(out, '}');
}

/* Returns true if the clients of a phase take addresses of a pool that is shared. */
static bool takes_from_pool(const struct load_config *load, const struct load_result *run, size_t i)
{
    return load->allocator != ALLOCATOR_NONE &&
           (!run->together || load->mix.kinds[i].exchange.party == PARTY_NEW);
}

static void write_run(struct json *out, const struct runner_config *config,
                      const struct load_result *run)
{
    char digest[17];

    (void)snprintf(digest, sizeof digest, "%016" PRIx64, run->digest);
    json_begin(out, NULL, '{');
    json_flag(out, "incomplete", !run->complete);
    json_flag(out, "together", run->together);
    if (run->turns > 0)
        json_count(out, "turns", run->turns);
    write_exchange(out, &config->load, config->workload);
    json_begin(out, "phases", '[');
    for (size_t i = 0; i < run->phase_count; i++)
        write_phase(out, &run->phases[i], run->phases[0].begun_ns,
                    takes_from_pool(&config->load, run, i));
    json_end(out, ']');
    json_count(out, "operations", run_operations(run));
    json_count(out, "elapsed_ns", load_result_elapsed_ns(run));
    json_real(out, "rate_per_s", above_0(run_rate_per_s(config, run, run_operations(run))));
    if (config->workload->exchanges && run->open == NULL) {
        const uint64_t asked = run_store_operations(run);

        json_count(out, "store_operations", asked);
        json_real(out, "store_rate_per_s", above_0(run_rate_per_s(config, run, asked)));
    }
    json_flag(out, "verified", run->verified);
    json_count(out, "leases_left", run->left);
    json_count(out, "read_back", run->read_back);
    json_count(out, "read_back_of", run->read_back_of);
    json_text(out, "digest", digest);
    if (run->reconnects)
        write_reconnect(out, &run->reconnect);
    if (run->replay != NULL)
        write_replay(out, &config->load, run->replay);
    if (run->activity.count > 0)
        write_activity(out, run);
    if (run->open != NULL)
        write_open(out, config, run);
    json_end(out, '}');
}

/* The line */

/* Writes the whole file of --sql, from which the run can be repeated. */
static void write_sql(struct json *out, const struct sql_file *file)
{
    char head[64];

    json_begin(out, "sql", '[');
    for (size_t i = 0; i < file->count; i++) {
        char *const text = strdup(file->sections[i].sql);
        char *rest = text;

        (void)snprintf(head, sizeof head, "%s:", file->sections[i].name);
        json_text(out, NULL, head);
        for (char *line; (line = strsep(&rest, "\n")) != NULL;)
            json_text(out, NULL, line);
        free(text);
    }
    json_end(out, ']');
}

static void write_baselines(struct json *out, const struct floors *floors)
{
    json_begin(out, "baselines", '{');
    json_real(out, "clock_ns", above_0(floors->clock_ns));
    json_real(out, "fdatasync_ns", above_0(floors->fdatasync_ns));
    json_real(out, "fdatasync_min_ns", above_0(floors->fdatasync_min_ns));
    json_real(out, "round_trip_ns", above_0(floors->round_trip_ns));
    json_real(out, "harness_ns", above_0(floors->harness_ns));
    json_end(out, '}');
}

static void write_warnings(struct json *out, const struct properties *warnings)
{
    json_begin(out, "warnings", '[');
    for (size_t i = 0; i < warnings->count; i++) {
        json_begin(out, NULL, '{');
        json_text(out, "code", warnings->items[i].key);
        json_text(out, "text", warnings->items[i].value);
        json_end(out, '}');
    }
    json_end(out, ']');
}

static void write_machines(struct json *out, const struct result *result)
{
    json_begin(out, "machines", '[');
    for (size_t i = 0; i < result->machine_count; i++) {
        json_begin(out, NULL, '{');
        json_count(out, "ranks", result->machines[i].ranks);
        json_text(out, "cpu", result->machines[i].cpu);
        json_end(out, '}');
    }
    json_end(out, ']');
}

static void write_product(struct json *out, const struct result *result)
{
    const struct product *const product = &result->product;

    json_begin(out, "product", '{');
    json_text(out, "name", product->name);
    json_text(out, "version", product->version[0] != '\0' ? product->version : NULL);
    json_text(out, "keeper", result->keeper);
    json_end(out, '}');
}

/* Writes the class and the losses, the settings and the reasons, and all of
   them as text. */
static void write_durability(struct json *out, const struct result *result)
{
    const uint64_t at_risk = result_at_risk(result);

    json_begin(out, "durability", '{');
    json_text(out, "class", durability_classes[result->durability].name);
    json_promise(out, &result->promise);
    if (result->node_loss == NODE_LOSS_NO_SERVER) {
        json_null(out, "node_loss");
    } else {
        json_begin(out, "node_loss", '{');
        json_text(out, "loss", node_losses[result->node_loss].name);
        json_end(out, '}');
    }
    json_text(out, "from", result->durability_from);
    if (at_risk > 0)
        json_count(out, "at_risk", at_risk);
    json_end(out, '}');
}

static void write_line(struct json *out, const void *of)
{
    const struct result *const result = of;
    char program[64];

    (void)snprintf(program, sizeof program, "%s_ubench", result->store);
    json_begin(out, NULL, '{');
    json_text(out, "format", "ubench-result/2");
    json_text(out, "program", program);
    json_text(out, "version", result->version);
    json_text(out, "store", result->store);
    json_text(out, "started_at", result->started_at);
    json_flag(out, "incomplete", result_complete_runs(result) < result->config->repeat);
    json_text(out, "error", result->error);
    write_warnings(out, &result->warnings);
    write_product(out, result);
    write_durability(out, result);
    json_properties(out, "parameters", &result->parameters);
    if (result->config->sql_file.count > 0)
        write_sql(out, &result->config->sql_file);
    json_properties(out, "labels", &result->config->labels);
    json_properties(out, "facts", &result->facts);
    write_baselines(out, &result->floors);
    json_properties(out, "host", &result->host);
    if (result->machine_count > 0)
        write_machines(out, result);
    json_begin(out, "runs", '[');
    for (size_t i = 0; i < result->run_count; i++)
        write_run(out, result->config, &result->runs[i]);
    json_end(out, ']');
    json_end(out, '}');
}

char *result_json(const struct result *result)
{
    return json_line(write_line, result);
}
