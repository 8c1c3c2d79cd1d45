/* SPDX-License-Identifier: ISC */
/*
 * A lease: the record "this address belongs to that client until then".
 * Fields and limits follow the lease4 table of Kea 2.2 (MySQL schema 14:
 * hwaddr VARBINARY(20), client_id VARBINARY(255), hostname VARCHAR(255)).
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
    LEASE_ADDRESS_TEXT_SIZE = 16, /* "255.255.255.255" and its end */
    /* The arrays are whole blocks, so that bytes can be copied and compared
       by blocks without looking where they end. */
    LEASE_BLOCK = 16,
    LEASE_HWADDR_SIZE = 32,
    LEASE_CLIENT_ID_SIZE = 256,
    LEASE_HOSTNAME_SIZE = 256,
};

/* The states that Kea gives a lease, by its numbers (src/lib/dhcpsrv/lease.h).
   Kea adds 3, released, in later versions. */
enum lease_state {
    LEASE_STATE_DEFAULT = 0,
    LEASE_STATE_DECLINED = 1,
    LEASE_STATE_RECLAIMED = 2,
};

struct lease {
    int64_t cltt_s;   /* client's last transaction time, Unix seconds */
    uint32_t address; /* IPv4, host byte order: 1.0.0.0 is 0x01000000 */
    uint32_t valid_s; /* how long it is valid, from cltt_s on */
    uint32_t subnet_id;
    uint32_t pool_id;
    uint8_t state; /* enum lease_state */
    bool fqdn_fwd; /* the server has added the forward DNS record */
    bool fqdn_rev;
    uint8_t hwaddr_length;
    uint8_t client_id_length;
    uint8_t hostname_length;
    uint8_t unused[2]; /* up to a whole block */
    uint8_t hwaddr[LEASE_HWADDR_SIZE];
    uint8_t client_id[LEASE_CLIENT_ID_SIZE];
    char hostname[LEASE_HOSTNAME_SIZE]; /* no NUL at its end */
};

/* When it ends, Unix seconds.  Kea stores this and not cltt. */
static inline int64_t lease_expire_s(const struct lease *lease)
{
    return lease->cltt_s + lease->valid_s;
}

/* Copies length bytes by whole blocks: up to LEASE_BLOCK - 1 bytes more are
   read and written. */
static inline void lease_copy_bytes(void *to, const void *from, size_t length)
{
    for (size_t i = 0; i < length; i += LEASE_BLOCK)
        memcpy((char *)to + i, (const char *)from + i, LEASE_BLOCK);
}

/* True if all fields are the same; bytes past a length do not count. */
bool lease_equal(const struct lease *a, const struct lease *b);

/* Names the first field in which two leases differ ("hostname"), or NULL. */
const char *lease_difference(const struct lease *a, const struct lease *b);

/* Writes an address as a dotted quad and returns text. */
char *lease_address_text(char text[static LEASE_ADDRESS_TEXT_SIZE],
                         uint32_t address);

#endif
