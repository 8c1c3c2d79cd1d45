/* SPDX-License-Identifier: ISC */
/*
 * An index from IPv4 addresses to references, made for how DHCP servers give
 * addresses out: from pools, so that a /24 has many leases or none.  Each /24
 * in use has a page of 256 references; neighbours share cache lines, and a
 * full /24 costs 4 bytes a lease.
 */
#ifndef UBENCH_STORE_MEMFILE_ADDRESS_INDEX_H
#define UBENCH_STORE_MEMFILE_ADDRESS_INDEX_H

#include <stdint.h>

enum { ADDRESS_PAGE_SIZE = 256 };

struct address_index {
    uint32_t *directory; /* /24 to page number; 0: the empty page */
    uint32_t (*pages)[ADDRESS_PAGE_SIZE];
    uint32_t page_count; /* the empty page among them */
};

/* Reserves address space (memory comes with use).  Returns 0, or -1 if there
   is none. */
int address_index_init(struct address_index *index);
void address_index_release(struct address_index *index); /* zeroed is fine */
void address_index_clear(struct address_index *index);

/* Sets the reference of an address, 0 to remove it.  It always succeeds: there
   is a page for every /24. */
void address_index_set(struct address_index *index, uint32_t address,
                       uint32_t ref);

/* The reference of an address, 0 if there is none. */
static inline uint32_t address_index_get(const struct address_index *index,
                                         uint32_t address)
{
    return index->pages[index->directory[address >> 8]][address & 255];
}

/* The references in no particular order, one for each place from 0 to
   address_index_places - 1; 0: none there. */
static inline uint64_t address_index_places(const struct address_index *index)
{
    return (uint64_t)index->page_count * ADDRESS_PAGE_SIZE;
}

static inline uint32_t address_index_at(const struct address_index *index,
                                        uint64_t place)
{
    return index->pages[place / ADDRESS_PAGE_SIZE][place % ADDRESS_PAGE_SIZE];
}

#endif
