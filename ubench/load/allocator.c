/* SPDX-License-Identifier: ISC */
#include "load/allocator.h"

#include <assert.h>
#include <stdlib.h>

enum free_list allocator_free_list(enum allocator_kind kind)
{
    return kind == ALLOCATOR_SHARED_FLQ    ? FREE_LIST_SHARED_FLQ
           : kind == ALLOCATOR_SKIP_LOCKED ? FREE_LIST_SKIP_LOCKED
                                           : FREE_LIST_NONE;
}

/* Adds an address at the end of the queue. */
static void append(struct allocator *allocator, uint32_t address)
{
    struct allocator_link *const links = allocator->links;

    if (allocator->free++ == 0) {
        links[address] = (struct allocator_link){ address, address };
        allocator->first = address;
        return;
    }
    const uint32_t first = allocator->first;
    const uint32_t last = links[first].previous;
    links[address] = (struct allocator_link){ first, last };
    links[last].next = address;
    links[first].previous = address;
}

static void take_out(struct allocator *allocator, uint32_t address)
{
    struct allocator_link *const links = allocator->links;
    const struct allocator_link link = links[address];

    links[link.previous].next = link.next;
    links[link.next].previous = link.previous;
    if (allocator->first == address)
        allocator->first = link.next;
    links[address].next = UINT32_MAX;
    allocator->free--;
}

/* All addresses, in a random order. */
static int make_queue(struct allocator *allocator, struct err *err)
{
    struct permutation order;

    allocator->links = err_calloc(allocator->pool, sizeof *allocator->links, err);
    if (allocator->links == NULL)
        return -1;
    permutation_init(&order, allocator->pool, random_at(allocator->key, 0));
    for (uint64_t i = 0; i < allocator->pool; i++)
        append(allocator, (uint32_t)permutation_at(&order, i));
    return 0;
}

int allocator_init(struct allocator *allocator, enum allocator_kind kind, uint64_t pool,
                   uint64_t key, struct err *err)
{
    assert(pool >= 1 && pool <= ALLOCATOR_POOL_MAX);
    *allocator = (struct allocator){
        .kind = kind,
        .pool = pool,
        .key = key,
        .next = pool,
    };
    return kind == ALLOCATOR_FLQ ? make_queue(allocator, err) : 0;
}

void allocator_release(struct allocator *allocator)
{
    free(allocator->links);
    allocator->links = NULL;
}

/* Each address once, then each of them again. */
static uint64_t next_of_pass(struct allocator *allocator)
{
    if (allocator->next == allocator->pool) {
        permutation_init(&allocator->order, allocator->pool,
                         random_at(allocator->key, allocator->passes++));
        allocator->next = 0;
    }
    const uint64_t i = allocator->next++;
    return allocator->kind == ALLOCATOR_ITERATIVE ? i : permutation_at(&allocator->order, i);
}

uint64_t allocator_candidate(struct allocator *allocator)
{
    if (allocator->kind != ALLOCATOR_FLQ)
        return next_of_pass(allocator);
    if (allocator->free == 0)
        return ALLOCATOR_NO_CANDIDATE;
    const uint32_t candidate = allocator->first;
    allocator->first = allocator->links[candidate].next;
    return candidate;
}

void allocator_set(struct allocator *allocator, uint64_t address, bool taken)
{
    if (allocator->kind != ALLOCATOR_FLQ)
        return;
    const bool queued = allocator->links[address].next != UINT32_MAX;
    if (taken && queued)
        take_out(allocator, (uint32_t)address);
    else if (!taken && !queued)
        append(allocator, (uint32_t)address);
}
