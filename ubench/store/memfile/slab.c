/* SPDX-License-Identifier: ISC */
#include "store/memfile/slab.h"

#include <sys/mman.h>

/* The first record begins on a cache line, as do all records if their size is a
   multiple of one. */
enum { FIRST = 64 / SLAB_UNIT };

void *slab_map(uint64_t bytes)
{
    void *const memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED)
        return NULL;
    /* A million leases fill more 4 KiB pages than the TLB has entries; a
       refusal costs only speed. */
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
    uint64_t size = (uint64_t)SLAB_UNIT << 32; /* the range of references */
    char *base = slab_map(size);

    /* Less if the system's limits refuse it. */
    while (base == NULL && size > smallest) {
        size /= 2;
        base = slab_map(size);
    }
    /* A copy in blocks may read beyond the last record. */
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
