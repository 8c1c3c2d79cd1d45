/* SPDX-License-Identifier: ISC */
#include "load/workloads.h"

#include <string.h>

#include "load/engine.h"
#include "load/exchange/mix_parse.h"
#include "load/turns.h"

const struct workload *const workload_list[] = {
    &workload_phases, &workload_search, &workload_update,    &workload_churn, &workload_exchanges,
    &workload_fill,   &workload_rate,   &workload_find_rate, &workload_storm, NULL,
};

enum load_end workload_run(const struct workload *workload, const struct load_config *config,
                           const struct load_context *context, struct load_result *result,
                           struct err *err)
{
    struct load_context own = *context;

    *result = (struct load_result){ 0 };
    if (own.reconnect_ns > 0) {
        own.reconnect = reconnect_new(&own, err);
        if (own.reconnect == NULL)
            return LOAD_FAILED;
    }
    const enum load_end end =
        workload->closed != NULL
            ? engine_load(workload->closed, config, &own,
                          config->in_turns ? turns_work : closed_loop_work, NULL, result, err)
            : workload->open(workload, config, &own, result, err);
    result->reconnects = own.reconnect != NULL;
    if (result->reconnects)
        result->reconnect = own.reconnect->tally;
    reconnect_free(own.reconnect);
    return end;
}

/* Refuses combinations of --rate, --find-rate and their like.  named is NULL
   unless it is a kind's own name. */
static int check_open(const struct workload *named, const char *name,
                      const struct open_config *open, bool find_rate, struct err *err)
{
    const bool storm = named == &workload_storm;
    const bool rate = find_rate || open->per_s > 0;

    if (find_rate && open->per_s > 0)
        return err_usage(err, "--rate cannot be used with --find-rate; leave one of them out");
    if (storm && rate)
        return err_usage(err, "--%s cannot be used with --workload=%s",
                         find_rate ? "find-rate" : "rate", name);
    if (!storm && open->policy == QUEUE_DEDUP)
        return err_usage(err, "--queue-policy=dedup can only be used with --workload=storm, where "
                              "clients retransmit");
    if (find_rate && open->duration_ns > 3600 * NS_PER_S)
        return err_usage(err, "--duration: a trial of --find-rate can last at most 1h");
    if (named != NULL && rate)
        return err_usage(err,
                         "--%s: expected an exchange or a mix, such as "
                         "--workload=dora, not '%s'",
                         find_rate ? "find-rate" : "rate", name);
    return 0;
}

const struct workload *workload_choose(struct load_config *config, const char *name, bool find_rate,
                                       struct err *err)
{
    const struct workload *chosen = NULL;
    const char *mix = name;

    for (const struct workload *const *w = workload_list; *w != NULL; w++) {
        if ((*w)->name != NULL && strcmp((*w)->name, name) == 0)
            chosen = *w;
    }
    if (check_open(chosen, name, &config->open, find_rate, err) != 0)
        return NULL;
    if (chosen != NULL)
        mix = config->family == LEASE_FAMILY_V6 ? chosen->mix_v6 : chosen->mix;
    else if (find_rate)
        chosen = &workload_find_rate;
    else
        chosen = config->open.per_s > 0 ? &workload_rate : &workload_exchanges;
    if (mix != NULL && mix_parse(mix, config->family, &config->mix, err) != 0)
        return NULL;
    return chosen;
}
