/* SPDX-License-Identifier: ISC */
/*
 * The i-th lease of a seed and a profile.  Every client has a hwaddr, a
 * client-id and an address of its own: the benchmarks that Kea had until 2022
 * gave 65,533 clients 256 different hwaddrs and so measured a quadratic that
 * no site has; the tool of 2012 gave them all the same one.
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

/* 1.0.0.0, where the addresses of the 2012 guide begin. */
#define GENERATOR_BASE_ADDRESS UINT32_C(0x01000000)

/* 2001:db8::, a prefix for documentation (RFC 3849).  Its first address is the
   routers' (RFC 4291, section 2.6.1); leases have those behind it. */
#define GENERATOR_BASE_PREFIX UINT64_C(0x20010db800000000)

/*
 * The transaction time of lease 0; from there 1000 clients come in a second.
 * A constant, so that a seed means the same leases tomorrow; in 2030, so that
 * none has expired, and before 2038, where MySQL's TIMESTAMP ends.
 */
#define GENERATOR_EPOCH_S INT64_C(1900000000)

/* The most leases there can be: below it every address, time and client
   number is different.  Twice as many addresses are left for misses. */
#define GENERATOR_LEASES_MAX UINT64_C(400000000)

enum { GENERATOR_GUIDE_CLIENT_ID = 128 }; /* bytes */

struct generator {
    enum lease_profile profile;
    enum lease_type type;
    uint32_t valid_s;           /* of a lease as it is created */
    struct lease_address base;  /* of lease 0 */
    struct permutation clients; /* lease number to client number */
    uint64_t subnets;           /* that the clients are spread over; 0 is 1 */
    /* The bytes that the clients of the guide have in common. */
    uint8_t guide_hwaddr[LEASE_HWADDR_SIZE];
    uint8_t guide_client_id[GENERATOR_GUIDE_CLIENT_ID];
};

/* With one subnet; for more, set subnets (below 2^32) after it. */
void generator_init(struct generator *generator, enum lease_family family,
                    enum lease_profile profile, uint64_t seed);

/*
 * Makes lease i (below GENERATOR_LEASES_MAX) as it is created (version 0) or
 * as it is after so many renewals.  Each renewal comes when half the lifetime
 * is over (T1 of RFC 2131, section 4.4.5) and the server then grants a
 * lifetime one base lifetime longer.  A v6 lease is an address, preferred for
 * 5/8 of its lifetime, as Kea has it where nothing else is configured.  The
 * first 16 bytes of lease->hwaddr are set, whatever its length.
 */
void generator_make(const struct generator *generator, uint64_t i, uint32_t version,
                    struct lease *lease);

/* True if a lease is what generator_make would make.  For the timed path: of
   typical IPv4 leases it compares all fields without making one. */
bool generator_matches(const struct generator *generator, uint64_t i, uint32_t version,
                       const struct lease *lease);

/* The expire time of that lease alone, Unix seconds. */
int64_t generator_expire_s(const struct generator *generator, uint64_t i, uint32_t version);

/* The address of lease i. */
static inline struct lease_address generator_address(const struct generator *generator, uint64_t i)
{
    return (struct lease_address){ .low = generator->base.low + i, .high = generator->base.high };
}

#endif
