/* SPDX-License-Identifier: ISC */
#include "load/exchange/exchanges.h"

#include <assert.h>
#include <stdlib.h>

#include "core/clock.h"
#include "load/exchange/plan.h"
#include "load/exchange/state.h"

/* Exchanges */

/* Finds the client for the exchange.  False if there is none. */
static bool pick_client(struct exchange_worker *worker)
{
    const struct exchanges *const all = worker->all;
    const size_t index = worker->index;

    if (worker->exchange->party == PARTY_NONE)
        return true;
    if (worker->exchange->party == PARTY_NEW) {
        const uint64_t k =
            load_share(&all->config, index, all->config.preload) +
            worker->added;

        worker->client = (struct client){
            .number = (uint32_t)exchange_client_number(all, index, k),
        };
    } else {
        if (worker->clients.active == 0)
            return false;
        const uint64_t draw = random_at(all->client_key, worker->number);

        worker->picked = random_below((uint32_t)draw, worker->clients.active);
        worker->client = worker->clients.all[worker->picked];
    }
    client_make_lease(&worker->client, &all->generator, &worker->lease);
    return true;
}

/* What the server does by itself is not done twice at the same time. */
static enum load_end run_exchange(struct exchange_worker *worker,
                                  struct exchange_tally *tally)
{
    struct exchanges *const all = worker->all;
    const bool alone = worker->exchange->party == PARTY_NONE;

    if (!pick_client(worker)) {
        (void)err_set(&worker->handle.err,
                      "%s: no client of worker %zu has a lease any more; "
                      "--preload makes more",
                      worker->exchange->name, worker->handle.worker);
        return LOAD_FAILED;
    }
    if (!alone && all->config.server_time_ns > 0)
        clock_burn_ns(all->config.server_time_ns);
    if (alone)
        (void)pthread_mutex_lock(&all->lock);
    const enum load_end end = exchange_run(worker, tally);
    if (alone)
        (void)pthread_mutex_unlock(&all->lock);
    return end;
}

static void note_exchange(struct exchange_worker *worker,
                          struct exchange_tally *tally, uint64_t digest_key,
                          uint64_t begun_ns)
{
    const struct load_config *const config = &worker->all->config;
    /* With reservations, how much is asked depends on the client, and that
       on the number of threads. */
    const uint64_t asked =
        config->reservations > 0 ? 0 : worker->hits << 16 | worker->misses;

    tally->done++;
    worker->digest += random_at(digest_key | asked, worker->number);
    if (config->latency) {
        const uint64_t now_ns = clock_now_ns();

        exchange_tally_latency(tally, now_ns, now_ns - begun_ns);
    }
}

enum load_end exchanges_perform(struct exchanges *exchanges, size_t worker,
                                uint64_t i, bool *given_up)
{
    struct exchange_worker *const w = &exchanges->workers[worker];
    const size_t kind = mix_draw(&exchanges->config.mix, exchanges->mix_key, i);
    struct exchange_tally *const tally = &w->tallies[kind];
    const uint64_t begun_ns = exchanges->config.latency ? clock_now_ns() : 0;

    w->number = i;
    w->exchange = exchanges->config.mix.kinds[kind].exchange;
    w->handle.what = w->exchange->name;
    const enum load_end end = run_exchange(w, tally);
    const bool deadlock =
        end == LOAD_FAILED && w->handle.err.kind == ERR_DEADLOCK;
    const bool conflict = handle_had_conflict(&w->handle, end);

    if (end == LOAD_DONE)
        note_exchange(w, tally, exchanges->digest_keys[kind], begun_ns);
    tally->deadlocks += deadlock;
    tally->conflicts += conflict;
    tally->stale += w->handle.stale;
    w->handle.stale = 0;
    *given_up = deadlock || conflict;
    return *given_up ? LOAD_DONE : end;
}

const struct err *exchanges_error(const struct exchanges *exchanges,
                                  size_t worker)
{
    return &exchanges->workers[worker].handle.err;
}

/* Tallies */

/* Begins to count.  While the store was away before, that was no outage. */
static void begin(struct exchanges *exchanges)
{
    const struct load_config *const config = &exchanges->config;
    const uint64_t now_ns = clock_now_ns();

    for (size_t w = 0; w < load_threads(config); w++) {
        for (size_t p = 0; p < config->mix.count; p++)
            exchange_tally_begin(&exchanges->workers[w].tallies[p],
                                 config->mix.kinds[p].exchange, now_ns);
        exchanges->workers[w].digest = 0;
    }
    if (exchanges->context.reconnect != NULL)
        reconnect_begin(exchanges->context.reconnect);
}

int exchanges_collect(struct exchanges *exchanges, struct load_result *result,
                      struct err *err)
{
    const struct load_config *const config = &exchanges->config;
    const size_t threads = load_threads(config);
    uint64_t own[MIX_MAX];
    const uint64_t *planned = exchanges->planned;

    *result = (struct load_result){
        .together = true,
        .verified = exchanges->context.backend->keeps_leases,
        .digest =
            random_at(load_digest_base(config, EXCHANGE_SEQUENCE_DIGEST),
                      config->preload << 8 | (uint64_t)config->family << 4 |
                          (uint64_t)config->profile),
    };
    if (config->reservations > 0)
        result->digest = random_at(result->digest, config->reservations);
    if (config->part > 0)
        result->digest = 0;
    if (config->parts > 0) {
        exchange_plan_own(config, own);
        planned = own;
    }
    if (load_result_init(result, config->mix.count, err) != 0)
        return -1;
    for (size_t p = 0; p < config->mix.count; p++) {
        const struct exchange *const exchange = config->mix.kinds[p].exchange;
        struct phase_result *const phase = &result->phases[p];

        if (exchange_begin_phase(phase, exchange, err) != 0)
            return -1;
        phase->planned = planned[p];
        for (size_t w = 0; w < threads; w++)
            exchange_tally_end(&exchanges->workers[w].tallies[p], exchange,
                               phase);
    }
    for (size_t w = 0; w < threads; w++)
        result->digest += exchanges->workers[w].digest;
    return 0;
}

/* What is put into the store before the first exchange, untimed, by the first
   worker. */

static enum load_end preload_one(void *argument, uint64_t n)
{
    struct exchanges *const all = argument;
    struct exchange_worker *const worker = &all->workers[0];
    struct lease *const lease = &worker->lease;
    struct handle *const handle = &worker->handle;

    if (n < all->reclaimed)
        exchange_make_reclaimed(all, n, lease);
    else if (n < all->reclaimed + all->expired)
        exchange_make_expired(all, n, lease);
    else
        generator_make(&all->generator, n, 0, lease);
    handle->step = "preloading";
    return handle_expect_hit(
        handle, lease->address,
        handle->backend->create(handle->session, lease, &handle->err));
}

/* Adds reservation number n, which is of some client. */
static enum load_end reserve_one(void *argument, uint64_t n)
{
    struct exchanges *const all = argument;
    struct exchange_worker *const worker = &all->workers[0];
    struct lease *const lease = &worker->lease;
    struct handle *const handle = &worker->handle;
    const uint64_t number =
        all->reclaimed + all->expired + permutation_find(&all->reserved, n);

    generator_make(&all->generator, number, 0, lease);
    const struct reservation_key key = { RESERVATION_BY_HWADDR,
                                         lease->subnet_id, lease->hwaddr,
                                         lease->hwaddr_length };
    handle->step = "reserving";
    return handle_expect_hit(
        handle, lease->address,
        handle->backend->add_reservation(handle->session, &key, lease->address,
                                         &handle->err));
}

/* Looks whether the store takes what a release leaves behind, before it has
   been filled for that.  Returns 0, or -1. */
static int try_released(struct exchanges *all)
{
    struct exchange_worker *const worker = &all->workers[0];
    struct handle *const handle = &worker->handle;
    const struct backend *const backend = handle->backend;
    struct session *const session = handle->session;
    struct err *const err = &handle->err;
    struct lease *const lease = &worker->lease;
    const struct client client = { .state = CLIENT_RELEASED };

    if (exchange_plan_ending(&all->config, all->planned, STEP_RELEASE) == 0)
        return 0;
    client_make_lease(&client, &all->generator, lease);
    if (backend->begin(session, err) != 0)
        return -1;
    if (backend->create(session, lease, err) == OUTCOME_ERROR) {
        const struct err cause = *err;

        return cause.kind != ERR_OTHER
                   ? -1
                   : err_set(err,
                             "%s: no lease can be in state %d, as RELEASE with "
                             "affinity leaves it (tables of Kea 2.2 do not "
                             "know it; release-delete does without): %.400s",
                             backend->name, LEASE_STATE_RELEASED, cause.text);
    }
    if (backend->remove(session, lease->address, lease_expire_s(lease), err) ==
        OUTCOME_ERROR)
        return -1;
    return backend->commit(session, err);
}

/* Resets the store, adds the host reservations and creates the leases:
   reclaimed ones, expired ones and the clients'; the first part does it for
   all.  An end as that of preload. */
static enum load_end fill_store(struct exchanges *all)
{
    struct handle *const handle = &all->workers[0].handle;
    struct progress *const progress = all->context.progress;
    const uint64_t reservations = all->config.reservations;
    const uint64_t leases = all->reclaimed + all->expired + all->config.preload;
    enum load_end end = LOAD_FAILED;

    progress_expect_more(progress, 1 + (reservations > 0),
                         reservations + leases);
    if (handle->backend->reset(handle->session, &handle->err) == 0 &&
        try_released(all) == 0)
        end = handle_in_groups(handle, progress, "reservations", reservations,
                               reserve_one, all);
    if (end == LOAD_DONE)
        end = handle_in_groups(handle, progress, "preload", leases, preload_one,
                               all);
    return end;
}

/* Leaves when all parts have done what came before, and the leases are there.
   Fills err unless the end is LOAD_DONE or LOAD_INTERRUPTED. */
static enum load_end preload(struct exchanges *all, struct err *err)
{
    struct meeting *const meeting = all->context.meeting;
    enum load_end end = LOAD_DONE;

    if (!meeting_wait(meeting, 0, NULL))
        return LOAD_INTERRUPTED;
    if (all->config.part == 0)
        end = fill_store(all);
    *err = all->workers[0].handle.err;
    if (end == LOAD_DONE && !meeting_wait(meeting, 0, NULL))
        end = LOAD_INTERRUPTED;
    for (size_t w = 0; w < load_threads(&all->config) && end == LOAD_DONE;
         w++) {
        end = handle_catch_up(&all->workers[w].handle);
        *err = all->workers[w].handle.err;
    }
    return end;
}

/* The beginning and the end */

static int make_worker(struct exchanges *all, size_t index)
{
    struct exchange_worker *const worker = &all->workers[index];
    const struct load_config *const config = &all->config;
    const uint64_t newcomers =
        exchange_plan_new(config, all->planned) / config->threads + 1;

    worker->all = all;
    worker->index = load_worker(config, index);
    const uint64_t share = load_share(config, worker->index, config->preload);
    handle_init(&worker->handle, &all->context, index, all->generator.type);
    worker->tallies = calloc(config->mix.count, sizeof *worker->tallies);
    if (worker->tallies == NULL ||
        clients_init(&worker->clients, share + newcomers) != 0)
        return -1;
    for (uint64_t k = 0; k < share; k++)
        (void)clients_add(&worker->clients, (uint32_t)exchange_client_number(
                                                all, worker->index, k));
    return 0;
}

/* Those that begin with a lease and those that are expected, or as many as
   have a reservation. */
static void choose_reserved(struct exchanges *all)
{
    const uint64_t reservations = all->config.reservations;
    const uint64_t clients =
        all->config.preload + exchange_plan_new(&all->config, all->planned);

    permutation_init(&all->reserved,
                     clients > reservations ? clients : reservations,
                     random_at(all->config.seed, EXCHANGE_SEQUENCE_RESERVED));
}

/* Leaves out the steps that need what there is not. */
static void choose_steps(struct exchanges *all)
{
    for (size_t p = 0; p < all->config.mix.count; p++) {
        const struct exchange *const whole = all->config.mix.kinds[p].exchange;

        all->exchanges[p] = *whole;
        if (all->config.reservations == 0)
            exchange_leave_out(&all->exchanges[p], STEP_FIND_RESERVATION);
        all->digest_keys[p] = (uint64_t)(whole - exchange_table) << 32;
        all->config.mix.kinds[p].exchange = &all->exchanges[p];
    }
}

static struct exchanges *make_exchanges(const struct load_config *config,
                                        const struct load_context *context)
{
    struct exchanges *const all = calloc(1, sizeof *all);

    if (all == NULL)
        return NULL;
    exchange_plan_kinds(config, context->progress, all->planned);
    const uint64_t cycles =
        exchange_plan_ending(config, all->planned, STEP_RECLAIM);
    (void)pthread_mutex_init(&all->lock, NULL);
    all->config = *config;
    all->context = *context;
    all->mix_key = exchange_plan_key(config);
    all->client_key = random_at(config->seed, EXCHANGE_SEQUENCE_CLIENT);
    all->candidate_key = random_at(config->seed, EXCHANGE_SEQUENCE_CANDIDATE);
    all->reclaimed =
        exchange_plan_ending(config, all->planned, STEP_PURGE) * PURGE_LEASES;
    all->expired = cycles > 0 ? cycles * RECLAIM_LEASES + 1 : 0;
    generator_init(&all->generator, config->family, config->profile,
                   config->seed);
    all->generator.subnets = config->subnets;
    if (config->reservations > 0)
        choose_reserved(all);
    choose_steps(all);
    all->workers = calloc(load_threads(config), sizeof *all->workers);
    for (size_t w = 0; w < load_threads(config); w++) {
        if (all->workers == NULL || make_worker(all, w) != 0) {
            exchanges_close(all);
            return NULL;
        }
    }
    return all;
}

void exchanges_close(struct exchanges *exchanges)
{
    if (exchanges == NULL)
        return;
    for (size_t w = 0;
         exchanges->workers != NULL && w < load_threads(&exchanges->config);
         w++) {
        struct exchange_worker *const worker = &exchanges->workers[w];

        for (size_t p = 0;
             worker->tallies != NULL && p < exchanges->config.mix.count; p++)
            series_release(&worker->tallies[p].series);
        free(worker->tallies);
        clients_release(&worker->clients);
    }
    (void)pthread_mutex_destroy(&exchanges->lock);
    free(exchanges->workers);
    free(exchanges);
}

enum load_end exchanges_open(struct exchanges **made,
                             const struct load_config *config,
                             const struct load_context *context,
                             struct err *err)
{
    assert(config->mix.count > 0 && config->candidates >= 1);
    assert(load_threads(config) >= 1 && config->threads <= WORKERS_MAX);
    *made = NULL;
    struct exchanges *const all = make_exchanges(config, context);

    if (all == NULL) {
        (void)err_set(err, "out of memory");
        return LOAD_FAILED;
    }
    const enum load_end end = preload(all, err);
    if (end == LOAD_DONE) {
        begin(all);
        *made = all;
    } else {
        exchanges_close(all);
    }
    return end;
}
