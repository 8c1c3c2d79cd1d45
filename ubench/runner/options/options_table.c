/* SPDX-License-Identifier: ISC */
#include "runner/options/options_table.h"

#include "core/workers.h"
#include "runner/options/options.h"
#include "runner/options/options_choices.h"

#define CONFIG struct runner_config

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
        row->loads = OPTION_ALWAYS;
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

const struct opt options_table[] = {
    { OPT_COUNT(CONFIG, load.count), .letter = 'n', .usual = true, .name = "count",
      .traits = OPTION_LENGTH, .arg = "N", .fallback = "100", .min = 1, .max = 100000000,
      .group = "Load:", .loads = OPTION_SOME, .help = "operations per phase, or exchanges" },
    { OPT_COUNT(CONFIG, load.threads), .letter = 't', .usual = true, .name = "threads", .arg = "N",
      .fallback = "1", .min = 1, .max = WORKERS_MAX, .loads = OPTION_SOME,
      .help = "worker threads, each with its own session" },
    { OPT_FLAG(CONFIG, load.in_turns), .name = "turns", .loads = OPTION_SOME,
      .traits = OPTION_NO_RANKS,
      .help = "work only on commands from standard input; for scripts/duel" },
    { OPT_TEXT(CONFIG, batch), .letter = 'b', .name = "batch", .arg = "N|T|N,T", .fallback = "1",
      .loads = OPTION_SOME,
      .help = "changes, or exchanges, that each thread commits together: at most N, or those of a "
              "time T after the first" },
    { OPT_COUNT(CONFIG, repeat), .letter = 'R', .usual = true, .name = "repeat", .arg = "N",
      .fallback = "1", .min = 1, .max = 100, .traits = OPTION_NO_TURNS, .loads = OPTION_ALL,
      .help = "number of runs, each on an empty store" },
    { OPT_COUNT(CONFIG, load.warmup), .name = "warmup", .arg = "N", .fallback = "0",
      .max = 100000000, .loads = OPTION_SOME, .help = "unmeasured operations before each run" },
    { OPT_CHOICE(CONFIG, load.profile), .letter = 'L', .name = "lease", .arg = "KIND",
      .fallback = "typical", .choices = choices_lease, .loads = OPTION_ALL,
      .help = "contents of the leases" },
    { OPT_FLAG(CONFIG, ipv6), .letter = '6', .usual = true, .name = "ipv6", .loads = OPTION_SOME,
      .help = "IPv6 leases: DUID and IAID instead of a client-id" },
    { OPT_SHARE(CONFIG, load.phases.hit_ratio), .letter = 'H', .name = "hit-ratio", .arg = "H",
      .fallback = "0.9", .loads = OPTION_SOME,
      .help = "share of searches that find a lease, 0..1" },
    { OPT_CHOICE(CONFIG, load.phases.search_by), .name = "search-by", .arg = "KEY",
      .fallback = "address", .choices = choices_search, .loads = OPTION_SOME,
      .help = "key to search by" },
    { OPT_COUNT(CONFIG, load.subnets), .name = "subnets", .arg = "N", .fallback = "1", .min = 1,
      .max = 100000, .loads = OPTION_SOME, .help = "spread the clients over N subnets at random" },
    { OPT_COUNT(CONFIG, load.preload), .name = "preload", .arg = "N", .fallback = "0",
      .max = 100000000, .loads = OPTION_SOME,
      .help = "leases stored before the run; exchanges: 10k" },
    { OPT_COUNT(CONFIG, load.seed), .name = "seed", .arg = "N", .fallback = "1", .max = UINT64_MAX,
      .loads = OPTION_ALL, .help = "the same seed gives the same operations" },
    { OPT_TEXT(CONFIG, workload_name), .letter = 'w', .usual = true, .name = "workload",
      .fit = fit_workload, .arg = "NAME", .fallback = "phases", .loads = OPTION_ALL,
      .help = "renew..., a mix (renew=9,dora=1) or @FILE" },
    { OPT_COUNT(CONFIG, load.candidates), .name = "probes", .applies = has_candidates, .arg = "N",
      .fallback = "1", .min = 1, .max = EXCHANGES_CANDIDATES_MAX, .loads = OPTION_SOME,
      .condition =
          "use it with an exchange that searches for a free address, such as --workload=dora",
      .help = "addresses to check until one is free" },
    { OPT_SHARE(CONFIG, load.cache_threshold), .name = "cache-threshold", .arg = "SHARE",
      .loads = OPTION_SOME,
      .help = "do not write leases younger than this share of their lifetime [0; Kea 3.0: 0.25]" },
    { OPT_COUNT(CONFIG, load.reservations), .name = "hosts", .fit = fit_hosts,
      .applies = has_reservations, .arg = "N", .min = 1, .max = 10000000, .loads = OPTION_SOME,
      .condition =
          "use it with an IPv4 exchange that looks up reservations, such as --workload=dora",
      .help = "host reservations to look up, as a server does" },
    { OPT_CHOICE(CONFIG, load.trips), .name = "trips", .fit = fit_trips, .arg = "HOW",
      .fallback = "series", .choices = choices_trips, .scope = OPT_SCOPE_SERVER,
      .loads = OPTION_SOME, .help = "how the statements of an exchange reach the server" },
    { OPT_DURATION(CONFIG, load.server_time_ns), .name = "server-time", .arg = "T", .min = 1000,
      .max = 1000000000, .loads = OPTION_SOME,
      .help = "processor time to spend on each exchange, as a DHCP server would" },
    { OPT_TEXT(CONFIG, load.replay.path), .name = "trace",
      .traits = OPTION_LENGTH | OPTION_NO_RANKS, .arg = "FILE", .loads = OPTION_SOME,
      .help = "trace for --workload=replay; ubench_report trace makes it" },
    { OPT_RATE(CONFIG, load.replay.speed), .name = "speed", .arg = "N", .max = 1000000,
      .loads = OPTION_SOME, .traits = OPTION_NO_TURNS,
      .help = "replay at N times the recorded pace [as fast as possible]" },
    { OPT_DURATION(CONFIG, load.replay.span_ns), .name = "span", .arg = "T", .min = 1000000000,
      .max = 3153600000000000000, .loads = OPTION_SOME,
      .help = "replay only the first T of the time that the trace recorded [all]" },
    { OPT_CHOICE(CONFIG, load.pool.allocator), .name = "allocator", .arg = "NAME",
      .choices = choices_allocator, .loads = OPTION_SOME,
      .help = "take the addresses of all new clients from one pool; how to choose them" },
    { OPT_COUNT(CONFIG, load.pool.size), .name = "pool", .arg = "N", .min = POOL_MIN,
      .max = ALLOCATOR_POOL_MAX, .loads = OPTION_SOME,
      .help = "addresses in that pool [--workload=fill: 20k; else so many that -n takes half of "
              "those that are free]" },
    { OPT_SHARE(CONFIG, load.pool.full), .name = "full", .arg = "SHARE", .loads = OPTION_SOME,
      .help = "share of that pool that other clients have before the run, such as 90% [0; 50% if "
              "leases end during the run]" },
    { OPT_COUNT(CONFIG, load.pool.servers), .name = "servers", .arg = "N", .min = 1,
      .max = POOL_SERVERS_MAX, .loads = OPTION_SOME,
      .help = "servers that the threads are divided among, each with its own allocator [1 in each "
              "rank]" },
    { OPT_RATE(CONFIG, load.phases.pace_per_s), .name = "pace", .arg = "R", .max = 10000000,
      .loads = OPTION_SOME, .traits = OPTION_NO_TURNS,
      .help = "limit --workload=churn to R changes per second" },
    { OPT_TEXT(CONFIG, ledger), .name = "ledger", .arg = "FILE", .scope = OPT_SCOPE_STORES,
      .loads = OPTION_SOME, .traits = OPTION_NO_TURNS | OPTION_NO_RANKS,
      .help = "record each change in FILE for a later --verify" },
    { OPT_TEXT(CONFIG, verify), .name = "verify", .arg = "FILE", .scope = OPT_SCOPE_STORES,
      .traits = OPTION_NO_TURNS | OPTION_NO_RANKS,
      .help = "check the store against the ledger FILE; run no load" },

    { OPT_RATE(CONFIG, load.open.per_s), .usual = true, .name = "rate", .arg = "R", .max = 10000000,
      .group = "Open loop (requests do not wait for earlier answers):", .loads = OPTION_SOME,
      .help = "offered load, in exchanges per second" },
    { OPT_FLAG(CONFIG, load.open.find_rate), .name = "find-rate", .loads = OPTION_SOME,
      .help = "search for the highest sustained rate" },
    { OPT_DURATION(CONFIG, load.open.duration_ns), .name = "duration", .traits = OPTION_LENGTH,
      .arg = "T", .fallback = "60s", .min = 100000000, .max = 2592000000000000,
      .loads = OPTION_SOME, .help = "duration of each trial" },
    { OPT_DURATION(CONFIG, load.open.deadline_ns), .name = "deadline", .arg = "D", .fallback = "1s",
      .min = 1000000, .max = 3600000000000, .loads = OPTION_SOME,
      .help = "answers that take longer count as late" },
    { OPT_CHOICE(CONFIG, load.open.arrivals), .name = "arrivals", .arg = "KIND",
      .fallback = "poisson", .choices = choices_arrivals, .loads = OPTION_SOME,
      .help = "distribution of the gaps between requests" },
    { OPT_COUNT(CONFIG, load.open.queue_size), .name = "queue", .arg = "N", .fallback = "256",
      .min = 1, .max = 100000000, .loads = OPTION_SOME,
      .help = "requests that can wait; any more are dropped" },
    { OPT_CHOICE(CONFIG, load.open.policy), .name = "queue-policy", .arg = "NAME",
      .fallback = "drop-newest", .choices = choices_policy, .loads = OPTION_SOME,
      .help = "which request to drop when the queue is full" },
    { OPT_COUNT(CONFIG, load.open.clients), .name = "clients", .traits = OPTION_LENGTH, .arg = "N",
      .fallback = "10k", .min = 1, .max = STORM_CLIENTS_MAX, .loads = OPTION_SOME,
      .help = "number of clients of --workload=storm" },
    { OPT_DURATION(CONFIG, load.open.spread_ns), .name = "spread", .arg = "T", .fallback = "0",
      .max = 3600000000000, .loads = OPTION_SOME,
      .help = "spread the first requests of storm over this time" },
    { OPT_DURATION(CONFIG, load.open.hook_delay_ns), .name = "hook-delay", .arg = "T",
      .fallback = "0", .max = 60000000000, .loads = OPTION_SOME,
      .help = "delay of an external service that each exchange waits for" },
    { OPT_TEXT(CONFIG, hook), .name = "hook", .applies = has_hook, .arg = "inline|pool:N",
      .fallback = "inline", .loads = OPTION_SOME, .condition = "use it with --hook-delay",
      .help = "wait in the worker threads or in a pool of N threads" },

    { OPT_TEXT(CONFIG, store.target), .letter = 'f', .usual = true, .name = "file",
      .fit = fit_target, .arg = "FILE", .scope = OPT_SCOPE_FILE,
      .group = "Store:", .help = "a new file, or one that ubench created" },
    { OPT_TEXT(CONFIG, store.target), .letter = 'f', .usual = true, .name = "database",
      .fit = fit_target, .arg = "NAME", .scope = OPT_SCOPE_SERVER,
      .group = "Store:", .help = "database for the tables of ubench" },
    { OPT_CHOICE(CONFIG, store.sync), .letter = 's', .usual = true, .name = "sync", .fit = fit_sync,
      .arg = "LEVEL", .fallback = "yes", .choices = choices_sync, .scope = OPT_SCOPE_STORES,
      .loads = OPTION_ALL, .help = "yes: leases survive power loss; no: faster" },
    { OPT_CHOICE(CONFIG, store.compiled), .letter = 'c', .name = "compiled", .arg = "yes|no",
      .fallback = "yes", .choices = choices_yes_no, .scope = OPT_SCOPE_SQL, .loads = OPTION_ALL,
      .help = "use prepared statements, or send SQL text each time" },
    { OPT_TEXT(CONFIG, sql), .name = "sql", .arg = "FILE", .scope = OPT_SCOPE_SQL,
      .loads = OPTION_ALL, .help = "use the SQL of FILE for single statements; see --print-sql" },
    { OPT_CHOICE(CONFIG, store.schema), .letter = 'S', .usual = true, .name = "schema",
      .fit = fit_schema, .arg = "NAME", .choices = choices_schema, .scope = OPT_SCOPE_STORES,
      .loads = OPTION_ALL, .help = "tables and indexes [lean, or kea where needed]" },
    { OPT_TEXT(CONFIG, store.engine), .letter = 'e', .name = "engine", .arg = "ENGINE",
      .fallback = "InnoDB", .scope = OPT_SCOPE_ENGINE, .loads = OPTION_ALL,
      .help = "storage engine of the lease table" },
    { OPT_SETTINGS(CONFIG, settings), .letter = 'o', .usual = true, .name = "set",
      .fit = fit_settings, .arg = "NAME=VALUE", .scope = OPT_SCOPE_STORES, .loads = OPTION_ALL,
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
      .arg = "PASSWORD", .scope = OPT_SCOPE_SERVER, .traits = OPTION_SILENT,
      .help = "password [UBENCH_PASSWORD, or the client's files]" },
    { OPT_COUNT(CONFIG, store.connect_timeout_s), .name = "connect-timeout", .arg = "SECONDS",
      .fallback = "5", .min = 1, .max = 3600, .scope = OPT_SCOPE_SERVER,
      .help = "time limit for connecting" },
    { OPT_COUNT(CONFIG, store.read_timeout_s), .name = "read-timeout", .arg = "SECONDS",
      .fallback = "30", .max = 3600, .scope = OPT_SCOPE_SERVER,
      .help = "time limit for an answer; 0: none" },
    { OPT_DURATION(CONFIG, reconnect_ns), .name = "reconnect", .arg = "T", .max = 86400000000000,
      .scope = OPT_SCOPE_SERVER, .loads = OPTION_SOME, .traits = OPTION_NO_TURNS | OPTION_NO_RANKS,
      .help = "keep trying to reconnect for this time if the server goes away; 0: do not try" },

    { OPT_CHOICE(CONFIG, load.latency), .name = "latency", .arg = "on|off", .fallback = "on",
      .choices = choices_on_off, .group = "Output:", .loads = OPTION_SOME,
      .help = "time each operation, or only whole phases" },
    { OPT_FLAG(CONFIG, activity), .name = "activity", .scope = OPT_SCOPE_STORES,
      .loads = OPTION_ALL, .traits = OPTION_NO_TURNS,
      .help = "record what the store does besides answering, second by second" },
    { OPT_CHOICE(CONFIG, verbose), .letter = 'v', .usual = true, .name = "verbose", .arg = "HOW",
      .fallback = "yes", .alone = "full", .choices = choices_verbose,
      .help = "how much to print: no, yes or full" },
    { OPT_CHOICE(CONFIG, progress), .name = "progress", .arg = "STYLE", .fallback = "auto",
      .choices = choices_progress, .help = "how progress is shown, on stderr" },
    { OPT_TEXT(CONFIG, output), .letter = 'O', .usual = true, .name = "output", .arg = "FILE",
      .help = "append the result to FILE as one line of JSON" },
    { OPT_FLAG(CONFIG, json), .name = "json", .traits = OPTION_SILENT,
      .help = "print the result as JSON instead of tables" },
    { OPT_SETTINGS(CONFIG, label_options), .name = "label", .arg = "NAME=VALUE",
      .traits = OPTION_SILENT, .help = "record a label in the result; repeatable" },
    { OPT_CHOICE(CONFIG, help), .letter = 'h', .usual = true, .name = "help", .arg = "WHAT",
      .alone = "short", .choices = choices_help, .traits = OPTION_SILENT,
      .help = "print the options and exit" },
    { OPT_FLAG(CONFIG, list_options), .name = "list-options", .traits = OPTION_SILENT,
      .help = "print the options separated by tabs and exit" },
    { OPT_FLAG(CONFIG, describe), .name = "describe", .traits = OPTION_SILENT,
      .help = "print options, workloads and classes as JSON and exit" },
    { OPT_FLAG(CONFIG, print_exchange), .name = "print-exchange", .traits = OPTION_SILENT,
      .loads = OPTION_SOME, .help = "print the exchanges of --workload as a file and exit" },
    { OPT_FLAG(CONFIG, print_sql), .name = "print-sql", .scope = OPT_SCOPE_SQL,
      .traits = OPTION_SILENT,
      .help = "print the statements of the store as a file for --sql and exit" },
    { OPT_FLAG(CONFIG, version), .letter = 'V', .name = "version", .traits = OPTION_SILENT,
      .help = "print versions and exit" },
    { .kind = OPT_KIND_END },
};
