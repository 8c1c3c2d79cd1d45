/* SPDX-License-Identifier: ISC */
#include "store/memfile/lease_table.h"

#include "tests/lib/check.h"

/* Random operations are compared with a model by the conformance
   suite; here is what needs many leases. */
enum { ADDRESSES = 300 };

static const struct {
    enum lease_family family;
    bool indexed;
} kinds[] = { { LEASE_FAMILY_V4, false },
              { LEASE_FAMILY_V4, true },
              { LEASE_FAMILY_V6, false },
              { LEASE_FAMILY_V6, true } };

static struct lease_address address_of(enum lease_family family, size_t slot)
{
    if (family == LEASE_FAMILY_V6)
        return (struct lease_address){ .low = slot % 2 ? slot << 40 : slot, .high = slot % 7 };
    /* Over several /24s, and both ends of the address space. */
    return lease_address_v4(slot == 0               ? 0
                            : slot == ADDRESSES - 1 ? UINT32_MAX
                                                    : 0x0afffff0 + (uint32_t)slot * 5);
}

static struct lease make_lease(enum lease_family family, size_t slot)
{
    return (struct lease){
        .address = address_of(family, slot),
        .type = family == LEASE_FAMILY_V4 ? LEASE_TYPE_V4 : LEASE_TYPE_NA,
        .state = slot % 2 ? LEASE_STATE_RECLAIMED : LEASE_STATE_DEFAULT,
        .cltt_s = (int64_t)slot,
        .valid_s = 1000,
        .hwaddr_length = (uint8_t)(slot % (LEASE_HWADDR_MAX + 1)),
        .client_id_length = (uint8_t)slot,
    };
}

TEST(reclaimed_leases_are_purged)
{
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        struct lease_table table;
        struct lease lease;
        uint64_t cursor = 0;
        unsigned removed = 0;

        assert_int_equal(lease_table_init(&table, kinds[k].indexed), 0);
        for (size_t i = 0; i < ADDRESSES; i++) {
            lease = make_lease(kinds[k].family, i);
            (void)lease_table_add(&table, &lease);
        }
        while (lease_table_purge(&table, 1100, &cursor, &lease)) {
            check_number("state", lease.state, LEASE_STATE_RECLAIMED);
            check("time", lease_expire_s(&lease) < 1100, "it is before");
            removed++;
        }
        check_number("removed", removed, 50);
        check_number("left", lease_table_count(&table), ADDRESSES - 50);
        lease_table_release(&table);
    }
}

TEST(a_table_grows)
{
    enum { MANY = 300000 };
    struct lease_table table;
    struct lease lease = { .hwaddr_length = 6, .client_id_length = 7 };
    struct lease found;

    assert_int_equal(lease_table_init(&table, true), 0);
    for (uint32_t i = 0; i < MANY; i++) {
        lease.address = lease_address_v4(i * 3);
        memcpy(lease.hwaddr, &i, sizeof i);
        memcpy(lease.client_id, &i, sizeof i);
        check_number("add", (uint64_t)lease_table_add(&table, &lease), 1);
    }
    check_number("count", lease_table_count(&table), MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        memcpy(lease.hwaddr, &i, sizeof i);
        check_number("find", lease_table_find(&table, LOOKUP_HWADDR, &lease, &found), 1);
        check_number("address", found.address.low, i * UINT64_C(3));
    }
    lease_table_release(&table);
}

/* Declined leases have no client.  In the indexes they would all stand at one
   place, and each change of one would pass by all others. */
TEST(leases_without_a_client_are_not_indexed)
{
    enum { MANY = 1000 };
    struct lease_table table;
    struct lease found;

    assert_int_equal(lease_table_init(&table, true), 0);
    for (uint32_t i = 0; i < MANY; i++) {
        struct lease lease = { .address = lease_address_v4(i),
                               .hwaddr_length = 6,
                               .client_id_length = 7 };

        memcpy(lease.hwaddr, &i, sizeof i);
        memcpy(lease.client_id, &i, sizeof i);
        check_number("add", (uint64_t)lease_table_add(&table, &lease), 1);
        lease.hwaddr_length = 0;
        lease.client_id_length = 0;
        check_number("decline", (uint64_t)lease_table_update(&table, &lease, 0), 1);
    }
    check_number("by hwaddr", table.by_hwaddr.count, 0);
    check_number("by client-id", table.by_client_id.count, 0);
    const struct lease nobody = { .type = LEASE_TYPE_V4 };
    for (enum lookup by = LOOKUP_HWADDR; by <= LOOKUP_CLIENT_ID; by++)
        check_number("an empty key", lease_table_find(&table, by, &nobody, &found), 0);
    lease_table_release(&table);
}
