/* SPDX-License-Identifier: ISC */
/*
 * The highest rate that is sustained: at most a certain share of the requests
 * is late or lost, and the queue does not grow.
 *
 * No verdict rests on one trial: short ones close in on the limit, long ones
 * decide it by two of three, and the last, twice as long, has to confirm it.
 * Every trial is judged for every goal, as in MLRsearch
 * (draft-ietf-bmwg-mlrsearch).
 */
#ifndef UBENCH_LOAD_OPENLOOP_RATE_SEARCH_H
#define UBENCH_LOAD_OPENLOOP_RATE_SEARCH_H

#include "load/openloop/trial.h"

struct rate_goal {
    const char *name;
    const char *source; /* whose limit it is */
    double bad_share;   /* late, dropped, failed or unanswered, at most */
    uint64_t deadline_ns;
};

enum { RATE_GOALS = 2, RATE_TRIALS_MAX = 80 };
extern const struct rate_goal rate_goals[RATE_GOALS];

/* Whether a trial keeps the limit of a goal. */
bool trial_meets(const struct trial *trial, const struct rate_goal *goal);

/* The result for a goal. */
struct rate_bracket {
    double low_per_s;  /* the highest rate that is sustained; 0: none was */
    double high_per_s; /* the lowest that is not; 0: none was */
    double good_per_s; /* answers in time per second, offered low_per_s */
    bool verified;     /* the last trial confirmed it */
    bool invalid;      /* at high_per_s it was the harness that failed */
};

struct rate_search {
    /* For the caller to set. */
    double start_per_s; /* about what the store can do at most; above 0 */
    uint64_t fine_ns;   /* how long the trials that decide last */
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
