/* SPDX-License-Identifier: ISC */
#include "load/openloop/rate_search.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "core/clock.h"
#include "core/random.h"

const struct rate_goal rate_goals[RATE_GOALS] = {
    { "2.5 % in 2 s", "Kea's performance reports (1.7.6)", 0.025, 2 * NS_PER_S },
    { "1 % in 3 s", "the Ministry of Justice's acceptance test", 0.01, 3 * NS_PER_S },
};

const double rate_width = 0.025;

static const double first_share = 0.5; /* first rate, as a share of the start */
static const double leap = 2;          /* factor upward until a rate is too high */
static const double hopeless = 0.001;  /* lowest rate tried, as a share of the start */

/* Trials that must agree to decide a rate, and to confirm the lower bound. */
enum { MAJORITY = 2, CONFIRMED = 3 };

enum verdict { UNDECIDED, LOWER_BOUND, UPPER_BOUND, INVALID };

bool trial_meets(const struct trial *trial, const struct rate_goal *goal)
{
    return trial->complete && trial_invalid(trial) == NULL &&
           trial_bad_share(trial, goal->deadline_ns) <= goal->bad_share &&
           !trial_queue_growing(trial, goal->deadline_ns);
}

/* The trials at one rate, judged by a goal. */
struct load {
    double per_s; /* 0, or INFINITY: no such rate */
    unsigned met;
    unsigned missed;
    unsigned invalid;
};

static struct load load_at(const struct rate_search *search, const struct rate_goal *goal,
                           double per_s)
{
    struct load load = { .per_s = per_s };

    for (size_t i = 0; i < search->count; i++) {
        const struct trial *const trial = &search->trials[i];

        if (trial->per_s != per_s)
            continue;
        if (trial_invalid(trial) != NULL)
            load.invalid++;
        else if (trial_meets(trial, goal))
            load.met++;
        else
            load.missed++;
    }
    return load;
}

/* Returns the verdict on which at least majority trials agree, and more than on any other. */
static enum verdict judge(const struct load *load, unsigned majority)
{
    const unsigned most = load->met > load->missed ? load->met : load->missed;

    if (load->invalid >= majority && load->invalid > most)
        return INVALID;
    if (most < majority || load->met == load->missed)
        return UNDECIDED;
    return load->met > load->missed ? LOWER_BOUND : UPPER_BOUND;
}

/* Returns a number above 0 for a likely lower bound, and below 0 for a likely upper one. */
static int leaning(const struct load *load)
{
    return (int)load->met - (int)(load->missed + load->invalid);
}

static int compare_numbers(const void *a, const void *b)
{
    const double first = *(const double *)a;
    const double second = *(const double *)b;

    return (first > second) - (first < second);
}

/* Returns the median of the answers in time per second at a rate; 0 if no trial there was
   valid. */
static double good_at(const struct rate_search *search, const struct rate_goal *goal, double per_s)
{
    double good[RATE_TRIALS_MAX];
    size_t count = 0;

    for (size_t i = 0; i < search->count; i++) {
        const struct trial *const trial = &search->trials[i];

        if (trial->per_s == per_s && trial_invalid(trial) == NULL)
            good[count++] = trial_good_per_s(trial, goal->deadline_ns);
    }
    if (count == 0)
        return 0;
    qsort(good, count, sizeof *good, compare_numbers);
    return (good[(count - 1) / 2] + good[count / 2]) / 2;
}

struct bounds {
    struct load low;
    struct load high;
};

static const struct bounds unbounded = { .high = { .per_s = INFINITY } };

/* Finds the relevant lower bound, and above it the relevant upper bound or a rate at which the
   harness failed. */
static struct bounds find_relevant(const struct rate_search *search, const struct rate_goal *goal)
{
    struct bounds bounds = unbounded;

    for (size_t i = 0; i < search->count; i++) {
        const struct load load = load_at(search, goal, search->trials[i].per_s);

        if (judge(&load, MAJORITY) >= UPPER_BOUND && load.per_s < bounds.high.per_s)
            bounds.high = load;
    }
    for (size_t i = 0; i < search->count; i++) {
        const struct load load = load_at(search, goal, search->trials[i].per_s);

        if (judge(&load, MAJORITY) == LOWER_BOUND && load.per_s > bounds.low.per_s &&
            load.per_s < bounds.high.per_s)
            bounds.low = load;
    }
    return bounds;
}

/* Finds the bounds that single trials make likely between the relevant ones: the lowest rate
   that seems too high, and the highest below it that does not.  *open becomes the lowest rate
   with as many trials for as against, or 0. */
static struct bounds find_likely(const struct rate_search *search, const struct rate_goal *goal,
                                 const struct bounds *relevant, double *open)
{
    struct bounds likely = *relevant;

    *open = 0;
    for (size_t i = 0; i < search->count; i++) {
        const struct load load = load_at(search, goal, search->trials[i].per_s);

        if (load.per_s <= relevant->low.per_s || load.per_s >= relevant->high.per_s)
            continue;
        if (leaning(&load) == 0 && (*open <= 0 || load.per_s < *open))
            *open = load.per_s;
        if (leaning(&load) < 0 && load.per_s < likely.high.per_s)
            likely.high = load;
    }
    for (size_t i = 0; i < search->count; i++) {
        const struct load load = load_at(search, goal, search->trials[i].per_s);

        if (leaning(&load) > 0 && load.per_s > likely.low.per_s && load.per_s < likely.high.per_s)
            likely.low = load;
    }
    return likely;
}

static bool are_close(double low_per_s, double high_per_s)
{
    return high_per_s <= low_per_s * (1 + rate_width);
}

/* Returns a rate below one that is too high, by the answers there: an overloaded store answers
   at about its capacity, unless all answers are late. */
static double look_below(double high_per_s, double good_per_s)
{
    return fmin(fmax(good_per_s, high_per_s / (leap * leap)), high_per_s / (1 + rate_width));
}

/* Returns a rate between two; if they are far apart, by the answers at the higher one.  Steps
   upward are wide, because a climb of many single trials would end at the first unlucky one. */
static double look_between(double low_per_s, double high_per_s, double good_per_s)
{
    const double step = 1 + rate_width;
    const double near_per_s = low_per_s * pow(step, 3);

    if (high_per_s > near_per_s * step && good_per_s >= low_per_s / (step * step) &&
        good_per_s <= high_per_s / step)
        return fmax(good_per_s, near_per_s);
    return sqrt(low_per_s * high_per_s);
}

/* Judges all trials so far by a goal.  Returns true if one more is needed, and sets its
   rate. */
static bool assess(const struct rate_search *search, const struct rate_goal *goal,
                   struct rate_bracket *bracket, double *per_s)
{
    const struct bounds relevant = find_relevant(search, goal);
    const double good_per_s = good_at(search, goal, relevant.low.per_s);
    double open;

    *bracket = (struct rate_bracket){
        .low_per_s = relevant.low.per_s,
        .high_per_s = isfinite(relevant.high.per_s) ? relevant.high.per_s : 0,
        .good_per_s = good_per_s,
        .verified = judge(&relevant.low, CONFIRMED) == LOWER_BOUND &&
                    are_close(relevant.low.per_s, relevant.high.per_s),
        .invalid = judge(&relevant.high, MAJORITY) == INVALID,
    };
    *per_s = relevant.low.per_s;
    if (are_close(relevant.low.per_s, relevant.high.per_s))
        return !bracket->verified; /* a confirming trial */
    const struct bounds likely = find_likely(search, goal, &relevant, &open);
    const double low = likely.low.per_s;
    const double high = likely.high.per_s;
    const double high_good = good_at(search, goal, high);

    if (open > 0)
        *per_s = open;
    else if (isinf(high))
        *per_s = low > 0 ? low * leap : first_share * search->start_per_s;
    else if (low <= 0)
        *per_s = look_below(high, high_good);
    else if (!are_close(low, high))
        *per_s = look_between(low, high, high_good);
    else
        *per_s = judge(&likely.high, MAJORITY) == UNDECIDED ? high : low;
    if (*per_s > hopeless * search->start_per_s)
        return true;
    /* Every rate has failed.  Trials that agree on the lowest one tell whether the store or the
       harness was the limit. */
    *per_s = high;
    return isfinite(high) && judge(&likely.high, MAJORITY) == UNDECIDED;
}

/* Chooses the rate of the next trial for the first goal that needs one.  Returns false if none
   does. */
static bool choose_trial(struct rate_search *search, double *per_s)
{
    int i = 0;

    while (i < RATE_GOALS && !assess(search, &rate_goals[i], &search->brackets[i], per_s))
        i++;
    return i < RATE_GOALS;
}

static enum load_end add_trial(struct rate_search *search, double per_s)
{
    const uint64_t number = search->count++;
    struct trial *const trial = &search->trials[number];

    trial->stage = TRIAL_SEARCH;
    trial->per_s = per_s;
    trial->warmup_ns = search->trial_ns / 12;
    trial->duration_ns = search->trial_ns;
    trial->deadline_ns = rate_goals[0].deadline_ns;
    for (int i = 0; i < RATE_GOALS; i++) {
        if (rate_goals[i].deadline_ns > trial->drain_ns)
            trial->drain_ns = rate_goals[i].deadline_ns;
    }
    return search->make(search->context, trial, random_at(search->seed, number));
}

enum load_end rate_search_run(struct rate_search *search, struct err *err)
{
    enum load_end end = LOAD_DONE;
    double per_s;

    assert(search->start_per_s > 0);
    search->trials = err_calloc(RATE_TRIALS_MAX, sizeof *search->trials, err);
    if (search->trials == NULL)
        return LOAD_FAILED;
    while (end == LOAD_DONE && choose_trial(search, &per_s)) {
        if (search->count == RATE_TRIALS_MAX) {
            (void)err_set(err, "no rate was confirmed in %d trials; use a longer --duration",
                          RATE_TRIALS_MAX);
            return LOAD_FAILED;
        }
        end = add_trial(search, per_s);
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
