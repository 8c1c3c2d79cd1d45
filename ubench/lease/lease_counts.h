/* SPDX-License-Identifier: ISC */
/*
 * Counts leases by subnet, pool, type and state, as Kea's counters do, to check
 * the counters of a store.  For one thread.
 */
#ifndef UBENCH_LEASE_LEASE_COUNTS_H
#define UBENCH_LEASE_LEASE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lease/lease.h"

struct lease_kind {
    uint32_t subnet_id;
    uint32_t pool_id; /* 0: of any pool */
    uint8_t type;     /* enum lease_type */
    uint8_t state;    /* enum lease_state */
};

/* Zeroed: empty. */
struct lease_counts {
    struct lease_count {
        struct lease_kind kind;
        bool used;
        int64_t leases; /* below 0 if more were removed than added */
    } * places;
    size_t used;
    size_t capacity; /* 0 or a power of 2 */
};

static inline bool lease_kind_equal(const struct lease_kind *a, const struct lease_kind *b)
{
    return a->subnet_id == b->subnet_id && a->pool_id == b->pool_id && a->type == b->type &&
           a->state == b->state;
}

void lease_counts_release(struct lease_counts *counts);

/* Adds leases, which may be negative, to the count of a kind.  Ignores states
   that Kea does not count.  Returns 0, or -1 if memory is short. */
int lease_counts_add(struct lease_counts *counts, const struct lease_kind *kind, int64_t leases);

/* Returns the number of leases of a kind. */
int64_t lease_counts_of(const struct lease_counts *counts, const struct lease_kind *kind);

/* Returns true if all counts are equal; otherwise sets *kind to a kind whose
   counts differ.  A missing kind counts as 0. */
bool lease_counts_equal(const struct lease_counts *a, const struct lease_counts *b,
                        struct lease_kind *kind);

#endif
