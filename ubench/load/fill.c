/* SPDX-License-Identifier: ISC */
#include "load/fill.h"

#include <assert.h>
#include <stdlib.h>

#include "core/clock.h"
#include "load/exchange/state.h"

static const struct level {
    const char *name;
    double utilisation; /* when it begins */
} levels[] = {
    { "empty", 0 },   { "50 %", 0.5 },  { "75 %", 0.75 }, { "90 %", 0.9 },
    { "95 %", 0.95 }, { "99 %", 0.99 }, { "full", 1 },
};

enum { LEVELS = sizeof levels / sizeof levels[0], FULL = LEVELS - 1 };

enum sequence { SEQUENCE_ALLOCATOR = 201, SEQUENCE_OTHERS, SEQUENCE_DIGEST };

struct fill {
    struct exchanges all; /* with one worker; first, as the engine's owner */
    struct exchange_worker *worker; /* serves the new clients of a level */
    struct exchange dora;           /* without reservations */
    size_t candidate_step;
    struct tally tally;
    struct allocator allocator;
    uint32_t *others; /* the whole pool, in the order in which it is taken */
    uint64_t others_taken;
    uint64_t served; /* new clients so far */
    uint64_t due;    /* of this level */
    /* The candidates of a level's clients, which were chosen before they came:
       those of one after those of another.  The last of each is free and
       becomes its own, unless the pool is full. */
    struct clients candidates;
    size_t *ends;     /* of each client's candidates, in all of them */
    bool read_others; /* the checks are of all leases, not of new ones alone */
};

/* A new client.  If the pool is full, DISCOVER is not answered. */
static enum load_end serve(struct fill *fill)
{
    const struct engine *const engine = &fill->all.engine;
    struct exchange_worker *const worker = fill->worker;
    struct tally *const tally = &fill->tally;
    const uint64_t number = tally->counts.done;
    const size_t first = number > 0 ? fill->ends[number - 1] : 0;
    const size_t last = fill->ends[number];

    /* A client that is refused has a number beyond those of the pool. */
    worker->client.number = worker->refused
                                ? (uint32_t)(engine->config.pool + number)
                                : fill->candidates.all[last - 1].number;
    worker->taken = &fill->candidates.all[first];
    worker->taken_count = last - first - !worker->refused;
    generator_make(&engine->generator, worker->client.number, 0,
                   &worker->lease);
    const enum load_end end = exchange_run(worker, tally);
    if (end != LOAD_DONE)
        return end;
    tally->counts.done++;
    worker->base.digest +=
        random_at(tally->steps[fill->candidate_step].hits, fill->served++);
    if (engine->config.latency)
        (void)tally_latency(tally, clock_now_ns(), worker->store_ns);
    return LOAD_DONE;
}

/* The clients of a level, as many as were planned. */
static void serve_clients(struct worker *worker)
{
    struct fill *const fill = (struct fill *)worker->engine;
    struct progress *const progress = worker->engine->context.progress;

    tally_begin(&fill->tally, &fill->dora, worker->begun_ns);
    while (fill->tally.counts.done < fill->due && worker->end == LOAD_DONE) {
        worker->end =
            progress_stopped(progress) ? LOAD_INTERRUPTED : serve(fill);
        progress_set_done(&progress->workers[0], fill->tally.counts.done);
    }
}

/* What happens between the levels: takes the next of the other addresses, and
   gives back that of the latest new client. */

static enum load_end change(struct fill *fill, enum change change,
                            uint64_t address)
{
    const bool create = change == CHANGE_CREATE;
    struct handle *const handle = &fill->worker->base.handle;
    struct lease *const lease = &fill->worker->lease;

    handle->step = create ? "create" : "remove";
    generator_make(&fill->all.engine.generator, address, 0, lease);
    (create ? allocator_take : allocator_give_back)(&fill->allocator, address);
    return handle_expect_hit(
        handle, lease->address,
        handle_submit(handle, change, lease, lease_expire_s(lease)));
}

static enum load_end take_one(void *argument, uint64_t i)
{
    struct fill *const fill = argument;

    (void)i;
    return change(fill, CHANGE_CREATE, fill->others[fill->others_taken++]);
}

static enum load_end give_back_one(void *argument, uint64_t i)
{
    struct fill *const fill = argument;
    struct clients *const clients = &fill->worker->clients;

    (void)i;
    clients->count = --clients->active;
    return change(fill, CHANGE_DELETE, clients->all[clients->active].number);
}

/* How many new clients come at a level. */
static uint64_t clients_due(const struct fill *fill, size_t level)
{
    const uint64_t count = fill->all.engine.config.count;
    const uint64_t most = level < FULL ? fill->allocator.free / 2
                          : allocator_candidates_max(&fill->allocator) == 0
                              ? count
                              : FILL_LOOKUPS / fill->all.engine.config.pool;

    if (most == 0)
        return 1;
    return count < most ? count : most;
}

/* Lets the allocator choose for the clients of a level, whose addresses are
   taken from now on.  A search that begins near the end of a random order may
   need more candidates than there are addresses, the next order being another
   one.  Returns 0, or -1 if there is no memory. */
static int plan_clients(struct fill *fill)
{
    struct allocator *const allocator = &fill->allocator;
    const uint64_t most = allocator_candidates_max(allocator);
    const bool full = allocator->free == 0;

    fill->worker->refused = full;
    fill->candidates.active = fill->candidates.count = 0;
    for (uint64_t i = 0; i < fill->due; i++) {
        bool taken = true;

        for (uint64_t n = 0; taken && (!full || n < most); n++) {
            const uint64_t candidate = allocator_candidate(allocator);

            if (clients_add(&fill->candidates, (uint32_t)candidate) != 0)
                return -1;
            taken = allocator->taken[candidate];
            if (!taken)
                allocator_take(allocator, candidate);
        }
        assert(taken == full);
        fill->ends[i] = fill->candidates.count;
    }
    return 0;
}

/* Takes the pool to the level's utilisation, and plans its clients. */
static enum load_end set_stage(struct fill *fill, size_t level)
{
    struct handle *const handle = &fill->worker->base.handle;
    struct progress *const progress = fill->all.engine.context.progress;
    const uint64_t others = (uint64_t)((double)fill->all.engine.config.pool *
                                       levels[level].utilisation);

    handle->what = "filling";
    enum load_end end =
        handle_in_groups(handle, progress, "removing",
                         fill->worker->clients.active, give_back_one, fill);
    if (end == LOAD_DONE)
        end = handle_in_groups(handle, progress, "filling",
                               others - fill->others_taken, take_one, fill);
    handle->what = levels[level].name;
    fill->due = clients_due(fill, level);
    if (end == LOAD_DONE && plan_clients(fill) != 0)
        end = handle_no_memory(handle);
    return end;
}

/* How many look-ups clients should take, if so many addresses are free.  Those
   divide the others of the pool, in the order of the allocator, into free + 1
   stretches, which are equally long on average; each client takes one and the
   free address behind it. */
static double predict(const struct fill *fill, uint64_t free, uint64_t clients)
{
    const double pool = (double)fill->all.engine.config.pool;

    if (fill->all.engine.config.allocator == ALLOCATOR_FREE_LIST)
        return free > 0 ? (double)clients : 0;
    return (double)clients *
           (free > 0 ? (pool + 1) / (double)(free + 1) : pool);
}

static enum load_end run_level(struct fill *fill, size_t level,
                               struct phase_result *phase,
                               struct load_result *result, struct err *err)
{
    struct engine *const engine = &fill->all.engine;
    struct stretch stretch = { .begun_ns = 0 };
    enum load_end end = set_stage(fill, level);
    const uint64_t free_before = engine->config.pool - fill->others_taken;

    phase->planned = fill->due;
    if (end != LOAD_DONE) {
        *err = fill->worker->base.handle.err;
        return end;
    }
    end = engine_run(engine, phase->name, phase->planned, serve_clients,
                     &stretch, err);
    stretch_note(&stretch, phase);
    tally_end(&fill->tally, phase);
    phase->hits = phase->commits_due;
    phase->misses = phase->done - phase->hits;
    phase->steps[fill->candidate_step].predicted =
        predict(fill, free_before, phase->done);
    /* The new leases, which go before the next level; and once all others. */
    fill->read_others = level == FULL;
    return end == LOAD_DONE
               ? engine_check(engine, CHECK_READ_BACK, NULL, result, err)
               : end;
}

/* What there ought to be: the new leases of a level, and the others. */

static uint64_t fill_items(const struct worker *worker)
{
    const struct fill *const fill = (const struct fill *)worker->engine;

    return fill->worker->clients.active +
           (fill->read_others ? fill->others_taken : 0);
}

static bool fill_due(const struct worker *worker, uint64_t i,
                     struct lease *lease)
{
    const struct fill *const fill = (const struct fill *)worker->engine;
    const struct clients *const clients = &fill->worker->clients;

    if (lease != NULL)
        generator_make(&worker->engine->generator,
                       i < clients->active ? clients->all[i].number
                                           : fill->others[i - clients->active],
                       0, lease);
    return true;
}

/* In any order, each as likely: a permutation that only looks random leaves
   clumps, which the allocators would meet.  NULL if there is no memory. */
static uint32_t *shuffle(uint64_t pool, uint64_t key)
{
    uint32_t *const order = calloc(pool, sizeof *order);

    for (uint32_t i = 0; order != NULL && i < pool; i++) {
        const uint64_t at = random_below((uint32_t)random_at(key, i), i + 1);

        order[i] = order[at];
        order[at] = i;
    }
    return order;
}

/* The exchange dora, as the server serves it that has no reservations. */
static void choose_steps(struct fill *fill)
{
    struct mix mix;
    struct err none;

    (void)mix_parse("dora", LEASE_FAMILY_V4, &mix, &none);
    fill->dora = *mix.kinds[0].exchange;
    exchange_leave_out(&fill->dora, STEP_FIND_RESERVATION);
    while (fill->dora.steps[fill->candidate_step].action !=
           STEP_CHECK_CANDIDATES)
        fill->candidate_step++;
}

static int name_phases(const struct fill *fill, struct load_result *result,
                       struct err *err)
{
    if (load_result_init(result, LEVELS, err) != 0)
        return -1;
    for (size_t i = 0; i < LEVELS; i++) {
        if (tally_begin_phase(&result->phases[i], &fill->dora, err) != 0)
            return -1;
        result->phases[i].name = levels[i].name;
    }
    return 0;
}

static void free_fill(struct fill *fill)
{
    allocator_release(&fill->allocator);
    series_release(&fill->tally.counts.series);
    clients_release(&fill->candidates);
    if (fill->worker != NULL)
        clients_release(&fill->worker->clients);
    free(fill->others);
    free(fill->ends);
    engine_release(&fill->all.engine);
    free(fill);
}

/* Returns 0, or -1 with err; free it either way. */
static int init_fill(struct fill *fill, const struct load_config *config,
                     const struct load_context *context, struct err *err)
{
    static const struct engine_kind kind = { sizeof(struct exchange_worker),
                                             fill_items, fill_due };

    if (engine_init(&fill->all.engine, &kind, config, context, err) != 0)
        return -1;
    fill->worker = exchange_worker(&fill->all, 0);
    choose_steps(fill);
    fill->worker->exchange = &fill->dora;
    fill->others =
        shuffle(config->pool, random_at(config->seed, SEQUENCE_OTHERS));
    fill->ends = calloc(config->count, sizeof *fill->ends);
    if (allocator_init(&fill->allocator, config->allocator, config->pool,
                       random_at(config->seed, SEQUENCE_ALLOCATOR)) == 0 &&
        clients_init(&fill->candidates, 0) == 0 && fill->others != NULL &&
        fill->ends != NULL)
        return 0;
    return err_set(err, "out of memory");
}

static enum load_end run_levels(struct fill *fill, struct load_result *result,
                                struct err *err)
{
    enum load_end end = engine_prepare(&fill->all.engine, NULL, err);

    for (size_t i = 0; i < LEVELS && end == LOAD_DONE; i++)
        end = run_level(fill, i, &result->phases[i], result, err);
    if (end == LOAD_DONE)
        end = engine_check(&fill->all.engine, CHECK_COUNT,
                           "after the last level", result, err);
    result->digest += fill->worker->base.digest;
    return end;
}

static enum load_end run_fill(const struct workload *workload,
                              const struct load_config *config,
                              const struct load_context *context,
                              struct load_result *result, struct err *err)
{
    struct fill *const fill = err_calloc(1, sizeof *fill, err);
    enum load_end end = LOAD_FAILED;

    (void)workload;
    assert(config->pool >= FILL_POOL_MIN && config->threads == 1);
    *result = (struct load_result){
        .verified = context->backend->keeps_leases,
        .digest = random_at(config->seed, SEQUENCE_DIGEST),
    };
    if (fill == NULL)
        return LOAD_FAILED;
    if (init_fill(fill, config, context, err) == 0 &&
        name_phases(fill, result, err) == 0)
        end = run_levels(fill, result, err);
    free_fill(fill);
    return end;
}

const struct workload workload_fill = {
    .name = "fill",
    .help = "new clients of a pool that fills up, at seven levels",
    .kind = WORKLOAD_FILL,
    .exchanges = true,
    .run = run_fill,
};
