/* SPDX-License-Identifier: ISC */
/* Completes the configuration from the command line and the environment, and refuses combinations
   that cannot be run. */
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/nearest.h"
#include "core/text.h"
#include "core/units.h"
#include "runner/options.h"
#include "runner/output.h"
#include "store/host_list.h"

/* Returns the value of UBENCH_<PREFIX>_<WHAT>, or NULL if it is unset or empty.  Writes the
   variable's name to name. */
static const char *environment(const char *prefix, const char *what, char name[static 64])
{
    (void)snprintf(name, 64, "UBENCH_%s%s%s", prefix, prefix[0] != '\0' ? "_" : "", what);
    for (char *c = name; *c != '\0'; c++)
        *c = (char)toupper((unsigned char)*c);
    const char *const value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static bool is_same_host(const char *a, const char *b)
{
    static const char *const local[] = { "localhost", "127.0.0.1" };

    return strcmp(a, b) == 0 || ((strcmp(a, local[0]) == 0 || strcmp(a, local[1]) == 0) &&
                                 (strcmp(b, local[0]) == 0 || strcmp(b, local[1]) == 0));
}

struct place {
    char host[HOST_SIZE]; /* host name, or path of a socket */
    uint64_t port;
};

/* Splits a socket of PostgreSQL that is given as a file, whose name has the port, into its
   directory and the port. */
static void split_socket(struct place *place)
{
    static const char file[] = "/.s.PGSQL.";
    char *const slash = strrchr(place->host, '/');

    if (slash != NULL && strncmp(slash, file, sizeof file - 1) == 0 &&
        units_scan_count(slash + sizeof file - 1, &place->port) == 0)
        *slash = '\0';
}

static void cut_slashes(char *path)
{
    for (size_t i = strlen(path); i > 1 && path[i - 1] == '/'; i--)
        path[i - 1] = '\0';
}

/* Returns true if both name the same socket; asked may also be its directory. */
static bool is_same_socket(bool pgsql, struct place asked, struct place exported)
{
    cut_slashes(asked.host);
    cut_slashes(exported.host);
    if (pgsql) {
        split_socket(&asked);
        split_socket(&exported);
        return strcmp(asked.host, exported.host) == 0 && asked.port == exported.port;
    }
    const size_t folder = (size_t)(strrchr(exported.host, '/') - exported.host);
    return strcmp(asked.host, exported.host) == 0 ||
           (strlen(asked.host) == folder && strncmp(asked.host, exported.host, folder) == 0);
}

/* Returns the client library's default port. */
static uint64_t customary_port(bool pgsql)
{
    const char *const chosen = getenv(pgsql ? "PGPORT" : "MYSQL_TCP_PORT");
    uint64_t port = 0;

    if (chosen != NULL && units_scan_count(chosen, &port) == 0 && port != 0)
        return port;
    return pgsql ? 5432 : 3306;
}

static bool is_same_server(const char *server, struct place asked, struct place exported)
{
    const bool pgsql = strcmp(server, "pgsql") == 0;

    if (asked.port == 0)
        asked.port = customary_port(pgsql);
    if (exported.port == 0)
        exported.port = customary_port(pgsql);
    if (strchr(asked.host, '/') != NULL && strchr(exported.host, '/') != NULL)
        return is_same_socket(pgsql, asked, exported);
    return is_same_host(asked.host, exported.host) && asked.port == exported.port;
}

/* Returns true if the variables with that prefix name the server, by host and port or by
   socket. */
static bool names_server(const char *server, const char *prefix, const struct place *asked)
{
    static const char *const whats[] = { "HOST", "SOCKET" };
    char name[64];
    const char *const port = environment(prefix, "PORT", name);
    uint64_t number = 0;
    struct err err = { 0 };

    if (port != NULL && units_scan_count(port, &number) != 0)
        return false;
    for (size_t i = 0; i < sizeof whats / sizeof *whats; i++) {
        const char *const list = environment(prefix, whats[i], name);
        const char *rest = list;

        while (rest != NULL) {
            struct place exported = { .port = number };

            if (host_list_read(list, &rest, exported.host, &exported.port, &err) != 0)
                return false;
            if (is_same_server(server, *asked, exported))
                return true;
        }
    }
    return false;
}

/* Returns true if the variables of the server, or of the other servers of a cluster
   (UBENCH_MYSQL2_HOST and so on), name it. */
static bool is_exported(const char *server, const struct place *asked)
{
    char prefix[24];
    bool found = false;

    for (unsigned i = 1; i < 10 && !found; i++) {
        (void)snprintf(prefix, sizeof prefix, i > 1 ? "%s%u" : "%s", server, i);
        found = names_server(server, prefix, asked);
    }
    return found;
}

/*
 * Returns true if UBENCH_<SERVER>_USER and _PASSWORD belong to the user and to every server on the
 * command line, since each server of a list may receive them.  They belong to all servers if the
 * variables name none.
 */
static bool are_for(const char *server, const struct store_config *store)
{
    char name[64];
    const char *const user = environment(server, "USER", name);
    const char *const plain_user = environment(server, "PLAIN_USER", name);
    const char *const host = environment(server, "HOST", name);
    const char *const port = environment(server, "PORT", name);
    const char *const socket = environment(server, "SOCKET", name);
    const char *list = store->host;
    uint64_t number = store->port;
    struct err err = { 0 };
    bool found = true;

    if (store->user != NULL && user != NULL && strcmp(store->user, user) != 0 &&
        (plain_user == NULL || strcmp(store->user, plain_user) != 0))
        return false;
    if (host == NULL && socket == NULL)
        return true;
    if (list == NULL) {
        list = host != NULL ? host : "localhost";
        if (number == 0 && port != NULL && units_scan_count(port, &number) != 0)
            return false;
    }
    for (const char *rest = list; rest != NULL && found;) {
        struct place asked = { .port = number };

        found = host_list_read(list, &rest, asked.host, &asked.port, &err) == 0 &&
                is_exported(server, &asked);
    }
    return found;
}

/* Reads from the environment what is missing on the command line.  The variables of a server
   belong together: none of them is used for another server or another user. */
static int read_environment(const char *server, struct runner_config *config, struct err *err)
{
    struct store_config *const store = &config->store;
    const bool exported = are_for(server, store);
    char name[64];
    const char *const port = environment(server, "PORT", name);

    if (store->host == NULL && store->port == 0 && port != NULL &&
        (units_scan_count(port, &store->port) != 0 || store->port > 65535))
        return err_usage(err, "%s: '%s' is not a port in 0..65535", name, port);
    if (store->host == NULL)
        store->host = environment(server, "HOST", name);
    const char *const user = exported ? environment(server, "USER", name) : NULL;
    if (store->user == NULL)
        store->user = user != NULL ? user : environment("", "USER", name);
    const char *const password = exported ? environment(server, "PASSWORD", name) : NULL;
    if (store->password == NULL)
        store->password = password != NULL ? password : environment("", "PASSWORD", name);
    return store->password == NULL || strlen(store->password) < OPT_SECRET_MAX
               ? 0
               : err_usage(err, "%s: the value is longer than %d characters", name,
                           OPT_SECRET_MAX - 1);
}

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
        (config->workload->exchanges || load->search_by != LOOKUP_ADDRESS))
        *schema = SCHEMA_KEA;
    load->counted = *schema == SCHEMA_KEA_STATS;
    return 0;
}

/* Refuses an allocator that picks from a list that the store does not have. */
static int check_free_list(const struct options *options, const struct runner_config *config,
                           struct err *err)
{
    const struct backend *const backend = options->backend;
    const enum free_list list = allocator_free_list(config->load.allocator);
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
    store->free_list = allocator_free_list(load->allocator);
    store->joins = load->rank > 0;
    store->settings = &config->settings;
    store->password = config->password.given ? config->password.text : NULL;
    return server != NULL ? read_environment(server, config, err) : 0;
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
