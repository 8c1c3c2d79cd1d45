/* SPDX-License-Identifier: ISC */
/*
 * An allocator for records of any size.  A record has a 32-bit reference
 * instead of a 64-bit pointer, so that an index entry takes 8 bytes.  Records
 * never move.
 */
#ifndef UBENCH_STORE_MEMFILE_SLAB_H
#define UBENCH_STORE_MEMFILE_SLAB_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    SLAB_UNIT = 8,        /* alignment and unit of size, in bytes */
    SLAB_RECORD_MAX = 640 /* bytes */
};

/* The null reference. */
#define SLAB_NONE UINT32_C(0)

struct slab {
    char *base;
    uint64_t reserved;                                   /* bytes of address space */
    uint32_t next;                                       /* first unit never used */
    uint32_t end;                                        /* number of units */
    uint32_t free_list[SLAB_RECORD_MAX / SLAB_UNIT + 1]; /* per size in units */
};

/* Maps zeroed memory, which the system provides on first use; NULL if it is
   refused.  slab_unmap accepts NULL. */
void *slab_map(uint64_t bytes);
void slab_unmap(void *memory, uint64_t bytes);

/* Reserves address space.  Returns 0, or -1 if it is refused. */
int slab_init(struct slab *slab);
void slab_release(struct slab *slab); /* a zeroed slab is fine */

/* Returns the address of a record. */
static inline void *slab_at(const struct slab *slab, uint32_t ref)
{
    return slab->base + (uint64_t)ref * SLAB_UNIT;
}

static inline size_t slab_units(size_t size)
{
    return (size + SLAB_UNIT - 1) / SLAB_UNIT;
}

/* Allocates a record of size bytes, with undefined contents; SLAB_NONE if the
   slab is full. */
static inline uint32_t slab_take(struct slab *slab, size_t size)
{
    const uint32_t count = (uint32_t)slab_units(size);
    uint32_t *const list = &slab->free_list[count];
    uint32_t ref = *list;

    if (ref != SLAB_NONE) {
        memcpy(list, slab_at(slab, ref), sizeof *list);
    } else if (slab->end - slab->next >= count) {
        ref = slab->next;
        slab->next += count;
    }
    return ref;
}

/* Frees a record; size is that of slab_take. */
static inline void slab_give(struct slab *slab, uint32_t ref, size_t size)
{
    uint32_t *const list = &slab->free_list[slab_units(size)];

    /* A free record holds the reference of the next free one. */
    memcpy(slab_at(slab, ref), list, sizeof *list);
    *list = ref;
}

#endif
