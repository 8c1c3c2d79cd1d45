/* SPDX-License-Identifier: ISC */
#include "load/load.h"

#include <math.h>
#include <stdlib.h>

#include "core/clock.h"
#include "load/exchange/replay_result.h"
#include "load/openloop/open_result.h"
#include "measure/counters.h"
#include "measure/host/host.h"

double phase_rate_per_s(const struct phase_result *phase)
{
    const uint64_t elapsed_ns = phase_elapsed_ns(phase);

    return elapsed_ns > 0 ? (double)phase->done * (double)NS_PER_S / (double)elapsed_ns
                          : (double)NAN;
}

void load_result_release(struct load_result *result)
{
    for (size_t i = 0; i < result->phase_count; i++) {
        series_release(&result->phases[i].series);
        free(result->phases[i].steps);
    }
    free(result->phases);
    if (result->replay != NULL)
        series_release(&result->replay->series);
    free(result->replay);
    open_result_free(result->open);
    activity_release(&result->activity);
    *result = (struct load_result){ 0 };
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

/* Returns the names of the server's processes; NULL: there are none on this machine. */
static const char *servers_of(const struct load_context *context)
{
    return context->data_path != NULL ? context->backend->server_processes : NULL;
}

static uint64_t server_cpu_ns(const struct load_context *context)
{
    const char *const servers = servers_of(context);

    return servers != NULL ? host_servers_used_ns(servers, context->data_path) : USAGE_UNKNOWN;
}

static void ask_store(const struct load_context *context, struct usage *usage, bool asks,
                      struct properties *facts)
{
    struct store_use use = { USAGE_UNKNOWN, USAGE_UNKNOWN, USAGE_UNKNOWN, USAGE_UNKNOWN, facts };

    if (asks && context->backend->used != NULL)
        context->backend->used(context->sessions, context->session_count, &use);
    usage->fdatasyncs = use.fdatasyncs;
    usage->server_syncs = use.server_syncs;
    usage->server_log_bytes = use.log_bytes;
    usage->server_scanned = use.scanned;
}

/* Asks the store before it reads processor times, so that these do not include the
   questions; and counts instructions from the end of the sample. */
struct usage load_sample(const struct load_context *context)
{
    struct usage usage = { 0 };

    ask_store(context, &usage, true, NULL);
    if (context->on_edge != NULL)
        context->on_edge(context->on_edge_context);
    usage.server_cpu_ns = server_cpu_ns(context);
    usage_sample(&usage);
    counters_begin(context->counters, servers_of(context), context->data_path);
    return usage;
}

struct usage load_used(const struct load_context *context, const struct usage *since, bool asks)
{
    struct usage now = *since;

    counters_end(context->counters, &now);
    usage_sample(&now);
    now.server_cpu_ns = server_cpu_ns(context);
    ask_store(context, &now, asks, context->facts);
    if (context->on_edge != NULL)
        context->on_edge(context->on_edge_context);
    return usage_difference(since, &now);
}
