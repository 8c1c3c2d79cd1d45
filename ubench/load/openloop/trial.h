/* SPDX-License-Identifier: ISC */
/*
 * A trial: requests offered for a fixed time, and how they were answered.  It
 * is a G/G/k queue: requests come from a source, wait in a bounded queue, and
 * are served by k servers, each a thread or simulated.  Each request is counted
 * exactly once: as answered (in time or late), failed, dropped, merged or
 * unanswered.
 *
 * Only open_loop_run reads a clock; elsewhere the caller passes the time, in ns
 * since the start of the schedule.  Requests enter the queue when a server
 * becomes free.  The queue's length, drops and waiting times are the same as if
 * each had entered at its own time, since only servers remove requests.
 */
#ifndef UBENCH_LOAD_OPENLOOP_TRIAL_H
#define UBENCH_LOAD_OPENLOOP_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "load/openloop/arrivals.h"
#include "load/progress.h"
#include "measure/histogram.h"

enum { SERVER_THIRDS = 3 };

/* What happens when the queue, which is bounded like a server's socket buffer,
   is full. */
enum queue_policy {
    QUEUE_DROP_NEWEST, /* drops the new request, as a socket does */
    QUEUE_DROP_OLDEST, /* drops the oldest, as Kea's packet ring does */
    QUEUE_DEDUP,       /* drops the new request; also merges it, full or not,
                          with one of the same client that is waiting */
};

/* The counters of one server. */
struct server_tally {
    struct histogram response; /* from the scheduled time to the answer */
    struct histogram service;  /* from the start of service to the answer */
    struct histogram lag;      /* start of service minus scheduled time, of
                                  requests that found an idle server */
    uint64_t late;
    uint64_t failed;
    uint64_t overhead_ns;          /* between two services while requests waited */
    uint64_t waits[SERVER_THIRDS]; /* requests by the third they arrived in ... */
    double wait_ns[SERVER_THIRDS]; /* ... and the sum of their waiting times */
};

/* The answers of one second, by the time of the answer. */
struct trial_second {
    uint32_t answered;
    uint32_t late;
    uint64_t longest_ns; /* of their response times */
};

enum trial_stage {
    TRIAL_SINGLE, /* at one rate */
    TRIAL_SEARCH, /* part of a search */
};
extern const char *const trial_stage_names[];

/* How a thread answers requests together: it parks what it has served until it has as many as
   count, or has parked the first for time_ns, or no more come.  Then commit answers all of them.
   Unless it returns LOAD_DONE, none is answered. */
struct trial_batches {
    uint64_t count;   /* at least 1 */
    uint64_t time_ns; /* 0: any time */
    enum load_end (*commit)(void *context, size_t thread, struct err *err);
};

struct trial {
    /* For the caller to set.  Durations are at most 2^52 ns together. */
    enum trial_stage stage;
    double per_s; /* offered rate; 0 if the source has none */
    struct arrival_source *source;
    uint64_t queue_size; /* at least 1 */
    enum queue_policy policy;
    uint64_t numbers;                    /* with QUEUE_DEDUP: an upper limit of all numbers */
    uint64_t warmup_ns;                  /* requests before this are served, not counted */
    uint64_t duration_ns;                /* of the counted part, which follows */
    uint64_t deadline_ns;                /* a response that takes longer is late */
    uint64_t drain_ns;                   /* after the duration: time to serve the queue */
    const struct trial_batches *batches; /* NULL: each request is answered by itself */
    /* The results; of counted requests. */
    bool complete;       /* not interrupted */
    uint64_t elapsed_ns; /* of the duration; less after an interrupt, or when a
                            storm ended early */
    uint64_t offered;
    uint64_t dropped;
    uint64_t merged;
    uint64_t unanswered; /* still waiting at the end of the drain */
    struct server_tally tally;
    struct trial_second *seconds; /* from the warm-up's end to the closing */
    size_t second_count;
    /* The waiting requests: a ring, allocated by trial_begin. */
    struct arrival *queue;
    uint64_t first;
    uint64_t length;
    uint8_t *waits; /* by number; only with QUEUE_DEDUP */
};

/* Allocates a trial.  The caller has set the first members and zeroed the
   others.  Returns 0, or -1 with err; call trial_release in both cases. */
int trial_begin(struct trial *trial, struct err *err);
void trial_release(struct trial *trial); /* zeroed is fine */

/* Ends a trial, after the tallies of its servers were added to its own.  now_ns
   is the time at which they stopped.  complete is false if the run was
   interrupted: then the waiting requests do not count as offered. */
void trial_end(struct trial *trial, uint64_t now_ns, bool complete);

/* Moves all requests that are due at now_ns from the source into the queue. */
void trial_admit(struct trial *trial, uint64_t now_ns);

/* Removes the next request from the queue.  Returns false if it is empty. */
bool trial_take(struct trial *trial, struct arrival *arrival);

/* Counts in a server's tally a request that it served from begun_ns to
   ended_ns; answered is false if the store refused it.  Not thread-safe, like
   trial_admit and trial_take. */
void trial_served(struct trial *trial, struct server_tally *tally, const struct arrival *arrival,
                  uint64_t begun_ns, uint64_t ended_ns, bool answered);

/* True if the request arrived after the warm-up. */
static inline bool trial_counts(const struct trial *trial, const struct arrival *arrival)
{
    return arrival->at_ns >= trial->warmup_ns;
}

/* Returns the time at which serving ends, even if requests still wait. */
static inline uint64_t trial_closes_ns(const struct trial *trial)
{
    return trial->warmup_ns + trial->duration_ns + trial->drain_ns;
}

/* Empties a tally, which need not be zeroed. */
void server_tally_init(struct server_tally *tally);

/*
 * The open loop: requests arrive on schedule, whether or not a thread is free,
 * as those of clients do.  The response times of a store that stalls include
 * the requests that arrived during the stall; a closed loop would omit them
 * ("coordinated omission").
 *
 * One idle thread, the leader, sleeps until the next request is due, passes the
 * lead to another idle thread, and serves the request; so no thread is a
 * bottleneck.  The remaining lag is measured (trial_invalid).
 */

/* Serves a request in a thread (counted from 0).  *answered is false at the
   call; the function sets it to true unless the store refused the request, also
   if a commit will answer it.  An
   end worse than LOAD_INTERRUPTED, with err, ends the measurement. */
typedef enum load_end open_loop_serve(void *context, size_t thread, uint64_t number, bool *answered,
                                      struct err *err);

/* Runs a trial with that many threads (1..WORKERS_MAX), until it closes or
   progress is stopped, which takes 0.1 s or one service time.  trial is as for
   trial_begin.  Returns the worst end of all services; LOAD_FAILED with err
   also if a thread or memory is missing. */
enum load_end open_loop_run(struct trial *trial, size_t threads, open_loop_serve *serve,
                            void *context, struct progress *progress, struct err *err);

/* Simulates a trial: as open_loop_run, but in virtual time, with servers (at
   least 1) whose service time is constant (service_ns, at least 1). */
enum load_end trial_simulate(struct trial *trial, size_t servers, uint64_t service_ns,
                             struct progress *progress, struct err *err);

static inline uint64_t trial_answered(const struct trial *trial)
{
    return trial->tally.response.count;
}

/* Returns the number of requests answered after a deadline.  Exact for the
   trial's own; for another it comes from the histogram, with buckets of 0.8 %. */
uint64_t trial_late(const struct trial *trial, uint64_t deadline_ns);

/* Return the number of requests that were late, dropped, failed or unanswered,
   and their share (0..1; 0 if no request was offered). */
uint64_t trial_bad(const struct trial *trial, uint64_t deadline_ns);
double trial_bad_share(const struct trial *trial, uint64_t deadline_ns);

/* Returns the answers in time per second, RFC 9971's forwarding rate. */
double trial_good_per_s(const struct trial *trial, uint64_t deadline_ns);

/* Returns the mean waiting time of the requests that arrived in a third (0..2)
   of the trial, in ns. */
double trial_wait_ns(const struct trial *trial, int third);

/* True if the queue was still growing at the end: requests of the last third
   waited longer than those of the first, by more than 1/20 of the deadline.  If
   a full queue is served within the deadline, dropped requests show it instead. */
bool trial_queue_growing(const struct trial *trial, uint64_t deadline_ns);

/* Returns why the trial is not valid for the store, or NULL if it is: idle
   servers began late (p99 of the lag above 1 ms and 1/100 of the deadline), or
   the harness took more than 1/10 of a busy server's time while requests were
   lost. */
const char *trial_invalid(const struct trial *trial);

#endif
