/* SPDX-License-Identifier: ISC */
#include "programs/open_options.h"

#include <string.h>

#include "core/clock.h"
#include "core/units.h"
#include "load/workers.h"

const char open_storm_name[] = "storm";
const char open_storm_help[] =
    "all CLIENTS of a site ask at once, and ask again";

static enum open_kind open_kind_of(const struct runner_config *config)
{
    if (strcmp(config->workload, open_storm_name) == 0)
        return OPEN_STORM;
    if (config->open.find_rate)
        return OPEN_SEARCH;
    return config->open.per_s > 0 ? OPEN_RATE : OPEN_NONE;
}

/* Reads --hook: "inline" or "pool:N". */
static int resolve_hook(struct runner_config *config, struct err *err)
{
    static const char pool[] = "pool:";
    const char *const hook = config->open.hook;
    uint64_t *const threads = &config->open_load.hook_pool;

    if (strcmp(hook, "inline") == 0)
        return 0;
    if (strncmp(hook, pool, sizeof pool - 1) == 0 &&
        units_scan_count(hook + sizeof pool - 1, threads) == 0 &&
        *threads >= 1 && *threads <= WORKERS_MAX)
        return 0;
    return err_set_class(err, ERR_USAGE,
                         "--hook: '%s' is not inline or pool:N with N in "
                         "1..%d",
                         hook, WORKERS_MAX);
}

/* Which options of the open loop exclude each other. */
static int check_open(const struct runner_config *config, bool exchanges,
                      struct err *err)
{
    const struct open_options *const open = &config->open;
    const enum open_kind kind = config->open_load.kind;

    if (open->find_rate && open->per_s > 0)
        return err_set_class(err, ERR_USAGE,
                             "--find-rate: it finds what --rate would tell");
    if (kind == OPEN_STORM && (open->find_rate || open->per_s > 0))
        return err_set_class(err, ERR_USAGE,
                             "--workload=%s: its clients come all at once and "
                             "not at a rate",
                             config->workload);
    if (kind != OPEN_STORM && open->policy == QUEUE_DEDUP)
        return err_set_class(err, ERR_USAGE,
                             "--queue-policy: 'dedup' needs "
                             "--workload=storm, where clients ask again");
    if (kind == OPEN_SEARCH && open->duration_ns > 3600 * NS_PER_S)
        return err_set_class(err, ERR_USAGE,
                             "--duration: one trial of --find-rate lasts 1h "
                             "at most");
    if (kind != OPEN_NONE && !exchanges)
        return err_set_class(err, ERR_USAGE,
                             "--workload: '%s' has no clients who could ask; "
                             "name an exchange or a mix, such as dora",
                             config->workload);
    return 0;
}

int open_options_resolve(struct runner_config *config, bool exchanges,
                         struct err *err)
{
    const struct open_options *const open = &config->open;

    config->open_load = (struct open_config){
        .kind = open_kind_of(config),
        .per_s = open->per_s,
        .duration_ns = open->duration_ns,
        .deadline_ns = open->deadline_ns,
        .arrivals = (enum arrivals_kind)open->arrivals,
        .queue_size = open->queue,
        .policy = (enum queue_policy)open->policy,
        .clients = open->clients,
        .spread_ns = open->spread_ns,
        .hook_delay_ns = open->hook_delay_ns,
    };
    return check_open(config, exchanges, err) != 0 ? -1
                                                   : resolve_hook(config, err);
}

/* What a client does that comes back after a power cut. */
const char *open_options_mix(const struct runner_config *config)
{
    if (config->open_load.kind != OPEN_STORM)
        return config->workload;
    return config->ipv6 ? "renew" : "dora-known";
}
