/* SPDX-License-Identifier: ISC */
/*
 * Host reservations in memory, where Kea keeps those of its configuration file:
 * an index by subnet and identifier, as its container of hosts has one.  No
 * thread may add one while others search.
 */
#ifndef UBENCH_STORE_MEMFILE_RESERVATIONS_H
#define UBENCH_STORE_MEMFILE_RESERVATIONS_H

#include "store/backend.h"
#include "store/memfile/hash.h"
#include "store/memfile/slab.h"

/* Zeroed: none, and none can be added. */
struct reservations {
    struct slab slab;
    struct hash by_key;
};

/* Returns 0, or -1 if there is no memory; release it either way. */
int reservations_init(struct reservations *reservations);
void reservations_release(struct reservations *reservations);

/* The same as in the contract. */
enum outcome reservations_add(struct reservations *reservations,
                              const struct reservation_key *key,
                              struct lease_address address, struct err *err);
enum outcome reservations_find(const struct reservations *reservations,
                               const struct reservation_key *key,
                               struct lease_address *address);

#endif
