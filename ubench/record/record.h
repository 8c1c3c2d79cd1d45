/* SPDX-License-Identifier: ISC */
/*
 * A result: all runs of one command line, as a plain struct.  A runner fills it
 * and prints it, writes it as a line of JSON and reads it back; fields.h has
 * the table of the format, and results/README.md what each member means.
 *
 * Nothing is assumed of a phase's name, or how many there are: other workloads
 * than the four phases of the guide bring theirs.
 */
#ifndef UBENCH_RECORD_RECORD_H
#define UBENCH_RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arena.h"
#include "core/durability.h"
#include "core/properties.h"
#include "measure/histogram.h"
#include "measure/outages.h"
#include "measure/storm_outcome.h"
#include "measure/usage.h"

/* What no store can be faster than on this machine, in nanoseconds; 0: not
   measured. */
struct record_baselines {
    double clock_ns;         /* one reading of the clock */
    double fdatasync_ns;     /* one record appended and synced: median ... */
    double fdatasync_min_ns; /* ... and best, be it overwriting one */
    double round_trip_ns;    /* one empty round trip to the server */
    double harness_ns;       /* one operation on the null store */
};

/* Not measured, not known, or not told by an older version. */
#define RECORD_UNKNOWN UINT64_MAX

/* The longest line that is read, in bytes: JSON takes up to 24 times as much
   memory.  A trial of 30 days comes near it. */
enum { RECORD_LINE_MAX = 64 << 20 };

/* The highest count, and the highest number: in nanoseconds 36 years, and sums
   of a few do not overflow. */
#define RECORD_NUMBER_MAX (UINT64_C(1) << 60)

enum { RECORD_GUIDE_PHASES = 4 }; /* create, search, update, delete */

struct record_property {
    const char *key;
    const char *value;
};

/* In the order of the line. */
struct record_properties {
    size_t count;
    const struct record_property *items;
};

struct record_bucket {
    uint64_t low_ns; /* the lowest value that it counts */
    uint64_t count;
};

/* A histogram's figures and its buckets: see record_histogram_restore. */
struct record_histogram {
    uint64_t count; /* 0: there is none, and nothing below means anything */
    uint64_t sum_ns;
    uint64_t min_ns;
    uint64_t max_ns;
    double mean_ns;
    double sd_ns;
    double p50_ns; /* quantiles: NAN where they would be chance */
    double p95_ns;
    double p99_ns;
    double p99_9_ns;
    double p99_99_ns;
    size_t bucket_count; /* of those that are not empty */
    const struct record_bucket *buckets;
};

struct record_second {
    uint64_t operations;
    double p99_ns; /* 0 if there were none */
};

/* One step of an exchange, over all exchanges of its kind. */
struct record_step {
    const char *name;
    const char *operation; /* of the store */
    uint64_t count;        /* hits and misses */
    uint64_t hits;
    uint64_t misses;
    struct record_histogram latency;
    double predicted; /* the count that is expected; 0: no theory */
};

/* A phase of the guide, an exchange of a mix, ...: one row of figures. */
struct record_phase {
    const char *name;
    bool incomplete;
    uint64_t operations;
    uint64_t hits;       /* or RECORD_UNKNOWN */
    uint64_t misses;     /* or RECORD_UNKNOWN */
    uint64_t begun_ns;   /* after the run began, or RECORD_UNKNOWN */
    uint64_t elapsed_ns; /* 0 if it was not reached */
    struct record_histogram latency;
    struct record_histogram commit;
    size_t second_count;
    const struct record_second *series;
    struct usage usage; /* USAGE_UNKNOWN is RECORD_UNKNOWN */
    uint64_t deadlocks; /* of exchanges; else RECORD_UNKNOWN */
    uint64_t conflicts; /* above 0, or RECORD_UNKNOWN */
    uint64_t stale;     /* above 0, or RECORD_UNKNOWN */
    size_t step_count;
    const struct record_step *steps; /* of exchanges; else NULL */
};

/* A second of an open loop, by when its answers were given. */
struct record_answers {
    uint64_t answered;
    uint64_t late;       /* of these */
    uint64_t longest_ns; /* of their response times */
};

struct record_seconds {
    size_t count;
    const struct record_answers *items;
};

/* Requests that came at a rate, or as a storm. */
struct record_trial {
    const char *stage; /* "single"; "coarse", "fine" or "verify" of a search */
    double rate_per_s; /* that was asked for; 0 of a storm */
    uint64_t warmup_ns;
    uint64_t duration_ns; /* as asked for */
    uint64_t deadline_ns;
    uint64_t queue; /* requests that could wait */
    bool incomplete;
    uint64_t elapsed_ns;
    uint64_t offered;
    uint64_t answered;
    uint64_t late;
    uint64_t dropped;
    uint64_t merged;
    uint64_t failed;
    uint64_t unanswered;
    double in_time_per_s;
    double bad_share; /* of those offered: late, dropped, failed, unanswered */
    bool grew;        /* the queue, to the end */
    const char *invalid; /* why it says nothing of the store, or "" */
    double wait_ns[3];   /* the mean of each third */
    uint64_t overhead_ns;
    struct record_histogram response;
    struct record_histogram service;
    struct record_histogram lag;
    struct record_seconds seconds;
};

/* What a search found for a limit; 0: no such rate. */
struct record_goal {
    const char *name;
    const char *source;
    double bad_share; /* at most */
    uint64_t deadline_ns;
    double low_per_s;  /* the highest rate that was sustained */
    double high_per_s; /* the lowest that was not */
    double in_time_per_s;
    bool verified;
    bool invalid; /* there the harness failed, not the store */
};

/* What simulated servers make of the same arrivals.  Of the trial there are how
   its requests ended, response and, of a storm, seconds. */
struct record_predicted {
    uint64_t servers;    /* 0: nothing was predicted */
    uint64_t service_ns; /* what each takes */
    struct record_trial trial;
    struct storm_outcome storm;
};

/* The same exchanges in a closed loop, before. */
struct record_closed_loop {
    double rate_per_s;
    uint64_t failed;
    struct record_histogram service;
};

/* An open loop: its rates were asked for, not reached. */
struct record_open {
    struct record_closed_loop closed_loop;
    size_t trial_count;
    const struct record_trial *trials;
    struct record_predicted predicted;
    size_t goal_count;
    const struct record_goal *goals;
    struct storm_outcome storm;
};

struct record_run {
    bool incomplete;
    bool together; /* the phases ran mixed: each has the time of the run */
    const struct record_open *open; /* NULL: a closed loop */
    /* Of a search for it (--find-rate): the rate that was confirmed for all
       limits; 0 if there was none. */
    double sustained_per_s;
    bool verified;
    uint64_t leases_left;            /* or RECORD_UNKNOWN */
    const char *digest;              /* "" if there is none */
    const struct outages *reconnect; /* NULL without --reconnect */
    size_t phase_count;
    const struct record_phase *phases;
};

/* One of the processes that a run was split into (--part).  Times are Unix
   microseconds. */
struct record_part {
    uint64_t number;    /* from 1 */
    uint64_t of;        /* how many there are */
    const char *host;   /* where it ran */
    uint64_t begun_us;  /* when it began, by its own clock */
    uint64_t common_us; /* and by that of agents.sh */
    uint64_t error_us;  /* which is off by so much at most */
    double together;    /* the share of its time in which all parts were at
                           work; 0: it was not put together with them */
};

/* One line.  Texts are never NULL and made by record_copy_text. */
struct record {
    const char *file; /* as it was named; NULL: it was not read */
    size_t line;      /* from 1 */
    const char *program;
    const char *version;
    const char *store;
    const char *started_at;
    bool incomplete;
    const char *error;
    const char *warning;
    /* Where figures come from that were not measured by us; "" otherwise. */
    const char *published;
    /* False of published figures: no settings were read back, and durability
       is DURABILITY_NONE. */
    bool durability_known;
    enum durability durability;
    const char *durability_from;
    const char *node_loss; /* of a server, survived: "yes"; else "" */
    struct record_properties parameters;
    struct record_properties facts;
    struct record_properties host;
    /* What a campaign wrote there: block, ... */
    struct record_properties labels;
    struct record_baselines baselines;
    /* Of a part of a run one, of parts that were put together all; else none */
    size_t part_count;
    const struct record_part *parts; /* NULL: none */
    size_t run_count;
    const struct record_run *runs;
    /* What scripts/dhcp.sh measured of a whole DHCP server, of which all but
       the settings that were read back follows; NULL of a store alone. */
    const struct record_server *server;
};

/* A copy of a text that comes from anywhere and goes to a terminal and into
   JSON: what a terminal would obey, a newline or an escape, is a question mark;
   and if it is no UTF-8, each byte that is not ASCII. */
const char *record_copy_text(struct arena *memory, const char *text);

/* Copies; where a key is there twice, the last value at the first's place. */
struct record_properties
record_copy_properties(struct arena *memory,
                       const struct properties *properties);

/* True if its leases are of IPv6. */
bool record_is_v6(const struct record *record);

/* Fills in the figures of a histogram, and leaves the buckets. */
void record_histogram_fill(struct record_histogram *to,
                           const struct histogram *histogram);

/* The figures of a histogram, and its buckets. */
struct record_histogram record_histogram_of(struct arena *memory,
                                            const struct histogram *histogram);

/* The value of the first fact with that key, or NULL. */
const char *record_properties_find(const struct record_properties *properties,
                                   const char *key);

/* True of the first and the last run of a campaign's block, which are there to
   show how the machine drifted. */
bool record_is_reference(const struct record *record);

/* True if its rows are levels of a pool that fills up: unlike each other, so
   that a mean or a sum of them is no figure. */
bool record_is_fill(const struct record *record);

/* True if its operations are exchanges, of which each asks the store for
   several. */
bool record_is_of_exchanges(const struct record *record);

/* An option's value as it was typed; "" if the runner does not have it, or it
   means nothing for the workload. */
const char *record_parameter(const struct record *record, const char *name);

/* The same of one that is a whole number above 0, or fallback. */
uint64_t record_parameter_count(const struct record *record, const char *name,
                                uint64_t fallback);

/* How many runs are complete: what statistics are made of.  They are the
   first. */
size_t record_complete_runs(const struct record *record);

/* How many requests of a trial were late for a deadline, dropped, failed or
   unanswered, as a share, 0..1.  For another deadline than the trial's own it
   comes from the buckets of response, which are 0.8 % wide there. */
double record_trial_bad_share(const struct record_trial *trial,
                              uint64_t deadline_ns);

/* True if the queue was still growing at the end: see queue_growth.h. */
bool record_trial_queue_growing(const struct record_trial *trial,
                                uint64_t deadline_ns);

/* Operations per second, the phase's own: 0 if it took no time. */
double record_phase_rate(const struct record_phase *phase);

/* The time of all phases: their sum, or, if they ran together, that of the
   longest. */
uint64_t record_run_elapsed_ns(const struct record_run *run);

/* Operations of all phases. */
uint64_t record_run_operations(const struct record_run *run);

/* Operations of the store in the steps of exchanges. */
uint64_t record_run_steps(const struct record_run *run);

/* All operations of the run by all its time, per second; 0 if it took none. */
double record_run_rate(const struct record_run *run);

/* The guide's Average: the mean of the phases' figures. */
double record_run_mean_time_ns(const struct record_run *run);
double record_run_mean_rate(const struct record_run *run);

/* The phase with that name, or NULL. */
const struct record_phase *record_run_phase(const struct record_run *run,
                                            const char *name);

/*
 * Adds what is in from to histogram, which the caller has initialised; so the
 * runs of a record, or of several, are merged.  Returns 0, or -1, with nothing
 * added, if the buckets contradict each other or the figures, which those of a
 * record that was read do not.  A count of 0 adds nothing.
 */
int record_histogram_restore(const struct record_histogram *from,
                             struct histogram *histogram);

/* A figure of latencies. */
enum latency_figure {
    LATENCY_P50, /* quantiles: NAN where they would be chance */
    LATENCY_P95,
    LATENCY_P99,
    LATENCY_P99_9,
    LATENCY_P99_99,
    LATENCY_MAX,
    LATENCY_MIN,
    LATENCY_MEAN,
    LATENCY_SD,
    LATENCY_FIGURES
};

/* In nanoseconds; NAN if there is none. */
double latency_figure(const struct record_histogram *histogram,
                      enum latency_figure figure);

/* True if the phases are those of the guide, one after the other: create,
   search, update, delete. */
bool record_is_of_2012(const struct record *record);

#endif
