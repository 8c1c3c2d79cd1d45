/* SPDX-License-Identifier: ISC */
#include "load/operations.h"

#include <string.h>

/* Each phase's draws and digests come from a sequence of its own. */
enum sequence { SEQUENCE_SEARCH = 1, SEQUENCE_UPDATE, SEQUENCE_DIGEST };

/* What an operation is in the digest. */
enum kind { KIND_CREATE, KIND_SEARCH, KIND_UPDATE, KIND_DELETE };

void phases_init(struct phases *phases)
{
    const struct load_config *const config = &phases->engine.config;

    phases->existing = config->preload + config->count;
    phases->there = phases->existing;
    phases->hit_threshold = (uint64_t)(config->hit_ratio * 4294967296.0);
    phases->search_key = random_at(config->seed, SEQUENCE_SEARCH);
    permutation_init(&phases->updates, phases->existing,
                     random_at(config->seed, SEQUENCE_UPDATE));
}

uint64_t phases_digest_base(const struct load_config *config)
{
    return load_digest_base(config, SEQUENCE_DIGEST);
}

bool phases_is_updated(const struct phases *phases, uint64_t number)
{
    /* With a preload only some of the leases are updated. */
    return phases->updated == phases->existing ||
           (phases->updated > 0 &&
            permutation_find(&phases->updates, number) < phases->updated);
}

static void note_attempt(struct phase_worker *worker, uint64_t number,
                         enum ledger_operation operation)
{
    if (worker->ledger.ledger != NULL)
        ledger_attempt(&worker->ledger, number, operation);
}

/* Adds one operation to the digest, with what stands for its client. */
static void digest_add(struct phase_worker *worker, enum kind kind,
                       enum outcome outcome, struct lease_address address,
                       const uint64_t client[2])
{
    const uint64_t what =
        (address.low << 8 | (uint64_t)kind << 4 | (uint64_t)outcome) ^
        address.high;

    worker->base.digest +=
        random_at(client[0] ^ (client[1] << 7 | client[1] >> 57), what);
}

/* After a change of a lease: a HIT is counted. */
static inline enum load_end note_change(struct phase_worker *worker,
                                        enum kind kind, enum outcome outcome,
                                        struct lease_address address,
                                        const uint8_t *hwaddr)
{
    uint64_t client[2] = { 0, 0 };

    if (outcome != OUTCOME_HIT)
        return handle_expect_hit(&worker->base.handle, address, outcome);
    if (hwaddr != NULL)
        memcpy(client, hwaddr, sizeof client);
    worker->hits++;
    digest_add(worker, kind, outcome, address, client);
    return LOAD_DONE;
}

static enum load_end create(struct phase_worker *worker, uint64_t number)
{
    struct handle *const handle = &worker->base.handle;
    struct lease *const lease = &worker->lease;

    handle->step = "creating";
    generator_make(&worker->base.engine->generator, number, 0, lease);
    note_attempt(worker, number, LEDGER_CREATE);
    const enum outcome outcome = handle_create(handle, lease);
    return note_change(worker, KIND_CREATE, outcome, lease->address,
                       lease->hwaddr);
}

enum load_end phase_create(struct phase_worker *worker, uint64_t i)
{
    return create(worker, worker->base.engine->config.preload + i);
}

/* Looks for a lease by its number, whether or not it is there. */
static enum outcome search(struct phase_worker *worker, uint64_t number)
{
    const struct engine *const engine = worker->base.engine;
    struct lease *const lease = &worker->lease;

    if (engine->config.search_by == LOOKUP_ADDRESS) {
        lease->address = generator_address(&engine->generator, number);
        lease->type = (uint8_t)engine->generator.type;
    } else {
        generator_make(&engine->generator, number, 0, lease);
    }
    return handle_find(&worker->base.handle, engine->config.search_by, lease,
                       &worker->found);
}

enum load_end phase_search(struct phase_worker *worker, uint64_t i)
{
    const struct phases *const phases = phases_of(worker);
    const struct generator *const generator = &phases->engine.generator;
    struct handle *const handle = &worker->base.handle;
    struct lease *const lease = &worker->lease;
    const uint64_t draw = random_at(phases->search_key, i);
    const enum outcome expected =
        (draw >> 32) < phases->hit_threshold ? OUTCOME_HIT : OUTCOME_MISS;
    /* The leases above those that exist belong to no client: misses. */
    const uint64_t number = random_below((uint32_t)draw, phases->existing) +
                            (expected == OUTCOME_HIT ? 0 : phases->existing);

    handle->step = "searching";
    const enum outcome outcome = search(worker, number);
    if (outcome != expected &&
        (outcome == OUTCOME_ERROR || handle->backend->keeps_leases))
        return handle_wrong_outcome(handle, lease->address, outcome, expected);
    if (expected == OUTCOME_MISS) {
        worker->misses++;
    } else if (!generator_matches(generator, number, 0, &worker->found) &&
               handle->backend->keeps_leases) {
        generator_make(generator, number, 0, lease);
        return handle_wrong_lease(handle, lease, &worker->found);
    } else {
        worker->hits++;
    }
    digest_add(worker, KIND_SEARCH, expected, lease->address,
               (const uint64_t[]){ phases->engine.config.search_by, 0 });
    return LOAD_DONE;
}

static enum load_end update(struct phase_worker *worker, uint64_t number)
{
    const struct generator *const generator = &worker->base.engine->generator;
    struct handle *const handle = &worker->base.handle;
    struct lease *const lease = &worker->lease;

    handle->step = "updating";
    generator_make(generator, number, 1, lease);
    note_attempt(worker, number, LEDGER_UPDATE);
    const enum outcome outcome =
        handle_update(handle, lease, generator_expire_s(generator, number, 0));
    return note_change(worker, KIND_UPDATE, outcome, lease->address,
                       lease->hwaddr);
}

enum load_end phase_update(struct phase_worker *worker, uint64_t i)
{
    return update(worker, permutation_at(&phases_of(worker)->updates, i));
}

static enum load_end delete_lease(struct phase_worker *worker, uint64_t number,
                                  uint32_t version)
{
    const struct generator *const generator = &worker->base.engine->generator;
    struct handle *const handle = &worker->base.handle;
    const struct lease_address address = generator_address(generator, number);

    handle->step = "deleting";
    note_attempt(worker, number, LEDGER_DELETE);
    const enum outcome outcome = handle_remove(
        handle, address, generator_expire_s(generator, number, version));
    return note_change(worker, KIND_DELETE, outcome, address, NULL);
}

enum load_end phase_delete(struct phase_worker *worker, uint64_t i)
{
    const struct phases *const phases = phases_of(worker);
    const uint64_t number = phases->engine.config.preload + i;

    return delete_lease(worker, number, phases_is_updated(phases, number));
}

enum load_end phase_churn(struct phase_worker *worker, uint64_t i)
{
    const struct load_config *const config = &worker->base.engine->config;
    const uint64_t threads = config->threads;
    const uint64_t k = i / threads;
    const uint64_t oldest = k / 3 * threads + i % threads;
    /* Of this thread's leases: no other has deleted it. */
    const uint64_t half = churn_first_updated(config) * threads;

    switch (k % 3) {
    case 0:
        return create(worker, oldest + config->preload);
    case 1:
        return update(worker, oldest + half);
    default:
        /* Those that were there from the beginning were not all updated. */
        return delete_lease(worker, oldest, oldest >= half);
    }
}

enum load_end phase_preload(struct phase_worker *worker, uint64_t i)
{
    struct handle *const handle = &worker->base.handle;
    struct lease *const lease = &worker->lease;

    handle->step = "preloading";
    generator_make(&worker->base.engine->generator, i, 0, lease);
    note_attempt(worker, i, LEDGER_CREATE);
    return handle_expect_hit(
        handle, lease->address,
        handle->backend->create(handle->session, lease, &handle->err));
}
