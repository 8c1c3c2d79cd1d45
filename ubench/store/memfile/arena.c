/* SPDX-License-Identifier: ISC */
#include "store/memfile/arena.h"

#include <string.h>
#include <sys/mman.h>

/* The first record begins on a cache line; so do all others of such sizes. */
enum { FIRST = 64 / ARENA_UNIT };

static uint32_t units(size_t size)
{
    return (uint32_t)((size + ARENA_UNIT - 1) / ARENA_UNIT);
}

int arena_init(struct arena *arena)
{
    const uint64_t smallest = UINT64_C(1) << 24;

    *arena = (struct arena){ 0 };
    /* All that a reference can name, or what the system's limits leave. */
    for (uint64_t size = (uint64_t)ARENA_UNIT << 32; size >= smallest;
         size /= 2) {
        void *const base =
            mmap(NULL, size, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (base == MAP_FAILED)
            continue;
        /* A table of a million leases has more 4 KiB pages than the
           processor's address cache; a refusal costs only speed. */
        (void)madvise(base, size, MADV_HUGEPAGE);
        arena->base = base;
        arena->reserved = size;
        /* Whoever copies by blocks may read behind the last record. */
        arena->end = (uint32_t)(size / ARENA_UNIT - 2);
        arena->next = FIRST;
        return 0;
    }
    return -1;
}

void arena_release(struct arena *arena)
{
    if (arena->base != NULL)
        (void)munmap(arena->base, arena->reserved);
    *arena = (struct arena){ 0 };
}

uint32_t arena_take(struct arena *arena, size_t size)
{
    const uint32_t count = units(size);
    uint32_t *const list = &arena->free_list[count];
    uint32_t ref = *list;

    if (ref != ARENA_NONE) {
        memcpy(list, arena_at(arena, ref), sizeof *list);
        return ref;
    }
    if (arena->end - arena->next < count)
        return ARENA_NONE;
    ref = arena->next;
    arena->next += count;
    return ref;
}

void arena_give(struct arena *arena, uint32_t ref, size_t size)
{
    uint32_t *const list = &arena->free_list[units(size)];

    /* A free record holds the reference of the next one. */
    memcpy(arena_at(arena, ref), list, sizeof *list);
    *list = ref;
}

void arena_clear(struct arena *arena)
{
    memset(arena->free_list, 0, sizeof arena->free_list);
    arena->next = FIRST;
}
