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
    struct hash by_client[2]; /* by hwaddr, and by client-id */
    struct expiry by_expiry[LEASE_TABLE_LISTS];
};

/* Returns 0, or -1 if there is no memory. */
int lease_table_init(struct lease_table *table, bool indexed);
void lease_table_release(struct lease_table *table); /* zeroed is fine */

/* Counts the leases by looking at each. */
uint64_t lease_table_count(const struct lease_table *table);

/* The three changes are those of the contract; ERROR: there is no memory, and
   the table is of no more use.  *removed gets the lease as it was. */
enum outcome lease_table_add(struct lease_table *table,
                             const struct lease *lease);
enum outcome lease_table_update(struct lease_table *table,
                                const struct lease *lease, int64_t expire_s);
enum outcome lease_table_remove(struct lease_table *table,
                                struct lease_address address, int64_t expire_s,
                                struct lease *removed);

/* Does what a record of the file says, whatever is there.  0, or -1 if there is
   no memory. */
int lease_table_replay(struct lease_table *table, const struct lease *lease,
                       bool removed);

/* False if there is none. */
bool lease_table_find_address(const struct lease_table *table,
                              struct lease_address address,
                              enum lease_type type, struct lease *found);

/* The key of a search by client: one of the two identifiers. */
struct lease_table_key {
    const uint8_t *bytes;
    size_t length;  /* nothing matches 0 */
    bool client_id; /* with the fields below; else the hwaddr, and they are 0 */
    enum lease_type type;
    uint32_t iaid;      /* v4: 0 */
    uint32_t subnet_id; /* or LEASE_SUBNET_ANY */
};

/* Returns how many leases match, 0, 1 or 2 for more than one, and in *found
   the first of them.  Without indexes it looks at every lease. */
unsigned lease_table_find_client(const struct lease_table *table,
                                 const struct lease_table_key *key,
                                 struct lease *found);

/* The leases that expired before now_s, are not reclaimed and not infinite,
   the earliest first, at most limit.  Returns how many. */
size_t lease_table_expired(const struct lease_table *table, int64_t now_s,
                           size_t limit, struct lease *found);

/* Finds a lease in LEASE_STATE_RECLAIMED that expired before before_s.  False
   if there is none.  *cursor begins at 0; what was found may be removed before
   the next call. */
bool lease_table_reclaimed(const struct lease_table *table, int64_t before_s,
                           uint64_t *cursor, struct lease *found);

#endif
