/* SPDX-License-Identifier: ISC */
#include "load/engine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "load/ranks.h"

/* Counts all operations of a phase in one tally. */
static const struct tally_kind whole_phase = { .name = NULL };

/* Initialises counters with zeros, and steps, which make_steps allocated for them. */
static void begin_counts(struct phase_result *counts, const struct tally_kind *kind,
                         struct step_result *steps)
{
    memset(counts, 0, sizeof *counts);
    histogram_init(&counts->operations);
    histogram_init(&counts->commits);
    counts->steps = steps;
    counts->step_count = kind->step_count;
    for (size_t i = 0; i < kind->step_count; i++) {
        steps[i] = kind->steps[i];
        histogram_init(&steps[i].latency);
    }
}

/* Allocates the steps of counters.  Returns 0, or -1 with err if memory is short. */
static int make_steps(struct phase_result *counts, const struct tally_kind *kind, struct err *err)
{
    if (kind->steps == NULL)
        return 0;
    counts->steps = err_calloc(kind->step_count + 1, sizeof *counts->steps, err);
    return counts->steps != NULL ? 0 : -1;
}

/* Workers */

static int make_worker(struct engine *engine, size_t i)
{
    const struct load_context *const context = &engine->context;
    const uint64_t batch = engine->config.batch;
    struct worker *const worker = &engine->workers[i];

    worker->engine = engine;
    worker->progress = context->progress;
    worker->backend = context->backend;
    worker->session = context->sessions[i];
    worker->reconnect = context->reconnect;
    worker->index = i;
    worker->type = engine->generator.type;
    worker->number = engine->config.rank * engine->threads + i;
    return context->ledger == NULL
               ? 0
               : ledger_client_init(&worker->ledger, context->ledger, (uint16_t)i,
                                    batch > WORKER_GROUP ? batch : WORKER_GROUP, engine->err);
}

static int make_tallies(struct engine *engine, struct worker *worker)
{
    worker->tallies = err_calloc(engine->tallies, sizeof *worker->tallies, engine->err);
    for (size_t t = 0; worker->tallies != NULL && t < engine->tallies; t++) {
        if (make_steps(&worker->tallies[t].counts, &engine->tally_kinds[t], engine->err) != 0)
            return -1;
    }
    return worker->tallies != NULL ? 0 : -1;
}

static int make(struct engine *engine)
{
    const struct engine_kind *const kind = engine->kind;
    const struct load_config *const config = &engine->config;

    generator_init(&engine->generator, config->family, config->profile, config->seed);
    engine->generator.subnets = config->subnets;
    engine->threads = load_threads(config);
    assert(engine->threads >= 1 && config->threads <= WORKERS_MAX);
    engine->tally_kinds = &whole_phase;
    engine->tallies = 1;
    engine->workers = err_calloc(engine->threads, sizeof *engine->workers, engine->err);
    if (engine->workers == NULL)
        return -1;
    for (size_t i = 0; i < engine->threads; i++) {
        if (make_worker(engine, i) != 0)
            return -1;
    }
    uint64_t *const digest = &engine->workers[0].digest;
    /* The digests of all ranks add up to that of the run. */
    if (config->rank == 0)
        *digest = random_at(config->seed, kind->digest_sequence);
    if (config->rank == 0 && config->subnets > 1)
        *digest = random_at(*digest, config->subnets);
    if (kind->init(engine) != 0)
        return -1;
    for (size_t i = 0; i < engine->threads; i++) {
        if (make_tallies(engine, &engine->workers[i]) != 0)
            return -1;
    }
    return 0;
}

static void release(struct engine *engine)
{
    if (engine->workers != NULL && engine->kind->release != NULL)
        engine->kind->release(engine);
    for (size_t i = 0; engine->workers != NULL && i < engine->threads; i++) {
        struct worker *const worker = &engine->workers[i];

        for (size_t t = 0; worker->tallies != NULL && t < engine->tallies; t++)
            free(worker->tallies[t].counts.steps);
        free(worker->tallies);
        ledger_client_release(&worker->ledger);
    }
    free(engine->workers);
    free(engine);
}

/* Tallies */

static int begin_result(struct engine *engine)
{
    const struct engine_kind *const kind = engine->kind;
    struct load_result *const result = engine->result;
    const size_t count = kind->together ? engine->tallies : kind->phase_count;

    result->phases = err_calloc(count, sizeof *result->phases, engine->err);
    result->together = kind->together;
    result->verified = engine->context.backend->keeps_leases;
    for (size_t i = 0; result->phases != NULL && i < count; i++) {
        const struct tally_kind *const counted = &engine->tally_kinds[kind->together ? i : 0];
        struct phase_result *const phase = &result->phases[i];

        if (make_steps(phase, counted, engine->err) != 0)
            return -1;
        begin_counts(phase, counted, phase->steps);
        phase->name = counted->name != NULL ? counted->name : kind->phases[i].name;
        result->phase_count++;
    }
    return result->phases != NULL ? 0 : -1;
}

/* Begins phase i, with all tallies empty. */
static void begin_tallies(struct engine *engine, size_t i)
{
    const uint64_t now_ns = clock_now_ns();

    engine->phase = &engine->kind->phases[i];
    for (size_t w = 0; w < engine->threads; w++) {
        struct worker *const worker = &engine->workers[w];

        for (size_t t = 0; t < engine->tallies; t++) {
            struct tally *const tally = &worker->tallies[t];

            begin_counts(&tally->counts, &engine->tally_kinds[t], tally->counts.steps);
            histogram_init(&tally->seen);
            series_begin(&tally->counts.series, &tally->seen, now_ns);
        }
        worker->tally = worker->tallies;
        worker->done = 0;
        worker->ended_ns = now_ns;
    }
}

static void add_counts(const struct tally *tally, struct phase_result *phase)
{
    const struct phase_result *const counts = &tally->counts;

    phase->done += counts->hits + counts->misses;
    phase->hits += counts->hits;
    phase->misses += counts->misses;
    phase->deadlocks += counts->deadlocks;
    phase->conflicts += counts->conflicts;
    phase->stale += counts->stale;
    phase->allocation.offered += counts->allocation.offered;
    phase->allocation.offered_twice += counts->allocation.offered_twice;
    phase->allocation.lost += counts->allocation.lost;
    phase->allocation.lost_on_insert += counts->allocation.lost_on_insert;
    phase->round_trips += counts->round_trips;
    histogram_add(&phase->operations, &counts->operations);
    histogram_add(&phase->commits, &counts->commits);
}

void engine_count(const struct engine *engine, struct phase_result *sum)
{
    for (size_t i = 0; i < engine->threads; i++) {
        for (size_t t = 0; t < engine->tallies; t++)
            add_counts(&engine->workers[i].tallies[t], sum);
    }
}

static void end_tally(struct tally *tally, struct phase_result *phase)
{
    struct phase_result *const counts = &tally->counts;

    add_counts(tally, phase);
    series_end(&counts->series, &counts->operations);
    series_add(&phase->series, &counts->series);
    series_release(&counts->series);
    for (size_t s = 0; s < phase->step_count; s++) {
        struct step_result *const to = &phase->steps[s];
        const struct step_result *const from = &counts->steps[s];

        to->hits += from->hits;
        to->misses += from->misses;
        to->predicted += from->predicted;
        histogram_add(&to->latency, &from->latency);
        if (to->changes)
            phase->commits_due += from->hits;
    }
}

/* Ends the tallies and adds them, and the digests, to phase i of the result. */
static void end_tallies(struct engine *engine, size_t i, const struct stretch *stretch,
                        bool complete)
{
    struct load_result *const result = engine->result;

    for (size_t t = 0; t < engine->tallies; t++) {
        struct phase_result *const phase = &result->phases[i + t];

        phase->complete = complete;
        phase->begun_ns = stretch->begun_ns;
        phase->ended_ns = stretch->ended_ns;
        phase->usage = stretch->usage;
        for (size_t w = 0; w < engine->threads; w++)
            end_tally(&engine->workers[w].tallies[t], phase);
        if (engine->phase->changes)
            phase->commits_due = phase->done;
    }
    result->digest = 0;
    for (size_t w = 0; w < engine->threads; w++)
        result->digest += engine->workers[w].digest;
}

/* Filling the store */

static enum load_end preload_one(struct worker *worker, uint64_t i)
{
    const struct engine *const engine = worker->engine;
    struct lease *const lease = &worker->lease;

    worker->doing = "preloading";
    if (engine->kind->make != NULL)
        engine->kind->make(engine, i, lease);
    else
        generator_make(&engine->generator, i, 0, lease);
    ledger_attempt(&worker->ledger, i, CHANGE_CREATE);
    return worker_expect(worker, lease->address, worker_submit(worker, CHANGE_CREATE, lease, 0),
                         OUTCOME_HIT);
}

/* Empties the store and creates the preload, with the first worker of the first rank. */
static enum load_end fill(struct engine *engine)
{
    const struct engine_kind *const kind = engine->kind;
    struct worker *const worker = &engine->workers[0];
    enum load_end end =
        worker->backend->reset(worker->session, &worker->err) == 0 ? LOAD_DONE : LOAD_FAILED;

    if (end == LOAD_DONE && kind->before != NULL)
        end = kind->before(engine);
    if (end == LOAD_DONE)
        end = worker_in_groups(worker, "preload", engine->preload, preload_one);
    return end == LOAD_DONE ? worker_analyze(worker) : end;
}

/* Fills the store in the first rank, and waits until all ranks and all nodes have the
   leases. */
static enum load_end prepare(struct engine *engine)
{
    const struct load_context *const context = &engine->context;
    enum load_end end = LOAD_DONE;

    if (!ranks_meet(context->ranks, 0, NULL))
        return LOAD_INTERRUPTED;
    if (engine->config.rank == 0)
        end = worker_end(&engine->workers[0], fill(engine));
    if (end == LOAD_DONE && !ranks_meet(context->ranks, 0, NULL))
        end = LOAD_INTERRUPTED;
    for (size_t i = 0; i < engine->threads && end == LOAD_DONE; i++) {
        struct worker *const worker = &engine->workers[i];

        end = worker_end(worker, worker_catch_up(worker));
    }
    /* A connection that was lost before the load is not an outage. */
    if (context->reconnect != NULL)
        reconnect_begin(context->reconnect);
    return end;
}

/* A load */

static enum load_end run_phase(struct engine *engine, size_t i, engine_work *work, void *context)
{
    struct stretch stretch = { .begun_ns = 0 };
    enum load_end end = LOAD_DONE;

    if (engine->kind->stage != NULL)
        end = worker_end(&engine->workers[0], engine->kind->stage(engine, i));
    begin_tallies(engine, i);
    if (end == LOAD_DONE && !ranks_meet(engine->context.ranks, 0, NULL))
        end = LOAD_INTERRUPTED;
    if (end == LOAD_DONE)
        end = work(engine, context, &stretch);
    if (stretch.begun_ns != 0)
        end_tallies(engine, i, &stretch, end == LOAD_DONE);
    return end == LOAD_DONE ? engine_check(engine) : end;
}

enum load_end engine_load(const struct engine_kind *kind, const struct load_config *config,
                          const struct load_context *context, engine_work *work, void *work_context,
                          struct load_result *result, struct err *err)
{
    struct engine *const engine = err_calloc(1, kind->size, err);
    enum load_end end = LOAD_FAILED;

    if (engine == NULL)
        return LOAD_FAILED;
    engine->kind = kind;
    engine->config = *config;
    engine->context = *context;
    engine->result = result;
    engine->err = err;
    engine->preload = config->preload;
    engine->most = UINT64_MAX;
    engine->latency = config->latency;
    if (make(engine) == 0 && begin_result(engine) == 0)
        end = prepare(engine);
    if (end == LOAD_DONE && context->ledger != NULL)
        atomic_store(&context->ledger->header->begun_ns, clock_now_ns());
    for (size_t i = 0; i < kind->phase_count && end == LOAD_DONE; i++)
        end = run_phase(engine, i, work, work_context);
    release(engine);
    return end;
}
