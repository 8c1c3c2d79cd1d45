/* SPDX-License-Identifier: ISC */
#include "load/operations.h"

#include <string.h>

/* Each phase's draws and digests come from a sequence of its own. */
enum sequence { SEQUENCE_SEARCH = 1, SEQUENCE_UPDATE, SEQUENCE_DIGEST };

/* What an operation is in the digest. */
enum kind { KIND_CREATE, KIND_SEARCH, KIND_UPDATE, KIND_DELETE };

int operations_init(struct operations *operations,
                    const struct load_config *config,
                    const struct load_context *context, size_t worker,
                    size_t group, struct err *err)
{
    *operations = (struct operations){
        .preload = config->preload,
        .existing = config->preload + config->count,
        .hit_threshold = (uint64_t)(config->hit_ratio * 4294967296.0),
        .search_by = config->search_by,
        .search_key = random_at(config->seed, SEQUENCE_SEARCH),
        .threads = config->threads,
    };
    generator_init(&operations->generator, config->family, config->profile,
                   config->seed);
    operations->generator.subnets = config->subnets;
    handle_init(&operations->handle, context, worker,
                operations->generator.type);
    permutation_init(&operations->updates, operations->existing,
                     random_at(config->seed, SEQUENCE_UPDATE));
    return context->ledger == NULL
               ? 0
               : ledger_client_init(&operations->ledger, context->ledger,
                                    (uint16_t)worker, group, err);
}

void operations_release(struct operations *operations)
{
    ledger_client_release(&operations->ledger);
}

static void note_attempt(struct operations *operations, uint64_t number,
                         enum ledger_operation operation)
{
    if (operations->ledger.ledger != NULL)
        ledger_attempt(&operations->ledger, number, operation);
}

uint64_t operations_digest_base(const struct load_config *config)
{
    return load_digest_base(config, SEQUENCE_DIGEST);
}

/* Adds one operation, and its client, to the digest. */
static void digest_add(struct operations *operations, enum kind kind,
                       enum outcome outcome, struct lease_address address,
                       const uint8_t *hwaddr)
{
    uint64_t words[2] = { kind == KIND_SEARCH ? operations->search_by : 0, 0 };

    if (hwaddr != NULL)
        memcpy(words, hwaddr, sizeof words);
    const uint64_t what =
        (address.low << 8 | (uint64_t)kind << 4 | (uint64_t)outcome) ^
        address.high;
    operations->digest +=
        random_at(words[0] ^ (words[1] << 7 | words[1] >> 57), what);
}

static enum load_end create(struct operations *operations, uint64_t number)
{
    struct handle *const handle = &operations->handle;
    struct lease *const lease = &operations->lease;

    handle->step = "creating";
    generator_make(&operations->generator, number, 0, lease);
    note_attempt(operations, number, LEDGER_CREATE);
    const enum outcome outcome = handle_create(handle, lease);
    if (outcome != OUTCOME_HIT)
        return handle_expect_hit(handle, lease->address, outcome);
    operations->hits++;
    digest_add(operations, KIND_CREATE, outcome, lease->address, lease->hwaddr);
    return LOAD_DONE;
}

enum load_end operations_create(struct operations *operations, uint64_t i)
{
    return create(operations, operations->preload + i);
}

/* Looks for a lease by its number, whether or not it is there. */
static enum outcome search(struct operations *operations, uint64_t number)
{
    struct lease *const lease = &operations->lease;

    if (operations->search_by == LOOKUP_ADDRESS) {
        lease->address = generator_address(&operations->generator, number);
        lease->type = (uint8_t)operations->generator.type;
    } else {
        generator_make(&operations->generator, number, 0, lease);
    }
    return handle_find(&operations->handle, operations->search_by, lease,
                       &operations->found);
}

enum load_end operations_search(struct operations *operations, uint64_t i)
{
    struct handle *const handle = &operations->handle;
    struct lease *const lease = &operations->lease;
    const uint64_t draw = random_at(operations->search_key, i);
    const enum outcome expected =
        (draw >> 32) < operations->hit_threshold ? OUTCOME_HIT : OUTCOME_MISS;
    /* The leases above those that exist belong to no client: misses. */
    const uint64_t number =
        random_below((uint32_t)draw, operations->existing) +
        (expected == OUTCOME_HIT ? 0 : operations->existing);

    handle->step = "searching";
    const enum outcome outcome = search(operations, number);
    if (outcome != expected &&
        (outcome == OUTCOME_ERROR || handle->backend->keeps_leases))
        return handle_wrong_outcome(handle, lease->address, outcome, expected);
    if (expected == OUTCOME_MISS) {
        operations->misses++;
    } else if (!generator_matches(&operations->generator, number, 0,
                                  &operations->found) &&
               handle->backend->keeps_leases) {
        generator_make(&operations->generator, number, 0, lease);
        return handle_wrong_lease(handle, lease, &operations->found);
    } else {
        operations->hits++;
    }
    digest_add(operations, KIND_SEARCH, expected, lease->address, NULL);
    return LOAD_DONE;
}

static enum load_end update(struct operations *operations, uint64_t number)
{
    struct handle *const handle = &operations->handle;
    struct lease *const lease = &operations->lease;

    handle->step = "updating";
    generator_make(&operations->generator, number, 1, lease);
    note_attempt(operations, number, LEDGER_UPDATE);
    const enum outcome outcome = handle_update(
        handle, lease, generator_expire_s(&operations->generator, number, 0));
    if (outcome != OUTCOME_HIT)
        return handle_expect_hit(handle, lease->address, outcome);
    operations->hits++;
    digest_add(operations, KIND_UPDATE, outcome, lease->address, lease->hwaddr);
    return LOAD_DONE;
}

enum load_end operations_update(struct operations *operations, uint64_t i)
{
    return update(operations, permutation_at(&operations->updates, i));
}

static enum load_end delete_lease(struct operations *operations,
                                  uint64_t number, uint32_t version)
{
    struct handle *const handle = &operations->handle;
    const struct lease_address address =
        generator_address(&operations->generator, number);

    handle->step = "deleting";
    note_attempt(operations, number, LEDGER_DELETE);
    const enum outcome outcome = handle_remove(
        handle, address,
        generator_expire_s(&operations->generator, number, version));
    if (outcome != OUTCOME_HIT)
        return handle_expect_hit(handle, address, outcome);
    operations->hits++;
    digest_add(operations, KIND_DELETE, outcome, address, NULL);
    return LOAD_DONE;
}

enum load_end operations_delete(struct operations *operations, uint64_t i)
{
    const uint64_t number = operations->preload + i;

    /* With a preload only some of the leases were updated. */
    return delete_lease(operations, number,
                        operations->updated == operations->existing ||
                            permutation_find(&operations->updates, number) <
                                operations->updated);
}

enum load_end operations_churn(struct operations *operations, uint64_t i)
{
    const uint64_t threads = operations->threads;
    const uint64_t k = i / threads;
    const uint64_t oldest = k / 3 * threads + i % threads;
    /* Of this thread's leases: no other has deleted it. */
    const uint64_t half = operations->preload / threads / 2 * threads;

    switch (k % 3) {
    case 0:
        return create(operations, oldest + operations->preload);
    case 1:
        return update(operations, oldest + half);
    default:
        /* Those that were there from the beginning were not all updated. */
        return delete_lease(operations, oldest, oldest >= half);
    }
}

enum load_end operations_preload(struct operations *operations, uint64_t i)
{
    struct handle *const handle = &operations->handle;
    struct lease *const lease = &operations->lease;

    handle->step = "preloading";
    generator_make(&operations->generator, i, 0, lease);
    note_attempt(operations, i, LEDGER_CREATE);
    return handle_expect_hit(
        handle, lease->address,
        handle->backend->create(handle->session, lease, &handle->err));
}

enum load_end operations_check_updates(struct operations *operations)
{
    enum { SAMPLE = 100 };
    struct handle *const handle = &operations->handle;
    struct lease *const lease = &operations->lease;
    const uint64_t updated = operations->updated;
    const uint64_t sample = updated < SAMPLE ? updated : SAMPLE;

    handle->step = "reading back";
    for (uint64_t k = 0; k < sample && handle->backend->keeps_leases; k++) {
        const uint64_t number =
            permutation_at(&operations->updates, k * updated / sample);

        generator_make(&operations->generator, number, 1, lease);
        const enum outcome outcome =
            handle_find(handle, LOOKUP_ADDRESS, lease, &operations->found);
        if (outcome != OUTCOME_HIT)
            return handle_expect_hit(handle, lease->address, outcome);
        if (!lease_equal(lease, &operations->found))
            return handle_wrong_lease(handle, lease, &operations->found);
        handle_acknowledge(handle);
    }
    return LOAD_DONE;
}

int operations_add_due(const struct operations *operations,
                       struct lease_counts *due, uint64_t first, uint64_t step,
                       uint64_t count)
{
    const struct generator *const generator = &operations->generator;

    for (uint64_t k = 0; k < count; k++) {
        const struct lease_kind kind = {
            .subnet_id = generator_subnet_id(generator, first + k * step),
            .type = (uint8_t)generator->type,
            .state = LEASE_STATE_DEFAULT,
        };

        if (lease_counts_add(due, &kind, 1) != 0)
            return -1;
    }
    return 0;
}
