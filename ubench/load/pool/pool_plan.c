/* SPDX-License-Identifier: ISC */
#include "load/pool/pool_plan.h"

#include <inttypes.h>
#include <math.h>

#include "load/exchange/plan.h"
#include "load/workloads.h"

enum {
    TURN_CLIENTS = 100000, /* of a turn, unless the user says */
    USUAL_POOL = 20000,
};

uint64_t pool_plan_others(const struct load_config *config)
{
    return (uint64_t)((double)config->pool.size * config->pool.full);
}

bool pool_plan_changes_leases(const struct mix *mix)
{
    size_t i = 0;

    while (i < mix->count && mix->kinds[i].exchange.party == PARTY_NEW)
        i++;
    return i < mix->count;
}

/* Returns true if an exchange is that of a new client, which looks for an address and takes
   it. */
static bool takes_address(const struct exchange *exchange)
{
    bool searched = false;
    const struct step *step = exchange->steps;

    for (; step->action != STEP_END && step->action != STEP_CREATE; step++) {
        const bool searches = step->action == STEP_CHECK_CANDIDATES;

        if (step->action == STEP_FIND_RESERVATION)
            continue; /* is left out */
        if (step->action > STEP_CHECK_CANDIDATES || step->expected != OUTCOME_MISS ||
            (searches && searched) || (step->action == STEP_FIND_ADDRESS && !searched))
            return false;
        searched = searched || searches;
    }
    return exchange->party == PARTY_NEW && searched && step->action == STEP_CREATE &&
           step[1].action == STEP_END;
}

/* Returns true if an exchange is one of a client with a lease, or reclaims expired leases. */
static bool ends_or_extends(const struct exchange *exchange)
{
    static const bool known[STEP_ACTIONS] = {
        [STEP_FIND_CLIENT_ID] = true, [STEP_FIND_HWADDR] = true,      [STEP_FIND_ADDRESS] = true,
        [STEP_RENEW] = true,          [STEP_RELEASE] = true,          [STEP_DECLINE] = true,
        [STEP_REMOVE] = true,         [STEP_LIST_EXPIRED] = true,     [STEP_RECLAIM] = true,
        [STEP_EXPIRE] = true,         [STEP_FIND_RESERVATION] = true,
    };
    const struct step *step = exchange->steps;

    while (step->action != STEP_END && known[step->action])
        step++;
    return exchange->party != PARTY_NEW && step->action == STEP_END;
}

static int check_mix(const struct load_config *config, struct err *err)
{
    const struct mix *const mix = &config->mix;
    const bool listed = allocator_free_list(config->pool.allocator) != FREE_LIST_NONE;
    size_t i = 0;

    while (i < mix->count && (takes_address(&mix->kinds[i].exchange) ||
                              (listed && ends_or_extends(&mix->kinds[i].exchange))))
        i++;
    if (i < mix->count && !listed)
        return err_usage(err,
                         "--allocator cannot be used with '%s', which is not an exchange of a new "
                         "client that searches for a free address and takes it; use --workload=%s",
                         mix->kinds[i].exchange.name,
                         config->family == LEASE_FAMILY_V6 ? "sarr"
                                                           : "dora, or --allocator=shared-flq");
    if (i < mix->count)
        return err_usage(err,
                         "--allocator cannot be used with '%s', which is not an exchange that "
                         "takes, extends or ends a lease, or reclaims leases; leave it out",
                         mix->kinds[i].exchange.name);
    return config->ranks <= 1 || !pool_plan_changes_leases(mix)
               ? 0
               : err_usage(err, "--allocator with several ranks is for new clients alone, since no "
                                "rank knows what clients of others do; use --workload=dora");
}

int pool_plan_check_servers(const struct load_config *config, struct err *err)
{
    const uint64_t ranks = load_ranks(config);

    if (config->pool.servers % ranks != 0)
        return err_usage(err,
                         "--servers: %" PRIu64 " servers cannot be divided among %" PRIu64
                         " ranks; use a multiple of that, or leave it out for one each",
                         config->pool.servers, ranks);
    if (config->pool.servers <= config->threads)
        return 0;
    return err_usage(
        err, "--servers: %" PRIu64 " servers need a thread each; use --threads=%" PRIu64 " or more",
        config->pool.servers, (config->pool.servers + ranks - 1) / ranks);
}

/* Returns a size of the pool in which so many clients have a lease before the load, and the new
   ones take half of what is free then. */
static uint64_t usual_pool(const struct load_config *config, uint64_t known, uint64_t new,
                           uint64_t own)
{
    const double free = 1 - config->pool.full;
    const double first =
        free > 0 ? ceil((2 * (double)new + (double)own) / free) : (double)USUAL_POOL;
    const double second = known > 0 ? ceil((double)known / config->pool.full) + 1 : 0;
    const double pool = first > second ? first : second;

    return pool < (double)POOL_MIN     ? POOL_MIN
           : pool > ALLOCATOR_POOL_MAX ? ALLOCATOR_POOL_MAX
                                       : (uint64_t)pool;
}

/* The same where leases end: refuses a pool that is too small. */
static int resolve_ends(struct load_config *config, struct err *err)
{
    static const double usually_full = 0.5;
    struct load_config most = *config;

    if (config->pool.full == 0)
        config->pool.full = usually_full;
    most.count = most.count < most.warmup ? most.warmup : most.count;
    const struct exchange_plan plan = exchange_plan_make(&most, config->threads, NULL);
    const uint64_t own = plan.reclaims > 0 ? plan.reclaims * RECLAIM_LEASES + 1 : 0;
    if (config->pool.size == 0)
        config->pool.size = usual_pool(config, plan.preload_min, plan.newcomers, own);
    const uint64_t others = pool_plan_others(config);
    if (others < plan.preload_min)
        return err_usage(err,
                         "--full: %" PRIu64 " clients with a lease are too few; %" PRIu64
                         " are needed: use a larger --pool or --full, or a smaller --count",
                         others, plan.preload_min);
    return others + own <= config->pool.size
               ? 0
               : err_usage(err,
                           "--pool: %" PRIu64 " addresses are too few for %" PRIu64
                           " clients and %" PRIu64 " expired leases; use a larger --pool",
                           config->pool.size, others, own);
}

int pool_plan_resolve(struct load_config *config, const char *workload, struct err *err)
{
    (void)workload;
    if (check_mix(config, err) != 0 || pool_plan_check_servers(config, err) != 0)
        return -1;
    if (config->in_turns && config->count == 0) {
        const uint64_t pool = config->pool.size > 0 ? config->pool.size : ALLOCATOR_POOL_MAX;
        const uint64_t most = (uint64_t)((double)pool * (1 - config->pool.full) / 2);

        config->count = most > TURN_CLIENTS ? TURN_CLIENTS : most > 0 ? most : 1;
    }
    if (pool_plan_changes_leases(&config->mix))
        return resolve_ends(config, err);
    if (config->pool.size == 0)
        config->pool.size = usual_pool(config, 0, config->count, 0);
    return 0;
}
