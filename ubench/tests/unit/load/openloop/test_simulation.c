/* SPDX-License-Identifier: ISC */
/*
 * The pool and what a trial says of it, in time that does not pass: against
 * what queueing theory says of a server with a known service time.
 */
#include "load/openloop/trial.h"

#include <math.h>

#include "core/clock.h"
#include "tests/lib/check.h"

#define MS UINT64_C(1000000)

/* A trial is too large for the stack of a thread, and for a copy. */
static struct trial trial;
static struct progress progress;

struct load {
    enum arrivals_kind kind;
    double per_s;
    uint64_t warmup_ns;
    uint64_t duration_ns;
    uint64_t queue;
    uint64_t seed;
    size_t servers;
    uint64_t service_ns;
};

static void simulate(const struct load *load)
{
    struct arrivals arrivals;
    struct err err = { 0 };

    arrivals_init(&arrivals, load->kind, load->per_s, load->warmup_ns + load->duration_ns,
                  load->seed);
    trial_release(&trial);
    trial = (struct trial){
        .source = &arrivals.source,
        .queue_size = load->queue,
        .warmup_ns = load->warmup_ns,
        .duration_ns = load->duration_ns,
        .deadline_ns = NS_PER_S,
        .drain_ns = NS_PER_S,
    };
    assert_int_equal(trial_simulate(&trial, load->servers, load->service_ns, &progress, &err),
                     progress_stopped(&progress) ? LOAD_INTERRUPTED : LOAD_DONE);
    assert_int_equal(trial.offered, trial_answered(&trial) + trial.tally.failed + trial.dropped +
                                        trial.merged + trial.unanswered);
}

/* The seconds have all answers, and no second has those of another. */
static void check_seconds(void)
{
    uint64_t answered = 0;
    uint64_t late = 0;
    uint64_t longest_ns = 0;

    for (size_t i = 0; i < trial.second_count; i++) {
        const struct trial_second *const second = &trial.seconds[i];

        assert_in_range(second->late, 0, second->answered);
        answered += second->answered;
        late += second->late;
        longest_ns = second->longest_ns > longest_ns ? second->longest_ns : longest_ns;
    }
    assert_int_equal(answered, trial_answered(&trial));
    assert_int_equal(late, trial.tally.late);
    assert_int_equal(longest_ns, trial.tally.response.max_ns);
}

static double mean_wait_ns(void)
{
    return histogram_mean(&trial.tally.response) - histogram_mean(&trial.tally.service);
}

/* Pollaczek and Khinchine: the mean wait at utilisation r with fixed service
   time s is r s / (2 (1 - r)). */
TEST(waits_agree_with_m_d_1)
{
    static const double loads[] = { 0.5, 0.8, 0.95 };

    for (size_t i = 0; i < COUNT_OF(loads); i++) {
        const double r = loads[i];
        const double wanted_ns = r * (double)MS / (2 * (1 - r));

        for (uint64_t seed = 1; seed <= 3; seed++) {
            simulate(&(struct load){ ARRIVALS_POISSON, 1000 * r, 100 * MS, 900 * NS_PER_S, 100000,
                                     seed, 1, MS });
            if (fabs(mean_wait_ns() / wanted_ns - 1) > 0.1)
                fail_msg("at %g, seed %" PRIu64 ": waits %g ns, theory %g ns", r, seed,
                         mean_wait_ns(), wanted_ns);
        }
    }
}

/* Erlang's C for c servers, half of which is a good guess of M/D/c. */
static double half_erlang_c_ns(double per_s, size_t c, double service_ns)
{
    const double load = per_s * service_ns / 1e9;
    double term = 1;
    double sum = 0;

    for (size_t k = 0; k < c; k++) {
        sum += term;
        term *= load / (double)(k + 1);
    }
    const double r = load / (double)c;
    const double waiting = term / (1 - r) / (sum + term / (1 - r));
    return waiting * service_ns / ((double)c * (1 - r)) / 2;
}

TEST(several_servers_agree_with_m_d_c)
{
    const double wanted_ns = half_erlang_c_ns(90, 10, 100e6);

    simulate(
        &(struct load){ ARRIVALS_POISSON, 90, NS_PER_S, 4000 * NS_PER_S, 100000, 1, 10, 100 * MS });
    if (fabs(mean_wait_ns() / wanted_ns - 1) > 0.15)
        fail_msg("waits %g ns, theory %g ns", mean_wait_ns(), wanted_ns);
}

/* At a million per second some come in the same nanosecond. */
TEST(an_idle_server_does_not_begin_before_the_request)
{
    simulate(&(struct load){ ARRIVALS_POISSON, 1e6, 0, NS_PER_S, 100000, 1, 2, 100 });
    assert_int_equal(trial.tally.response.min_ns, 100);
    assert_in_range(trial.tally.response.max_ns, 100, MS);
}

TEST(nobody_waits_for_constant_arrivals)
{
    simulate(&(struct load){ ARRIVALS_CONSTANT, 999, 0, 10 * NS_PER_S, 10, 1, 1, MS });
    assert_int_equal(trial.offered, 9990);
    assert_int_equal(trial_answered(&trial), 9990);
    assert_int_equal(trial.tally.response.max_ns, MS);
    assert_false(trial_queue_growing(&trial, NS_PER_S));
}

/* The surplus is dropped as soon as the queue is full: a server of 1000
   per second drops 200 of 1200, but for the 257 that are on their way. */
TEST(overload_is_told_apart)
{
    simulate(&(struct load){ ARRIVALS_CONSTANT, 1200, 0, 10 * NS_PER_S, 256, 1, 1, MS });
    assert_int_equal(trial.offered, 12000);
    assert_in_range(trial.dropped, 2000 - 258, 2000 - 256);
    assert_int_equal(trial.tally.late, 0);
    assert_int_equal(trial.unanswered, 0);
    assert_true(fabs(trial_good_per_s(&trial, NS_PER_S) - 1025.6) < 1);
    assert_true(fabs(trial_bad_share(&trial, NS_PER_S) - (double)trial.dropped / 12000) < 1e-9);
}

/* With a queue that is longer than the deadline nobody is dropped: the server
   gets to those who came in the first second after its own, and a third each
   is in time, late, and not served at the closing. */
TEST(the_late_are_told_from_the_unanswered)
{
    simulate(&(struct load){ ARRIVALS_CONSTANT, 2000, 0, 3 * NS_PER_S, 100000, 1, 1, MS });
    assert_int_equal(trial.offered, 6000);
    assert_int_equal(trial.dropped, 0);
    assert_in_range(trial_answered(&trial), 3999, 4001);
    assert_in_range(trial.unanswered, 1999, 2001);
    /* Number i waits i / 2 ms: the first 2000 are in time. */
    assert_in_range(trial.tally.late, 1999, 2003);
    assert_true(trial_queue_growing(&trial, NS_PER_S));
    check_seconds();
    assert_in_range(trial.seconds[0].answered, 999, 1000);
    assert_int_equal(trial.seconds[0].late, 0);
    assert_in_range(trial.seconds[2].answered, 999, 1001);
    assert_int_equal(trial.seconds[2].late, trial.seconds[2].answered);
}

/* Another deadline is read from the histogram, right within a bucket. */
TEST(any_deadline_can_be_judged)
{
    simulate(&(struct load){ ARRIVALS_CONSTANT, 2000, 0, 3 * NS_PER_S, 100000, 1, 1, MS });
    assert_in_range(trial_late(&trial, 500 * MS), 2980, 3020);
    assert_int_equal(trial_late(&trial, 10 * NS_PER_S), 0);
}

TEST(the_warm_up_does_not_count)
{
    simulate(&(struct load){ ARRIVALS_CONSTANT, 100, 2 * NS_PER_S, NS_PER_S, 10, 1, 1, MS });
    assert_int_equal(trial.offered, 100);
    assert_int_equal(trial_answered(&trial), 100);
    assert_int_equal(trial.tally.service.count, 100);
    assert_int_equal(trial.elapsed_ns, NS_PER_S);
    assert_int_equal(trial.seconds[0].answered, 100);
    assert_int_equal(trial.seconds[1].answered, 0);
}

/* 0.5 per second of backlog: a trial of 30 s loses nothing, yet it grows. */
TEST(what_grows_slowly_is_seen)
{
    simulate(&(struct load){ ARRIVALS_CONSTANT, 13, 0, 30 * NS_PER_S, 256, 1, 1, 80 * MS });
    assert_int_equal(trial.dropped, 0);
    assert_true(trial_queue_growing(&trial, 2 * NS_PER_S));
    simulate(&(struct load){ ARRIVALS_CONSTANT, 12, 0, 30 * NS_PER_S, 256, 1, 1, 80 * MS });
    assert_false(trial_queue_growing(&trial, 2 * NS_PER_S));
}

/* Twice as many as can be served, for less time than the queue needs to fill
   up: all have their answer within 3 s, and no such rate is sustained. */
TEST(a_short_trial_is_not_deceived)
{
    simulate(&(struct load){ ARRIVALS_CONSTANT, 200, 0, 5 * NS_PER_S / 3, 256, 1, 1, 10 * MS });
    assert_int_equal(trial.dropped, 0);
    assert_true(trial_queue_growing(&trial, 3 * NS_PER_S));
}

/* One request at 2 s takes a second; all others a millisecond. */
static void serve_with_a_stall(void)
{
    struct arrival arrival;
    bool stalled = false;
    uint64_t now_ns = 0;

    while (now_ns < trial_closes_ns(&trial)) {
        trial_admit(&trial, now_ns);
        if (!trial_take(&trial, &arrival)) {
            now_ns = trial.source->due_ns(trial.source);
            continue;
        }
        const bool stalls = !stalled && now_ns >= 2 * NS_PER_S;
        const uint64_t ended_ns = now_ns + (stalls ? NS_PER_S : MS);

        stalled = stalled || stalls;
        trial_served(&trial, &trial.tally, &arrival, now_ns, ended_ns, true);
        now_ns = ended_ns;
    }
}

/* The service times are what a closed loop would have seen: one slow request
   in 800.  Those who came meanwhile know of more. */
TEST(a_stall_shows_in_the_open_loop_alone)
{
    struct arrivals arrivals;
    struct err err = { 0 };

    arrivals_init(&arrivals, ARRIVALS_POISSON, 200, 4 * NS_PER_S, 1);
    trial_release(&trial);
    trial = (struct trial){
        .source = &arrivals.source,
        .queue_size = 256,
        .duration_ns = 4 * NS_PER_S,
        .deadline_ns = NS_PER_S,
        .drain_ns = NS_PER_S,
    };
    assert_int_equal(trial_begin(&trial, &err), 0);
    serve_with_a_stall();
    assert_true(histogram_quantile(&trial.tally.response, 0.99) > 0.9e9);
    assert_true(histogram_quantile(&trial.tally.service, 0.99) < 1.1e6);
    assert_in_range(trial.seconds[2].answered, 0, 60);
    assert_true(trial.seconds[3].longest_ns > 900 * MS);
}

/* A simulation may take as long as the run. */
TEST(a_simulation_can_be_stopped)
{
    struct load endless = { ARRIVALS_CONSTANT, 1e6, 0, 3600 * NS_PER_S, 10, 1, 1, 1 };

    atomic_store(&progress.stop, 1);
    simulate(&endless);
    atomic_store(&progress.stop, 0);
    assert_false(trial.complete);
    assert_int_equal(trial.offered, 0);
}

static int release(void **state)
{
    trial_release(&trial);
    return 0;
}

FIXTURE(NULL, release);
