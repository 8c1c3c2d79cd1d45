/* SPDX-License-Identifier: ISC */
/* Searches alone, in a preload that does not change; in turns they can go on without end. */
#include "load/operations/operations.h"
#include "load/workloads.h"

static bool search_due(const struct worker *worker, uint64_t i, struct lease *lease)
{
    generator_make(&worker->engine->generator, worker_item(worker, i), 0, lease);
    return true;
}

static int init_search(struct engine *engine)
{
    const struct load_config *const config = &engine->config;

    operations_begin(engine, config->preload, config->preload / config->threads);
    return 0;
}

static const struct phase search = { "search", operation_search, false, CHECK_COUNT,
                                     "after search" };

const struct workload workload_search = {
    .name = "search",
    .help = "only searches of the leases of --preload",
    .options = (const char *const[]){ OPTIONS_OF_CLOSED, OPTIONS_OF_THREADS, "turns", "hit-ratio",
                                      "search-by", "reconnect", NULL },
    .length = "count",
    .reads = true,
    .resolve = operations_resolve_steady,
    .describe = operations_describe_steady,
    .closed =
        &(const struct engine_kind){
            .size = sizeof(struct operations),
            .phases = &search,
            .phase_count = 1,
            .digest_sequence = OPERATION_SEQUENCE_DIGEST,
            .init = init_search,
            .items = operations_items,
            .due = search_due,
        },
};
