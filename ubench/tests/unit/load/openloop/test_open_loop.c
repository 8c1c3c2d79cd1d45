/* SPDX-License-Identifier: ISC */
/*
 * The loops in real time, on a machine that may stand still for seconds: what
 * is compared is far apart, what must hold exactly are the counts, and nobody
 * goes home who would have been served.
 */
#include "load/openloop/trial.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "tests/lib/check.h"

#define MS UINT64_C(1000000)
/* Longer than any machine stands still. */
#define PATIENCE_NS (60 * NS_PER_S)

enum { THREADS = 3 };

/* A service that does what a test wants, and remembers whom it served. */
struct fake {
    uint64_t service_ns;
    uint64_t stall_at; /* that number takes stall_ns; 0: none does */
    uint64_t stall_ns;
    uint64_t fail_every; /* 0: never */
    uint64_t stop_at;    /* 0: never */
    uint64_t drain_ns;   /* how long it serves after the end; 0: PATIENCE_NS */
    unsigned barrier;    /* each waits until so many are served at once */
    _Atomic(unsigned) inside;
    _Atomic(bool) met; /* they were */
    _Atomic(uint64_t) calls;
    _Atomic(uint64_t) sum; /* of the numbers */
    /* With batches; NULL: without. */
    const struct trial_batches *batches;
    uint64_t fail_commit; /* the number of the commit that fails; 0: none */
    _Atomic(uint64_t) commits;
    _Atomic(uint64_t) parked[THREADS]; /* served by a thread, and not committed ... */
    _Atomic(uint64_t) most;            /* ... and how many at most that was in a commit */
};

static struct trial trial;
static struct progress *progress;

static void sleep_ns(uint64_t ns)
{
    const struct timespec pause = { .tv_sec = (time_t)(ns / NS_PER_S),
                                    .tv_nsec = (long)(ns % NS_PER_S) };

    if (ns > 0)
        (void)nanosleep(&pause, NULL);
}

static void meet(struct fake *fake)
{
    const uint64_t begun_ns = clock_now_ns();

    if (atomic_fetch_add(&fake->inside, 1) + 1 >= fake->barrier)
        atomic_store(&fake->met, true);
    while (!atomic_load(&fake->met) && clock_now_ns() - begun_ns < PATIENCE_NS / 2)
        sleep_ns(MS);
    atomic_fetch_sub(&fake->inside, 1);
}

static enum load_end serve(void *context, size_t thread, uint64_t number, bool *answered,
                           struct err *err)
{
    struct fake *const fake = context;

    atomic_fetch_add(&fake->parked[thread], 1);
    atomic_fetch_add(&fake->calls, 1);
    meet(fake);
    atomic_fetch_add(&fake->sum, number);
    sleep_ns(fake->stall_at != 0 && number == fake->stall_at ? fake->stall_ns : fake->service_ns);
    if (fake->stop_at != 0 && number >= fake->stop_at) {
        (void)err_set(err, "enough");
        return LOAD_FAILED;
    }
    *answered = fake->fail_every == 0 || number % fake->fail_every != 0;
    return LOAD_DONE;
}

static enum load_end commit(void *context, size_t thread, struct err *err)
{
    struct fake *const fake = context;

    const uint64_t count = atomic_exchange(&fake->parked[thread], 0);
    uint64_t most = atomic_load(&fake->most);

    while (count > most && !atomic_compare_exchange_weak(&fake->most, &most, count))
        continue;
    if (atomic_fetch_add(&fake->commits, 1) + 1 != fake->fail_commit)
        return LOAD_DONE;
    (void)err_set(err, "not committed");
    return LOAD_FAILED;
}

static enum load_end run(struct fake *fake, enum arrivals_kind kind, double per_s,
                         uint64_t duration_ns, size_t threads, struct err *err)
{
    struct arrivals arrivals;

    arrivals_init(&arrivals, kind, per_s, duration_ns, 1);
    trial_release(&trial);
    trial = (struct trial){
        .source = &arrivals.source,
        .queue_size = 256,
        .duration_ns = duration_ns,
        .deadline_ns = NS_PER_S,
        .drain_ns = fake->drain_ns != 0 ? fake->drain_ns : PATIENCE_NS,
        .batches = fake->batches,
    };
    atomic_store(&progress->stop, 0);
    return open_loop_run(&trial, threads, serve, fake, progress, err);
}

static void check_sum(void)
{
    assert_int_equal(trial.offered, trial_answered(&trial) + trial.tally.failed + trial.dropped +
                                        trial.merged + trial.unanswered);
}

TEST(all_are_served_once)
{
    static const size_t threads[] = { 1, THREADS };

    for (size_t i = 0; i < COUNT_OF(threads); i++) {
        struct fake fake = { .calls = 0 };
        struct err err = { 0 };

        assert_int_equal(run(&fake, ARRIVALS_CONSTANT, 500, 400 * MS, threads[i], &err), LOAD_DONE);
        assert_true(trial.complete);
        assert_int_equal(trial.offered, 200);
        assert_int_equal(trial_answered(&trial), 200);
        assert_int_equal(atomic_load(&fake.calls), 200);
        assert_int_equal(atomic_load(&fake.sum), 199 * 200 / 2);
        assert_int_equal(trial.tally.service.count, 200);
        check_sum();
        /* The rate is constant: as many came in each third. */
        for (int third = 0; third < SERVER_THIRDS; third++)
            assert_in_range(trial.tally.waits[third], 66, 68);
    }
}

/* Nobody who failed is counted as an answer, or twice. */
TEST(failures_are_counted)
{
    struct fake fake = { .fail_every = 4 };
    struct err err = { 0 };

    assert_int_equal(run(&fake, ARRIVALS_CONSTANT, 500, 200 * MS, THREADS, &err), LOAD_DONE);
    assert_int_equal(trial.offered, 100);
    assert_int_equal(trial.tally.failed, 25);
    assert_int_equal(trial_answered(&trial), 75);
    assert_string_equal(err.text, "");
    check_sum();
}

TEST(a_fatal_error_ends_it)
{
    struct fake fake = { .stop_at = 10 };
    struct err err = { 0 };

    assert_int_equal(run(&fake, ARRIVALS_CONSTANT, 500, 3600 * NS_PER_S, THREADS, &err),
                     LOAD_FAILED);
    assert_string_equal(err.text, "enough");
    assert_false(trial.complete);
    assert_in_range(trial_answered(&trial), 8, 12);
    check_sum();
}

/* And answered by a commit, each time for as many as a batch has, and at last for the rest. */
TEST(a_commit_answers_a_batch)
{
    static const struct trial_batches batches = { 8, 0, commit };
    struct fake fake = { .batches = &batches };
    struct err err = { 0 };

    assert_int_equal(run(&fake, ARRIVALS_CONSTANT, 500, 200 * MS, 1, &err), LOAD_DONE);
    assert_int_equal(trial.offered, 100);
    assert_int_equal(trial_answered(&trial), 100);
    assert_int_equal(atomic_load(&fake.commits), 13);
    /* A request waits for those behind it, 2 ms apart: 7 to 0 of them, in the last batch 3 to 0. */
    assert_true(trial.tally.response.sum_ns >= (12 * 28 + 6) * 2 * MS);
    check_sum();
}

TEST(threads_have_batches_of_their_own)
{
    static const struct trial_batches batches[] = { { 8, 0, commit }, { 1000, 3 * MS, commit } };

    for (size_t i = 0; i < COUNT_OF(batches); i++) {
        struct fake fake = { .batches = &batches[i], .service_ns = MS };
        struct err err = { 0 };

        assert_int_equal(run(&fake, ARRIVALS_POISSON, 500, 300 * MS, THREADS, &err), LOAD_DONE);
        assert_int_equal(trial.dropped, 0);
        assert_int_equal(trial_answered(&trial), trial.offered);
        assert_int_equal(atomic_load(&fake.calls), trial.offered);
        assert_in_range(atomic_load(&fake.most), 1, batches[i].count);
        for (size_t k = 0; k < THREADS; k++)
            assert_int_equal(atomic_load(&fake.parked[k]), 0);
        check_sum();
    }
}

static void *stop_after_commit(void *argument)
{
    struct fake *const fake = argument;
    const uint64_t begun_ns = clock_now_ns();

    while (atomic_load(&fake->commits) == 0 && clock_now_ns() - begun_ns < PATIENCE_NS / 2)
        sleep_ns(MS);
    atomic_store(&progress->stop, 1);
    return NULL;
}

/* Long before the next request, in a thread that leads and in one that follows. */
TEST(a_time_ends_a_batch)
{
    static const struct trial_batches batches = { 1000, 5 * MS, commit };
    static const size_t threads[] = { 1, THREADS };

    for (size_t i = 0; i < COUNT_OF(threads); i++) {
        struct fake fake = { .batches = &batches };
        struct err err = { 0 };
        pthread_t thread;

        assert_int_equal(pthread_create(&thread, NULL, stop_after_commit, &fake), 0);
        assert_int_equal(run(&fake, ARRIVALS_CONSTANT, 1 / 60.0, 600 * NS_PER_S, threads[i], &err),
                         LOAD_INTERRUPTED);
        (void)pthread_join(thread, NULL);
        assert_int_equal(atomic_load(&fake.commits), 1);
        assert_int_equal(trial.offered, 1);
        assert_int_equal(trial_answered(&trial), 1);
        assert_true(trial.tally.response.max_ns >= 5 * MS);
    }
}

TEST(nobody_is_answered_by_a_commit_that_fails)
{
    static const struct trial_batches batches = { 8, 0, commit };
    struct fake fake = { .batches = &batches, .fail_commit = 3 };
    struct err err = { 0 };

    assert_int_equal(run(&fake, ARRIVALS_CONSTANT, 500, 3600 * NS_PER_S, 1, &err), LOAD_FAILED);
    assert_string_equal(err.text, "not committed");
    assert_int_equal(trial_answered(&trial), 16);
    assert_int_equal(trial.tally.failed, 0);
    check_sum();
}

/* Three threads are three servers: the first ones wait for each other. */
TEST(threads_serve_at_once)
{
    struct fake fake = { .barrier = THREADS };
    struct err err = { 0 };

    assert_int_equal(run(&fake, ARRIVALS_CONSTANT, 200, 100 * MS, THREADS, &err), LOAD_DONE);
    assert_int_equal(trial_answered(&trial), 20);
    assert_true(atomic_load(&fake.met));
}

/* The store is slower than the rate: a result, and in time. */
TEST(overload_ends_in_time)
{
    struct fake fake = { .service_ns = 20 * MS, .drain_ns = NS_PER_S };
    struct err err = { 0 };
    const uint64_t before_ns = clock_now_ns();

    assert_int_equal(run(&fake, ARRIVALS_POISSON, 5000, 300 * MS, 1, &err), LOAD_DONE);
    /* All who came would take 30 s. */
    assert_in_range(clock_now_ns() - before_ns, 1300 * MS, 20 * NS_PER_S);
    assert_true(trial.complete);
    assert_true(trial.dropped > 900);
    assert_true(trial.unanswered > 0);
    check_sum();
}

/* Once the first one was served. */
static void *stop_soon(void *argument)
{
    struct fake *const fake = argument;

    while (atomic_load(&fake->calls) == 0)
        sleep_ns(MS);
    sleep_ns(100 * MS);
    atomic_store(&progress->stop, 1);
    return NULL;
}

/* Between two requests that are a minute apart. */
TEST(an_interrupt_is_quick)
{
    struct fake fake = { .calls = 0 };
    struct err err = { 0 };
    pthread_t thread;
    const uint64_t before_ns = clock_now_ns();

    assert_int_equal(pthread_create(&thread, NULL, stop_soon, &fake), 0);
    assert_int_equal(run(&fake, ARRIVALS_CONSTANT, 1 / 60.0, 600 * NS_PER_S, THREADS, &err),
                     LOAD_INTERRUPTED);
    (void)pthread_join(thread, NULL);
    assert_in_range(clock_now_ns() - before_ns, 100 * MS, 30 * NS_PER_S);
    assert_false(trial.complete);
    assert_int_equal(trial.offered, 1);
    assert_in_range(trial.elapsed_ns, 100 * MS, 30 * NS_PER_S);
    check_sum();
}

/* In 400 ms: it is that of all who came meanwhile, a quarter of them. */
TEST(a_stall_is_that_of_all_who_came)
{
    struct fake fake = { .service_ns = MS, .stall_at = 100, .stall_ns = 400 * MS };
    struct err err = { 0 };

    assert_int_equal(run(&fake, ARRIVALS_CONSTANT, 200, 1500 * MS, 1, &err), LOAD_DONE);
    assert_true(histogram_quantile(&trial.tally.response, 0.9) > 200e6);
}

/* A harness that wakes up late says nothing of the store. */
TEST(an_invalid_trial_says_so)
{
    trial_release(&trial);
    trial = (struct trial){ .deadline_ns = NS_PER_S, .offered = 200 };
    server_tally_init(&trial.tally);
    histogram_record(&trial.tally.service, MS);
    for (int i = 0; i < 100; i++)
        histogram_record(&trial.tally.lag, 9 * MS);
    assert_null(trial_invalid(&trial));
    for (int i = 0; i < 3; i++)
        histogram_record(&trial.tally.lag, 11 * MS);
    assert_non_null(trial_invalid(&trial));
    trial.deadline_ns = 10 * NS_PER_S;
    assert_null(trial_invalid(&trial));
    trial.dropped = 1;
    trial.tally.overhead_ns = trial.tally.service.sum_ns;
    assert_string_equal(trial_invalid(&trial), "the harness was the bottleneck, not the store");
}

static int set_up(void **state)
{
    progress = progress_new();
    return progress == NULL;
}

static int tear_down(void **state)
{
    trial_release(&trial);
    free(progress);
    return 0;
}

FIXTURE(set_up, tear_down);
