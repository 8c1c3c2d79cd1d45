/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>

#include "core/units.h"
#include "load/exchange/exchanges.h"

/* The closed loop before: long enough to know what the store can do, short
   enough not to change it; and it is about so many leases, which are made
   before where the server looks for them. */
#define CAPACITY_NS (2 * NS_PER_S)
static const double capacity_leases = 50000;

/* The state of one run. */
struct open_run {
    struct load_config config;
    const struct load_context *context;
    struct engine *engine;    /* of the exchanges of the trial */
    struct trial *trial;      /* that the store serves ... */
    uint64_t expected;        /* ... about so many requests, for the watcher */
    _Atomic(uint64_t) number; /* of the next exchange */
    struct err *err;          /* filled where an end is neither LOAD_DONE nor
                                 LOAD_INTERRUPTED */
    struct load_result *result;
    struct open_result *open;
    /* The workers that no thread of the hook uses; under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t freed;
    size_t free_count;
    size_t free[WORKERS_MAX];
};

/* A request */

/* Exchanges are numbered by when they are begun, since a client of a storm may
   be served twice and others never. */
static enum load_end perform(struct open_run *run, size_t index, bool *answered, struct err *err)
{
    const uint64_t i = atomic_fetch_add(&run->number, 1);
    struct worker *const worker = &run->engine->workers[index];
    const enum load_end end = exchange_perform(worker, i);

    *answered = end == LOAD_DONE && worker->tally != NULL;
    if (end > LOAD_INTERRUPTED)
        *err = worker->err;
    return end;
}

/* With --hook-delay each request first calls another service, as some hook
   libraries of Kea do.  A thread that waits for it does nothing else; a pool
   (--hook) has threads of its own for that, and they take turns in the workers
   of the store.  A run that is asked to stop does not wait, nor count it. */
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

/* The store */

/* Makes config that of a trial of so many requests: it begins with as many
   clients as are needed even if one worker serves all requests.  progress may
   be NULL, see exchange_plan_make.  Returns 0, or -1 with err: there may be too
   many leases. */
static int plan(struct load_config *config, uint64_t requests, struct progress *progress,
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

/* Runs a load of so many exchanges at most, by the work that is given. */
static enum load_end load(struct open_run *run, uint64_t requests, engine_work *work,
                          struct load_result *result)
{
    struct load_config config = run->config;

    atomic_store(&run->number, 0);
    return plan(&config, requests, run->context->progress, run->err) == 0
               ? engine_load(workload_exchanges.closed, &config, run->context, work, run, result,
                             run->err)
               : LOAD_FAILED;
}

/* Finds out how much the store can do: service times, since no request ever
   waits. */
static enum load_end work_closed(struct engine *engine, void *context, struct stretch *stretch)
{
    struct open_run *const run = context;
    struct phase_result *const closed = &run->open->closed;
    const uint64_t half_ns = engine->config.open.duration_ns / 2;

    engine->limit_ns = half_ns < CAPACITY_NS ? half_ns : CAPACITY_NS;
    engine->latency = true;
    engine->unchecked = true;
    const enum load_end end =
        engine_run(engine, "capacity", engine->config.count, closed_loop, stretch);
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

/* Serves a trial by the store, in threads. */
static enum load_end work_open(struct engine *engine, void *context, struct stretch *stretch)
{
    struct open_run *const run = context;
    struct progress *const progress = run->context->progress;
    const size_t servers = run->open->servers;
    const struct usage before = load_sample(run->context);

    run->engine = engine;
    stretch->begun_ns = clock_now_ns();
    progress_begin(progress, trial_stage_names[run->trial->stage], run->expected, servers);
    const enum load_end end = open_loop_run(run->trial, servers, serve, run, progress, run->err);
    atomic_store(&progress->phase, NULL);
    stretch->ended_ns = clock_now_ns();
    stretch->usage = load_used(run->context, &before, end == LOAD_DONE);
    return end;
}

/* Makes a trial, whose source is set, by the store or by simulated servers:
   most requests at most, and about so many as expected.  The result has the
   phases of the last trial that began. */
static enum load_end make_trial(struct open_run *run, struct trial *trial, uint64_t most,
                                uint64_t expected)
{
    const struct open_config *const config = &run->config.open;
    struct open_result *const open = run->open;
    struct load_result result = { 0 };

    trial->queue_size = config->queue_size;
    trial->policy = config->policy;
    trial->numbers = config->clients;
    if (trial == &open->predicted)
        return trial_simulate(trial, open->servers, open->service_ns, run->context->progress,
                              run->err);
    run->trial = trial;
    run->expected = expected;
    const enum load_end end = load(run, most, work_open, &result);
    if (result.phase_count > 0 && result.phases[0].begun_ns > 0) {
        load_result_release(run->result);
        *run->result = result;
    } else {
        load_result_release(&result);
    }
    return end;
}

/* At most so many requests come, but for one in a thousand million cases, if
   that is their mean: for the memory that is taken before. */
static uint64_t requests_max(double mean)
{
    return (uint64_t)(mean + 6 * sqrt(mean)) + 20;
}

/* Makes a trial, whose times and rate are set, by the draws of seed. */
static enum load_end try_rate(void *context, struct trial *trial, uint64_t seed)
{
    struct open_run *const run = context;
    const uint64_t offered_ns = trial->warmup_ns + trial->duration_ns;
    const double mean = trial->per_s * (double)offered_ns / (double)NS_PER_S;
    struct arrivals arrivals;

    arrivals_init(&arrivals, run->config.open.arrivals, trial->per_s, offered_ns, seed);
    trial->source = &arrivals.source;
    return make_trial(run, trial, requests_max(mean), (uint64_t)mean + 1);
}

/* The same of a storm: one that is simulated, or one of the store. */
static enum load_end try_storm(void *context, struct trial *trial, uint64_t seed)
{
    struct open_run *const run = context;
    const struct open_config *const config = &run->config.open;
    struct open_result *const open = run->open;
    enum load_end end = LOAD_FAILED;
    struct storm storm;

    if (storm_init(&storm, config->clients, config->spread_ns, seed, run->err) == 0) {
        trial->source = &storm.source;
        end = make_trial(run, trial, config->clients * (STORM_RETRANSMISSIONS + 1),
                         open->storm_predicted.sent);
        storm_judge(&storm);
        *(trial == &open->predicted ? &open->storm_predicted : &open->storm) = storm.outcome;
    }
    storm_release(&storm);
    return end;
}

/* A rate or a storm */

static enum load_end run_single(struct open_run *run, struct trial *trial)
{
    const struct open_config *const config = &run->config.open;
    const bool storm = run->open->kind == WORKLOAD_STORM;

    trial->per_s = storm ? 0 : config->per_s;
    trial->duration_ns = storm ? STORM_LONGEST_NS + config->spread_ns : config->duration_ns;
    trial->deadline_ns = config->deadline_ns;
    trial->drain_ns = config->deadline_ns;
    return (storm ? try_storm : try_rate)(run, trial, run->config.seed);
}

/* A search */

/* Begins with about what is possible: what the store can do, or the hook if
   that is less. */
static enum load_end find_rate(struct open_run *run)
{
    struct open_result *const open = run->open;
    const double able_per_s = phase_rate_per_s(&open->closed);
    const double blocked_per_s =
        (double)open->servers * (double)NS_PER_S / (double)open->service_ns;

    open->search = (struct rate_search){
        .start_per_s =
            run->config.open.hook_delay_ns > 0 ? fmin(blocked_per_s, able_per_s) : able_per_s,
        .trial_ns = run->config.open.duration_ns,
        .seed = run->config.seed,
        .make = try_rate,
        .context = run,
    };
    return rate_search_run(&open->search, run->err);
}

/* All of them */

static enum load_end measure(struct open_run *run)
{
    struct open_result *const open = run->open;
    const struct open_config *const config = &run->config.open;
    enum load_end end = measure_capacity(run);

    if (end != LOAD_DONE)
        return end;
    open->servers = config->hook_pool > 0 ? config->hook_pool : run->config.threads;
    open->service_ns =
        (uint64_t)histogram_mean(&open->closed.operations) + config->hook_delay_ns + 1;
    if (open->kind == WORKLOAD_FIND_RATE)
        return find_rate(run);
    end = run_single(run, &open->predicted);
    if (end != LOAD_DONE)
        return end;
    open->search.trials = err_calloc(1, sizeof *open->search.trials, run->err);
    if (open->search.trials == NULL)
        return LOAD_FAILED;
    open->search.count = 1;
    return run_single(run, open->search.trials);
}

static enum load_end run_open(const struct workload *workload, const struct load_config *config,
                              const struct load_context *context, struct load_result *result,
                              struct err *err)
{
    struct open_run run = { .config = *config,
                            .context = context,
                            .err = err,
                            .result = result,
                            .open = err_calloc(1, sizeof *run.open, err) };

    if (run.open == NULL)
        return LOAD_FAILED;
    run.open->kind = workload->kind;
    histogram_init(&run.open->closed.operations);
    /* Trials have latencies of their own, in memory that does not grow. */
    run.config.latency = false;
    for (; run.free_count < config->threads; run.free_count++)
        run.free[run.free_count] = run.free_count;
    (void)pthread_mutex_init(&run.lock, NULL);
    (void)pthread_cond_init(&run.freed, NULL);
    const enum load_end end = measure(&run);
    (void)pthread_cond_destroy(&run.freed);
    (void)pthread_mutex_destroy(&run.lock);
    result->open = run.open;
    return end;
}

/* Refuses before the run what the options tell. */
static int resolve_rate(struct load_config *config, const char *workload, struct err *err)
{
    const double per_s = config->open.per_s;
    const uint64_t duration_ns = config->open.duration_ns;
    struct load_config trial;
    struct arrivals arrivals;

    if (exchange_plan_resolve(config, workload, err) != 0)
        return -1;
    arrivals_init(&arrivals, config->open.arrivals, per_s, duration_ns, config->seed);
    if (arrivals.source.due_ns(&arrivals.source) == ARRIVALS_NEVER)
        return err_usage(
            err, "--duration: no request arrives within %s at --rate=%g; use a longer duration",
            units_duration(UNITS_TEXT, duration_ns), config->open.per_s);
    trial = *config;
    if (plan(&trial, requests_max(per_s * (double)duration_ns / (double)NS_PER_S), NULL, err) == 0)
        return 0;
    err->kind = ERR_USAGE;
    return -1;
}

const struct workload workload_rate = {
    .option = "rate",
    .kind = WORKLOAD_RATE,
    .exchanges = true,
    .resolve = resolve_rate,
    .open = run_open,
};

const struct workload workload_find_rate = {
    .option = "find-rate",
    .kind = WORKLOAD_FIND_RATE,
    .exchanges = true,
    .resolve = exchange_plan_resolve,
    .open = run_open,
};

const struct workload workload_storm = {
    .name = "storm",
    .help = "all clients of a site ask at once, and retransmit",
    .kind = WORKLOAD_STORM,
    /* The exchange of a client that comes back after a power cut. */
    .mix = "dora-known",
    .mix_v6 = "renew",
    .exchanges = true,
    .resolve = exchange_plan_resolve,
    .open = run_open,
};
