/* SPDX-License-Identifier: ISC */
#include "programs/option_uses.h"

#include <stdio.h>
#include <string.h>

/* What follows "it is for". */
static const struct {
    unsigned use;
    const char *name;
} uses[] = {
    { USE_PHASES, "--workload=phases" },
    { USE_CHURN, "--workload=churn" },
    { USE_EXCHANGES, "exchanges in a closed loop" },
    { USE_FILL, "--workload=fill" },
    { USE_RATE, "--rate" },
    { USE_SEARCH, "--find-rate" },
    { USE_STORM, "--workload=storm" },
    { USE_PROBES, "exchanges that look for a free address, such as dora" },
    { USE_HOOK, "--hook-delay" },
    { USE_HOSTS, "IPv4 exchanges that look for reservations, such as dora" },
};
enum { USES = sizeof uses / sizeof uses[0] };

static bool has_step(const struct mix *mix, enum step_action action)
{
    for (size_t p = 0; p < mix->count; p++) {
        for (const struct step *step = mix->parts[p].exchange->steps;
             step->action != STEP_END; step++) {
            if (step->action == action)
                return true;
        }
    }
    return false;
}

/* What is run, one of the uses. */
static unsigned load_of(const struct runner_config *config)
{
    static const unsigned open[] = { [OPEN_NONE] = USE_EXCHANGES,
                                     [OPEN_RATE] = USE_RATE,
                                     [OPEN_SEARCH] = USE_SEARCH,
                                     [OPEN_STORM] = USE_STORM };

    if (config->fill)
        return USE_FILL;
    if (config->churn)
        return USE_CHURN;
    return config->mix.count == 0 ? USE_PHASES : open[config->open_load.kind];
}

bool option_is_used(const struct opt *row, const struct runner_config *config)
{
    unsigned set = load_of(config);

    if (has_step(&config->mix, STEP_PROBE))
        set |= USE_PROBES;
    if (has_step(&config->mix, STEP_FIND_RESERVATION))
        set |= USE_HOSTS;
    if (config->open_load.hook_delay_ns > 0)
        set |= USE_HOOK;
    return row->uses == 0 || (row->uses & set) != 0;
}

/* Writes "--rate, --find-rate and --workload=storm". */
static void list_uses(unsigned set, char *text, size_t size)
{
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < USES && length < size; i++) {
        if ((uses[i].use & set) == 0)
            continue;
        set &= ~uses[i].use;
        length += (size_t)snprintf(text + length, size - length, "%s%s",
                                   length == 0 ? ""
                                   : set != 0  ? ", "
                                               : " and ",
                                   uses[i].name);
    }
}

/* Where an option belongs, if that is soon said; "" or "; it is for ...". */
static void say_where(unsigned set, char *text, size_t size)
{
    enum { FEW = 3 };
    static const char is_for[] = "; it is for ";
    unsigned count = 0;

    text[0] = '\0';
    for (size_t i = 0; i < USES; i++)
        count += (uses[i].use & set) != 0;
    if (count > FEW)
        return;
    (void)snprintf(text, size, "%s", is_for);
    list_uses(set, text + sizeof is_for - 1, size - sizeof is_for + 1);
}

int option_uses_check(const struct options *options,
                      const struct runner_config *config, struct err *err)
{
    const unsigned load = load_of(config);
    char with[64] = "";
    char where[256];

    for (size_t i = 0; options->rows[i].kind != OPT_KIND_END; i++) {
        const struct opt *const row = &options->rows[i];

        if (!config->given[i] || option_is_used(row, config))
            continue;
        if (load == USE_RATE || load == USE_SEARCH)
            list_uses(load, with, sizeof with);
        say_where(row->uses, where, sizeof where);
        return err_set_class(err, ERR_USAGE,
                             "--%s: means nothing for --workload=%s%s%s%s",
                             row->name, config->workload,
                             with[0] != '\0' ? " with " : "", with, where);
    }
    return 0;
}
