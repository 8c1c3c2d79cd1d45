/* SPDX-License-Identifier: ISC */
/*
 * Leases as odd as Kea's column types allow: empty and longest texts, bytes
 * that need quoting, numbers at the ends of their ranges.
 */
#ifndef UBENCH_TESTS_LIB_ODD_LEASES_H
#define UBENCH_TESTS_LIB_ODD_LEASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lease/lease.h"

/* How many there are of a family. */
size_t odd_lease_count(enum lease_family family);

/* Limits of a store, where it holds less than a lease can say. */
struct lease_limits {
    int64_t expire_least_s;
    int64_t expire_most_s;
    bool raw_hostnames; /* any byte, or UTF-8 without NUL */
    size_t client_id_least;
    size_t client_id_most; /* 0: any */
};

/* Client number i, with nothing odd about it. */
struct lease ordinary_lease(enum lease_family family, uint32_t i);

/* The same client with oddity number i (below odd_lease_count), and its name.
 */
struct lease odd_lease(enum lease_family family, size_t i, const struct lease_limits *limits);
const char *odd_lease_name(size_t i);

/* Wipes who the client is, as Kea does if somebody else uses the address. */
void lease_decline(struct lease *lease);

/* Puts count bytes in the place of a hwaddr or client-id. */
void lease_set_bytes(uint8_t *to, uint8_t *length, const void *bytes, size_t count);

#endif
