/* SPDX-License-Identifier: ISC */
/*
 * An index from addresses to references, made for how DHCP servers give
 * addresses out: from pools, so that neighbours are in use together.  256
 * neighbours are a group, found by one look at a hash table of groups (open
 * addressing with linear probing, multiplicative hashing: Knuth, TAOCP volume
 * 3, section 6.4).  Groups stand apart from references: they are few, and stay
 * in the processor's caches; but an address without neighbours takes 1 to 3 kB.
 */
#ifndef UBENCH_STORE_MEMFILE_ADDRESS_INDEX_H
#define UBENCH_STORE_MEMFILE_ADDRESS_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "lease/lease.h"

enum { ADDRESS_GROUP = 256 };

struct address_group {
    uint64_t high;
    uint64_t name; /* 1 + the lower half / ADDRESS_GROUP; 0: not used */
};

struct address_index {
    struct address_group *groups;
    uint32_t (*refs)[ADDRESS_GROUP]; /* of each group; 0: none */
    uint64_t size;                   /* of both, a power of two */
    uint64_t count;                  /* groups in use */
    unsigned shift;                  /* 64 - log2(size) */
};

/* Returns 0, or -1 if there is no memory. */
int address_index_init(struct address_index *index);
void address_index_release(struct address_index *index); /* zeroed is fine */

/* The place of an address's group, or the unused one that ends the search. */
static inline uint64_t address_index_group(const struct address_index *index,
                                           struct lease_address at)
{
    const uint64_t name = at.low / ADDRESS_GROUP + 1;
    uint64_t place =
        (name ^ at.high * UINT64_C(0xbf58476d1ce4e5b9)) * UINT64_C(0x9e3779b97f4a7c15) >>
        index->shift;

    while (index->groups[place].name != 0 &&
           (index->groups[place].name != name || index->groups[place].high != at.high))
        place = (place + 1) & (index->size - 1);
    return place;
}

/* The place of an address's reference, which is 0 if there is none; NULL if
   there is none of its group.  Valid until the next address_index_make. */
static inline uint32_t *address_index_find(const struct address_index *index,
                                           struct lease_address address)
{
    const uint64_t place = address_index_group(index, address);

    return index->groups[place].name != 0 ? &index->refs[place][address.low % ADDRESS_GROUP] : NULL;
}

/* The same, but makes its group.  NULL if there is no memory. */
uint32_t *address_index_make(struct address_index *index, struct lease_address address);

/* The next reference, in no particular order; 0 at the end.  *place begins at
   0. */
static inline uint32_t address_index_next(const struct address_index *index, uint64_t *place)
{
    uint32_t ref = 0;

    for (; ref == 0 && *place < index->size * ADDRESS_GROUP; ++*place)
        ref = index->refs[*place / ADDRESS_GROUP][*place % ADDRESS_GROUP];
    return ref;
}

#endif
