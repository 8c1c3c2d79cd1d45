/* SPDX-License-Identifier: ISC */
/* -w storm: all clients of a site ask at once, and retransmit. */
#include <stdio.h>

#include "core/units.h"
#include "load/exchange/plan.h"
#include "load/openloop/open_load.h"
#include "load/workloads.h"

/* Runs a storm, simulated or with the store. */
static enum load_end make_trial(struct open_run *run, struct trial *trial)
{
    const struct open_config *const config = &run->config.open;
    struct open_result *const open = run->open;
    enum load_end end = LOAD_FAILED;
    struct storm storm;

    trial->duration_ns = STORM_LONGEST_NS + config->spread_ns;
    trial->deadline_ns = config->deadline_ns;
    trial->drain_ns = config->deadline_ns;
    if (storm_init(&storm, config->clients, config->spread_ns, run->config.seed, run->err) == 0) {
        trial->source = &storm.source;
        end = open_load_try(run, trial, config->clients * (STORM_RETRANSMISSIONS + 1),
                            open->storm_predicted.sent);
        storm_judge(&storm);
        *(trial == &open->predicted ? &open->storm_predicted : &open->storm) = storm.outcome;
    }
    storm_release(&storm);
    return end;
}

static enum load_end measure_storm(struct open_run *run)
{
    run->open->is_storm = true;
    return open_load_once(run, make_trial);
}

static enum load_end run_storm(const struct load_config *config, const struct load_context *context,
                               struct load_result *result, struct err *err)
{
    return open_load(config, context, measure_storm, result, err);
}

static void describe_storm(const struct load_config *config, const char *name, char *text,
                           size_t size)
{
    (void)snprintf(text, size, "exchanges (%s) of %s clients with", name,
                   units_count(UNITS_TEXT, config->open.clients));
}

const struct workload workload_storm = {
    .name = "storm",
    .help = "all clients of a site ask at once, and retransmit",
    /* The exchange of a client that comes back after a power cut. */
    .mix = "dora-known",
    .mix_v6 = "renew",
    .options = (const char *const[]){ OPTIONS_OF_THREADS, OPTIONS_OF_CLIENTS, OPTIONS_OF_OPEN,
                                      "clients", "spread", "deadline", "reconnect", NULL },
    .length = "clients",
    .exchanges = true,
    .reads = true,
    .changes = true,
    .warm_up = &workload_exchanges,
    .resolve = exchange_plan_resolve,
    .describe = describe_storm,
    .open = run_storm,
};
