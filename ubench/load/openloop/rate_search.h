/* SPDX-License-Identifier: ISC */
/*
 * The highest rate that is sustained: at most a certain share of the requests
 * is late or lost, and the queue does not grow.
 *
 * The words are those of RFC 9971 (MLRsearch).  A rate is a lower bound of a
 * goal if two of three trials met it, an upper bound if two missed it, and
 * undecided before.  The relevant upper bound is the lowest upper bound, and
 * the relevant lower bound the highest lower bound below it.  The conditional
 * throughput is the median of the answers in time per second of all trials at
 * the relevant lower bound.  Every trial is judged for every goal.
 *
 * A single trial only says where to look next.  All trials are of one length,
 * since short ones flatter a store whose queue fills up first.
 * python/ubench/dhcp/search.py has the same rules for whole servers.
 */
#ifndef UBENCH_LOAD_OPENLOOP_RATE_SEARCH_H
#define UBENCH_LOAD_OPENLOOP_RATE_SEARCH_H

#include "load/openloop/trial.h"

struct rate_goal {
    const char *name;
    const char *source; /* whose limit it is */
    double bad_share;   /* goal loss ratio: late, dropped, failed, unanswered */
    uint64_t deadline_ns;
};

enum { RATE_GOALS = 2, RATE_TRIALS_MAX = 80 };
extern const struct rate_goal rate_goals[RATE_GOALS];

/* Goal width: the bounds may differ by that share of the lower one.  RFC 9971
   asks for no less than the loss ratio. */
extern const double rate_width;

/* Whether a trial keeps the limit of a goal. */
bool trial_meets(const struct trial *trial, const struct rate_goal *goal);

/* The result for a goal. */
struct rate_bracket {
    double low_per_s;  /* relevant lower bound; 0: there is none */
    double high_per_s; /* relevant upper bound; 0: there is none */
    double good_per_s; /* conditional throughput at low_per_s, or 0 */
    bool verified;     /* three of at most five trials there met the goal */
    bool invalid;      /* at high_per_s it was the harness that failed */
};

struct rate_search {
    /* For the caller to set. */
    double start_per_s; /* about what the store can do at most; above 0 */
    uint64_t trial_ns;  /* goal final trial duration */
    uint64_t seed;
    /* Makes a trial, whose stage, rate and times are set, by a seed of its own.
       Any end but LOAD_DONE ends the search. */
    enum load_end (*make)(void *context, struct trial *trial, uint64_t seed);
    void *context;
    /* The findings, zeroed before. */
    struct trial *trials; /* in the order in which they were made */
    size_t count;
    struct rate_bracket brackets[RATE_GOALS];
};

/* Searches for each goal.  The caller releases search, whatever the result.
   Returns LOAD_DONE, how the trial ended that ended the search, or LOAD_FAILED
   with err: it gave up, or there is no memory. */
enum load_end rate_search_run(struct rate_search *search, struct err *err);
void rate_search_release(struct rate_search *search); /* zeroed is fine */

#endif
