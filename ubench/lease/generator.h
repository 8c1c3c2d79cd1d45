/* SPDX-License-Identifier: ISC */
/*
 * Generates the i-th lease of a seed and a profile.  Every client has its own
 * hwaddr, client-id and address.  The benchmarks that Kea had until 2022 gave
 * 65,533 clients 256 different hwaddrs and so measured quadratic behaviour that
 * no site has; the tool of 2012 gave all clients the same hwaddr.
 */
#ifndef UBENCH_LEASE_GENERATOR_H
#define UBENCH_LEASE_GENERATOR_H

#include "core/random.h"
#include "lease/lease.h"

enum lease_profile {
    /* 6-byte MAC, 7-byte client-id or DUID of 10 or 14 bytes, host name */
    LEASE_PROFILE_TYPICAL,
    /* 20-byte hwaddr, 128-byte client-id or DUID, as in 2012 */
    LEASE_PROFILE_GUIDE,
};

/* 1.0.0.0, the first address of the 2012 guide. */
#define GENERATOR_BASE_ADDRESS UINT32_C(0x01000000)

/* 2001:db8::, a prefix for documentation (RFC 3849).  Its first address belongs
   to the routers (RFC 4291, section 2.6.1); leases start after it. */
#define GENERATOR_BASE_PREFIX UINT64_C(0x20010db800000000)

/*
 * The transaction time of lease 0; 1000 clients follow per second.  It is a
 * constant, so that a seed always generates the same leases; in 2030, so that
 * none has expired; and before 2038, where MySQL's TIMESTAMP ends.
 */
#define GENERATOR_EPOCH_S INT64_C(1900000000)

/* The greatest number of leases: below it all addresses, times and client
   numbers differ.  Twice as many addresses remain for misses. */
#define GENERATOR_LEASES_MAX UINT64_C(400000000)

enum { GENERATOR_GUIDE_CLIENT_ID = 128 }; /* bytes */

struct generator {
    enum lease_profile profile;
    enum lease_type type;
    uint32_t valid_s;           /* of a new lease */
    struct lease_address base;  /* of lease 0 */
    struct permutation clients; /* lease number to client number */
    uint64_t subnets;           /* number that the clients are spread over; 0
                                   means 1 */
    /* The bytes that all clients of the guide share. */
    uint8_t guide_hwaddr[LEASE_HWADDR_SIZE];
    uint8_t guide_client_id[GENERATOR_GUIDE_CLIENT_ID];
};

/* Initialises a generator with one subnet.  For more, set subnets (below 2^32)
   afterwards. */
void generator_init(struct generator *generator, enum lease_family family,
                    enum lease_profile profile, uint64_t seed);

/*
 * Makes lease i (below GENERATOR_LEASES_MAX) as created (version 0) or after
 * version renewals.  Each renewal comes when half the lifetime is over (T1 of
 * RFC 2131, section 4.4.5), and the server then grants a lifetime that is one
 * base lifetime longer.  A v6 lease is an address, preferred for 5/8 of its
 * lifetime, Kea's default.  Sets the first 16 bytes of lease->hwaddr, whatever
 * its length.
 */
void generator_make(const struct generator *generator, uint64_t i, uint32_t version,
                    struct lease *lease);

/* Returns true if the lease equals the one that generator_make makes.  For the
   timed path: compares all fields of a typical IPv4 lease without making
   one. */
bool generator_matches(const struct generator *generator, uint64_t i, uint32_t version,
                       const struct lease *lease);

/* Returns the number of the lease whose client has the hwaddr of this one;
   GENERATOR_LEASES_MAX or more if there is none.  Other fields may differ. */
uint64_t generator_find(const struct generator *generator, const struct lease *lease);

/* Returns the expire time of that lease, in Unix seconds. */
int64_t generator_expire_s(const struct generator *generator, uint64_t i, uint32_t version);

/* Returns the address of lease i. */
static inline struct lease_address generator_address(const struct generator *generator, uint64_t i)
{
    return (struct lease_address){ .low = generator->base.low + i, .high = generator->base.high };
}

#endif
