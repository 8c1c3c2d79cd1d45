/* SPDX-License-Identifier: ISC */
#include "runner/options/options_choices.h"

#include "runner/options/options.h"

const struct opt_choice choices_sync[] = {
    { "yes", SYNC_YES, "power-safe: an acknowledged lease survives power loss" },
    { "no", SYNC_NO, "the store's usual asynchronous setting" },
    { "server", SYNC_SERVER, "change nothing; report the class found" },
    { "volatile", SYNC_VOLATILE, "killing a process can lose leases" },
    { "process-safe", SYNC_PROCESS_SAFE, "leases survive kill -9" },
    { "bounded", SYNC_BOUNDED, "power loss costs at most a bounded time" },
    { "power-safe", SYNC_POWER_SAFE, "the same as yes" },
    { NULL, 0, NULL },
};

const struct opt_choice choices_schema[] = {
    { "lean", SCHEMA_LEAN, "one index, the address, as in 2012" },
    { "kea", SCHEMA_KEA, "Kea's columns and secondary indexes" },
    { "kea+stats", SCHEMA_KEA_STATS, "kea plus lease counters per subnet and pool" },
    { NULL, 0, NULL },
};

const struct opt_choice choices_lease[] = {
    { "typical", LEASE_PROFILE_TYPICAL,
      "6-byte MAC, 7-byte client-id (DUID: 10 or 14), host name" },
    { "guide", LEASE_PROFILE_GUIDE, "20-byte hwaddr, 128-byte client-id or DUID, as in 2012" },
    { NULL, 0, NULL },
};

const struct opt_choice choices_trips[] = {
    { "series", TRIPS_SERIES, "each statement in a round trip of its own, as in Kea" },
    { "pipeline", TRIPS_PIPELINE, "searches of a packet in one round trip" },
    { "procedure", TRIPS_PROCEDURE, "a packet in one call of a stored procedure" },
    { NULL, 0, NULL },
};

const struct opt_choice choices_allocator[] = {
    { "iterative", ALLOCATOR_ITERATIVE, "the next address after the last one assigned" },
    { "random", ALLOCATOR_RANDOM, "every address once, in random order" },
    { "flq", ALLOCATOR_FLQ, "Kea's free lease queue, in the server's memory" },
    { "free-list", ALLOCATOR_FLQ, "the former name of flq" },
    { "shared-flq", ALLOCATOR_SHARED_FLQ, "Kea's free lease queue in the database" },
    { "skip-locked", ALLOCATOR_SKIP_LOCKED, "the same queue; picks pass over each other" },
    { NULL, 0, NULL },
};

const struct opt_choice choices_arrivals[] = {
    { "poisson", ARRIVALS_POISSON, "random gaps, as between independent clients" },
    { "constant", ARRIVALS_CONSTANT, "equal gaps (flatters the store)" },
    { NULL, 0, NULL },
};

const struct opt_choice choices_policy[] = {
    { "drop-newest", QUEUE_DROP_NEWEST, "the newest, as a full socket buffer does" },
    { "drop-oldest", QUEUE_DROP_OLDEST, "the oldest" },
    { "dedup", QUEUE_DEDUP, "the newest; a request of a queued client is merged" },
    { NULL, 0, NULL },
};

const struct opt_choice choices_search[] = {
    { "address", LOOKUP_ADDRESS, NULL },
    { "hwaddr", LOOKUP_HWADDR, NULL },
    { "client-id", LOOKUP_CLIENT_ID, "IPv6: DUID and IAID" },
    { NULL, 0, NULL },
};

const struct opt_choice choices_yes_no[] = { { "yes", true, NULL },
                                             { "no", false, NULL },
                                             { NULL, 0, NULL } };

const struct opt_choice choices_on_off[] = { { "on", true, NULL },
                                             { "off", false, NULL },
                                             { NULL, 0, NULL } };

const struct opt_choice choices_verbose[] = {
    { "no", VERBOSE_NO, "figures, warnings and checks; no progress" },
    { "yes", VERBOSE_YES, "results and what they mean" },
    { "full", VERBOSE_FULL, "also the command that shows everything" },
    { NULL, 0, NULL },
};

const struct opt_choice choices_progress[] = {
    { "auto", PROGRESS_AUTO, "a bar if stderr is a terminal" },
    { "bar", PROGRESS_BAR, "one line, updated in place" },
    { "plain", PROGRESS_PLAIN, "one line every 10 s, for logs" },
    { "dots", PROGRESS_DOTS, NULL },
    { "none", PROGRESS_NONE, NULL },
    { NULL, 0, NULL },
};

const struct opt_choice choices_help[] = {
    { "short", OPTIONS_HELP_SHORT, "common options" },
    { "all", OPTIONS_HELP_ALL, "all options and their values" },
    { NULL, 0, NULL },
};
