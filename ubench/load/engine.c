/* SPDX-License-Identifier: ISC */
#include "load/engine.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "load/ranks.h"

enum { SEQUENCE_READ_BACK = 0x726462 };

/* Shortest time limit of reading back. */
#define READ_BACK_NS (10 * NS_PER_S)

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

enum load_end worker_in_groups(struct worker *worker, const char *name, uint64_t count,
                               enum load_end (*one)(struct worker *worker, uint64_t i))
{
    struct progress *const progress = worker->progress;
    const struct backend *const backend = worker->backend;
    struct session *const session = worker->session;
    struct err *const err = &worker->err;
    enum load_end end = LOAD_DONE;

    if (count > 0)
        progress_begin(progress, name, count, 1);
    for (uint64_t i = 0; i < count && end == LOAD_DONE; i++) {
        const bool first = i % WORKER_GROUP == 0;
        const bool last = i % WORKER_GROUP == WORKER_GROUP - 1 || i + 1 == count;

        progress_set_done(&progress->workers[0], i);
        if (progress_stopped(progress))
            end = LOAD_INTERRUPTED;
        else if (first && backend->begin(session, err) != 0)
            end = LOAD_FAILED;
        else
            end = one(worker, i);
        if (end == LOAD_DONE && last && backend->commit(session, err) != 0)
            end = LOAD_FAILED;
        if (end == LOAD_DONE && last)
            worker_acknowledge(worker);
    }
    atomic_store(&progress->phase, NULL);
    return end;
}

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

static enum load_end analyze(struct worker *worker)
{
    const struct backend *const backend = worker->backend;

    while (backend->analyze != NULL && backend->analyze(worker->session, &worker->err) != 0) {
        if (!worker_reopen(worker))
            return worker_failure(worker);
    }
    return LOAD_DONE;
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
    return end == LOAD_DONE ? analyze(worker) : end;
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

static void run_worker(void *context, size_t index)
{
    struct engine *const engine = context;
    struct worker *const worker = &engine->workers[index];

    worker->begun_ns = clock_now_ns();
    engine->body(worker);
    worker->ended_ns = clock_now_ns();
    /* Without this worker, the run cannot be finished. */
    if (worker->end > LOAD_INTERRUPTED)
        atomic_store(&engine->context.progress->stop, 1);
}

enum load_end engine_run(struct engine *engine, const char *name, uint64_t planned,
                         void (*body)(struct worker *worker), struct stretch *stretch)
{
    struct progress *const progress = engine->context.progress;
    struct stretch took = { .begun_ns = UINT64_MAX };
    enum load_end end = LOAD_DONE;

    engine->body = body;
    for (size_t i = 0; i < engine->threads; i++)
        engine->workers[i].end = LOAD_DONE;
    progress_begin(progress, name, planned, engine->threads);
    if (stretch != NULL)
        took.usage = load_sample(&engine->context);
    const int status = workers_run(engine->threads, run_worker, engine, engine->err);
    atomic_store(&progress->phase, NULL);
    if (status != 0)
        return LOAD_FAILED;
    for (size_t i = 0; i < engine->threads; i++) {
        const struct worker *const worker = &engine->workers[i];

        if (worker->begun_ns < took.begun_ns)
            took.begun_ns = worker->begun_ns;
        if (worker->ended_ns > took.ended_ns)
            took.ended_ns = worker->ended_ns;
        if (worker->end > end)
            end = worker_end(worker, worker->end);
    }
    if (stretch != NULL) {
        took.usage = load_used(&engine->context, &took.usage, end == LOAD_DONE);
        *stretch = took;
    }
    return end;
}

/* Checking the store */

/* Counts the leases that a correct store has, by kind if it has counters.  Returns 0, or -1
   with err if memory is short. */
static int count_due(const struct engine *engine, uint64_t *sum, struct lease_counts *counts,
                     struct err *err)
{
    struct lease lease;

    *sum = 0;
    for (size_t w = 0; w < engine->threads; w++) {
        const struct worker *const worker = &engine->workers[w];
        const uint64_t items = engine->kind->items(worker);

        for (uint64_t i = 0; i < items; i++) {
            if (!engine->kind->due(worker, i, &lease))
                continue;
            ++*sum;
            const struct lease_kind kind = { .subnet_id = lease.subnet_id,
                                             .pool_id = lease.pool_id,
                                             .type = lease.type,
                                             .state = lease.state };
            if (engine->config.counted && lease_counts_add(counts, &kind, 1) != 0)
                return err_set(err, "out of memory");
        }
    }
    return 0;
}

/* Compares the number of leases in the store with the expected one; the difference becomes the
   result's left. */
static enum load_end compare_count(struct worker *worker, uint64_t expected)
{
    const struct backend *const backend = worker->backend;
    uint64_t counted = 0;

    while (backend->count(worker->session, &counted, &worker->err) != 0) {
        if (!worker_reopen(worker))
            return worker_failure(worker);
    }
    worker_answered(worker);
    worker->engine->result->left = counted - expected;
    if (counted == expected)
        return LOAD_DONE;
    (void)err_set(&worker->err,
                  "%s: wrong answer: the store has %" PRIu64
                  " leases %s; a correct store has %" PRIu64,
                  backend->name, counted, worker->engine->phase->when, expected);
    return LOAD_WRONG;
}

/* Compares the store's counters, by subnet and by pool. */
static enum load_end compare_counters(struct worker *worker, const struct lease_counts *expected)
{
    static const struct {
        enum counters which;
        const char *name;
    } all[] = { { COUNTERS_BY_SUBNET, "subnet" }, { COUNTERS_BY_POOL, "the pools of subnet" } };
    const struct backend *const backend = worker->backend;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct lease_counts counted = { .used = 0 };
        struct lease_kind kind;

        while (backend->read_counters(worker->session, all[i].which, &counted, &worker->err) != 0) {
            lease_counts_release(&counted);
            if (!worker_reopen(worker))
                return worker_failure(worker);
        }
        const bool right = lease_counts_equal(&counted, expected, &kind);
        if (!right)
            (void)err_set(&worker->err,
                          "%s: wrong answer: %s the counter of %s %" PRIu32
                          " for leases in state %u is %" PRId64 "; a correct store has %" PRId64,
                          backend->name, worker->engine->phase->when, all[i].name, kind.subnet_id,
                          (unsigned)kind.state, lease_counts_of(&counted, &kind),
                          lease_counts_of(expected, &kind));
        lease_counts_release(&counted);
        if (!right)
            return LOAD_WRONG;
    }
    worker_answered(worker);
    return LOAD_DONE;
}

/* Checks the number of leases and the counters, in the first worker of each rank, after all
   workers have ended. */
static enum load_end check_count(struct engine *engine)
{
    struct worker *const worker = &engine->workers[0];
    struct lease_counts counts = { .used = 0 };
    uint64_t sum = 0;
    uint64_t expected;
    enum load_end end = LOAD_DONE;

    if (count_due(engine, &sum, &counts, &worker->err) != 0)
        end = LOAD_FAILED;
    else if (!ranks_meet(engine->context.ranks, sum, &expected))
        end = LOAD_INTERRUPTED;
    /* One rank checks; the others wait before the next phase. */
    if (engine->config.rank > 0) {
        lease_counts_release(&counts);
        return end;
    }
    if (end == LOAD_DONE)
        end = worker_catch_up(worker);
    if (end == LOAD_DONE)
        end = compare_count(worker, expected);
    if (end == LOAD_DONE)
        end = analyze(worker);
    if (end == LOAD_DONE && engine->config.counted && worker->backend->read_counters != NULL)
        end = compare_counters(worker, &counts);
    lease_counts_release(&counts);
    return end;
}

/* Reads lease i by its address and compares it; expects a miss if a correct store does not have
   it. */
static enum load_end read_one(struct worker *worker, uint64_t i)
{
    struct lease *const due = &worker->lease;
    const bool there = worker->engine->kind->due(worker, i, due);
    const enum load_end end =
        worker_expect(worker, due->address, worker_find(worker, LOOKUP_ADDRESS, due),
                      there ? OUTCOME_HIT : OUTCOME_MISS);

    if (end == LOAD_DONE && there && !lease_equal(due, &worker->found))
        return worker_wrong_lease(worker, due, &worker->found);
    worker->read_back += end == LOAD_DONE;
    return end;
}

static void read_back(struct worker *worker)
{
    const struct engine *const engine = worker->engine;
    struct progress *const progress = worker->progress;
    const uint64_t items = engine->kind->items(worker);
    struct permutation order;

    worker->doing = "reading back";
    worker->read_back = 0;
    permutation_init(&order, items > 0 ? items : 1,
                     random_at(engine->config.seed, SEQUENCE_READ_BACK));
    worker->end = worker_catch_up(worker);
    for (uint64_t i = 0; i < items && worker->end == LOAD_DONE; i++) {
        if (progress_stopped(progress))
            worker->end = LOAD_INTERRUPTED;
        else
            worker->end = read_one(worker, permutation_at(&order, i));
        progress_set_done(&progress->workers[worker->index], i + 1);
        if (clock_now_ns() - worker->begun_ns >= engine->limit_ns)
            break;
    }
}

static enum load_end read_all_back(struct engine *engine)
{
    struct load_result *const result = engine->result;
    const uint64_t elapsed_ns = load_result_elapsed_ns(result);
    uint64_t items = 0;

    engine->limit_ns = engine->config.read_back_ns;
    if (engine->limit_ns == 0)
        engine->limit_ns = elapsed_ns > READ_BACK_NS ? elapsed_ns : READ_BACK_NS;
    for (size_t w = 0; w < engine->threads; w++)
        items += engine->kind->items(&engine->workers[w]);
    const enum load_end end = engine_run(engine, "read back", items, read_back, NULL);
    engine->limit_ns = 0;
    for (size_t w = 0; w < engine->threads; w++)
        result->read_back += engine->workers[w].read_back;
    result->read_back_of += items;
    return end;
}

/* Makes the checks of the phase, if the store keeps leases. */
static enum load_end check(struct engine *engine)
{
    const struct phase *const phase = engine->phase;
    enum load_end end = LOAD_DONE;

    if (phase->checks == 0 || engine->unchecked || !engine->context.backend->keeps_leases)
        return LOAD_DONE;
    for (size_t w = 0; engine->kind->together && w < engine->threads; w++)
        engine->workers[w].what = phase->when;
    if ((phase->checks & CHECK_COUNT) != 0)
        end = worker_end(&engine->workers[0], check_count(engine));
    else if (!ranks_meet(engine->context.ranks, 0, NULL))
        end = LOAD_INTERRUPTED;
    if (end == LOAD_DONE && (phase->checks & CHECK_READ_BACK) != 0)
        end = read_all_back(engine);
    if (end == LOAD_DONE && engine->kind->check != NULL)
        end = worker_end(&engine->workers[0], engine->kind->check(engine));
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
    return end == LOAD_DONE ? check(engine) : end;
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
