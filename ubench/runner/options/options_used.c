/* SPDX-License-Identifier: ISC */
/* Where options apply: which have an effect on a run, a refusal of those that have none, and a
   list of those that have. */
#include <string.h>

#include "core/text.h"
#include "runner/options/options.h"
#include "runner/options/options_table.h"

bool options_is_taken(const struct opt *row, const struct workload *workload)
{
    return row->loads == OPTION_ALL || workload_takes(workload, row->name);
}

/* Returns true if the option has an effect on the run. */
static bool is_used(const struct opt *row, const struct runner_config *config)
{
    if (row->loads == OPTION_ALWAYS)
        return true;
    return config->verify == NULL && options_is_taken(row, config->workload) &&
           (row->applies == NULL || row->applies(config));
}

const char *options_server(const struct options *options, const struct runner_config *config)
{
    const struct backend *const backend = options->backend;

    if ((backend->scope & OPT_SCOPE_SERVER) == 0)
        return NULL;
    return backend->server != NULL ? backend->server(&config->settings) : backend->name;
}

/* Returns true if the option is for a server but the leases are in a file. */
static bool lacks_server(const struct options *options, const struct opt *row,
                         const struct runner_config *config)
{
    return (row->scope & OPT_SCOPE_SERVER) != 0 && options_server(options, config) == NULL;
}

/* Lists the workloads that take an option, as typed on a command line. */
static void list_loads(const struct opt *row, char *text, size_t size)
{
    text[0] = '\0';
    for (const struct workload *const *w = workload_list; *w != NULL; w++) {
        const char *const comma = text[0] != '\0' ? ", " : "";

        if (!options_is_taken(row, *w))
            continue;
        if ((*w)->name != NULL)
            text_append(text, size, "%s-w %s", comma, (*w)->name);
        else if ((*w)->option != NULL)
            text_append(text, size, "%s--%s", comma, (*w)->option);
        else
            text_append(text, size, "%s-w %s or another exchange", comma, exchange_table[0].name);
    }
}

/* Refuses an option that does not apply to the run, and says what to type.
   Returns -1. */
static int refuse(const struct opt *row, const struct runner_config *config, struct err *err)
{
    const struct workload *const workload = config->workload;
    const bool by_option = workload->option != NULL;
    char loads[256];

    if (config->verify != NULL)
        return err_usage(err, "--%s cannot be used with --verify, which runs no load", row->name);
    (void)err_usage(
        err, "--%s cannot be used with --%s%s", row->name,
        by_option ? workload->option : "workload=", by_option ? "" : config->workload_name);
    list_loads(row, loads, sizeof loads);
    if (row->condition != NULL)
        err_add(err, "; %s", row->condition);
    else if ((row->traits & OPTION_LENGTH) != 0)
        err_add(err, "; use --%s", workload->length);
    else
        err_add(err, "; use it with one of: %s", loads);
    return -1;
}

int options_check_given(const struct options *options, const struct runner_config *config,
                        struct err *err)
{
    for (const struct opt *row = options->rows; row->kind != OPT_KIND_END; row++) {
        if (!config->given[row - options->rows])
            continue;
        if (lacks_server(options, row, config))
            return err_usage(err,
                             "--%s cannot be used with a lease file; it is for a database server",
                             row->name);
        if (!is_used(row, config))
            return refuse(row, config, err);
        if (config->load.in_turns && (row->traits & OPTION_NO_TURNS) != 0)
            return err_usage(err, "--turns cannot be used with --%s; leave one of them out",
                             row->name);
        if (config->load.ranks > 1 && (row->traits & OPTION_NO_RANKS) != 0)
            return err_usage(err,
                             "--%s cannot be used with several ranks; start one process, without "
                             "mpirun",
                             row->name);
    }
    return 0;
}

bool options_given(const struct options *options, const struct runner_config *config,
                   const char *name)
{
    const struct opt *row = options->rows;

    while (row->kind != OPT_KIND_END && strcmp(row->name, name) != 0)
        row++;
    return config->given[row - options->rows];
}

void options_describe(const struct options *options, const struct runner_config *config,
                      struct properties *properties)
{
    for (const struct opt *row = options->rows; row->kind != OPT_KIND_END; row++) {
        char text[sizeof properties->items[0].value];

        if ((row->traits & OPTION_SILENT) != 0 || !is_used(row, config) ||
            lacks_server(options, row, config))
            continue;
        opt_show(row, config, text, sizeof text);
        if (text[0] != '\0' && (row->kind != OPT_KIND_FLAG || strcmp(text, "yes") == 0))
            properties_add(properties, row->name, "%s", text);
    }
}
