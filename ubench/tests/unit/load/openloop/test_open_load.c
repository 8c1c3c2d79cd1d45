/* SPDX-License-Identifier: ISC */
/* The exchanges in the open loop, on the null store with a fault. */
#include "load/workloads.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "core/clock.h"
#include "load/exchange/mix_parse.h"
#include "load/openloop/open_result.h"
#include "tests/lib/check.h"

#define MS UINT64_C(1000000)

enum { THREADS = 2 };

extern const struct backend null_backend;

/* The fault of the store in every at-th update from the from-th on, of all
   or of those in a trial. */
static struct fault {
    enum { FAULT_NONE, FAULT_LOST, FAULT_DEADLOCK, FAULT_LIE, FAULT_STOP } kind;
    uint64_t from;
    uint64_t at;
    bool in_trial;
} fault;
static _Atomic(uint64_t) updates;
static _Atomic(uint64_t) created;
static struct session *sessions[THREADS];
static _Atomic(int) inside[THREADS]; /* updates in a session */
static _Atomic(int) clashes;
static bool slow; /* updates */
static const char *mix = "dora-known";
static uint64_t batch = 1;
static struct progress *progress;
static struct load_result result;

static bool is_due(void)
{
    if (fault.kind == FAULT_NONE ||
        (fault.in_trial && strcmp(atomic_load(&progress->phase), "capacity") == 0))
        return false;
    const uint64_t number = atomic_fetch_add(&updates, 1) + 1;
    return number >= fault.from && number % fault.at == 0;
}

/* Notes whether two threads use a session at the same time. */
static enum outcome slow_update(struct session *session, const struct lease *lease,
                                int64_t expire_s, struct err *err)
{
    const struct timespec pause = { .tv_nsec = 2000000 };
    const size_t index = session == sessions[0] ? 0 : 1;

    if (atomic_fetch_add(&inside[index], 1) != 0)
        atomic_fetch_add(&clashes, 1);
    (void)nanosleep(&pause, NULL);
    atomic_fetch_sub(&inside[index], 1);
    return null_backend.update(session, lease, expire_s, err);
}

static enum outcome faulty_update(struct session *session, const struct lease *lease,
                                  int64_t expire_s, struct err *err)
{
    if (slow)
        return slow_update(session, lease, expire_s, err);
    if (!is_due())
        return null_backend.update(session, lease, expire_s, err);
    switch (fault.kind) {
    case FAULT_LOST:
        (void)err_set_class(err, ERR_LOST, "fake: gone");
        return OUTCOME_ERROR;
    case FAULT_DEADLOCK:
        (void)err_set_class(err, ERR_DEADLOCK, "fake: deadlock");
        return OUTCOME_ERROR;
    case FAULT_STOP:
        atomic_store(&progress->stop, 1);
        return OUTCOME_HIT;
    case FAULT_LIE:
    case FAULT_NONE:
        break;
    }
    return null_backend.update(session, lease, expire_s, err);
}

static enum outcome counted_create(struct session *session, const struct lease *lease,
                                   struct err *err)
{
    atomic_fetch_add(&created, 1);
    return null_backend.create(session, lease, err);
}

static enum load_end run(const struct workload *workload, const struct open_config *config,
                         struct err *err)
{
    const struct store_config store_config = { .compiled = true };
    struct backend backend = null_backend;
    struct load_config load = {
        .preload = 1000,
        .seed = 1,
        .threads = THREADS,
        .batch = batch,
        .profile = LEASE_PROFILE_TYPICAL,
        .family = LEASE_FAMILY_V4,
        .candidates = 1,
        .open = *config,
    };
    const struct load_context context = { .backend = &backend,
                                          .sessions = sessions,
                                          .progress = progress };

    load_result_release(&result);
    assert_int_equal(mix_parse(mix, LEASE_FAMILY_V4, &load.mix, err), 0);
    backend.update = faulty_update;
    backend.create = counted_create;
    /* Who keeps nothing and says otherwise cannot answer a search. */
    backend.keeps_leases = fault.kind == FAULT_LIE;
    struct store *const store = backend.open(&store_config, err);
    assert_non_null(store);
    for (size_t i = 0; i < THREADS; i++)
        sessions[i] = backend.session_open(store, err);
    atomic_store(&updates, 0);
    atomic_store(&created, 0);
    atomic_store(&progress->stop, 0);
    const enum load_end end = workload_run(workload, &load, &context, &result, err);
    for (size_t i = 0; i < THREADS; i++)
        backend.session_close(sessions[i]);
    assert_int_equal(backend.close(store, err), 0);
    return end;
}

/* The deadline is longer than any machine stands still. */
static const struct open_config at_a_rate = {
    .per_s = 500,
    .duration_ns = 400 * MS,
    .deadline_ns = 60 * NS_PER_S,
    .arrivals = ARRIVALS_CONSTANT,
    .queue_size = 256,
};

TEST(each_request_is_an_exchange)
{
    struct err err = { 0 };

    fault.kind = FAULT_NONE;
    assert_int_equal(run(&workload_rate, &at_a_rate, &err), LOAD_DONE);
    const struct trial *const trial = &result.open->search.trials[0];
    assert_int_equal(result.open->search.count, 1);
    assert_int_equal(trial->offered, 200);
    assert_int_equal(trial_answered(trial), 200);
    assert_int_equal(result.open->predicted.offered, 200);
    assert_int_equal(result.phase_count, 1);
    assert_int_equal(result.phases[0].done, 200);
    assert_true(result.phases[0].complete);
    assert_true(result.phases[0].ended_ns - result.phases[0].begun_ns > 390 * MS);
    assert_true(phase_rate_per_s(&result.open->closed) > 0);
    assert_int_equal(result.open->servers, THREADS);
}

/* In the closed loop before, too; what is simulated takes no more time for waiting. */
TEST(each_request_is_answered_by_a_commit)
{
    struct err err = { 0 };

    fault.kind = FAULT_NONE;
    batch = 16;
    assert_int_equal(run(&workload_rate, &at_a_rate, &err), LOAD_DONE);
    batch = 1;
    const struct trial *const trial = &result.open->search.trials[0];
    const struct phase_result *const closed = &result.open->closed;
    assert_int_equal(trial_answered(trial), 200);
    assert_int_equal(result.phases[0].done, 200);
    /* Each thread commits what it has when no more are to come. */
    assert_in_range(result.phases[0].commits.count, 12, 14);
    assert_in_range(closed->commits.count, closed->done / 16, closed->done / 16 + THREADS);
    assert_true((double)result.open->service_ns < histogram_mean(&closed->operations));
    assert_true(trial->tally.response.sum_ns > 10 * result.open->predicted.tally.response.sum_ns);
}

TEST(a_batch_is_repeated_and_answered)
{
    struct err err = { 0 };

    fault = (struct fault){ FAULT_DEADLOCK, 1, 50, true };
    batch = 16;
    assert_int_equal(run(&workload_rate, &at_a_rate, &err), LOAD_DONE);
    batch = 1;
    assert_int_equal(trial_answered(&result.open->search.trials[0]), 200);
    assert_int_equal(result.open->search.trials[0].tally.failed, 0);
    assert_int_equal(result.phases[0].done, 200);
    assert_true(result.phases[0].deadlocks >= 4);
}

/* The closed loop before is about so many leases, and not exchanges. */
TEST(what_is_about_many_leases_makes_no_more_of_them)
{
    struct open_config config = at_a_rate;
    struct err err = { 0 };

    fault.kind = FAULT_NONE;
    config.per_s = 50;
    mix = "purge";
    assert_int_equal(run(&workload_rate, &config, &err), LOAD_DONE);
    mix = "dora-known";
    assert_int_equal(result.phases[0].done, 20);
    assert_in_range(atomic_load(&created), 50000, 70000);
}

/* Once the closed loop is over, what follows for hours is the simulation. */
static void *stop_prediction(void *argument)
{
    const struct timespec pause = { .tv_nsec = 1000000 };

    while (atomic_load(&progress->planned) != 50000 || atomic_load(&progress->phase) != NULL)
        (void)nanosleep(&pause, NULL);
    atomic_store(&progress->stop, 1);
    return argument;
}

/* Once the trial has begun, all wait for a hook. */
static void *stop_trial(void *argument)
{
    const struct timespec pause = { .tv_nsec = 1000000 };
    const char *phase = NULL;

    while (phase == NULL || strcmp(phase, "single") != 0) {
        (void)nanosleep(&pause, NULL);
        phase = atomic_load(&progress->phase);
    }
    atomic_store(&progress->stop, 1);
    return argument;
}

TEST(a_prediction_is_interrupted)
{
    struct open_config config = at_a_rate;
    struct err err = { 0 };
    pthread_t thread;

    fault.kind = FAULT_NONE;
    config.per_s = 1e6;
    config.duration_ns = 10000 * NS_PER_S;
    atomic_store(&progress->planned, 0);
    assert_int_equal(pthread_create(&thread, NULL, stop_prediction, NULL), 0);
    assert_int_equal(run(&workload_rate, &config, &err), LOAD_INTERRUPTED);
    (void)pthread_join(thread, NULL);
    assert_int_equal(result.open->search.count, 0);
    assert_string_equal(err.text, "");
}

/* In the closed loop before, too. */
TEST(deadlocks_are_counted)
{
    struct err err = { 0 };

    fault = (struct fault){ FAULT_DEADLOCK, 1, 5, false };
    assert_int_equal(run(&workload_rate, &at_a_rate, &err), LOAD_DONE);
    const struct trial *const trial = &result.open->search.trials[0];
    assert_int_equal(trial->offered, 200);
    assert_in_range(trial->tally.failed, 39, 41);
    assert_int_equal(trial_answered(trial), 200 - trial->tally.failed);
    assert_int_equal(result.phases[0].done, trial_answered(trial));
    assert_int_equal(result.phases[0].deadlocks, trial->tally.failed);
    assert_true(result.phases[0].complete);
    assert_true(result.open->closed.deadlocks > 0);
}

TEST(faults_end_it)
{
    static const struct {
        const char *name;
        struct fault fault;
        enum load_end end;
        const char *text;
        size_t trials;
    } cases[] = {
        { "lost in the closed loop", { FAULT_LOST, 10, 1, false }, LOAD_FAILED, "fake: gone", 0 },
        { "lost in the trial", { FAULT_LOST, 50, 1, true }, LOAD_FAILED, "fake: gone", 1 },
        { "wrong in the closed loop", { FAULT_LIE, 10, 1, false }, LOAD_WRONG, "wrong answer", 0 },
        { "interrupted in the closed loop", { FAULT_STOP, 10, 1, false }, LOAD_INTERRUPTED, "", 0 },
        { "interrupted in the trial", { FAULT_STOP, 50, 1, true }, LOAD_INTERRUPTED, "", 1 },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct open_config config = at_a_rate;
        struct err err = { 0 };

        config.duration_ns = 60 * NS_PER_S;
        fault = cases[i].fault;
        check_number(cases[i].name, run(&workload_rate, &config, &err), cases[i].end);
        check(cases[i].name, strstr(err.text, cases[i].text) != NULL, err.text);
        check_number(cases[i].name, result.open->search.count, cases[i].trials);
        if (cases[i].trials == 0)
            continue;
        const struct trial *const trial = &result.open->search.trials[0];
        check(cases[i].name, !trial->complete, "incomplete");
        check_number(cases[i].name,
                     trial_answered(trial) + trial->tally.failed + trial->dropped + trial->merged +
                         trial->unanswered,
                     trial->offered);
        /* There are 30,000; a machine that stands still lets many come at once.
         */
        check(cases[i].name, trial->offered >= 45 && trial->offered < 15000,
              "at least about 50 requests");
        check(cases[i].name, !result.phases[0].complete, "the phase is incomplete");
    }
}

TEST(a_storm_serves_each_client_once)
{
    const struct open_config config = {
        .duration_ns = NS_PER_S, .deadline_ns = 60 * NS_PER_S, .queue_size = 700, .clients = 700
    };
    struct err err = { 0 };

    fault.kind = FAULT_NONE;
    assert_int_equal(run(&workload_storm, &config, &err), LOAD_DONE);
    assert_int_equal(atomic_load(&progress->planned), result.open->storm_predicted.sent);
    assert_int_equal(result.open->storm.clients, 700);
    assert_int_equal(result.open->storm.served, 700);
    /* Who waits for 4 s asks again. */
    assert_in_range(result.open->storm.sent, 700, 3500);
    assert_int_equal(result.open->storm_predicted.served, 700);
    assert_in_range(result.phases[0].done, 700, result.open->storm.sent);
    assert_true(result.open->storm.served_100_ns >= result.open->storm.served_50_ns);
}

/* One thread of the pool can do 20 a second, for as long as it takes on a
   machine that stands still; the prediction knows it. */
TEST(a_hook_is_predicted)
{
    struct open_config config = at_a_rate;
    struct err err = { 0 };

    fault.kind = FAULT_NONE;
    config.hook_delay_ns = 50 * MS;
    config.hook_pool = 1;
    config.queue_size = 2;
    assert_int_equal(run(&workload_rate, &config, &err), LOAD_DONE);
    const struct trial *const real = &result.open->search.trials[0];
    const struct trial *const simulated = &result.open->predicted;
    assert_int_equal(result.open->servers, 1);
    assert_int_equal(real->offered, simulated->offered);
    assert_in_range(trial_answered(simulated), 9, 11);
    const uint64_t elapsed_ns = result.phases[0].ended_ns - result.phases[0].begun_ns;
    assert_in_range(trial_answered(real), 1, elapsed_ns / (50 * MS) + 1);
}

/* All wait for the hook at the same time, which would take 50 s one after the
   other, and then take turns in the two sessions of the store. */
TEST(a_pool_waits_together_and_shares_the_store)
{
    struct open_config config = at_a_rate;
    struct err err = { 0 };

    fault.kind = FAULT_NONE;
    slow = true;
    config.per_s = 250;
    config.hook_delay_ns = 500 * MS;
    config.hook_pool = 100;
    atomic_store(&clashes, 0);
    assert_int_equal(run(&workload_rate, &config, &err), LOAD_DONE);
    slow = false;
    assert_int_equal(trial_answered(&result.open->search.trials[0]), 100);
    assert_int_equal(atomic_load(&clashes), 0);
    assert_true(result.phases[0].ended_ns - result.phases[0].begun_ns < 25 * NS_PER_S);
}

/* Who waits for a hook is not waited for. */
TEST(an_early_end_does_not_wait_for_the_hook)
{
    struct open_config config = at_a_rate;
    struct err err = { 0 };
    pthread_t thread;

    fault.kind = FAULT_NONE;
    config.hook_delay_ns = 60 * NS_PER_S;
    config.duration_ns = 60 * NS_PER_S;
    const uint64_t begun_ns = clock_now_ns();
    assert_int_equal(pthread_create(&thread, NULL, stop_trial, NULL), 0);
    assert_int_equal(run(&workload_rate, &config, &err), LOAD_INTERRUPTED);
    (void)pthread_join(thread, NULL);
    assert_true(clock_now_ns() - begun_ns < 50 * NS_PER_S);
    assert_int_equal(trial_answered(&result.open->search.trials[0]), 0);
}

/* Two threads that wait 10 ms each can do 200 a second, whatever the store can:
   a search begins at half of that. */
TEST(a_search_knows_the_hook)
{
    const struct open_config config = { .duration_ns = 60 * NS_PER_S,
                                        .deadline_ns = NS_PER_S,
                                        .queue_size = 256,
                                        .hook_delay_ns = 10 * MS };
    struct err err = { 0 };

    fault = (struct fault){ FAULT_STOP, 50, 1, true };
    assert_int_equal(run(&workload_find_rate, &config, &err), LOAD_INTERRUPTED);
    assert_int_equal(result.open->servers, THREADS);
    assert_int_equal(result.open->search.count, 1);
    const double per_s = result.open->search.trials[0].per_s;
    assert_true(per_s > 50 && per_s < 101);
}

static int set_up(void **state)
{
    progress = progress_new();
    return progress == NULL;
}

static int tear_down(void **state)
{
    load_result_release(&result);
    free(progress);
    return 0;
}

FIXTURE(set_up, tear_down);
