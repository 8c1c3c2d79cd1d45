/* SPDX-License-Identifier: ISC */
#include "load/exchange/exchanges.h"

#include <inttypes.h>
#include <math.h>

enum { CLIENTS = 10000 }; /* with a lease, unless the user says */

static bool goes_on(struct progress *progress)
{
    return progress == NULL || !progress_stopped(progress);
}

static bool ends_with(const struct exchange *exchange, enum step_action action)
{
    const struct step *step = exchange->steps;

    while (step[1].action != STEP_END)
        step++;
    return step->action == action;
}

/* The share of the exchanges that is of kind p. */
static double share_of(const struct mix *mix, size_t p)
{
    return (double)(mix->kinds[p].below -
                    (p > 0 ? mix->kinds[p - 1].below : 0)) /
           4294967296.0;
}

/* The most draws of a kind whose number has this mean: six standard deviations
   above it. */
static uint64_t likely_most(double mean)
{
    return (uint64_t)(mean + 6 * sqrt(mean)) + 6;
}

struct exchange_plan exchange_plan_make(const struct load_config *config,
                                        struct progress *progress)
{
    const struct mix *const mix = &config->mix;
    const uint64_t key = random_at(config->seed, EXCHANGE_SEQUENCE_MIX);
    struct exchange_plan plan = { 0 };
    uint64_t counts[MIX_MAX] = { 0 };

    if (mix->count == 1) {
        counts[0] = config->count;
    } else if (config->in_turns) {
        for (size_t p = 0; p < mix->count; p++)
            counts[p] = likely_most(share_of(mix, p) * (double)config->count);
    } else {
        for (uint64_t i = 0; i < config->count && goes_on(progress); i++)
            counts[mix_draw(mix, key, i)]++;
    }
    for (size_t p = 0; p < mix->count; p++) {
        const struct exchange *const exchange = &mix->kinds[p].exchange;

        plan.newcomers += counts[p] * ends_with(exchange, STEP_CREATE);
        plan.reclaims += counts[p] * ends_with(exchange, STEP_RECLAIM);
        plan.purges += counts[p] * ends_with(exchange, STEP_PURGE);
    }
    return plan;
}

static bool takes_client(const struct exchange *exchange)
{
    return exchange->party == PARTY_KNOWN && !ends_with(exchange, STEP_RENEW);
}

/* The most clients that the exchanges of any turn take away. */
static uint64_t most_taken(const struct load_config *config, uint64_t turns,
                           struct progress *progress)
{
    const struct mix *const mix = &config->mix;
    const uint64_t key = random_at(config->seed, EXCHANGE_SEQUENCE_MIX);
    uint64_t taken[WORKERS_MAX] = { 0 };
    uint64_t most = 0;

    for (uint64_t i = 0; i < config->count && goes_on(progress); i++) {
        uint64_t *const mine = &taken[i % turns];

        *mine += takes_client(&mix->kinds[mix_draw(mix, key, i)].exchange);
        most = *mine > most ? *mine : most;
    }
    return most;
}

uint64_t exchange_plan_preload_min(const struct load_config *config,
                                   uint64_t turns, struct progress *progress)
{
    const struct mix *const mix = &config->mix;
    const uint64_t threads = config->threads;
    size_t takers = 0;
    double share = 0;

    for (size_t p = 0; p < mix->count; p++) {
        takers += takes_client(&mix->kinds[p].exchange);
        share += takes_client(&mix->kinds[p].exchange) * share_of(mix, p);
    }
    if (takers == 0)
        return threads;
    if (takers == mix->count)
        return ((config->count + turns - 1) / turns + 1) * threads;
    if (config->in_turns)
        return (likely_most(share * (double)config->count / (double)threads) +
                1) *
               threads;
    return (most_taken(config, turns, progress) + 1) * threads;
}

uint64_t exchange_plan_leases_max(const struct load_config *config,
                                  struct progress *progress)
{
    const struct exchange_plan plan = exchange_plan_make(config, progress);
    /* Which worker meets how many newcomers is not known here. */
    const uint64_t clients =
        config->preload +
        (plan.newcomers > 0 ? config->count + config->threads : 0);

    return plan.purges * PURGE_LEASES + plan.reclaims * RECLAIM_LEASES + 1 +
           (clients > config->reservations ? clients : config->reservations);
}

/* The server's own work and its counters belong to all parts together. */
static int refuse_parts(const struct load_config *config, const char *workload,
                        struct err *err)
{
    const struct mix *const mix = &config->mix;
    size_t p = 0;

    while (p < mix->count && mix->kinds[p].exchange.party != PARTY_NONE)
        p++;
    if (p < mix->count)
        return err_usage(err,
                         "--part: %s of --workload=%s is a server's own work, "
                         "which cannot be split",
                         mix->kinds[p].exchange.name, workload);
    return config->counted
               ? err_set_class(
                     err, ERR_USAGE,
                     "--part: cannot be used with --schema=kea+stats, whose "
                     "counters are those of all parts")
               : 0;
}

/* Exchanges of a turn, unless the user says: if they use up what is there,
   fewer. */
static uint64_t default_of_turns(const struct mix *mix)
{
    enum { MOST = 1000000, MOST_OF_STOCK = 100000 };
    bool takes = mix->leases > 1;

    for (size_t p = 0; p < mix->count; p++)
        takes = takes || takes_client(&mix->kinds[p].exchange);
    return takes ? (uint64_t)(MOST_OF_STOCK / mix->leases) : MOST;
}

int exchange_plan_resolve(struct load_config *config, const char *workload,
                          struct err *err)
{
    if (config->in_turns && config->count == 0)
        config->count = default_of_turns(&config->mix);
    struct load_config most = *config;

    if (config->parts > 0 && refuse_parts(config, workload, err) != 0)
        return -1;
    if (most.count < most.warmup)
        most.count = most.warmup;
    const uint64_t least =
        exchange_plan_preload_min(&most, config->threads, NULL);
    if (config->preload != 0 && config->preload < least)
        return err_usage(err,
                         "--preload: %" PRIu64 " clients are too few for "
                         "--workload=%s, which needs %" PRIu64,
                         config->preload, workload, least);
    if (config->preload == 0)
        config->preload = least > CLIENTS ? least : CLIENTS;
    most.preload = config->preload;
    if (exchange_plan_leases_max(&most, NULL) > GENERATOR_LEASES_MAX)
        return err_usage(err,
                         "--count: %" PRIu64 " exchanges of --workload=%s "
                         "need more than %" PRIu64 " leases",
                         config->count, workload,
                         (uint64_t)GENERATOR_LEASES_MAX);
    return 0;
}
