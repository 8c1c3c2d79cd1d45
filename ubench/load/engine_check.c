/* SPDX-License-Identifier: ISC */
/* What a store must contain after a phase: the number of its leases, its counters, and each lease
   as a correct store has it. */
#include <inttypes.h>

#include "load/engine.h"
#include "load/ranks.h"

enum { SEQUENCE_READ_BACK = 0x726462 };

/* Shortest time limit of reading back. */
#define READ_BACK_NS (10 * NS_PER_S)

enum load_end worker_analyze(struct worker *worker)
{
    const struct backend *const backend = worker->backend;

    while (backend->analyze != NULL && backend->analyze(worker->session, &worker->err) != 0) {
        if (!worker_reopen(worker))
            return worker_failure(worker);
    }
    return LOAD_DONE;
}

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
        end = worker_analyze(worker);
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

enum load_end engine_check(struct engine *engine)
{
    const struct phase *const phase = engine->phase;
    enum load_end end = LOAD_DONE;

    if (phase->checks == 0 || engine->unchecked || !engine->context.backend->keeps_leases)
        return LOAD_DONE;
    for (size_t w = 0; engine->kind->together && w < engine->threads; w++)
        engine->workers[w].what = phase->when;
    if (engine->kind->agree != NULL)
        end = worker_end(&engine->workers[0], engine->kind->agree(engine));
    if (end == LOAD_DONE && (phase->checks & CHECK_COUNT) != 0)
        end = worker_end(&engine->workers[0], check_count(engine));
    else if (end == LOAD_DONE && !ranks_meet(engine->context.ranks, 0, NULL))
        end = LOAD_INTERRUPTED;
    if (end == LOAD_DONE && (phase->checks & CHECK_READ_BACK) != 0)
        end = read_all_back(engine);
    if (end == LOAD_DONE && engine->kind->check != NULL)
        end = worker_end(&engine->workers[0], engine->kind->check(engine));
    return end;
}
