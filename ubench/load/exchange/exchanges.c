/* SPDX-License-Identifier: ISC */
#include "load/exchange/exchanges.h"

#include <assert.h>
#include <stdio.h>

#include "core/units.h"
#include "load/exchange/plan.h"
#include "load/exchange/steps.h"
#include "load/exchange/trips.h"
#include "load/openloop/batch.h"
#include "load/pool/pool_change.h"
#include "load/pool/pool_steps.h"
#include "load/workloads.h"

/* Returns true if the client was not in the preload. */
static bool is_new(const struct exchanges *all, const struct client *client)
{
    return client->number >= all->own + all->engine.config.preload;
}

/* Returns the number of the lease of a worker's k-th client. */
static uint64_t client_number(const struct worker *worker, uint64_t k)
{
    return exchanges_of(worker)->own + worker_item(worker, k);
}

/* One exchange */

/* Chooses the client of the exchange.  Returns 0, or -1 with err if none is left. */
static int pick_client(struct exchange_state *state)
{
    struct worker *const worker = state->worker;
    const struct exchanges *const all = exchanges_of(worker);

    if (state->exchange->party == PARTY_NONE)
        return 0;
    if (state->exchange->party == PARTY_NEW) {
        const uint64_t number = client_number(worker, state->next_new);

        state->client = (struct client){ .number = (uint32_t)number };
    } else {
        if (state->clients.active == 0)
            return err_set(&worker->err,
                           "%s: no client of worker %zu has a lease any more; "
                           "--preload makes more",
                           state->exchange->name, worker->index);
        const uint64_t draw = random_at(all->client_key, state->number);

        state->picked = random_below((uint32_t)draw, state->clients.active);
        state->client = state->clients.all[state->picked];
        if (all->pool != NULL)
            pool_pick_client(state);
    }
    client_make_lease(&all->engine.generator, &state->client, &worker->lease);
    if (all->pool != NULL && state->exchange->party == PARTY_KNOWN)
        worker->lease.address = generator_address(&all->engine.generator, state->place);
    return 0;
}

/* Yields the configured number of candidates: taken addresses, drawn from the worker's clients,
   and the free one.  A client with a reservation has its reserved address as the only
   candidate. */
static enum candidate draw_candidate(const struct exchange_state *state, uint64_t k,
                                     const struct client **client)
{
    const struct exchanges *const all = exchanges_of(state->worker);
    const uint64_t count = all->engine.config.candidates;

    if (k + 1 >= count || exchange_is_reserved(state))
        return CANDIDATE_FREE;
    const uint64_t draw = random_at(all->candidate_key, state->number * count + 1 + k);
    *client = &state->clients.all[random_below((uint32_t)draw, state->clients.active)];
    return CANDIDATE_TAKEN;
}

/* Does what a server would do for an exchange besides its store. */
static void spend_server_time(const struct exchange_state *state)
{
    const uint64_t server_time_ns = state->worker->engine->config.server_time_ns;

    if (server_time_ns > 0)
        busy_wait_ns(server_time_ns);
}

/* Performs the exchange of a client that shares a pool: as long as its offer is lost, it begins
   again with DISCOVER, as a client does after a DHCPNAK. */
static enum load_end run_shared(struct exchange_state *state)
{
    enum load_end end = LOAD_DONE;

    do {
        spend_server_time(state);
        end = state->trip != NULL ? exchange_run_in_trips(state) : exchange_run(state);
        pool_withdraw_offer(state);
    } while (end == LOAD_DONE && state->denial == DENIAL_LOST &&
             !progress_stopped(state->worker->progress));
    return end == LOAD_DONE && state->denial == DENIAL_LOST ? LOAD_INTERRUPTED : end;
}

/* Performs the exchange.  The server's own work is done by one worker at a time. */
static enum load_end run_exchange(struct exchange_state *state)
{
    struct exchanges *const all = exchanges_of(state->worker);

    if (pick_client(state) != 0)
        return LOAD_FAILED;
    if (state->exchange->party != PARTY_NONE) {
        if (all->pool != NULL)
            return run_shared(state);
        spend_server_time(state);
        return state->trip != NULL ? exchange_run_in_trips(state) : exchange_run(state);
    }
    (void)pthread_mutex_lock(&all->lock);
    const enum load_end end = exchange_run(state);
    (void)pthread_mutex_unlock(&all->lock);
    return end;
}

/* Returns what represents the questions of an exchange in the digest.  With reservations, their
   number depends on the client, and the client on the number of threads. */
static uint64_t digest_of_questions(const struct exchange_state *state)
{
    const struct exchanges *const all = exchanges_of(state->worker);
    const bool depends = all->engine.config.reservations > 0 || all->pool != NULL;

    return depends ? 0 : exchange_answers(state);
}

enum load_end exchange_perform(struct worker *worker, uint64_t i)
{
    const struct exchanges *const all = exchanges_of(worker);
    const struct mix *const mix = &all->engine.config.mix;
    struct exchange_state *const state = exchange_state_of(worker);
    const size_t kind = mix_draw(mix, all->mix_key, i);
    struct phase_result *const counts = &worker->tallies[kind].counts;

    worker->tally = &worker->tallies[kind];
    state->number = i;
    state->exchange = &mix->kinds[kind].exchange;
    worker->what = state->exchange->name;
    const uint64_t next_new = state->next_new;
    const enum load_end end = run_exchange(state);
    if (end == LOAD_DONE) {
        if (state->denial == DENIAL_NONE)
            counts->hits++;
        else
            counts->misses++;
        /* A client that got no lease does not come again. */
        if (state->exchange->party == PARTY_NEW && state->next_new == next_new)
            state->next_new++;
        worker->digest += random_at(
            (uint64_t)mix->kinds[kind].digest_number << 32 | digest_of_questions(state), i);
    }
    const enum err_class why = end == LOAD_FAILED ? worker->err.kind : ERR_OTHER;
    counts->deadlocks += why == ERR_DEADLOCK;
    counts->conflicts += why == ERR_CONFLICT;
    worker->given_up = why == ERR_DEADLOCK || why == ERR_CONFLICT;
    return worker->given_up ? LOAD_DONE : end;
}

/* The leases of a correct store: for each worker those of its clients, and its share of the
   leases of the server's own work. */

static uint64_t items(const struct worker *worker)
{
    return exchange_state_of(worker)->clients.count +
           worker_share(worker, exchanges_of(worker)->own);
}

static bool due(const struct worker *worker, uint64_t i, struct lease *lease)
{
    const struct exchanges *const all = exchanges_of(worker);
    const struct clients *const clients = &exchange_state_of(worker)->clients;

    if (i < clients->count) {
        client_make_lease(&all->engine.generator, &clients->all[i], lease);
        return clients->all[i].state != CLIENT_GONE;
    }
    const uint64_t number = worker_item(worker, i - clients->count);
    exchange_make_preloaded(&all->engine, number, lease);
    if (number >= all->reclaimed && number < all->reclaimed + all->reclaims_done)
        exchange_reclaim(lease);
    return number >= all->purges_done;
}

/* The store before the first exchange. */

/* Adds reservation i, for one of the clients. */
static enum load_end reserve_one(struct worker *worker, uint64_t i)
{
    const struct exchanges *const all = exchanges_of(worker);
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

int exchange_try_released(struct worker *worker)
{
    const struct backend *const backend = worker->backend;
    struct session *const session = worker->session;
    struct err *const err = &worker->err;
    struct lease *const lease = &worker->lease;
    const struct client client = { .state = CLIENT_RELEASED };

    client_make_lease(&worker->engine->generator, &client, lease);
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

    if (mix_has_step(&config->mix, STEP_RELEASE) && exchange_try_released(first) != 0)
        return LOAD_FAILED;
    return worker_in_groups(first, "reservations", config->reservations, reserve_one);
}

/* The beginning and the end */

/* Makes the clients of a worker, with space for newcomers. */
static int make_clients(struct worker *worker, uint64_t newcomers)
{
    const struct load_config *const config = &worker->engine->config;
    const uint64_t share = worker_share(worker, config->preload);
    struct clients *const clients = &exchange_state_of(worker)->clients;

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
    all->candidates = draw_candidate;
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
    exchange_steps_init(all);
    if (exchange_states_init(all) != 0 || exchange_trips_init(all) != 0)
        return -1;
    for (size_t i = 0; i < engine->threads; i++) {
        if (make_clients(&engine->workers[i], plan.newcomers) != 0)
            return -1;
    }
    return 0;
}

static void release_exchanges(struct engine *engine)
{
    struct exchanges *const all = (struct exchanges *)engine;

    exchange_states_release(all);
    (void)pthread_mutex_destroy(&all->lock);
}

/* In turns, the leases that a turn created or used up are restored, so that each turn meets a
   store of the same size. */

/* Replaces the worker's lease, if it is there, by its other lease, if that was there. */
static enum load_end put_back(struct exchange_state *state, bool there, bool was)
{
    struct worker *const worker = state->worker;
    const struct lease *const now = &worker->lease;
    const enum change change = was ? CHANGE_UPDATE : CHANGE_DELETE;

    if (!there && !was)
        return LOAD_DONE;
    return worker_expect(worker, now->address,
                         worker_change(worker, there ? change : CHANGE_CREATE,
                                       was ? &state->other : now, lease_expire_s(now)),
                         OUTCOME_HIT);
}

/* Restores the first of a worker's clients that has lost its lease, or is new. */
static enum load_end restore_client(struct worker *worker, uint64_t i)
{
    struct exchange_state *const state = exchange_state_of(worker);
    const struct generator *const generator = &worker->engine->generator;
    struct clients *const clients = &state->clients;
    struct client *const client = &clients->all[clients->active];
    const struct client before = { .number = client->number };
    const bool there = client->state != CLIENT_GONE;
    const bool was = !is_new(exchanges_of(worker), client);

    (void)i;
    client_make_lease(generator, client, &worker->lease);
    client_make_lease(generator, &before, &state->other);
    *client = was ? before : clients->all[--clients->count];
    clients->active += was;
    return put_back(state, there, was);
}

/* Restores a lease that the server has reclaimed or purged. */
static enum load_end restore_own(struct worker *worker, uint64_t i)
{
    const struct exchanges *const all = exchanges_of(worker);
    struct exchange_state *const state = exchange_state_of(worker);
    const bool purged = i < all->purges_done;

    exchange_make_preloaded(worker->engine, purged ? i : all->reclaimed + i - all->purges_done,
                            &state->other);
    worker->lease = state->other; /* it expires at the same time */
    return put_back(state, !purged, true);
}

/* Removes the new clients.  Each turn has others while numbers are left, because a database
   reads the remains of a deleted lease if its client comes back.  With reservations, the first
   new clients are those with a reservation. */
static enum load_end restore_worker(struct worker *worker)
{
    const struct load_config *const config = &worker->engine->config;
    struct exchange_state *const state = exchange_state_of(worker);
    struct clients *const clients = &state->clients;

    for (size_t i = clients->active; i-- > 0;) {
        if (is_new(exchanges_of(worker), &clients->all[i]))
            clients_retire(clients, i, CLIENT_ACTIVE);
    }
    if (config->reservations > 0 ||
        client_number(worker, state->next_new + config->count) > GENERATOR_LEASES_MAX)
        state->next_new = worker_share(worker, config->preload);
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

static void loop(struct worker *worker)
{
    if (worker->engine->config.batch > 1)
        batch_loop(worker);
    else
        closed_loop(worker);
}

static const struct phase exchange_phase = { "exchange", exchange_perform, false,
                                             CHECK_COUNT | CHECK_READ_BACK, "after the run" };

static void describe_exchanges(const struct load_config *config, const char *name, char *text,
                               size_t size)
{
    const char *const count = config->in_turns ? "" : units_count(UNITS_TEXT, config->count);

    (void)snprintf(text, size, "%s%sexchanges (%s) of %s clients with", count,
                   count[0] != '\0' ? " " : "", name, units_count(UNITS_TEXT, config->preload));
}

const struct workload workload_exchanges = {
    .options = (const char *const[]){ OPTIONS_OF_CLOSED, OPTIONS_OF_THREADS, OPTIONS_OF_CLIENTS,
                                      "turns", "reconnect", NULL },
    .length = "count",
    .exchanges = true,
    .reads = true,
    .changes = true,
    .resolve = exchange_plan_resolve,
    .describe = describe_exchanges,
    .closed =
        &(const struct engine_kind){
            .size = sizeof(struct exchanges),
            .phases = &exchange_phase,
            .phase_count = 1,
            .digest_sequence = EXCHANGE_SEQUENCE_DIGEST,
            .together = true,
            .init = init_exchanges,
            .release = release_exchanges,
            .before = fill_before,
            .make = exchange_make_preloaded,
            .loop = loop,
            .restore = restore,
            .items = items,
            .due = due,
        },
};
