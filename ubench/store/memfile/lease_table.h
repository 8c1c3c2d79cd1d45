/* SPDX-License-Identifier: ISC */
/*
 * The leases of memfile, in memory: found by address and, if asked for, by
 * hwaddr, by client-id (v6: by DUID, IAID and type) and in the order of expiry,
 * as Kea's memfile finds them (src/lib/dhcpsrv/memfile_lease_storage.h).  A
 * typical lease takes 80 bytes, 6 to 12 in the index by address if those of its
 * neighbours are in use, and 16 to 32 in each of the others.
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

/* The leases by what becomes of them. */
enum lease_table_list {
    LEASE_TABLE_EXPIRING,
    LEASE_TABLE_RECLAIMED, /* in LEASE_STATE_RECLAIMED */
    LEASE_TABLE_FOREVER,
    LEASE_TABLE_LISTS,
};

struct lease_table {
    bool indexed; /* by more than the address */
    struct slab slab;
    struct address_index by_address;
    struct hash by_hwaddr;
    struct hash by_client_id;
    struct expiry by_expiry[LEASE_TABLE_LISTS];
};

/* Returns 0, or -1 if there is no memory. */
int lease_table_init(struct lease_table *table, bool indexed);
void lease_table_release(struct lease_table *table); /* zeroed is fine */

/* Counts the leases by looking at each. */
uint64_t lease_table_count(const struct lease_table *table);

/* The three changes are those of the contract; ERROR: there is no memory, and
   the table is of no more use.  *removed gets the lease as it was. */
enum outcome lease_table_add(struct lease_table *table, const struct lease *lease);
enum outcome lease_table_update(struct lease_table *table, const struct lease *lease,
                                int64_t expire_s);
enum outcome lease_table_remove(struct lease_table *table, struct lease_address address,
                                int64_t expire_s, struct lease *removed);

/* Does what a record of the file says, whatever is there.  0, or -1 if there is
   no memory. */
int lease_table_replay(struct lease_table *table, const struct lease *lease, bool removed);

/* The search of the contract, which tells how many leases match: 2 stands for
   all that are more than one.  *found gets the first.  An empty identifier
   matches none.  Without an index it looks at every lease. */
unsigned lease_table_find(const struct lease_table *table, enum lookup by, const struct lease *like,
                          struct lease *found);

/* The leases that expired before now_s, are not reclaimed and not infinite,
   the earliest first, at most limit.  Returns how many. */
size_t lease_table_expired(const struct lease_table *table, int64_t now_s, size_t limit,
                           struct lease *found);

/* Removes a lease in LEASE_STATE_RECLAIMED that expired before before_s; false
   if there is none.  *cursor begins at 0, and nothing else may change the table
   between two calls. */
bool lease_table_purge(struct lease_table *table, int64_t before_s, uint64_t *cursor,
                       struct lease *removed);

#endif
