/* SPDX-License-Identifier: ISC */
#include "load/openloop/service.h"

#include <stdbool.h>
#include <stdlib.h>

#include "core/clock.h"
#include "load/workers.h"

struct lane {
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
    struct lane *lanes;
};

/* One request; its end is the next one's beginning.  False if it was not to be
   or was the last. */
static bool serve_one(struct loop *loop, struct lane *lane, size_t index)
{
    const uint64_t number = atomic_fetch_add(&loop->number, 1);

    if (number >= loop->limit)
        return false;
    const enum service_end end =
        loop->service->serve(loop->service->context, index, number, &lane->err);
    const uint64_t now_ns = clock_now_ns();

    if (end == SERVICE_ANSWERED)
        histogram_record(&lane->service, now_ns - lane->ended_ns);
    lane->failed += end == SERVICE_FAILED;
    lane->stopped = end == SERVICE_STOP;
    lane->ended_ns = now_ns;
    return !lane->stopped && now_ns - lane->begun_ns < loop->duration_ns;
}

static void run_lane(void *context, size_t index)
{
    struct loop *const loop = context;
    struct lane *const lane = &loop->lanes[index];

    lane->begun_ns = clock_now_ns();
    lane->ended_ns = lane->begun_ns;
    while (!progress_stopped(loop->progress) && serve_one(loop, lane, index))
        continue;
    if (lane->stopped)
        atomic_store(&loop->progress->stop, 1);
}

/* The threads' own times differ by a service at most. */
static int collect(const struct loop *loop, size_t threads,
                   struct service_capacity *capacity, struct err *err)
{
    uint64_t begun_ns = loop->lanes[0].begun_ns;
    uint64_t ended_ns = loop->lanes[0].ended_ns;

    for (size_t i = 0; i < threads; i++) {
        const struct lane *const lane = &loop->lanes[i];

        if (lane->stopped) {
            *err = lane->err;
            return -1;
        }
        histogram_add(&capacity->service, &lane->service);
        capacity->failed += lane->failed;
        begun_ns = lane->begun_ns < begun_ns ? lane->begun_ns : begun_ns;
        ended_ns = lane->ended_ns > ended_ns ? lane->ended_ns : ended_ns;
    }
    capacity->requests = capacity->service.count + capacity->failed;
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
    loop.lanes = calloc(threads, sizeof *loop.lanes);
    if (loop.lanes == NULL)
        return err_set(err, "no memory for %zu threads", threads);
    for (size_t i = 0; i < threads; i++)
        histogram_init(&loop.lanes[i].service);
    int status = workers_run(threads, run_lane, &loop, err);
    if (status == 0)
        status = collect(&loop, threads, capacity, err);
    free(loop.lanes);
    return status;
}
