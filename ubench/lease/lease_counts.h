/* SPDX-License-Identifier: ISC */
/*
 * How many leases there are of each kind that Kea has a counter for, of a
 * subnet, a pool, a type and a state; to check a store's counters, in one
 * thread.
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

/* Zeroed is empty. */
struct lease_counts {
    struct lease_count {
        struct lease_kind kind;
        bool used;
        int64_t leases; /* below 0 if more were taken away than added */
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

/* Counts so many leases more, or less, of a kind that Kea counts; others are
   left out.  Returns 0, or -1 if there is no memory. */
int lease_counts_add(struct lease_counts *counts, const struct lease_kind *kind, int64_t leases);

/* How many there are of a kind. */
int64_t lease_counts_of(const struct lease_counts *counts, const struct lease_kind *kind);

/* True if both count alike; else *kind is one of which they do not.  None of a
   kind and no such kind is the same. */
bool lease_counts_equal(const struct lease_counts *a, const struct lease_counts *b,
                        struct lease_kind *kind);

#endif
