/* SPDX-License-Identifier: ISC */
/*
 * What came of requests that were offered for a while, and what may be said of
 * it.  Each request that was offered is exactly one of: answered (in time or
 * late), failed, dropped, merged or unanswered.
 */
#ifndef UBENCH_LOAD_OPENLOOP_TRIAL_H
#define UBENCH_LOAD_OPENLOOP_TRIAL_H

#include "load/openloop/server_pool.h"
#include "load/progress.h"

enum trial_stage {
    TRIAL_SINGLE, /* on its own */
    TRIAL_COARSE, /* of a search: short ... */
    TRIAL_FINE,   /* ... and long, to be sure ... */
    TRIAL_VERIFY, /* ... and the last */
};
const char *trial_stage_name(enum trial_stage stage);

struct trial {
    enum trial_stage stage;
    double per_s; /* offered by the schedule; 0 if it has no rate */
    uint64_t warmup_ns;
    uint64_t duration_ns; /* as asked for */
    uint64_t deadline_ns;
    uint64_t queue_size;
    bool complete;       /* not interrupted */
    uint64_t elapsed_ns; /* of the duration; less if it was interrupted */
    uint64_t offered;
    uint64_t dropped;
    uint64_t merged;
    uint64_t unanswered; /* waited still when the drain was over */
    struct server_tally tally;
    struct server_pool_second *seconds;
    size_t second_count;
};

/*
 * Fills trial from a pool, whose seconds it takes over, and the tallies of
 * its servers, added up.  now_ns is when they stopped; complete is false if
 * the run was asked to stop, and then those that wait were never offered.
 */
void trial_fill(struct trial *trial, struct server_pool *pool,
                const struct server_tally *tally, uint64_t now_ns,
                bool complete);
void trial_release(struct trial *trial); /* zeroed is fine */

/*
 * The open loop in time that does not pass, which predicts what a store should
 * do under a load, from what it was seen to do without one: the same pool,
 * served by servers, at least 1, that take service_ns, at least 1, for each
 * request (what queueing theory calls D) and answer it.  Fills trial as
 * open_loop_run does; it is not complete if progress was stopped.  Returns 0,
 * or -1 with err if there was no memory; release trial either way.
 */
int trial_simulate(const struct server_pool_config *config, size_t servers,
                   uint64_t service_ns, struct progress *progress,
                   struct trial *trial, struct err *err);

static inline uint64_t trial_answered(const struct trial *trial)
{
    return trial->tally.response.count;
}

/* Requests answered later than that.  For another deadline than the trial's
   own it comes from the histogram, whose buckets are 0.8 % wide there. */
uint64_t trial_late(const struct trial *trial, uint64_t deadline_ns);

/* The share of requests that were late, dropped, failed or unanswered, 0..1.
   0 if none was offered. */
double trial_bad_share(const struct trial *trial, uint64_t deadline_ns);

/* Answers in time per second: "conditional throughput". */
double trial_good_per_s(const struct trial *trial, uint64_t deadline_ns);

/* The mean waiting time of requests that came in a third (from 0), in ns. */
double trial_wait_ns(const struct trial *trial, int third);

/*
 * True if the queue was still growing at the end, towards where all requests
 * are late: those of the last third waited longer than those of the first, by
 * more than a twentieth of the deadline.  That is not sustained, even if none
 * was late yet.  A queue that is short enough to be served within the deadline
 * when it is full grows no further than that; there the drops tell, once there
 * are any: a short trial may end before the queue is full.
 */
bool trial_queue_growing(const struct trial *trial, uint64_t deadline_ns);

/*
 * NULL, or why the trial says nothing about the store: idle servers began
 * late (p99 of the lag above 1 ms and above a hundredth of the deadline), or
 * the harness itself took more than a tenth of a busy server's time while
 * requests were lost.
 */
const char *trial_invalid(const struct trial *trial);

#endif
