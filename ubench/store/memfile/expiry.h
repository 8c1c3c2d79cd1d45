/* SPDX-License-Identifier: ISC */
/*
 * An index of records by expiry, to the second, as Kea's memfile orders its
 * leases: an array of the seconds in which a record expires, each with a doubly
 * linked list, whose links are in the records.
 */
#ifndef UBENCH_STORE_MEMFILE_EXPIRY_H
#define UBENCH_STORE_MEMFILE_EXPIRY_H

#include <stddef.h>
#include <stdint.h>

#include "store/memfile/slab.h"

/* Must be the first member of every record in the index. */
struct expiry_links {
    uint32_t previous; /* references; SLAB_NONE at the ends */
    uint32_t next;
};

struct expiry_second {
    int64_t time_s;
    uint32_t first; /* reference of a record */
};

struct expiry {
    const struct slab *slab;       /* of the records */
    struct expiry_second *seconds; /* sorted by time */
    size_t count;
    size_t capacity;
};

void expiry_release(struct expiry *expiry); /* leaves an empty index; zeroed is fine */

/* Adds a record under its time.  Returns 0, or -1 if memory is short. */
int expiry_add(struct expiry *expiry, int64_t time_s, uint32_t ref);

/* Removes a record, which must be there under that time. */
void expiry_remove(struct expiry *expiry, int64_t time_s, uint32_t ref);

/*
 * expiry_next returns the records that expire before before_s, one per call,
 * then SLAB_NONE:
 *
 *     struct expiry_walk walk = { 0 };
 *     while ((ref = expiry_next(expiry, before_s, &walk)) != SLAB_NONE) ...
 */
struct expiry_walk {
    size_t second;
    uint32_t ref;
};
uint32_t expiry_next(const struct expiry *expiry, int64_t before_s, struct expiry_walk *walk);

#endif
