/* SPDX-License-Identifier: ISC */
/*
 * A load for a crash to cut short: it mixes creates, updates and deletes in one phase.  Its
 * preload is a multiple of the threads, and at least twice their number.
 */
#include "load/operations/operations.h"
#include "load/workloads.h"

/* Returns the index of the first of a thread's own leases that churn updates. */
static uint64_t first_updated(const struct load_config *config)
{
    return config->preload / config->threads / 2;
}

/* The first of three operations creates a lease, the second updates the one that was created
   half a preload ago, and the third deletes the oldest.  The leases of this thread are number,
   number + threads, number + 2 * threads and so on. */
static enum load_end run_churn(struct worker *worker, uint64_t i)
{
    const struct load_config *const config = &worker->engine->config;
    const uint64_t threads = config->threads;
    const uint64_t k = i / threads;
    const uint64_t oldest = k / 3 * threads + i % threads;
    /* It is one of this thread's own leases, so no other thread has deleted it. */
    const uint64_t half = first_updated(config) * threads;

    switch (k % 3) {
    case 0:
        return operation_change(worker, CHANGE_CREATE, oldest + config->preload, 0, 0);
    case 1:
        return operation_change(worker, CHANGE_UPDATE, oldest + half, 0, 1);
    default:
        /* Churn never updates the first half of the preload. */
        return operation_change(worker, CHANGE_DELETE, oldest, oldest >= half, 0);
    }
}

/* Returns how many of a worker's operations were the first (0), the second (1) or the third (2)
   of three. */
static uint64_t churn_share(const struct worker *worker, uint64_t which)
{
    return (worker->done + 2 - which) / 3;
}

static uint64_t churn_items(const struct worker *worker)
{
    const struct load_config *const config = &worker->engine->config;

    return config->preload / config->threads + churn_share(worker, 0);
}

/* A worker adds leases at the end and deletes them from the beginning. */
static bool churn_due(const struct worker *worker, uint64_t i, struct lease *lease)
{
    const uint64_t first = first_updated(&worker->engine->config);

    generator_make(&worker->engine->generator, worker_item(worker, i),
                   i >= first && i - first < churn_share(worker, 1), lease);
    return i >= churn_share(worker, 2);
}

/* Creates leases for as long as there are numbers for them. */
static int init_churn(struct engine *engine)
{
    const struct load_config *const config = &engine->config;

    engine->most = (GENERATOR_LEASES_MAX - config->preload) / config->threads * 3;
    operations_begin(engine, config->preload, config->preload / config->threads);
    return 0;
}

/* An upper limit: a thread that does fewer operations skips numbers. */
static uint64_t churn_leases(const struct load_config *config)
{
    return config->preload + config->count / 3 + 2 * config->threads;
}

static const struct phase churn = { "churn", run_churn, true, CHECK_COUNT | CHECK_READ_BACK,
                                    "after churn" };

const struct workload workload_churn = {
    .name = "churn",
    .help = "create, update and delete in turn",
    .options = (const char *const[]){ OPTIONS_OF_CLOSED, OPTIONS_OF_THREADS, "turns", "batch",
                                      "pace", "ledger", "reconnect", NULL },
    .length = "count",
    .changes = true,
    .cut_short = true,
    .warms_up_empty = true,
    .resolve = operations_resolve_steady,
    .describe = operations_describe_steady,
    .leases = churn_leases,
    .closed =
        &(const struct engine_kind){
            .size = sizeof(struct operations),
            .phases = &churn,
            .phase_count = 1,
            .digest_sequence = OPERATION_SEQUENCE_DIGEST,
            .init = init_churn,
            .items = churn_items,
            .due = churn_due,
        },
};
