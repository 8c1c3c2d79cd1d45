/* SPDX-License-Identifier: ISC */

#include <math.h>
#include <stdio.h>

#include "core/clock.h"
#include "core/random.h"
#include "load/exchange/exchanges.h"
#include "load/exchange/plan.h"
#include "load/openloop/open_load.h"
#include "load/queueing/simulation.h"

/* How many requests there can be, at most, but for one in a thousand million
   cases: for the memory that is taken before. */
static uint64_t requests_max(double per_s, uint64_t duration_ns)
{
    const double mean = per_s * (double)duration_ns / (double)NS_PER_S;

    return (uint64_t)(mean + 6 * sqrt(mean)) + 20;
}

/* Makes a trial at a rate, by the draws of seed; pool has its times. */
static void make_trial(struct open_run *run, struct server_pool_config pool,
                       double per_s, uint64_t seed, struct trial *trial)
{
    const uint64_t offered_ns = pool.warmup_ns + pool.duration_ns;
    struct arrivals arrivals;

    arrivals_init(&arrivals, run->config.open.arrivals, per_s, offered_ns,
                  seed);
    pool.source = arrivals_source(&arrivals);
    open_load_trial(run, &pool, requests_max(per_s, offered_ns), trial);
    trial->per_s = per_s;
}

static bool predict(struct open_run *run, struct server_pool_config pool,
                    double per_s, uint64_t seed)
{
    const struct open_config *const config = &run->config.open;
    struct open_result *const open = run->open;
    struct arrivals arrivals;

    arrivals_init(&arrivals, config->arrivals, per_s, config->duration_ns,
                  seed);
    pool.source = arrivals_source(&arrivals);
    open->predicted.per_s = per_s;
    return simulation_run_fixed(&pool, open->servers, open->service_ns,
                                &open->predicted, run->err) == 0 ||
           open_load_note_end(run, LOAD_FAILED);
}

/* The parts of a run share its rate, and each has draws of its own: together
   they are one Poisson process again. */
static void run_at_rate(struct open_run *run)
{
    const struct load_config *const load = &run->config;
    const struct open_config *const config = &load->open;
    const double per_s = config->per_s / (double)load_parts(load);
    const uint64_t seed =
        load->part > 0 ? random_at(load->seed, load->part) : load->seed;
    const struct server_pool_config pool =
        open_load_pool(run, 0, config->duration_ns, config->deadline_ns);
    struct trial *const trial =
        predict(run, pool, per_s, seed) ? open_load_add_trial(run) : NULL;

    if (trial != NULL)
        make_trial(run, pool, per_s, seed, trial);
}

static enum load_end rate_run(const struct load_config *config,
                              const struct load_context *context,
                              struct load_result *result, struct err *err)
{
    return open_load_run(config, context, run_at_rate, result, err);
}

const struct workload workload_rate = {
    .option = "rate",
    .options = " threads part warmup ipv6 subnets preload probes hosts "
               "server-time rate duration deadline arrivals queue queue-policy "
               "hook-delay hook "
               "reconnect ",
    .open = OPEN_RATE,
    .exchanges = true,
    .warm_up = &workload_exchanges,
    .resolve = exchange_plan_resolve,
    .run = rate_run,
};

/* The search for the highest rate */

static bool offer(void *context, const struct rate_offer *offer,
                  struct trial *trial)
{
    struct open_run *const run = context;
    struct server_pool_config pool = open_load_pool(
        run, offer->warmup_ns, offer->duration_ns, offer->drain_ns);

    pool.deadline_ns = offer->deadline_ns;
    trial->stage = offer->stage;
    make_trial(run, pool, offer->per_s,
               random_at(run->config.seed, offer->number), trial);
    return atomic_load(&run->end) <= LOAD_INTERRUPTED;
}

/* Begins with about what is possible: what the store can do, or the blocking
   call if that is less. */
static void search(struct open_run *run)
{
    const struct open_result *const open = run->open;
    const double blocked_per_s =
        (double)open->servers * (double)NS_PER_S / (double)open->service_ns;
    const struct rate_search_config config = {
        .start_per_s = run->config.open.hook_delay_ns > 0
                           ? fmin(blocked_per_s, open->capacity.per_s)
                           : open->capacity.per_s,
        .fine_ns = run->config.open.duration_ns,
        .offer = offer,
        .context = run,
    };

    if (rate_search_run(&config, &run->open->search, run->err) != 0)
        (void)open_load_note_end(run, LOAD_FAILED);
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

static enum load_end find_rate_run(const struct load_config *config,
                                   const struct load_context *context,
                                   struct load_result *result, struct err *err)
{
    return open_load_run(config, context, search, result, err);
}

const struct workload workload_find_rate = {
    .option = "find-rate",
    .options = " threads warmup ipv6 subnets preload probes hosts "
               "server-time find-rate duration arrivals queue queue-policy "
               "hook-delay hook ",
    .open = OPEN_SEARCH,
    .exchanges = true,
    .warm_up = &workload_exchanges,
    .resolve = exchange_plan_resolve,
    .announce = announce,
    .run = find_rate_run,
};
