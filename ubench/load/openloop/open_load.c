/* SPDX-License-Identifier: ISC */
#include "load/openloop/open_load.h"

#include <inttypes.h>
#include <math.h>

#include "core/clock.h"
#include "load/exchange/plan.h"
#include "load/openloop/blocking_call.h"

/* The closed loop before: long enough to know what the store can do, short
   enough not to change it; and it is about so many leases, which are made
   before where the server looks for them. */
#define CAPACITY_NS (2 * NS_PER_S)
enum { CAPACITY_LEASES = 50000 };

/* Exchanges are numbered by when they are begun, since a client of a storm may
   be served twice and others never. */
static enum service_end serve_exchange(void *context, size_t worker,
                                       uint64_t number, struct err *err)
{
    struct open_run *const run = context;
    const uint64_t i =
        atomic_fetch_add(&run->number, 1) * load_parts(&run->config) +
        run->config.part;
    int worst = atomic_load(&run->end);
    struct worker *const w = engine_worker(run->engine, worker);
    const enum load_end end = exchange_perform(w, i);

    (void)number;
    if (end <= LOAD_INTERRUPTED)
        return end == LOAD_DONE && w->tally != NULL ? SERVICE_ANSWERED
                                                    : SERVICE_FAILED;
    *err = w->handle.err;
    while (worst < (int)end &&
           !atomic_compare_exchange_weak(&run->end, &worst, (int)end))
        continue;
    return SERVICE_STOP;
}

int open_load_plan(struct load_config *config, uint64_t requests,
                   struct progress *progress, struct err *err)
{
    const uint64_t parts = load_parts(config);
    uint64_t planned[MIX_MAX];

    config->count = requests * parts;
    const uint64_t least = exchange_plan_preload_min(config, parts, progress);
    config->count = requests;
    if (config->preload < least)
        config->preload = least;
    exchange_plan_kinds(config, progress, false, planned);
    return exchange_plan_leases_max(config, planned) <= GENERATOR_LEASES_MAX
               ? 0
               : err_set(err,
                         "--duration: %" PRIu64 " requests in one trial may "
                         "need more than %" PRIu64 " leases; take a shorter "
                         "one",
                         requests, (uint64_t)GENERATOR_LEASES_MAX);
}

/* On a store that was reset, for so many requests. */
static enum load_end open_exchanges(struct open_run *run, uint64_t requests)
{
    struct load_config config = run->config;

    atomic_store(&run->number, 0);
    atomic_store(&run->end, LOAD_DONE);
    if (open_load_plan(&config, requests, run->context->progress, run->err) ==
        0)
        run->engine =
            engine_open(&exchanges_kind, &config, run->context, run->err);
    return run->engine != NULL ? engine_prepare(run->engine, run->err)
                               : LOAD_FAILED;
}

static void close_exchanges(struct open_run *run)
{
    engine_close(run->engine);
    run->engine = NULL;
}

/* Measures what the store can do at most. */
static enum load_end measure_capacity(struct open_run *run)
{
    struct service_capacity *const capacity = &run->open->capacity;
    const uint64_t half_ns = run->config.open.duration_ns / 2;
    enum load_end end = open_exchanges(
        run, (uint64_t)ceil(CAPACITY_LEASES / run->config.mix.leases));

    if (end == LOAD_DONE)
        end = exchanges_measure(run->engine,
                                half_ns < CAPACITY_NS ? half_ns : CAPACITY_NS,
                                capacity, run->err);
    close_exchanges(run);
    if (end == LOAD_DONE && !(capacity->per_s > 0)) {
        (void)err_set(run->err, "%s: no exchange was answered in a closed loop",
                      run->context->backend->name);
        return LOAD_FAILED;
    }
    return end;
}

/* How many threads take requests in. */
static size_t count_servers(const struct open_run *run)
{
    const struct open_config *const config = &run->config.open;

    return config->hook_delay_ns > 0 && config->hook_pool > 0
               ? config->hook_pool / load_parts(&run->config)
               : load_threads(&run->config);
}

/* Serves what comes, through the blocking call if there is one. */
static enum load_end serve_requests(struct open_run *run, struct trial *trial,
                                    uint64_t planned)
{
    const struct service store = { .context = run, .serve = serve_exchange };
    struct progress *const progress = run->context->progress;
    const uint64_t delay_ns = run->config.open.hook_delay_ns;
    const size_t servers = count_servers(run);
    struct blocking_call call = { 0 };
    struct service service = store;
    int status = 0;

    progress_begin(progress, trial_stage_name(trial->stage), planned, servers);
    if (delay_ns > 0) {
        status =
            blocking_call_init(&call, delay_ns, &store,
                               load_threads(&run->config), progress, run->err);
        service = blocking_call_service(&call);
    }
    if (status == 0)
        status = open_loop_run(trial, servers, &service, progress, run->err);
    atomic_store(&progress->phase, NULL);
    blocking_call_release(&call);
    if (status == 0)
        return trial->complete ? LOAD_DONE : LOAD_INTERRUPTED;
    return atomic_load(&run->end) == LOAD_WRONG ? LOAD_WRONG : LOAD_FAILED;
}

/* Takes what the last trial counted into the result, and verifies.  What came
   of a complete trial is all that was planned. */
static enum load_end take_result(struct open_run *run, bool complete,
                                 const struct stretch *stretch, struct err *err)
{
    struct load_result *const result = run->result;

    result->open = NULL;
    load_result_release(result);
    const int status = engine_begin_result(run->engine, result, err);
    result->open = run->open;
    if (status != 0)
        return LOAD_FAILED;
    engine_end_tallies(run->engine, 0, stretch, result);
    for (size_t p = 0; p < result->phase_count; p++)
        result->phases[p].planned = phase_ended(&result->phases[p]) + !complete;
    return complete
               ? engine_check(run->engine, exchanges_kind.phases, result, err)
               : LOAD_DONE;
}

static void set_queue(const struct open_run *run, struct trial *trial)
{
    const struct open_config *const config = &run->config.open;

    trial->queue_size = config->queue_size;
    trial->policy = config->policy;
    trial->numbers = config->clients;
}

enum load_end open_load_trial(struct open_run *run, struct trial *trial,
                              uint64_t requests, uint64_t expected)
{
    struct err unverified = { 0 };
    enum load_end end = open_exchanges(run, requests);

    set_queue(run, trial);
    if (end != LOAD_DONE) {
        close_exchanges(run);
        return end;
    }
    engine_begin_tallies(run->engine, 0);
    const struct usage before = load_sample(run->context);
    struct stretch stretch = { .begun_ns = clock_now_ns() };
    end = serve_requests(run, trial, expected);
    stretch.ended_ns = clock_now_ns();
    stretch.usage = load_used(run->context, &before, end == LOAD_DONE);
    const enum load_end taken =
        take_result(run, end == LOAD_DONE, &stretch, &unverified);
    close_exchanges(run);
    if (taken <= end)
        return end;
    *run->err = unverified;
    return taken;
}

enum load_end open_load_predict(struct open_run *run)
{
    struct open_result *const open = run->open;

    set_queue(run, &open->predicted);
    if (trial_simulate(&open->predicted, open->servers, open->service_ns,
                       run->context->progress, run->err) != 0)
        return LOAD_FAILED;
    return open->predicted.complete ? LOAD_DONE : LOAD_INTERRUPTED;
}

struct trial *open_load_add_trial(struct open_run *run)
{
    struct rate_search *const search = &run->open->search;

    search->trials = err_calloc(1, sizeof *search->trials, run->err);
    search->count = search->trials != NULL;
    return search->trials;
}

enum load_end open_load_run(const struct workload *workload,
                            const struct load_config *config,
                            const struct load_context *context,
                            struct load_result *result, struct err *err)
{
    struct open_result *const open = err_calloc(1, sizeof *open, err);
    struct open_run run = { .config = *config,
                            .context = context,
                            .err = err,
                            .result = result,
                            .open = open };

    *result = (struct load_result){ .together = true, .open = open };
    progress_expect(context->progress, 0, 0); /* as many trials as it takes */
    if (open == NULL)
        return LOAD_FAILED;
    open->kind = config->open.kind;
    /* Trials have latencies of their own, in memory that does not grow. */
    run.config.latency = false;
    enum load_end end = measure_capacity(&run);
    if (end == LOAD_DONE) {
        open->servers = count_servers(&run);
        open->service_ns = (uint64_t)histogram_mean(&open->capacity.service) +
                           config->open.hook_delay_ns + 1;
        end = workload->trials(&run);
    }
    load_note_reconnect(context, result);
    return end;
}
