/* SPDX-License-Identifier: ISC */
/*
 * All leases of a site by their addresses, as small as they can be: 10 million IPv6 leases take
 * 464 MB.
 */
#ifndef UBENCH_DEMAND_LEASES_H
#define UBENCH_DEMAND_LEASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "demand/record.h"

enum { LEASES_MAX = 1 << 28, LEASES_NONE = -1 };

struct site_lease {
    uint32_t last_s;
    uint32_t valid_s;
    uint32_t subnet;
    uint32_t client[2];      /* the halves of the hash */
    uint32_t state : 8;      /* enum row_state */
    uint32_t live_first : 1; /* it was there before the history began */
    uint32_t touched : 1;    /* by an event of the history */
};

/* Initialise with the family alone. */
struct leases {
    enum lease_family family;
    size_t count;
    size_t capacity;
    struct site_lease *all; /* in the order in which they were found */
    void *addresses;        /* of these: uint32_t, or struct lease_address */
    uint32_t *index;        /* a hash table of positions + 1 */
    size_t index_size;      /* 0 or a power of 2 */
};

/* The position of the lease of an address, which is added without a lease if it is new.  Returns
   LEASES_NONE with err if there is no memory. */
int64_t leases_find(struct leases *leases, struct lease_address address, struct err *err);

struct lease_address leases_address(const struct leases *leases, size_t position);

/* When a lease ends; one that never expires: UINT64_MAX. */
static inline uint64_t lease_ends_s(const struct site_lease *lease)
{
    return lease->valid_s == LEASE_VALID_FOREVER ? UINT64_MAX
                                                 : (uint64_t)lease->last_s + lease->valid_s;
}

static inline uint64_t lease_client(const struct site_lease *lease)
{
    return (uint64_t)lease->client[1] << 32 | lease->client[0];
}

/* Frees the addresses and the index, but not the leases. */
void leases_forget_addresses(struct leases *leases);
void leases_release(struct leases *leases);

#endif
