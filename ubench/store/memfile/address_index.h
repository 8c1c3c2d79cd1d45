/* SPDX-License-Identifier: ISC */
/*
 * An index from addresses to references.  DHCP servers assign addresses from
 * pools, so that neighbouring addresses are in use together.  A group is 256
 * neighbours, found by one look-up in a hash table of groups (open addressing
 * with linear probing, multiplicative hashing: Knuth, TAOCP volume 3, section
 * 6.4).  Groups are stored apart from references: they are few and stay in the
 * processor's caches.  An address without neighbours takes 1 to 3 kB.
 */
#ifndef UBENCH_STORE_MEMFILE_ADDRESS_INDEX_H
#define UBENCH_STORE_MEMFILE_ADDRESS_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "lease/lease.h"

enum { ADDRESS_GROUP = 256 };

struct address_group {
    uint64_t high;
    uint64_t name; /* 1 + the lower half of its addresses / ADDRESS_GROUP; 0: not used */
};

struct address_index {
    struct address_group *groups;
    uint32_t (*refs)[ADDRESS_GROUP]; /* per group; 0: no reference */
    uint64_t size;                   /* of both, a power of two */
    uint64_t count;                  /* groups in use */
    unsigned shift;                  /* 64 - log2(size) */
};

/* Initialises an empty index.  Returns 0, or -1 if memory is short. */
int address_index_init(struct address_index *index);
void address_index_release(struct address_index *index); /* zeroed is fine */

/* Returns the position of an address's group, or of the unused entry that ends
   the search. */
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

/* Returns the slot of an address's reference, which is 0 if the address has
   none; NULL if its group is absent.  Valid until the next
   address_index_make. */
static inline uint32_t *address_index_find(const struct address_index *index,
                                           struct lease_address address)
{
    const uint64_t place = address_index_group(index, address);

    return index->groups[place].name != 0 ? &index->refs[place][address.low % ADDRESS_GROUP] : NULL;
}

/* Like address_index_find, but creates the group if it is absent.  NULL if
   memory is short. */
uint32_t *address_index_make(struct address_index *index, struct lease_address address);

/* Returns the next reference, in no particular order; 0 after the last.  *place
   is 0 before the first call. */
static inline uint32_t address_index_next(const struct address_index *index, uint64_t *place)
{
    uint32_t ref = 0;

    for (; ref == 0 && *place < index->size * ADDRESS_GROUP; ++*place)
        ref = index->refs[*place / ADDRESS_GROUP][*place % ADDRESS_GROUP];
    return ref;
}

#endif
