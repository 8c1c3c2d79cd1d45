/* SPDX-License-Identifier: ISC */
/* The command line of every runner: one table, of which each takes its rows. */
#ifndef UBENCH_RUNNER_OPTIONS_H
#define UBENCH_RUNNER_OPTIONS_H

#include "core/opt.h"
#include "core/properties.h"
#include "load/workloads.h"
#include "runner/monitor.h"
#include "store/backend.h"
#include "store/statement_file.h"

enum { OPTIONS_MAX = 64, OPTIONS_WORKLOADS_MAX = 24 };

/* How much is printed. */
enum verbosity {
    VERBOSE_NO,   /* the figures alone */
    VERBOSE_YES,  /* and what they mean */
    VERBOSE_FULL, /* and the command that prints all the rest */
};

enum options_help { OPTIONS_HELP_SHORT = 1, OPTIONS_HELP_ALL };

struct runner_config {
    /* The load. */
    const char *workload_name;
    const struct workload *workload; /* what it names */
    struct load_config load;
    uint64_t repeat;
    const char *hook; /* "inline", or how many threads wait */
    bool ipv6;
    const char *ledger;
    const char *verify;
    uint64_t reconnect_ns;     /* 0: what is lost is lost */
    struct store_config store; /* as options_parse completes it */
    struct opt_secret password;
    struct opt_settings settings;
    int help; /* enum options_help; 0: not asked for */
    /* Output. */
    enum progress_style progress;
    const char *output;
    struct opt_settings label_options;
    struct properties labels; /* from these, as they are published */
    enum verbosity verbose;
    bool json;
    bool list_options;
    bool describe;
    bool print_exchange;
    bool print_sql;
    const char *sql;          /* a file of statements; NULL: none */
    struct sql_file sql_file; /* as it was read */
    bool version;
    bool given[OPTIONS_MAX]; /* on the command line, by row */
};

/* The rows of one backend, closed by OPT_KIND_END; they point into this. */
struct options {
    const struct backend *backend;
    struct opt rows[OPTIONS_MAX];
    struct opt_choice levels[SYNC_POWER_SAFE + 2]; /* of --sync */
    struct opt_choice schemas[SCHEMA_KEA_STATS + 2];
    struct opt_choice workloads[OPTIONS_WORKLOADS_MAX];
};

/* Takes the rows that belong to the backend, with its defaults. */
void options_select(struct options *options, const struct backend *backend);

/* Reads the command line into config, which is zeroed and stays where it is.
   Refuses options that mean nothing for what is run.  Returns 0, or -1 with
   err. */
int options_parse(const struct options *options, struct runner_config *config, int argc,
                  char **argv, struct err *err);

/* The store whose server this one connects to, or NULL. */
const char *options_server(const struct options *options, const struct runner_config *config);

/* For options_parse: refuses options that were given and do not apply to the
   workload, to --verify or to a store without a server: a rate that is asked
   for and not offered is another measurement. */
int options_check_given(const struct options *options, const struct runner_config *config,
                        struct err *err);

/* True if the workload takes the option. */
bool options_is_taken(const struct opt *row, const struct workload *workload);

/* True if the option of that name was on the command line. */
bool options_given(const struct options *options, const struct runner_config *config,
                   const char *name);

/* Prints --help: the most used options in a screen, or all. */
void options_print_help(const struct options *options, enum options_help help, FILE *out);

/* Adds what was asked for, each option under its long name; labels are no
   part of it. */
void options_describe(const struct options *options, const struct runner_config *config,
                      struct properties *properties);

#endif
