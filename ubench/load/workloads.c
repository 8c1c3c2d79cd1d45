/* SPDX-License-Identifier: ISC */
#include "load/workloads.h"

#include <string.h>

#include "load/crash/reconnect.h"
#include "load/engine.h"
#include "load/exchange/mix_parse.h"
#include "load/turns.h"

#define WORKLOAD_LISTED(name) &workload_##name,
const struct workload *const workload_list[] = { WORKLOADS(WORKLOAD_LISTED) NULL };

bool workload_takes(const struct workload *workload, const char *option)
{
    const char *const *name = workload->options;

    while (*name != NULL && strcmp(*name, option) != 0)
        name++;
    return *name != NULL;
}

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
            : workload->open(config, &own, result, err);
    result->reconnects = own.reconnect != NULL;
    if (result->reconnects)
        result->reconnect = own.reconnect->tally;
    reconnect_free(own.reconnect);
    return end;
}

/* The choice */

static const struct workload *find_name(const char *name, size_t length)
{
    const struct workload *const *w = workload_list;

    while (*w != NULL && ((*w)->name == NULL || strlen((*w)->name) != length ||
                          strncmp((*w)->name, name, length) != 0))
        w++;
    return *w;
}

/* Refuses a name and lists the known ones. */
static int refuse_name(const char *name, size_t length, enum lease_family family, struct err *err)
{
    const char *comma = "";

    if (find_name(name, length) != NULL)
        return err_usage(err, "--workload: '%.*s' cannot be part of a mix; use it alone",
                         (int)length, name);
    (void)err_usage(err, "--workload: '%.*s' is not one of ", (int)length, name);
    for (const struct workload *const *w = workload_list; *w != NULL; w++) {
        if ((*w)->name == NULL || (family == LEASE_FAMILY_V6 && !workload_takes(*w, "ipv6")))
            continue;
        err_add(err, "%s%s", comma, (*w)->name);
        comma = ", ";
    }
    mix_add_names(family, err);
    return -1;
}

/* Sets *asked to the workload that options select, or to NULL.  Returns 0, or -1 with err if
   there are two. */
static int find_asked(const struct load_config *config, const struct workload **asked,
                      struct err *err)
{
    *asked = NULL;
    for (const struct workload *const *w = workload_list; *w != NULL; w++) {
        if ((*w)->option == NULL || !(*w)->is_asked(config))
            continue;
        if (*asked != NULL)
            return err_usage(err, "--%s cannot be used with --%s; leave one of them out",
                             (*asked)->option, (*w)->option);
        *asked = *w;
    }
    return 0;
}

const struct workload *workload_choose(struct load_config *config, const char *name,
                                       struct err *err)
{
    const struct workload *const named = find_name(name, strlen(name));
    const struct workload *asked;
    const char *mix = name;
    size_t length;

    if (find_asked(config, &asked, err) != 0)
        return NULL;
    if (named != NULL && asked != NULL && !workload_takes(named, asked->option)) {
        (void)err_usage(err,
                        "--%s: expected an exchange or a mix, such as --workload=dora, not '%s'",
                        asked->option, name);
        return NULL;
    }
    if (named != NULL)
        mix = config->family == LEASE_FAMILY_V6 ? named->mix_v6 : named->mix;
    const char *const unknown = mix != NULL ? mix_find_unknown(mix, &length) : NULL;
    if (unknown != NULL) {
        (void)refuse_name(unknown, length, config->family, err);
        return NULL;
    }
    if (mix != NULL && mix_parse(mix, config->family, &config->mix, err) != 0)
        return NULL;
    if (named != NULL)
        return named;
    return asked != NULL ? asked : &workload_exchanges;
}
