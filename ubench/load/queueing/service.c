/* SPDX-License-Identifier: ISC */
#include "load/queueing/service.h"

#include <stdbool.h>
#include <stdlib.h>

#include "core/clock.h"
#include "load/workers.h"

struct worker {
    struct histogram service;
    uint64_t failed;
    uint64_t begun_ns;
    uint64_t ended_ns;
    bool stopped;
    struct err err;
};

struct loop {
    const struct service *service;
    struct progress *progress;
    uint64_t duration_ns;
    uint64_t limit;
    _Atomic(uint64_t) number; /* of the next request */
    struct worker *workers;
};

/* One request; its end is the next one's beginning.  False if it was not to be
   or was the last. */
static bool serve_one(struct loop *loop, struct worker *worker, size_t index)
{
    const uint64_t number = atomic_fetch_add(&loop->number, 1);

    if (number >= loop->limit)
        return false;
    const enum service_end end = loop->service->serve(
        loop->service->context, index, number, &worker->err);
    const uint64_t now_ns = clock_now_ns();

    if (end == SERVICE_ANSWERED)
        histogram_record(&worker->service, now_ns - worker->ended_ns);
    worker->failed += end == SERVICE_FAILED;
    worker->stopped = end == SERVICE_STOP;
    worker->ended_ns = now_ns;
    return !worker->stopped && now_ns - worker->begun_ns < loop->duration_ns;
}

static void run_worker(void *context, size_t index)
{
    struct loop *const loop = context;
    struct worker *const worker = &loop->workers[index];

    worker->begun_ns = clock_now_ns();
    worker->ended_ns = worker->begun_ns;
    while (!progress_stopped(loop->progress) && serve_one(loop, worker, index))
        continue;
    if (worker->stopped)
        atomic_store(&loop->progress->stop, 1);
}

/* The threads' own times differ by a service at most. */
static int collect(const struct loop *loop, size_t threads,
                   struct service_capacity *capacity, struct err *err)
{
    uint64_t begun_ns = loop->workers[0].begun_ns;
    uint64_t ended_ns = loop->workers[0].ended_ns;

    for (size_t i = 0; i < threads; i++) {
        const struct worker *const worker = &loop->workers[i];

        if (worker->stopped) {
            *err = worker->err;
            return -1;
        }
        histogram_add(&capacity->service, &worker->service);
        capacity->failed += worker->failed;
        begun_ns = worker->begun_ns < begun_ns ? worker->begun_ns : begun_ns;
        ended_ns = worker->ended_ns > ended_ns ? worker->ended_ns : ended_ns;
    }
    if (ended_ns > begun_ns)
        capacity->per_s = (double)capacity->service.count * (double)NS_PER_S /
                          (double)(ended_ns - begun_ns);
    return 0;
}

int service_measure(const struct service *service, size_t threads,
                    uint64_t duration_ns, uint64_t limit,
                    struct progress *progress,
                    struct service_capacity *capacity, struct err *err)
{
    struct loop loop = { .service = service,
                         .progress = progress,
                         .duration_ns = duration_ns,
                         .limit = limit };

    *capacity = (struct service_capacity){ .per_s = 0 };
    histogram_init(&capacity->service);
    loop.workers = calloc(threads, sizeof *loop.workers);
    if (loop.workers == NULL)
        return err_set(err, "no memory for %zu threads", threads);
    for (size_t i = 0; i < threads; i++)
        histogram_init(&loop.workers[i].service);
    int status = workers_run(threads, run_worker, &loop, err);
    if (status == 0)
        status = collect(&loop, threads, capacity, err);
    free(loop.workers);
    return status;
}
