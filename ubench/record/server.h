/* SPDX-License-Identifier: ISC */
/*
 * A run of a whole DHCP server with its lease store under the load of perfdhcp,
 * as scripts/dhcp.sh writes it: a line of ubench-kea/1.
 *
 * It is a struct record, too, so that whatever groups, compares or draws
 * results takes it: its settings are parameters, the highest rate that was
 * found is a phase "dora" or "sarr" of the workload "server rate", and a run at
 * a rate or a storm is an open loop.
 */
#ifndef UBENCH_RECORD_SERVER_H
#define UBENCH_RECORD_SERVER_H

#include "record/record.h"

/* Of one kind of exchange, as perfdhcp counts; a delay that it did not tell is
   NAN. */
struct record_messages {
    uint64_t sent; /* or RECORD_UNKNOWN */
    uint64_t received;
    double min_ms;
    double mean_ms;
    double max_ms;
    double sd_ms;
};

/* Seconds of processors that were used during a trial; NAN: not known. */
struct record_processor {
    double server_s;
    double store_s; /* the database's */
    double load_s;  /* perfdhcp's */
    double other_s;
};

struct record_server_trial {
    double offered; /* clients per second; 0 of a storm */
    uint64_t sent;  /* clients that asked */
    uint64_t granted;
    double lost;  /* the share that was not granted in time */
    bool kept_up; /* perfdhcp sent as fast as it was told to */
    bool holds;   /* no more were lost than may be */
    double elapsed_s;
    uint64_t cores;
    struct record_messages discover;
    struct record_messages request;
    struct record_processor processor;
    uint64_t resent;   /* of a storm: requests; else RECORD_UNKNOWN */
    double duration_s; /* of a storm: until all were served; else 0 */
    uint64_t stored;   /* RECORD_UNKNOWN: the store keeps none */
    double start_s;    /* these two: NAN if they are not known */
    double memory_mb;
};

struct record_server_second {
    uint64_t asked;
    uint64_t granted;
};

/* Of a pair of servers, one of which was killed.  Times are NAN if it never
   came to that. */
struct record_failover {
    uint64_t lost;
    double back_s;
    uint64_t only_killed; /* leases that the survivor has not */
    uint64_t only_survivor;
    double again_s;
    uint64_t differ; /* leases, after the killed one served again */
};

/* On which processors. */
struct record_processors {
    const char *server; /* and database */
    const char *load;
};

struct record_server {
    const char *command; /* of dhcp.sh: "rate" */
    const char *server;  /* "kea" or "dhcpd" */
    const char *server_version;
    const char *store;      /* "memfile", "mysql", "pgsql", or "dhcpd" */
    const char *store_name; /* "MariaDB 10.11.14" */
    const char *sync;
    uint64_t family;  /* 4 or 6 */
    uint64_t threads; /* 1: without multi-threading; 0: several, or not known */
    uint64_t queue;
    uint64_t delayed_ack;
    uint64_t pool; /* addresses */
    uint64_t classes;
    uint64_t clients; /* of a storm */
    double seconds;   /* that a trial sends */
    double max_lost;  /* a share */
    double within_s;
    double start_rate;
    struct record_processors processors;
    const char *hook; /* "none", "block", "park", "cache" */
    double hook_ms;
    const char *ha; /* "none", "hot-standby", "load-balancing" */
    double ha_delay_s;
    double kill_s;
    double full; /* percent */
    uint64_t subnets;
    uint64_t reservations;
    const char *hosts; /* "none", "config", "mysql", "pgsql" */
    double rate; /* leases per second; NAN: none held, or none was searched */
    bool limited_by_load;
    uint64_t stored; /* leases in the store, or RECORD_UNKNOWN */
    const struct record_failover *failover; /* NULL: no server was killed */
    size_t trial_count;
    const struct record_server_trial *trials;
    size_t second_count;
    const struct record_server_second *seconds_each;
};

/* Fills in, of a record that was read and has a server, all that follows from
   that: program, version, store ("kea-dhcp4/mysql", so that nothing takes it
   for the store alone), parameters, facts, warning and its run. */
void record_server_finish(struct record *record, struct arena *memory);

/* The trial that a rate comes from: of those that held, the one with the
   highest rate; of other commands the first.  NULL if there is none. */
const struct record_server_trial *
record_server_best(const struct record_server *server);

/* Microseconds of processors for each lease that the trial granted; NAN if that
   is not known. */
double record_server_cost_us(const struct record_server_trial *trial,
                             double processor_s);

#endif
