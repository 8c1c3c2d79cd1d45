/* SPDX-License-Identifier: ISC */
/*
 * New clients that take addresses of one pool, which all threads share, by the allocator of a
 * server.  An offered address may be another client's when its client asks for it: then that one
 * begins again, and all its questions are part of its exchange.
 *
 * If the store has a list of free addresses, clients may also renew, release and decline their
 * leases, and the server may reclaim expired ones.  Those with a lease before the load are then
 * the workers' clients, a share of them each; the pool has the expired leases, too.
 */
#include "load/pool/pool_load.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "core/units.h"
#include "load/exchange/exchanges.h"
#include "load/exchange/plan.h"
#include "load/exchange/steps.h"
#include "load/exchange/trips.h"
#include "load/pool/pool.h"
#include "load/pool/pool_agree.h"
#include "load/pool/pool_plan.h"
#include "load/pool/pool_steps.h"
#include "load/ranks.h"
#include "load/workloads.h"

enum { SEQUENCE_DIGEST = 203 };

/* The store before and between stretches of work */

static enum load_end change(struct worker *worker, enum change change)
{
    const struct lease *const lease = &worker->lease;

    return worker_expect(worker, lease->address,
                         worker_submit(worker, change, lease, lease_expire_s(lease)), OUTCOME_HIT);
}

static enum load_end take_one(struct worker *worker, uint64_t i)
{
    struct shared_pool *const pool = exchanges_of(worker)->pool;
    const uint64_t place = pool->order[pool->others];

    (void)i;
    worker->doing = "create";
    pool_take_before(pool, place, pool->own + place);
    pool_make_lease(worker->engine, place, pool_occupant(pool, place), &worker->lease);
    const enum load_end end = change(worker, CHANGE_CREATE);
    pool->others += end == LOAD_DONE;
    return end;
}

/* Creates expired lease i, which the server is to reclaim. */
static enum load_end create_own(struct worker *worker, uint64_t i)
{
    struct shared_pool *const pool = exchanges_of(worker)->pool;
    const uint64_t place = pool_own_place(pool, i);

    worker->doing = "create";
    pool_take_before(pool, place, i);
    pool_make_lease(worker->engine, place, pool_occupant(pool, place), &worker->lease);
    return change(worker, CHANGE_CREATE);
}

enum load_end pool_load_take_others(struct engine *engine, uint64_t others)
{
    struct worker *const worker = &engine->workers[0];

    worker->what = "filling";
    return worker_in_groups(worker, "filling", others - exchanges_of(worker)->pool->others,
                            take_one);
}

enum load_end pool_load_make_list(struct engine *engine)
{
    const struct shared_pool *const pool = ((const struct exchanges *)engine)->pool;
    struct worker *const worker = &engine->workers[0];

    worker->what = "making the free list";
    if (!pool->listed || worker->backend->make_free_list(worker->session, engine->generator.base,
                                                         pool->size, &worker->err) == 0)
        return LOAD_DONE;
    return worker_failure(worker);
}

/* Removes the latest lease of a worker that has one. */
static enum load_end remove_one(struct worker *worker, uint64_t i)
{
    const struct exchanges *const all = exchanges_of(worker);
    struct exchange_state *state = all->states;

    (void)i;
    while (state->clients.count == 0)
        state++;
    const uint64_t place = state->clients.all[--state->clients.count].number;
    state->clients.active = state->clients.count;
    worker->doing = "remove";
    pool_make_lease(worker->engine, place, pool_occupant(all->pool, place), &worker->lease);
    const enum load_end end = change(worker, CHANGE_DELETE);
    if (end == LOAD_DONE)
        pool_give_back(all->pool, place);
    return end;
}

enum load_end pool_load_remove_new(struct engine *engine)
{
    const struct exchanges *const all = (const struct exchanges *)engine;
    struct worker *const worker = &engine->workers[0];
    uint64_t count = 0;

    for (size_t i = 0; i < engine->threads; i++)
        count += all->states[i].clients.count;
    worker->what = "removing";
    return worker_in_groups(worker, "removing", count, remove_one);
}

/* The leases that are due: of each worker's clients, and its share of the others.  Where clients
   give addresses back, whoever got them: what is due at each worker's share of the places. */

uint64_t pool_load_items(const struct worker *worker)
{
    const struct shared_pool *const pool = exchanges_of(worker)->pool;

    return pool->gives_back
               ? worker_share(worker, pool->size)
               : exchange_state_of(worker)->clients.count + worker_share(worker, pool->others);
}

static uint64_t place_of_item(const struct worker *worker, uint64_t i)
{
    const struct shared_pool *const pool = exchanges_of(worker)->pool;
    const struct clients *const clients = &exchange_state_of(worker)->clients;

    if (pool->gives_back)
        return worker_item(worker, i);
    return i < clients->count ? clients->all[i].number
                              : pool->order[worker_item(worker, i - clients->count)];
}

bool pool_load_due(const struct worker *worker, uint64_t i, struct lease *lease)
{
    const uint64_t place = place_of_item(worker, i);
    const occupant now = pool_occupant(exchanges_of(worker)->pool, place);
    const bool there = occupant_client(now, NULL);

    lease->address = generator_address(&worker->engine->generator, place);
    lease->type = (uint8_t)worker->type;
    if (there)
        pool_make_lease(worker->engine, place, now, lease);
    return there;
}

/* Compares the list of the store with the leases: it must have exactly the addresses without
   one. */
enum load_end pool_load_check_list(struct engine *engine)
{
    const struct shared_pool *const pool = ((const struct exchanges *)engine)->pool;
    struct worker *const worker = &engine->workers[0];
    uint64_t held = 0;
    uint64_t free = 0;
    uint64_t leased = 0;

    if (!pool->listed)
        return LOAD_DONE;
    for (uint64_t place = 0; place < pool->size; place++)
        held += occupant_keeps(pool_occupant(pool, place));
    held -= engine->config.rank > 0 ? pool->others : 0;
    if (!ranks_meet(engine->context.ranks, held, &held))
        return LOAD_INTERRUPTED;
    if (engine->config.rank > 0)
        return LOAD_DONE;
    if (worker->backend->count_free(worker->session, &free, &leased, &worker->err) != 0)
        return worker_failure(worker);
    if (leased == 0 && free == pool->size - held)
        return LOAD_DONE;
    worker->what = NULL;
    worker->doing = "";
    return worker_wrong(worker,
                        "the free list has %" PRIu64 " addresses, of which %" PRIu64
                        " have leases; a correct one has %" PRIu64 " without",
                        free, leased, pool->size - held);
}

/* The beginning and the end */

/* Prepares clients that renew, release or decline their leases, and leases that expire. */
static void init_ends(struct exchanges *all)
{
    const struct load_config *const config = &all->engine.config;
    const struct exchange_plan plan = exchange_plan_make(config, 1, all->engine.context.progress);

    all->client_key = random_at(config->seed, EXCHANGE_SEQUENCE_CLIENT);
    all->age_key = random_at(config->seed, EXCHANGE_SEQUENCE_AGE);
    all->own = plan.reclaims > 0 ? plan.reclaims * RECLAIM_LEASES + 1 : 0;
    all->pool->own = all->own;
    all->pool->gives_back = true;
    assert(all->own + pool_plan_others(config) <= config->pool.size);
}

/* The first rank stores the leases of the others. */
static void note_others(struct shared_pool *pool, uint64_t count)
{
    for (; pool->others < count; pool->others++)
        pool_take_before(pool, pool->order[pool->others], pool->order[pool->others]);
}

int pool_load_init(struct engine *engine)
{
    struct exchanges *const all = (struct exchanges *)engine;
    struct load_config *const config = &engine->config;
    uint64_t *const digest = &engine->workers[0].digest;

    assert(config->mix.count > 0 && config->pool.allocator != ALLOCATOR_NONE);
    (void)pthread_mutex_init(&all->lock, NULL);
    all->mix_key = random_at(config->seed, EXCHANGE_SEQUENCE_MIX);
    /* Clients that are there before have the number of their address; the first new one has that
       behind the last. */
    config->preload = config->pool.size;
    engine->preload = 0;
    if (config->rank == 0) {
        *digest = random_at(*digest, config->pool.size << 8 | (uint64_t)config->family << 4 |
                                         (uint64_t)config->profile);
        *digest = random_at(*digest, config->pool.allocator);
    }
    mix_leave_out(&config->mix, STEP_FIND_RESERVATION);
    if (allocator_free_list(config->pool.allocator) != FREE_LIST_NONE &&
        !mix_insert_picks(&config->mix))
        return err_set(engine->err, "an exchange has too many steps for --allocator");
    exchange_steps_init(all);
    pool_steps_init(all);
    all->pool = pool_new(config, engine->err);
    if (all->pool == NULL || exchange_states_init(all) != 0 || exchange_trips_init(all) != 0)
        return -1;
    if (config->rank > 0)
        note_others(all->pool, pool_plan_others(config));
    if (pool_plan_changes_leases(&config->mix))
        init_ends(all);
    return 0;
}

void pool_load_release(struct engine *engine)
{
    struct exchanges *const all = (struct exchanges *)engine;

    exchange_states_release(all);
    pool_free(all->pool);
    (void)pthread_mutex_destroy(&all->lock);
}

/* Makes those who have a lease before the load the workers' clients. */
static int deal_others(struct exchanges *all)
{
    const struct shared_pool *const pool = all->pool;
    const size_t threads = all->engine.threads;

    for (uint64_t i = 0; i < pool->others; i++) {
        if (clients_add(&all->states[i % threads].clients, pool->order[i], all->engine.err) != 0)
            return -1;
    }
    return 0;
}

static enum load_end fill_before(struct engine *engine)
{
    struct exchanges *const all = (struct exchanges *)engine;
    struct worker *const worker = &engine->workers[0];
    enum load_end end = worker_in_groups(worker, "expired leases", all->own, create_own);

    if (end == LOAD_DONE)
        end = pool_load_take_others(engine, pool_plan_others(&engine->config));
    if (end == LOAD_DONE && all->pool->gives_back && deal_others(all) != 0)
        return LOAD_FAILED;
    return end == LOAD_DONE ? pool_load_make_list(engine) : end;
}

/* Makes the store and the pool as they were in the beginning. */
static enum load_end begin_again(struct engine *engine)
{
    struct exchanges *const all = (struct exchanges *)engine;
    struct worker *const worker = &engine->workers[0];

    if (worker->backend->reset(worker->session, &worker->err) != 0)
        return LOAD_FAILED;
    pool_clear(all->pool);
    all->reclaims_done = 0;
    for (size_t i = 0; i < engine->threads; i++)
        all->states[i].clients.count = all->states[i].clients.active = 0;
    return fill_before(engine);
}

/* In turns, restores the pool to its first state.  Each turn has other new clients while
   numbers are left. */
static enum load_end restore(struct engine *engine)
{
    const struct load_config *const config = &engine->config;
    struct exchanges *const all = (struct exchanges *)engine;
    struct exchange_state *const states = all->states;

    for (size_t i = 0; i < engine->threads; i++) {
        if (all->own + (states[i].next_new + config->count + 1) * config->threads >
            GENERATOR_LEASES_MAX)
            states[i].next_new = worker_share(states[i].worker, config->preload);
    }
    enum load_end end = all->pool->gives_back ? begin_again(engine) : pool_load_remove_new(engine);

    if (end == LOAD_DONE && !all->pool->gives_back)
        end = pool_load_make_list(engine);
    return worker_end(&engine->workers[0], end);
}

/* The workload */

static bool is_asked(const struct load_config *config)
{
    return config->pool.allocator != ALLOCATOR_NONE;
}

static void describe(const struct load_config *config, const char *name, char *text, size_t size)
{
    const char *const count = config->in_turns ? "" : units_count(UNITS_TEXT, config->count);

    (void)snprintf(text, size, "%s%sexchanges (%s) of a pool of %s addresses, %.3g %% full, with",
                   count, count[0] != '\0' ? " " : "", name,
                   units_count(UNITS_TEXT, config->pool.size), 100 * config->pool.full);
}

static const struct phase exchange_phase = { "exchange", exchange_perform, false,
                                             CHECK_COUNT | CHECK_READ_BACK, "after the run" };

const struct workload workload_pool = {
    .option = "allocator",
    .is_asked = is_asked,
    .options = (const char *const[]){ OPTIONS_OF_CLOSED, OPTIONS_OF_POOL, "warmup", "ipv6", "full",
                                      "trips", "server-time", "print-exchange", "turns",
                                      "reconnect", NULL },
    .length = "count",
    .exchanges = true,
    .reads = true,
    .changes = true,
    .resolve = pool_plan_resolve,
    .describe = describe,
    .closed =
        &(const struct engine_kind){
            .size = sizeof(struct exchanges),
            .phases = &exchange_phase,
            .phase_count = 1,
            .digest_sequence = SEQUENCE_DIGEST,
            .together = true,
            .init = pool_load_init,
            .release = pool_load_release,
            .before = fill_before,
            .restore = restore,
            .items = pool_load_items,
            .due = pool_load_due,
            .agree = pool_agree,
            .check = pool_load_check_list,
        },
};
