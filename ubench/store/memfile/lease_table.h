/* SPDX-License-Identifier: ISC */
/*
 * The leases of memfile, in memory: found by address and, if asked for, by
 * hwaddr, by client-id (v6: by DUID, IAID and type) and in the order of expiry,
 * as Kea's memfile finds them (src/lib/dhcpsrv/memfile_lease_storage.h).  A
 * typical lease takes 80 bytes, the index by address 4 more, each of the two by
 * client 11 to 22.  A v6 lease takes 112 bytes, and the index by address as
 * much as those by client.
 */
#ifndef UBENCH_STORE_MEMFILE_LEASE_TABLE_H
#define UBENCH_STORE_MEMFILE_LEASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lease/lease.h"
#include "store/memfile/address_index.h"
#include "store/memfile/expiry_index.h"
#include "store/memfile/hash_index.h"
#include "store/memfile/slab.h"

struct lease_table {
    enum lease_family family;
    bool indexed; /* by more than the address */
    struct slab slab;
    struct address_index by_address; /* v4 */
    struct hash_index by_v6_address; /* v6 */
    struct hash_index by_hwaddr;
    struct hash_index by_client_id;   /* v6: by DUID, IAID and type */
    struct expiry_index by_expiry;    /* neither reclaimed nor infinite */
    struct expiry_index by_reclaimed; /* in LEASE_STATE_RECLAIMED */
};

/* What a change came to. */
enum lease_table_change {
    LEASE_TABLE_NO_MEMORY = -1,
    LEASE_TABLE_UNCHANGED = 0, /* taken, not there, or changed since */
    LEASE_TABLE_CHANGED = 1,
};

/* Returns 0, or -1 if there is no memory. */
int lease_table_init(struct lease_table *table, enum lease_family family,
                     bool indexed);

void lease_table_release(struct lease_table *table); /* zeroed is fine */
void lease_table_clear(struct lease_table *table);
uint64_t lease_table_count(const struct lease_table *table);

/* Adds a lease, unless its address is taken. */
enum lease_table_change lease_table_add(struct lease_table *table,
                                        const struct lease *lease);

/* Rewrites the lease at lease->address if it still expires at expire_s. */
enum lease_table_change lease_table_update(struct lease_table *table,
                                           const struct lease *lease,
                                           int64_t expire_s);

/* Removes the lease at address if it still expires at expire_s.  *removed, if
   not NULL, gets the lease that was there. */
enum lease_table_change lease_table_remove(struct lease_table *table,
                                           struct lease_address address,
                                           int64_t expire_s,
                                           struct lease *removed);

/* Each returns how many leases match, 0, 1 or 2 for more than one, and in
 *found the first of them.  Without indexes those by client look at every
   lease.  Nobody has an empty key. */
unsigned lease_table_find_address(const struct lease_table *table,
                                  struct lease_address address,
                                  enum lease_type type, struct lease *found);
unsigned lease_table_find_hwaddr(const struct lease_table *table,
                                 const uint8_t *hwaddr, size_t length,
                                 struct lease *found);
unsigned lease_table_find_client_id(const struct lease_table *table,
                                    const uint8_t *client_id, size_t length,
                                    struct lease *found);
unsigned lease_table_find_duid(const struct lease_table *table,
                               const uint8_t *duid, size_t length,
                               uint32_t iaid, enum lease_type type,
                               uint32_t subnet_id, struct lease *found);

/* The leases that expired before now_s, are not reclaimed and not infinite,
   the earliest first, at most limit.  Returns how many. */
size_t lease_table_expired(const struct lease_table *table, int64_t now_s,
                           size_t limit, struct lease *found);

/*
 * Finds the next lease in LEASE_STATE_RECLAIMED that expired before before_s.
 * *cursor begins at 0; what was found may be removed before the next call.
 */
bool lease_table_reclaimed(const struct lease_table *table, int64_t before_s,
                           uint64_t *cursor, struct lease *found);

#endif
