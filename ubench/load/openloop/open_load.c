/* SPDX-License-Identifier: ISC */
#include "load/openloop/open_load.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "core/clock.h"
#include "core/random.h"
#include "load/openloop/blocking_call.h"
#include "load/openloop/open_loop.h"
#include "load/openloop/simulation.h"
#include "load/workers.h"

/* The closed loop before: long enough to know what the store can do, short
   enough not to change it. */
#define PROBE_NS (2 * NS_PER_S)
enum { PROBE_MAX = 50000 };

/* What belongs to one run. */
struct run {
    const struct open_config *config;
    struct exchanges_config exchanges_config;
    const struct backend *backend;
    struct session *const *sessions;
    struct progress *progress;
    struct exchanges *exchanges; /* open ones, or NULL */
    _Atomic(uint64_t) number;    /* of the next exchange */
    _Atomic(int) end;            /* enum load_end, the worst so far */
    struct load_result *result;
    struct open_result *open;
};

static enum service_end stop(struct run *run, size_t worker, enum load_end end,
                             struct err *err)
{
    int before = atomic_load(&run->end);

    *err = *exchanges_error(run->exchanges, worker);
    while (before < (int)end &&
           !atomic_compare_exchange_weak(&run->end, &before, (int)end))
        continue;
    return SERVICE_STOP;
}

/* Exchanges are numbered by when they are begun, since a client of a storm may
   be served twice and others never. */
static enum service_end serve(void *context, size_t worker, uint64_t number,
                              struct err *err)
{
    struct run *const run = context;
    const uint64_t i = atomic_fetch_add(&run->number, 1);
    size_t part;

    (void)number;
    switch (exchanges_perform(run->exchanges, worker, i, &part)) {
    case EXCHANGE_DONE:
        return SERVICE_ANSWERED;
    case EXCHANGE_DEADLOCK:
    case EXCHANGE_STOPPED:
        return SERVICE_FAILED;
    case EXCHANGE_FAILED:
        return stop(run, worker, LOAD_FAILED, err);
    case EXCHANGE_WRONG:
        break;
    }
    return stop(run, worker, LOAD_WRONG, err);
}

static struct service store_service(struct run *run)
{
    return (struct service){ .context = run, .serve = serve };
}

uint64_t open_load_requests_max(double per_s, uint64_t duration_ns)
{
    const double mean = per_s * (double)duration_ns / (double)NS_PER_S;

    return (uint64_t)(mean + 6 * sqrt(mean)) + 20;
}

/* Remembers how it ended.  False unless it can go on. */
static bool note_end(struct run *run, enum load_end end)
{
    if ((int)end > atomic_load(&run->end))
        atomic_store(&run->end, (int)end);
    return end == LOAD_DONE;
}

/* A store that was reset, for so many requests.  Clients that are taken away
   must not run out, even if one worker serves all who come. */
static bool open_exchanges(struct run *run, uint64_t requests, struct err *err)
{
    struct exchanges_config *const config = &run->exchanges_config;
    const uint64_t preload = config->load.preload;

    config->load.count = requests * config->load.threads;
    const uint64_t least = exchanges_preload_min(config);
    config->load.count = requests;
    config->load.preload = preload > least ? preload : least;
    if (exchanges_leases_max(config, config->load.preload) >
        GENERATOR_LEASES_MAX) {
        config->load.preload = preload;
        (void)err_set(err,
                      "%" PRIu64 " requests in one trial may need more than "
                      "%" PRIu64 " leases; take a shorter --duration",
                      requests, (uint64_t)GENERATOR_LEASES_MAX);
        return note_end(run, LOAD_FAILED);
    }
    atomic_store(&run->number, 0);
    const enum load_end end =
        exchanges_open(&run->exchanges, config, run->backend, run->sessions,
                       run->progress, err);
    config->load.preload = preload;
    return note_end(run, end);
}

static void close_exchanges(struct run *run)
{
    exchanges_close(run->exchanges);
    run->exchanges = NULL;
}

/* What the store can do at most. */
static bool probe(struct run *run, struct err *err)
{
    const struct service service = store_service(run);
    const size_t threads = run->exchanges_config.load.threads;
    struct service_probe *const capacity = &run->open->capacity;
    const uint64_t half_ns = run->config->duration_ns / 2;

    if (!open_exchanges(run, PROBE_MAX, err))
        return false;
    progress_begin(run->progress, "probe", PROBE_MAX, threads);
    const int status = service_measure(&service, threads,
                                       half_ns < PROBE_NS ? half_ns : PROBE_NS,
                                       PROBE_MAX, run->progress, capacity, err);
    atomic_store(&run->progress->phase, NULL);
    close_exchanges(run);
    if (status != 0)
        return note_end(run, LOAD_FAILED);
    if (progress_stopped(run->progress))
        return note_end(run, LOAD_INTERRUPTED);
    if (capacity->per_s > 0)
        return true;
    (void)err_set(err, "%s: not one exchange was answered in a closed loop",
                  run->backend->name);
    return note_end(run, LOAD_FAILED);
}

/* All phases ran at the same time, and what came of a trial is all that was
   planned. */
static void note_phases(struct run *run, uint64_t begun_ns, uint64_t ended_ns,
                        const struct usage *usage, uint64_t syncs)
{
    struct load_result *const result = run->result;

    for (size_t p = 0; p < result->phase_count; p++) {
        struct phase_result *const phase = &result->phases[p];

        phase->begun_ns = begun_ns;
        phase->ended_ns = ended_ns;
        phase->usage = *usage;
        phase->syncs = syncs;
        phase->planned = phase->done + (atomic_load(&run->end) != LOAD_DONE);
    }
}

/* Takes the books of the last trial into the result, and verifies. */
static bool collect(struct run *run, uint64_t begun_ns,
                    const struct usage *before, uint64_t syncs_before,
                    struct err *err)
{
    const uint64_t ended_ns = clock_now_ns();
    const uint64_t syncs = load_syncs(run->backend, run->sessions[0]);
    struct usage after;

    usage_sample(&after);
    const struct usage usage = usage_difference(before, &after);
    load_result_release(run->result);
    if (exchanges_collect(run->exchanges, run->result, err) != 0)
        return note_end(run, LOAD_FAILED);
    note_phases(run, begun_ns, ended_ns, &usage,
                syncs == USAGE_UNKNOWN ? syncs : syncs - syncs_before);
    return atomic_load(&run->end) == LOAD_DONE &&
           note_end(run, exchanges_verify(run->exchanges, run->result, err));
}

/* How many threads take requests in. */
static size_t count_servers(const struct run *run)
{
    const struct open_config *const config = run->config;

    return config->hook_delay_ns > 0 && config->hook_pool > 0
               ? config->hook_pool
               : run->exchanges_config.load.threads;
}

/* Serves what comes to a pool, through the blocking call if there is one. */
static int serve_requests(struct run *run,
                          const struct server_pool_config *pool,
                          uint64_t planned, struct trial *trial,
                          struct err *err)
{
    const struct service store = store_service(run);
    struct blocking_call call = { 0 };
    struct service service = store;
    const size_t servers = count_servers(run);

    progress_begin(run->progress, trial_stage_name(trial->stage), planned,
                   servers);
    if (run->config->hook_delay_ns > 0) {
        if (blocking_call_init(&call, run->config->hook_delay_ns, &store,
                               run->exchanges_config.load.threads,
                               run->progress, err) != 0)
            return -1;
        service = blocking_call_service(&call);
    }
    const int status =
        open_loop_run(pool, servers, &service, run->progress, trial, err);
    atomic_store(&run->progress->phase, NULL);
    blocking_call_release(&call);
    return status;
}

/* One trial on a fresh store, for at most so many requests. */
static bool run_trial(struct run *run, const struct server_pool_config *pool,
                      uint64_t requests, struct trial *trial, struct err *err)
{
    struct usage before;
    struct err unverified = { 0 };

    if (!open_exchanges(run, requests, err))
        return false;
    exchanges_begin(run->exchanges);
    const uint64_t syncs = load_syncs(run->backend, run->sessions[0]);
    usage_sample(&before);
    const uint64_t begun_ns = clock_now_ns();
    if (serve_requests(run, pool, requests, trial, err) != 0)
        (void)note_end(run, LOAD_FAILED);
    else if (!trial->complete)
        (void)note_end(run, LOAD_INTERRUPTED);
    const bool right = collect(run, begun_ns, &before, syncs, &unverified);
    if (!right && err->text[0] == '\0')
        *err = unverified;
    close_exchanges(run);
    return right;
}

static struct server_pool_config make_pool(const struct run *run,
                                           uint64_t warmup_ns,
                                           uint64_t duration_ns,
                                           uint64_t drain_ns)
{
    const struct open_config *const config = run->config;

    return (struct server_pool_config){
        .queue_size = config->queue_size,
        .policy = config->policy,
        .numbers = config->clients,
        .warmup_ns = warmup_ns,
        .duration_ns = duration_ns,
        .deadline_ns = config->deadline_ns,
        .drain_ns = drain_ns,
    };
}

/* What a simulated server takes: what the real one took, and the blocking call.
 */
static void note_servers(struct run *run)
{
    struct open_result *const open = run->open;

    open->servers = count_servers(run);
    open->service_ns = (uint64_t)histogram_mean(&open->capacity.service) +
                       run->config->hook_delay_ns + 1;
}

static bool predict_rate(struct run *run, struct server_pool_config pool,
                         struct err *err)
{
    const struct open_config *const config = run->config;
    struct arrivals arrivals;

    note_servers(run);
    arrivals_init(&arrivals, config->arrivals, config->per_s,
                  config->duration_ns, run->exchanges_config.load.seed);
    pool.source = arrivals_source(&arrivals);
    run->open->predicted.per_s = config->per_s;
    return simulation_run_fixed(&pool, run->open->servers,
                                run->open->service_ns, &run->open->predicted,
                                err) == 0 ||
           note_end(run, LOAD_FAILED);
}

static bool add_trials(struct run *run, struct err *err)
{
    struct rate_search *const search = &run->open->search;

    search->trials = calloc(1, sizeof *search->trials);
    search->count = search->trials != NULL;
    if (search->count == 0)
        (void)err_set(err, "no memory for a trial");
    return search->count == 1 || note_end(run, LOAD_FAILED);
}

static void run_rate(struct run *run, struct err *err)
{
    const struct open_config *const config = run->config;
    struct arrivals arrivals;
    struct server_pool_config pool =
        make_pool(run, 0, config->duration_ns, config->deadline_ns);

    if (!probe(run, err) || !predict_rate(run, pool, err) ||
        !add_trials(run, err))
        return;
    struct trial *const trial = &run->open->search.trials[0];
    arrivals_init(&arrivals, config->arrivals, config->per_s,
                  config->duration_ns, run->exchanges_config.load.seed);
    pool.source = arrivals_source(&arrivals);
    (void)run_trial(run, &pool,
                    open_load_requests_max(config->per_s, config->duration_ns),
                    trial, err);
    trial->per_s = config->per_s;
}

static int offer(void *context, const struct rate_offer *offer,
                 struct trial *trial, struct err *err)
{
    struct run *const run = context;
    struct arrivals arrivals;
    const uint64_t offered_ns = offer->warmup_ns + offer->duration_ns;
    struct server_pool_config pool =
        make_pool(run, offer->warmup_ns, offer->duration_ns, offer->drain_ns);

    arrivals_init(&arrivals, run->config->arrivals, offer->per_s, offered_ns,
                  random_at(run->exchanges_config.load.seed, offer->number));
    pool.deadline_ns = offer->deadline_ns;
    pool.source = arrivals_source(&arrivals);
    trial->stage = offer->stage;
    (void)run_trial(run, &pool,
                    open_load_requests_max(offer->per_s, offered_ns), trial,
                    err);
    return atomic_load(&run->end) > LOAD_INTERRUPTED ? -1 : 0;
}

/* About what is possible: what the store can do, or the blocking call if that
 * is less.
 */
static double search_start(struct run *run)
{
    const struct open_result *const open = run->open;

    note_servers(run);
    const double blocked_per_s =
        (double)open->servers * (double)NS_PER_S / (double)open->service_ns;
    return run->config->hook_delay_ns > 0 &&
                   blocked_per_s < open->capacity.per_s
               ? blocked_per_s
               : open->capacity.per_s;
}

static void run_search(struct run *run, struct err *err)
{
    const struct rate_search_config config = {
        .start_per_s = search_start(run),
        .fine_ns = run->config->duration_ns,
        .offer = offer,
        .context = run,
    };

    (void)rate_search_run(&config, &run->open->search, err);
}

static void run_storm(struct run *run, struct err *err)
{
    const struct open_config *const config = run->config;
    const uint64_t seed = run->exchanges_config.load.seed;
    struct open_result *const open = run->open;
    struct server_pool_config pool = make_pool(
        run, 0, STORM_LONGEST_NS + config->spread_ns, config->deadline_ns);
    struct storm storm = { 0 };

    if (!probe(run, err) || !add_trials(run, err))
        return;
    note_servers(run);
    if (storm_predict(&pool, config->clients, config->spread_ns, seed,
                      open->servers, open->service_ns, &open->storm_predicted,
                      &open->predicted, err) != 0 ||
        storm_init(&storm, config->clients, config->spread_ns, seed, err) != 0)
        (void)note_end(run, LOAD_FAILED);
    pool.source = storm_source(&storm);
    if (atomic_load(&run->end) == LOAD_DONE)
        (void)run_trial(run, &pool,
                        config->clients * (STORM_RETRANSMISSIONS + 1),
                        &open->search.trials[0], err);
    if (storm.states != NULL && storm_judge(&storm, &open->storm, err) != 0)
        (void)note_end(run, LOAD_FAILED);
    storm_release(&storm);
}

enum load_end open_load_run(const struct open_config *config,
                            const struct exchanges_config *exchanges,
                            const struct backend *backend,
                            struct session *const *sessions,
                            struct progress *progress,
                            struct load_result *result,
                            struct open_result *open, struct err *err)
{
    struct run run = { .config = config,
                       .exchanges_config = *exchanges,
                       .backend = backend,
                       .sessions = sessions,
                       .progress = progress,
                       .result = result,
                       .open = open,
                       .end = LOAD_DONE };

    /* Trials have latencies of their own, in memory that does not grow. */
    run.exchanges_config.load.latency = false;
    *result = (struct load_result){ .together = true };
    *open = (struct open_result){ .kind = config->kind };
    if (config->kind == OPEN_RATE)
        run_rate(&run, err);
    else if (config->kind == OPEN_STORM)
        run_storm(&run, err);
    else if (probe(&run, err))
        run_search(&run, err);
    load_note_reconnect(result, exchanges->reconnect);
    return (enum load_end)atomic_load(&run.end);
}

void open_result_release(struct open_result *open)
{
    rate_search_release(&open->search);
    trial_release(&open->predicted);
}
