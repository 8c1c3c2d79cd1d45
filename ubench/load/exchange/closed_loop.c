/* SPDX-License-Identifier: ISC */

#include <stdlib.h>

#include "core/clock.h"
#include "load/exchange/exchanges.h"
#include "load/exchange/plan.h"

struct worker {
    struct exchanges *exchanges;
    struct progress *progress;
    uint64_t number; /* of the worker, among those of all parts */
    uint64_t count;  /* of all workers */
    uint64_t step;   /* how many these are */
    uint64_t begun_ns;
    uint64_t ended_ns;
    enum load_end end;
};

static void run_worker(void *context, size_t index)
{
    struct worker *const worker = &((struct worker *)context)[index];
    uint64_t done = 0;
    bool given_up;

    worker->begun_ns = clock_now_ns();
    for (uint64_t i = worker->number;
         i < worker->count && worker->end == LOAD_DONE; i += worker->step) {
        if (progress_stopped(worker->progress)) {
            worker->end = LOAD_INTERRUPTED;
            break;
        }
        worker->end = exchanges_perform(worker->exchanges, index, i, &given_up);
        progress_set_done(&worker->progress->workers[index], ++done);
    }
    worker->ended_ns = clock_now_ns();
    /* The others need not go on with what cannot be finished. */
    if (worker->end > LOAD_INTERRUPTED)
        atomic_store(&worker->progress->stop, 1);
}

/* The worst end of all workers, and why. */
static enum load_end worst_end(const struct worker *workers, size_t count,
                               struct err *err)
{
    enum load_end end = LOAD_DONE;

    for (size_t i = 0; i < count; i++) {
        if (workers[i].end <= end)
            continue;
        end = workers[i].end;
        if (end > LOAD_INTERRUPTED)
            *err = *exchanges_error(workers[i].exchanges, i);
    }
    return end;
}

static enum load_end run_workers(struct worker *workers,
                                 const struct load_config *config,
                                 const struct load_context *context,
                                 struct load_result *result, struct err *err)
{
    struct exchanges *const exchanges = workers[0].exchanges;
    const size_t threads = load_threads(config);

    exchanges_begin(exchanges);
    progress_begin(context->progress, "exchange",
                   load_part_share(config, config->count), threads);
    const struct usage before = load_sample(context);
    const int status = workers_run(threads, run_worker, workers, err);
    const struct usage used = load_used(context, &before);
    atomic_store(&context->progress->phase, NULL);
    if (status != 0 || exchanges_collect(exchanges, result, err) != 0)
        return LOAD_FAILED;
    uint64_t begun_ns = workers[0].begun_ns;
    uint64_t ended_ns = workers[0].ended_ns;
    for (size_t i = 1; i < threads; i++) {
        if (workers[i].begun_ns < begun_ns)
            begun_ns = workers[i].begun_ns;
        if (workers[i].ended_ns > ended_ns)
            ended_ns = workers[i].ended_ns;
    }
    load_note_together(result, begun_ns, ended_ns, &used);
    const enum load_end end = worst_end(workers, threads, err);
    return end == LOAD_DONE ? exchanges_check_after(exchanges, result, err)
                            : end;
}

enum load_end closed_loop_run(const struct load_config *config,
                              const struct load_context *context,
                              struct load_result *result, struct err *err)
{
    struct worker *const workers =
        err_calloc(load_threads(config), sizeof *workers, err);
    struct exchanges *exchanges = NULL;
    enum load_end end = LOAD_FAILED;

    *result = (struct load_result){ .together = true };
    progress_expect(context->progress, 1 + (config->preload > 0),
                    config->preload + load_part_share(config, config->count));
    if (workers != NULL)
        end = exchanges_open(&exchanges, config, context, err);
    for (size_t i = 0; end == LOAD_DONE && i < load_threads(config); i++)
        workers[i] = (struct worker){
            .exchanges = exchanges,
            .progress = context->progress,
            .number = load_worker(config, i),
            .count = config->count,
            .step = config->threads,
        };
    if (end == LOAD_DONE)
        end = run_workers(workers, config, context, result, err);
    exchanges_close(exchanges);
    free(workers);
    load_note_reconnect(context, result);
    return end;
}

const struct workload workload_exchanges = {
    .options = " count threads part warmup ipv6 subnets preload probes hosts "
               "server-time latency reconnect ",
    .exchanges = true,
    .resolve = exchange_plan_resolve,
    .run = closed_loop_run,
};
