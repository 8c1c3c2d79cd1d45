/* SPDX-License-Identifier: ISC */
/* The command line of every runner: one table, of which each takes its rows. */
#ifndef UBENCH_PROGRAMS_OPTIONS_H
#define UBENCH_PROGRAMS_OPTIONS_H

#include "core/opt.h"
#include "core/properties.h"
#include "load/exchange/table.h"
#include "load/openloop/open_load.h"
#include "store/backend.h"

enum { OPTIONS_SCHEMA_UNSET = -1 }; /* until workload_resolve */
enum { OPTIONS_MAX = 64, OPTIONS_WORKLOADS_MAX = 24 };

/* Of loads that do not wait for answers; a group of rows in the table. */
struct open_options {
    double per_s; /* 0: no rate was given */
    bool find_rate;
    uint64_t duration_ns;
    uint64_t deadline_ns;
    int arrivals;
    uint64_t queue;
    int policy;
    uint64_t clients;
    uint64_t spread_ns;
    uint64_t hook_delay_ns;
    const char *hook;
};

struct runner_config {
    const char *host;
    uint64_t port;
    const char *user;
    struct opt_secret password;
    uint64_t connect_timeout_s;
    uint64_t read_timeout_s;
    uint64_t reconnect_ns; /* 0: what is lost is lost */
    const char *target;
    const char *engine;
    int sync;
    int schema;
    struct opt_settings settings;
    uint64_t count;
    uint64_t threads;
    uint64_t batch;
    uint64_t repeat;
    uint64_t warmup;
    uint64_t preload;
    uint64_t subnets;
    double hit_ratio;
    int search_by; /* enum lookup */
    int lease;
    int allocator;
    int latency; /* true or false */
    int progress;
    uint64_t seed;
    const char *workload;
    struct mix mix; /* of exchanges that workload names; see workload.h */
    uint64_t probes;
    const char *hosts;
    uint64_t reservations; /* what hosts comes to */
    uint64_t pool;
    double pace_per_s; /* 0: none was given */
    struct open_options open;
    struct open_config open_load; /* what they come to; see open_options.h */
    const char *ledger;
    const char *verify;
    const char *output;
    struct opt_settings labels; /* names differ, and each fits a fact */
    bool churn;                 /* that is what workload names */
    bool fill;                  /* the same */
    bool ipv6;
    bool compiled;
    bool verbose;
    bool json;
    bool help;
    bool list_options;
    bool version;
    bool given[OPTIONS_MAX]; /* on the command line, by row */
};

/* The rows of one backend, closed by OPT_KIND_END; they point into this. */
struct options {
    struct opt rows[OPTIONS_MAX];
    struct opt_choice levels[SYNC_POWER_SAFE + 2]; /* of --sync */
    struct opt_choice schemas[SCHEMA_KEA_STATS + 2];
    struct opt_choice workloads[OPTIONS_WORKLOADS_MAX];
};

/* Takes the rows that belong to the backend, with its defaults. */
void options_select(struct options *options, const struct backend *backend);

/* Reads the command line, and what a backend has to say of it.  0, or -1. */
int options_parse(const struct options *options, const struct backend *backend,
                  struct runner_config *config, int argc, char **argv,
                  struct err *err);

/* Prints the whole of --help. */
void options_print_help(const struct options *options,
                        const struct backend *backend, FILE *out);

/* Adds what was asked for, each option under its long name; labels are no
   part of it. */
void options_describe(const struct options *options,
                      const struct runner_config *config,
                      struct properties *properties);

/* Adds what --label gave, in that order. */
void options_describe_labels(const struct runner_config *config,
                             struct properties *properties);

#endif
