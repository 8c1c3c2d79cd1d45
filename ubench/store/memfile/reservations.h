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

struct reservations {
    struct slab *slab; /* of the records; its owner's */
    struct hash by_key;
};

/* The same as in the contract. */
enum outcome reservations_add(struct reservations *reservations,
                              const struct reservation_key *key,
                              struct lease_address address, struct err *err);
enum outcome reservations_find(const struct reservations *reservations,
                               const struct reservation_key *key,
                               struct lease_address *address);

#endif
