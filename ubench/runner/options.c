/* SPDX-License-Identifier: ISC */
#include "runner/options.h"

#include <assert.h>
#include <string.h>

#include "core/text.h"
#include "core/workers.h"

#define CONFIG struct runner_config

static const struct opt_choice sync_choices[] = {
    { "yes", SYNC_YES, "power-safe: an acknowledged lease survives power loss" },
    { "no", SYNC_NO, "the store's usual asynchronous setting" },
    { "server", SYNC_SERVER, "change nothing; report the class found" },
    { "volatile", SYNC_VOLATILE, "killing a process can lose leases" },
    { "process-safe", SYNC_PROCESS_SAFE, "leases survive kill -9" },
    { "bounded", SYNC_BOUNDED, "power loss costs at most a bounded time" },
    { "power-safe", SYNC_POWER_SAFE, "the same as yes" },
    { NULL, 0, NULL },
};

static const struct opt_choice schema_choices[] = {
    { "lean", SCHEMA_LEAN, "one index, the address, as in 2012" },
    { "kea", SCHEMA_KEA, "Kea's columns and secondary indexes" },
    { "kea+stats", SCHEMA_KEA_STATS, "kea plus lease counters per subnet and pool" },
    { NULL, 0, NULL },
};

static const struct opt_choice lease_choices[] = {
    { "typical", LEASE_PROFILE_TYPICAL,
      "6-byte MAC, 7-byte client-id (DUID: 10 or 14), host name" },
    { "guide", LEASE_PROFILE_GUIDE, "20-byte hwaddr, 128-byte client-id or DUID, as in 2012" },
    { NULL, 0, NULL },
};

static const struct opt_choice trips_choices[] = {
    { "series", TRIPS_SERIES, "each statement in a round trip of its own, as in Kea" },
    { "pipeline", TRIPS_PIPELINE, "searches of a packet in one round trip" },
    { "procedure", TRIPS_PROCEDURE, "a packet in one call of a stored procedure" },
    { NULL, 0, NULL },
};

static const struct opt_choice allocator_choices[] = {
    { "iterative", ALLOCATOR_ITERATIVE, "the next address after the last one assigned" },
    { "random", ALLOCATOR_RANDOM, "every address once, in random order" },
    { "flq", ALLOCATOR_FLQ, "Kea's free lease queue, in the server's memory" },
    { "free-list", ALLOCATOR_FLQ, "the former name of flq" },
    { "shared-flq", ALLOCATOR_SHARED_FLQ, "Kea's free lease queue in the database" },
    { "skip-locked", ALLOCATOR_SKIP_LOCKED, "the same queue; picks pass over each other" },
    { NULL, 0, NULL },
};

static const struct opt_choice arrivals_choices[] = {
    { "poisson", ARRIVALS_POISSON, "random gaps, as between independent clients" },
    { "constant", ARRIVALS_CONSTANT, "equal gaps (flatters the store)" },
    { NULL, 0, NULL },
};

static const struct opt_choice policy_choices[] = {
    { "drop-newest", QUEUE_DROP_NEWEST, "the newest, as a full socket buffer does" },
    { "drop-oldest", QUEUE_DROP_OLDEST, "the oldest" },
    { "dedup", QUEUE_DEDUP, "the newest; a request of a queued client is merged" },
    { NULL, 0, NULL },
};

static const struct opt_choice search_choices[] = {
    { "address", LOOKUP_ADDRESS, NULL },
    { "hwaddr", LOOKUP_HWADDR, NULL },
    { "client-id", LOOKUP_CLIENT_ID, "IPv6: DUID and IAID" },
    { NULL, 0, NULL },
};

static const struct opt_choice yes_no[] = { { "yes", true, NULL },
                                            { "no", false, NULL },
                                            { NULL, 0, NULL } };

static const struct opt_choice on_off[] = { { "on", true, NULL },
                                            { "off", false, NULL },
                                            { NULL, 0, NULL } };

static const struct opt_choice verbose_choices[] = {
    { "no", VERBOSE_NO, "figures, warnings and checks; no progress" },
    { "yes", VERBOSE_YES, "results and what they mean" },
    { "full", VERBOSE_FULL, "also the command that shows everything" },
    { NULL, 0, NULL },
};

static const struct opt_choice progress_choices[] = {
    { "auto", PROGRESS_AUTO, "a bar if stderr is a terminal" },
    { "bar", PROGRESS_BAR, "one line, updated in place" },
    { "plain", PROGRESS_PLAIN, "one line every 10 s, for logs" },
    { "dots", PROGRESS_DOTS, NULL },
    { "none", PROGRESS_NONE, NULL },
    { NULL, 0, NULL },
};

static const struct opt_choice help_choices[] = {
    { "short", OPTIONS_HELP_SHORT, "common options" },
    { "all", OPTIONS_HELP_ALL, "all options and their values" },
    { NULL, 0, NULL },
};

/* Which workloads use an option. */
enum {
    ALWAYS = 0, /* all; also --verify, which runs none */
    ALL,        /* all */
    SOME,       /* those that list the option (load/workloads.h) */
};

/* Traits of an option. */
enum {
    LENGTH = 1 << 0,   /* sets the length of a load; each workload has one such option */
    SILENT = 1 << 1,   /* not a parameter of the run */
    NO_TURNS = 1 << 2, /* cannot be used with --turns */
    NO_RANKS = 1 << 3, /* cannot be used with several ranks */
};

/* Differences between stores */

static bool fit_target(struct opt *row, const void *program)
{
    const struct backend *const backend = ((const struct options *)program)->backend;
    const bool is_file = (backend->scope & OPT_SCOPE_FILE) != 0;

    row->fallback = backend->default_target;
    if (is_file && (backend->scope & OPT_SCOPE_SERVER) != 0)
        row->help = "lease file or database";
    return is_file == ((row->scope & OPT_SCOPE_FILE) != 0);
}

static bool fit_sync(struct opt *row, const void *program)
{
    const struct options *const options = program;

    row->choices = options->levels;
    if (options->backend->sync_help != NULL)
        row->help = options->backend->sync_help;
    return true;
}

static bool fit_schema(struct opt *row, const void *program)
{
    const struct options *const options = program;

    row->choices = options->schemas;
    if (options->backend->one_schema) {
        row->fallback = options->schemas[0].name;
        row->help = "tables and indexes";
    }
    return true;
}

static bool fit_workload(struct opt *row, const void *program)
{
    row->choices = ((const struct options *)program)->workloads;
    return true;
}

/* --verify needs the settings if they identify the store. */
static bool fit_settings(struct opt *row, const void *program)
{
    if (((const struct options *)program)->backend->set_says_where)
        row->loads = ALWAYS;
    return true;
}

static bool fit_hosts(struct opt *row, const void *program)
{
    (void)row;
    return ((const struct options *)program)->backend->add_reservation != NULL;
}

static bool fit_trips(struct opt *row, const void *program)
{
    (void)row;
    return ((const struct options *)program)->backend->ask_together != NULL;
}

/* Dependencies on other options */

static bool has_candidates(const void *config)
{
    return mix_has_step(&((const CONFIG *)config)->load.mix, STEP_CHECK_CANDIDATES);
}

static bool has_reservations(const void *config)
{
    return mix_has_step(&((const CONFIG *)config)->load.mix, STEP_FIND_RESERVATION);
}

static bool has_hook(const void *config)
{
    return ((const CONFIG *)config)->load.open.hook_delay_ns > 0;
}

static const struct opt all_options[] = {
    { OPT_COUNT(CONFIG, load.count), .letter = 'n', .usual = true, .name = "count",
      .traits = LENGTH, .arg = "N", .fallback = "100", .min = 1, .max = 100000000,
      .group = "Load:", .loads = SOME, .help = "operations per phase, or exchanges" },
    { OPT_COUNT(CONFIG, load.threads), .letter = 't', .usual = true, .name = "threads", .arg = "N",
      .fallback = "1", .min = 1, .max = WORKERS_MAX, .loads = SOME,
      .help = "worker threads, each with its own session" },
    { OPT_FLAG(CONFIG, load.in_turns), .name = "turns", .loads = SOME, .traits = NO_RANKS,
      .help = "work only on commands from standard input; for scripts/duel" },
    { OPT_TEXT(CONFIG, batch), .letter = 'b', .name = "batch", .arg = "N|T|N,T", .fallback = "1",
      .loads = SOME,
      .help = "changes, or exchanges, that each thread commits together: at most N, or those of a "
              "time T after the first" },
    { OPT_COUNT(CONFIG, repeat), .letter = 'R', .usual = true, .name = "repeat", .arg = "N",
      .fallback = "1", .min = 1, .max = 100, .traits = NO_TURNS, .loads = ALL,
      .help = "number of runs, each on an empty store" },
    { OPT_COUNT(CONFIG, load.warmup), .name = "warmup", .arg = "N", .fallback = "0",
      .max = 100000000, .loads = SOME, .help = "unmeasured operations before each run" },
    { OPT_CHOICE(CONFIG, load.profile), .letter = 'L', .name = "lease", .arg = "KIND",
      .fallback = "typical", .choices = lease_choices, .loads = ALL,
      .help = "contents of the leases" },
    { OPT_FLAG(CONFIG, ipv6), .letter = '6', .usual = true, .name = "ipv6", .loads = SOME,
      .help = "IPv6 leases: DUID and IAID instead of a client-id" },
    { OPT_SHARE(CONFIG, load.hit_ratio), .letter = 'H', .name = "hit-ratio", .arg = "H",
      .fallback = "0.9", .loads = SOME, .help = "share of searches that find a lease, 0..1" },
    { OPT_CHOICE(CONFIG, load.search_by), .name = "search-by", .arg = "KEY", .fallback = "address",
      .choices = search_choices, .loads = SOME, .help = "key to search by" },
    { OPT_COUNT(CONFIG, load.subnets), .name = "subnets", .arg = "N", .fallback = "1", .min = 1,
      .max = 100000, .loads = SOME, .help = "spread the clients over N subnets at random" },
    { OPT_COUNT(CONFIG, load.preload), .name = "preload", .arg = "N", .fallback = "0",
      .max = 100000000, .loads = SOME, .help = "leases stored before the run; exchanges: 10k" },
    { OPT_COUNT(CONFIG, load.seed), .name = "seed", .arg = "N", .fallback = "1", .max = UINT64_MAX,
      .loads = ALL, .help = "the same seed gives the same operations" },
    { OPT_TEXT(CONFIG, workload_name), .letter = 'w', .usual = true, .name = "workload",
      .fit = fit_workload, .arg = "NAME", .fallback = "phases", .loads = ALL,
      .help = "renew..., a mix (renew=9,dora=1) or @FILE" },
    { OPT_COUNT(CONFIG, load.candidates), .name = "probes", .applies = has_candidates, .arg = "N",
      .fallback = "1", .min = 1, .max = EXCHANGES_CANDIDATES_MAX, .loads = SOME,
      .condition =
          "use it with an exchange that searches for a free address, such as --workload=dora",
      .help = "addresses to check until one is free" },
    { OPT_SHARE(CONFIG, load.cache_threshold), .name = "cache-threshold", .arg = "SHARE",
      .loads = SOME,
      .help = "do not write leases younger than this share of their lifetime [0; Kea 3.0: 0.25]" },
    { OPT_COUNT(CONFIG, load.reservations), .name = "hosts", .fit = fit_hosts,
      .applies = has_reservations, .arg = "N", .min = 1, .max = 10000000, .loads = SOME,
      .condition =
          "use it with an IPv4 exchange that looks up reservations, such as --workload=dora",
      .help = "host reservations to look up, as a server does" },
    { OPT_CHOICE(CONFIG, load.trips), .name = "trips", .fit = fit_trips, .arg = "HOW",
      .fallback = "series", .choices = trips_choices, .scope = OPT_SCOPE_SERVER, .loads = SOME,
      .help = "how the statements of an exchange reach the server" },
    { OPT_DURATION(CONFIG, load.server_time_ns), .name = "server-time", .arg = "T", .min = 1000,
      .max = 1000000000, .loads = SOME,
      .help = "processor time to spend on each exchange, as a DHCP server would" },
    { OPT_TEXT(CONFIG, load.replay.path), .name = "trace", .traits = LENGTH | NO_RANKS,
      .arg = "FILE", .loads = SOME,
      .help = "trace for --workload=replay; ubench_report trace makes it" },
    { OPT_RATE(CONFIG, load.replay.speed), .name = "speed", .arg = "N", .max = 1000000,
      .loads = SOME, .traits = NO_TURNS,
      .help = "replay at N times the recorded pace [as fast as possible]" },
    { OPT_DURATION(CONFIG, load.replay.span_ns), .name = "span", .arg = "T", .min = 1000000000,
      .max = 3153600000000000000, .loads = SOME,
      .help = "replay only the first T of the time that the trace recorded [all]" },
    { OPT_CHOICE(CONFIG, load.allocator), .name = "allocator", .arg = "NAME",
      .choices = allocator_choices, .loads = SOME,
      .help = "take the addresses of all new clients from one pool; how to choose them" },
    { OPT_COUNT(CONFIG, load.pool), .name = "pool", .arg = "N", .min = POOL_MIN,
      .max = ALLOCATOR_POOL_MAX, .loads = SOME,
      .help = "addresses in that pool [--workload=fill: 20k; else twice as many as -n takes]" },
    { OPT_SHARE(CONFIG, load.full), .name = "full", .arg = "SHARE", .loads = SOME,
      .help = "share of that pool that other clients have before the run, such as 90% [0; 50% if "
              "leases end during the run]" },
    { OPT_COUNT(CONFIG, load.servers), .name = "servers", .arg = "N", .min = 1,
      .max = POOL_SERVERS_MAX, .loads = SOME,
      .help = "servers that the threads are divided among, each with its own allocator [1 in each "
              "rank]" },
    { OPT_RATE(CONFIG, load.pace_per_s), .name = "pace", .arg = "R", .max = 10000000, .loads = SOME,
      .traits = NO_TURNS, .help = "limit --workload=churn to R changes per second" },
    { OPT_TEXT(CONFIG, ledger), .name = "ledger", .arg = "FILE", .scope = OPT_SCOPE_STORES,
      .loads = SOME, .traits = NO_TURNS | NO_RANKS,
      .help = "record each change in FILE for a later --verify" },
    { OPT_TEXT(CONFIG, verify), .name = "verify", .arg = "FILE", .scope = OPT_SCOPE_STORES,
      .traits = NO_TURNS | NO_RANKS,
      .help = "check the store against the ledger FILE; run no load" },

    { OPT_RATE(CONFIG, load.open.per_s), .usual = true, .name = "rate", .arg = "R", .max = 10000000,
      .group = "Open loop (requests do not wait for earlier answers):", .loads = SOME,
      .help = "offered load, in exchanges per second" },
    { OPT_FLAG(CONFIG, load.open.find_rate), .name = "find-rate", .loads = SOME,
      .help = "search for the highest sustained rate" },
    { OPT_DURATION(CONFIG, load.open.duration_ns), .name = "duration", .traits = LENGTH, .arg = "T",
      .fallback = "60s", .min = 100000000, .max = 2592000000000000, .loads = SOME,
      .help = "duration of each trial" },
    { OPT_DURATION(CONFIG, load.open.deadline_ns), .name = "deadline", .arg = "D", .fallback = "1s",
      .min = 1000000, .max = 3600000000000, .loads = SOME,
      .help = "answers that take longer count as late" },
    { OPT_CHOICE(CONFIG, load.open.arrivals), .name = "arrivals", .arg = "KIND",
      .fallback = "poisson", .choices = arrivals_choices, .loads = SOME,
      .help = "distribution of the gaps between requests" },
    { OPT_COUNT(CONFIG, load.open.queue_size), .name = "queue", .arg = "N", .fallback = "256",
      .min = 1, .max = 100000000, .loads = SOME,
      .help = "requests that can wait; any more are dropped" },
    { OPT_CHOICE(CONFIG, load.open.policy), .name = "queue-policy", .arg = "NAME",
      .fallback = "drop-newest", .choices = policy_choices, .loads = SOME,
      .help = "which request to drop when the queue is full" },
    { OPT_COUNT(CONFIG, load.open.clients), .name = "clients", .traits = LENGTH, .arg = "N",
      .fallback = "10k", .min = 1, .max = STORM_CLIENTS_MAX, .loads = SOME,
      .help = "number of clients of --workload=storm" },
    { OPT_DURATION(CONFIG, load.open.spread_ns), .name = "spread", .arg = "T", .fallback = "0",
      .max = 3600000000000, .loads = SOME,
      .help = "spread the first requests of storm over this time" },
    { OPT_DURATION(CONFIG, load.open.hook_delay_ns), .name = "hook-delay", .arg = "T",
      .fallback = "0", .max = 60000000000, .loads = SOME,
      .help = "delay of an external service that each exchange waits for" },
    { OPT_TEXT(CONFIG, hook), .name = "hook", .applies = has_hook, .arg = "inline|pool:N",
      .fallback = "inline", .loads = SOME, .condition = "use it with --hook-delay",
      .help = "wait in the worker threads or in a pool of N threads" },

    { OPT_TEXT(CONFIG, store.target), .letter = 'f', .usual = true, .name = "file",
      .fit = fit_target, .arg = "FILE", .scope = OPT_SCOPE_FILE,
      .group = "Store:", .help = "a new file, or one that ubench created" },
    { OPT_TEXT(CONFIG, store.target), .letter = 'f', .usual = true, .name = "database",
      .fit = fit_target, .arg = "NAME", .scope = OPT_SCOPE_SERVER,
      .group = "Store:", .help = "database for the tables of ubench" },
    { OPT_CHOICE(CONFIG, store.sync), .letter = 's', .usual = true, .name = "sync", .fit = fit_sync,
      .arg = "LEVEL", .fallback = "yes", .choices = sync_choices, .scope = OPT_SCOPE_STORES,
      .loads = ALL, .help = "yes: leases survive power loss; no: faster" },
    { OPT_CHOICE(CONFIG, store.compiled), .letter = 'c', .name = "compiled", .arg = "yes|no",
      .fallback = "yes", .choices = yes_no, .scope = OPT_SCOPE_SQL, .loads = ALL,
      .help = "use prepared statements, or send SQL text each time" },
    { OPT_TEXT(CONFIG, sql), .name = "sql", .arg = "FILE", .scope = OPT_SCOPE_SQL, .loads = ALL,
      .help = "use the SQL of FILE for single statements; see --print-sql" },
    { OPT_CHOICE(CONFIG, store.schema), .letter = 'S', .usual = true, .name = "schema",
      .fit = fit_schema, .arg = "NAME", .choices = schema_choices, .scope = OPT_SCOPE_STORES,
      .loads = ALL, .help = "tables and indexes [lean, or kea where needed]" },
    { OPT_TEXT(CONFIG, store.engine), .letter = 'e', .name = "engine", .arg = "ENGINE",
      .fallback = "InnoDB", .scope = OPT_SCOPE_ENGINE, .loads = ALL,
      .help = "storage engine of the lease table" },
    { OPT_SETTINGS(CONFIG, settings), .letter = 'o', .usual = true, .name = "set",
      .fit = fit_settings, .arg = "NAME=VALUE", .scope = OPT_SCOPE_STORES, .loads = ALL,
      .help = "a setting of the store; repeatable, applied last" },

    { OPT_TEXT(CONFIG, store.host), .letter = 'm', .usual = true, .name = "host", .arg = "HOST",
      .scope = OPT_SCOPE_SERVER,
      .group = "Connection:", .help = "HOST, HOST:PORT or socket path; A,B for a cluster" },
    { OPT_COUNT(CONFIG, store.port), .letter = 'P', .usual = true, .name = "port", .arg = "PORT",
      .fallback = "0", .max = 65535, .scope = OPT_SCOPE_SERVER,
      .help = "server port; 0: the server's default" },
    { OPT_TEXT(CONFIG, store.user), .letter = 'u', .usual = true, .name = "user", .arg = "USER",
      .scope = OPT_SCOPE_SERVER, .help = "user [UBENCH_USER, or the client's own files]" },
    { OPT_SECRET(CONFIG, password), .letter = 'p', .usual = true, .name = "password",
      .arg = "PASSWORD", .scope = OPT_SCOPE_SERVER, .traits = SILENT,
      .help = "password [UBENCH_PASSWORD, or the client's files]" },
    { OPT_COUNT(CONFIG, store.connect_timeout_s), .name = "connect-timeout", .arg = "SECONDS",
      .fallback = "5", .min = 1, .max = 3600, .scope = OPT_SCOPE_SERVER,
      .help = "time limit for connecting" },
    { OPT_COUNT(CONFIG, store.read_timeout_s), .name = "read-timeout", .arg = "SECONDS",
      .fallback = "30", .max = 3600, .scope = OPT_SCOPE_SERVER,
      .help = "time limit for an answer; 0: none" },
    { OPT_DURATION(CONFIG, reconnect_ns), .name = "reconnect", .arg = "T", .max = 86400000000000,
      .scope = OPT_SCOPE_SERVER, .loads = SOME, .traits = NO_TURNS | NO_RANKS,
      .help = "keep trying to reconnect for this time if the server goes away; 0: do not try" },

    { OPT_CHOICE(CONFIG, load.latency), .name = "latency", .arg = "on|off", .fallback = "on",
      .choices = on_off, .group = "Output:", .loads = SOME,
      .help = "time each operation, or only whole phases" },
    { OPT_FLAG(CONFIG, activity), .name = "activity", .scope = OPT_SCOPE_STORES, .loads = ALL,
      .traits = NO_TURNS, .help = "record once a second what the store does besides answering" },
    { OPT_CHOICE(CONFIG, verbose), .letter = 'v', .usual = true, .name = "verbose", .arg = "HOW",
      .fallback = "yes", .alone = "full", .choices = verbose_choices,
      .help = "how much to print: no, yes or full" },
    { OPT_CHOICE(CONFIG, progress), .name = "progress", .arg = "STYLE", .fallback = "auto",
      .choices = progress_choices, .help = "how progress is shown, on stderr" },
    { OPT_TEXT(CONFIG, output), .letter = 'O', .usual = true, .name = "output", .arg = "FILE",
      .help = "append the result to FILE as one line of JSON" },
    { OPT_FLAG(CONFIG, json), .name = "json", .traits = SILENT,
      .help = "print the result as JSON instead of tables" },
    { OPT_SETTINGS(CONFIG, label_options), .name = "label", .arg = "NAME=VALUE", .traits = SILENT,
      .help = "record a label in the result; repeatable" },
    { OPT_CHOICE(CONFIG, help), .letter = 'h', .usual = true, .name = "help", .arg = "WHAT",
      .alone = "short", .choices = help_choices, .traits = SILENT,
      .help = "print the options and exit" },
    { OPT_FLAG(CONFIG, list_options), .name = "list-options", .traits = SILENT,
      .help = "print the options separated by tabs and exit" },
    { OPT_FLAG(CONFIG, describe), .name = "describe", .traits = SILENT,
      .help = "print options, workloads and classes as JSON and exit" },
    { OPT_FLAG(CONFIG, print_exchange), .name = "print-exchange", .traits = SILENT, .loads = SOME,
      .help = "print the exchanges of --workload as a file and exit" },
    { OPT_FLAG(CONFIG, print_sql), .name = "print-sql", .scope = OPT_SCOPE_SQL, .traits = SILENT,
      .help = "print the statements of the store as a file for --sql and exit" },
    { OPT_FLAG(CONFIG, version), .letter = 'V', .name = "version", .traits = SILENT,
      .help = "print versions and exit" },
    { .kind = OPT_KIND_END },
};

/* Copies the choices whose values are in values, a set of bits. */
static void select_choices(struct opt_choice *to, const struct opt_choice *from, unsigned values)
{
    for (; from->name != NULL; from++) {
        if ((values & 1U << from->value) != 0)
            *to++ = *from;
    }
    *to = (struct opt_choice){ .name = NULL };
}

/* Adds a name of --workload to --help. */
static void add_workload(struct options *options, const char *name, const char *help)
{
    struct opt_choice *place = options->workloads;

    /* An exchange for both families has one row for each. */
    while (place->name != NULL && strcmp(place->name, name) != 0)
        place++;
    assert(place + 1 < options->workloads + OPTIONS_WORKLOADS_MAX);
    if (place->name == NULL)
        *place = (struct opt_choice){ name, 0, help };
}

static void list_workloads(struct options *options)
{
    for (const struct workload *const *w = workload_list; *w != NULL; w++) {
        if ((*w)->name != NULL)
            add_workload(options, (*w)->name, (*w)->help);
        if ((*w)->name != NULL || (*w)->option != NULL)
            continue;
        for (const struct exchange *e = exchange_table; e->name != NULL; e++)
            add_workload(options, e->name, e->help);
        for (const struct named_mix *m = mix_table; m->name != NULL; m++)
            add_workload(options, m->name, m->help);
    }
}

/* Returns which runners have an option, for an error message. */
static const char *owner_of(const struct opt *row)
{
    const unsigned scope = row->scope;

    return (scope & OPT_SCOPE_ENGINE) != 0   ? "mysql_ubench"
           : (scope & OPT_SCOPE_SERVER) != 0 ? "runners of database servers, such as mysql_ubench"
           : (scope & OPT_SCOPE_SQL) != 0    ? "runners of SQL stores, such as sqlite_ubench"
           : (scope & OPT_SCOPE_FILE) != 0
               ? "runners of stores in a file, such as sqlite_ubench"
               : "runners of stores that keep leases, such as sqlite_ubench";
}

void options_select(struct options *options, const struct backend *backend)
{
    struct opt *own = options->rows;

    *options = (struct options){ .backend = backend };
    select_choices(options->levels, sync_choices, backend->sync_levels);
    /* Kea's lease managers have only Kea's schema.  The counters are for
       databases that have them in Kea. */
    select_choices(options->schemas, schema_choices,
                   1U << SCHEMA_KEA | (backend->one_schema ? 0 : 1U << SCHEMA_LEAN) |
                       (backend->read_counters != NULL ? 1U << SCHEMA_KEA_STATS : 0));
    list_workloads(options);
    for (const struct opt *row = all_options; row->kind != OPT_KIND_END; row++) {
        assert(own + 1 < options->rows + OPTIONS_MAX);
        *own = *row;
        own += (row->scope & backend->scope) == row->scope &&
               (row->fit == NULL || row->fit(own, options));
    }
    *own = (struct opt){ .kind = OPT_KIND_END, .others = all_options, .owner = owner_of };
}

void options_print_help(const struct options *options, enum options_help help, FILE *out)
{
    const struct backend *const backend = options->backend;
    const char *const sync = (backend->scope & OPT_SCOPE_STORES) != 0 ? " -s no" : "";
    const bool all = help == OPTIONS_HELP_ALL;

    (void)fprintf(out,
                  "Usage: %s_ubench [OPTION]...\nMeasures how fast the %s lease store creates, "
                  "searches, updates and\ndeletes leases%s.\n%s",
                  backend->name, backend->name,
                  backend->keeps_leases ? " and verifies every answer"
                                        : ", and discards them: this is the cost of measuring",
                  all ? "" : "\n");
    opt_print_help(options->rows, all, out);
    if (!all)
        (void)fprintf(out, "\n--help all lists every option and explains its values.");
    else if (backend->settings_help != NULL)
        (void)fprintf(out, "\n--set takes %s.\n", backend->settings_help);
    (void)fprintf(out, "\nExample: %s_ubench -n 100k%s\n", backend->name, sync);
    if (all)
        (void)fprintf(
            out, "\nExit status: 0 success; 1 the store or the run failed; 2 usage error; 3 wrong\n"
                 "answer of the store or, with --verify, lost acknowledged changes; 129, 130,\n"
                 "131 or 143 interrupted by a signal.\n");
}

/* Where options apply */

bool options_is_taken(const struct opt *row, const struct workload *workload)
{
    return row->loads == ALL || workload_takes(workload, row->name);
}

/* Returns true if the option has an effect on the run. */
static bool is_used(const struct opt *row, const struct runner_config *config)
{
    if (row->loads == ALWAYS)
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
    else if ((row->traits & LENGTH) != 0)
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
        if (config->load.in_turns && (row->traits & NO_TURNS) != 0)
            return err_usage(err, "--turns cannot be used with --%s; leave one of them out",
                             row->name);
        if (config->load.ranks > 1 && (row->traits & NO_RANKS) != 0)
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

        if ((row->traits & SILENT) != 0 || !is_used(row, config) ||
            lacks_server(options, row, config))
            continue;
        opt_show(row, config, text, sizeof text);
        if (text[0] != '\0' && (row->kind != OPT_KIND_FLAG || strcmp(text, "yes") == 0))
            properties_add(properties, row->name, "%s", text);
    }
}
