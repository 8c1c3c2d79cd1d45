/* SPDX-License-Identifier: ISC */
#include "load/openloop/find_rate.h"

#include <math.h>
#include <stdio.h>

#include "core/clock.h"
#include "core/random.h"
#include "load/exchange/closed_loop.h"
#include "load/exchange/plan.h"
#include "load/openloop/rate.h"

static int offer(void *context, const struct rate_offer *offer,
                 struct trial *trial, struct err *err)
{
    struct open_run *const run = context;
    struct server_pool_config pool = open_load_pool(
        run, offer->warmup_ns, offer->duration_ns, offer->drain_ns);

    pool.deadline_ns = offer->deadline_ns;
    trial->stage = offer->stage;
    (void)rate_trial(run, pool, offer->per_s,
                     random_at(run->config.seed, offer->number), trial, err);
    return atomic_load(&run->end) > LOAD_INTERRUPTED ? -1 : 0;
}

/* About what is possible: what the store can do, or the blocking call if that
   is less. */
static double start_per_s(const struct open_run *run)
{
    const struct open_result *const open = run->open;
    const double blocked_per_s =
        (double)open->servers * (double)NS_PER_S / (double)open->service_ns;

    return run->config.open.hook_delay_ns > 0
               ? fmin(blocked_per_s, open->capacity.per_s)
               : open->capacity.per_s;
}

static void make_trials(struct open_run *run, struct err *err)
{
    const struct rate_search_config config = {
        .start_per_s = start_per_s(run),
        .fine_ns = run->config.open.duration_ns,
        .offer = offer,
        .context = run,
    };

    (void)rate_search_run(&config, &run->open->search, err);
}

static void announce(const struct load_config *config, FILE *out)
{
    const double expected_ns =
        (double)rate_search_expected_ns(config->open.duration_ns);

    (void)fprintf(out,
                  "search      takes about %.0f min, and a preload before each "
                  "trial\n",
                  ceil(expected_ns / (60.0 * (double)NS_PER_S)));
}

static enum load_end run_search(const struct load_config *config,
                                const struct load_context *context,
                                struct load_result *result, struct err *err)
{
    return open_load_run(config, context, make_trials, result, err);
}

const struct workload workload_find_rate = {
    .option = "find-rate",
    .options = " threads warmup ipv6 subnets preload probes hosts find-rate "
               "duration arrivals queue queue-policy hook-delay hook ",
    .open = OPEN_SEARCH,
    .exchanges = true,
    .warm_up = &workload_exchanges,
    .resolve = exchange_plan_resolve,
    .announce = announce,
    .run = run_search,
};
