/* SPDX-License-Identifier: ISC */
/*
 * The result of one command line: what the load came to in each of its runs, as
 * the load itself has it, and what else a reader needs.  The text and the line
 * of a run are both written from it, and every figure that is derived is
 * computed here, once.
 */
#ifndef UBENCH_RUNNER_RESULT_H
#define UBENCH_RUNNER_RESULT_H

#include "core/durability.h"
#include "core/err.h"
#include "core/properties.h"
#include "load/load.h"
#include "load/openloop/open_result.h"
#include "runner/options.h"

/* The software that keeps the leases. */
struct product {
    char name[48];    /* "MariaDB" */
    char version[80]; /* "10.11.19", or "": it has none of its own */
};

/* Times below which nothing can go on this machine; 0 or NAN: not measured. */
struct floors {
    double clock_ns;         /* one reading of the clock */
    double fdatasync_ns;     /* one record appended and synced: median ... */
    double fdatasync_min_ns; /* ... and best, be it overwriting one */
    double round_trip_ns;    /* one empty round trip to the server */
    double harness_ns;       /* one operation on the null store */
};

/* One of the machines of a run with several ranks. */
struct machine {
    uint64_t first; /* the lowest of its ranks */
    uint64_t ranks; /* how many it has */
    char cpu[208];
};

struct result {
    const struct runner_config *config;
    const char *store;
    const char *version;
    char started_at[32];
    char error[sizeof((struct err *)0)->text];
    struct properties warnings; /* code and text */
    struct product product;
    const char *keeper; /* the store that keeps the leases: of Kea's
                           lease managers "mysql" or "pgsql"; or its own */
    struct promise promise;
    enum durability durability; /* of that */
    char durability_from[1024]; /* and its text */
    enum node_loss node_loss;   /* the least that was true of any run */
    struct properties parameters;
    struct properties facts;
    struct properties host;
    struct floors floors;
    size_t machine_count; /* 0: the run had one process */
    struct machine *machines;
    size_t run_count; /* those that came to their first operation */
    struct load_result *runs;
};

/* How many runs are complete: the first ones. */
size_t result_complete_runs(const struct result *result);

/* Leases that are changed and not yet committed at any moment, at most; 0
   unless changes are in groups. */
uint64_t result_at_risk(const struct result *result);

/* Figures of a run.  The rate of so many operations is NAN where that is no
   figure of the store: in an open loop, and of the levels of a pool. */
uint64_t run_operations(const struct load_result *run);
uint64_t run_store_operations(const struct load_result *run); /* of all steps */
double run_rate_per_s(const struct runner_config *config, const struct load_result *run,
                      uint64_t operations);

/* The lowest of the rates that a search found for its goals; NAN if one was not
   confirmed. */
double run_sustained_per_s(const struct load_result *run);

/* A verdict, as that on one trial by its own deadline. */
struct verdict {
    const char *name;    /* "not-in-time" */
    const char *meaning; /* a sentence */
};
struct verdict trial_verdict(const struct trial *trial);

/* Exchanges per second that the threads which wait for a hook can do. */
double hook_limit_per_s(const struct runner_config *config, const struct open_result *open);

/* The quantiles, with the names of their columns and of their members. */
struct quantile {
    const char *name;
    double q;
    const char *member;
    bool usual; /* it is in the tables of a closed loop */
};
enum { QUANTILES = 5 };
extern const struct quantile quantiles[QUANTILES];

/* NAN if fewer than ten values lie beyond it. */
double quantile_ns(const struct histogram *histogram, const struct quantile *quantile);

/* The headline of some figures, one of each run: from 3 on their mean without
   the highest and the lowest.  The median is of the middle two if their number
   is even.  Both put the values into ascending order. */
double headline(double *values, size_t count);
double median(double *values, size_t count);

/* The line, without its newline; the caller frees it.  NULL: no memory. */
char *result_json(const struct result *result);

/* Prints what stands above the figures, and the figures with all that stands
   below them. */
void result_print_head(const struct result *result, FILE *out);
void result_print(const struct result *result, FILE *out);

/* Parts of that: the table of all runs of a closed loop, and one run of an open
   loop, in the words of perfdhcp where it has one (rate, sent, drops). */
void text_print_closed(const struct result *result, FILE *out);
void text_print_open(const struct result *result, const struct load_result *run, FILE *out);

#endif
