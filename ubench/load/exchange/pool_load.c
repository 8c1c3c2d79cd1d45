/* SPDX-License-Identifier: ISC */
/*
 * New clients that take addresses of one pool, which all threads share, by the allocator of a
 * server.  An offered address may be another client's when its client asks for it: then that one
 * begins again, and all its questions are part of its exchange.
 */
#include "load/exchange/pool_load.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/units.h"
#include "load/exchange/exchanges.h"
#include "load/exchange/plan.h"
#include "load/exchange/pool.h"
#include "load/exchange/pool_steps.h"
#include "load/exchange/steps.h"
#include "load/workloads.h"

enum {
    SEQUENCE_DIGEST = 203,
    TURN_CLIENTS = 100000, /* of a turn, unless the user says */
    USUAL_POOL = 20000,
};

/* Makes the lease of a client at a place of the pool. */
static void make_lease(const struct engine *engine, uint64_t client, uint64_t place,
                       struct lease *lease)
{
    generator_make(&engine->generator, client, 0, lease);
    lease->address = generator_address(&engine->generator, place);
}

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
    make_lease(worker->engine, place, place, &worker->lease);
    const enum load_end end = change(worker, CHANGE_CREATE);
    if (end == LOAD_DONE) {
        pool_take_before(pool, place, place);
        pool->others++;
    }
    return end;
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
    make_lease(worker->engine, pool_holder(all->pool, place), place, &worker->lease);
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

/* The leases that are due: of each worker's clients, and its share of the others. */

uint64_t pool_load_items(const struct worker *worker)
{
    return exchange_state_of(worker)->clients.count +
           worker_share(worker, exchanges_of(worker)->pool->others);
}

bool pool_load_due(const struct worker *worker, uint64_t i, struct lease *lease)
{
    const struct shared_pool *const pool = exchanges_of(worker)->pool;
    const struct clients *const clients = &exchange_state_of(worker)->clients;
    const uint64_t place = i < clients->count
                               ? clients->all[i].number
                               : pool->order[worker_item(worker, i - clients->count)];

    make_lease(worker->engine, pool_holder(pool, place), place, lease);
    return true;
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
        held += pool_holder(pool, place) != POOL_NOBODY;
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

int pool_load_init(struct engine *engine)
{
    struct exchanges *const all = (struct exchanges *)engine;
    struct load_config *const config = &engine->config;
    uint64_t *const digest = &engine->workers[0].digest;

    assert(config->mix.count > 0 && config->allocator != ALLOCATOR_NONE);
    (void)pthread_mutex_init(&all->lock, NULL);
    all->mix_key = random_at(config->seed, EXCHANGE_SEQUENCE_MIX);
    /* Clients that are there before have the number of their address; the first new one has that
       behind the last. */
    config->preload = config->pool;
    engine->preload = 0;
    *digest = random_at(*digest, config->pool << 8 | (uint64_t)config->family << 4 |
                                     (uint64_t)config->profile);
    *digest = random_at(*digest, config->allocator);
    mix_leave_out(&config->mix, STEP_FIND_RESERVATION);
    if (allocator_free_list(config->allocator) != FREE_LIST_NONE && !mix_insert_picks(&config->mix))
        return err_set(engine->err, "an exchange has too many steps for --allocator");
    exchange_steps_init(all);
    pool_steps_init(all);
    all->pool = pool_new(config, engine->err);
    return all->pool != NULL ? exchange_states_init(all) : -1;
}

void pool_load_release(struct engine *engine)
{
    struct exchanges *const all = (struct exchanges *)engine;

    exchange_states_release(all);
    pool_free(all->pool);
    (void)pthread_mutex_destroy(&all->lock);
}

/* In turns, restores the pool to its first state.  Each turn has other new clients while
   numbers are left. */
static enum load_end restore(struct engine *engine)
{
    const struct load_config *const config = &engine->config;
    struct exchange_state *const states = ((struct exchanges *)engine)->states;
    enum load_end end = pool_load_remove_new(engine);

    for (size_t i = 0; i < engine->threads; i++) {
        if ((states[i].next_new + config->count + 1) * config->threads > GENERATOR_LEASES_MAX)
            states[i].next_new = worker_share(states[i].worker, config->preload);
    }

    if (end == LOAD_DONE)
        end = pool_load_make_list(engine);
    return worker_end(&engine->workers[0], end);
}

/* The workload */

static bool is_asked(const struct load_config *config)
{
    return config->allocator != ALLOCATOR_NONE;
}

/* Returns the number of clients that have an address before the load. */
static uint64_t others_of(const struct load_config *config)
{
    return (uint64_t)((double)config->pool * config->full);
}

static enum load_end fill_before(struct engine *engine)
{
    const enum load_end end = pool_load_take_others(engine, others_of(&engine->config));

    return end == LOAD_DONE ? pool_load_make_list(engine) : end;
}

/* Returns true if an exchange is that of a new client, which looks for an address and takes
   it. */
static bool takes_address(const struct exchange *exchange)
{
    bool searched = false;
    const struct step *step = exchange->steps;

    for (; step->action != STEP_END && step->action != STEP_CREATE; step++) {
        const bool searches = step->action == STEP_CHECK_CANDIDATES;

        if (step->action == STEP_FIND_RESERVATION)
            continue; /* is left out */
        if (step->action > STEP_CHECK_CANDIDATES || step->expected != OUTCOME_MISS ||
            (searches && searched) || (step->action == STEP_FIND_ADDRESS && !searched))
            return false;
        searched = searched || searches;
    }
    return exchange->party == PARTY_NEW && searched && step->action == STEP_CREATE &&
           step[1].action == STEP_END;
}

static int check_mix(const struct load_config *config, struct err *err)
{
    const struct mix *const mix = &config->mix;
    size_t i = 0;

    while (i < mix->count && takes_address(&mix->kinds[i].exchange))
        i++;
    if (i == mix->count)
        return 0;
    return err_usage(err,
                     "--allocator cannot be used with '%s', which is not an exchange of a new "
                     "client that searches for a free address and takes it; use --workload=%s",
                     mix->kinds[i].exchange.name,
                     config->family == LEASE_FAMILY_V6 ? "sarr" : "dora");
}

int pool_load_check_servers(const struct load_config *config, struct err *err)
{
    if (config->servers <= config->threads)
        return 0;
    return err_usage(
        err, "--servers: %" PRIu64 " servers need a thread each; use --threads=%" PRIu64 " or more",
        config->servers, config->servers);
}

/* Returns a size of the pool of which the clients take half of the free addresses. */
static uint64_t usual_pool(const struct load_config *config)
{
    const double free = 1 - config->full;
    const double pool = free > 0 ? ceil(2 * (double)config->count / free) : (double)USUAL_POOL;

    return pool < (double)POOL_MIN     ? POOL_MIN
           : pool > ALLOCATOR_POOL_MAX ? ALLOCATOR_POOL_MAX
                                       : (uint64_t)pool;
}

static int resolve(struct load_config *config, const char *workload, struct err *err)
{
    (void)workload;
    if (check_mix(config, err) != 0 || pool_load_check_servers(config, err) != 0)
        return -1;
    if (config->in_turns && config->count == 0) {
        const uint64_t pool = config->pool > 0 ? config->pool : ALLOCATOR_POOL_MAX;
        const uint64_t most = (uint64_t)((double)pool * (1 - config->full) / 2);

        config->count = most > TURN_CLIENTS ? TURN_CLIENTS : most > 0 ? most : 1;
    }
    if (config->pool == 0)
        config->pool = usual_pool(config);
    return 0;
}

static void describe(const struct load_config *config, const char *name, char *text, size_t size)
{
    const char *const count = config->in_turns ? "" : units_count(UNITS_TEXT, config->count);

    (void)snprintf(text, size, "%s%sexchanges (%s) of a pool of %s addresses, %.3g %% full, with",
                   count, count[0] != '\0' ? " " : "", name, units_count(UNITS_TEXT, config->pool),
                   100 * config->full);
}

static const struct phase exchange_phase = { "exchange", exchange_perform, false,
                                             CHECK_COUNT | CHECK_READ_BACK, "after the run" };

const struct workload workload_pool = {
    .option = "allocator",
    .is_asked = is_asked,
    .options = (const char *const[]){ OPTIONS_OF_CLOSED, OPTIONS_OF_POOL, "warmup", "ipv6", "full",
                                      "server-time", "print-exchange", "turns", "reconnect", NULL },
    .length = "count",
    .exchanges = true,
    .reads = true,
    .changes = true,
    .resolve = resolve,
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
            .check = pool_load_check_list,
        },
};
