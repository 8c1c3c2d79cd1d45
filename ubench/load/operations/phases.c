/* SPDX-License-Identifier: ISC */
/*
 * The load of the 2012 DHCP Performance Guide: create n leases, search n times, update n,
 * delete n, with a timestamp before, between and after.
 *
 * The leases are counted after create and after delete, and read back after update.  A run with
 * --batch above 1 cannot reconnect.
 */
#include <stdio.h>

#include "core/units.h"
#include "load/operations/operations.h"
#include "load/workloads.h"

static enum load_end run_create(struct worker *worker, uint64_t i)
{
    return operation_change(worker, CHANGE_CREATE, worker->engine->config.preload + i, 0, 0);
}

static enum load_end run_update(struct worker *worker, uint64_t i)
{
    return operation_change(worker, CHANGE_UPDATE,
                            permutation_at(&operations_of(worker)->updates, i), 0, 1);
}

/* Returns true if the update phase changes this lease: with a preload, it changes only some. */
static bool is_updated(const struct operations *all, uint64_t number)
{
    const uint64_t updates = all->engine.config.count;

    return updates == all->existing || permutation_find(&all->updates, number) < updates;
}

static enum load_end run_delete(struct worker *worker, uint64_t i)
{
    const struct operations *const all = operations_of(worker);
    const uint64_t number = all->engine.config.preload + i;

    return operation_change(worker, CHANGE_DELETE, number, is_updated(all, number), 0);
}

static bool phases_due(const struct worker *worker, uint64_t i, struct lease *lease)
{
    const struct engine *const engine = worker->engine;
    const uint64_t number = worker_item(worker, i);
    const bool deleted = engine->phase->operation == run_delete;
    const bool updated = deleted || engine->phase->operation == run_update;

    generator_make(&engine->generator, number, updated && is_updated(operations_of(worker), number),
                   lease);
    return !deleted || number < engine->config.preload;
}

static int init_phases(struct engine *engine)
{
    const uint64_t existing = engine->config.preload + engine->config.count;

    operations_begin(engine, existing, existing);
    return 0;
}

static uint64_t phases_leases(const struct load_config *config)
{
    return config->preload + config->count;
}

static void describe_phases(const struct load_config *config, const char *name, char *text,
                            size_t size)
{
    (void)name;
    (void)snprintf(text, size, "%s", units_count(UNITS_TEXT, config->count));
}

static const struct phase guide[PHASE_COUNT] = {
    [PHASE_CREATE] = { "create", run_create, true, CHECK_COUNT, "after create" },
    [PHASE_SEARCH] = { "search", operation_search, false, 0, NULL },
    [PHASE_UPDATE] = { "update", run_update, true, CHECK_READ_BACK, "after update" },
    [PHASE_DELETE] = { "delete", run_delete, true, CHECK_COUNT, "after delete" },
};

const struct workload workload_phases = {
    .name = "phases",
    .help = "create, search, update, delete, COUNT times each",
    .options = (const char *const[]){ OPTIONS_OF_CLOSED, OPTIONS_OF_THREADS, "batch", "hit-ratio",
                                      "search-by", "ledger", "reconnect", NULL },
    .length = "count",
    .reads = true,
    .changes = true,
    .warms_up_empty = true,
    .resolve = operations_resolve,
    .describe = describe_phases,
    .leases = phases_leases,
    .closed =
        &(const struct engine_kind){
            .size = sizeof(struct operations),
            .phases = guide,
            .phase_count = PHASE_COUNT,
            .digest_sequence = OPERATION_SEQUENCE_DIGEST,
            .init = init_phases,
            .items = operations_items,
            .due = phases_due,
        },
};
