/* SPDX-License-Identifier: ISC */
#include "load/operations/operations.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/units.h"

void operations_begin(struct engine *engine, uint64_t existing, uint64_t updated)
{
    struct operations *const all = (struct operations *)engine;
    const struct load_config *const config = &engine->config;

    all->existing = existing;
    all->hit_threshold = (uint64_t)(config->phases.hit_ratio * 4294967296.0);
    all->search_key = random_at(config->seed, OPERATION_SEQUENCE_SEARCH);
    permutation_init(&all->updates, updated, random_at(config->seed, OPERATION_SEQUENCE_UPDATE));
}

enum load_end operation_search(struct worker *worker, uint64_t i)
{
    const struct operations *const all = operations_of(worker);
    const struct generator *const generator = &all->engine.generator;
    const enum lookup by = all->engine.config.phases.search_by;
    struct lease *const lease = &worker->lease;
    const uint64_t draw = random_at(all->search_key, i);
    const enum outcome expected = (draw >> 32) < all->hit_threshold ? OUTCOME_HIT : OUTCOME_MISS;
    /* Leases numbered above the existing ones have no client: misses. */
    const uint64_t number =
        random_below((uint32_t)draw, all->existing) + (expected == OUTCOME_HIT ? 0 : all->existing);

    worker->doing = "searching";
    if (by == LOOKUP_ADDRESS) {
        lease->address = generator_address(generator, number);
        lease->type = (uint8_t)generator->type;
    } else {
        generator_make(generator, number, 0, lease);
    }
    const enum load_end end =
        worker_expect(worker, lease->address, worker_find(worker, by, lease), expected);
    if (end != LOAD_DONE)
        return end;
    if (expected == OUTCOME_MISS) {
        worker->tally->counts.misses++;
    } else if (!generator_matches(generator, number, 0, &worker->found) &&
               worker->backend->keeps_leases) {
        generator_make(generator, number, 0, lease);
        return worker_wrong_lease(worker, lease, &worker->found);
    } else {
        worker->tally->counts.hits++;
    }
    operation_digest_add(worker, PHASE_SEARCH, expected, lease->address,
                         (const uint64_t[]){ by, 0 });
    return LOAD_DONE;
}

uint64_t operations_items(const struct worker *worker)
{
    return worker_share(worker, operations_of(worker)->existing);
}

/* Transactions that lock the counters of several subnets, each in its own order, would
   deadlock. */
int operations_resolve(struct load_config *config, const char *name, struct err *err)
{
    (void)name;
    if (!config->counted || config->batch == 1 || config->threads == 1 || config->subnets == 1)
        return 0;
    return err_usage(err,
                     "--batch=%" PRIu64
                     " cannot be used with --schema=kea+stats, several threads and several "
                     "subnets, as transactions would lock each other's counters; use --batch=1",
                     config->batch);
}

/* For loads that find their leases in the preload, of which each thread has an equal part. */
int operations_resolve_steady(struct load_config *config, const char *name, struct err *err)
{
    enum { LEASES = 10000 }; /* unless the user gives another --preload */

    if (config->preload == 0)
        config->preload = (LEASES + config->threads - 1) / config->threads * config->threads;
    if (config->preload < 2 * config->threads || config->preload % config->threads != 0)
        return err_usage(
            err,
            "--workload: %s needs a --preload that is a multiple of --threads and at least %" PRIu64
            ", not %" PRIu64,
            name, 2 * config->threads, config->preload);
    return operations_resolve(config, name, err);
}

void operations_describe_steady(const struct load_config *config, const char *name, char *text,
                                size_t size)
{
    const char *const count = config->in_turns ? "" : units_count(UNITS_TEXT, config->count);

    (void)name;
    (void)snprintf(text, size, "%s%soperations on %s", count, count[0] != '\0' ? " " : "",
                   units_count(UNITS_TEXT, config->preload));
}
