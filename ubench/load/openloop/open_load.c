/* SPDX-License-Identifier: ISC */
#include "load/openloop/open_load.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/units.h"
#include "load/exchange/exchanges.h"
#include "load/exchange/plan.h"
#include "load/openloop/batch.h"
#include "load/workloads.h"

/* The closed loop that runs first: long enough to measure the store's capacity, and short
   enough not to change the store.  Its exchanges are about at most this many leases; those that
   only the server handles, to reclaim or purge them, are preloaded. */
#define CAPACITY_NS (2 * NS_PER_S)
static const double capacity_leases = 50000;

/* A request */

/* Exchanges are numbered in the order in which they begin, because a client of a storm may be
   served twice, and another never. */
static enum load_end perform(struct open_run *run, size_t index, bool *answered, struct err *err)
{
    const uint64_t i = atomic_fetch_add(&run->number, 1);
    struct worker *const worker = &run->engine->workers[index];
    const enum load_end end = exchange_perform(worker, i);

    *answered = end == LOAD_DONE && !worker->given_up;
    if (end > LOAD_INTERRUPTED)
        *err = worker->err;
    return end;
}

/* With --hook-delay each request first calls another service, as some hook libraries of Kea do.
   A thread that waits for it does nothing else; with --hook, a pool of threads waits, and these
   share the workers of the store.  A run that was asked to stop neither waits for the call nor
   counts it. */
static enum load_end serve(void *context, size_t thread, uint64_t number, bool *answered,
                           struct err *err)
{
    struct open_run *const run = context;
    const uint64_t delay_ns = run->config.open.hook_delay_ns;

    (void)number;
    if (delay_ns == 0)
        return perform(run, thread, answered, err);
    if (!progress_sleep_until(run->context->progress, clock_now_ns() + delay_ns))
        return LOAD_INTERRUPTED;
    (void)pthread_mutex_lock(&run->lock);
    while (run->free_count == 0)
        (void)pthread_cond_wait(&run->freed, &run->lock);
    const size_t index = run->free[--run->free_count];
    (void)pthread_mutex_unlock(&run->lock);
    const enum load_end end = perform(run, index, answered, err);
    (void)pthread_mutex_lock(&run->lock);
    run->free[run->free_count++] = index;
    (void)pthread_mutex_unlock(&run->lock);
    (void)pthread_cond_signal(&run->freed);
    return end;
}

/* With --batch the request is answered by the commit of its worker's batch. */
static enum load_end park(void *context, size_t thread, uint64_t number, bool *answered,
                          struct err *err)
{
    struct open_run *const run = context;
    struct worker *const worker = &run->engine->workers[thread];
    const uint64_t i = atomic_fetch_add(&run->number, 1);
    const enum load_end end = batch_perform(worker, i, 0);

    (void)number;
    *answered = end == LOAD_DONE;
    if (end > LOAD_INTERRUPTED)
        *err = worker->err;
    return end;
}

static enum load_end commit(void *context, size_t thread, struct err *err)
{
    struct worker *const worker = &((struct open_run *)context)->engine->workers[thread];
    const enum load_end end = batch_commit(worker);

    if (end == LOAD_DONE)
        batch_clear(worker);
    else if (end > LOAD_INTERRUPTED)
        *err = worker->err;
    return end;
}

/* The store */

int open_load_plan(struct load_config *config, uint64_t requests, struct progress *progress,
                   struct err *err)
{
    config->count = requests;
    const struct exchange_plan plan = exchange_plan_make(config, 1, progress);
    if (config->preload < plan.preload_min)
        config->preload = plan.preload_min;
    return exchange_plan_leases_max(config, &plan) <= GENERATOR_LEASES_MAX
               ? 0
               : err_set(err,
                         "--duration: %" PRIu64 " requests in one trial may need more than %" PRIu64
                         " leases; use a shorter duration",
                         requests, (uint64_t)GENERATOR_LEASES_MAX);
}

/* Runs a load of at most that many exchanges with the given work. */
static enum load_end load(struct open_run *run, uint64_t requests, engine_work *work,
                          struct load_result *result)
{
    struct load_config config = run->config;

    atomic_store(&run->number, 0);
    return open_load_plan(&config, requests, run->context->progress, run->err) == 0
               ? engine_load(workload_exchanges.closed, &config, run->context, work, run, result,
                             run->err)
               : LOAD_FAILED;
}

/* Measures the store's capacity.  The latencies are service times, because no request waits. */
static enum load_end work_closed(struct engine *engine, void *context, struct stretch *stretch)
{
    struct open_run *const run = context;
    struct phase_result *const closed = &run->open->closed;
    const uint64_t half_ns = engine->config.open.duration_ns / 2;

    engine->limit_ns = half_ns < CAPACITY_NS ? half_ns : CAPACITY_NS;
    engine->latency = true;
    engine->unchecked = true;
    const enum load_end end =
        engine_run(engine, "capacity", engine->config.count, engine_loop_of(engine), stretch);
    engine_count(engine, closed);
    closed->begun_ns = stretch->begun_ns;
    closed->ended_ns = stretch->ended_ns;
    return end;
}

static enum load_end measure_capacity(struct open_run *run)
{
    struct load_result ignored = { 0 };
    const enum load_end end =
        load(run, (uint64_t)ceil(capacity_leases / run->config.mix.leases), work_closed, &ignored);

    load_result_release(&ignored);
    if (end == LOAD_DONE && !(phase_rate_per_s(&run->open->closed) > 0)) {
        (void)err_set(run->err, "%s: no exchange was answered in a closed loop",
                      run->context->backend->name);
        return LOAD_FAILED;
    }
    return end;
}

/* A trial */

uint64_t open_load_requests_max(double mean)
{
    return (uint64_t)(mean + 6 * sqrt(mean)) + 20;
}

/* Serves a trial with the store, in threads. */
static enum load_end work_open(struct engine *engine, void *context, struct stretch *stretch)
{
    struct open_run *const run = context;
    struct progress *const progress = run->context->progress;
    const size_t servers = run->open->servers;
    const struct usage before = load_sample(run->context);

    run->engine = engine;
    stretch->begun_ns = clock_now_ns();
    progress_begin(progress, trial_stage_names[run->trial->stage], run->expected, servers);
    const enum load_end end = open_loop_run(
        run->trial, servers, run->trial->batches != NULL ? park : serve, run, progress, run->err);
    atomic_store(&progress->phase, NULL);
    for (size_t i = 0; i < engine->threads; i++)
        batch_drop(&engine->workers[i]);
    stretch->ended_ns = clock_now_ns();
    stretch->usage = load_used(run->context, &before, end == LOAD_DONE);
    return end;
}

enum load_end open_load_try(struct open_run *run, struct trial *trial, uint64_t most,
                            uint64_t expected)
{
    const struct open_config *const config = &run->config.open;
    struct open_result *const open = run->open;
    struct load_result result = { 0 };

    trial->queue_size = config->queue_size;
    trial->policy = config->policy;
    trial->numbers = config->clients;
    trial->batches = run->config.batch > 1 ? &run->batches : NULL;
    if (trial == &open->predicted)
        return trial_simulate(trial, open->servers, open->service_ns, run->context->progress,
                              run->err);
    run->trial = trial;
    run->expected = expected;
    const enum load_end end = load(run, most, work_open, &result);
    trial->batches = NULL; /* as the run goes */
    if (result.phase_count > 0 && result.phases[0].begun_ns > 0) {
        load_result_release(run->result);
        *run->result = result;
    } else {
        load_result_release(&result);
    }
    return end;
}

enum load_end open_load_try_rate(void *context, struct trial *trial, uint64_t seed)
{
    struct open_run *const run = context;
    const uint64_t offered_ns = trial->warmup_ns + trial->duration_ns;
    const double mean = trial->per_s * (double)offered_ns / (double)NS_PER_S;
    struct arrivals arrivals;

    arrivals_init(&arrivals, run->config.open.arrivals, trial->per_s, offered_ns, seed);
    trial->source = &arrivals.source;
    return open_load_try(run, trial, open_load_requests_max(mean), (uint64_t)mean + 1);
}

enum load_end open_load_once(struct open_run *run,
                             enum load_end (*make)(struct open_run *run, struct trial *trial))
{
    struct open_result *const open = run->open;
    const enum load_end end = make(run, &open->predicted);

    if (end != LOAD_DONE)
        return end;
    open->search.trials = err_calloc(1, sizeof *open->search.trials, run->err);
    if (open->search.trials == NULL)
        return LOAD_FAILED;
    open->search.count = 1;
    return make(run, open->search.trials);
}

/* A load */

/* Returns the mean time that a worker has spent on an exchange in the closed loop: the latency,
   unless that contains the wait for a commit. */
static double service_ns(const struct open_run *run)
{
    const struct phase_result *const closed = &run->open->closed;

    return run->config.batch == 1
               ? histogram_mean(&closed->operations)
               : (double)(phase_elapsed_ns(closed) * run->config.threads) / (double)closed->done;
}

static enum load_end measure_all(struct open_run *run,
                                 enum load_end (*measure)(struct open_run *run))
{
    struct open_result *const open = run->open;
    const struct open_config *const config = &run->config.open;
    const enum load_end end = measure_capacity(run);

    if (end != LOAD_DONE)
        return end;
    open->servers = config->hook_pool > 0 ? config->hook_pool : run->config.threads;
    open->service_ns = (uint64_t)service_ns(run) + config->hook_delay_ns + 1;
    return measure(run);
}

enum load_end open_load(const struct load_config *config, const struct load_context *context,
                        enum load_end (*measure)(struct open_run *run), struct load_result *result,
                        struct err *err)
{
    struct open_run run = { .config = *config,
                            .context = context,
                            .batches = { config->batch, config->batch_ns, commit },
                            .err = err,
                            .result = result,
                            .open = err_calloc(1, sizeof *run.open, err) };

    if (run.open == NULL)
        return LOAD_FAILED;
    histogram_init(&run.open->closed.operations);
    /* Trials record latencies themselves, in memory that does not grow. */
    run.config.latency = false;
    for (; run.free_count < config->threads; run.free_count++)
        run.free[run.free_count] = run.free_count;
    (void)pthread_mutex_init(&run.lock, NULL);
    (void)pthread_cond_init(&run.freed, NULL);
    const enum load_end end = measure_all(&run, measure);
    (void)pthread_cond_destroy(&run.freed);
    (void)pthread_mutex_destroy(&run.lock);
    result->open = run.open;
    return end;
}

int open_load_refuse_dedup(const struct load_config *config, struct err *err)
{
    return config->open.policy == QUEUE_DEDUP
               ? err_usage(err, "--queue-policy=dedup can only be used with --workload=storm, "
                                "where clients retransmit")
               : 0;
}

void open_load_describe(const struct load_config *config, const char *name, char *text, size_t size)
{
    (void)snprintf(text, size, "exchanges (%s) of %s clients with", name,
                   units_count(UNITS_TEXT, config->preload));
}
