/* SPDX-License-Identifier: ISC */
#include "load/engine.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "load/workers.h"

enum { SEQUENCE_READ_BACK = 0x726462 };

/* Reads back for so long at least, if there is so much to read. */
#define READ_BACK_NS (10 * NS_PER_S)

/* Names the steps, and returns how many there are. */
static size_t begin_steps(const struct exchange *exchange,
                          struct step_result *steps)
{
    size_t count = 0;

    for (const struct step *s = exchange->steps; s->action != STEP_END; s++) {
        steps[count] = (struct step_result){
            .name = s->name,
            .operation = step_operation(s->action),
            .changes = step_changes(s->action),
        };
        histogram_init(&steps[count++].latency);
    }
    return count;
}

void tally_begin(struct tally *tally, const struct exchange *exchange,
                 uint64_t now_ns)
{
    struct phase_result *const counts = &tally->counts;

    series_release(&counts->series);
    memset(counts, 0, sizeof *counts);
    histogram_init(&counts->operations);
    histogram_init(&counts->commits);
    histogram_init(&tally->seen);
    series_begin(&counts->series, &tally->seen, now_ns);
    counts->steps = tally->steps;
    counts->step_count =
        exchange != NULL ? begin_steps(exchange, tally->steps) : 0;
}

int tally_begin_phase(struct phase_result *phase,
                      const struct exchange *exchange, struct err *err)
{
    phase->name = exchange->name;
    phase->steps = err_calloc(STEPS_MAX, sizeof *phase->steps, err);
    if (phase->steps == NULL)
        return -1;
    phase->step_count = begin_steps(exchange, phase->steps);
    return 0;
}

void tally_add(const struct tally *tally, struct phase_result *phase)
{
    const struct phase_result *const counts = &tally->counts;

    phase->done += counts->done;
    phase->hits += counts->hits;
    phase->misses += counts->misses;
    phase->commits_due += counts->commits_due;
    phase->deadlocks += counts->deadlocks;
    phase->conflicts += counts->conflicts;
    phase->stale += counts->stale;
    histogram_add(&phase->operations, &counts->operations);
    histogram_add(&phase->commits, &counts->commits);
}

void tally_end(struct tally *tally, struct phase_result *phase)
{
    struct phase_result *const counts = &tally->counts;

    tally_add(tally, phase);
    series_end(&counts->series, &counts->operations);
    series_add(&phase->series, &counts->series);
    series_release(&counts->series);
    for (size_t s = 0; s < phase->step_count; s++) {
        struct step_result *const to = &phase->steps[s];
        const struct step_result *const from = &tally->steps[s];

        to->hits += from->hits;
        to->misses += from->misses;
        histogram_add(&to->latency, &from->latency);
        if (to->changes)
            phase->commits_due += from->hits;
    }
}

int engine_init(struct engine *engine, const struct engine_kind *kind,
                const struct load_config *config,
                const struct load_context *context, struct err *err)
{
    const size_t threads = load_threads(config);

    assert(threads >= 1 && config->threads <= WORKERS_MAX);
    engine->kind = kind;
    engine->config = *config;
    engine->context = *context;
    engine->threads = threads;
    generator_init(&engine->generator, config->family, config->profile,
                   config->seed);
    engine->generator.subnets = config->subnets;
    engine->workers = err_calloc(threads, kind->worker_size, err);
    for (size_t i = 0; engine->workers != NULL && i < threads; i++) {
        struct worker *const worker = engine_worker(engine, i);

        worker->engine = engine;
        worker->number = load_worker(config, i);
        handle_init(&worker->handle, context, i, engine->generator.type);
    }
    return engine->workers != NULL ? 0 : -1;
}

void engine_release(struct engine *engine)
{
    free(engine->workers);
    engine->workers = NULL;
}

/* The end of something that one worker did alone. */
static enum load_end end_of(const struct worker *worker, enum load_end end,
                            struct err *err)
{
    if (end > LOAD_INTERRUPTED)
        *err = worker->handle.err;
    return end;
}

static enum load_end analyze(struct handle *handle)
{
    const struct backend *const backend = handle->backend;

    while (backend->analyze != NULL &&
           backend->analyze(handle->session, &handle->err) != 0) {
        if (!handle_reopen(handle))
            return handle_end(handle);
    }
    return LOAD_DONE;
}

enum load_end engine_prepare(struct engine *engine,
                             enum load_end (*fill)(struct engine *engine),
                             struct err *err)
{
    const struct load_context *const context = &engine->context;
    struct worker *const first = engine_worker(engine, 0);
    struct handle *const handle = &first->handle;
    enum load_end end = LOAD_DONE;

    if (!barrier_wait(context->barrier, 0, NULL))
        return LOAD_INTERRUPTED;
    if (engine->config.part == 0)
        end = handle->backend->reset(handle->session, &handle->err) != 0
                  ? LOAD_FAILED
              : fill != NULL ? fill(engine)
                             : LOAD_DONE;
    if (engine->config.part == 0 && end == LOAD_DONE)
        end = analyze(handle);
    end = end_of(first, end, err);
    if (end == LOAD_DONE && !barrier_wait(context->barrier, 0, NULL))
        end = LOAD_INTERRUPTED;
    for (size_t i = 0; i < engine->threads && end == LOAD_DONE; i++) {
        struct worker *const worker = engine_worker(engine, i);

        end = end_of(worker, handle_catch_up(&worker->handle), err);
    }
    /* While the store was away before, that was no outage. */
    if (context->reconnect != NULL)
        reconnect_begin(context->reconnect);
    return end;
}

static void run_worker(void *context, size_t index)
{
    struct engine *const engine = context;
    struct worker *const worker = engine_worker(engine, index);

    worker->begun_ns = clock_now_ns();
    engine->body(worker);
    worker->ended_ns = clock_now_ns();
    /* The others need not go on with what cannot be finished. */
    if (worker->end > LOAD_INTERRUPTED)
        atomic_store(&engine->context.progress->stop, 1);
}

/* The worst end of all workers, and why; and when they began and ended. */
static enum load_end collect(const struct engine *engine,
                             struct stretch *stretch, struct err *err)
{
    enum load_end end = LOAD_DONE;

    stretch->begun_ns = UINT64_MAX;
    stretch->ended_ns = 0;
    for (size_t i = 0; i < engine->threads; i++) {
        const struct worker *const worker = engine_worker(engine, i);

        if (worker->begun_ns < stretch->begun_ns)
            stretch->begun_ns = worker->begun_ns;
        if (worker->ended_ns > stretch->ended_ns)
            stretch->ended_ns = worker->ended_ns;
        if (worker->end > end)
            end = end_of(worker, worker->end, err);
    }
    return end;
}

enum load_end engine_run(struct engine *engine, const char *name,
                         uint64_t planned, void (*body)(struct worker *worker),
                         struct stretch *stretch, struct err *err)
{
    struct progress *const progress = engine->context.progress;
    struct stretch unwanted;

    engine->body = body;
    for (size_t i = 0; i < engine->threads; i++)
        engine_worker(engine, i)->end = LOAD_DONE;
    progress_begin(progress, name, planned, engine->threads);
    const struct usage before = load_sample(&engine->context);
    const int status = workers_run(engine->threads, run_worker, engine, err);
    atomic_store(&progress->phase, NULL);
    if (status != 0)
        return LOAD_FAILED;
    if (stretch == NULL)
        stretch = &unwanted;
    const enum load_end end = collect(engine, stretch, err);
    stretch->usage = load_used(&engine->context, &before, end == LOAD_DONE);
    return end;
}

void stretch_note(const struct stretch *stretch, struct phase_result *phase)
{
    phase->begun_ns = stretch->begun_ns;
    phase->ended_ns = stretch->ended_ns;
    phase->usage = stretch->usage;
}

/* What is there */

/* Counts the leases that there ought to be, and what the counters ought to say.
   Returns 0, or -1 if there is no memory. */
static int count_due(const struct engine *engine, uint64_t *sum,
                     struct lease_counts *counts)
{
    const bool counted = engine->config.counted;
    struct lease lease;

    *sum = 0;
    for (size_t w = 0; w < engine->threads; w++) {
        const struct worker *const worker = engine_worker(engine, w);
        const uint64_t items = engine->kind->items(worker);

        for (uint64_t i = 0; i < items; i++) {
            if (!engine->kind->due(worker, i, counted ? &lease : NULL))
                continue;
            ++*sum;
            if (!counted)
                continue;
            const struct lease_kind kind = { .subnet_id = lease.subnet_id,
                                             .pool_id = lease.pool_id,
                                             .type = lease.type,
                                             .state = lease.state };
            if (lease_counts_add(counts, &kind, 1) != 0)
                return -1;
        }
    }
    return 0;
}

/* Counts the leases in the store and compares; result->left becomes those that
   are too many.  when is for the sentence: "after create". */
static enum load_end compare_count(struct handle *handle, uint64_t expected,
                                   const char *when, struct load_result *result)
{
    const struct backend *const backend = handle->backend;
    uint64_t counted = 0;

    while (backend->count(handle->session, &counted, &handle->err) != 0) {
        if (!handle_reopen(handle))
            return handle_end(handle);
    }
    handle_acknowledge(handle);
    if (!backend->keeps_leases)
        return LOAD_DONE;
    result->left = counted - expected;
    if (counted == expected)
        return LOAD_DONE;
    (void)err_set(&handle->err,
                  "%s: wrong answer: %" PRIu64 " leases are there %s, where a "
                  "correct store has %" PRIu64,
                  backend->name, counted, when, expected);
    return LOAD_WRONG;
}

static enum load_end compare_counters(struct handle *handle, const char *which,
                                      const struct lease_counts *counted,
                                      const struct lease_counts *expected,
                                      const char *when)
{
    struct lease_kind kind;

    if (lease_counts_equal(counted, expected, &kind))
        return LOAD_DONE;
    (void)err_set(&handle->err,
                  "%s: wrong answer: %s the counter of %s %" PRIu32
                  " for leases in state %u says %" PRId64
                  ", where a correct store has %" PRId64,
                  handle->backend->name, when, which, kind.subnet_id,
                  (unsigned)kind.state, lease_counts_of(counted, &kind),
                  lease_counts_of(expected, &kind));
    return LOAD_WRONG;
}

/* The same with the store's counters, by subnet and by pool.  LOAD_DONE also if
   it keeps none. */
static enum load_end compare_all_counters(struct handle *handle,
                                          const struct lease_counts *expected,
                                          const char *when)
{
    static const struct {
        enum counters which;
        const char *name;
    } all[] = { { COUNTERS_BY_SUBNET, "subnet" },
                { COUNTERS_BY_POOL, "the pools of subnet" } };
    const struct backend *const backend = handle->backend;
    enum load_end end = LOAD_DONE;

    for (size_t i = 0; backend->read_counters != NULL && end == LOAD_DONE &&
                       i < sizeof all / sizeof all[0];) {
        struct lease_counts counted = { .used = 0 };

        if (backend->read_counters(handle->session, all[i].which, &counted,
                                   &handle->err) == 0) {
            end =
                compare_counters(handle, all[i].name, &counted, expected, when);
            i++;
        } else if (!handle_reopen(handle)) {
            end = handle_end(handle);
        }
        lease_counts_release(&counted);
    }
    if (end == LOAD_DONE)
        handle_acknowledge(handle);
    return end;
}

/* By the first worker, when all parts have done their work. */
static enum load_end check_count(struct engine *engine, const char *when,
                                 struct load_result *result)
{
    struct handle *const handle = &engine_worker(engine, 0)->handle;
    const bool keeps = handle->backend->keeps_leases;
    struct lease_counts counts = { .used = 0 };
    uint64_t sum = 0;
    int64_t expected;
    enum load_end end = LOAD_DONE;

    if (keeps && count_due(engine, &sum, &counts) != 0)
        end = handle_no_memory(handle);
    else if (!barrier_wait(engine->context.barrier, (int64_t)sum, &expected))
        end = LOAD_INTERRUPTED;
    if (end == LOAD_DONE)
        end = handle_catch_up(handle);
    if (end == LOAD_DONE)
        end = compare_count(handle, (uint64_t)expected, when, result);
    if (end == LOAD_DONE)
        end = analyze(handle);
    if (end == LOAD_DONE && keeps && engine->config.counted)
        end = compare_all_counters(handle, &counts, when);
    lease_counts_release(&counts);
    return end;
}

/* Reads a lease by its address and compares it, or that it is not there. */
static enum load_end read_one(struct worker *worker, uint64_t i)
{
    struct handle *const handle = &worker->handle;
    struct lease due;
    struct lease found;
    const bool there = worker->engine->kind->due(worker, i, &due);
    const enum outcome expected = there ? OUTCOME_HIT : OUTCOME_MISS;
    const enum outcome outcome =
        handle_find(handle, LOOKUP_ADDRESS, &due, &found);

    if (outcome != expected)
        return handle_wrong_outcome(handle, due.address, outcome, expected);
    handle_acknowledge(handle);
    if (there && !lease_equal(&due, &found))
        return handle_wrong_lease(handle, &due, &found);
    worker->read_back++;
    return LOAD_DONE;
}

static void read_back(struct worker *worker)
{
    const struct engine *const engine = worker->engine;
    struct progress *const progress = engine->context.progress;
    const uint64_t items = engine->kind->items(worker);
    struct permutation order;

    worker->handle.step = "reading back";
    worker->read_back = 0;
    permutation_init(&order, items > 0 ? items : 1,
                     random_at(engine->config.seed, SEQUENCE_READ_BACK));
    worker->end = handle_catch_up(&worker->handle);
    for (uint64_t i = 0; i < items && worker->end == LOAD_DONE; i++) {
        if (progress_stopped(progress))
            worker->end = LOAD_INTERRUPTED;
        else
            worker->end = read_one(worker, permutation_at(&order, i));
        progress_set_done(&progress->workers[worker->handle.worker], i + 1);
        if (clock_now_ns() - worker->begun_ns >= engine->limit_ns)
            break;
    }
}

static enum load_end read_all_back(struct engine *engine,
                                   struct load_result *result, struct err *err)
{
    const uint64_t elapsed_ns = load_result_elapsed_ns(result);
    uint64_t items = 0;

    if (!engine->context.backend->keeps_leases)
        return LOAD_DONE;
    engine->limit_ns = engine->config.read_back_ns;
    if (engine->limit_ns == 0)
        engine->limit_ns =
            elapsed_ns > READ_BACK_NS ? elapsed_ns : READ_BACK_NS;
    for (size_t w = 0; w < engine->threads; w++)
        items += engine->kind->items(engine_worker(engine, w));
    progress_expect_more(engine->context.progress, 1, items);
    const enum load_end end =
        engine_run(engine, "read back", items, read_back, NULL, err);
    for (size_t w = 0; w < engine->threads; w++)
        result->read_back += engine_worker(engine, w)->read_back;
    result->read_back_of += items;
    return end;
}

enum load_end engine_check(struct engine *engine, unsigned checks,
                           const char *when, struct load_result *result,
                           struct err *err)
{
    enum load_end end = LOAD_DONE;

    if ((checks & CHECK_COUNT) != 0)
        end = end_of(engine_worker(engine, 0),
                     check_count(engine, when, result), err);
    else if (!barrier_wait(engine->context.barrier, 0, NULL))
        end = LOAD_INTERRUPTED;
    if (end == LOAD_DONE && (checks & CHECK_READ_BACK) != 0)
        end = read_all_back(engine, result, err);
    return end;
}
