/* SPDX-License-Identifier: ISC */
#include "load/workloads.h"

#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "load/exchange/exchanges.h"
#include "load/fill.h"
#include "load/openloop/open_load.h"
#include "load/openloop/storm.h"
#include "load/phases.h"

const struct workload *const workload_list[] = {
    &workload_phases, &workload_churn,     &workload_exchanges, &workload_fill,
    &workload_rate,   &workload_find_rate, &workload_storm,     NULL,
};

static bool has_candidates(const struct load_config *config)
{
    return mix_has_step(&config->mix, STEP_CHECK_CANDIDATES);
}

static bool has_reservations(const struct load_config *config)
{
    return mix_has_step(&config->mix, STEP_FIND_RESERVATION);
}

static bool has_blocking_call(const struct load_config *config)
{
    return config->open.hook_delay_ns > 0;
}

/* Options that not every load of their kinds has a use for. */
static const struct condition {
    const char *option;
    const char *is_for;
    bool (*holds)(const struct load_config *config);
} conditions[] = {
    { "probes", "exchanges that look for a free address, such as dora",
      has_candidates },
    { "hosts", "IPv4 exchanges that look for reservations, such as dora",
      has_reservations },
    { "hook", "--hook-delay", has_blocking_call },
};

static const struct condition *find_condition(const char *option)
{
    for (size_t i = 0; i < sizeof conditions / sizeof conditions[0]; i++) {
        if (strcmp(conditions[i].option, option) == 0)
            return &conditions[i];
    }
    return NULL;
}

/* Whether a kind names the option. */
static bool names(const struct workload *workload, const char *option)
{
    char word[64];

    (void)snprintf(word, sizeof word, " %s ", option);
    return strstr(workload->options, word) != NULL;
}

/* How many kinds name the option; none: it is for all of them. */
static size_t count_kinds(const char *option)
{
    size_t count = 0;

    for (const struct workload *const *w = workload_list; *w != NULL; w++)
        count += names(*w, option);
    return count;
}

bool workload_uses(const struct workload *workload,
                   const struct load_config *config, const char *option)
{
    const struct condition *const condition = find_condition(option);

    return count_kinds(option) == 0 ||
           (names(workload, option) &&
            (condition == NULL || condition->holds(config)));
}

static int name_kind(const struct workload *workload, char *text, size_t size)
{
    if (workload->name != NULL)
        return snprintf(text, size, "--workload=%s", workload->name);
    if (workload->option != NULL)
        return snprintf(text, size, "--%s", workload->option);
    return snprintf(text, size, "exchanges in a closed loop");
}

void workload_say_uses(const char *option, char *text, size_t size)
{
    enum { FEW = 3 };
    const struct condition *const condition = find_condition(option);
    const size_t count = count_kinds(option);
    size_t said = 0;
    size_t length = 0;

    text[0] = '\0';
    if (condition != NULL)
        (void)snprintf(text, size, "%s", condition->is_for);
    if (condition != NULL || count > FEW)
        return;
    for (const struct workload *const *w = workload_list; *w != NULL; w++) {
        if (!names(*w, option))
            continue;
        if (said > 0)
            length += (size_t)snprintf(text + length, size - length, "%s",
                                       said + 1 < count ? ", " : " and ");
        length += (size_t)name_kind(*w, text + length, size - length);
        said++;
    }
}

static const struct workload *find_name(const char *name)
{
    for (const struct workload *const *w = workload_list; *w != NULL; w++) {
        if ((*w)->name != NULL && strcmp((*w)->name, name) == 0)
            return *w;
    }
    return NULL;
}

/* What --rate, --find-rate and their like ask of each other.  named is NULL
   unless it is a kind's own name. */
static int check_open(const struct workload *named, const char *name,
                      const struct open_config *open, bool find_rate,
                      struct err *err)
{
    const bool storm = named == &workload_storm;
    const bool rate = find_rate || open->per_s > 0;

    if (find_rate && open->per_s > 0)
        return err_set_class(err, ERR_USAGE,
                             "--find-rate: it finds what --rate would tell");
    if (storm && rate)
        return err_set_class(err, ERR_USAGE,
                             "--workload=%s: its clients come all at once and "
                             "not at a rate",
                             name);
    if (!storm && open->policy == QUEUE_DEDUP)
        return err_set_class(err, ERR_USAGE,
                             "--queue-policy: 'dedup' needs "
                             "--workload=storm, where clients ask again");
    if (find_rate && open->duration_ns > 3600 * NS_PER_S)
        return err_set_class(err, ERR_USAGE,
                             "--duration: one trial of --find-rate lasts 1h "
                             "at most");
    if (named != NULL && rate)
        return err_set_class(err, ERR_USAGE,
                             "--workload: '%s' has no clients that could ask; "
                             "name an exchange or a mix, such as dora",
                             name);
    return 0;
}

const struct workload *workload_choose(struct load_config *config,
                                       const char *name, bool find_rate,
                                       struct err *err)
{
    const struct workload *chosen = find_name(name);
    const char *mix = name;

    if (check_open(chosen, name, &config->open, find_rate, err) != 0)
        return NULL;
    if (chosen != NULL)
        mix = config->family == LEASE_FAMILY_V6 ? chosen->mix_v6 : chosen->mix;
    else if (find_rate)
        chosen = &workload_find_rate;
    else
        chosen = config->open.per_s > 0 ? &workload_rate : &workload_exchanges;
    config->open.kind = chosen->open;
    if (mix != NULL && mix_parse(mix, config->family, &config->mix, err) != 0)
        return NULL;
    return chosen;
}
