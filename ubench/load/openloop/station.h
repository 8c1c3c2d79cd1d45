/* SPDX-License-Identifier: ISC */
/*
 * A service station: requests come from a source, wait in a queue and are
 * served; the station counts what becomes of each.  It has no clock: whoever
 * serves says what time it is, be it a thread or a simulation.
 *
 * Nobody has to be there when a request comes.  Servers leave the queue's
 * front only when they become free, so it is enough that a server which does
 * lets all in that came until then, in their order: queue, drops and waiting
 * times are the same as with somebody at the door.
 *
 * Times are nanoseconds since the schedule's beginning.
 */
#ifndef UBENCH_LOAD_OPENLOOP_STATION_H
#define UBENCH_LOAD_OPENLOOP_STATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "load/openloop/arrivals.h"
#include "load/openloop/queue.h"
#include "measure/histogram.h"

enum { STATION_THIRDS = 3 };

struct station_config {
    struct arrival_source source;
    uint64_t queue_size; /* at least 1 */
    enum queue_policy policy;
    uint64_t numbers;     /* the source's, with QUEUE_DEDUP */
    uint64_t warmup_ns;   /* who comes before that is served, not counted */
    uint64_t duration_ns; /* of what is counted, after it */
    uint64_t deadline_ns; /* who is served later than this is late */
    uint64_t drain_ns;    /* after it, for those that wait still */
};

/* What one server saw; each has its own. */
struct station_tally {
    struct histogram response; /* from when it was to come to its answer */
    struct histogram service;  /* from when somebody had time for it */
    struct histogram lag;      /* of requests for which a server sat idle:
                                  how late it began all the same */
    uint64_t late;
    uint64_t failed;
    uint64_t overhead_ns; /* between two services, while somebody waited */
    uint64_t waits[STATION_THIRDS]; /* requests by when they came ... */
    double wait_ns[STATION_THIRDS]; /* ... and how long they waited in all */
};

/* One second's answers, by when they were given. */
struct station_second {
    uint32_t answered;
    uint32_t late;
    uint64_t longest_ns; /* of their response times */
};

struct station {
    struct station_config config;
    struct queue queue;
    /* Requests that count, of all that came until now. */
    uint64_t offered;
    uint64_t dropped;
    uint64_t merged;
    /* From the end of the warm-up to the closing; 16 bytes each, taken at the
       beginning, so that a long run takes no more memory as it goes on. */
    struct station_second *seconds;
    size_t second_count;
};

/* Durations are at most 2^52 ns together.  Returns 0, or -1 with err. */
int station_init(struct station *station, const struct station_config *config,
                 struct err *err);
void station_release(struct station *station); /* zeroed is fine */

/* Lets in all that came until now_ns. */
void station_admit(struct station *station, uint64_t now_ns);

/* Takes out who is served next.  False if nobody waits. */
bool station_take(struct station *station, struct arrival *arrival);

/* Hears that a request was answered. */
void station_answered(struct station *station, const struct arrival *arrival,
                      uint64_t ended_ns);

/* True if a request counts, and does not belong to the warm-up. */
static inline bool station_counts(const struct station_config *config,
                                  const struct arrival *arrival)
{
    return arrival->at_ns >= config->warmup_ns;
}

/* When the last server goes home, whoever waits. */
static inline uint64_t station_closes_ns(const struct station_config *config)
{
    return config->warmup_ns + config->duration_ns + config->drain_ns;
}

void tally_init(struct station_tally *tally);

/* Counts a request that was served from begun_ns to ended_ns; answered is
   false if the store refused it. */
void tally_served(struct station_tally *tally,
                  const struct station_config *config,
                  const struct arrival *arrival, uint64_t begun_ns,
                  uint64_t ended_ns, bool answered);

/* Counts how long a request waited until somebody had time for it, or until
   now if nobody had; tally_served does it for those it counts. */
void tally_waited(struct station_tally *tally,
                  const struct station_config *config,
                  const struct arrival *arrival, uint64_t until_ns);

void tally_add(struct station_tally *tally, const struct station_tally *more);

#endif
