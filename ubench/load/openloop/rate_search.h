/* SPDX-License-Identifier: ISC */
/*
 * Finds the highest rate that a store sustains: at most a given share of the
 * requests is late or lost, and the queue does not grow.
 *
 * The terms are those of RFC 9971 (MLRsearch).  A rate is a lower bound of a
 * goal if two of three trials met it, an upper bound if two missed it, and
 * undecided until then.  The relevant upper bound is the lowest upper bound, and
 * the relevant lower bound the highest lower bound below it.  The conditional
 * throughput is the median of the answers in time per second of all trials at
 * the relevant lower bound.  Every trial is judged for every goal.
 *
 * A single trial only decides which rate to try next.  All trials last equally
 * long, since a short one flatters a store while its queue fills.
 * python/ubench/dhcp/search.py has the same rules for whole servers.
 */
#ifndef UBENCH_LOAD_OPENLOOP_RATE_SEARCH_H
#define UBENCH_LOAD_OPENLOOP_RATE_SEARCH_H

#include "load/openloop/trial.h"

struct rate_goal {
    const char *name;
    const char *source; /* of the limit: who uses it */
    double bad_share;   /* goal loss ratio: late, dropped, failed, unanswered */
    uint64_t deadline_ns;
};

enum { RATE_GOALS = 2, RATE_TRIALS_MAX = 80 };
extern const struct rate_goal rate_goals[RATE_GOALS];

/* Goal width: the search ends when the bounds differ by at most this share of
   the lower one.  RFC 9971 requires at least the loss ratio. */
extern const double rate_width;

/* True if the trial stays within the goal's limit. */
bool trial_meets(const struct trial *trial, const struct rate_goal *goal);

/* The result for a goal. */
struct rate_bracket {
    double low_per_s;  /* relevant lower bound; 0: none */
    double high_per_s; /* relevant upper bound; 0: none */
    double good_per_s; /* conditional throughput at low_per_s, or 0 */
    bool verified;     /* three of at most five trials there met the goal */
    bool invalid;      /* at high_per_s the harness was too slow, not the store */
};

struct rate_search {
    /* For the caller to set. */
    double start_per_s; /* estimate of the store's capacity; above 0 */
    uint64_t trial_ns;  /* goal final trial duration */
    uint64_t seed;
    /* Runs a trial, whose stage, rate and times are set, with its own seed.
       Any end but LOAD_DONE ends the search. */
    enum load_end (*make)(void *context, struct trial *trial, uint64_t seed);
    void *context;
    /* The results; zeroed by the caller. */
    struct trial *trials; /* in the order of time */
    size_t count;
    struct rate_bracket brackets[RATE_GOALS];
};

/* Searches for each goal.  The caller releases search in any case.  Returns
   LOAD_DONE; the end of the trial that was not LOAD_DONE; or LOAD_FAILED with
   err if RATE_TRIALS_MAX trials did not suffice or memory is short. */
enum load_end rate_search_run(struct rate_search *search, struct err *err);
void rate_search_release(struct rate_search *search); /* zeroed is fine */

#endif
