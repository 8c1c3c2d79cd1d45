/* SPDX-License-Identifier: ISC */
/*
 * Leases in the order in which they expire, to the second, as Kea's memfile
 * orders them.  One doubly linked list per second, the links inside the
 * records; the lists' heads stand in pages of 4096 seconds.  Adding and
 * removing take constant time, whatever the number of leases.
 */
#ifndef UBENCH_STORE_MEMFILE_EXPIRY_INDEX_H
#define UBENCH_STORE_MEMFILE_EXPIRY_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "store/memfile/slab.h"

/* Has to be the first member of every record that is put in. */
struct expiry_links {
    uint32_t previous; /* references; SLAB_NONE at the ends */
    uint32_t next;
};

struct expiry_page;

struct expiry_index {
    const struct slab *slab;
    struct expiry_page **pages; /* by time */
    size_t page_count;
    size_t page_room;
    struct expiry_page *last; /* where the last look-up ended */
};

void expiry_index_init(struct expiry_index *index, const struct slab *slab);
void expiry_index_release(struct expiry_index *index);

/* Adds a record under its time.  Returns 0, or -1 if there is no memory. */
int expiry_index_add(struct expiry_index *index, int64_t time_s, uint32_t ref);

/* Removes a record, which must be there under that time. */
void expiry_index_remove(struct expiry_index *index, int64_t time_s,
                         uint32_t ref);

/* The first record in the order, SLAB_NONE if there is none, and its time. */
uint32_t expiry_index_first(const struct expiry_index *index, int64_t *time_s);

/* The record after ref, and its time; time_s has to hold the time of ref. */
uint32_t expiry_index_next(const struct expiry_index *index, int64_t *time_s,
                           uint32_t ref);

#endif
