/* SPDX-License-Identifier: ISC */
#include "load/exchange/exchanges.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "load/exchange/plan.h"
#include "load/exchange/state.h"
#include "load/turns.h"

/* True if the client was not there from the beginning. */
static bool is_new(const struct exchanges *all, const struct client *client)
{
    return client->number >=
           all->reclaimed + all->expired + all->engine.config.preload;
}

/* One exchange */

/* Finds the client for the exchange.  False if there is none. */
static bool pick_client(struct exchange_worker *worker)
{
    const struct exchanges *const all = all_of(worker);
    const uint64_t index = worker->base.number;

    if (worker->exchange->party == PARTY_NONE)
        return true;
    if (worker->exchange->party == PARTY_NEW) {
        const uint64_t k =
            load_share(&all->engine.config, index, all->engine.config.preload) +
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
    client_make_lease(&worker->client, &all->engine.generator, &worker->lease);
    return true;
}

/* What the server does by itself is not done twice at the same time. */
static enum load_end run_exchange(struct exchange_worker *worker,
                                  struct tally *tally)
{
    struct exchanges *const all = all_of(worker);
    const bool alone = worker->exchange->party == PARTY_NONE;

    if (!pick_client(worker)) {
        (void)err_set(&worker->base.handle.err,
                      "%s: no client of worker %zu has a lease any more; "
                      "--preload makes more",
                      worker->exchange->name, worker->base.handle.worker);
        return LOAD_FAILED;
    }
    if (!alone && all->engine.config.server_time_ns > 0)
        clock_burn_ns(all->engine.config.server_time_ns);
    if (alone)
        (void)pthread_mutex_lock(&all->lock);
    const enum load_end end = exchange_run(worker, tally);
    if (alone)
        (void)pthread_mutex_unlock(&all->lock);
    return end;
}

static void note_exchange(struct exchange_worker *worker, struct tally *tally,
                          uint64_t digest_key, uint64_t begun_ns)
{
    const struct load_config *const config = &all_of(worker)->engine.config;
    /* With reservations, how much is asked depends on the client, and that
       on the number of threads. */
    const uint64_t asked =
        config->reservations > 0 ? 0 : worker->hits << 16 | worker->misses;

    tally->counts.done++;
    tally->counts.hits++;
    worker->base.digest += random_at(digest_key | asked, worker->number);
    if (config->latency) {
        const uint64_t now_ns = clock_now_ns();

        (void)tally_latency(tally, now_ns, now_ns - begun_ns);
    }
}

enum load_end exchanges_perform(struct exchanges *exchanges, size_t worker,
                                uint64_t i, bool *given_up)
{
    struct exchange_worker *const w = exchange_worker(exchanges, worker);
    const size_t kind =
        mix_draw(&exchanges->engine.config.mix, exchanges->mix_key, i);
    struct tally *const tally = &w->tallies[kind];
    const uint64_t begun_ns =
        exchanges->engine.config.latency ? clock_now_ns() : 0;

    w->number = i;
    w->exchange = exchanges->engine.config.mix.kinds[kind].exchange;
    w->base.handle.what = w->exchange->name;
    const enum load_end end = run_exchange(w, tally);
    const bool deadlock =
        end == LOAD_FAILED && w->base.handle.err.kind == ERR_DEADLOCK;
    const bool conflict = handle_had_conflict(&w->base.handle, end);

    if (end == LOAD_DONE)
        note_exchange(w, tally, exchanges->digest_keys[kind], begun_ns);
    tally->counts.deadlocks += deadlock;
    tally->counts.conflicts += conflict;
    tally->counts.stale += w->base.handle.stale;
    w->base.handle.stale = 0;
    *given_up = deadlock || conflict;
    return *given_up ? LOAD_DONE : end;
}

const struct err *exchanges_error(const struct exchanges *exchanges,
                                  size_t worker)
{
    return &engine_worker(&exchanges->engine, worker)->handle.err;
}

/* Tallies */

static void begin(struct exchanges *all)
{
    const struct mix *const mix = &all->engine.config.mix;
    const uint64_t now_ns = clock_now_ns();

    for (size_t w = 0; w < all->engine.threads; w++) {
        struct exchange_worker *const worker = exchange_worker(all, w);

        for (size_t p = 0; p < mix->count; p++)
            tally_begin(&worker->tallies[p], mix->kinds[p].exchange, now_ns);
        worker->base.ended_ns = now_ns;
        worker->next = worker->base.number;
    }
}

/* What a run's digest begins with. */
static uint64_t digest_base(const struct load_config *config)
{
    const uint64_t base =
        random_at(load_digest_base(config, EXCHANGE_SEQUENCE_DIGEST),
                  config->preload << 8 | (uint64_t)config->family << 4 |
                      (uint64_t)config->profile);

    if (config->part > 0)
        return 0;
    return config->reservations > 0 ? random_at(base, config->reservations)
                                    : base;
}

int exchanges_collect(struct exchanges *all, const struct stretch *stretch,
                      struct load_result *result, struct err *err)
{
    const struct load_config *const config = &all->engine.config;
    uint64_t planned[MIX_MAX];

    *result = (struct load_result){
        .together = true,
        .verified = all->engine.context.backend->keeps_leases,
        .digest = digest_base(config),
    };
    if (config->parts > 0)
        exchange_plan_kinds(config, NULL, true, planned);
    else
        memcpy(planned, all->planned, sizeof planned);
    if (load_result_init(result, config->mix.count, err) != 0)
        return -1;
    for (size_t p = 0; p < config->mix.count; p++) {
        const struct exchange *const exchange = config->mix.kinds[p].exchange;
        struct phase_result *const phase = &result->phases[p];

        if (tally_begin_phase(phase, exchange, err) != 0)
            return -1;
        phase->planned = planned[p];
        stretch_note(stretch, phase);
        for (size_t w = 0; w < all->engine.threads; w++)
            tally_end(&exchange_worker(all, w)->tallies[p], phase);
        if (config->in_turns)
            phase->planned = phase->done + phase->deadlocks + phase->conflicts;
    }
    for (size_t w = 0; w < all->engine.threads; w++)
        result->digest += engine_worker(&all->engine, w)->digest;
    return 0;
}

/* What there ought to be: of each worker its clients, and its share of the
   leases that the server handles by itself. */

static uint64_t items(const struct worker *base)
{
    const struct exchange_worker *const worker =
        (const struct exchange_worker *)base;
    const struct exchanges *const all = all_of(worker);

    return worker->clients.count + load_share(&all->engine.config, base->number,
                                              all->reclaimed + all->expired);
}

static bool reserve_due(const struct exchanges *all, uint64_t number,
                        struct lease *lease)
{
    if (lease != NULL)
        exchange_make_own(all, number, lease);
    if (lease != NULL && number >= all->reclaimed &&
        number < all->reclaimed + all->reclaims_done)
        exchange_reclaim(lease);
    return number >= all->purges_done;
}

static bool due(const struct worker *base, uint64_t i, struct lease *lease)
{
    const struct exchange_worker *const worker =
        (const struct exchange_worker *)base;
    const struct exchanges *const all = all_of(worker);
    const struct clients *const clients = &worker->clients;

    if (i >= clients->count)
        return reserve_due(all,
                           base->number + (i - clients->count) *
                                              all->engine.config.threads,
                           lease);
    if (lease != NULL)
        client_make_lease(&clients->all[i], &all->engine.generator, lease);
    return clients->all[i].state != CLIENT_GONE;
}

enum load_end exchanges_check_after(struct exchanges *all,
                                    struct load_result *result, struct err *err)
{
    for (size_t w = 0; w < all->engine.threads; w++)
        engine_worker(&all->engine, w)->handle.what = "after the run";
    return engine_check(&all->engine, CHECK_COUNT | CHECK_READ_BACK,
                        "after the run", result, err);
}

/* What is put into the store before the first exchange, untimed, by the first
   worker. */

static enum load_end preload_one(void *argument, uint64_t n)
{
    struct exchanges *const all = argument;
    struct exchange_worker *const worker = exchange_worker(all, 0);
    struct lease *const lease = &worker->lease;
    struct handle *const handle = &worker->base.handle;

    if (n < all->reclaimed + all->expired)
        exchange_make_own(all, n, lease);
    else
        generator_make(&all->engine.generator, n, 0, lease);
    handle->step = "preloading";
    return handle_expect_hit(handle, lease->address,
                             handle_submit(handle, CHANGE_CREATE, lease, 0));
}

/* Adds reservation number n, which is of some client. */
static enum load_end reserve_one(void *argument, uint64_t n)
{
    struct exchanges *const all = argument;
    struct exchange_worker *const worker = exchange_worker(all, 0);
    struct lease *const lease = &worker->lease;
    struct handle *const handle = &worker->base.handle;
    const uint64_t number =
        all->reclaimed + all->expired + permutation_find(&all->reserved, n);

    generator_make(&all->engine.generator, number, 0, lease);
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
    struct exchange_worker *const worker = exchange_worker(all, 0);
    struct handle *const handle = &worker->base.handle;
    const struct backend *const backend = handle->backend;
    struct session *const session = handle->session;
    struct err *const err = &handle->err;
    struct lease *const lease = &worker->lease;
    const struct client client = { .state = CLIENT_RELEASED };

    if (exchange_plan_ending(&all->engine.config, all->planned, STEP_RELEASE) ==
        0)
        return 0;
    client_make_lease(&client, &all->engine.generator, lease);
    if (backend->begin(session, err) != 0)
        return -1;
    if (backend->create(session, lease, err) == OUTCOME_ERROR) {
        const struct err cause = *err;

        return cause.kind != ERR_OTHER
                   ? -1
                   : err_set(err,
                             "%s: the table refuses state %d, which RELEASE "
                             "with lease affinity needs (tables of Kea 2.2 "
                             "lack it; use release-delete): %.400s",
                             backend->name, LEASE_STATE_RELEASED, cause.text);
    }
    if (backend->remove(session, lease->address, lease_expire_s(lease), err) ==
        OUTCOME_ERROR)
        return -1;
    return backend->commit(session, err);
}

/* Adds the host reservations and creates the leases: reclaimed ones, expired
   ones and the clients'. */
static enum load_end fill(struct engine *engine)
{
    struct exchanges *const all = (struct exchanges *)engine;
    struct handle *const handle = &engine_worker(engine, 0)->handle;
    struct progress *const progress = engine->context.progress;
    const uint64_t reservations = engine->config.reservations;
    const uint64_t leases =
        all->reclaimed + all->expired + engine->config.preload;
    enum load_end end = LOAD_FAILED;

    progress_expect_more(progress, 1 + (reservations > 0),
                         reservations + leases);
    if (try_released(all) == 0)
        end = handle_in_groups(handle, progress, "reservations", reservations,
                               reserve_one, all);
    return end == LOAD_DONE ? handle_in_groups(handle, progress, "preload",
                                               leases, preload_one, all)
                            : end;
}

/* The beginning and the end */

static int make_worker(struct exchanges *all, size_t index)
{
    struct exchange_worker *const worker = exchange_worker(all, index);
    const struct load_config *const config = &all->engine.config;
    const uint64_t newcomers =
        exchange_plan_ending(config, all->planned, STEP_CREATE) /
            config->threads +
        1;
    const uint64_t share =
        load_share(config, worker->base.number, config->preload);

    worker->tallies = calloc(config->mix.count, sizeof *worker->tallies);
    if (worker->tallies == NULL ||
        clients_init(&worker->clients, share + newcomers) != 0)
        return -1;
    for (uint64_t k = 0; k < share; k++)
        (void)clients_add(&worker->clients, (uint32_t)exchange_client_number(
                                                all, worker->base.number, k));
    return 0;
}

/* Those that begin with a lease and those that are expected, or as many as
   have a reservation. */
static void choose_reserved(struct exchanges *all)
{
    const uint64_t reservations = all->engine.config.reservations;
    const uint64_t clients =
        all->engine.config.preload +
        exchange_plan_ending(&all->engine.config, all->planned, STEP_CREATE);

    permutation_init(
        &all->reserved, clients > reservations ? clients : reservations,
        random_at(all->engine.config.seed, EXCHANGE_SEQUENCE_RESERVED));
}

/* Leaves out the steps that need what there is not. */
static void choose_steps(struct exchanges *all)
{
    for (size_t p = 0; p < all->engine.config.mix.count; p++) {
        const struct exchange *const whole =
            all->engine.config.mix.kinds[p].exchange;

        all->exchanges[p] = *whole;
        if (all->engine.config.reservations == 0)
            exchange_leave_out(&all->exchanges[p], STEP_FIND_RESERVATION);
        all->digest_keys[p] = (uint64_t)(whole - exchange_table) << 32;
        all->engine.config.mix.kinds[p].exchange = &all->exchanges[p];
    }
}

static struct exchanges *make_exchanges(const struct load_config *config,
                                        const struct load_context *context,
                                        struct err *err)
{
    static const struct engine_kind kind = { sizeof(struct exchange_worker),
                                             items, due };
    struct exchanges *const all = err_calloc(1, sizeof *all, err);

    if (all == NULL)
        return NULL;
    (void)pthread_mutex_init(&all->lock, NULL);
    exchange_plan_kinds(config, context->progress, false, all->planned);
    const uint64_t cycles =
        exchange_plan_ending(config, all->planned, STEP_RECLAIM);
    all->mix_key = exchange_plan_key(config);
    all->client_key = random_at(config->seed, EXCHANGE_SEQUENCE_CLIENT);
    all->candidate_key = random_at(config->seed, EXCHANGE_SEQUENCE_CANDIDATE);
    all->age_key = random_at(config->seed, EXCHANGE_SEQUENCE_AGE);
    all->reclaimed =
        exchange_plan_ending(config, all->planned, STEP_PURGE) * PURGE_LEASES;
    all->expired = cycles > 0 ? cycles * RECLAIM_LEASES + 1 : 0;
    if (engine_init(&all->engine, &kind, config, context, err) == 0) {
        if (config->reservations > 0)
            choose_reserved(all);
        choose_steps(all);
        size_t made = 0;
        while (made < all->engine.threads && make_worker(all, made) == 0)
            made++;
        if (made == all->engine.threads)
            return all;
        (void)err_set(err, "out of memory");
    }
    exchanges_close(all);
    return NULL;
}

void exchanges_close(struct exchanges *all)
{
    if (all == NULL)
        return;
    for (size_t w = 0; all->engine.workers != NULL && w < all->engine.threads;
         w++) {
        struct exchange_worker *const worker = exchange_worker(all, w);

        for (size_t p = 0;
             worker->tallies != NULL && p < all->engine.config.mix.count; p++)
            series_release(&worker->tallies[p].counts.series);
        free(worker->tallies);
        clients_release(&worker->clients);
    }
    (void)pthread_mutex_destroy(&all->lock);
    engine_release(&all->engine);
    free(all);
}

enum load_end exchanges_open(struct exchanges **made,
                             const struct load_config *config,
                             const struct load_context *context,
                             struct err *err)
{
    assert(config->mix.count > 0 && config->candidates >= 1);
    *made = NULL;
    struct exchanges *const all = make_exchanges(config, context, err);

    if (all == NULL)
        return LOAD_FAILED;
    const enum load_end end = engine_prepare(&all->engine, fill, err);
    if (end == LOAD_DONE) {
        begin(all);
        *made = all;
    } else {
        exchanges_close(all);
    }
    return end;
}

/* The closed loop */

/* Its end is the next one's beginning.  False if time is up. */
static bool note_service(struct exchange_worker *worker, bool answered,
                         uint64_t *last_ns)
{
    const uint64_t now_ns = clock_now_ns();

    if (answered)
        histogram_record(&worker->tallies[0].counts.operations,
                         now_ns - *last_ns);
    *last_ns = now_ns;
    return now_ns - worker->base.begun_ns < all_of(worker)->measured_ns;
}

/* In turns it goes on where it was. */
static void run_worker(struct worker *base)
{
    struct exchange_worker *const worker = (struct exchange_worker *)base;
    struct exchanges *const all = all_of(worker);
    const struct load_config *const config = &all->engine.config;
    struct progress *const progress = all->engine.context.progress;
    const size_t index = base->handle.worker;
    const uint64_t from = config->in_turns ? worker->next : base->number;
    const uint64_t until = config->count + from - base->number;
    uint64_t last_ns = base->begun_ns;
    uint64_t done = 0;
    uint64_t i = from;
    bool given_up = false;

    for (size_t p = 0; p < config->mix.count; p++)
        tally_resume(&worker->tallies[p], base);
    for (; i < until && base->end == LOAD_DONE && !progress_paused(progress);
         i += config->threads) {
        base->end = exchanges_perform(all, index, i, &given_up);
        progress_set_done(&progress->workers[index], ++done);
        if (all->measured_ns > 0 && base->end == LOAD_DONE &&
            !note_service(worker, !given_up, &last_ns))
            return;
    }
    worker->next = i;
    if (i < until && base->end == LOAD_DONE && progress_stopped(progress))
        base->end = LOAD_INTERRUPTED;
}

enum load_end exchanges_measure(struct exchanges *all, uint64_t duration_ns,
                                struct service_capacity *capacity,
                                struct err *err)
{
    struct stretch stretch = { .begun_ns = 0 };

    *capacity = (struct service_capacity){ .per_s = 0 };
    histogram_init(&capacity->service);
    all->measured_ns = duration_ns;
    const enum load_end end =
        engine_run(&all->engine, "capacity", all->engine.config.count,
                   run_worker, &stretch, err);
    all->measured_ns = 0;
    for (size_t w = 0; w < all->engine.threads; w++) {
        const struct tally *const tallies = exchange_worker(all, w)->tallies;

        histogram_add(&capacity->service, &tallies[0].counts.operations);
        for (size_t p = 0; p < all->engine.config.mix.count; p++)
            capacity->failed +=
                tallies[p].counts.deadlocks + tallies[p].counts.conflicts;
    }
    if (stretch.ended_ns > stretch.begun_ns)
        capacity->per_s = (double)capacity->service.count * (double)NS_PER_S /
                          (double)(stretch.ended_ns - stretch.begun_ns);
    return end;
}

/* In turns: what a turn has made or used up is put back as it was before, so
   that each of them meets a store of the same size. */

/* The first of a worker's clients that has no lease any more, or is new. */
static enum load_end restore_client(void *argument, uint64_t i)
{
    struct exchange_worker *const worker = argument;
    const struct exchanges *const all = all_of(worker);
    const struct generator *const generator = &all->engine.generator;
    struct clients *const clients = &worker->clients;
    struct handle *const handle = &worker->base.handle;
    struct client *const client = &clients->all[clients->active];
    const struct client before = { .number = client->number };
    const bool gone = client->state == CLIENT_GONE;
    enum outcome outcome = OUTCOME_HIT;

    (void)i;
    client_make_lease(client, generator, &worker->lease);
    client_make_lease(&before, generator, &worker->other);
    const int64_t expire_s = lease_expire_s(&worker->lease);
    if (is_new(all, client)) {
        if (!gone)
            outcome =
                handle_change(handle, CHANGE_DELETE, &worker->lease, expire_s);
        *client = clients->all[--clients->count];
    } else {
        outcome = handle_change(handle, gone ? CHANGE_CREATE : CHANGE_UPDATE,
                                &worker->other, expire_s);
        clients->all[clients->active++] = before;
    }
    return handle_expect_hit(handle, worker->lease.address, outcome);
}

/* A lease that the server has reclaimed or purged. */
static enum load_end restore_own(void *argument, uint64_t i)
{
    struct exchanges *const all = argument;
    struct exchange_worker *const worker = exchange_worker(all, 0);
    struct handle *const handle = &worker->base.handle;
    struct lease *const lease = &worker->lease;
    const bool purged = i < all->purges_done;

    exchange_make_own(all, purged ? i : all->reclaimed + i - all->purges_done,
                      lease);
    return handle_expect_hit(
        handle, lease->address,
        handle_change(handle, purged ? CHANGE_CREATE : CHANGE_UPDATE, lease,
                      lease_expire_s(lease)));
}

/* New clients are others in each turn while there are numbers for them, since a
   database reads what it keeps of a deleted lease when its client comes back.
   With reservations, the first ones are those that have one. */
static enum load_end restore_worker(struct exchanges *all,
                                    struct exchange_worker *worker)
{
    struct clients *const clients = &worker->clients;
    const struct load_config *const config = &all->engine.config;

    for (size_t i = clients->active; i-- > 0;) {
        if (is_new(all, &clients->all[i]))
            clients_retire(clients, i, CLIENT_ACTIVE);
    }
    if (config->reservations > 0 ||
        exchange_client_number(all, worker->base.number,
                               clients->count + worker->added + config->count) >
            GENERATOR_LEASES_MAX)
        worker->added = 0;
    worker->base.handle.step = "restoring";
    return handle_in_groups(&worker->base.handle, all->engine.context.progress,
                            "restore", clients->count - clients->active,
                            restore_client, worker);
}

static enum load_end restore(struct engine *engine, struct err *err)
{
    struct exchanges *const all = (struct exchanges *)engine;
    enum load_end end = LOAD_DONE;

    for (size_t w = 0; w < engine->threads && end == LOAD_DONE; w++) {
        struct exchange_worker *const worker = exchange_worker(all, w);

        end = restore_worker(all, worker);
        if (w == 0 && end == LOAD_DONE)
            end = handle_in_groups(
                &worker->base.handle, engine->context.progress, "restore",
                all->purges_done + all->reclaims_done, restore_own, all);
        if (end > LOAD_INTERRUPTED)
            *err = worker->base.handle.err;
    }
    if (end == LOAD_DONE) {
        all->purges_done = 0;
        all->reclaims_done = 0;
    }
    return end;
}

static void count_worker(const struct worker *base, struct phase_result *sum)
{
    const struct exchange_worker *const worker =
        (const struct exchange_worker *)base;

    for (size_t p = 0; p < base->engine->config.mix.count; p++)
        tally_add(&worker->tallies[p], sum);
}

static enum load_end run_closed_loop(const struct workload *workload,
                                     const struct load_config *config,
                                     const struct load_context *context,
                                     struct load_result *result,
                                     struct err *err)
{
    static const struct turns_kind turns = { run_worker, count_worker,
                                             restore };
    const uint64_t share = load_part_share(config, config->count);
    uint64_t taken = 0;
    struct exchanges *all = NULL;
    struct stretch stretch = { .begun_ns = 0 };

    (void)workload;
    *result = (struct load_result){ .together = true };
    progress_expect(context->progress, 1, share);
    enum load_end end = exchanges_open(&all, config, context, err);
    if (end == LOAD_DONE) {
        end = config->in_turns
                  ? turns_run(&all->engine, &turns, &stretch, &taken, err)
                  : engine_run(&all->engine, "exchange", share, run_worker,
                               &stretch, err);
        if (stretch.begun_ns != 0 &&
            exchanges_collect(all, &stretch, result, err) != 0)
            end = LOAD_FAILED;
        result->turns = taken;
        if (end == LOAD_DONE)
            end = exchanges_check_after(all, result, err);
    }
    exchanges_close(all);
    load_note_reconnect(context, result);
    return end;
}

const struct workload workload_exchanges = {
    .kind = WORKLOAD_EXCHANGES,
    .exchanges = true,
    .resolve = exchange_plan_resolve,
    .run = run_closed_loop,
};
