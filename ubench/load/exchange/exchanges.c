/* SPDX-License-Identifier: ISC */
#include "load/exchange/exchanges.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "load/closed_loop.h"

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
    client_make_lease(&worker->client, &all->engine.generator,
                      &worker->base.lease);
    return true;
}

/* The server's own work is not done twice at the same time. */
static enum load_end run_exchange(struct exchange_worker *worker)
{
    struct exchanges *const all = all_of(worker);
    const bool alone = worker->exchange->party == PARTY_NONE;

    if (!pick_client(worker)) {
        (void)err_set(&worker->base.err,
                      "%s: no client of worker %zu has a lease any more; "
                      "--preload makes more",
                      worker->exchange->name, worker->base.index);
        return LOAD_FAILED;
    }
    if (!alone && all->engine.config.server_time_ns > 0)
        busy_wait_ns(all->engine.config.server_time_ns);
    if (alone)
        (void)pthread_mutex_lock(&all->lock);
    const enum load_end end = exchange_run(worker);
    if (alone)
        (void)pthread_mutex_unlock(&all->lock);
    return end;
}

static void note_exchange(struct exchange_worker *worker, uint64_t digest_key)
{
    /* With reservations, how much is asked depends on the client, and that
       on the number of threads. */
    const uint64_t asked = worker->base.engine->config.reservations > 0
                               ? 0
                               : worker->hits << 16 | worker->misses;

    worker->base.tally->counts.hits++;
    worker->base.digest += random_at(digest_key | asked, worker->number);
}

enum load_end exchange_perform(struct worker *base, uint64_t i)
{
    struct exchange_worker *const worker = (struct exchange_worker *)base;
    const struct exchanges *const all = all_of(worker);
    const struct mix *const mix = &all->engine.config.mix;
    const size_t kind = mix_draw(mix, all->mix_key, i);
    struct tally *const tally = &base->tallies[kind];

    base->tally = tally;
    worker->number = i;
    worker->exchange = mix->kinds[kind].exchange;
    base->what = worker->exchange->name;
    const enum load_end end = run_exchange(worker);
    if (end == LOAD_DONE)
        note_exchange(worker, all->digest_keys[kind]);
    const bool deadlock = end == LOAD_FAILED && base->err.kind == ERR_DEADLOCK;
    const bool conflict = worker_had_conflict(base, end);
    tally->counts.deadlocks += deadlock;
    tally->counts.conflicts += conflict;
    if (!deadlock && !conflict)
        return end;
    base->tally = NULL;
    return LOAD_DONE;
}

/* The digest begins with it. */
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

/* The leases that are due: for each worker those of its clients, and its share
   of the leases of the server's own work. */

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

/* The store before the first exchange. */

static void make_lease(const struct engine *engine, uint64_t i,
                       struct lease *lease)
{
    const struct exchanges *const all = (const struct exchanges *)engine;

    if (i < all->reclaimed + all->expired)
        exchange_make_own(all, i, lease);
    else
        generator_make(&engine->generator, i, 0, lease);
}

/* Adds reservation i, which is of some client. */
static enum load_end reserve_one(struct worker *worker, uint64_t i)
{
    const struct exchanges *const all =
        (const struct exchanges *)worker->engine;
    struct lease *const lease = &worker->lease;
    const uint64_t number =
        all->reclaimed + all->expired + permutation_find(&all->reserved, i);

    generator_make(&all->engine.generator, number, 0, lease);
    const struct reservation_key key = { RESERVATION_BY_HWADDR,
                                         lease->subnet_id, lease->hwaddr,
                                         lease->hwaddr_length };
    worker->step = "reserving";
    return worker_expect_hit(
        worker, lease->address,
        worker->backend->add_reservation(worker->session, &key, lease->address,
                                         &worker->err));
}

/* Tries whether the store takes the lease that a release leaves behind.
   Returns 0, or -1. */
static int try_released(const struct exchanges *all)
{
    struct worker *const worker = engine_worker(&all->engine, 0);
    const struct backend *const backend = worker->backend;
    struct session *const session = worker->session;
    struct err *const err = &worker->err;
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

static enum load_end fill_before(struct engine *engine)
{
    const uint64_t reservations = engine->config.reservations;
    struct worker *const first = engine_worker(engine, 0);

    return try_released((const struct exchanges *)engine) == 0
               ? worker_in_groups(first, "reservations", reservations,
                                  reserve_one)
               : LOAD_FAILED;
}

/* The beginning and the end */

static int make_worker(struct exchanges *all, size_t index)
{
    struct exchange_worker *const worker = exchange_worker(&all->engine, index);
    const struct load_config *const config = &all->engine.config;
    const uint64_t newcomers =
        exchange_plan_ending(config, all->planned, STEP_CREATE) /
            config->threads +
        1;
    const uint64_t share =
        load_share(config, worker->base.number, config->preload);

    if (clients_init(&worker->clients, share + newcomers) != 0)
        return -1;
    for (uint64_t k = 0; k < share; k++)
        (void)clients_add(&worker->clients, (uint32_t)exchange_client_number(
                                                all, worker->base.number, k));
    return 0;
}

/* Among the clients that begin with a lease and those that are expected, or as
   many as have a reservation. */
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

static int init_exchanges(struct engine *engine, struct err *err)
{
    struct exchanges *const all = (struct exchanges *)engine;
    const struct load_config *const config = &engine->config;

    assert(config->mix.count > 0 && config->candidates >= 1);
    (void)pthread_mutex_init(&all->lock, NULL);
    exchange_plan_kinds(config, engine->context.progress, all->planned);
    const uint64_t cycles =
        exchange_plan_ending(config, all->planned, STEP_RECLAIM);
    all->mix_key = random_at(config->seed, EXCHANGE_SEQUENCE_MIX);
    all->client_key = random_at(config->seed, EXCHANGE_SEQUENCE_CLIENT);
    all->candidate_key = random_at(config->seed, EXCHANGE_SEQUENCE_CANDIDATE);
    all->age_key = random_at(config->seed, EXCHANGE_SEQUENCE_AGE);
    all->reclaimed =
        exchange_plan_ending(config, all->planned, STEP_PURGE) * PURGE_LEASES;
    all->expired = cycles > 0 ? cycles * RECLAIM_LEASES + 1 : 0;
    engine->preload += all->reclaimed + all->expired;
    engine_worker(engine, 0)->digest = digest_base(config);
    if (config->reservations > 0)
        choose_reserved(all);
    choose_steps(all);
    for (size_t i = 0; i < engine->threads; i++) {
        if (make_worker(all, i) != 0)
            return err_set(err, "out of memory");
    }
    return 0;
}

static void release_exchanges(struct engine *engine)
{
    struct exchanges *const all = (struct exchanges *)engine;

    for (size_t i = 0; i < engine->threads; i++)
        clients_release(&exchange_worker(engine, i)->clients);
    (void)pthread_mutex_destroy(&all->lock);
}

/* In turns: the leases that a turn has made or used up are put back as they
   were, so that each turn meets a store of the same size. */

/* The first of a worker's clients that has no lease any more, or is new. */
static enum load_end restore_client(struct worker *base, uint64_t i)
{
    struct exchange_worker *const worker = (struct exchange_worker *)base;
    const struct exchanges *const all = all_of(worker);
    const struct generator *const generator = &all->engine.generator;
    struct clients *const clients = &worker->clients;
    struct client *const client = &clients->all[clients->active];
    const struct client before = { .number = client->number };
    const bool gone = client->state == CLIENT_GONE;
    enum outcome outcome = OUTCOME_HIT;

    (void)i;
    client_make_lease(client, generator, &base->lease);
    client_make_lease(&before, generator, &worker->other);
    const int64_t expire_s = lease_expire_s(&base->lease);
    if (is_new(all, client)) {
        if (!gone)
            outcome =
                worker_change(base, CHANGE_DELETE, &base->lease, expire_s);
        *client = clients->all[--clients->count];
    } else {
        outcome = worker_change(base, gone ? CHANGE_CREATE : CHANGE_UPDATE,
                                &worker->other, expire_s);
        clients->all[clients->active++] = before;
    }
    return worker_expect_hit(base, base->lease.address, outcome);
}

/* A lease that the server has reclaimed or purged. */
static enum load_end restore_own(struct worker *worker, uint64_t i)
{
    const struct exchanges *const all =
        (const struct exchanges *)worker->engine;
    struct lease *const lease = &worker->lease;
    const bool purged = i < all->purges_done;

    exchange_make_own(all, purged ? i : all->reclaimed + i - all->purges_done,
                      lease);
    return worker_expect_hit(
        worker, lease->address,
        worker_change(worker, purged ? CHANGE_CREATE : CHANGE_UPDATE, lease,
                      lease_expire_s(lease)));
}

/* New clients are others in each turn while there are numbers for them, since a
   database reads what it keeps of a deleted lease when its client comes back.
   With reservations, the first ones are those that have one. */
static enum load_end restore_worker(const struct exchanges *all,
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
    worker->base.step = "restoring";
    return worker_in_groups(&worker->base, "restore",
                            clients->count - clients->active, restore_client);
}

static enum load_end restore(struct engine *engine, struct err *err)
{
    struct exchanges *const all = (struct exchanges *)engine;
    enum load_end end = LOAD_DONE;

    for (size_t w = 0; w < engine->threads && end == LOAD_DONE; w++) {
        struct exchange_worker *const worker = exchange_worker(engine, w);

        end = restore_worker(all, worker);
        if (w == 0 && end == LOAD_DONE)
            end = worker_in_groups(&worker->base, "restore",
                                   all->purges_done + all->reclaims_done,
                                   restore_own);
        end = worker_end(&worker->base, end, err);
    }
    if (end == LOAD_DONE) {
        all->purges_done = 0;
        all->reclaims_done = 0;
    }
    return end;
}

static const struct phase exchange_phase = { "exchange", exchange_perform,
                                             false,
                                             CHECK_COUNT | CHECK_READ_BACK,
                                             "after the run" };

const struct engine_kind exchanges_kind = {
    .size = sizeof(struct exchanges),
    .worker_size = sizeof(struct exchange_worker),
    .phases = &exchange_phase,
    .phase_count = 1,
    .together = true,
    .init = init_exchanges,
    .release = release_exchanges,
    .before = fill_before,
    .make = make_lease,
    .restore = restore,
    .items = items,
    .due = due,
};

const struct workload workload_exchanges = {
    .kind = WORKLOAD_EXCHANGES,
    .exchanges = true,
    .resolve = exchange_plan_resolve,
    .closed = &exchanges_kind,
    .run = closed_loop_run,
};
