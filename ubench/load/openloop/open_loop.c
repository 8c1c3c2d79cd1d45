/* SPDX-License-Identifier: ISC */
#include "load/openloop/open_loop.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "core/clock.h"
#include "load/workers.h"

/* The leader wakes up so much before its time and then looks at the clock, as
   no sleep ends to the microsecond; and it asks at least so often whether
   somebody wants an early end. */
enum { SPIN_NS = 60000, NAP_NS = 50000000 };

struct lane {
    struct server_tally tally;
    struct err err;
    bool failed;
    uint64_t served;
    uint64_t cut; /* begun, and given up because somebody wants an end */
};

struct crew {
    struct server_pool pool;
    const struct service *service;
    struct progress *progress;
    struct lane *lanes;
    uint64_t zero_ns;     /* where the schedule begins, by clock_now_ns */
    pthread_mutex_t lock; /* for the pool and what is below */
    pthread_cond_t idle;  /* a follower may be needed */
    bool has_leader;
    size_t followers;
};

/* One request on its way through a thread. */
struct job {
    struct arrival arrival;
    bool answered;
    bool awaited; /* a thread sat idle when it came */
    uint64_t begun_ns;
    uint64_t ended_ns; /* 0: there was none yet */
};

static uint64_t crew_now_ns(const struct crew *crew)
{
    return clock_now_ns() - crew->zero_ns;
}

/* Until at_ns, or not quite, if that is far. */
static void sleep_until(const struct crew *crew, uint64_t at_ns)
{
    const uint64_t now_ns = crew_now_ns(crew);

    if (at_ns > now_ns + NAP_NS)
        at_ns = now_ns + NAP_NS;
    if (at_ns > now_ns + SPIN_NS) {
        const uint64_t wake_ns = crew->zero_ns + at_ns - SPIN_NS;
        const struct timespec wake = { .tv_sec = (time_t)(wake_ns / NS_PER_S),
                                       .tv_nsec = (long)(wake_ns % NS_PER_S) };

        (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
    }
    while (crew_now_ns(crew) < at_ns)
        continue;
}

/* With the lock: waits for something to do, as the leader or behind it. */
static void await(struct crew *crew, uint64_t due_ns)
{
    if (crew->has_leader) {
        crew->followers++;
        (void)pthread_cond_wait(&crew->idle, &crew->lock);
        crew->followers--;
        return;
    }
    crew->has_leader = true;
    (void)pthread_mutex_unlock(&crew->lock);
    sleep_until(crew, due_ns);
    (void)pthread_mutex_lock(&crew->lock);
    crew->has_leader = false;
}

/* With the lock: the next request.  False if there is none any more. */
static bool find_next(struct crew *crew, struct job *job)
{
    const struct arrival_source *const source = &crew->pool.config.source;
    const uint64_t closes_ns = server_pool_closes_ns(&crew->pool.config);

    job->awaited = crew->has_leader;
    for (;;) {
        const uint64_t now_ns = crew_now_ns(crew);

        if (progress_stopped(crew->progress) || now_ns >= closes_ns)
            return false;
        server_pool_admit(&crew->pool, now_ns);
        if (server_pool_take(&crew->pool, &job->arrival))
            return true;
        const uint64_t due_ns = source->due_ns(source->context);
        if (due_ns == ARRIVALS_NEVER)
            return false;
        job->awaited = true;
        await(crew, due_ns);
    }
}

/* Hands the last request in, if there was one, and takes the next. */
static bool next_job(struct crew *crew, struct job *job)
{
    (void)pthread_mutex_lock(&crew->lock);
    if (job->ended_ns != 0 && job->answered)
        server_pool_answered(&crew->pool, &job->arrival, job->ended_ns);
    const bool found = find_next(crew, job);
    const bool wanted = crew->followers > 0 && !crew->has_leader;
    (void)pthread_mutex_unlock(&crew->lock);
    if (!found)
        (void)pthread_cond_broadcast(&crew->idle);
    else if (wanted)
        (void)pthread_cond_signal(&crew->idle);
    return found;
}

static void begin_job(const struct crew *crew, struct lane *lane,
                      struct job *job)
{
    const uint64_t before_ns = job->ended_ns;

    job->begun_ns = crew_now_ns(crew);
    if (!server_pool_counts(&crew->pool.config, &job->arrival))
        return;
    if (job->awaited)
        histogram_record(&lane->tally.lag, job->begun_ns - job->arrival.at_ns);
    else if (before_ns != 0)
        lane->tally.overhead_ns += job->begun_ns - before_ns;
}

/* Serves one request.  False if it was the last. */
static bool serve(struct crew *crew, size_t index, struct job *job)
{
    const struct service *const service = crew->service;
    struct lane *const lane = &crew->lanes[index];

    begin_job(crew, lane, job);
    const enum service_end end = service->serve(
        service->context, index, job->arrival.number, &lane->err);
    job->ended_ns = crew_now_ns(crew);
    if (end == SERVICE_FAILED && progress_stopped(crew->progress)) {
        lane->cut += server_pool_counts(&crew->pool.config, &job->arrival);
        return false;
    }
    if (end == SERVICE_STOP) {
        lane->failed = true;
        atomic_store(&crew->progress->stop, 1);
        return false;
    }
    job->answered = end == SERVICE_ANSWERED;
    server_tally_served(&lane->tally, &crew->pool.config, &job->arrival,
                        job->begun_ns, job->ended_ns, job->answered);
    progress_set_done(&crew->progress->lanes[index], ++lane->served);
    return true;
}

static void work(void *context, size_t index)
{
    struct crew *const crew = context;
    struct job job = { .ended_ns = 0 };

    /* The kernel may let a sleep last 50 us longer, to save power. */
    (void)prctl(PR_SET_TIMERSLACK, 1UL);
    while (next_job(crew, &job) && serve(crew, index, &job))
        continue;
    (void)prctl(PR_SET_TIMERSLACK, 0UL);
}

/* Adds the threads up.  Returns 0, or -1 with err if one failed. */
static int collect(struct crew *crew, size_t threads, struct trial *trial,
                   struct err *err)
{
    struct lane *const sum = &crew->lanes[0];
    int status = 0;

    for (size_t i = 0; i < threads; i++) {
        if (i > 0)
            server_tally_add(&sum->tally, &crew->lanes[i].tally);
        crew->pool.offered -= crew->lanes[i].cut;
        if (crew->lanes[i].failed) {
            *err = crew->lanes[i].err;
            status = -1;
        }
    }
    const bool complete = !progress_stopped(crew->progress);

    if (complete) /* whoever came while the last ones were served */
        server_pool_admit(&crew->pool,
                          server_pool_closes_ns(&crew->pool.config));
    trial_fill(trial, &crew->pool, &sum->tally, crew_now_ns(crew), complete);
    return status;
}

static int run_crew(struct crew *crew, size_t threads, struct trial *trial,
                    struct err *err)
{
    for (size_t i = 0; i < threads; i++) {
        server_tally_init(&crew->lanes[i].tally);
        progress_set_done(&crew->progress->lanes[i], 0);
    }
    (void)pthread_mutex_init(&crew->lock, NULL);
    (void)pthread_cond_init(&crew->idle, NULL);
    crew->zero_ns = clock_now_ns();
    int status = workers_run(threads, work, crew, err);
    if (status == 0)
        status = collect(crew, threads, trial, err);
    (void)pthread_cond_destroy(&crew->idle);
    (void)pthread_mutex_destroy(&crew->lock);
    return status;
}

int open_loop_run(const struct server_pool_config *config, size_t threads,
                  const struct service *service, struct progress *progress,
                  struct trial *trial, struct err *err)
{
    struct crew crew = { .service = service, .progress = progress };
    int status = -1;

    assert(threads >= 1 && threads <= WORKERS_MAX);
    *trial = (struct trial){ .stage = TRIAL_SINGLE };
    crew.lanes = calloc(threads, sizeof *crew.lanes);
    if (crew.lanes == NULL)
        (void)err_set(err, "no memory for %zu threads", threads);
    else if (server_pool_init(&crew.pool, config, err) == 0)
        status = run_crew(&crew, threads, trial, err);
    server_pool_release(&crew.pool);
    free(crew.lanes);
    return status;
}
