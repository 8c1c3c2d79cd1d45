/* SPDX-License-Identifier: ISC */
/*
 * The leases of memfile, in memory, with an index by address and, if requested,
 * by hwaddr, by client-id (v6: by DUID, IAID and type) and by expiry, as Kea's
 * memfile has (src/lib/dhcpsrv/memfile_lease_storage.h).  A typical lease takes
 * 80 bytes, plus 6 to 12 in the index by address if its neighbours are in use,
 * plus 16 to 32 in each other index.
 */
#ifndef UBENCH_STORE_MEMFILE_LEASE_TABLE_H
#define UBENCH_STORE_MEMFILE_LEASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lease/lease.h"
#include "store/backend.h"
#include "store/memfile/address_index.h"
#include "store/memfile/expiry.h"
#include "store/memfile/hash.h"
#include "store/memfile/slab.h"

/* The lists of leases, by their expiry. */
enum lease_table_list {
    LEASE_TABLE_EXPIRING,
    LEASE_TABLE_RECLAIMED, /* in LEASE_STATE_RECLAIMED */
    LEASE_TABLE_FOREVER,
    LEASE_TABLE_LISTS,
};

struct lease_table {
    bool indexed; /* has the indexes besides that by address */
    struct slab slab;
    struct address_index by_address;
    struct hash by_hwaddr;
    struct hash by_client_id;
    struct expiry by_expiry[LEASE_TABLE_LISTS];
};

/* Initialises an empty table.  Returns 0, or -1 if memory is short. */
int lease_table_init(struct lease_table *table, bool indexed);
void lease_table_release(struct lease_table *table); /* zeroed is fine */

/* Counts the leases by reading each. */
uint64_t lease_table_count(const struct lease_table *table);

/* The changes of store/backend.h.  ERROR: memory is short, and the table must
   not be used again.  *removed receives the lease as it was. */
enum outcome lease_table_add(struct lease_table *table, const struct lease *lease);
enum outcome lease_table_update(struct lease_table *table, const struct lease *lease,
                                int64_t expire_s);
enum outcome lease_table_remove(struct lease_table *table, struct lease_address address,
                                int64_t expire_s, struct lease *removed);

/* Applies a record of the lease file, whatever the table holds.  Returns 0, or
   -1 if memory is short. */
int lease_table_replay(struct lease_table *table, const struct lease *lease, bool removed);

/* The search of store/backend.h.  Returns the number of leases that match, 2
   for two or more, and the first in *found.  An empty identifier matches none.
   Without an index it reads every lease. */
unsigned lease_table_find(const struct lease_table *table, enum lookup by, const struct lease *like,
                          struct lease *found);

/* Writes the leases that expired before now_s, are not reclaimed and not
   infinite to found, earliest expiry first, at most limit.  Returns their
   number. */
size_t lease_table_expired(const struct lease_table *table, int64_t now_s, size_t limit,
                           struct lease *found);

/* Removes one lease in LEASE_STATE_RECLAIMED that expired before before_s;
   returns false if no such lease is left.  *cursor is 0 before the first call,
   and the table must not be changed between calls. */
bool lease_table_purge(struct lease_table *table, int64_t before_s, uint64_t *cursor,
                       struct lease *removed);

#endif
