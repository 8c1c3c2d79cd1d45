/* SPDX-License-Identifier: ISC */
/* --rate: exchanges at a fixed rate, which the store sustains or not. */
#include <stdio.h>

#include "core/units.h"
#include "load/exchange/plan.h"
#include "load/openloop/open_load.h"
#include "load/workloads.h"

static enum load_end make_trial(struct open_run *run, struct trial *trial)
{
    const struct open_config *const config = &run->config.open;

    trial->per_s = config->per_s;
    trial->duration_ns = config->duration_ns;
    trial->deadline_ns = config->deadline_ns;
    trial->drain_ns = config->deadline_ns;
    return open_load_try_rate(run, trial, run->config.seed);
}

static enum load_end measure_rate(struct open_run *run)
{
    return open_load_once(run, make_trial);
}

static enum load_end run_rate(const struct load_config *config, const struct load_context *context,
                              struct load_result *result, struct err *err)
{
    return open_load(config, context, measure_rate, result, err);
}

static bool is_rate_asked(const struct load_config *config)
{
    return config->open.per_s > 0;
}

/* Refuses before the run what the options show to be impossible. */
static int resolve_rate(struct load_config *config, const char *workload, struct err *err)
{
    const double per_s = config->open.per_s;
    const uint64_t duration_ns = config->open.duration_ns;
    struct load_config trial;
    struct arrivals arrivals;

    if (open_load_refuse_dedup(config, err) != 0 ||
        exchange_plan_resolve(config, workload, err) != 0)
        return -1;
    arrivals_init(&arrivals, config->open.arrivals, per_s, duration_ns, config->seed);
    if (arrivals.source.due_ns(&arrivals.source) == ARRIVALS_NEVER)
        return err_usage(
            err, "--duration: no request arrives within %s at --rate=%g; use a longer duration",
            units_duration(UNITS_TEXT, duration_ns), config->open.per_s);
    trial = *config;
    if (open_load_plan(&trial,
                       open_load_requests_max(per_s * (double)duration_ns / (double)NS_PER_S), NULL,
                       err) == 0)
        return 0;
    err->kind = ERR_USAGE;
    return -1;
}

const struct workload workload_rate = {
    .option = "rate",
    .is_asked = is_rate_asked,
    .options =
        (const char *const[]){ OPTIONS_OF_THREADS, OPTIONS_OF_CLIENTS, OPTIONS_OF_OPEN, "rate",
                               "duration", "deadline", "arrivals", "reconnect", NULL },
    .length = "duration",
    .exchanges = true,
    .reads = true,
    .changes = true,
    .warm_up = &workload_exchanges,
    .resolve = resolve_rate,
    .describe = open_load_describe,
    .open = run_rate,
};
