/* SPDX-License-Identifier: ISC */
#include "load/openloop/rate_search.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "core/clock.h"
#include "core/random.h"

const struct rate_goal rate_goals[RATE_GOALS] = {
    { "2.5 % in 2 s", "Kea's performance reports (1.7.6)", 0.025,
      2 * NS_PER_S },
    { "1 % in 3 s", "the Ministry of Justice's acceptance test", 0.01,
      3 * NS_PER_S },
};

/* How near the two ends of a bracket come to each other in each stage, and how
   a search without one of them moves on. */
static const double coarse_width = 1.10;
static const double fine_width = 1.02;
static const double first_low = 0.5;
static const double first_high = 1.2;
static const double far_step = 1.5;
static const double retreat = 0.97;   /* when the last trial failed */
static const double hopeless = 0.001; /* of the start: it never sustains */

enum verdict { VERDICT_OPEN, VERDICT_PASS, VERDICT_FAIL, VERDICT_INVALID };

/* So many of either are needed, in trials of a stage at the same rate, and
   more passes than fails.  Noise makes a store look worse and not better, so
   that a pass counts for all fails where longer trials are to come. */
enum { PASSES = 1, PASSES_FINE = 2, FAILS = 2 };

enum { INVALID_MAX = 3, VERIFY_MAX = 4 };

bool trial_meets(const struct trial *trial, const struct rate_goal *goal)
{
    return trial->complete && trial_invalid(trial) == NULL &&
           trial_bad_share(trial, goal->deadline_ns) <= goal->bad_share &&
           !trial_queue_growing(trial, goal->deadline_ns);
}

/* The verdict of all trials of a stage at one rate. */
static enum verdict judge(const struct rate_search *search,
                          const struct rate_goal *goal, enum trial_stage stage,
                          double per_s)
{
    unsigned passed = 0;
    unsigned failed = 0;
    unsigned invalid = 0;

    for (size_t i = 0; i < search->count; i++) {
        const struct trial *const trial = &search->trials[i];

        if (trial->stage != stage || trial->per_s != per_s)
            continue;
        if (trial_invalid(trial) != NULL)
            invalid++;
        else if (trial_meets(trial, goal))
            passed++;
        else
            failed++;
    }
    if (passed >= (stage == TRIAL_FINE ? PASSES_FINE : PASSES) &&
        (stage == TRIAL_COARSE || passed > failed))
        return VERDICT_PASS;
    if (failed >= FAILS)
        return VERDICT_FAIL;
    return invalid >= INVALID_MAX ? VERDICT_INVALID : VERDICT_OPEN;
}

/* An end of a bracket; per_s is 0, or INFINITY, if there is none. */
struct end {
    double per_s;
    bool fine; /* the long trials say so, not the short ones */
};

struct ends {
    struct end low;
    struct end high;
};

/* Moves the ends by the trials of a stage: the lowest rate above the low end
   that failed, and the highest below that one that passed. */
static void narrow(const struct rate_search *search,
                   const struct rate_goal *goal, enum trial_stage stage,
                   struct ends *ends)
{
    const bool fine = stage != TRIAL_COARSE;

    for (size_t i = 0; i < search->count; i++) {
        const double per_s = search->trials[i].per_s;

        if (judge(search, goal, stage, per_s) >= VERDICT_FAIL &&
            per_s > ends->low.per_s && per_s < ends->high.per_s)
            ends->high = (struct end){ per_s, fine };
    }
    for (size_t i = 0; i < search->count; i++) {
        const double per_s = search->trials[i].per_s;

        if (judge(search, goal, stage, per_s) == VERDICT_PASS &&
            per_s > ends->low.per_s && per_s < ends->high.per_s)
            ends->low = (struct end){ per_s, fine };
    }
}

/* Where to look for an end that is missing. */
static double look_further(const struct ends *ends, double start_per_s)
{
    const double low = ends->low.per_s;

    if (low <= 0)
        return isfinite(ends->high.per_s) ? ends->high.per_s / far_step
                                          : first_low * start_per_s;
    if (ends->low.fine)
        return low * coarse_width;
    return low < first_high * start_per_s ? first_high * start_per_s
                                          : low * far_step;
}

/* A trial that is to be made. */
struct offer {
    enum trial_stage stage;
    double per_s;
};

/* The longest trial, at the low end; a little lower if it fails.  True if one
   more is needed. */
static bool confirm(const struct rate_search *search,
                    const struct rate_goal *goal, struct rate_bracket *bracket,
                    struct offer *offer)
{
    *offer = (struct offer){ TRIAL_VERIFY, bracket->low_per_s };
    for (int i = 0; i < VERIFY_MAX; i++) {
        const enum verdict verdict =
            judge(search, goal, TRIAL_VERIFY, offer->per_s);

        bracket->low_per_s = offer->per_s;
        bracket->verified = verdict == VERDICT_PASS;
        /* The good answers of the last one that confirmed it. */
        for (size_t k = 0; bracket->verified && k < search->count; k++) {
            const struct trial *const trial = &search->trials[k];

            if (trial->stage == TRIAL_VERIFY && trial->per_s == offer->per_s &&
                trial_meets(trial, goal))
                bracket->good_per_s =
                    trial_good_per_s(trial, goal->deadline_ns);
        }
        if (bracket->verified || verdict == VERDICT_OPEN)
            return verdict == VERDICT_OPEN;
        bracket->high_per_s = offer->per_s;
        bracket->invalid = verdict == VERDICT_INVALID;
        offer->per_s *= retreat;
    }
    bracket->low_per_s = 0;
    return false;
}

/* Says what all trials so far mean for a goal.  True if one more is needed.  A
   rate that was confirmed stands until a trial for another goal, at the same
   rate, puts it in doubt. */
static bool assess(const struct rate_search *search,
                   const struct rate_goal *goal, struct rate_bracket *bracket,
                   struct offer *offer)
{
    const double start_per_s = search->start_per_s;
    struct ends ends = { .high = { INFINITY, false } };

    /* Long trials overrule short ones. */
    narrow(search, goal, TRIAL_FINE, &ends);
    narrow(search, goal, TRIAL_COARSE, &ends);
    const double low = ends.low.per_s;
    const double high = ends.high.per_s;

    if (bracket->verified &&
        judge(search, goal, TRIAL_VERIFY, bracket->low_per_s) == VERDICT_PASS)
        return false;
    *bracket = (struct rate_bracket){
        .low_per_s = low,
        .high_per_s = isfinite(high) ? high : 0,
        .invalid =
            judge(search, goal, ends.high.fine ? TRIAL_FINE : TRIAL_COARSE,
                  high) == VERDICT_INVALID,
    };
    if (low <= 0 || !isfinite(high)) {
        *offer =
            (struct offer){ TRIAL_COARSE, look_further(&ends, start_per_s) };
        return offer->per_s > hopeless * start_per_s;
    }
    *offer =
        (struct offer){ high / low > coarse_width ? TRIAL_COARSE : TRIAL_FINE,
                        high / low > fine_width ? sqrt(low * high) : high };
    return high / low > fine_width || !ends.high.fine ||
           confirm(search, goal, bracket, offer);
}

/* The first goal that needs one more trial decides which.  False: none does. */
static bool choose_trial(struct rate_search *search, struct offer *offer)
{
    int i = 0;

    while (i < RATE_GOALS &&
           !assess(search, &rate_goals[i], &search->brackets[i], offer))
        i++;
    return i < RATE_GOALS;
}

static enum load_end add_trial(struct rate_search *search,
                               const struct offer *offer)
{
    const uint64_t number = search->count++;
    struct trial *const trial = &search->trials[number];

    trial->stage = offer->stage;
    trial->per_s = offer->per_s;
    trial->warmup_ns = search->fine_ns / 12;
    trial->duration_ns = offer->stage == TRIAL_COARSE ? search->fine_ns / 6
                         : offer->stage == TRIAL_FINE ? search->fine_ns
                                                      : 2 * search->fine_ns;
    trial->deadline_ns = rate_goals[0].deadline_ns;
    for (int i = 0; i < RATE_GOALS; i++) {
        if (rate_goals[i].deadline_ns > trial->drain_ns)
            trial->drain_ns = rate_goals[i].deadline_ns;
    }
    return search->make(search->context, trial,
                        random_at(search->seed, number));
}

enum load_end rate_search_run(struct rate_search *search, struct err *err)
{
    enum load_end end = LOAD_DONE;
    struct offer offer;

    assert(search->start_per_s > 0);
    search->trials = err_calloc(RATE_TRIALS_MAX, sizeof *search->trials, err);
    if (search->trials == NULL)
        return LOAD_FAILED;
    while (end == LOAD_DONE && choose_trial(search, &offer)) {
        if (search->count == RATE_TRIALS_MAX) {
            (void)err_set(err,
                          "no rate confirmed in %d trials; try a longer "
                          "--duration",
                          RATE_TRIALS_MAX);
            return LOAD_FAILED;
        }
        end = add_trial(search, &offer);
    }
    return end;
}

void rate_search_release(struct rate_search *search)
{
    for (size_t i = 0; i < search->count; i++)
        trial_release(&search->trials[i]);
    free(search->trials);
    *search = (struct rate_search){ 0 };
}
