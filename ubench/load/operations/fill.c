/* SPDX-License-Identifier: ISC */
/*
 * A pool that fills up: what the address of a new client costs at each utilisation, and what it
 * costs to refuse a client when the pool is full.
 *
 * At each level of utilisation, new clients get a lease as in the exchange `dora`, and the
 * candidates of an allocator are looked up one by one (load/pool/).  Before each level, untimed,
 * the new leases of the level before are removed, and addresses all over the pool are taken, as in
 * a pool that has long been in use.
 *
 * IPv4, one process, no preload. config->count is the number of new clients per level, at most half
 * of the addresses that are free there.
 */
#include <stdio.h>

#include "core/units.h"
#include "load/exchange/exchanges.h"
#include "load/exchange/mix_parse.h"
#include "load/pool/pool.h"
#include "load/pool/pool_load.h"
#include "load/pool/pool_plan.h"
#include "load/workloads.h"

/* Limit of the addresses looked up in a full pool, by all clients together; at least one client
   is refused. */
#define FILL_LOOKUPS UINT64_C(100000)

enum { LEVELS = 7, FULL = LEVELS - 1, SEQUENCE_DIGEST = 203, USUAL_POOL = 20000 };

/* Share of the pool that is taken when a level begins. */
static const double utilisations[LEVELS] = { 0, 0.5, 0.75, 0.9, 0.95, 0.99, 1 };

struct fill {
    struct exchanges all;
    size_t candidate_step;
    uint64_t count;   /* new clients of a level, at most */
    double predicted; /* expected look-ups of a client of this level */
};

/* Serves the i-th new client of a level.  If the pool is full, its DISCOVER is not answered. */
static enum load_end serve(struct worker *worker, uint64_t i)
{
    const struct fill *const fill = (const struct fill *)worker->engine;
    const enum load_end end = exchange_perform(worker, i);

    if (end == LOAD_DONE && !worker->given_up)
        worker->tally->counts.steps[fill->candidate_step].predicted += fill->predicted;
    return end;
}

/* Returns the number of new clients of a level. */
static uint64_t clients_due(const struct fill *fill, size_t level)
{
    const struct shared_pool *const pool = fill->all.pool;
    const enum allocator_kind allocator = fill->all.engine.config.pool.allocator;
    const bool looks = allocator == ALLOCATOR_ITERATIVE || allocator == ALLOCATOR_RANDOM;
    const uint64_t most = level < FULL ? (pool->size - pool->others) / 2
                          : looks      ? FILL_LOOKUPS / pool->size
                                       : fill->count;

    if (most == 0)
        return 1;
    return fill->count < most ? fill->count : most;
}

/* Returns the expected number of look-ups of a client, which is slightly exceeded where one
   random order ends and another begins.  In the allocator's order, the free addresses divide
   the others into free + 1 stretches of equal mean length; a client looks up one stretch and
   the free address after it. */
static double predict(const struct shared_pool *pool, enum allocator_kind allocator)
{
    const uint64_t free = pool->size - pool->others;

    if (pool->server_count > 1)
        return 0;
    if (allocator != ALLOCATOR_ITERATIVE && allocator != ALLOCATOR_RANDOM)
        return free > 0;
    return free > 0 ? (double)(pool->size + 1) / (double)(free + 1) : (double)pool->size;
}

/* Fills the pool to the level's utilisation, and plans its clients. */
static enum load_end set_stage(struct engine *engine, size_t level)
{
    struct fill *const fill = (struct fill *)engine;
    const uint64_t others = (uint64_t)((double)engine->config.pool.size * utilisations[level]);
    enum load_end end = pool_load_remove_new(engine);

    if (end == LOAD_DONE)
        end = pool_load_take_others(engine, others);
    if (end == LOAD_DONE)
        end = pool_load_make_list(engine);
    engine->config.count = clients_due(fill, level);
    fill->predicted = predict(fill->all.pool, engine->config.pool.allocator);
    return end;
}

/* The leases of a correct store: the new ones of a level, which are removed before the next
   level, and in the end all others. */
static uint64_t fill_items(const struct worker *worker)
{
    const bool last = (worker->engine->phase->checks & CHECK_COUNT) != 0;

    return last ? pool_load_items(worker) : exchange_state_of(worker)->clients.count;
}

static int init_fill(struct engine *engine)
{
    struct fill *const fill = (struct fill *)engine;
    struct mix *const mix = &engine->config.mix;

    *mix = (struct mix){ 0 };
    if (mix_parse("dora", LEASE_FAMILY_V4, mix, engine->err) != 0 || pool_load_init(engine) != 0)
        return -1;
    while (mix->kinds[0].exchange.steps[fill->candidate_step].action != STEP_CHECK_CANDIDATES)
        fill->candidate_step++;
    fill->count = engine->config.count;
    return 0;
}

static const struct phase levels[LEVELS] = {
    { "empty", serve, false, CHECK_READ_BACK, NULL },
    { "50 %", serve, false, CHECK_READ_BACK, NULL },
    { "75 %", serve, false, CHECK_READ_BACK, NULL },
    { "90 %", serve, false, CHECK_READ_BACK, NULL },
    { "95 %", serve, false, CHECK_READ_BACK, NULL },
    { "99 %", serve, false, CHECK_READ_BACK, NULL },
    { "full", serve, false, CHECK_COUNT | CHECK_READ_BACK, "after the last level" },
};

static int resolve_fill(struct load_config *config, const char *workload, struct err *err)
{
    (void)workload;
    if (config->ranks > 1)
        return err_usage(err, "--workload=fill: several ranks cannot fill one pool level by level; "
                              "start one process, without mpirun, with --threads and --servers");
    if (config->pool.allocator == ALLOCATOR_NONE)
        config->pool.allocator = ALLOCATOR_ITERATIVE;
    if (config->pool.size == 0)
        config->pool.size = USUAL_POOL;
    return pool_plan_check_servers(config, err);
}

static void describe_fill(const struct load_config *config, const char *name, char *text,
                          size_t size)
{
    (void)snprintf(text, size, "%s exchanges (%s) of a pool of %s addresses with",
                   units_count(UNITS_TEXT, config->count), name,
                   units_count(UNITS_TEXT, config->pool.size));
}

const struct workload workload_fill = {
    .name = "fill",
    .help = "new clients fill a pool, measured at seven levels",
    .options = (const char *const[]){ OPTIONS_OF_CLOSED, OPTIONS_OF_POOL, NULL },
    .length = "count",
    .exchanges = true,
    .reads = true,
    .changes = true,
    .by_level = true,
    .resolve = resolve_fill,
    .describe = describe_fill,
    .closed =
        &(const struct engine_kind){
            .size = sizeof(struct fill),
            .phases = levels,
            .phase_count = LEVELS,
            .digest_sequence = SEQUENCE_DIGEST,
            .init = init_fill,
            .release = pool_load_release,
            .stage = set_stage,
            .items = fill_items,
            .due = pool_load_due,
            .check = pool_load_check_list,
        },
};
