/* SPDX-License-Identifier: ISC */
#include "load/openloop/rate_search.h"

#include <math.h>
#include <stdlib.h>

#include "core/clock.h"
#include "core/random.h"
#include "load/openloop/trial.h"
#include "tests/lib/check.h"

static struct progress progress;

/* A store whose limit is known: it loses what is above its capacity, and now
   and then, as a busy machine does, a share more. */
struct fake {
    double capacity;
    uint64_t seed;
    double disturbed; /* the share of trials in which more is lost */
    uint64_t drawn;
    uint64_t made;          /* trials */
    uint64_t invalid_from;  /* per second; 0: never */
    uint64_t fail_at;       /* trial; 0: never */
    uint64_t stop_at;       /* trial; 0: never */
    uint64_t doubtful_from; /* per second: from the third trial of a rate on
                               all fail; 0: never ... */
    bool doubt_invalid;     /* ... and it is the harness */
};

static double draw(struct fake *fake)
{
    return (double)(random_at(fake->seed, fake->drawn++) >> 11) * 0x1p-53;
}

/* About normal: the sum of twelve, less six. */
static double draw_normal(struct fake *fake)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += draw(fake);
    return sum;
}

/* How many trials at the same rate came before a trial. */
static unsigned count_earlier(const struct trial *trial, uint64_t number)
{
    unsigned earlier = 0;

    for (uint64_t i = 1; i <= number; i++)
        earlier += trial[-(ptrdiff_t)i].per_s == trial->per_s;
    return earlier;
}

static void fill(struct fake *fake, struct trial *trial, uint64_t number)
{
    /* A count, at whatever rate: without an upper bound the search goes far up. */
    const double offered = fmin(trial->per_s * (double)trial->duration_ns / (double)NS_PER_S, 1e18);
    double lost = offered * (1 - fake->capacity / trial->per_s);

    lost = lost > 0 ? lost + sqrt(lost) * draw_normal(fake) : 0;
    if (draw(fake) < fake->disturbed)
        lost += 0.1 * offered;
    trial->complete = true;
    trial->offered = (uint64_t)offered;
    trial->dropped = (uint64_t)fmax(lost, 0);
    trial->elapsed_ns = trial->duration_ns;
    server_tally_init(&trial->tally);
    trial->tally.response.count = trial->offered - trial->dropped;
    if (fake->doubtful_from != 0 && trial->per_s >= (double)fake->doubtful_from &&
        count_earlier(trial, number) >= 2) {
        trial->dropped = trial->offered / 2;
        trial->tally.overhead_ns = fake->doubt_invalid ? NS_PER_S : 0;
    } else if (fake->invalid_from != 0 && trial->per_s >= (double)fake->invalid_from)
        trial->tally.overhead_ns = NS_PER_S;
}

static enum load_end make_fake(void *context, struct trial *trial, uint64_t seed)
{
    struct fake *const fake = context;
    const uint64_t number = fake->made++;

    (void)seed;
    fill(fake, trial, number);
    trial->complete = fake->stop_at == 0 || number != fake->stop_at;
    if (!trial->complete)
        return LOAD_INTERRUPTED;
    return fake->fail_at == 0 || number != fake->fail_at ? LOAD_DONE : LOAD_FAILED;
}

static struct rate_search search_fake(struct fake *fake, double start_per_s)
{
    struct rate_search search = {
        .start_per_s = start_per_s, .trial_ns = 60 * NS_PER_S, .make = make_fake, .context = fake
    };
    struct err err = { 0 };

    if (rate_search_run(&search, &err) != LOAD_DONE)
        fail_msg("%s", err.text);
    return search;
}

static bool is_near(double got, double wanted, double tolerance)
{
    return fabs(got / wanted - 1) <= tolerance;
}

/* The limit is where the share is lost: capacity / (1 - share).  The start is
   up to a third away from it, and one trial in twelve is disturbed. */
TEST(the_limit_is_found)
{
    unsigned right[RATE_GOALS] = { 0 };

    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct fake fake = { .capacity = 10 + 400 * (double)seed,
                             .seed = seed,
                             .disturbed = 1.0 / 12 };
        const double start = fake.capacity * (0.67 + 0.04 * (double)(seed % 16));
        struct rate_search search = search_fake(&fake, start);

        for (int i = 0; i < RATE_GOALS; i++) {
            const struct rate_bracket *const b = &search.brackets[i];
            const double limit = fake.capacity / (1 - rate_goals[i].bad_share);

            right[i] += b->verified && is_near(b->low_per_s, limit, 0.03);
            assert_true(b->low_per_s < b->high_per_s);
        }
        rate_search_release(&search);
    }
    for (int i = 0; i < RATE_GOALS; i++)
        assert_in_range(right[i], 19, 20);
}

/* Without noise the bracket holds the limit, wherever the search began. */
TEST(the_bracket_holds_the_limit)
{
    static const double starts[] = { 10, 300, 900, 1000, 1100, 5000, 1e5 };

    for (size_t i = 0; i < COUNT_OF(starts); i++) {
        struct fake fake = { .capacity = 1000, .seed = i };
        struct rate_search search = search_fake(&fake, starts[i]);

        for (int g = 0; g < RATE_GOALS; g++) {
            const struct rate_bracket *const b = &search.brackets[g];
            const double limit = 1000 / (1 - rate_goals[g].bad_share);

            assert_true(b->verified);
            assert_true(b->low_per_s <= limit * 1.005);
            assert_true(b->high_per_s >= limit * 0.995);
            assert_true(b->high_per_s / b->low_per_s <= 1.02501);
            assert_true(is_near(b->good_per_s, 1000, 0.03));
        }
        rate_search_release(&search);
    }
}

/* A harness that cannot offer more is not a store that cannot serve more. */
TEST(the_harness_may_be_the_limit)
{
    struct fake fake = { .capacity = 1000, .seed = 1, .invalid_from = 700 };
    struct rate_search search = search_fake(&fake, 1000);

    /* A trial without any loss is the store's own. */
    fake.capacity = 1000;
    assert_true(search.brackets[0].invalid);
    assert_in_range((uint64_t)search.brackets[0].low_per_s, 970, 1010);
    rate_search_release(&search);
}

/* A rate that is too high is told, and whether it was the harness that failed. */
TEST(what_never_passes_has_no_rate)
{
    for (int invalid = 0; invalid <= 1; invalid++) {
        struct fake fake = { .capacity = 1e-9, .seed = 1, .invalid_from = (uint64_t)invalid };
        struct rate_search search = search_fake(&fake, 10000);

        for (int i = 0; i < RATE_GOALS; i++) {
            const struct rate_bracket *const bracket = &search.brackets[i];

            assert_true(bracket->low_per_s <= 0);
            assert_false(bracket->verified);
            assert_true(bracket->high_per_s > 0);
            assert_true(bracket->high_per_s < 100);
            assert_int_equal(bracket->invalid, invalid);
        }
        rate_search_release(&search);
    }
}

TEST(errors_and_interrupts_end_it)
{
    struct fake fake = { .capacity = 1000, .seed = 1, .fail_at = 3 };
    const struct rate_search begun = {
        .start_per_s = 1000, .trial_ns = 60 * NS_PER_S, .make = make_fake, .context = &fake
    };
    struct rate_search search = begun;
    struct err err = { 0 };

    assert_int_equal(rate_search_run(&search, &err), LOAD_FAILED);
    assert_int_equal(search.count, 4);
    rate_search_release(&search);
    fake = (struct fake){ .capacity = 1000, .seed = 1, .stop_at = 5 };
    search = begun;
    assert_int_equal(rate_search_run(&search, &err), LOAD_INTERRUPTED);
    assert_int_equal(search.count, 6);
    assert_string_equal(err.text, "");
    rate_search_release(&search);
}

/* A search that finds no limit is not one that was made. */
TEST(it_gives_up_at_last)
{
    struct fake fake = { .capacity = 1e30, .seed = 1 };
    struct rate_search search = {
        .start_per_s = 1000, .trial_ns = 60 * NS_PER_S, .make = make_fake, .context = &fake
    };
    struct err err = { 0 };

    assert_int_equal(rate_search_run(&search, &err), LOAD_FAILED);
    assert_int_equal(search.count, RATE_TRIALS_MAX);
    assert_non_null(strstr(err.text, "no rate was confirmed in 80 trials"));
    rate_search_release(&search);
}

/* A bound that the confirming trials overturn is none, and they say whether it
   is the store's limit or the harness's. */
TEST(the_last_trials_say_whose_limit_it_is)
{
    for (int invalid = 0; invalid <= 1; invalid++) {
        struct fake fake = { .capacity = 1000,
                             .seed = 1,
                             .doubtful_from = 900,
                             .doubt_invalid = invalid,
                             .invalid_from = invalid ? 0 : 700 };
        struct rate_search search = search_fake(&fake, 1000);

        for (int i = 0; i < RATE_GOALS; i++) {
            assert_true(search.brackets[i].verified);
            assert_true(search.brackets[i].low_per_s < 900);
            assert_true(search.brackets[i].high_per_s > 0);
            assert_int_equal(search.brackets[i].invalid, invalid);
        }
        rate_search_release(&search);
    }
}

/* The pool itself, a server of 1000 per second, in trials of 20 s. */
static enum load_end make_simulated(void *context, struct trial *trial, uint64_t seed)
{
    struct err err = { 0 };
    struct arrivals arrivals;

    (void)context;
    arrivals_init(&arrivals, ARRIVALS_POISSON, trial->per_s, trial->warmup_ns + trial->duration_ns,
                  seed);
    trial->source = &arrivals.source;
    trial->queue_size = 256;
    return trial_simulate(trial, 1, 1000000, &progress, &err);
}

TEST(a_simulated_servers_limit_is_found)
{
    unsigned right = 0;

    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct rate_search search = {
            .start_per_s = 950, .trial_ns = 20 * NS_PER_S, .seed = seed, .make = make_simulated
        };
        struct err err = { 0 };

        assert_int_equal(rate_search_run(&search, &err), LOAD_DONE);
        right += search.brackets[0].verified &&
                 is_near(search.brackets[0].low_per_s, 1000 / 0.975, 0.03);
        rate_search_release(&search);
    }
    assert_in_range(right, 19, 20);
}

/* Nothing is lost up to 1000 per second, and half above; but the first
   confirming trial loses what one goal allows and the other does not, and the
   second, for the other, what none does. */
struct doubt {
    uint64_t made;
    size_t confirming;
};

static enum load_end make_doubtful(void *context, struct trial *trial, uint64_t seed)
{
    static const double shares[] = { 0.018, 0.3 };
    struct doubt *const doubt = context;
    const uint64_t number = doubt->made++;
    double share = trial->per_s > 1000 ? 0.5 : 0;

    (void)seed;
    if (trial->per_s <= 1000 && doubt->confirming < COUNT_OF(shares) &&
        count_earlier(trial, number) >= 2)
        share = shares[doubt->confirming++];
    trial->complete = true;
    trial->offered = 10000;
    trial->dropped = (uint64_t)(10000 * share);
    trial->elapsed_ns = trial->duration_ns;
    server_tally_init(&trial->tally);
    trial->tally.response.count = trial->offered - trial->dropped;
    return LOAD_DONE;
}

TEST(what_is_confirmed_has_more_for_it_than_against)
{
    struct doubt doubt = { 0 };
    struct rate_search search = {
        .start_per_s = 900, .trial_ns = NS_PER_S, .make = make_doubtful, .context = &doubt
    };
    struct err err = { 0 };

    assert_int_equal(rate_search_run(&search, &err), LOAD_DONE);
    for (int g = 0; g < RATE_GOALS; g++) {
        const struct rate_bracket *const bracket = &search.brackets[g];
        int balance = 0;

        assert_true(bracket->verified);
        for (size_t i = 0; i < search.count; i++) {
            const struct trial *const trial = &search.trials[i];

            if (trial->per_s != bracket->low_per_s)
                continue;
            balance += trial_bad_share(trial, rate_goals[g].deadline_ns) <= rate_goals[g].bad_share
                           ? 1
                           : -1;
        }
        check_number(rate_goals[g].name, (uint64_t)(balance > 0), 1);
    }
    rate_search_release(&search);
}

/* A store whose capacity is another one in each trial: lognormal around 1000 a
   second, and with bursts at half of it in one second of ten, which the queue
   evens out. */
struct noisy {
    struct fake random;
    double noise; /* standard deviation */
    bool bursts;
};

static enum load_end make_noisy(void *context, struct trial *trial, uint64_t seed)
{
    struct noisy *const store = context;
    double capacity = 1000 * exp(store->noise * draw_normal(&store->random));
    double speed = 0;

    (void)seed;
    for (int second = 0; second < 10; second++)
        speed += store->bursts && draw(&store->random) < 0.1 ? 0.05 : 0.1;
    capacity *= speed;
    trial->complete = true;
    trial->elapsed_ns = trial->duration_ns;
    trial->offered = (uint64_t)(trial->per_s * (double)trial->duration_ns / (double)NS_PER_S);
    trial->dropped = (uint64_t)((double)trial->offered * fmax(1 - capacity / trial->per_s, 0));
    server_tally_init(&trial->tally);
    trial->tally.response.count = trial->offered - trial->dropped;
    return LOAD_DONE;
}

static int compare_numbers(const void *a, const void *b)
{
    const double first = *(const double *)a;
    const double second = *(const double *)b;

    return (first > second) - (first < second);
}

enum { SEARCHES = 300 };

/* The median rate that searches find for a goal, as a share of 1000. */
static double find_median(double noise, bool bursts, int goal)
{
    static double found[SEARCHES];
    size_t trials = 0;

    for (uint64_t i = 0; i < SEARCHES; i++) {
        struct noisy store = { .random = { .seed = i + 1 }, .noise = noise, .bursts = bursts };
        struct rate_search search = { .start_per_s = 600 + 3 * (double)i,
                                      .trial_ns = 10 * NS_PER_S,
                                      .make = make_noisy,
                                      .context = &store };
        struct err err = { 0 };

        if (rate_search_run(&search, &err) != LOAD_DONE)
            fail_msg("%s", err.text);
        found[i] = search.brackets[goal].good_per_s / 1000;
        trials += search.count;
        rate_search_release(&search);
    }
    assert_in_range(trials / SEARCHES, 1, 18);
    qsort(found, SEARCHES, sizeof *found, compare_numbers);
    return (found[SEARCHES / 2 - 1] + found[SEARCHES / 2]) / 2;
}

TEST(noise_makes_a_store_look_neither_faster_nor_slower)
{
    static const struct {
        double noise;
        double bias; /* at most */
    } rows[] = { { 0, 0.01 }, { 0.03, 0.01 }, { 0.1, 0.01 }, { 0.3, 0.03 } };

    for (int goal = 0; goal < RATE_GOALS; goal++) {
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            const double median = find_median(rows[i].noise, false, goal);

            if (!is_near(median, 1, rows[i].bias))
                fail_msg("%s: noise %g: %g times the truth", rate_goals[goal].name, rows[i].noise,
                         median);
        }
    }
}

/* One second in ten at half the speed leaves 95 %. */
TEST(bursts_make_a_store_look_as_slow_as_it_is)
{
    assert_true(is_near(find_median(0, true, 0), 0.95, 0.02));
    assert_true(is_near(find_median(0.1, true, 0), 0.95, 0.02));
}
