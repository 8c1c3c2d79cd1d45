/* SPDX-License-Identifier: ISC */
/*
 * The result of one command line: the result of the load for each run, and what
 * else a reader needs.  Both the text and the line of JSON are written from it,
 * and every derived figure is computed here, once.
 */
#ifndef UBENCH_RUNNER_RESULT_H
#define UBENCH_RUNNER_RESULT_H

#include "core/durability.h"
#include "core/err.h"
#include "core/properties.h"
#include "load/load.h"
#include "load/openloop/open_result.h"
#include "runner/options/options.h"

/* The software that stores the leases. */
struct product {
    char name[48];    /* "MariaDB" */
    char version[80]; /* "10.11.19"; "": no version of its own */
};

/* The least times on this machine; 0 or NAN: not measured. */
struct baselines {
    double clock_ns;         /* one reading of the clock */
    double fdatasync_ns;     /* one record appended and synced: median */
    double fdatasync_min_ns; /* and best, including overwriting one */
    double round_trip_ns;    /* one empty round trip to the server */
    double harness_ns;       /* one operation on the null store */
};

/* A machine of a run with several ranks. */
struct machine {
    uint64_t first; /* the lowest rank on it */
    uint64_t ranks; /* number of ranks on it */
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
    enum durability durability; /* class of the promise */
    char durability_from[1024]; /* text of the promise */
    enum node_loss node_loss;   /* the lowest of all runs */
    struct properties parameters;
    struct properties facts;
    struct properties host;
    struct baselines baselines;
    size_t machine_count; /* 0: the run has one process */
    struct machine *machines;
    size_t run_count; /* runs that reached their first operation */
    struct load_result *runs;
};

/* Returns how many runs are complete; they come first. */
size_t result_complete_runs(const struct result *result);

/* Returns the greatest possible number of leases that are changed but not
   committed; 0 unless changes are in groups. */
uint64_t result_at_risk(const struct result *result);

/* Figures of a run.  run_rate_per_s returns the rate of that many operations,
   or NAN where it is not a figure of the store: in an open loop, and for the
   levels of a pool. */
uint64_t run_operations(const struct load_result *run);
uint64_t run_store_operations(const struct load_result *run); /* of all steps */
double run_rate_per_s(const struct runner_config *config, const struct load_result *run,
                      uint64_t operations);

/* Returns the lowest of the rates that a search found for its goals; NAN if one
   is not verified. */
double run_sustained_per_s(const struct load_result *run);

/* A verdict, for example on a trial by its own deadline. */
struct verdict {
    const char *name;    /* "not-in-time" */
    const char *meaning; /* a sentence */
};
struct verdict trial_verdict(const struct trial *trial);

/* Returns how many exchanges per second the threads that wait for a hook can
   do. */
double hook_limit_per_s(const struct runner_config *config, const struct open_result *open);

/* The quantiles, with the names of their columns and JSON members. */
struct quantile {
    const char *name;
    double q;
    const char *member;
    bool usual; /* in the tables of a closed loop */
};
enum { QUANTILES = 5 };
extern const struct quantile quantiles[QUANTILES];

/* Returns a quantile in ns; NAN if fewer than ten values lie beyond it. */
double quantile_ns(const struct histogram *histogram, const struct quantile *quantile);

/* headline returns the mean of one figure per run, from 3 runs on without the
   highest and the lowest.  median returns the median, of an even number the
   mean of the middle two.  Both sort the values in ascending order. */
double headline(double *values, size_t count);
double median(double *values, size_t count);

/* result_print_head prints what precedes the figures; result_print prints the
   figures and what follows them. */
void result_print_head(const struct result *result, FILE *out);
void result_print(const struct result *result, FILE *out);

/* Parts of result_print: the table of all runs of a closed loop, and one run of
   an open loop, with the terms of perfdhcp where it has them (rate, sent,
   drops). */
void text_print_closed(const struct result *result, FILE *out);
void text_print_open(const struct result *result, const struct load_result *run, FILE *out);

#endif
