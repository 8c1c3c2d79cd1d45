/* SPDX-License-Identifier: ISC */
#include "load/allocator.h"

#include <assert.h>
#include <stdlib.h>

int allocator_init(struct allocator *allocator, enum allocator_kind kind, uint64_t pool,
                   uint64_t key, struct err *err)
{
    assert(pool >= 1 && pool <= ALLOCATOR_POOL_MAX);
    *allocator = (struct allocator){
        .kind = kind,
        .pool = pool,
        .free = pool,
        .key = key,
        .next = pool,
        .taken = err_calloc(pool, sizeof *allocator->taken, err),
    };
    return allocator->taken != NULL ? 0 : -1;
}

void allocator_release(struct allocator *allocator)
{
    free(allocator->taken);
    allocator->taken = NULL;
}

uint64_t allocator_candidates_max(const struct allocator *allocator)
{
    if (allocator->kind == ALLOCATOR_FREE_LIST)
        return allocator->free > 0 ? 1 : 0;
    return allocator->pool;
}

uint64_t allocator_candidate(struct allocator *allocator)
{
    uint64_t candidate;

    do {
        if (allocator->next == allocator->pool) {
            permutation_init(&allocator->order, allocator->pool,
                             random_at(allocator->key, allocator->passes++));
            allocator->next = 0;
        }
        candidate = allocator->kind == ALLOCATOR_ITERATIVE
                        ? allocator->next
                        : permutation_at(&allocator->order, allocator->next);
        allocator->next++;
    } while (allocator->kind == ALLOCATOR_FREE_LIST && allocator->taken[candidate]);
    return candidate;
}

void allocator_set(struct allocator *allocator, uint64_t address, bool taken)
{
    assert(allocator->taken[address] != taken);
    allocator->taken[address] = taken;
    allocator->free -= taken;
    allocator->free += !taken;
}
