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
enum { SPIN_NS = 60000, NAP_NS = 50000000 };

struct server {
    /* The current request, or the latest one. */
    struct arrival arrival;
    bool answered;
    bool awaited; /* a thread was idle when it came */
    uint64_t begun_ns;
    uint64_t ended_ns; /* 0: none yet */
    uint64_t served;
    uint64_t cut; /* begun, but neither answered nor failed when the run ended */
    struct server_tally tally;
    enum load_end end; /* of the latest service; err has the reason */
    struct err err;    /* separates what two threads write all the time */
};

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

/* Waits for something to do, as the leader or behind it; the lock is held. */
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
    const uint64_t latest_ns = loop_now_ns(loop) + NAP_NS;
    const uint64_t at_ns = due_ns < latest_ns ? due_ns : latest_ns;
    if (progress_sleep_until(loop->progress, loop->zero_ns + at_ns - SPIN_NS)) {
        while (loop_now_ns(loop) < at_ns)
            continue;
    }
    (void)pthread_mutex_lock(&loop->lock);
    loop->has_leader = false;
}

/* Finds the next request; the lock is held.  Returns false if none is left. */
static bool find_next(struct open_loop *loop, struct server *server)
{
    const struct arrival_source *const source = loop->trial->source;
    const uint64_t closes_ns = trial_closes_ns(loop->trial);

    server->awaited = loop->has_leader;
    for (;;) {
        const uint64_t now_ns = loop_now_ns(loop);

        if (progress_stopped(loop->progress) || now_ns >= closes_ns)
            return false;
        trial_admit(loop->trial, now_ns);
        if (trial_take(loop->trial, &server->arrival))
            return true;
        const uint64_t due_ns = source->due_ns(source);
        if (due_ns == ARRIVALS_NEVER)
            return false;
        server->awaited = true;
        await(loop, due_ns);
    }
}

/* Hands in the last request, if any, and takes the next one.  Returns false if none is left. */
static bool next_request(struct open_loop *loop, struct server *server)
{
    (void)pthread_mutex_lock(&loop->lock);
    if (server->ended_ns != 0)
        trial_served(loop->trial, &server->tally, &server->arrival, server->begun_ns,
                     server->ended_ns, server->answered);
    const bool found = find_next(loop, server);
    const bool wanted = loop->followers > 0 && !loop->has_leader;
    (void)pthread_mutex_unlock(&loop->lock);
    if (!found)
        (void)pthread_cond_broadcast(&loop->idle);
    else if (wanted)
        (void)pthread_cond_signal(&loop->idle);
    return found;
}

/* Serves one request.  Returns false if the run ended before an answer. */
static bool serve_request(struct open_loop *loop, struct server *server)
{
    const size_t index = (size_t)(server - loop->servers);
    const bool counts = trial_counts(loop->trial, &server->arrival);
    const uint64_t before_ns = server->ended_ns;

    server->begun_ns = loop_now_ns(loop);
    if (counts && server->awaited)
        histogram_record(&server->tally.lag, server->begun_ns - server->arrival.at_ns);
    else if (counts && before_ns != 0)
        server->tally.overhead_ns += server->begun_ns - before_ns;
    server->answered = false;
    server->end =
        loop->serve(loop->context, index, server->arrival.number, &server->answered, &server->err);
    server->ended_ns = loop_now_ns(loop);
    if (server->end > LOAD_INTERRUPTED)
        atomic_store(&loop->progress->stop, PROGRESS_STOP);
    if (!server->answered && progress_stopped(loop->progress)) {
        server->cut += counts;
        return false;
    }
    progress_set_done(&loop->progress->workers[index], ++server->served);
    return true;
}

static void work(void *context, size_t index)
{
    struct open_loop *const loop = context;
    struct server *const server = &loop->servers[index];

    /* To save power, the kernel may let a sleep last 50 us longer. */
    (void)prctl(PR_SET_TIMERSLACK, 1UL);
    while (next_request(loop, server) && serve_request(loop, server))
        continue;
    (void)prctl(PR_SET_TIMERSLACK, 0UL);
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
    (void)pthread_cond_init(&loop.idle, NULL);
    loop.zero_ns = clock_now_ns();
    if (workers_run(threads, work, &loop, err) == 0)
        end = add_up(&loop, threads, err);
    (void)pthread_cond_destroy(&loop.idle);
    (void)pthread_mutex_destroy(&loop.lock);
    free(loop.servers);
    return end;
}
