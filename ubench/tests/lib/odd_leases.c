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
        .hwaddr = { 2, 0, 0, (uint8_t)(i >> 16), (uint8_t)(i >> 8),
                    (uint8_t)i },
    };

    lease.client_id[0] = 1;
    memcpy(lease.client_id + 1, lease.hwaddr, 6);
    lease.hostname_length = (uint8_t)snprintf(
        lease.hostname, sizeof lease.hostname, "host-%u.example.org", i);
    if (family == LEASE_FAMILY_V6)
        make_v6(&lease);
    return lease;
}

void lease_set_bytes(uint8_t *to, uint8_t *length, const void *bytes,
                     size_t count)
{
    memset(to, 0, *length);
    memcpy(to, bytes, count);
    *length = (uint8_t)count;
}

static void set_hostname(struct lease *lease, const char *hostname)
{
    lease->hostname_length = (uint8_t)strlen(hostname);
    memcpy(lease->hostname, hostname, lease->hostname_length);
}

/* Each makes an ordinary lease odd. */

static void odd_ordinary(struct lease *lease)
{
}

static void odd_no_client_id(struct lease *lease)
{
    lease->client_id_length = 0;
}

static void odd_no_hwaddr(struct lease *lease)
{
    lease->hwaddr_length = 0;
}

void lease_decline(struct lease *lease)
{
    lease->state = LEASE_STATE_DECLINED;
    lease->hwaddr_length = 0;
    lease->client_id_length = 0;
    lease->hostname_length = 0;
}

static void odd_reclaimed(struct lease *lease)
{
    lease->state = LEASE_STATE_RECLAIMED;
    lease->hostname_length = 0;
}

static void odd_no_hostname(struct lease *lease)
{
    lease->hostname_length = 0;
}

static void odd_longest_hostname(struct lease *lease)
{
    memset(lease->hostname, 'h', LEASE_HOSTNAME_MAX);
    lease->hostname_length = LEASE_HOSTNAME_MAX;
}

/* What takes two bytes of a statement's text, or more. */

static void odd_hostname_of_quotes(struct lease *lease)
{
    memset(lease->hostname, '\'', LEASE_HOSTNAME_MAX);
    lease->hostname_length = LEASE_HOSTNAME_MAX;
}

static void odd_hostname_of_backslashes(struct lease *lease)
{
    memset(lease->hostname, '\\', LEASE_HOSTNAME_MAX);
    lease->hostname_length = LEASE_HOSTNAME_MAX;
}

static void odd_hostname_of_utf8(struct lease *lease)
{
    static const char euro[] = "\xe2\x82\xac";

    for (size_t k = 0; k < LEASE_HOSTNAME_MAX; k++)
        lease->hostname[k] = euro[k % 3];
    lease->hostname_length = LEASE_HOSTNAME_MAX;
}

/* All as long and as high as can be, at once. */
static void odd_largest(struct lease *lease)
{
    odd_hostname_of_quotes(lease);
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

static void odd_longest_client_id(struct lease *lease)
{
    for (int k = 0; k < LEASE_CLIENT_ID_MAX; k++)
        lease->client_id[k] = (uint8_t)k; /* every byte but 255 */
    lease->client_id_length = LEASE_CLIENT_ID_MAX;
}

static void odd_longest_hwaddr(struct lease *lease)
{
    memset(lease->hwaddr, 0xff, LEASE_HWADDR_MAX);
    lease->hwaddr_length = LEASE_HWADDR_MAX;
}

static void odd_zeros(struct lease *lease)
{
    lease_set_bytes(lease->hwaddr, &lease->hwaddr_length, "\0\0\0\0\0\0", 6);
    lease_set_bytes(lease->client_id, &lease->client_id_length, "\0", 1);
}

static void odd_ones(struct lease *lease)
{
    lease_set_bytes(lease->hwaddr, &lease->hwaddr_length,
                    "\xff\xff\xff\xff\xff\xff", 6);
    lease_set_bytes(lease->client_id, &lease->client_id_length, "\xff\xff\xff",
                    3);
}

static void odd_quoted_bytes(struct lease *lease)
{
    lease_set_bytes(lease->hwaddr, &lease->hwaddr_length, "'\"\\%_;", 6);
    lease_set_bytes(lease->client_id, &lease->client_id_length,
                    "a'b\"c\\\0\n\r\x1a", 10);
}

static void odd_quoted_hostname(struct lease *lease)
{
    set_hostname(lease, "o'brien \"x\" \\n \\' -- ; DROP %s _ {} `y`");
}

static void odd_blank_hostname(struct lease *lease)
{
    set_hostname(lease, "  Blanks,\tand UPPER case  ");
}

static void odd_control_hostname(struct lease *lease)
{
    set_hostname(lease, "a\nb\rc\x01\x7f");
}

static void odd_utf8_hostname(struct lease *lease)
{
    set_hostname(lease, "caf\xc3\xa9-\xe2\x82\xac-\xf0\x9f\x98\x80.example");
}

static void odd_raw_hostname(struct lease *lease)
{
    set_hostname(lease, "\xff\xfe\x80z");
}

static void odd_nul_hostname(struct lease *lease)
{
    memcpy(lease->hostname, "a\0b\0", 4);
    lease->hostname_length = 4;
}

static void odd_lowest_address(struct lease *lease)
{
    lease->address.low = 0;
}

static void odd_highest_address(struct lease *lease)
{
    lease->address.low = UINT32_MAX;
}

static void odd_middle_address(struct lease *lease)
{
    lease->address.low = 0x80000000;
}

static void odd_highest_numbers(struct lease *lease)
{
    lease->subnet_id = UINT32_MAX;
    lease->pool_id = UINT32_MAX;
}

static void odd_signed_numbers(struct lease *lease)
{
    lease->subnet_id = 0x80000000;
    lease->pool_id = 0x7fffffff;
}

static void odd_no_subnet(struct lease *lease)
{
    lease->subnet_id = 0;
}

static void odd_dns(struct lease *lease)
{
    lease->fqdn_fwd = true;
}

static void odd_reverse_dns(struct lease *lease)
{
    lease->fqdn_rev = true;
}

static void odd_not_valid(struct lease *lease)
{
    lease->valid_s = 0;
}

static void odd_valid_for_ever(struct lease *lease)
{
    lease->valid_s = LEASE_VALID_FOREVER;
}

static void odd_valid_for_long(struct lease *lease)
{
    lease->valid_s = LEASE_VALID_FOREVER - 1;
}

static void odd_first_expire(struct lease *lease)
{
    lease->cltt_s = 0;
    lease->valid_s = 0;
}

/* Of v6 alone. */

static void odd_prefix(struct lease *lease)
{
    lease->type = LEASE_TYPE_PD;
    lease->prefix_length = 56;
    lease->address.low = 0;
    lease->address.high += 0x100;
}

static void odd_short_prefix(struct lease *lease)
{
    lease->type = LEASE_TYPE_PD;
    lease->prefix_length = 0;
}

static void odd_iaid(struct lease *lease)
{
    lease->iaid = UINT32_MAX;
}

static void odd_signed_iaid(struct lease *lease)
{
    lease->iaid = UINT32_C(0x80000000);
}

static void odd_no_iaid(struct lease *lease)
{
    lease->iaid = 0;
}

static void odd_not_preferred(struct lease *lease)
{
    lease->preferred_s = 0;
}

static void odd_preferred_for_ever(struct lease *lease)
{
    lease->preferred_s = LEASE_VALID_FOREVER;
}

static void odd_no_address(struct lease *lease)
{
    lease->address = (struct lease_address){ .low = 0 };
}

static void odd_last_address(struct lease *lease)
{
    lease->address =
        (struct lease_address){ .low = UINT64_MAX, .high = UINT64_MAX };
}

static void odd_mapped_address(struct lease *lease)
{
    lease->address = (struct lease_address){ .low = 0xffff0a000001 };
}

static void odd_far_address(struct lease *lease)
{
    lease->address.low |= UINT64_C(0x8000000000000000);
}

static void odd_two_gaps_address(struct lease *lease)
{
    lease->address =
        (struct lease_address){ .low = 1,
                                .high = UINT64_C(0x2001000000000001) };
}

static const struct {
    const char *name;
    void (*make)(struct lease *lease);
} oddities[] = {
    { "ordinary", odd_ordinary },
    { "no client-id", odd_no_client_id },
    { "no hwaddr", odd_no_hwaddr },
    { "declined", lease_decline },
    { "reclaimed", odd_reclaimed },
    { "no hostname", odd_no_hostname },
    { "255-byte hostname", odd_longest_hostname },
    { "255 quotes as hostname", odd_hostname_of_quotes },
    { "255 backslashes as hostname", odd_hostname_of_backslashes },
    { "255 bytes of UTF-8 as hostname", odd_hostname_of_utf8 },
    { "the largest", odd_largest },
    { "255-byte client-id", odd_longest_client_id },
    { "20-byte hwaddr", odd_longest_hwaddr },
    { "bytes 0", odd_zeros },
    { "bytes 255", odd_ones },
    { "quotes in bytes", odd_quoted_bytes },
    { "quotes in the hostname", odd_quoted_hostname },
    { "blanks in the hostname", odd_blank_hostname },
    { "control characters in the hostname", odd_control_hostname },
    { "UTF-8 in the hostname", odd_utf8_hostname },
    { "raw bytes in the hostname", odd_raw_hostname },
    { "NUL in the hostname", odd_nul_hostname },
    { "0.0.0.0", odd_lowest_address },
    { "255.255.255.255", odd_highest_address },
    { "128.0.0.0", odd_middle_address },
    { "highest subnet-id", odd_highest_numbers },
    { "subnet-id 2^31", odd_signed_numbers },
    { "subnet-id 0", odd_no_subnet },
    { "forward DNS", odd_dns },
    { "reverse DNS", odd_reverse_dns },
    { "lifetime 0", odd_not_valid },
    { "valid for ever", odd_valid_for_ever },
    { "longest lifetime", odd_valid_for_long },
    { "earliest expire", odd_first_expire },
    /* From here on of v6: */
    { "a prefix", odd_prefix },
    { "a prefix of length 0", odd_short_prefix },
    { "highest IAID", odd_iaid },
    { "IAID 2^31", odd_signed_iaid },
    { "IAID 0", odd_no_iaid },
    { "not preferred", odd_not_preferred },
    { "preferred for ever", odd_preferred_for_ever },
    { "::", odd_no_address },
    { "ffff:...:ffff", odd_last_address },
    { "::ffff:10.0.0.1", odd_mapped_address },
    { "2001:db8:0:0:8000::", odd_far_address },
    { "2001:0:0:1::1", odd_two_gaps_address },
};

size_t odd_lease_count(enum lease_family family)
{
    enum { V6_ALONE = 12 };
    const size_t all = sizeof oddities / sizeof oddities[0];

    return family == LEASE_FAMILY_V6 ? all : all - V6_ALONE;
}

const char *odd_lease_name(size_t i)
{
    return oddities[i].name;
}

/* Its host name is not UTF-8, or has a NUL. */
static bool is_raw(size_t i)
{
    return oddities[i].make == odd_raw_hostname ||
           oddities[i].make == odd_nul_hostname;
}

/* Narrows a lease to what a store can hold. */
static void narrow(struct lease *lease, const struct lease_limits *limits)
{
    if (lease->type != LEASE_TYPE_V4 &&
        lease->client_id_length > LEASE_DUID_MAX)
        lease->client_id_length = LEASE_DUID_MAX;
    if (limits->client_id_most > 0 &&
        lease->client_id_length > limits->client_id_most)
        lease->client_id_length = (uint8_t)limits->client_id_most;
    while (lease->client_id_length > 0 &&
           lease->client_id_length < limits->client_id_least)
        lease->client_id[lease->client_id_length++] = 'i';
    if (lease->cltt_s < limits->expire_least_s)
        lease->cltt_s = limits->expire_least_s;
    if (lease->valid_s != LEASE_VALID_FOREVER &&
        lease_expire_s(lease) > limits->expire_most_s)
        lease->valid_s = (uint32_t)(limits->expire_most_s - lease->cltt_s);
}

struct lease odd_lease(enum lease_family family, size_t i,
                       const struct lease_limits *limits)
{
    struct lease lease = ordinary_lease(family, (uint32_t)i);

    if (limits->raw_hostnames || !is_raw(i))
        oddities[i].make(&lease);
    narrow(&lease, limits);
    return lease;
}
