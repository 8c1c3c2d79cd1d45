/* SPDX-License-Identifier: ISC */
#include "lease/generator.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/check.h"
#include "tests/lib/lease_fields.h"

enum { MANY = 1000000 };

static const struct kind {
    enum lease_family family;
    enum lease_profile profile;
} kinds[] = { { LEASE_FAMILY_V4, LEASE_PROFILE_TYPICAL },
              { LEASE_FAMILY_V4, LEASE_PROFILE_GUIDE },
              { LEASE_FAMILY_V6, LEASE_PROFILE_TYPICAL },
              { LEASE_FAMILY_V6, LEASE_PROFILE_GUIDE } };

static const struct kind typical = { LEASE_FAMILY_V4, LEASE_PROFILE_TYPICAL };
static const struct kind guide = { LEASE_FAMILY_V4, LEASE_PROFILE_GUIDE };
static const struct kind v6 = { LEASE_FAMILY_V6, LEASE_PROFILE_TYPICAL };
static const struct kind v6_guide = { LEASE_FAMILY_V6, LEASE_PROFILE_GUIDE };

/* A lease with no byte left from whatever was there. */
static struct lease make(struct kind kind, uint64_t seed, uint64_t i, uint32_t version)
{
    struct generator generator;
    struct lease lease = { 0 };

    generator_init(&generator, kind.family, kind.profile, seed);
    generator_make(&generator, i, version, &lease);
    return lease;
}

static int compare_keys(const void *a, const void *b)
{
    return memcmp(a, b, LEASE_HWADDR_MAX);
}

/* Makes many keys and fails if two of them are the same. */
static void check_distinct(const char *what, struct kind kind, bool client_ids)
{
    uint8_t(*const keys)[LEASE_HWADDR_MAX] = calloc(MANY, sizeof *keys);
    struct generator generator;
    struct lease lease;

    assert_non_null(keys);
    generator_init(&generator, kind.family, kind.profile, 1);
    for (uint64_t i = 0; i < MANY; i++) {
        generator_make(&generator, i, 0, &lease);
        /* The first bytes tell client-ids apart: a whole one is 128 long. */
        if (client_ids)
            memcpy(keys[i], lease.client_id,
                   lease.client_id_length < sizeof keys[i] ? lease.client_id_length
                                                           : sizeof keys[i]);
        else
            memcpy(keys[i], lease.hwaddr, lease.hwaddr_length);
    }
    qsort(keys, MANY, sizeof *keys, compare_keys);
    for (size_t i = 1; i < MANY; i++)
        check(what, memcmp(keys[i - 1], keys[i], sizeof *keys) != 0, "two clients differ");
    free(keys);
}

TEST(clients_are_distinct)
{
    for (size_t p = 0; p < COUNT_OF(kinds); p++) {
        check_distinct("hwaddr", kinds[p], false);
        check_distinct("client-id", kinds[p], true);
    }
}

TEST(a_seed_means_the_same_leases)
{
    for (size_t p = 0; p < COUNT_OF(kinds); p++) {
        for (uint64_t i = 0; i < 1000; i++) {
            const struct lease one = make(kinds[p], 7, i, 1);
            const struct lease two = make(kinds[p], 7, i, 1);
            const struct lease other = make(kinds[p], 8, i, 1);

            assert_memory_equal(&one, &two, sizeof one);
            assert_string_equal(lease_difference(&one, &other), "hwaddr");
            assert_true(lease_address_equal(one.address, other.address));
        }
    }
}

/* Pinned, so that a figure of today compares with one of next year. */
TEST(the_first_leases_are_these)
{
    static const struct {
        uint64_t seed;
        uint64_t i;
        uint8_t mac[6];
    } cases[] = {
        { 1, 0, { 0x12, 0x55, 0xc9, 0xf4, 0xc6, 0xda } },
        { 1, 1, { 0x1e, 0x47, 0x36, 0xdd, 0x3c, 0xe1 } },
        { 2, 0, { 0x16, 0x6a, 0x80, 0x60, 0x6e, 0x37 } },
    };

    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        const struct lease lease = make(typical, cases[c].seed, cases[c].i, 0);

        assert_memory_equal(lease.hwaddr, cases[c].mac, 6);
    }
}

TEST(typical_leases_look_like_this)
{
    static const uint64_t numbers[] = { 0, 1, 255, 65536, 0xabcdef, GENERATOR_LEASES_MAX - 1 };

    for (size_t n = 0; n < COUNT_OF(numbers); n++) {
        const uint64_t i = numbers[n];
        const struct lease lease = make(typical, 1, i, 0);
        char hostname[64];
        const int length = snprintf(hostname, sizeof hostname, "host-%08" PRIx64 ".example.org", i);

        assert_int_equal(lease.address.low, 0x01000000 + i);
        assert_int_equal(lease.valid_s, 3600);
        assert_int_equal(lease.cltt_s, 1900000000 + i / 1000);
        assert_int_equal(lease.subnet_id, 1);
        assert_int_equal(lease.pool_id, 0);
        assert_int_equal(lease.state, LEASE_STATE_DEFAULT);
        assert_false(lease.fqdn_fwd || lease.fqdn_rev);
        assert_int_equal(lease.hwaddr_length, 6);
        /* Locally administered, one station. */
        assert_int_equal(lease.hwaddr[0] & 3, 2);
        assert_int_equal(lease.client_id_length, 7);
        assert_int_equal(lease.client_id[0], 1);
        assert_memory_equal(lease.client_id + 1, lease.hwaddr, 6);
        assert_int_equal(lease.hostname_length, length);
        assert_memory_equal(lease.hostname, hostname, (size_t)length);
    }
}

TEST(guide_leases_look_like_this)
{
    const struct lease lease = make(guide, 1, 5, 0);

    assert_int_equal(lease.address.low, 0x01000005);
    assert_int_equal(lease.valid_s, 1000);
    assert_int_equal(lease.hwaddr_length, 20);
    assert_int_equal(lease.client_id_length, 128);
    assert_int_equal(lease.hostname_length, 3);
    assert_memory_equal(lease.hostname, "foo", 3);
    assert_true(lease.fqdn_fwd && lease.fqdn_rev);
    assert_memory_equal(lease.client_id, lease.hwaddr, 12);
    for (int k = 0; k < 12; k++)
        assert_in_range(lease.hwaddr[k], 'A', 'A' + 15);
    for (int k = 12; k < 20; k++)
        assert_int_equal(lease.hwaddr[k], 'A' + k);
    for (int k = 12; k < 128; k++)
        assert_int_equal(lease.client_id[k], '!' + k);
}

TEST(v6_leases_look_like_this)
{
    unsigned with_time = 0;

    for (uint64_t i = 0; i < 1000; i++) {
        const struct lease lease = make(v6, 1, i, 0);
        const struct lease v4 = make(typical, 1, i, 0);
        const uint8_t *const duid = lease.client_id;
        const bool llt = duid[1] == 1;

        check_number("address", lease.address.high, 0x20010db800000000);
        check_number("address", lease.address.low, 1 + i);
        check_number("type", lease.type, LEASE_TYPE_NA);
        check_number("prefix length", lease.prefix_length, 128);
        check_number("preferred", lease.preferred_s, 2250);
        check_number("DUID", lease.client_id_length, llt ? 14 : 10);
        check("DUID", llt || duid[1] == 3, "it is of type LLT or LL");
        check("DUID", duid[0] == 0 && duid[2] == 0 && duid[3] == 1, "Ethernet");
        check("DUID", memcmp(duid + (llt ? 8 : 4), lease.hwaddr, 6) == 0, "it ends with the MAC");
        check_number("IAID",
                     (uint64_t)lease.hwaddr[2] << 24 | (uint64_t)lease.hwaddr[3] << 16 |
                         (uint64_t)lease.hwaddr[4] << 8 | lease.hwaddr[5],
                     lease.iaid);
        check("hwaddr", memcmp(lease.hwaddr, v4.hwaddr, 6) == 0, "that of the v4 lease");
        check("hostname", memcmp(lease.hostname, v4.hostname, 25) == 0, "that of the v4 lease");
        with_time += llt;
    }
    assert_in_range(with_time, 400, 600);
    const struct lease long_one = make(v6_guide, 1, 5, 0);
    assert_int_equal(long_one.client_id_length, 128);
    assert_int_equal(long_one.preferred_s, 625);
}

/* In the timed path: whatever differs, it says so. */
TEST(matches_sees_every_field)
{
    for (size_t p = 0; p < COUNT_OF(kinds); p++) {
        const int changes = kinds[p].family == LEASE_FAMILY_V4 ? LEASE_CHANGES : LEASE_V6_CHANGES;
        struct generator generator;

        generator_init(&generator, kinds[p].family, kinds[p].profile, 1);
        for (uint64_t i = 0; i < 100; i++) {
            const struct lease lease = make(kinds[p], 1, i, 2);

            assert_true(generator_matches(&generator, i, 2, &lease));
            assert_false(generator_matches(&generator, i, 1, &lease));
            assert_false(generator_matches(&generator, i + 1, 2, &lease));
            for (int change = 0; change < changes; change++) {
                struct lease changed = lease;
                const char *const field = lease_change(&changed, change);

                check(field, !generator_matches(&generator, i, 2, &changed), "it is seen");
            }
            for (int k = 0; k < lease.client_id_length; k++) {
                struct lease changed = lease;

                changed.client_id[k] ^= 1;
                check("client-id", !generator_matches(&generator, i, 2, &changed),
                      "every byte is seen");
            }
        }
    }
}

/* Each client belongs to one, as often to one as to another, and neighbours
   do not go together. */
TEST(clients_are_spread_over_subnets)
{
    enum { SUBNETS = 8, LEASES = 8000 };

    for (size_t p = 0; p < COUNT_OF(kinds); p++) {
        struct generator generator;
        struct lease lease;
        unsigned counts[SUBNETS + 2] = { 0 };
        unsigned repeats = 0;
        uint32_t last = 0;

        generator_init(&generator, kinds[p].family, kinds[p].profile, 1);
        generator.subnets = SUBNETS;
        for (uint64_t i = 0; i < LEASES; i++) {
            generator_make(&generator, i, 0, &lease);
            assert_true(generator_matches(&generator, i, 0, &lease));
            assert_in_range(lease.subnet_id, 1, SUBNETS);
            counts[lease.subnet_id]++;
            repeats += lease.subnet_id == last;
            last = lease.subnet_id;
        }
        for (int s = 1; s <= SUBNETS; s++)
            assert_in_range(counts[s], LEASES / SUBNETS * 85 / 100, LEASES / SUBNETS * 115 / 100);
        assert_in_range(repeats, LEASES / SUBNETS * 3 / 4, LEASES / SUBNETS * 5 / 4);
    }
}

/* The digest of a run reads 16 bytes, whatever the length. */
TEST(the_hashed_bytes_are_set)
{
    enum { HASHED = 16 };

    for (size_t p = 0; p < COUNT_OF(kinds); p++) {
        struct generator generator;
        struct lease zeros;
        struct lease ones;

        generator_init(&generator, kinds[p].family, kinds[p].profile, 1);
        memset(&zeros, 0, sizeof zeros);
        memset(&ones, 0xff, sizeof ones);
        generator_make(&generator, 3, 0, &zeros);
        generator_make(&generator, 3, 0, &ones);
        assert_memory_equal(zeros.hwaddr, ones.hwaddr, HASHED);
        assert_true(lease_equal(&zeros, &ones));
    }
}

TEST(renewals_change_the_times_alone)
{
    for (size_t p = 0; p < COUNT_OF(kinds); p++) {
        for (uint32_t version = 0; version < 10; version++) {
            const struct lease before = make(kinds[p], 1, 77, version);
            struct lease after = make(kinds[p], 1, 77, version + 1);

            /* T1 is half the lifetime; the next is one base longer. */
            assert_int_equal(after.cltt_s, before.cltt_s + before.valid_s / 2);
            assert_int_equal(after.valid_s, before.valid_s + before.valid_s / (version + 1));
            assert_true(lease_expire_s(&after) > lease_expire_s(&before));
            if (kinds[p].family == LEASE_FAMILY_V6)
                assert_int_equal(after.preferred_s, after.valid_s / 8 * 5);
            after.preferred_s = before.preferred_s;
            after.cltt_s = before.cltt_s;
            after.valid_s = before.valid_s;
            assert_null(lease_difference(&before, &after));
        }
    }
}

TEST(expire_agrees_with_the_lease)
{
    static const uint64_t numbers[] = { 0, 999, 1000, 123456, GENERATOR_LEASES_MAX - 1 };

    for (size_t p = 0; p < COUNT_OF(kinds); p++) {
        struct generator generator;

        generator_init(&generator, kinds[p].family, kinds[p].profile, 1);
        for (size_t n = 0; n < COUNT_OF(numbers); n++) {
            for (uint32_t version = 0; version < 5; version++) {
                const struct lease lease = make(kinds[p], 1, numbers[n], version);

                assert_true(lease_expire_s(&lease) ==
                            generator_expire_s(&generator, numbers[n], version));
            }
        }
    }
}

/* Beyond 2038-01-19 MySQL's TIMESTAMP cannot go. */
TEST(nothing_expires_after_2038)
{
    for (size_t p = 0; p < COUNT_OF(kinds); p++) {
        const struct lease last = make(kinds[p], 1, GENERATOR_LEASES_MAX - 1, 3);

        assert_true(lease_expire_s(&last) <= INT32_MAX);
        /* Twice as many addresses are needed for searches that miss. */
        assert_true(kinds[p].family == LEASE_FAMILY_V6 ||
                    last.address.low + GENERATOR_LEASES_MAX <= UINT32_MAX);
    }
}

TEST(a_hwaddr_tells_the_number)
{
    static const uint64_t numbers[] = { 0, 1, 999, 123456, GENERATOR_LEASES_MAX - 1 };

    for (size_t p = 0; p < COUNT_OF(kinds); p++) {
        struct generator generator;

        generator_init(&generator, kinds[p].family, kinds[p].profile, 3);
        for (size_t n = 0; n < COUNT_OF(numbers); n++) {
            struct lease lease = make(kinds[p], 3, numbers[n], 1);

            assert_int_equal(generator_find(&generator, &lease), numbers[n]);
            lease.hwaddr[3] ^= 1;
            assert_true(generator_find(&generator, &lease) != numbers[n]);
            lease.hwaddr_length = 0;
            assert_true(generator_find(&generator, &lease) >= GENERATOR_LEASES_MAX);
        }
    }
}
