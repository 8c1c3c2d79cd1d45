/* SPDX-License-Identifier: ISC */
#include "store/memfile/slab.h"

#include <sys/mman.h>

/* The first record begins on a cache line; so do all others of such sizes. */
enum { FIRST = 64 / SLAB_UNIT };

void *slab_map(uint64_t bytes)
{
    void *const memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED)
        return NULL;
    /* A million leases have more 4 KiB pages than the processor's address
       cache; a refusal costs only speed. */
    (void)madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

void slab_unmap(void *memory, uint64_t bytes)
{
    if (memory != NULL)
        (void)munmap(memory, bytes);
}

int slab_init(struct slab *slab)
{
    const uint64_t smallest = UINT64_C(1) << 24;
    uint64_t size = (uint64_t)SLAB_UNIT << 32; /* all that a reference names */
    char *base = slab_map(size);

    /* Or what the system's limits leave. */
    while (base == NULL && size > smallest) {
        size /= 2;
        base = slab_map(size);
    }
    /* A copy by blocks may read behind the last record. */
    *slab = (struct slab){
        .base = base, .reserved = size, .next = FIRST, .end = (uint32_t)(size / SLAB_UNIT - 2)
    };
    return base != NULL ? 0 : -1;
}

void slab_release(struct slab *slab)
{
    slab_unmap(slab->base, slab->reserved);
    *slab = (struct slab){ 0 };
}
