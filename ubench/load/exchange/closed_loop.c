/* SPDX-License-Identifier: ISC */
#include "core/clock.h"
#include "load/exchange/exchanges.h"
#include "load/exchange/plan.h"
#include "load/exchange/state.h"

static void run_worker(void *context, size_t index)
{
    struct exchanges *const all = context;
    struct exchange_worker *const worker = &all->workers[index];
    struct progress *const progress = all->context.progress;
    uint64_t done = 0;
    bool given_up;

    worker->begun_ns = clock_now_ns();
    for (uint64_t i = worker->index;
         i < all->config.count && worker->end == LOAD_DONE;
         i += all->config.threads) {
        if (progress_stopped(progress)) {
            worker->end = LOAD_INTERRUPTED;
            break;
        }
        worker->end = exchanges_perform(all, index, i, &given_up);
        progress_set_done(&progress->workers[index], ++done);
    }
    worker->ended_ns = clock_now_ns();
    /* The others need not go on with what cannot be finished. */
    if (worker->end > LOAD_INTERRUPTED)
        atomic_store(&progress->stop, 1);
}

/* From when the first began to when the last ended. */
static void note_times(const struct exchanges *all, const struct usage *used,
                       struct load_result *result)
{
    uint64_t begun_ns = all->workers[0].begun_ns;
    uint64_t ended_ns = all->workers[0].ended_ns;

    for (size_t i = 1; i < load_threads(&all->config); i++) {
        const struct exchange_worker *const worker = &all->workers[i];

        if (worker->begun_ns < begun_ns)
            begun_ns = worker->begun_ns;
        if (worker->ended_ns > ended_ns)
            ended_ns = worker->ended_ns;
    }
    load_note_together(result, begun_ns, ended_ns, used);
}

/* The worst end of all workers, and why. */
static enum load_end worst_end(const struct exchanges *all, struct err *err)
{
    enum load_end end = LOAD_DONE;

    for (size_t i = 0; i < load_threads(&all->config); i++) {
        if (all->workers[i].end <= end)
            continue;
        end = all->workers[i].end;
        if (end > LOAD_INTERRUPTED)
            *err = *exchanges_error(all, i);
    }
    return end;
}

static enum load_end run_workers(struct exchanges *all,
                                 struct load_result *result, struct err *err)
{
    const struct load_context *const context = &all->context;
    const size_t threads = load_threads(&all->config);

    progress_begin(context->progress, "exchange",
                   load_part_share(&all->config, all->config.count), threads);
    const struct usage before = load_sample(context);
    const int status = workers_run(threads, run_worker, all, err);
    const struct usage used = load_used(context, &before);
    atomic_store(&context->progress->phase, NULL);
    if (status != 0 || exchanges_collect(all, result, err) != 0)
        return LOAD_FAILED;
    note_times(all, &used, result);
    const enum load_end end = worst_end(all, err);
    return end == LOAD_DONE ? exchanges_check_after(all, result, err) : end;
}

static enum load_end run_closed_loop(const struct load_config *config,
                                     const struct load_context *context,
                                     struct load_result *result,
                                     struct err *err)
{
    struct exchanges *exchanges = NULL;

    *result = (struct load_result){ .together = true };
    progress_expect(context->progress, 1,
                    load_part_share(config, config->count));
    enum load_end end = exchanges_open(&exchanges, config, context, err);
    if (end == LOAD_DONE)
        end = run_workers(exchanges, result, err);
    exchanges_close(exchanges);
    load_note_reconnect(context, result);
    return end;
}

const struct workload workload_exchanges = {
    .options = " count threads part warmup ipv6 subnets preload probes hosts "
               "server-time latency reconnect ",
    .exchanges = true,
    .resolve = exchange_plan_resolve,
    .run = run_closed_loop,
};
