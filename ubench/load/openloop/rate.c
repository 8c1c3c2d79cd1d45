/* SPDX-License-Identifier: ISC */
#include "load/openloop/rate.h"

#include <math.h>

#include "core/clock.h"
#include "load/exchange/closed_loop.h"
#include "load/exchange/plan.h"
#include "load/openloop/simulation.h"

/* How many requests there can be, at most, but for one in a thousand million
   cases: for the memory that is taken before. */
static uint64_t requests_max(double per_s, uint64_t duration_ns)
{
    const double mean = per_s * (double)duration_ns / (double)NS_PER_S;

    return (uint64_t)(mean + 6 * sqrt(mean)) + 20;
}

bool rate_trial(struct open_run *run, struct server_pool_config pool,
                double per_s, uint64_t seed, struct trial *trial,
                struct err *err)
{
    const uint64_t offered_ns = pool.warmup_ns + pool.duration_ns;
    struct arrivals arrivals;

    arrivals_init(&arrivals, run->config.open.arrivals, per_s, offered_ns,
                  seed);
    pool.source = arrivals_source(&arrivals);
    const bool right = open_load_trial(
        run, &pool, requests_max(per_s, offered_ns), trial, err);
    trial->per_s = per_s;
    return right;
}

static bool predict(struct open_run *run, struct server_pool_config pool,
                    struct err *err)
{
    const struct open_config *const config = &run->config.open;
    struct open_result *const open = run->open;
    struct arrivals arrivals;

    arrivals_init(&arrivals, config->arrivals, config->per_s,
                  config->duration_ns, run->config.seed);
    pool.source = arrivals_source(&arrivals);
    open->predicted.per_s = config->per_s;
    return simulation_run_fixed(&pool, open->servers, open->service_ns,
                                &open->predicted, err) == 0 ||
           open_load_note_end(run, LOAD_FAILED);
}

static void make_trials(struct open_run *run, struct err *err)
{
    const struct open_config *const config = &run->config.open;
    const struct server_pool_config pool =
        open_load_pool(run, 0, config->duration_ns, config->deadline_ns);

    if (!predict(run, pool, err))
        return;
    struct trial *const trial = open_load_add_trial(run, err);
    if (trial != NULL)
        (void)rate_trial(run, pool, config->per_s, run->config.seed, trial,
                         err);
}

static enum load_end run_rate(const struct load_config *config,
                              const struct load_context *context,
                              struct load_result *result, struct err *err)
{
    return open_load_run(config, context, make_trials, result, err);
}

const struct workload workload_rate = {
    .option = "rate",
    .options = " threads warmup ipv6 subnets preload probes hosts rate "
               "duration deadline arrivals queue queue-policy hook-delay hook "
               "reconnect ",
    .open = OPEN_RATE,
    .exchanges = true,
    .warm_up = &workload_exchanges,
    .resolve = exchange_plan_resolve,
    .run = run_rate,
};
