/* SPDX-License-Identifier: ISC */
/* --find-rate: the highest rate of exchanges that the store sustains. */
#include <math.h>
#include <stdio.h>

#include "load/exchange/plan.h"
#include "load/openloop/open_load.h"
#include "load/workloads.h"

/* Starts at the estimated capacity: that of the store, or of the hook if it is lower. */
static enum load_end measure_highest(struct open_run *run)
{
    struct open_result *const open = run->open;
    const double able_per_s = phase_rate_per_s(&open->closed);
    const double blocked_per_s =
        (double)open->servers * (double)NS_PER_S / (double)open->service_ns;

    open->is_search = true;
    open->search = (struct rate_search){
        .start_per_s =
            run->config.open.hook_delay_ns > 0 ? fmin(blocked_per_s, able_per_s) : able_per_s,
        .trial_ns = run->config.open.duration_ns,
        .seed = run->config.seed,
        .make = open_load_try_rate,
        .context = run,
    };
    return rate_search_run(&open->search, run->err);
}

static enum load_end run_find_rate(const struct load_config *config,
                                   const struct load_context *context, struct load_result *result,
                                   struct err *err)
{
    return open_load(config, context, measure_highest, result, err);
}

static bool is_search_asked(const struct load_config *config)
{
    return config->open.find_rate;
}

static int resolve_find_rate(struct load_config *config, const char *workload, struct err *err)
{
    if (open_load_refuse_dedup(config, err) != 0)
        return -1;
    if (config->open.duration_ns > 3600 * NS_PER_S)
        return err_usage(err, "--duration: a trial of --find-rate can last at most 1h");
    return exchange_plan_resolve(config, workload, err);
}

const struct workload workload_find_rate = {
    .option = "find-rate",
    .is_asked = is_search_asked,
    .options = (const char *const[]){ OPTIONS_OF_THREADS, OPTIONS_OF_CLIENTS, OPTIONS_OF_OPEN,
                                      "find-rate", "duration", "arrivals", NULL },
    .length = "duration",
    .exchanges = true,
    .reads = true,
    .changes = true,
    .warm_up = &workload_exchanges,
    .resolve = resolve_find_rate,
    .describe = open_load_describe,
    .open = run_find_rate,
};
