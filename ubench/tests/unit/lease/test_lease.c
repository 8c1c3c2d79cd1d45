/* SPDX-License-Identifier: ISC */
#include "lease/lease.h"

#include "tests/lib/check.h"
#include "tests/lib/lease_fields.h"

static struct lease sample(void)
{
    struct lease lease = {
        .address = { .low = 0x01000001 },
        .type = LEASE_TYPE_V4,
        .valid_s = 3600,
        .cltt_s = 1900000000,
        .subnet_id = 1,
        .hwaddr_length = 6,
        .client_id_length = 7,
        .hostname_length = 4,
        .hwaddr = { 2, 1, 2, 3, 4, 5 },
        .client_id = { 1, 2, 1, 2, 3, 4, 5 },
    };

    memcpy(lease.hostname, "host", 4);
    return lease;
}

TEST(same_fields_are_equal)
{
    struct lease a = sample();
    struct lease b = sample();

    /* Bytes past a length do not count. */
    a.hwaddr[6] = 99;
    b.client_id[7] = 99;
    a.hostname[4] = 'x';
    assert_true(lease_equal(&a, &b));
    assert_null(lease_difference(&a, &b));
}

TEST(each_field_counts)
{
    struct lease original = sample();

    original.type = LEASE_TYPE_NA;
    original.prefix_length = 128;
    for (int change = 0; change < LEASE_V6_CHANGES; change++) {
        struct lease changed = original;
        const char *const name = lease_change(&changed, change);

        check(name, !lease_equal(&original, &changed), "leases differ");
        check(name, !lease_equal(&changed, &original), "leases differ");
        assert_non_null(lease_difference(&original, &changed));
        check_text(name, lease_difference(&original, &changed), name);
    }
}

TEST(addresses_are_dotted_quads)
{
    static const struct {
        uint32_t address;
        const char *text;
    } cases[] = {
        { 0, "0.0.0.0" },
        { 1, "0.0.0.1" },
        { 0x01000000, "1.0.0.0" },
        { 0xc0a80164, "192.168.1.100" },
        { UINT32_MAX, "255.255.255.255" },
    };
    char text[LEASE_ADDRESS_TEXT_SIZE];

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check_text(cases[i].text,
                   lease_address_text(text, lease_address_v4(cases[i].address), LEASE_TYPE_V4),
                   cases[i].text);
}

TEST(a_v4_lease_has_no_v6_fields)
{
    struct lease a = sample();
    struct lease b = sample();

    b.iaid = 7;
    b.preferred_s = 7;
    b.prefix_length = 7;
    assert_true(lease_equal(&a, &b));
    a.type = LEASE_TYPE_NA;
    b.type = LEASE_TYPE_NA;
    assert_false(lease_equal(&a, &b));
}

TEST(v6_addresses_are_short)
{
    const struct lease_address address = { .low = 0x2a, .high = 0x20010db800000000 };
    char text[LEASE_ADDRESS_TEXT_SIZE];

    check_text("NA", lease_address_text(text, address, LEASE_TYPE_NA), "2001:db8::2a");
    check_text("PD", lease_address_text(text, lease_address_v4(0), LEASE_TYPE_PD), "::");
}

TEST(expire_does_not_wrap)
{
    struct lease lease = sample();

    assert_true(lease_expire_s(&lease) == INT64_C(1900003600));
    lease.valid_s = UINT32_MAX;
    assert_true(lease_expire_s(&lease) == INT64_C(6194967295));
    lease.cltt_s = 0;
    lease.valid_s = 0;
    assert_true(lease_expire_s(&lease) == 0);
}
