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
   no sleep ends to the microsecond; and it looks at least so often whether the
   run was asked to stop. */
enum { SPIN_NS = 60000, NAP_NS = 50000000 };

struct server {
    struct server_tally tally;
    struct err err; /* why nothing more can be measured; empty: it can */
    uint64_t served;
    uint64_t cut; /* begun, and neither answered nor failed as the run ended */
};

struct open_loop {
    struct trial *trial;
    open_loop_serve *serve;
    void *context;
    struct progress *progress;
    struct server *servers;
    uint64_t zero_ns;     /* where the schedule begins, by clock_now_ns */
    pthread_mutex_t lock; /* for the trial and what is below */
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

static uint64_t loop_now_ns(const struct open_loop *loop)
{
    return clock_now_ns() - loop->zero_ns;
}

/* Until at_ns, or not quite, if that is far. */
static void sleep_until(const struct open_loop *loop, uint64_t at_ns)
{
    const uint64_t now_ns = loop_now_ns(loop);

    if (at_ns > now_ns + NAP_NS)
        at_ns = now_ns + NAP_NS;
    if (at_ns > now_ns + SPIN_NS) {
        const uint64_t wake_ns = loop->zero_ns + at_ns - SPIN_NS;
        const struct timespec wake = { .tv_sec = (time_t)(wake_ns / NS_PER_S),
                                       .tv_nsec = (long)(wake_ns % NS_PER_S) };

        (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
    }
    while (loop_now_ns(loop) < at_ns)
        continue;
}

/* With the lock: waits for something to do, as the leader or behind it. */
static void await(struct open_loop *loop, uint64_t due_ns)
{
    if (loop->has_leader) {
        loop->followers++;
        (void)pthread_cond_wait(&loop->idle, &loop->lock);
        loop->followers--;
        return;
    }
    loop->has_leader = true;
    (void)pthread_mutex_unlock(&loop->lock);
    sleep_until(loop, due_ns);
    (void)pthread_mutex_lock(&loop->lock);
    loop->has_leader = false;
}

/* With the lock: the next request.  False if there is none any more. */
static bool find_next(struct open_loop *loop, struct job *job)
{
    const struct arrival_source *const source = loop->trial->source;
    const uint64_t closes_ns = trial_closes_ns(loop->trial);

    job->awaited = loop->has_leader;
    for (;;) {
        const uint64_t now_ns = loop_now_ns(loop);

        if (progress_stopped(loop->progress) || now_ns >= closes_ns)
            return false;
        trial_admit(loop->trial, now_ns);
        if (trial_take(loop->trial, &job->arrival))
            return true;
        const uint64_t due_ns = source->due_ns(source);
        if (due_ns == ARRIVALS_NEVER)
            return false;
        job->awaited = true;
        await(loop, due_ns);
    }
}

/* Hands the last request in, if there was one, and takes the next. */
static bool next_job(struct open_loop *loop, struct job *job)
{
    (void)pthread_mutex_lock(&loop->lock);
    if (job->ended_ns != 0 && job->answered)
        trial_note_answer(loop->trial, &job->arrival, job->ended_ns);
    const bool found = find_next(loop, job);
    const bool wanted = loop->followers > 0 && !loop->has_leader;
    (void)pthread_mutex_unlock(&loop->lock);
    if (!found)
        (void)pthread_cond_broadcast(&loop->idle);
    else if (wanted)
        (void)pthread_cond_signal(&loop->idle);
    return found;
}

static void begin_job(const struct open_loop *loop, struct server *server,
                      struct job *job)
{
    const uint64_t before_ns = job->ended_ns;

    job->begun_ns = loop_now_ns(loop);
    if (!trial_counts(loop->trial, &job->arrival))
        return;
    if (job->awaited)
        histogram_record(&server->tally.lag,
                         job->begun_ns - job->arrival.at_ns);
    else if (before_ns != 0)
        server->tally.overhead_ns += job->begun_ns - before_ns;
}

/* Serves one request.  False if it was the last. */
static bool serve_job(struct open_loop *loop, size_t index, struct job *job)
{
    struct server *const server = &loop->servers[index];

    begin_job(loop, server, job);
    const enum service_end end =
        loop->serve(loop->context, index, job->arrival.number, &server->err);
    job->ended_ns = loop_now_ns(loop);
    if (end == SERVICE_STOP)
        atomic_store(&loop->progress->stop, PROGRESS_STOP);
    if (end != SERVICE_ANSWERED && progress_stopped(loop->progress)) {
        server->cut += trial_counts(loop->trial, &job->arrival);
        return false;
    }
    job->answered = end == SERVICE_ANSWERED;
    server_tally_served(&server->tally, loop->trial, &job->arrival,
                        job->begun_ns, job->ended_ns, job->answered);
    progress_set_done(&loop->progress->workers[index], ++server->served);
    return true;
}

static void work(void *context, size_t index)
{
    struct open_loop *const loop = context;
    struct job job = { .ended_ns = 0 };

    /* The kernel may let a sleep last 50 us longer, to save power. */
    (void)prctl(PR_SET_TIMERSLACK, 1UL);
    while (next_job(loop, &job) && serve_job(loop, index, &job))
        continue;
    (void)prctl(PR_SET_TIMERSLACK, 0UL);
}

/* Adds the threads up.  Returns 0, or -1 with err if one failed. */
static int add_up(struct open_loop *loop, size_t threads, struct err *err)
{
    struct trial *const trial = loop->trial;
    const bool complete = !progress_stopped(loop->progress);
    int status = 0;

    for (size_t i = 0; i < threads; i++) {
        const struct server *const server = &loop->servers[i];

        server_tally_add(&trial->tally, &server->tally);
        trial->offered -= server->cut;
        if (server->err.text[0] != '\0') {
            *err = server->err;
            status = -1;
        }
    }
    if (complete) /* those that came while the last ones were served */
        trial_admit(trial, trial_closes_ns(trial));
    trial_end(trial, loop_now_ns(loop), complete);
    return status;
}

int open_loop_run(struct trial *trial, size_t threads, open_loop_serve *serve,
                  void *context, struct progress *progress, struct err *err)
{
    struct open_loop loop = {
        .trial = trial, .serve = serve, .context = context, .progress = progress
    };

    assert(threads >= 1 && threads <= WORKERS_MAX);
    loop.servers = err_calloc(threads, sizeof *loop.servers, err);
    if (loop.servers == NULL || trial_begin(trial, err) != 0) {
        free(loop.servers);
        return -1;
    }
    for (size_t i = 0; i < threads; i++) {
        server_tally_init(&loop.servers[i].tally);
        progress_set_done(&progress->workers[i], 0);
    }
    (void)pthread_mutex_init(&loop.lock, NULL);
    (void)pthread_cond_init(&loop.idle, NULL);
    loop.zero_ns = clock_now_ns();
    int status = workers_run(threads, work, &loop, err);
    if (status == 0)
        status = add_up(&loop, threads, err);
    (void)pthread_cond_destroy(&loop.idle);
    (void)pthread_mutex_destroy(&loop.lock);
    free(loop.servers);
    return status;
}
