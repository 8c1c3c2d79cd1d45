/* SPDX-License-Identifier: ISC */
/*
 * A host reservation: "this client, in that subnet, gets this address".  It is
 * what Kea's table hosts says of an IPv4 client, as far as a look-up needs it.
 */
#ifndef UBENCH_LEASE_RESERVATION_H
#define UBENCH_LEASE_RESERVATION_H

#include <stddef.h>
#include <stdint.h>

#include "lease/lease.h"

/* By what a client is known, by Kea's numbers (src/lib/dhcpsrv/host.h). */
enum reservation_identifier {
    RESERVATION_BY_HWADDR = 0,
    RESERVATION_BY_CLIENT_ID = 3,
};

/* The client it belongs to.  No two reservations have the same key; the bytes
   are the caller's, 1 to LEASE_CLIENT_ID_MAX of them. */
struct reservation_key {
    enum reservation_identifier type;
    uint32_t subnet_id;
    const uint8_t *identifier;
    size_t length;
};

#endif
