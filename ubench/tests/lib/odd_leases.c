/* SPDX-License-Identifier: ISC */
#include "tests/lib/odd_leases.h"

#include <stdio.h>
#include <string.h>

enum { FIRST_ADDRESS = 0x0a000001, FIRST_CLTT_S = 1900000000 };

static void make_v6(struct lease *lease)
{
    static const uint8_t duid_ll[] = { 0, 3, 0, 1 };

    lease->address.high = UINT64_C(0x20010db800000000);
    lease->type = LEASE_TYPE_NA;
    lease->prefix_length = 128;
    lease->iaid = 7;
    lease->preferred_s = 2250;
    memcpy(lease->client_id, duid_ll, sizeof duid_ll);
    memcpy(lease->client_id + sizeof duid_ll, lease->hwaddr, 6);
    lease->client_id_length = sizeof duid_ll + 6;
}

struct lease ordinary_lease(enum lease_family family, uint32_t i)
{
    struct lease lease = {
        .address = { .low = FIRST_ADDRESS + i },
        .type = LEASE_TYPE_V4,
        .valid_s = 3600,
        .cltt_s = FIRST_CLTT_S + i,
        .subnet_id = 1,
        .hwaddr_length = 6,
        .client_id_length = 7,
        .hwaddr = { 2, 0, 0, (uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i },
    };

    lease.client_id[0] = 1;
    memcpy(lease.client_id + 1, lease.hwaddr, 6);
    lease.hostname_length =
        (uint8_t)snprintf(lease.hostname, sizeof lease.hostname, "host-%u.example.org", i);
    if (family == LEASE_FAMILY_V6)
        make_v6(&lease);
    return lease;
}

void lease_set_bytes(uint8_t *to, uint8_t *length, const void *bytes, size_t count)
{
    memset(to, 0, *length);
    memcpy(to, bytes, count);
    *length = (uint8_t)count;
}

/* The oddities of a lease. */

static void set_hwaddr(struct lease *lease, const char bytes[6])
{
    lease_set_bytes(lease->hwaddr, &lease->hwaddr_length, bytes, 6);
}

static void set_client_id(struct lease *lease, const char *bytes, size_t count)
{
    lease_set_bytes(lease->client_id, &lease->client_id_length, bytes, count);
}

static void set_hostname(struct lease *lease, const char *hostname)
{
    lease->hostname_length = (uint8_t)strlen(hostname);
    memcpy(lease->hostname, hostname, lease->hostname_length);
}

/* Fills it with a text, again and again. */
static void fill_hostname(struct lease *lease, const char *text)
{
    for (size_t k = 0; k < LEASE_HOSTNAME_MAX; k++)
        lease->hostname[k] = text[k % strlen(text)];
    lease->hostname_length = LEASE_HOSTNAME_MAX;
}

static void set_address(struct lease *lease, uint64_t high, uint64_t low)
{
    lease->address = (struct lease_address){ .low = low, .high = high };
}

void lease_decline(struct lease *lease)
{
    lease->state = LEASE_STATE_DECLINED;
    lease->hwaddr_length = 0;
    lease->client_id_length = 0;
    lease->hostname_length = 0;
}

/* All as long and as high as can be, at once. */
static void make_largest(struct lease *lease)
{
    fill_hostname(lease, "'");
    memset(lease->hwaddr, 0xfe, LEASE_HWADDR_MAX);
    lease->hwaddr_length = LEASE_HWADDR_MAX;
    memset(lease->client_id, '\'', LEASE_CLIENT_ID_MAX);
    lease->client_id_length = LEASE_CLIENT_ID_MAX;
    lease->valid_s = LEASE_VALID_FOREVER;
    lease->subnet_id = UINT32_MAX;
    lease->pool_id = UINT32_MAX;
    lease->address.low |= UINT32_C(0xf0000000);
    lease->fqdn_fwd = true;
    lease->fqdn_rev = true;
    if (lease->type != LEASE_TYPE_V4) {
        lease->iaid = UINT32_MAX;
        lease->preferred_s = UINT32_MAX;
    }
}

/* Oddities are numbered; those of v6 come last. */
enum { RAW_HOSTNAME = 20, NUL_HOSTNAME, FIRST_OF_V6 = 34, ODDITIES = 46 };

/* Makes an ordinary lease odd, and names what is odd about it. */
static const char *make_odd(struct lease *lease, size_t i)
{
    switch (i) {
    case 0:
        return "ordinary";
    case 1:
        lease->client_id_length = 0;
        return "no client-id";
    case 2:
        lease->hwaddr_length = 0;
        return "no hwaddr";
    case 3:
        lease_decline(lease);
        return "declined";
    case 4:
        lease->state = LEASE_STATE_RECLAIMED;
        lease->hostname_length = 0;
        return "reclaimed";
    case 5:
        lease->hostname_length = 0;
        return "no hostname";
    case 6:
        fill_hostname(lease, "h");
        return "255-byte hostname";
    case 7:
        fill_hostname(lease, "'");
        return "255 quotes as hostname";
    case 8:
        fill_hostname(lease, "\\");
        return "255 backslashes as hostname";
    case 9:
        fill_hostname(lease, "\xe2\x82\xac");
        return "255 bytes of UTF-8 as hostname";
    case 10:
        make_largest(lease);
        return "the largest";
    case 11:
        lease->client_id_length = LEASE_CLIENT_ID_MAX;
        for (int k = 0; k < LEASE_CLIENT_ID_MAX; k++)
            lease->client_id[k] = (uint8_t)k;
        return "255-byte client-id";
    case 12:
        lease->hwaddr_length = LEASE_HWADDR_MAX;
        memset(lease->hwaddr, 0xff, LEASE_HWADDR_MAX);
        return "20-byte hwaddr";
    case 13:
        set_hwaddr(lease, "\0\0\0\0\0\0");
        set_client_id(lease, "\0", 1);
        return "bytes 0";
    case 14:
        set_hwaddr(lease, "\xff\xff\xff\xff\xff\xff");
        set_client_id(lease, "\xff\xff\xff", 3);
        return "bytes 255";
    case 15:
        set_hwaddr(lease, "'\"\\%_;");
        set_client_id(lease, "a'b\"c\\\0\n\r\x1a", 10);
        return "quotes in bytes";
    case 16:
        set_hostname(lease, "o'brien \"x\" \\n \\' -- ; DROP %s _ {} `y`");
        return "quotes in the hostname";
    case 17:
        set_hostname(lease, "  Blanks,\tand UPPER case  ");
        return "blanks in the hostname";
    case 18:
        set_hostname(lease, "a\nb\rc\x01\x7f");
        return "control characters in the hostname";
    case 19:
        set_hostname(lease, "caf\xc3\xa9-\xe2\x82\xac-\xf0\x9f\x98\x80.example");
        return "UTF-8 in the hostname";
    case RAW_HOSTNAME:
        set_hostname(lease, "\xff\xfe\x80z");
        return "raw bytes in the hostname";
    case NUL_HOSTNAME:
        memcpy(lease->hostname, "a\0b\0", 4);
        lease->hostname_length = 4;
        return "NUL in the hostname";
    case 22:
        lease->address.low = 0;
        return "0.0.0.0";
    case 23:
        lease->address.low = UINT32_MAX;
        return "255.255.255.255";
    case 24:
        lease->address.low = 0x80000000;
        return "128.0.0.0";
    case 25:
        lease->subnet_id = UINT32_MAX;
        lease->pool_id = UINT32_MAX;
        return "highest subnet-id";
    case 26:
        lease->subnet_id = 0x80000000;
        lease->pool_id = 0x7fffffff;
        return "subnet-id 2^31";
    case 27:
        lease->subnet_id = 0;
        return "subnet-id 0";
    case 28:
        lease->fqdn_fwd = true;
        return "forward DNS";
    case 29:
        lease->fqdn_rev = true;
        return "reverse DNS";
    case 30:
        lease->valid_s = 0;
        return "lifetime 0";
    case 31:
        lease->valid_s = LEASE_VALID_FOREVER;
        return "valid for ever";
    case 32:
        lease->valid_s = LEASE_VALID_FOREVER - 1;
        return "longest lifetime";
    case 33:
        lease->cltt_s = 0;
        lease->valid_s = 0;
        return "earliest expire";
    case 34:
        lease->type = LEASE_TYPE_PD;
        lease->prefix_length = 56;
        lease->address.low = 0;
        lease->address.high += 0x100;
        return "a prefix";
    case 35:
        lease->type = LEASE_TYPE_PD;
        lease->prefix_length = 0;
        return "a prefix of length 0";
    case 36:
        lease->iaid = UINT32_MAX;
        return "highest IAID";
    case 37:
        lease->iaid = UINT32_C(0x80000000);
        return "IAID 2^31";
    case 38:
        lease->iaid = 0;
        return "IAID 0";
    case 39:
        lease->preferred_s = 0;
        return "not preferred";
    case 40:
        lease->preferred_s = LEASE_VALID_FOREVER;
        return "preferred for ever";
    case 41:
        set_address(lease, 0, 0);
        return "::";
    case 42:
        set_address(lease, UINT64_MAX, UINT64_MAX);
        return "ffff:...:ffff";
    case 43:
        set_address(lease, 0, 0xffff0a000001);
        return "::ffff:10.0.0.1";
    case 44:
        lease->address.low |= UINT64_C(0x8000000000000000);
        return "2001:db8:0:0:8000::";
    default:
        set_address(lease, UINT64_C(0x2001000000000001), 1);
        return "2001:0:0:1::1";
    }
}

size_t odd_lease_count(enum lease_family family)
{
    return family == LEASE_FAMILY_V6 ? ODDITIES : FIRST_OF_V6;
}

const char *odd_lease_name(size_t i)
{
    struct lease lease = ordinary_lease(LEASE_FAMILY_V6, 0);

    return make_odd(&lease, i);
}

/* Narrows a lease to what a store can hold. */
static void narrow(struct lease *lease, const struct lease_limits *limits)
{
    if (lease->type != LEASE_TYPE_V4 && lease->client_id_length > LEASE_DUID_MAX)
        lease->client_id_length = LEASE_DUID_MAX;
    if (limits->client_id_most > 0 && lease->client_id_length > limits->client_id_most)
        lease->client_id_length = (uint8_t)limits->client_id_most;
    while (lease->client_id_length > 0 && lease->client_id_length < limits->client_id_least)
        lease->client_id[lease->client_id_length++] = 'i';
    if (lease->cltt_s < limits->expire_least_s)
        lease->cltt_s = limits->expire_least_s;
    if (lease->valid_s != LEASE_VALID_FOREVER && lease_expire_s(lease) > limits->expire_most_s)
        lease->valid_s = (uint32_t)(limits->expire_most_s - lease->cltt_s);
}

struct lease odd_lease(enum lease_family family, size_t i, const struct lease_limits *limits)
{
    struct lease lease = ordinary_lease(family, (uint32_t)i);

    /* Not UTF-8, or with a NUL. */
    if (limits->raw_hostnames || (i != RAW_HOSTNAME && i != NUL_HOSTNAME))
        (void)make_odd(&lease, i);
    narrow(&lease, limits);
    return lease;
}
