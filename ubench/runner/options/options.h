/* SPDX-License-Identifier: ISC */
/* The command lines of all runners: one table (options_table.h), from which each runner takes
   its rows. */
#ifndef UBENCH_RUNNER_OPTIONS_OPTIONS_H
#define UBENCH_RUNNER_OPTIONS_OPTIONS_H

#include "core/opt.h"
#include "core/properties.h"
#include "core/units.h"
#include "load/workloads.h"
#include "runner/monitor.h"
#include "store/backend.h"
#include "store/statement_file.h"

enum { OPTIONS_MAX = 80, OPTIONS_WORKLOADS_MAX = 24 };

/* How much is printed. */
enum verbosity {
    VERBOSE_NO,   /* only the figures */
    VERBOSE_YES,  /* also what they mean */
    VERBOSE_FULL, /* also the command that prints everything else */
};

enum options_help { OPTIONS_HELP_SHORT = 1, OPTIONS_HELP_ALL };

struct runner_config {
    /* The load. */
    const char *workload_name;
    const struct workload *workload; /* found by workload_name */
    struct load_config load;
    uint64_t repeat;
    const char *hook;  /* "inline" or "pool:N" (N threads wait) */
    const char *batch; /* "16", "5ms" or "16,5ms"; in batch_text once it is resolved */
    char batch_text[2 * UNITS_TEXT_SIZE];
    bool ipv6;
    const char *ledger;
    const char *verify;
    uint64_t reconnect_ns;     /* 0: does not reconnect */
    struct store_config store; /* completed by options_parse */
    struct opt_secret password;
    struct opt_settings settings;
    int help; /* enum options_help; 0: not asked for */
    /* Output. */
    enum progress_style progress;
    const char *output;
    struct opt_settings label_options;
    struct properties labels; /* from label_options, as published */
    enum verbosity verbose;
    bool json;
    bool activity; /* record what the store does, second by second */
    bool list_options;
    bool describe;
    bool print_exchange;
    bool print_sql;
    const char *sql;          /* file of statements; NULL: none */
    struct sql_file sql_file; /* its contents */
    bool version;
    bool given[OPTIONS_MAX]; /* by row: on the command line */
};

/* The rows of one backend, ended by OPT_KIND_END.  They point into this struct,
   so it must not be moved. */
struct options {
    const struct backend *backend;
    struct opt rows[OPTIONS_MAX];
    struct opt_choice levels[SYNC_POWER_SAFE + 2]; /* of --sync */
    struct opt_choice schemas[SCHEMA_KEA_STATS + 2];
    struct opt_choice workloads[OPTIONS_WORKLOADS_MAX];
};

/* Copies the rows that the backend has, with its defaults. */
void options_select(struct options *options, const struct backend *backend);

/* Parses the command line into config, which must be zeroed and must not be
   moved.  Refuses options that have no effect on the run.  Returns 0, or -1
   with err. */
int options_parse(const struct options *options, struct runner_config *config, int argc,
                  char **argv, struct err *err);

/* Returns the name of the store whose server this one connects to, or NULL. */
const char *options_server(const struct options *options, const struct runner_config *config);

/* For options_parse: reads from the environment what the command line does not say of a server:
   host, port, user and password.  server is options_server, not NULL.  The variables of a server
   belong together: none of them is used for another server or another user.  Returns 0, or -1
   with err. */
int options_read_environment(const char *server, struct runner_config *config, struct err *err);

/* For options_parse: refuses options on the command line that do not apply to
   the workload, to --verify or to a store without a server.  Ignoring them
   would change the measurement: a requested rate, for example, would not be
   offered.  Returns 0, or -1 with err. */
int options_check_given(const struct options *options, const struct runner_config *config,
                        struct err *err);

/* For options_parse: refuses what --trips cannot be combined with.  Returns 0, or -1 with err. */
int options_check_trips(const struct runner_config *config, struct err *err);

/* For options_parse: parse --batch, and refuse what it cannot be combined with.  Return 0, or -1
   with err. */
int options_resolve_batch(struct runner_config *config, struct err *err);
int options_check_batch(const struct options *options, const struct runner_config *config,
                        struct err *err);

/* Returns true if the workload takes the option. */
bool options_is_taken(const struct opt *row, const struct workload *workload);

/* Returns true if the option of that name is on the command line. */
bool options_given(const struct options *options, const struct runner_config *config,
                   const char *name);

/* Prints --help: the most used options on one screen, or all. */
void options_print_help(const struct options *options, enum options_help help, FILE *out);

/* Appends the options in effect to properties, under their long names, without
   labels. */
void options_describe(const struct options *options, const struct runner_config *config,
                      struct properties *properties);

#endif
