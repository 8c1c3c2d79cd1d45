/* SPDX-License-Identifier: ISC */
#include "runner/json/result_json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/json.h"
#include "load/exchange/replay_result.h"
#include "runner/json/describe.h"
#include "runner/json/json_open_loop.h"
#include "runner/json/json_phase.h"

/* A replay */

static void write_replay(struct json *out, const struct load_config *load,
                         const struct replay_result *replay)
{
    const struct trace *const trace = load->replay.trace;

    json_begin(out, "replay", '{');
    json_positive(out, "speed", replay->speed);
    json_count(out, "leases", trace->leases);
    json_count(out, "changes", trace->count);
    json_count(out, "seconds", trace->seconds);
    json_histogram(out, "lateness", &replay->late);
    json_series(out, &replay->series);
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
    if (allocator_free_list(load->pool.allocator) != FREE_LIST_NONE)
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
    return load->pool.allocator != ALLOCATOR_NONE &&
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
        json_phase(out, &run->phases[i], run->phases[0].begun_ns,
                   takes_from_pool(&config->load, run, i));
    json_end(out, ']');
    json_count(out, "operations", run_operations(run));
    json_count(out, "elapsed_ns", load_result_elapsed_ns(run));
    json_positive(out, "rate_per_s", run_rate_per_s(config, run, run_operations(run)));
    if (config->workload->exchanges && run->open == NULL) {
        const uint64_t asked = run_store_operations(run);

        json_count(out, "store_operations", asked);
        json_positive(out, "store_rate_per_s", run_rate_per_s(config, run, asked));
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
        json_open_loop(out, config, run);
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

static void write_baselines(struct json *out, const struct baselines *baselines)
{
    json_begin(out, "baselines", '{');
    json_positive(out, "clock_ns", baselines->clock_ns);
    json_positive(out, "fdatasync_ns", baselines->fdatasync_ns);
    json_positive(out, "fdatasync_min_ns", baselines->fdatasync_min_ns);
    json_positive(out, "round_trip_ns", baselines->round_trip_ns);
    json_positive(out, "harness_ns", baselines->harness_ns);
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

static void write_line(struct json *out, const void *subject)
{
    const struct result *const result = subject;
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
    write_baselines(out, &result->baselines);
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
