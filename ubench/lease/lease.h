/* SPDX-License-Identifier: ISC */
/*
 * A lease: the record "this address belongs to that client until then".
 * Fields and limits follow the tables lease4 and lease6 of Kea 2.2 (MySQL
 * schema 14: hwaddr VARBINARY(20), client_id VARBINARY(255), hostname
 * VARCHAR(255)).
 */
#ifndef UBENCH_LEASE_LEASE_H
#define UBENCH_LEASE_LEASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    LEASE_HWADDR_MAX = 20,
    LEASE_CLIENT_ID_MAX = 255,
    LEASE_HOSTNAME_MAX = 255,
    LEASE_DUID_MAX = 130,         /* RFC 8415, section 11.1 */
    LEASE_ADDRESS_TEXT_SIZE = 46, /* INET6_ADDRSTRLEN */
    /* The arrays are whole blocks, so that bytes can be copied and compared by
       blocks regardless of their length. */
    LEASE_BLOCK = 16,
    LEASE_HWADDR_SIZE = 32,
    LEASE_CLIENT_ID_SIZE = 256,
    LEASE_HOSTNAME_SIZE = 256,
};

/* Kea's lease states, with its numbers (src/lib/dhcpsrv/lease.h).  Versions
   later than 2.2 have 3. */
enum lease_state {
    LEASE_STATE_DEFAULT = 0,
    LEASE_STATE_DECLINED = 1,
    LEASE_STATE_RECLAIMED = 2,
    LEASE_STATE_RELEASED = 3,
};

/* Kea's lease types, with its numbers (src/lib/dhcpsrv/lease.h).  All but the
   last are IPv6. */
enum lease_type {
    LEASE_TYPE_NA = 0, /* an address */
    LEASE_TYPE_PD = 2, /* a delegated prefix */
    LEASE_TYPE_V4 = 3,
};

/* The lifetime of a lease that never expires (RFC 2131, section 3.3). */
#define LEASE_VALID_FOREVER UINT32_MAX

enum lease_family { LEASE_FAMILY_V4, LEASE_FAMILY_V6 };

/* Kea's type and source of the hwaddr of a v6 lease.  A struct lease does not
   have them, since they are always the same: Ethernet, from the DUID
   (src/lib/dhcp/hwaddr.h). */
enum { LEASE_V6_HWTYPE = 1, LEASE_V6_HWADDR_SOURCE = 4 };

/* An address as a number.  IPv4: 1.0.0.0 is 0x01000000, and high is 0. */
struct lease_address {
    uint64_t low;
    uint64_t high;
};

struct lease {
    int64_t cltt_s;   /* client's last transaction time, Unix seconds */
    uint32_t valid_s; /* lifetime, from cltt_s */
    uint32_t subnet_id;
    uint32_t pool_id;
    uint32_t iaid; /* v6 only: identifies one of the client's IAs */
    uint8_t state; /* enum lease_state */
    bool fqdn_fwd; /* the server has added the forward DNS record */
    bool fqdn_rev;
    uint8_t hwaddr_length;
    uint8_t client_id_length;
    uint8_t hostname_length;
    uint8_t type;          /* enum lease_type */
    uint8_t prefix_length; /* v6: of a delegated prefix; 128 for an address */
    struct lease_address address;
    uint32_t preferred_s; /* v6: preferred lifetime, from cltt_s */
    uint8_t unused[12];   /* pads to a whole block */
    uint8_t hwaddr[LEASE_HWADDR_SIZE];
    uint8_t client_id[LEASE_CLIENT_ID_SIZE]; /* v6: the DUID */
    char hostname[LEASE_HOSTNAME_SIZE];      /* not NUL-terminated */
};

/* How a host reservation identifies its client, with Kea's numbers
   (src/lib/dhcpsrv/host.h). */
enum reservation_identifier {
    RESERVATION_BY_HWADDR = 0,
    RESERVATION_BY_CLIENT_ID = 3,
};

/* The client of a host reservation, with the fields that a search for an IPv4
   client in Kea's table hosts needs.  No two reservations have the same key.
   The caller owns the 1 to LEASE_CLIENT_ID_MAX bytes. */
struct reservation_key {
    enum reservation_identifier type;
    uint32_t subnet_id;
    const uint8_t *identifier;
    size_t length;
};

static inline struct lease_address lease_address_v4(uint32_t address)
{
    return (struct lease_address){ .low = address };
}

static inline bool lease_address_equal(struct lease_address a, struct lease_address b)
{
    return a.low == b.low && a.high == b.high;
}

/* Returns the expire time, in Unix seconds.  Kea stores this time instead of
   cltt. */
static inline int64_t lease_expire_s(const struct lease *lease)
{
    return lease->cltt_s + lease->valid_s;
}

/* Copies length bytes in whole blocks: reads and writes up to LEASE_BLOCK - 1
   bytes more. */
static inline void lease_copy_bytes(void *to, const void *from, size_t length)
{
    for (size_t i = 0; i < length; i += LEASE_BLOCK)
        memcpy((char *)to + i, (const char *)from + i, LEASE_BLOCK);
}

/* Returns the name of the first field in which two leases differ ("hostname"),
   or NULL.  Ignores bytes beyond a length, and fields that leases of that type
   do not have. */
const char *lease_difference(const struct lease *a, const struct lease *b);

static inline bool lease_equal(const struct lease *a, const struct lease *b)
{
    return lease_difference(a, b) == NULL;
}

/* Writes the address of a lease of that type, as a dotted quad or in the form
   of RFC 5952.  Returns text. */
char *lease_address_text(char text[LEASE_ADDRESS_TEXT_SIZE], struct lease_address address,
                         enum lease_type type);

#endif
