/* SPDX-License-Identifier: ISC */
#include "load/exchange/exchanges.h"

#include <assert.h>

/* True if the client was not there from the beginning. */
static bool is_new(const struct exchanges *all, const struct client *client)
{
    return client->number >= all->own + all->engine.config.preload;
}

/* The number of the lease of a worker's k-th client. */
static uint64_t client_number(const struct worker *worker, uint64_t k)
{
    return all_of(worker)->own + worker_item(worker, k);
}

/* One exchange */

/* Finds the client for the exchange.  Returns 0, or -1 if there is none. */
static int pick_client(struct worker *worker)
{
    const struct load_config *const config = &worker->engine->config;

    if (worker->exchange->party == PARTY_NONE)
        return 0;
    if (worker->exchange->party == PARTY_NEW) {
        const uint64_t k = worker_share(worker, config->preload) + worker->added;

        worker->client = (struct client){ .number = (uint32_t)client_number(worker, k) };
    } else {
        if (worker->clients.active == 0)
            return err_set(&worker->err,
                           "%s: no client of worker %zu has a lease any more; "
                           "--preload makes more",
                           worker->exchange->name, worker->index);
        const uint64_t draw = random_at(all_of(worker)->client_key, worker->exchange_number);

        worker->picked = random_below((uint32_t)draw, worker->clients.active);
        worker->client = worker->clients.all[worker->picked];
    }
    client_make_lease(worker, &worker->client, &worker->lease);
    return 0;
}

/* The server's own work is not done twice at the same time. */
static enum load_end run_exchange(struct worker *worker)
{
    struct exchanges *const all = all_of(worker);

    if (pick_client(worker) != 0)
        return LOAD_FAILED;
    if (worker->exchange->party != PARTY_NONE) {
        if (all->engine.config.server_time_ns > 0)
            busy_wait_ns(all->engine.config.server_time_ns);
        return exchange_run(worker);
    }
    (void)pthread_mutex_lock(&all->lock);
    const enum load_end end = exchange_run(worker);
    (void)pthread_mutex_unlock(&all->lock);
    return end;
}

enum load_end exchange_perform(struct worker *worker, uint64_t i)
{
    const struct exchanges *const all = all_of(worker);
    const struct mix *const mix = &all->engine.config.mix;
    const size_t kind = mix_draw(mix, all->mix_key, i);
    struct phase_result *const counts = &worker->tallies[kind].counts;

    worker->tally = &worker->tallies[kind];
    worker->exchange_number = i;
    worker->exchange = &mix->kinds[kind].exchange;
    worker->what = worker->exchange->name;
    const uint64_t added = worker->added;
    const enum load_end end = run_exchange(worker);
    if (end == LOAD_DONE) {
        /* With reservations, how much is asked depends on the client, and that
           on the number of threads. */
        const uint64_t asked = all->engine.config.reservations > 0 ? 0 : worker->asked;

        counts->hits++;
        /* A client that was never given a lease does not come again. */
        if (worker->exchange->party == PARTY_NEW && worker->added == added)
            worker->added++;
        worker->digest += random_at((uint64_t)mix->kinds[kind].digest_number << 32 | asked, i);
    }
    const enum err_class why = end == LOAD_FAILED ? worker->err.kind : ERR_OTHER;
    counts->deadlocks += why == ERR_DEADLOCK;
    counts->conflicts += why == ERR_CONFLICT;
    if (why != ERR_DEADLOCK && why != ERR_CONFLICT)
        return end;
    worker->tally = NULL;
    return LOAD_DONE;
}

/* The leases that are due: for each worker those of its clients, and its share
   of the leases of the server's own work. */

static uint64_t items(const struct worker *worker)
{
    return worker->clients.count + worker_share(worker, all_of(worker)->own);
}

static bool due(const struct worker *worker, uint64_t i, struct lease *lease)
{
    const struct exchanges *const all = all_of(worker);
    const struct clients *const clients = &worker->clients;

    if (i < clients->count) {
        client_make_lease(worker, &clients->all[i], lease);
        return clients->all[i].state != CLIENT_GONE;
    }
    const uint64_t number = worker_item(worker, i - clients->count);
    exchange_make_preloaded(&all->engine, number, lease);
    if (number >= all->reclaimed && number < all->reclaimed + all->reclaims_done)
        exchange_reclaim(lease);
    return number >= all->purges_done;
}

/* The store before the first exchange. */

/* Adds reservation i, which is of some client. */
static enum load_end reserve_one(struct worker *worker, uint64_t i)
{
    const struct exchanges *const all = all_of(worker);
    struct lease *const lease = &worker->lease;

    generator_make(&all->engine.generator, all->own + permutation_find(&all->reserved, i), 0,
                   lease);
    const struct reservation_key key = { RESERVATION_BY_HWADDR, lease->subnet_id, lease->hwaddr,
                                         lease->hwaddr_length };
    worker->doing = "reserving";
    return worker_expect(
        worker, lease->address,
        worker->backend->add_reservation(worker->session, &key, lease->address, &worker->err),
        OUTCOME_HIT);
}

/* Tries whether the store takes the lease that a release leaves behind.
   Returns 0, or -1. */
static int try_released(struct worker *worker)
{
    const struct backend *const backend = worker->backend;
    struct session *const session = worker->session;
    struct err *const err = &worker->err;
    struct lease *const lease = &worker->lease;
    const struct client client = { .state = CLIENT_RELEASED };

    client_make_lease(worker, &client, lease);
    if (backend->begin(session, err) != 0)
        return -1;
    if (backend->create(session, lease, err) == OUTCOME_ERROR) {
        const struct err cause = *err;

        return cause.kind != ERR_OTHER ? -1
                                       : err_set(err,
                                                 "%s: the table refuses state %d, which RELEASE "
                                                 "with lease affinity needs (tables of Kea 2.2 "
                                                 "lack it; use release-delete): %.400s",
                                                 backend->name, LEASE_STATE_RELEASED, cause.text);
    }
    if (backend->remove(session, lease->address, lease_expire_s(lease), err) == OUTCOME_ERROR)
        return -1;
    return backend->commit(session, err);
}

static enum load_end fill_before(struct engine *engine)
{
    const struct load_config *const config = &engine->config;
    struct worker *const first = &engine->workers[0];

    if (mix_has_step(&config->mix, STEP_RELEASE) && try_released(first) != 0)
        return LOAD_FAILED;
    return worker_in_groups(first, "reservations", config->reservations, reserve_one);
}

/* The beginning and the end */

/* Gives a worker its clients, and space for newcomers. */
static int make_clients(struct worker *worker, uint64_t newcomers)
{
    const struct load_config *const config = &worker->engine->config;
    const uint64_t share = worker_share(worker, config->preload);
    struct clients *const clients = &worker->clients;

    clients->capacity = share + newcomers / config->threads + 1;
    clients->all = err_calloc(clients->capacity, sizeof *clients->all, worker->engine->err);
    for (uint64_t k = 0; clients->all != NULL && k < share; k++)
        (void)clients_add(clients, (uint32_t)client_number(worker, k), worker->engine->err);
    return clients->all != NULL ? 0 : -1;
}

static int init_exchanges(struct engine *engine)
{
    struct exchanges *const all = (struct exchanges *)engine;
    const struct load_config *const config = &engine->config;
    uint64_t *const digest = &engine->workers[0].digest;

    assert(config->mix.count > 0 && config->candidates >= 1);
    (void)pthread_mutex_init(&all->lock, NULL);
    const struct exchange_plan plan = exchange_plan_make(config, 1, engine->context.progress);
    const uint64_t clients = config->preload + plan.newcomers;
    all->mix_key = random_at(config->seed, EXCHANGE_SEQUENCE_MIX);
    all->client_key = random_at(config->seed, EXCHANGE_SEQUENCE_CLIENT);
    all->candidate_key = random_at(config->seed, EXCHANGE_SEQUENCE_CANDIDATE);
    all->age_key = random_at(config->seed, EXCHANGE_SEQUENCE_AGE);
    all->reclaimed = plan.purges * PURGE_LEASES;
    all->own = all->reclaimed + (plan.reclaims > 0 ? plan.reclaims * RECLAIM_LEASES + 1 : 0);
    engine->preload += all->own;
    if (config->rank == 0)
        *digest = random_at(*digest, config->preload << 8 | (uint64_t)config->family << 4 |
                                         (uint64_t)config->profile);
    if (config->rank == 0 && config->reservations > 0)
        *digest = random_at(*digest, config->reservations);
    if (config->reservations > 0)
        permutation_init(&all->reserved,
                         clients > config->reservations ? clients : config->reservations,
                         random_at(config->seed, EXCHANGE_SEQUENCE_RESERVED));
    if (config->reservations == 0)
        mix_leave_out(&engine->config.mix, STEP_FIND_RESERVATION);
    for (size_t i = 0; i < engine->threads; i++) {
        if (make_clients(&engine->workers[i], plan.newcomers) != 0)
            return -1;
    }
    return 0;
}

static void release_exchanges(struct engine *engine)
{
    (void)pthread_mutex_destroy(&((struct exchanges *)engine)->lock);
}

/* In turns: the leases that a turn has made or used up are put back as they
   were, so that each turn meets a store of the same size. */

/* The worker's lease, which is there or not, becomes its other one, which was
   there or not. */
static enum load_end put_back(struct worker *worker, bool there, bool was)
{
    const struct lease *const now = &worker->lease;
    const enum change change = was ? CHANGE_UPDATE : CHANGE_DELETE;

    if (!there && !was)
        return LOAD_DONE;
    return worker_expect(worker, now->address,
                         worker_change(worker, there ? change : CHANGE_CREATE,
                                       was ? &worker->other : now, lease_expire_s(now)),
                         OUTCOME_HIT);
}

/* The first of a worker's clients that has no lease any more, or is new. */
static enum load_end restore_client(struct worker *worker, uint64_t i)
{
    struct clients *const clients = &worker->clients;
    struct client *const client = &clients->all[clients->active];
    const struct client before = { .number = client->number };
    const bool there = client->state != CLIENT_GONE;
    const bool was = !is_new(all_of(worker), client);

    (void)i;
    client_make_lease(worker, client, &worker->lease);
    client_make_lease(worker, &before, &worker->other);
    *client = was ? before : clients->all[--clients->count];
    clients->active += was;
    return put_back(worker, there, was);
}

/* A lease that the server has reclaimed or purged. */
static enum load_end restore_own(struct worker *worker, uint64_t i)
{
    const struct exchanges *const all = all_of(worker);
    const bool purged = i < all->purges_done;

    exchange_make_preloaded(worker->engine, purged ? i : all->reclaimed + i - all->purges_done,
                            &worker->other);
    worker->lease = worker->other; /* it expires at the same time */
    return put_back(worker, !purged, true);
}

/* New clients are others in each turn while there are numbers for them, since a
   database reads what it keeps of a deleted lease when its client comes back.
   With reservations, the first ones are those that have one. */
static enum load_end restore_worker(struct worker *worker)
{
    const struct load_config *const config = &worker->engine->config;
    struct clients *const clients = &worker->clients;

    for (size_t i = clients->active; i-- > 0;) {
        if (is_new(all_of(worker), &clients->all[i]))
            clients_retire(clients, i, CLIENT_ACTIVE);
    }
    if (config->reservations > 0 || client_number(worker, clients->count + worker->added +
                                                              config->count) > GENERATOR_LEASES_MAX)
        worker->added = 0;
    worker->doing = "restoring";
    return worker_in_groups(worker, "restore", clients->count - clients->active, restore_client);
}

static enum load_end restore(struct engine *engine)
{
    struct exchanges *const all = (struct exchanges *)engine;
    struct worker *const first = &engine->workers[0];
    enum load_end end = LOAD_DONE;

    for (size_t w = 0; w < engine->threads && end == LOAD_DONE; w++)
        end = worker_end(&engine->workers[w], restore_worker(&engine->workers[w]));
    if (end == LOAD_DONE)
        end =
            worker_end(first, worker_in_groups(first, "restore",
                                               all->purges_done + all->reclaims_done, restore_own));
    if (end == LOAD_DONE)
        all->purges_done = all->reclaims_done = 0;
    return end;
}

static const struct phase exchange_phase = { "exchange", exchange_perform, false,
                                             CHECK_COUNT | CHECK_READ_BACK, "after the run" };

const struct workload workload_exchanges = {
    .kind = WORKLOAD_EXCHANGES,
    .exchanges = true,
    .resolve = exchange_plan_resolve,
    .closed =
        &(const struct engine_kind){
            .size = sizeof(struct exchanges),
            .phases = &exchange_phase,
            .phase_count = 1,
            .digest_sequence = EXCHANGE_SEQUENCE_DIGEST,
            .together = true,
            .step_kinds = step_kinds,
            .init = init_exchanges,
            .release = release_exchanges,
            .before = fill_before,
            .make = exchange_make_preloaded,
            .restore = restore,
            .items = items,
            .due = due,
        },
};
