/* SPDX-License-Identifier: ISC */
/*
 * A pool that fills up: what a new client's address costs at each utilisation,
 * and what it costs to refuse one when the pool is full.
 *
 * At each level of utilisation new clients get a lease as in the exchange
 * `dora`, with the candidates of an allocator looked up one by one.  Before it,
 * untimed, addresses all over the pool are taken, as in a pool that has long
 * been in use; after it, untimed, the new leases are removed, so that what is
 * taken stays spread evenly.
 *
 * Candidates are chosen before a level begins: the look-ups are the store's
 * work and timed, the choosing is not.  A client's latency is the time of all
 * questions that were asked for it; the time of a level, and its rate, also
 * have the making of the lease and the comparison of the answers.
 *
 * In one thread, IPv4, without a preload.  config->count is new clients per level,
 * at most half of the addresses that are free there.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/units.h"
#include "load/exchange/mix_parse.h"
#include "load/exchange/steps.h"
#include "load/workloads.h"

/* Addresses looked up in a full pool, by all clients together; but one client
   is always refused. */
#define FILL_LOOKUPS UINT64_C(100000)

enum { LEVELS = 7, FULL = LEVELS - 1 };

/* The share of the pool that is taken when a level begins. */
static const double utilisations[LEVELS] = { 0, 0.5, 0.75, 0.9, 0.95, 0.99, 1 };

enum sequence { SEQUENCE_ALLOCATOR = 201, SEQUENCE_OTHERS, SEQUENCE_DIGEST };

struct fill {
    struct exchanges all; /* with one worker, which serves the new clients */
    size_t candidate_step;
    struct allocator allocator;
    uint64_t count;   /* new clients of a level at most */
    uint32_t *others; /* the whole pool, in the order in which it is taken */
    uint64_t others_taken;
    uint64_t served; /* new clients so far */
    /* The candidates of a level's clients, which were chosen before they came:
       those of one after those of another.  The last of each is free and
       becomes its own, unless the pool is full. */
    struct clients candidates;
    size_t *ends;     /* of each client's candidates, in all of them */
    uint64_t client;  /* of the level, which is served */
    bool full;        /* no address is free, so that each client is refused */
    double predicted; /* look-ups of a client of this level */
};

static struct fill *fill_of(const struct worker *worker)
{
    return (struct fill *)worker->engine;
}

/* The client's candidates end before those of the next one. */
static enum candidate planned_candidate(const struct exchange_state *state, uint64_t k,
                                        const struct client **client)
{
    const struct fill *const fill = fill_of(state->worker);
    const size_t at = (fill->client > 0 ? fill->ends[fill->client - 1] : 0) + k;
    const size_t end = fill->ends[fill->client];

    if (fill->full && at == end)
        return CANDIDATE_NONE;
    if (!fill->full && at + 1 == end)
        return CANDIDATE_FREE;
    *client = &fill->candidates.all[at];
    return CANDIDATE_TAKEN;
}

/* The i-th new client of a level.  If the pool is full, DISCOVER is not
   answered. */
static enum load_end serve(struct worker *worker, uint64_t i)
{
    struct fill *const fill = fill_of(worker);
    struct exchange_state *const state = fill->all.states;
    const struct engine *const engine = worker->engine;
    struct phase_result *const counts = &worker->tally->counts;
    struct step_result *const candidates = &counts->steps[fill->candidate_step];

    fill->client = i;
    /* A client that is refused has a number beyond those of the pool. */
    state->client.number = fill->full ? (uint32_t)(engine->config.pool + i)
                                      : fill->candidates.all[fill->ends[i] - 1].number;
    generator_make(&engine->generator, state->client.number, 0, &worker->lease);
    const enum load_end end = exchange_run(state);
    if (end != LOAD_DONE)
        return end;
    counts->hits += !fill->full;
    counts->misses += fill->full;
    candidates->predicted += fill->predicted;
    worker->digest += random_at(candidates->hits, fill->served++);
    if (engine->config.latency)
        (void)tally_latency(worker->tally, clock_now_ns(), state->store_ns);
    return LOAD_DONE;
}

/* Between the levels: gives back the address of the latest new client, or, once
   there is none any more, takes the next of the other addresses. */
static enum load_end move_one(struct worker *worker, uint64_t i)
{
    struct fill *const fill = fill_of(worker);
    struct clients *const clients = &fill->all.states->clients;
    struct lease *const lease = &worker->lease;
    const bool gives_back = clients->active > 0;
    const uint64_t address =
        gives_back ? clients->all[--clients->active].number : fill->others[fill->others_taken++];

    (void)i;
    clients->count = clients->active;
    worker->doing = gives_back ? "remove" : "create";
    generator_make(&worker->engine->generator, address, 0, lease);
    allocator_set(&fill->allocator, address, !gives_back);
    return worker_expect(worker, lease->address,
                         worker_submit(worker, gives_back ? CHANGE_DELETE : CHANGE_CREATE, lease,
                                       lease_expire_s(lease)),
                         OUTCOME_HIT);
}

/* How many new clients come at a level. */
static uint64_t clients_due(const struct fill *fill, size_t level)
{
    const uint64_t most = level < FULL ? fill->allocator.free / 2
                          : allocator_candidates_max(&fill->allocator) == 0
                              ? fill->count
                              : FILL_LOOKUPS / fill->all.engine.config.pool;

    if (most == 0)
        return 1;
    return fill->count < most ? fill->count : most;
}

/* Lets the allocator choose for the clients of a level, whose addresses are
   taken from now on.  A search that begins near the end of a random order may
   need more candidates than there are addresses, the next order being another
   one.  Returns 0, or -1 with the worker's err. */
static int plan_clients(struct fill *fill, uint64_t due)
{
    struct worker *const worker = &fill->all.engine.workers[0];
    struct allocator *const allocator = &fill->allocator;
    const uint64_t most = allocator_candidates_max(allocator);
    const bool full = allocator->free == 0;

    fill->full = full;
    fill->candidates.active = fill->candidates.count = 0;
    for (uint64_t i = 0; i < due; i++) {
        bool taken = true;

        for (uint64_t n = 0; taken && (!full || n < most); n++) {
            const uint64_t candidate = allocator_candidate(allocator);

            if (clients_add(&fill->candidates, (uint32_t)candidate, &worker->err) != 0)
                return -1;
            taken = allocator->taken[candidate];
            if (!taken)
                allocator_set(allocator, candidate, true);
        }
        assert(taken == full);
        fill->ends[i] = fill->candidates.count;
    }
    return 0;
}

/* How many look-ups a client should take, and a little more where one random
   order ends and another begins.  The free addresses divide the others of the
   pool, in the order of the allocator, into free + 1 stretches, equally long on
   average; a client takes one and the free one behind it. */
static double predict(const struct allocator *allocator)
{
    const double pool = (double)allocator->pool;

    if (allocator->free == 0 || allocator->kind == ALLOCATOR_FREE_LIST)
        return (double)allocator_candidates_max(allocator);
    return (pool + 1) / (double)(allocator->free + 1);
}

/* Takes the pool to the level's utilisation, and plans its clients. */
static enum load_end set_stage(struct engine *engine, size_t level)
{
    struct fill *const fill = (struct fill *)engine;
    struct worker *const worker = &engine->workers[0];
    const uint64_t others = (uint64_t)((double)engine->config.pool * utilisations[level]);

    worker->what = "filling";
    enum load_end end =
        worker_in_groups(worker, "removing", fill->all.states->clients.active, move_one);
    if (end == LOAD_DONE)
        end = worker_in_groups(worker, "filling", others - fill->others_taken, move_one);
    worker->what = engine->kind->phases[level].name;
    engine->config.count = clients_due(fill, level);
    fill->predicted = predict(&fill->allocator);
    if (end == LOAD_DONE && plan_clients(fill, engine->config.count) != 0)
        end = LOAD_FAILED;
    return end;
}

/* The leases that are due: the new ones of a level, which go before the next
   one; and in the end all others. */

static uint64_t fill_items(const struct worker *worker)
{
    const bool last = (worker->engine->phase->checks & CHECK_COUNT) != 0;

    return exchange_state_of(worker)->clients.active + (last ? fill_of(worker)->others_taken : 0);
}

static bool fill_due(const struct worker *worker, uint64_t i, struct lease *lease)
{
    const struct clients *const clients = &exchange_state_of(worker)->clients;

    generator_make(&worker->engine->generator,
                   i < clients->active ? clients->all[i].number
                                       : fill_of(worker)->others[i - clients->active],
                   0, lease);
    return true;
}

/* In any order, each as likely: a permutation that only looks random leaves
   clumps, which the allocators would meet.  NULL with err if there is no
   memory. */
static uint32_t *shuffle(uint64_t pool, uint64_t key, struct err *err)
{
    uint32_t *const order = err_calloc(pool, sizeof *order, err);

    for (uint32_t i = 0; order != NULL && i < pool; i++) {
        const uint64_t at = random_below((uint32_t)random_at(key, i), i + 1);

        order[i] = order[at];
        order[at] = i;
    }
    return order;
}

static int init_fill(struct engine *engine)
{
    struct fill *const fill = (struct fill *)engine;
    const struct load_config *const config = &engine->config;
    struct err *const err = engine->err;
    struct mix *const mix = &engine->config.mix;
    const struct exchange *const dora = &mix->kinds[0].exchange;

    assert(config->pool >= FILL_POOL_MIN && config->threads == 1);
    /* The exchange dora, as the server serves it that has no reservations. */
    (void)mix_parse("dora", LEASE_FAMILY_V4, mix, err);
    mix_leave_out(mix, STEP_FIND_RESERVATION);
    while (dora->steps[fill->candidate_step].action != STEP_CHECK_CANDIDATES)
        fill->candidate_step++;
    exchange_count_steps(&fill->all);
    if (exchange_states_init(&fill->all) != 0)
        return -1;
    fill->all.candidates = planned_candidate;
    fill->all.states->exchange = dora;
    fill->count = config->count;
    engine->preload = 0;
    engine->latency = false; /* a client's is that of its questions alone */
    fill->others = shuffle(config->pool, random_at(config->seed, SEQUENCE_OTHERS), err);
    fill->ends = err_calloc(config->count, sizeof *fill->ends, err);
    return fill->others != NULL && fill->ends != NULL
               ? allocator_init(&fill->allocator, config->allocator, config->pool,
                                random_at(config->seed, SEQUENCE_ALLOCATOR), err)
               : -1;
}

static void release_fill(struct engine *engine)
{
    struct fill *const fill = (struct fill *)engine;

    exchange_states_release(&fill->all);
    allocator_release(&fill->allocator);
    free(fill->candidates.all);
    free(fill->others);
    free(fill->ends);
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

static void describe_fill(const struct load_config *config, const char *name, char *text,
                          size_t size)
{
    (void)snprintf(text, size, "%s exchanges (%s) of a pool of %s addresses with",
                   units_count(UNITS_TEXT, config->count), name,
                   units_count(UNITS_TEXT, config->pool));
}

const struct workload workload_fill = {
    .name = "fill",
    .help = "new clients fill a pool, measured at seven levels",
    .options = (const char *const[]){ OPTIONS_OF_CLOSED, "pool", "allocator", NULL },
    .length = "count",
    .exchanges = true,
    .reads = true,
    .changes = true,
    .describe = describe_fill,
    .closed =
        &(const struct engine_kind){
            .size = sizeof(struct fill),
            .phases = levels,
            .phase_count = LEVELS,
            .digest_sequence = SEQUENCE_DIGEST,
            .init = init_fill,
            .release = release_fill,
            .stage = set_stage,
            .items = fill_items,
            .due = fill_due,
        },
};
