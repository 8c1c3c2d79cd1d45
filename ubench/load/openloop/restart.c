/* SPDX-License-Identifier: ISC */
#include "load/openloop/restart.h"

#include "load/exchange/closed_loop.h"
#include "load/exchange/plan.h"
#include "load/openloop/open_load.h"

static void make_trials(struct open_run *run, struct err *err)
{
    const struct open_config *const config = &run->config.open;
    const uint64_t seed = run->config.seed;
    struct open_result *const open = run->open;
    struct server_pool_config pool = open_load_pool(
        run, 0, STORM_LONGEST_NS + config->spread_ns, config->deadline_ns);
    struct storm storm = { 0 };
    struct trial *const trial = open_load_add_trial(run, err);

    if (trial == NULL)
        return;
    if (storm_predict(&pool, config->clients, config->spread_ns, seed,
                      open->servers, open->service_ns, &open->storm_predicted,
                      &open->predicted, err) != 0 ||
        storm_init(&storm, config->clients, config->spread_ns, seed, err) != 0)
        (void)open_load_note_end(run, LOAD_FAILED);
    pool.source = storm_source(&storm);
    if (atomic_load(&run->end) == LOAD_DONE)
        (void)open_load_trial(run, &pool,
                              config->clients * (STORM_RETRANSMISSIONS + 1),
                              trial, err);
    if (storm.states != NULL && storm_judge(&storm, &open->storm, err) != 0)
        (void)open_load_note_end(run, LOAD_FAILED);
    storm_release(&storm);
}

static enum load_end run_storm(const struct load_config *config,
                               const struct load_context *context,
                               struct load_result *result, struct err *err)
{
    return open_load_run(config, context, make_trials, result, err);
}

const struct workload workload_storm = {
    .name = "storm",
    .help = "all CLIENTS of a site ask at once, and ask again",
    .options = " threads warmup ipv6 subnets preload probes hosts deadline "
               "queue queue-policy clients spread hook-delay hook reconnect ",
    /* What a client does that comes back after a power cut. */
    .mix = "dora-known",
    .mix_v6 = "renew",
    .open = OPEN_STORM,
    .exchanges = true,
    .warm_up = &workload_exchanges,
    .resolve = exchange_plan_resolve,
    .run = run_storm,
};
