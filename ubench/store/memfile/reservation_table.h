/* SPDX-License-Identifier: ISC */
/*
 * Host reservations in memory, where Kea keeps those of its configuration file:
 * an index by subnet and identifier, as its container of hosts has one.  Nobody
 * adds while others look.
 */
#ifndef UBENCH_STORE_MEMFILE_RESERVATION_TABLE_H
#define UBENCH_STORE_MEMFILE_RESERVATION_TABLE_H

#include <stdbool.h>

#include "lease/reservation.h"
#include "store/memfile/hash_index.h"
#include "store/memfile/slab.h"

struct reservation_table {
    struct slab slab;
    struct hash_index by_key;
};

/* Returns 0, or -1 if there is no memory; release it either way. */
int reservation_table_init(struct reservation_table *table);
void reservation_table_release(struct reservation_table *table);

void reservation_table_clear(struct reservation_table *table);

/* Adds one whose key is not there.  Returns 0, or -1 if there is no memory. */
int reservation_table_add(struct reservation_table *table,
                          const struct reservation_key *key,
                          struct lease_address address);

/* False if there is none; address may be NULL. */
bool reservation_table_find(const struct reservation_table *table,
                            const struct reservation_key *key,
                            struct lease_address *address);

#endif
