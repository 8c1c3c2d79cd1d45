/* SPDX-License-Identifier: ISC */
#include "load/openloop/trial.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "core/clock.h"
#include "core/workers.h"

/* The leader wakes up this much early and then polls the clock, because no sleep is accurate to
   a microsecond.  It checks at least this often whether more requests are to come. */
enum { SPIN_NS = 60000, NAP_NS = 50000000, FIRST_CAPACITY = 64 };

/* A request that a server serves, or has served. */
struct request {
    struct arrival arrival;
    uint64_t begun_ns;
    bool answered; /* with batches: by the commit */
};

struct server {
    struct request *requests; /* those that are served and not yet handed in, then the current */
    size_t count;
    size_t capacity;
    bool parks;        /* the requests wait for a commit */
    bool awaited;      /* a thread was idle when the current one came */
    uint64_t ended_ns; /* of its latest work; 0: none yet */
    uint64_t served;
    uint64_t cut; /* begun, but neither answered nor failed when the run ended */
    struct server_tally tally;
    enum load_end end; /* of the latest work; err has the reason */
    struct err err;    /* separates what two threads write all the time */
};

/* What a server does next. */
enum duty { DUTY_SERVE, DUTY_COMMIT, DUTY_NONE };

struct open_loop {
    struct trial *trial;
    open_loop_serve *serve;
    void *context;
    struct progress *progress;
    struct server *servers;
    uint64_t zero_ns;     /* start of the schedule (clock_now_ns) */
    pthread_mutex_t lock; /* for the trial and the members below */
    pthread_cond_t idle;  /* a follower may be needed */
    bool has_leader;
    size_t followers;
};

static uint64_t loop_now_ns(const struct open_loop *loop)
{
    return clock_now_ns() - loop->zero_ns;
}

/* Waits as a follower, at most until a time; the lock is held. */
static void follow(struct open_loop *loop, uint64_t until_ns)
{
    const uint64_t at_ns = loop->zero_ns + until_ns;
    const struct timespec at = { .tv_sec = (time_t)(at_ns / NS_PER_S),
                                 .tv_nsec = (long)(at_ns % NS_PER_S) };

    loop->followers++;
    if (until_ns == ARRIVALS_NEVER)
        (void)pthread_cond_wait(&loop->idle, &loop->lock);
    else
        (void)pthread_cond_timedwait(&loop->idle, &loop->lock, &at);
    loop->followers--;
}

/* Waits for something to do, as the leader or a follower; the lock is held. commit_ns is when the
   server's batch is due. */
static void await(struct open_loop *loop, uint64_t due_ns, uint64_t commit_ns)
{
    if (loop->has_leader) {
        follow(loop, commit_ns);
        return;
    }
    loop->has_leader = true;
    (void)pthread_mutex_unlock(&loop->lock);
    uint64_t at_ns = loop_now_ns(loop) + NAP_NS;
    at_ns = due_ns < at_ns ? due_ns : at_ns;
    at_ns = commit_ns < at_ns ? commit_ns : at_ns;
    if (progress_sleep_until(loop->progress, loop->zero_ns + at_ns - SPIN_NS)) {
        while (loop_now_ns(loop) < at_ns)
            continue;
    }
    (void)pthread_mutex_lock(&loop->lock);
    loop->has_leader = false;
}

/* Returns the time at which the server's batch is to be committed: 0 if it is full. */
static uint64_t commit_due_ns(const struct open_loop *loop, const struct server *server)
{
    const struct trial_batches *const batches = loop->trial->batches;

    if (!server->parks)
        return ARRIVALS_NEVER;
    if (server->count >= batches->count)
        return 0;
    return batches->time_ns > 0 ? server->requests[0].begun_ns + batches->time_ns : ARRIVALS_NEVER;
}

/* Finds what the server does next, and the request to serve; the lock is held. */
static enum duty find_duty(struct open_loop *loop, struct server *server)
{
    const struct arrival_source *const source = loop->trial->source;
    const uint64_t closes_ns = trial_closes_ns(loop->trial);
    const uint64_t commit_ns = commit_due_ns(loop, server);
    const enum duty last = server->parks ? DUTY_COMMIT : DUTY_NONE;

    server->awaited = loop->has_leader;
    for (;;) {
        const uint64_t now_ns = loop_now_ns(loop);

        if (progress_stopped(loop->progress))
            return DUTY_NONE;
        if (now_ns >= closes_ns || now_ns >= commit_ns)
            return last;
        trial_admit(loop->trial, now_ns);
        if (trial_take(loop->trial, &server->requests[server->count].arrival))
            return DUTY_SERVE;
        const uint64_t due_ns = source->due_ns(source);
        if (due_ns == ARRIVALS_NEVER)
            return last;
        server->awaited = true;
        await(loop, due_ns, commit_ns);
    }
}

/* Counts the answered requests; the lock is held. */
static void hand_in(struct open_loop *loop, struct server *server)
{
    for (size_t i = 0; i < server->count; i++) {
        const struct request *const request = &server->requests[i];

        trial_served(loop->trial, &server->tally, &request->arrival, request->begun_ns,
                     server->ended_ns, request->answered);
    }
    server->count = 0;
}

/* Makes room for the next request.  Returns false, with the server's err, if memory is short. */
static bool reserve(struct open_loop *loop, struct server *server)
{
    const size_t capacity = server->capacity > 0 ? 2 * server->capacity : FIRST_CAPACITY;

    if (server->count < server->capacity)
        return true;
    struct request *const requests = realloc(server->requests, capacity * sizeof *server->requests);
    if (requests == NULL) {
        (void)err_set(&server->err, "out of memory");
        server->end = LOAD_FAILED;
        atomic_store(&loop->progress->stop, PROGRESS_STOP);
        return false;
    }
    server->requests = requests;
    server->capacity = capacity;
    return true;
}

/* Hands in the requests that have been answered, and finds what to do next. */
static enum duty next_duty(struct open_loop *loop, struct server *server)
{
    if (!reserve(loop, server))
        return DUTY_NONE;
    (void)pthread_mutex_lock(&loop->lock);
    if (!server->parks)
        hand_in(loop, server);
    const enum duty duty = find_duty(loop, server);
    const bool wanted = loop->followers > 0 && !loop->has_leader;
    (void)pthread_mutex_unlock(&loop->lock);
    if (duty == DUTY_NONE)
        (void)pthread_cond_broadcast(&loop->idle);
    else if (wanted)
        (void)pthread_cond_signal(&loop->idle);
    return duty;
}

/* Ends a piece of work of the server: stops all if it failed. */
static void end_work(struct open_loop *loop, struct server *server)
{
    server->ended_ns = loop_now_ns(loop);
    if (server->end > LOAD_INTERRUPTED)
        atomic_store(&loop->progress->stop, PROGRESS_STOP);
}

/* Serves one request.  Returns false if the run ended before an answer. */
static bool serve_request(struct open_loop *loop, struct server *server)
{
    const size_t index = (size_t)(server - loop->servers);
    struct request *const request = &server->requests[server->count];
    const bool counts = trial_counts(loop->trial, &request->arrival);
    const uint64_t before_ns = server->ended_ns;

    request->begun_ns = loop_now_ns(loop);
    if (counts && server->awaited)
        histogram_record(&server->tally.lag, request->begun_ns - request->arrival.at_ns);
    else if (counts && before_ns != 0)
        server->tally.overhead_ns += request->begun_ns - before_ns;
    request->answered = false;
    server->end = loop->serve(loop->context, index, request->arrival.number, &request->answered,
                              &server->err);
    end_work(loop, server);
    if (!request->answered && progress_stopped(loop->progress)) {
        server->cut += counts;
        return false;
    }
    server->count++;
    server->parks = loop->trial->batches != NULL;
    progress_set_done(&loop->progress->workers[index], ++server->served);
    return true;
}

/* Answers the parked requests.  Returns false if the run ended before. */
static bool commit(struct open_loop *loop, struct server *server)
{
    const size_t index = (size_t)(server - loop->servers);

    server->end = loop->trial->batches->commit(loop->context, index, &server->err);
    end_work(loop, server);
    server->parks = server->end != LOAD_DONE;
    return !server->parks;
}

static void work(void *context, size_t index)
{
    struct open_loop *const loop = context;
    struct server *const server = &loop->servers[index];
    bool goes_on = true;

    /* To save power, the kernel may let a sleep last 50 us longer. */
    (void)prctl(PR_SET_TIMERSLACK, 1UL);
    while (goes_on) {
        const enum duty duty = next_duty(loop, server);

        goes_on = duty != DUTY_NONE &&
                  (duty == DUTY_SERVE ? serve_request(loop, server) : commit(loop, server));
    }
    (void)prctl(PR_SET_TIMERSLACK, 0UL);
    for (size_t i = 0; server->parks && i < server->count; i++)
        server->cut += trial_counts(loop->trial, &server->requests[i].arrival);
}

static void add_tally(struct server_tally *tally, const struct server_tally *more)
{
    histogram_add(&tally->response, &more->response);
    histogram_add(&tally->service, &more->service);
    histogram_add(&tally->lag, &more->lag);
    tally->late += more->late;
    tally->failed += more->failed;
    tally->overhead_ns += more->overhead_ns;
    for (int i = 0; i < SERVER_THIRDS; i++) {
        tally->waits[i] += more->waits[i];
        tally->wait_ns[i] += more->wait_ns[i];
    }
}

/* Adds the counts of all threads.  Returns their worst end. */
static enum load_end add_up(struct open_loop *loop, size_t threads, struct err *err)
{
    struct trial *const trial = loop->trial;
    const bool complete = !progress_stopped(loop->progress);
    enum load_end end = complete ? LOAD_DONE : LOAD_INTERRUPTED;

    for (size_t i = 0; i < threads; i++) {
        const struct server *const server = &loop->servers[i];

        add_tally(&trial->tally, &server->tally);
        trial->offered -= server->cut;
        if (server->end > end) {
            end = server->end;
            *err = server->err;
        }
    }
    if (complete) /* requests that came while the last ones were served */
        trial_admit(trial, trial_closes_ns(trial));
    trial_end(trial, loop_now_ns(loop), complete);
    return end;
}

enum load_end open_loop_run(struct trial *trial, size_t threads, open_loop_serve *serve,
                            void *context, struct progress *progress, struct err *err)
{
    struct open_loop loop = {
        .trial = trial, .serve = serve, .context = context, .progress = progress
    };
    enum load_end end = LOAD_FAILED;
    pthread_condattr_t monotonic; /* as clock_now_ns */

    assert(threads >= 1 && threads <= WORKERS_MAX);
    loop.servers = err_calloc(threads, sizeof *loop.servers, err);
    if (loop.servers == NULL || trial_begin(trial, err) != 0) {
        free(loop.servers);
        return LOAD_FAILED;
    }
    for (size_t i = 0; i < threads; i++) {
        server_tally_init(&loop.servers[i].tally);
        progress_set_done(&progress->workers[i], 0);
    }
    (void)pthread_mutex_init(&loop.lock, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&loop.idle, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    loop.zero_ns = clock_now_ns();
    if (workers_run(threads, work, &loop, err) == 0)
        end = add_up(&loop, threads, err);
    (void)pthread_cond_destroy(&loop.idle);
    (void)pthread_mutex_destroy(&loop.lock);
    for (size_t i = 0; i < threads; i++)
        free(loop.servers[i].requests);
    free(loop.servers);
    return end;
}
