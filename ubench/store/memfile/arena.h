/* SPDX-License-Identifier: ISC */
/*
 * Memory for records of any size, each known by a 32-bit reference instead of
 * a 64-bit pointer: an index entry then takes 8 bytes.  Records never move.
 */
#ifndef UBENCH_STORE_MEMFILE_ARENA_H
#define UBENCH_STORE_MEMFILE_ARENA_H

#include <stddef.h>
#include <stdint.h>

enum {
    ARENA_UNIT = 16,       /* records begin at multiples of it, in bytes */
    ARENA_RECORD_MAX = 640 /* bytes */
};

/* What no record is called. */
#define ARENA_NONE UINT32_C(0)

struct arena {
    char *base;
    uint64_t reserved; /* bytes of address space */
    uint32_t next;     /* the first unit that was never used */
    uint32_t end;      /* units that there are */
    uint32_t free_list[ARENA_RECORD_MAX / ARENA_UNIT + 1]; /* by units */
};

/* Reserves address space (memory comes with use).  Returns 0, or -1 if there
   is none. */
int arena_init(struct arena *arena);
void arena_release(struct arena *arena); /* a zeroed arena is fine */

/* A record of so many bytes, contents undefined; ARENA_NONE if full. */
uint32_t arena_take(struct arena *arena, size_t size);

/* Gives a record back; size as it was taken. */
void arena_give(struct arena *arena, uint32_t ref, size_t size);

/* Gives all records back. */
void arena_clear(struct arena *arena);

/* Where a record is. */
static inline void *arena_at(const struct arena *arena, uint32_t ref)
{
    return arena->base + (uint64_t)ref * ARENA_UNIT;
}

#endif
