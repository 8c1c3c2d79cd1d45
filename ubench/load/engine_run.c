/* SPDX-License-Identifier: ISC */
/* Work that the workers of an engine do: one of them in transactions, or all of them at once. */
#include "load/engine.h"

enum load_end worker_in_groups(struct worker *worker, const char *name, uint64_t count,
                               enum load_end (*one)(struct worker *worker, uint64_t i))
{
    struct progress *const progress = worker->progress;
    const struct backend *const backend = worker->backend;
    struct session *const session = worker->session;
    struct err *const err = &worker->err;
    enum load_end end = LOAD_DONE;

    if (count > 0)
        progress_begin(progress, name, count, 1);
    for (uint64_t i = 0; i < count && end == LOAD_DONE; i++) {
        const bool first = i % WORKER_GROUP == 0;
        const bool last = i % WORKER_GROUP == WORKER_GROUP - 1 || i + 1 == count;

        progress_set_done(&progress->workers[0], i);
        if (progress_stopped(progress))
            end = LOAD_INTERRUPTED;
        else if (first && backend->begin(session, err) != 0)
            end = LOAD_FAILED;
        else
            end = one(worker, i);
        if (end == LOAD_DONE && last && backend->commit(session, err) != 0)
            end = LOAD_FAILED;
        if (end == LOAD_DONE && last)
            worker_acknowledge(worker);
    }
    atomic_store(&progress->phase, NULL);
    return end;
}

/* python/ubench/run/valgrind.py knows the name of this function, and counts what it does. */
static void run_worker(void *context, size_t index)
{
    struct engine *const engine = context;
    struct worker *const worker = &engine->workers[index];

    worker->begun_ns = clock_now_ns();
    engine->body(worker);
    worker->ended_ns = clock_now_ns();
    /* Without this worker, the run cannot be finished. */
    if (worker->end > LOAD_INTERRUPTED)
        atomic_store(&engine->context.progress->stop, 1);
}

enum load_end engine_run(struct engine *engine, const char *name, uint64_t planned,
                         void (*body)(struct worker *worker), struct stretch *stretch)
{
    struct progress *const progress = engine->context.progress;
    struct stretch took = { .begun_ns = UINT64_MAX };
    enum load_end end = LOAD_DONE;

    engine->body = body;
    for (size_t i = 0; i < engine->threads; i++)
        engine->workers[i].end = LOAD_DONE;
    progress_begin(progress, name, planned, engine->threads);
    if (stretch != NULL)
        took.usage = load_sample(&engine->context);
    const int status = workers_run(engine->threads, run_worker, engine, engine->err);
    atomic_store(&progress->phase, NULL);
    if (status != 0)
        return LOAD_FAILED;
    for (size_t i = 0; i < engine->threads; i++) {
        const struct worker *const worker = &engine->workers[i];

        if (worker->begun_ns < took.begun_ns)
            took.begun_ns = worker->begun_ns;
        if (worker->ended_ns > took.ended_ns)
            took.ended_ns = worker->ended_ns;
        if (worker->end > end)
            end = worker_end(worker, worker->end);
    }
    if (stretch != NULL) {
        took.usage = load_used(&engine->context, &took.usage, end == LOAD_DONE);
        *stretch = took;
    }
    return end;
}
