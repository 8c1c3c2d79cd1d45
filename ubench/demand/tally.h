/* SPDX-License-Identifier: ISC */
/* Counts by key, for example leases by subnet. */
#ifndef UBENCH_DEMAND_TALLY_H
#define UBENCH_DEMAND_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

struct tally_item {
    uint64_t key;
    uint64_t count; /* 0: the place is free */
};

/* Zeroed: empty. */
struct tally {
    struct tally_item *items;
    size_t used;
    size_t capacity; /* 0 or a power of 2 */
};

/* Adds to the count of a key.  Returns 0, or -1 with err if memory is short. */
int tally_add(struct tally *tally, uint64_t key, uint64_t count, struct err *err);

/* Sorts the items by key, at the beginning of the array.  No count can be added afterwards. */
void tally_sort(struct tally *tally);

void tally_release(struct tally *tally);

#endif
