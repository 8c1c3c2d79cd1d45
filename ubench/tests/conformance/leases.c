/* SPDX-License-Identifier: ISC */
/* One lease at a time. */
#include "tests/conformance/fixture.h"

#include <stdio.h>

#include "lease/generator.h"
#include "tests/lib/check.h"
#include "tests/lib/lease_fields.h"

TEST(starts_empty)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const struct lease lease = fixture_lease(fixture, 1);

    fixture_count(fixture, "fresh", 0);
    fixture_find_none(fixture, "fresh", &lease);
    fixture_close(fixture);
}

TEST(creates_and_finds)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const struct lease lease = fixture_lease(fixture, 1);
    const struct lease other = fixture_lease(fixture, 2);

    fixture_create(fixture, "first", &lease, OUTCOME_HIT);
    fixture_count(fixture, "one", 1);
    fixture_find_all(fixture, "first", &lease);
    fixture_find_none(fixture, "another", &other);
    fixture_create(fixture, "second", &other, OUTCOME_HIT);
    fixture_count(fixture, "two", 2);
    fixture_find_all(fixture, "first again", &lease);
    fixture_find_all(fixture, "second", &other);
    fixture_close(fixture);
}

TEST(a_duplicate_changes_nothing)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const struct lease lease = fixture_lease(fixture, 1);
    struct lease duplicate = fixture_lease(fixture, 2);

    fixture_create(fixture, "first", &lease, OUTCOME_HIT);
    fixture_create(fixture, "the same", &lease, OUTCOME_MISS);
    duplicate.address = lease.address;
    duplicate.state = LEASE_STATE_DECLINED;
    fixture_create(fixture, "another client", &duplicate, OUTCOME_MISS);
    if (fixture->variant->config.family == LEASE_FAMILY_V6) {
        /* The address alone is the key, as in Kea. */
        duplicate.type = LEASE_TYPE_PD;
        fixture_create(fixture, "another type", &duplicate,
                       (fixture->lacks & STORE_LACKS_V6_TAKEN) == 0 ? OUTCOME_MISS : OUTCOME_HIT);
    }
    fixture_count(fixture, "one", 1);
    fixture_find_all(fixture, "first", &lease);
    fixture_look(fixture, "the other client", LOOKUP_HWADDR, &duplicate, OUTCOME_MISS);
    fixture_find_client_id(fixture, "the other client", &duplicate, OUTCOME_MISS);
    fixture_close(fixture);
}

TEST(keeps_odd_leases)
{
    struct fixture *const fixture = fixture_begin_test(state);

    for (size_t i = 0; i < fixture_odd_leases(fixture); i++) {
        const struct lease lease = fixture_odd_lease(fixture, i);

        fixture_create(fixture, odd_lease_name(i), &lease, OUTCOME_HIT);
        fixture_find_all(fixture, odd_lease_name(i), &lease);
    }
    fixture_count(fixture, "all", fixture_odd_leases(fixture));
    for (size_t i = 0; i < fixture_odd_leases(fixture); i++) {
        const struct lease lease = fixture_odd_lease(fixture, i);

        fixture_find_all(fixture, odd_lease_name(i), &lease);
        fixture_create(fixture, odd_lease_name(i), &lease, OUTCOME_MISS);
    }
    for (size_t i = 0; i < fixture_odd_leases(fixture); i++) {
        const struct lease lease = fixture_odd_lease(fixture, i);

        fixture_remove(fixture, odd_lease_name(i), lease.address, lease_expire_s(&lease),
                       OUTCOME_HIT);
        fixture_find_none(fixture, odd_lease_name(i), &lease);
    }
    fixture_count(fixture, "none", 0);
    fixture_close(fixture);
}

/* From ordinary to odd and back again. */
TEST(updates_to_odd_leases)
{
    struct fixture *const fixture = fixture_begin_test(state);

    for (size_t i = 0; i < fixture_odd_leases(fixture); i++) {
        struct lease odd = fixture_odd_lease(fixture, i);
        struct lease plain = fixture_lease(fixture, 1000 + (uint32_t)i);

        plain.address = odd.address;
        fixture_create(fixture, odd_lease_name(i), &plain, OUTCOME_HIT);
        fixture_update(fixture, odd_lease_name(i), &odd, lease_expire_s(&plain), OUTCOME_HIT);
        fixture_find_all(fixture, odd_lease_name(i), &odd);
        if (odd.hwaddr_length > 0)
            fixture_look(fixture, odd_lease_name(i), LOOKUP_HWADDR, &plain, OUTCOME_MISS);
        fixture_update(fixture, odd_lease_name(i), &plain, lease_expire_s(&odd), OUTCOME_HIT);
        fixture_find_all(fixture, odd_lease_name(i), &plain);
        if (odd.client_id_length > 0)
            fixture_find_client_id(fixture, odd_lease_name(i), &odd, OUTCOME_MISS);
    }
    fixture_count(fixture, "all", fixture_odd_leases(fixture));
    fixture_close(fixture);
}

/* Every field by itself, so that none hides behind another. */
TEST(updates_each_field)
{
    struct fixture *const fixture = fixture_begin_test(state);
    struct lease stored = fixture_lease(fixture, 1);
    const int changes =
        fixture->variant->config.family == LEASE_FAMILY_V4 ? LEASE_CHANGES : LEASE_V6_CHANGES;

    fixture_create(fixture, "first", &stored, OUTCOME_HIT);
    for (int change = 0; change < changes; change++) {
        struct lease changed = stored;
        const char *const name = lease_change(&changed, change);

        changed.address = stored.address; /* it names the lease */
        if ((fixture->lacks & STORE_LACKS_POOLS) != 0)
            changed.pool_id = stored.pool_id;
        if ((fixture->lacks & STORE_LACKS_HOSTNAMES) != 0)
            changed.hostname[0] = (char)(changed.hostname[0] | 0x20);
        fixture_update(fixture, name, &changed, lease_expire_s(&stored), OUTCOME_HIT);
        fixture_find_all(fixture, name, &changed);
        stored = changed;
    }
    fixture_count(fixture, "one", 1);
    fixture_close(fixture);
}

TEST(a_missed_update_changes_nothing)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const struct lease lease = fixture_lease(fixture, 1);
    struct lease changed = fixture_lease(fixture, 2);
    const int64_t expire_s = lease_expire_s(&lease);

    fixture_update(fixture, "absent, empty", &lease, expire_s, OUTCOME_MISS);
    fixture_create(fixture, "first", &lease, OUTCOME_HIT);
    fixture_update(fixture, "absent", &changed, expire_s, OUTCOME_MISS);
    changed.address = lease.address;
    fixture_update_stale(fixture, "earlier expire", &changed, expire_s - 1);
    fixture_update_stale(fixture, "later expire", &changed, expire_s + 1);
    fixture_update_stale(fixture, "before all time", &changed, INT64_MIN);
    fixture_update_stale(fixture, "its own new expire", &changed, lease_expire_s(&changed));
    fixture_count(fixture, "one", 1);
    fixture_find_all(fixture, "first", &lease);
    fixture_look(fixture, "missed", LOOKUP_HWADDR, &changed, OUTCOME_MISS);
    fixture_find_client_id(fixture, "missed", &changed, OUTCOME_MISS);
    fixture_update(fixture, "right expire", &changed, expire_s, OUTCOME_HIT);
    fixture_update_stale(fixture, "done already", &lease, expire_s);
    fixture_find_all(fixture, "updated", &changed);
    fixture_close(fixture);
}

/* Writing what is there already is a change like any other: MySQL by itself
   counts no row then. */
TEST(an_update_to_the_same_is_a_hit)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const struct lease lease = fixture_lease(fixture, 1);

    fixture_create(fixture, "first", &lease, OUTCOME_HIT);
    fixture_update(fixture, "the same", &lease, lease_expire_s(&lease), OUTCOME_HIT);
    fixture_find_all(fixture, "the same", &lease);
    fixture_close(fixture);
}

TEST(removes_once)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const struct lease lease = fixture_lease(fixture, 1);
    const struct lease other = fixture_lease(fixture, 2);
    const int64_t expire_s = lease_expire_s(&lease);

    fixture_remove(fixture, "empty", lease.address, expire_s, OUTCOME_MISS);
    fixture_create(fixture, "first", &lease, OUTCOME_HIT);
    fixture_create(fixture, "second", &other, OUTCOME_HIT);
    fixture_remove(fixture, "absent", fixture_lease(fixture, 3).address, expire_s, OUTCOME_MISS);
    fixture_remove_stale(fixture, "earlier expire", lease.address, expire_s - 1);
    fixture_remove_stale(fixture, "later expire", lease.address, expire_s + 1);
    fixture_remove_stale(fixture, "before all time", lease.address, INT64_MIN);
    fixture_count(fixture, "both", 2);
    fixture_find_all(fixture, "first", &lease);
    fixture_remove(fixture, "first", lease.address, expire_s, OUTCOME_HIT);
    fixture_remove(fixture, "twice", lease.address, expire_s, OUTCOME_MISS);
    fixture_find_none(fixture, "first", &lease);
    fixture_find_all(fixture, "second", &other);
    fixture_count(fixture, "one", 1);
    fixture_create(fixture, "first again", &lease, OUTCOME_HIT);
    fixture_find_all(fixture, "first again", &lease);
    fixture_close(fixture);
}

/* No lease is there that expired then: not an error, whatever the store's own
   times are. */
TEST(an_expire_of_another_age_is_a_miss)
{
    static const int64_t ages_s[] = {
        -INT64_C(4000000000), -1, 0, INT32_MAX + INT64_C(1), INT64_C(4000000000),
        INT64_C(9000000000)
    };
    struct fixture *const fixture = fixture_begin_test(state);
    const struct lease lease = fixture_lease(fixture, 1);
    struct lease changed = fixture_lease(fixture, 2);

    fixture_create(fixture, "first", &lease, OUTCOME_HIT);
    changed.address = lease.address;
    for (size_t i = 0; i < COUNT_OF(ages_s); i++) {
        char name[32];

        (void)snprintf(name, sizeof name, "%lld", (long long)ages_s[i]);
        fixture_update_stale(fixture, name, &changed, ages_s[i]);
        fixture_remove_stale(fixture, name, lease.address, ages_s[i]);
    }
    fixture_find_all(fixture, "first", &lease);
    fixture_close(fixture);
}

/* Enough to fill a page or two, of both profiles. */
TEST(keeps_generated_leases)
{
    enum { LEASES = 300 };
    static const enum lease_profile profiles[] = { LEASE_PROFILE_TYPICAL, LEASE_PROFILE_GUIDE };
    struct fixture *const fixture = fixture_begin_test(state);

    for (size_t p = 0; p < COUNT_OF(profiles); p++) {
        struct generator generator;
        struct lease lease = { 0 };

        generator_init(&generator, fixture->variant->config.family, profiles[p], 1);
        fixture_begin(fixture);
        for (uint64_t i = 0; i < LEASES; i++) {
            generator_make(&generator, i, 0, &lease);
            fixture_create(fixture, "generated", &lease, OUTCOME_HIT);
        }
        fixture_commit(fixture);
        fixture_begin(fixture);
        for (uint64_t i = 0; i < LEASES; i++) {
            generator_make(&generator, i, 0, &lease);
            fixture_find_all(fixture, "generated", &lease);
            generator_make(&generator, i, 1, &lease);
            fixture_update(fixture, "generated", &lease, generator_expire_s(&generator, i, 0),
                           OUTCOME_HIT);
        }
        fixture_commit(fixture);
        fixture_count(fixture, "generated", LEASES);
        fixture_begin(fixture);
        for (uint64_t i = 0; i < LEASES; i++) {
            generator_make(&generator, i, 1, &lease);
            fixture_find(fixture, "renewed", &lease);
            fixture_remove(fixture, "renewed", lease.address, generator_expire_s(&generator, i, 1),
                           OUTCOME_HIT);
        }
        fixture_commit(fixture);
        fixture_count(fixture, "removed", 0);
    }
    fixture_close(fixture);
}
