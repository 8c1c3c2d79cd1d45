/* SPDX-License-Identifier: ISC */
/*
 * Updates alone, of a preload that keeps its size; in turns they can go on without end.
 */
#include "load/operations/operations.h"
#include "load/workloads.h"

/* Updates each of the thread's own leases in turn, again and again: to version 1, then back to
   version 0.  The leases of this thread are number, number + threads and so on. */
static enum load_end run_update(struct worker *worker, uint64_t i)
{
    const uint64_t own = operations_of(worker)->updates.count;
    const uint64_t k = i / worker->engine->config.threads;
    const uint64_t chosen = permutation_at(&operations_of(worker)->updates, k % own);
    const uint32_t before = k / own % 2;

    return operation_change(worker, CHANGE_UPDATE, worker_item(worker, chosen), before, 1 - before);
}

/* A lease has version 1 after an odd number of updates. */
static bool update_due(const struct worker *worker, uint64_t i, struct lease *lease)
{
    const struct permutation *const updates = &operations_of(worker)->updates;
    const uint64_t times = worker->done / updates->count +
                           (permutation_find(updates, i) < worker->done % updates->count);

    generator_make(&worker->engine->generator, worker_item(worker, i), times % 2, lease);
    return true;
}

static int init_update(struct engine *engine)
{
    const struct load_config *const config = &engine->config;

    operations_begin(engine, config->preload, config->preload / config->threads);
    return 0;
}

static const struct phase update = { "update", run_update, true, CHECK_COUNT | CHECK_READ_BACK,
                                     "after update" };

const struct workload workload_update = {
    .name = "update",
    .help = "only updates of the leases of --preload",
    .options = (const char *const[]){ OPTIONS_OF_CLOSED, OPTIONS_OF_THREADS, "turns", "batch",
                                      "reconnect", NULL },
    .length = "count",
    .changes = true,
    .resolve = operations_resolve_steady,
    .describe = operations_describe_steady,
    .closed =
        &(const struct engine_kind){
            .size = sizeof(struct operations),
            .phases = &update,
            .phase_count = 1,
            .digest_sequence = OPERATION_SEQUENCE_DIGEST,
            .init = init_update,
            .items = operations_items,
            .due = update_due,
        },
};
