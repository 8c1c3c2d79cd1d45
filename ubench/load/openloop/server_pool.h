/* SPDX-License-Identifier: ISC */
/*
 * A queue and the servers behind it, a G/G/k system of queueing theory:
 * requests come from a source, wait in a bounded queue and are served; each is
 * counted once.  A server is that theory's: one that serves a request at a
 * time, a thread of ubench or a simulated one, and neither a DHCP server nor a
 * database server.  The pool has no clock: its callers say what time it is, be
 * they threads or a simulation.
 *
 * Requests are put into the queue when a server becomes free, in the order in
 * which they came.  Queue, drops and waiting times are the same as if each had
 * been put in when it came, since only servers take requests out.
 *
 * Times are nanoseconds since the schedule's beginning.
 */
#ifndef UBENCH_LOAD_OPENLOOP_SERVER_POOL_H
#define UBENCH_LOAD_OPENLOOP_SERVER_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "load/openloop/arrivals.h"
#include "measure/histogram.h"

enum { SERVER_THIRDS = 3 };

/* What happens when the queue is full: it is bounded like a server's socket
   buffer. */
enum queue_policy {
    QUEUE_DROP_NEWEST, /* the new one is dropped, as a socket does */
    QUEUE_DROP_OLDEST, /* the oldest one is, as Kea's ring does */
    QUEUE_DEDUP,       /* the new one is dropped; full or not, a client that
                          waits already is not put in again */
};

struct server_pool_config {
    struct arrival_source source;
    uint64_t queue_size; /* at least 1 */
    enum queue_policy policy;
    uint64_t numbers;     /* with QUEUE_DEDUP: all of the source's are below */
    uint64_t warmup_ns;   /* requests before that are served, not counted */
    uint64_t duration_ns; /* of what is counted, after it */
    uint64_t deadline_ns; /* an answer that takes longer is late */
    uint64_t drain_ns;    /* after it, for those that still wait */
};

/* What one server saw; each has its own. */
struct server_tally {
    struct histogram response; /* from the scheduled time to the answer */
    struct histogram service;  /* from when the server took it */
    struct histogram lag;      /* of requests that found an idle server: how
                                  late it began all the same */
    uint64_t late;
    uint64_t failed;
    uint64_t overhead_ns; /* between two services, while requests waited */
    uint64_t waits[SERVER_THIRDS]; /* requests by when they came ... */
    double wait_ns[SERVER_THIRDS]; /* ... and how long they waited in all */
};

/* One second's answers, by when they were given. */
struct server_pool_second {
    uint32_t answered;
    uint32_t late;
    uint64_t longest_ns; /* of their response times */
};

struct server_pool {
    struct server_pool_config config;
    /* A ring of the requests that wait.  All memory is taken at the beginning,
       so that a long run takes no more as it goes on. */
    struct arrival *queue;
    uint64_t first;
    uint64_t length;
    uint8_t *waits; /* by number; with QUEUE_DEDUP alone */
    /* Requests that count, of all that came until now. */
    uint64_t offered;
    uint64_t dropped;
    uint64_t merged;
    /* From the end of the warm-up to the closing; 16 bytes each. */
    struct server_pool_second *seconds;
    size_t second_count;
};

/* Durations are at most 2^52 ns together.  Returns 0, or -1 with err; release
   it either way. */
int server_pool_init(struct server_pool *pool,
                     const struct server_pool_config *config, struct err *err);
void server_pool_release(struct server_pool *pool); /* zeroed is fine */

/* Puts into the queue all requests until now_ns. */
void server_pool_admit(struct server_pool *pool, uint64_t now_ns);

/* Takes out the next one to be served.  False if none waits. */
bool server_pool_take(struct server_pool *pool, struct arrival *arrival);

/* Notes that a request was answered. */
void server_pool_answered(struct server_pool *pool,
                          const struct arrival *arrival, uint64_t ended_ns);

/* True if a request is counted: it does not belong to the warm-up. */
static inline bool server_pool_counts(const struct server_pool_config *config,
                                      const struct arrival *arrival)
{
    return arrival->at_ns >= config->warmup_ns;
}

/* When serving ends, even if requests still wait. */
static inline uint64_t
server_pool_closes_ns(const struct server_pool_config *config)
{
    return config->warmup_ns + config->duration_ns + config->drain_ns;
}

void server_tally_init(struct server_tally *tally);

/* Counts a request that was served from begun_ns to ended_ns; answered is
   false if the store refused it. */
void server_tally_served(struct server_tally *tally,
                         const struct server_pool_config *config,
                         const struct arrival *arrival, uint64_t begun_ns,
                         uint64_t ended_ns, bool answered);

/* Counts how long a request waited, until a server took it or until now;
   server_tally_served does it for those it counts. */
void server_tally_waited(struct server_tally *tally,
                         const struct server_pool_config *config,
                         const struct arrival *arrival, uint64_t until_ns);

void server_tally_add(struct server_tally *tally,
                      const struct server_tally *more);

#endif
