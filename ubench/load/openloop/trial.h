/* SPDX-License-Identifier: ISC */
/*
 * A trial: requests that are offered for a while, and how they were answered.
 * Requests come from a source, wait in a bounded queue and are served, as in
 * queueing theory (G/G/k): a server is a thread or a simulated one.  Each
 * request is exactly one of: answered (in time or late), failed, dropped,
 * merged or unanswered.
 *
 * But for open_loop_run it has no clock: its callers say what time it is, in ns
 * since the schedule's beginning.  Requests are put into the queue when a
 * server becomes free.  Queue, drops and waiting times are the same as if each
 * had been put in when it came, since only servers take requests out.
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

/* The fate of a request when the queue is full: it is bounded like a server's
   socket buffer. */
enum queue_policy {
    QUEUE_DROP_NEWEST, /* the new one is dropped, as a socket does */
    QUEUE_DROP_OLDEST, /* the oldest one is, as Kea's ring does */
    QUEUE_DEDUP,       /* the new one is dropped; full or not, a client that
                          waits already is not put in again */
};

/* The figures of one server; each has its own. */
struct server_tally {
    struct histogram response; /* from the scheduled time to the answer */
    struct histogram service;  /* from when the server took it */
    struct histogram lag;      /* of requests that found an idle server: how
                                  late it began all the same */
    uint64_t late;
    uint64_t failed;
    uint64_t overhead_ns;          /* between two services, while requests waited */
    uint64_t waits[SERVER_THIRDS]; /* requests by when they came ... */
    double wait_ns[SERVER_THIRDS]; /* ... and how long they waited in all */
};

/* One second's answers, by when they were given. */
struct trial_second {
    uint32_t answered;
    uint32_t late;
    uint64_t longest_ns; /* of their response times */
};

enum trial_stage {
    TRIAL_SINGLE, /* on its own */
    TRIAL_SEARCH, /* of a search */
};
extern const char *const trial_stage_names[];

struct trial {
    /* For the caller to set.  Durations are at most 2^52 ns together. */
    enum trial_stage stage;
    double per_s; /* offered by the schedule; 0 if it has no rate */
    struct arrival_source *source;
    uint64_t queue_size; /* at least 1 */
    enum queue_policy policy;
    uint64_t numbers;     /* with QUEUE_DEDUP: all of the source's are below */
    uint64_t warmup_ns;   /* requests before that are served, not counted */
    uint64_t duration_ns; /* of what is counted, after it */
    uint64_t deadline_ns; /* an answer that takes longer is late */
    uint64_t drain_ns;    /* after the duration, for those that still wait */
    /* The figures, of requests that count. */
    bool complete;       /* not interrupted */
    uint64_t elapsed_ns; /* of the duration; less if it was interrupted, or was
                            a storm that was over before */
    uint64_t offered;
    uint64_t dropped;
    uint64_t merged;
    uint64_t unanswered; /* waited still when the drain was over */
    struct server_tally tally;
    struct trial_second *seconds; /* from the warm-up's end to the closing */
    size_t second_count;
    /* A ring of the requests that wait.  Memory is taken at the beginning. */
    struct arrival *queue;
    uint64_t first;
    uint64_t length;
    uint8_t *waits; /* by number; with QUEUE_DEDUP alone */
};

/* Takes the memory for a trial whose first members are set and whose others are
   zeroed.  Returns 0, or -1 with err; release it either way. */
int trial_begin(struct trial *trial, struct err *err);
void trial_release(struct trial *trial); /* zeroed is fine */

/* Ends a trial to whose tally those of its servers were added.  now_ns is when
   they stopped; complete is false if the run was asked to stop, and then those
   that wait were never offered. */
void trial_end(struct trial *trial, uint64_t now_ns, bool complete);

/* Puts into the queue all requests until now_ns. */
void trial_admit(struct trial *trial, uint64_t now_ns);

/* Takes out the next one to be served.  False if none waits. */
bool trial_take(struct trial *trial, struct arrival *arrival);

/* Notes that a server, whose tally it is, served a request from begun_ns to
   ended_ns; answered is false if the store refused it.  As admit and take, for
   one caller at a time. */
void trial_served(struct trial *trial, struct server_tally *tally, const struct arrival *arrival,
                  uint64_t begun_ns, uint64_t ended_ns, bool answered);

/* True if a request is counted: it does not belong to the warm-up. */
static inline bool trial_counts(const struct trial *trial, const struct arrival *arrival)
{
    return arrival->at_ns >= trial->warmup_ns;
}

/* When serving ends, even if requests still wait. */
static inline uint64_t trial_closes_ns(const struct trial *trial)
{
    return trial->warmup_ns + trial->duration_ns + trial->drain_ns;
}

void server_tally_init(struct server_tally *tally);

/*
 * The open loop: requests come when the schedule says so, whether or not a
 * thread is free for them, as clients do.  A store that stands still is charged
 * with all that came meanwhile; a closed loop would forget them ("coordinated
 * omission").
 *
 * One of the threads without a request, the leader, sleeps until the next is
 * due, serves it, and leaves the lead to another, so that no thread is a
 * bottleneck; how late one begins all the same is measured (trial_invalid).
 */

/* Serves request number in one of the threads, counted from 0.  *answered is
   false; it becomes true unless the store refused the request.  An end that is
   worse than LOAD_INTERRUPTED, with err, says that nothing more can be
   measured. */
typedef enum load_end open_loop_serve(void *context, size_t thread, uint64_t number, bool *answered,
                                      struct err *err);

/* Serves what comes, in threads 1..WORKERS_MAX, until the trial closes or
   progress is stopped: within a tenth of a second if no service takes longer.
   trial is as for trial_begin.  Returns the worst end of all services;
   LOAD_FAILED with err also if there were no threads or memory. */
enum load_end open_loop_run(struct trial *trial, size_t threads, open_loop_serve *serve,
                            void *context, struct progress *progress, struct err *err);

/* Predicts what a store should do: as open_loop_run, but in time that does not
   pass, and by servers, at least 1, that take service_ns, at least 1, for each
   request. */
enum load_end trial_simulate(struct trial *trial, size_t servers, uint64_t service_ns,
                             struct progress *progress, struct err *err);

static inline uint64_t trial_answered(const struct trial *trial)
{
    return trial->tally.response.count;
}

/* Requests answered later than that.  For another deadline than the trial's
   own it comes from the histogram, whose buckets are 0.8 % wide there. */
uint64_t trial_late(const struct trial *trial, uint64_t deadline_ns);

/* Requests that were late, dropped, failed or unanswered; and their share,
   0..1, 0 if none was offered. */
uint64_t trial_bad(const struct trial *trial, uint64_t deadline_ns);
double trial_bad_share(const struct trial *trial, uint64_t deadline_ns);

/* Answers in time per second: "conditional throughput". */
double trial_good_per_s(const struct trial *trial, uint64_t deadline_ns);

/* The mean waiting time of requests that came in a third (from 0), in ns. */
double trial_wait_ns(const struct trial *trial, int third);

/* True if the queue was still growing at the end, towards where all requests
   are late: those of the last third waited longer than those of the first, by
   more than a twentieth of the deadline.  Where a full queue is served within
   the deadline the drops tell instead, once there are any. */
bool trial_queue_growing(const struct trial *trial, uint64_t deadline_ns);

/* NULL, or why the trial says nothing about the store: idle servers began late
   (p99 of the lag above 1 ms and a hundredth of the deadline), or the harness
   took more than a tenth of a busy server's time while requests were lost. */
const char *trial_invalid(const struct trial *trial);

#endif
