/* SPDX-License-Identifier: ISC */
#include "store/memfile/slab.h"

#include <string.h>
#include <sys/mman.h>

/* The first record begins on a cache line; so do all others of such sizes. */
enum { FIRST = 64 / SLAB_UNIT };

static uint32_t units(size_t size)
{
    return (uint32_t)((size + SLAB_UNIT - 1) / SLAB_UNIT);
}

int slab_init(struct slab *slab)
{
    const uint64_t smallest = UINT64_C(1) << 24;

    *slab = (struct slab){ 0 };
    /* All that a reference can name, or what the system's limits leave. */
    for (uint64_t size = (uint64_t)SLAB_UNIT << 32; size >= smallest;
         size /= 2) {
        void *const base =
            mmap(NULL, size, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (base == MAP_FAILED)
            continue;
        /* A table of a million leases has more 4 KiB pages than the
           processor's address cache; a refusal costs only speed. */
        (void)madvise(base, size, MADV_HUGEPAGE);
        slab->base = base;
        slab->reserved = size;
        /* Whoever copies by blocks may read behind the last record. */
        slab->end = (uint32_t)(size / SLAB_UNIT - 2);
        slab->next = FIRST;
        return 0;
    }
    return -1;
}

void slab_release(struct slab *slab)
{
    if (slab->base != NULL)
        (void)munmap(slab->base, slab->reserved);
    *slab = (struct slab){ 0 };
}

uint32_t slab_take(struct slab *slab, size_t size)
{
    const uint32_t count = units(size);
    uint32_t *const list = &slab->free_list[count];
    uint32_t ref = *list;

    if (ref != SLAB_NONE) {
        memcpy(list, slab_at(slab, ref), sizeof *list);
        return ref;
    }
    if (slab->end - slab->next < count)
        return SLAB_NONE;
    ref = slab->next;
    slab->next += count;
    return ref;
}

void slab_give(struct slab *slab, uint32_t ref, size_t size)
{
    uint32_t *const list = &slab->free_list[units(size)];

    /* A free record holds the reference of the next one. */
    memcpy(slab_at(slab, ref), list, sizeof *list);
    *list = ref;
}

void slab_clear(struct slab *slab)
{
    memset(slab->free_list, 0, sizeof slab->free_list);
    slab->next = FIRST;
}
