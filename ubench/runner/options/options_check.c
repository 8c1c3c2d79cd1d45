/* SPDX-License-Identifier: ISC */
/* Completes the configuration of the command line, and refuses combinations that cannot be run. */
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/nearest.h"
#include "core/text.h"
#include "core/units.h"
#include "core/workers.h"
#include "runner/options/options.h"
#include "runner/output.h"

static bool is_label_name(const char *name)
{
    return isalpha((unsigned char)name[0]) &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")] == '\0';
}

/* Returns true if a terminal shows every character unchanged. */
static bool is_line(const char *text)
{
    bool clean = true;

    while (*text != '\0' && clean)
        text += text_character(text, &clean);
    return clean;
}

/* Adds a label as a fact, unchanged.  Refuses a label that would be truncated, is given twice, or
   breaks a line of the report. */
static int add_label(struct properties *labels, const struct opt_setting *label, struct err *err)
{
    enum {
        NAME_MAX_LENGTH = sizeof labels->items[0].key - 1,
        VALUE_MAX_LENGTH = sizeof labels->items[0].value - 1
    };

    if (!is_label_name(label->name) || strlen(label->name) > NAME_MAX_LENGTH)
        return err_usage(err,
                         "--label: '%s' is not a valid name: expected a letter, then letters, "
                         "digits and -_., at most %d characters",
                         label->name, NAME_MAX_LENGTH);
    if (strlen(label->value) > VALUE_MAX_LENGTH || !is_line(label->value))
        return err_usage(err,
                         "--label: the value of '%s' must be one line of at most %d bytes of UTF-8 "
                         "without control characters",
                         label->name, VALUE_MAX_LENGTH);
    if (properties_find(labels, label->name) != NULL)
        return err_usage(err, "--label: '%s' is given twice", label->name);
    properties_add(labels, label->name, "%s", label->value);
    return 0;
}

/* Refuses a file that is named by two options, one of which would overwrite it. */
static int check_files(const struct options *options, const struct runner_config *config,
                       struct err *err)
{
    const struct backend *const backend = options->backend;
    const char *const *beside = backend->beside;
    const char *const output = config->output;
    char path[PATH_MAX];

    if (output != NULL && config->ledger != NULL && output_is_same_file(output, config->ledger))
        return err_usage(err, "--output: '%s' is also the file of --ledger; name another file",
                         output);
    if ((backend->scope & OPT_SCOPE_FILE) == 0 || output == NULL ||
        options_server(options, config) != NULL)
        return 0;
    if (output_is_same_file(output, config->store.target))
        return err_usage(err, "--output: '%s' is the lease file; name another file", output);
    for (; beside != NULL && *beside != NULL; beside++) {
        (void)snprintf(path, sizeof path, "%s%s", config->store.target, *beside);
        if (output_is_same_file(output, path))
            return err_usage(err, "--output: '%s' is reserved for %s; name another file", output,
                             backend->name);
    }
    return 0;
}

/* Multiplies the threads by the ranks: --threads is per rank, load->threads is the total. */
static int resolve_ranks(const struct backend *backend, struct load_config *load, struct err *err)
{
    const uint64_t each = load->threads;

    if (load_ranks(load) == 1)
        return 0;
    if ((backend->scope & OPT_SCOPE_SHARED) == 0)
        return err_usage(err,
                         "%s_ubench cannot be used with several ranks, as one process alone can "
                         "open its store; start it without mpirun",
                         backend->name);
    load->threads *= load->ranks;
    return load->threads <= WORKERS_MAX ? 0
                                        : err_usage(err,
                                                    "--threads: %" PRIu64 " ranks with %" PRIu64
                                                    " threads each have more than %d; use fewer",
                                                    load->ranks, each, WORKERS_MAX);
}

/* Refuses, with several ranks, what only one process can do. */
static int check_ranks(const struct runner_config *config, struct err *err)
{
    if (load_ranks(&config->load) == 1)
        return 0;
    if (config->workload->closed == NULL)
        return err_usage(err, "requests of an open loop wait in one queue, which several ranks "
                              "cannot share; start one process, without mpirun");
    if (!workload_takes(config->workload, "threads"))
        return err_usage(err,
                         "--workload=%s has one thread and cannot be used with several ranks; "
                         "start one process, without mpirun",
                         config->workload_name);
    return config->load.counted
               ? err_usage(err, "--schema=kea+stats, whose counters cover all leases, cannot be "
                                "used with several ranks; use --schema=kea")
               : 0;
}

/* Refuses values that cannot be combined. */
static int check_together(const struct options *options, const struct runner_config *config,
                          struct err *err)
{
    const struct load_config *const load = &config->load;

    if (load->threads > load->count && config->workload->closed != NULL && load->count > 0)
        return err_usage(err,
                         "--threads: %" PRIu64 " exceeds --count=%" PRIu64
                         "; use fewer threads or a larger count",
                         load->threads, load->count);
    if (options_check_batch(options, config, err) != 0 || options_check_trips(config, err) != 0)
        return -1;
    if (config->ledger != NULL && (config->repeat > 1 || load->warmup > 0))
        return err_usage(err, "--ledger: '%s' cannot be used with --repeat or --warmup",
                         config->ledger);
    return check_files(options, config, err);
}

/* Parses --hook: "inline" or "pool:N". */
static int resolve_hook(struct runner_config *config, struct err *err)
{
    static const char pool[] = "pool:";
    const char *const hook = config->hook;
    uint64_t *const threads = &config->load.open.hook_pool;

    *threads = 0;
    if (strcmp(hook, "inline") == 0)
        return 0;
    if (strncmp(hook, pool, sizeof pool - 1) == 0 &&
        units_scan_count(hook + sizeof pool - 1, threads) == 0 && *threads >= 1 &&
        *threads <= WORKERS_MAX)
        return 0;
    return err_usage(err, "--hook: '%s' is not inline or pool:N with N in 1..%d", hook,
                     WORKERS_MAX);
}

static int choose_workload(const struct options *options, struct runner_config *config,
                           struct err *err)
{
    struct load_config *const load = &config->load;
    enum schema *const schema = &config->store.schema;
    struct nearest nearest = { .typed = config->workload_name };

    load->family = config->ipv6 ? LEASE_FAMILY_V6 : LEASE_FAMILY_V4;
    config->workload = workload_choose(load, config->workload_name, err);
    if (config->workload == NULL) {
        const struct opt_choice *choice = options->workloads;

        for (; choice->name != NULL; choice++)
            nearest_try(&nearest, choice->name);
        return nearest_add(&nearest, "", err);
    }
    if (!options_given(options, config, "schema") &&
        (config->workload->exchanges || load->phases.search_by != LOOKUP_ADDRESS))
        *schema = SCHEMA_KEA;
    load->counted = *schema == SCHEMA_KEA_STATS;
    return 0;
}

/* Refuses an allocator that picks from a list that the store does not have. */
static int check_free_list(const struct options *options, const struct runner_config *config,
                           struct err *err)
{
    const struct backend *const backend = options->backend;
    const enum free_list list = allocator_free_list(config->load.pool.allocator);
    const char *const name = list == FREE_LIST_SKIP_LOCKED ? "skip-locked" : "shared-flq";

    if (list == FREE_LIST_NONE)
        return 0;
    if ((backend->free_lists & FREE_LIST_BIT(list)) == 0)
        return err_usage(err,
                         "--allocator: %s_ubench has no list of free addresses in a database, from "
                         "which %s picks; use mysql_ubench or pgsql_ubench, or --allocator=flq",
                         backend->name, name);
    if (config->ipv6)
        return err_usage(err, "--allocator: %s is for IPv4; use --allocator=random with --ipv6",
                         name);
    return config->store.schema != SCHEMA_LEAN
               ? 0
               : err_usage(err,
                           "--allocator: %s inserts all columns of Kea; use --schema=kea, not lean",
                           name);
}

/* Completes the store's configuration from that of the load. */
static int resolve_store(const struct options *options, struct runner_config *config,
                         struct err *err)
{
    struct store_config *const store = &config->store;
    const struct load_config *const load = &config->load;
    const struct backend *const backend = options->backend;
    const char *const server = options_server(options, config);
    const bool target_given = store->target != backend->default_target;

    if (!target_given && backend->server != NULL && server != NULL)
        store->target = backend->name; /* a database, not a file */
    else if (!target_given && config->ipv6 && backend->default_v6_target != NULL)
        store->target = backend->default_v6_target;
    store->family = load->family;
    store->subnets = load->subnets;
    store->threads = load->threads;
    store->alone = load->threads == 1 && load->batch == 1;
    store->trips = load->trips;
    store->reservations = load->reservations > 0;
    store->free_list = allocator_free_list(load->pool.allocator);
    store->joins = load->rank > 0;
    store->settings = &config->settings;
    store->password = config->password.given ? config->password.text : NULL;
    return server != NULL ? options_read_environment(server, config, err) : 0;
}

/* Reads the file of --sql. */
static int read_sql(const struct options *options, struct runner_config *config, struct err *err)
{
    if (config->sql == NULL)
        return 0;
    if (sql_file_read(&config->sql_file, config->sql, options->backend->dialect, &config->store,
                      err) != 0)
        return -1;
    if (config->ledger != NULL && sql_file_has_setup(&config->sql_file))
        return err_usage(err,
                         "--sql: %s has a section setup, which cannot be used with --ledger: "
                         "a killed run leaves its objects",
                         config->sql);
    if (load_ranks(&config->load) > 1 && sql_file_has_setup(&config->sql_file))
        return err_usage(err,
                         "--sql: %s has a section setup, which cannot be used by several processes",
                         config->sql);
    config->store.statements = &config->sql_file;
    return 0;
}

int options_parse(const struct options *options, struct runner_config *config, int argc,
                  char **argv, struct err *err)
{
    struct load_config *const load = &config->load;

    if (opt_parse(options->rows, config, argc, argv, config->given, err) != 0)
        return -1;
    if (load->in_turns) {
        config->json = true;
        if (!options_given(options, config, "count"))
            load->count = 0; /* as many as the workload takes */
    }
    if (resolve_hook(config, err) != 0 || options_resolve_batch(config, err) != 0 ||
        resolve_ranks(options->backend, &config->load, err) != 0 ||
        choose_workload(options, config, err) != 0 || check_ranks(config, err) != 0 ||
        options_check_given(options, config, err) != 0)
        return -1;
    const struct workload *const workload = config->workload;
    if (workload->resolve != NULL && workload->resolve(load, config->workload_name, err) != 0)
        return -1;
    for (size_t i = 0; i < config->label_options.count; i++) {
        if (add_label(&config->labels, &config->label_options.items[i], err) != 0)
            return -1;
    }
    return check_free_list(options, config, err) == 0 && resolve_store(options, config, err) == 0 &&
                   read_sql(options, config, err) == 0
               ? check_together(options, config, err)
               : -1;
}
