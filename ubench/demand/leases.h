/* SPDX-License-Identifier: ISC */
/*
 * All leases of a site by address, in little memory: 10 million IPv6 leases
 * take 464 MB.
 */
#ifndef UBENCH_DEMAND_LEASES_H
#define UBENCH_DEMAND_LEASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "demand/record.h"

enum { LEASES_MAX = 1 << 28, LEASES_NONE = -1, FILES_MAX = 1 << 6 };

/* What is known of a lease by the records of its address; see struct record. */
struct site_lease {
    uint32_t last_s;
    uint32_t valid_s;
    uint32_t subnet;
    uint32_t client[2];      /* halves of record.client, the lower one first */
    uint32_t state : 8;      /* enum row_state */
    uint32_t live_first : 1; /* existed before the history began */
    uint32_t touched : 1;    /* has an event in the history */
    uint32_t file : 6;       /* the file with its last record */
};

/* Initialise with .family only. */
struct leases {
    enum lease_family family;
    size_t count;
    size_t capacity;
    struct site_lease *all; /* in the order in which their addresses were
                               found */
    void *addresses;        /* of these leases: uint32_t, or struct
                               lease_address */
    uint32_t *index;        /* a hash table of positions + 1 */
    size_t index_size;      /* 0 or a power of 2 */
};

/* Returns the position of an address.  Adds a new address, as ROW_ABSENT.
   Returns LEASES_NONE with err if memory is short or there are more than
   LEASES_MAX. */
int64_t leases_find(struct leases *leases, struct lease_address address, struct err *err);

/* Returns true if an address is known to have a lease, or a row that was left of one. */
bool leases_has_row(const struct leases *leases, struct lease_address address);

/* Returns the address at a position. */
struct lease_address leases_address(const struct leases *leases, size_t position);

/* Returns the end of a lease, in Unix seconds; UINT64_MAX if it never
   expires. */
static inline uint64_t lease_ends_s(const struct site_lease *lease)
{
    return lease->valid_s == LEASE_VALID_FOREVER ? UINT64_MAX
                                                 : (uint64_t)lease->last_s + lease->valid_s;
}

/* Returns the hash that identifies the client of the lease; 0: none. */
static inline uint64_t lease_client(const struct site_lease *lease)
{
    return (uint64_t)lease->client[1] << 32 | lease->client[0];
}

/* Frees the addresses and the index, but not the leases. */
void leases_forget_addresses(struct leases *leases);
void leases_release(struct leases *leases);

#endif
