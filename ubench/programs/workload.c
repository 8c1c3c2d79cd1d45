/* SPDX-License-Identifier: ISC */
#include "programs/workload.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "load/exchange/lookup.h"
#include "programs/open_options.h"

static bool is_listed(const struct opt_choice *choices, size_t count,
                      const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(choices[i].name, name) == 0)
            return true;
    }
    return false;
}

void workload_choices(struct opt_choice choices[OPTIONS_WORKLOADS_MAX])
{
    size_t count = 0;

    choices[count++] = (struct opt_choice){
        "phases", 0, "create, search, update, delete, COUNT times each"
    };
    choices[count++] =
        (struct opt_choice){ "churn", 0,
                             "the three that change leases, in turn" };
    /* An exchange that both families have has a row in each. */
    for (const struct exchange *e = exchange_table; e->name != NULL; e++) {
        if (!is_listed(choices, count, e->name))
            choices[count++] = (struct opt_choice){ e->name, 0, e->help };
    }
    for (const struct named_mix *m = mix_table; m->name != NULL; m++)
        choices[count++] = (struct opt_choice){ m->name, 0, m->help };
    choices[count++] = (struct opt_choice){
        "fill", 0, "new clients of a pool that fills up, at seven levels"
    };
    choices[count++] =
        (struct opt_choice){ open_storm_name, 0, open_storm_help };
    assert(count < OPTIONS_WORKLOADS_MAX);
    choices[count] = (struct opt_choice){ .name = NULL };
}

struct exchanges_config workload_exchanges(const struct runner_config *config,
                                           const struct load_config *load)
{
    return (struct exchanges_config){
        .load = *load,
        .mix = config->mix,
        .probes = config->probes,
        .reservations = config->reservations,
    };
}

/* As many clients as there ought to be, if the user did not say. */
static int resolve_preload(struct runner_config *config, struct err *err)
{
    const struct load_config load = {
        .count =
            config->count > config->warmup ? config->count : config->warmup,
        .threads = config->threads,
        .seed = config->seed,
    };
    const struct exchanges_config exchanges = workload_exchanges(config, &load);
    const uint64_t min = exchanges_preload_min(&exchanges);

    if (config->preload != 0 && config->preload < min)
        return err_set_class(err, ERR_USAGE,
                             "--preload: %" PRIu64 " clients are too few for "
                             "--workload=%s, which needs %" PRIu64,
                             config->preload, config->workload, min);
    if (config->preload == 0)
        config->preload = min > WORKLOAD_CLIENTS ? min : WORKLOAD_CLIENTS;
    if (exchanges_leases_max(&exchanges, config->preload) >
        GENERATOR_LEASES_MAX)
        return err_set_class(err, ERR_USAGE,
                             "--count: %" PRIu64 " exchanges of --workload=%s "
                             "need more than %" PRIu64 " leases",
                             config->count, config->workload,
                             (uint64_t)GENERATOR_LEASES_MAX);
    return 0;
}

struct fill_config workload_fill(const struct runner_config *config,
                                 const struct load_config *load)
{
    return (struct fill_config){
        .load = *load,
        .pool = config->pool,
        .allocator = (enum allocator_kind)config->allocator,
    };
}

/* Transactions that hold the counters of several subnets, each in an order of
   its own, would wait for each other in a circle. */
static int check_counters(const struct runner_config *config, struct err *err)
{
    if (config->schema != SCHEMA_KEA_STATS || config->batch == 1 ||
        config->threads == 1 || config->subnets == 1)
        return 0;
    return err_set_class(err, ERR_USAGE,
                         "--batch: %" PRIu64 " does not go with --schema="
                         "kea+stats, several threads and several subnets: "
                         "transactions would lock each other's counters",
                         config->batch);
}

int workload_resolve(struct runner_config *config, struct err *err)
{
    config->churn = strcmp(config->workload, "churn") == 0;
    config->fill = strcmp(config->workload, "fill") == 0;
    const bool exchanges =
        !config->churn && strcmp(config->workload, "phases") != 0;

    if (open_options_resolve(config, exchanges && !config->fill, err) != 0)
        return -1;
    if (config->schema == OPTIONS_SCHEMA_UNSET)
        config->schema = exchanges || config->search_by != LOOKUP_ADDRESS
                             ? SCHEMA_KEA
                             : SCHEMA_LEAN;
    if (config->fill)
        return 0;
    if (!exchanges)
        return check_counters(config, err);
    if (mix_parse(open_options_mix(config),
                  config->ipv6 ? LEASE_FAMILY_V6 : LEASE_FAMILY_V4,
                  &config->mix, err) != 0)
        return -1;
    return resolve_preload(config, err);
}
