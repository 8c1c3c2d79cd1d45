/* SPDX-License-Identifier: ISC */
#include "load/load.h"

#include <math.h>
#include <stdlib.h>

#include "core/clock.h"
#include "core/random.h"
#include "load/openloop/open_load.h"
#include "measure/host/host.h"

int load_result_init(struct load_result *result, size_t phases, struct err *err)
{
    result->phases = err_calloc(phases, sizeof *result->phases, err);
    if (result->phases == NULL)
        return -1;
    result->phase_count = phases;
    for (size_t i = 0; i < phases; i++) {
        histogram_init(&result->phases[i].operations);
        histogram_init(&result->phases[i].commits);
        result->phases[i].usage.fdatasyncs = USAGE_UNKNOWN;
    }
    return 0;
}

double phase_rate_per_s(const struct phase_result *phase)
{
    const uint64_t elapsed_ns = phase_elapsed_ns(phase);

    return elapsed_ns > 0
               ? (double)phase->done * (double)NS_PER_S / (double)elapsed_ns
               : (double)NAN;
}

void load_result_release(struct load_result *result)
{
    for (size_t i = 0; i < result->phase_count; i++) {
        series_release(&result->phases[i].series);
        free(result->phases[i].steps);
    }
    free(result->phases);
    if (result->open != NULL)
        open_result_release(result->open);
    free(result->open);
    *result = (struct load_result){ 0 };
}

bool load_result_begun(const struct load_result *result)
{
    return result->phase_count > 0 && result->phases[0].begun_ns != 0;
}

uint64_t load_result_elapsed_ns(const struct load_result *result)
{
    uint64_t elapsed_ns = 0;

    for (size_t i = 0; i < result->phase_count; i++) {
        const uint64_t phase_ns = phase_elapsed_ns(&result->phases[i]);

        if (!result->together)
            elapsed_ns += phase_ns;
        else if (phase_ns > elapsed_ns)
            elapsed_ns = phase_ns;
    }
    return elapsed_ns;
}

void load_note_reconnect(const struct load_context *context,
                         struct load_result *result)
{
    result->reconnects = context->reconnect != NULL;
    if (context->reconnect != NULL)
        result->reconnect = context->reconnect->tally;
}

uint64_t load_part_share(const struct load_config *config, uint64_t count)
{
    uint64_t share = 0;

    for (uint64_t i = 0; i < load_threads(config); i++)
        share += load_share(config, load_worker(config, i), count);
    return share;
}

uint64_t load_digest_base(const struct load_config *config, uint64_t sequence)
{
    const uint64_t base = random_at(config->seed, sequence);

    if (config->part > 0)
        return 0;
    return config->subnets > 1 ? random_at(base, config->subnets) : base;
}

static uint64_t server_cpu_ns(const struct load_context *context)
{
    return context->data_path != NULL
               ? host_servers_used_ns(context->backend->server_processes,
                                      context->data_path)
               : USAGE_UNKNOWN;
}

static void ask_store(const struct load_context *context, struct usage *usage,
                      bool asks, struct properties *facts)
{
    struct store_use use = { USAGE_UNKNOWN, USAGE_UNKNOWN, USAGE_UNKNOWN,
                             USAGE_UNKNOWN, facts };

    if (asks && context->backend->used != NULL)
        context->backend->used(context->sessions, context->session_count, &use);
    usage->fdatasyncs = use.fdatasyncs;
    usage->server_syncs = use.server_syncs;
    usage->server_log_bytes = use.log_bytes;
    usage->server_scanned = use.scanned;
}

/* Nobody's processor time has the questions in it. */
struct usage load_sample(const struct load_context *context)
{
    struct usage usage;

    ask_store(context, &usage, true, NULL);
    usage.server_cpu_ns = server_cpu_ns(context);
    usage_sample(&usage);
    return usage;
}

struct usage load_used(const struct load_context *context,
                       const struct usage *since, bool asks)
{
    struct usage now = *since;

    usage_sample(&now);
    now.server_cpu_ns = server_cpu_ns(context);
    ask_store(context, &now, asks, context->facts);
    return usage_difference(since, &now);
}
