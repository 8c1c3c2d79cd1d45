/* SPDX-License-Identifier: ISC */
#include "load/exchange/plan.h"

#include <inttypes.h>
#include <math.h>

#include "core/random.h"
#include "load/exchange/table.h"

enum { CLIENTS = 10000 }; /* with a lease, unless the user gives --preload */

/* Returns the share of the exchanges that is of kind p. */
static double share_of(const struct mix *mix, size_t p)
{
    return (double)(mix->kinds[p].below - (p > 0 ? mix->kinds[p - 1].below : 0)) / 4294967296.0;
}

/* Returns an upper limit of a number of draws with this mean: six standard deviations more. */
static uint64_t likely_most(double mean)
{
    return mean > 0 ? (uint64_t)(mean + 6 * sqrt(mean)) + 6 : 0;
}

static bool takes_client(const struct exchange *exchange)
{
    return exchange->party == PARTY_KNOWN &&
           exchange_steps(exchange, STEP_RELEASE) + exchange_steps(exchange, STEP_DECLINE) +
                   exchange_steps(exchange, STEP_EXPIRE) + exchange_steps(exchange, STEP_REMOVE) >
               0;
}

/* Returns the largest number of clients whose leases the exchanges of one turn end. share is
   that of their kinds; taken has the numbers if all exchanges were drawn. */
static uint64_t most_taken(const struct load_config *config, uint64_t turns, double share,
                           const uint64_t taken[WORKERS_MAX])
{
    uint64_t most = 0;

    if (share >= 1)
        return (config->count + turns - 1) / turns;
    if (config->in_turns)
        return likely_most(share * (double)config->count / (double)config->threads);
    for (uint64_t i = 0; i < turns; i++)
        most = taken[i] > most ? taken[i] : most;
    return most;
}

struct exchange_plan exchange_plan_make(const struct load_config *config, uint64_t turns,
                                        struct progress *progress)
{
    const struct mix *const mix = &config->mix;
    const bool drawn = mix->count > 1 && !config->in_turns;
    const uint64_t key = random_at(config->seed, EXCHANGE_SEQUENCE_MIX);
    struct exchange_plan plan = { 0 };
    uint64_t counts[MIX_MAX] = { 0 };
    uint64_t taken[WORKERS_MAX] = { 0 };
    double share = 0; /* of kinds that end a client's lease */

    for (uint64_t i = 0;
         drawn && i < config->count && (progress == NULL || !progress_stopped(progress)); i++) {
        const size_t p = mix_draw(mix, key, i);

        counts[p]++;
        taken[i % turns] += takes_client(&mix->kinds[p].exchange);
    }
    for (size_t p = 0; p < mix->count; p++) {
        const struct exchange *const exchange = &mix->kinds[p].exchange;

        if (!drawn)
            counts[p] = mix->count == 1 ? config->count
                                        : likely_most(share_of(mix, p) * (double)config->count);
        share += takes_client(exchange) * share_of(mix, p);
        plan.newcomers += counts[p] * (exchange->party == PARTY_NEW);
        plan.reclaims += counts[p] * exchange_steps(exchange, STEP_RECLAIM);
        plan.purges += counts[p] * exchange_steps(exchange, STEP_PURGE);
    }
    plan.preload_min = (most_taken(config, turns, share, taken) + 1) * config->threads;
    return plan;
}

uint64_t exchange_plan_leases_max(const struct load_config *config,
                                  const struct exchange_plan *plan)
{
    /* The number of newcomers of each worker is not known here. */
    const uint64_t clients =
        config->preload + (plan->newcomers > 0 ? config->count + config->threads : 0);

    return plan->purges * PURGE_LEASES + plan->reclaims * RECLAIM_LEASES + 1 +
           (clients > config->reservations ? clients : config->reservations);
}

/* Refuses the server's own work in several ranks, because it belongs to all of them
   together. */
static int refuse_ranks(const struct load_config *config, const char *workload, struct err *err)
{
    const struct mix *const mix = &config->mix;
    size_t p = 0;

    while (p < mix->count && mix->kinds[p].exchange.party != PARTY_NONE)
        p++;
    if (p < mix->count)
        return err_usage(err,
                         "--workload: %s of %s is a server's own work, which several ranks "
                         "cannot share; start one process",
                         mix->kinds[p].exchange.name, workload);
    return 0;
}

/* Refuses an exchange that only looks up reservations if none exist: it would ask nothing. */
static int refuse_idle(const struct load_config *config, struct err *err)
{
    for (size_t p = 0; config->reservations == 0 && p < config->mix.count; p++) {
        const struct exchange *const exchange = &config->mix.kinds[p].exchange;
        const struct step *step = exchange->steps;

        while (step->action == STEP_FIND_RESERVATION)
            step++;
        if (step->action == STEP_END)
            return err_usage(err,
                             "--workload: '%s' only looks up reservations; add --hosts N to "
                             "create some",
                             exchange->name);
    }
    return 0;
}

/* Returns the default number of exchanges of a turn: fewer if they use up leases or clients. */
static uint64_t default_of_turns(const struct mix *mix)
{
    enum { MOST = 1000000 };
    static const double most_of_stock = 100000;
    bool takes = mix->leases > 1;

    for (size_t p = 0; p < mix->count; p++)
        takes = takes || takes_client(&mix->kinds[p].exchange);
    return takes ? (uint64_t)(most_of_stock / mix->leases) : MOST;
}

int exchange_plan_resolve(struct load_config *config, const char *workload, struct err *err)
{
    if (config->in_turns && config->count == 0)
        config->count = default_of_turns(&config->mix);
    struct load_config most = *config;

    if (refuse_idle(config, err) != 0 ||
        (config->ranks > 1 && refuse_ranks(config, workload, err) != 0))
        return -1;
    if (most.count < most.warmup)
        most.count = most.warmup;
    const struct exchange_plan plan = exchange_plan_make(&most, config->threads, NULL);
    const uint64_t least = plan.preload_min;
    if (config->preload != 0 && config->preload < least)
        return err_usage(err,
                         "--preload: %" PRIu64 " clients are too few for "
                         "--workload=%s, which needs %" PRIu64,
                         config->preload, workload, least);
    if (config->preload == 0)
        config->preload = least > CLIENTS ? least : CLIENTS;
    most.preload = config->preload;
    if (exchange_plan_leases_max(&most, &plan) > GENERATOR_LEASES_MAX)
        return err_usage(err,
                         "--count: %" PRIu64 " exchanges of --workload=%s "
                         "need more than %" PRIu64 " leases",
                         config->count, workload, (uint64_t)GENERATOR_LEASES_MAX);
    return 0;
}
