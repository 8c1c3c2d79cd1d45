/* SPDX-License-Identifier: ISC */
/* Searches by client. */
#include "tests/conformance/fixture.h"

#include <string.h>

#include "tests/lib/check.h"

TEST(similar_clients_are_not_the_same)
{
    /* A DUID has at least 3 bytes (RFC 8415, 11.1): Kea 2.6 refuses shorter
     * ones. */
    static const struct {
        const char *bytes;
        size_t length;
    } similar[] = {
        { "abcd", 4 },   { "ABCD", 4 },     { "abcd ", 5 },
        { "abcd\0", 5 }, { "abcd\0\0", 6 }, { "abc", 3 },
        { "\0abcd", 5 }, { "abce", 4 },     { "ab\xc3\xa9", 4 },
        { "ab\xe9", 3 }, { "61626364", 8 }, { "0x61626364", 10 },
    };
    struct fixture *const fixture = fixture_begin_test(state);
    struct lease leases[COUNT_OF(similar)];

    for (size_t i = 0; i < COUNT_OF(similar); i++) {
        leases[i] = fixture_lease(fixture, (uint32_t)i);
        lease_set_bytes(leases[i].hwaddr, &leases[i].hwaddr_length,
                        similar[i].bytes, similar[i].length);
        lease_set_bytes(leases[i].client_id, &leases[i].client_id_length,
                        similar[i].bytes, similar[i].length);
        fixture_find_none(fixture, similar[i].bytes, &leases[i]);
        fixture_create(fixture, similar[i].bytes, &leases[i], OUTCOME_HIT);
    }
    for (size_t i = 0; i < COUNT_OF(similar); i++)
        fixture_find_all(fixture, similar[i].bytes, &leases[i]);
    fixture_close(fixture);
}

TEST(two_leases_of_one_client_are_an_error)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const struct lease first = fixture_lease(fixture, 1);
    struct lease second = fixture_lease(fixture, 2);

    memcpy(second.hwaddr, first.hwaddr, sizeof second.hwaddr);
    memcpy(second.client_id, first.client_id, sizeof second.client_id);
    second.subnet_id = 2;
    fixture_create(fixture, "first", &first, OUTCOME_HIT);
    fixture_create(fixture, "second", &second, OUTCOME_HIT);
    fixture_find_hwaddr(fixture, "both", &first, OUTCOME_ERROR);
    fixture_find_client_id(fixture, "both", &first, OUTCOME_ERROR);
    if (fixture->variant->config.family == LEASE_FAMILY_V6) {
        fixture_find_duid(fixture, "one in 1", &first, 1, OUTCOME_HIT);
        fixture_find_duid(fixture, "one in 2", &second, 2, OUTCOME_HIT);
    }
    fixture_find(fixture, "first", &first);
    fixture_find(fixture, "second", &second);
    fixture_remove(fixture, "first", first.address, lease_expire_s(&first),
                   OUTCOME_HIT);
    fixture_find_all(fixture, "second alone", &second);
    fixture_close(fixture);
}

/* A client with several network cards, and a prefix for one of them. */
TEST(a_duid_has_leases_by_iaid_and_type)
{
    static const struct {
        uint32_t iaid;
        enum lease_type type;
    } keys[] = { { 1, LEASE_TYPE_NA },
                 { 2, LEASE_TYPE_NA },
                 { 1, LEASE_TYPE_PD },
                 { UINT32_MAX, LEASE_TYPE_PD } };
    struct fixture *const fixture = fixture_begin_test(state);
    struct lease leases[COUNT_OF(keys)];

    for (uint32_t i = 0; i < COUNT_OF(keys); i++) {
        leases[i] = ordinary_lease(LEASE_FAMILY_V6, 1);
        leases[i].address.low += i;
        leases[i].iaid = keys[i].iaid;
        leases[i].type = (uint8_t)keys[i].type;
        leases[i].prefix_length = keys[i].type == LEASE_TYPE_PD ? 64 : 128;
    }
    if (fixture->variant->config.family == LEASE_FAMILY_V4) {
        fixture_close(fixture);
        return;
    }
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        fixture_create(fixture, "one of four", &leases[i], OUTCOME_HIT);
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        struct lease other = leases[i];

        fixture_find(fixture, "by address", &leases[i]);
        fixture_find_client_id(fixture, "by DUID", &leases[i], OUTCOME_HIT);
        other.type ^= LEASE_TYPE_NA ^ LEASE_TYPE_PD;
        assert_int_equal(
            the_backend.find_by_address(fixture->session, other.address,
                                        (enum lease_type)other.type, &other,
                                        &fixture->err),
            OUTCOME_MISS);
        other = leases[i];
        other.iaid += 7;
        fixture_find_client_id(fixture, "another IAID", &other, OUTCOME_MISS);
        fixture_find_duid(fixture, "another subnet", &leases[i],
                          leases[i].subnet_id + 1, OUTCOME_MISS);
        /* The address alone names a lease that changes. */
        fixture_update(fixture, "renewed", &other, lease_expire_s(&leases[i]),
                       OUTCOME_HIT);
        fixture_find_client_id(fixture, "its new IAID", &other, OUTCOME_HIT);
        fixture_find_client_id(fixture, "its old IAID", &leases[i],
                               OUTCOME_MISS);
    }
    fixture_close(fixture);
}

/* Wiped leases have nothing that could be the same. */
TEST(leases_without_a_client_are_no_twins)
{
    struct fixture *const fixture = fixture_begin_test(state);
    struct lease leases[3];

    for (uint32_t i = 0; i < COUNT_OF(leases); i++) {
        leases[i] = fixture_lease(fixture, i);
        fixture_decline(fixture, &leases[i]);
        fixture_create(fixture, "wiped", &leases[i], OUTCOME_HIT);
    }
    for (size_t i = 0; i < COUNT_OF(leases); i++)
        fixture_find(fixture, "wiped", &leases[i]);
    fixture_close(fixture);
}

/* No lease has a key of so many bytes. */
static void find_nobody(struct fixture *fixture, const char *what,
                        const uint8_t *bytes, size_t hwaddr_length,
                        size_t client_length)
{
    struct session *const session = fixture->session;
    struct err *const err = &fixture->err;
    const bool v4 = fixture->variant->config.family == LEASE_FAMILY_V4;
    struct lease found;

    if (v4 || (fixture->lacks & STORE_LACKS_V6_HWADDR) == 0)
        check(what,
              the_backend.find_by_hwaddr(session, bytes, hwaddr_length, &found,
                                         err) == OUTCOME_MISS,
              "find_by_hwaddr");
    if (v4) {
        check(what,
              the_backend.find_by_client_id(session, bytes, client_length,
                                            &found, err) == OUTCOME_MISS,
              "find_by_client_id");
        return;
    }
    for (uint32_t subnet_id = LEASE_SUBNET_ANY; subnet_id <= 1; subnet_id++)
        check(what,
              the_backend.find_by_duid(session, bytes, client_length, 7,
                                       LEASE_TYPE_NA, subnet_id, &found,
                                       err) == OUTCOME_MISS,
              "find_by_duid");
}

/* Not even a lease that has no client: NULL is equal to nothing. */
TEST(nobody_has_an_empty_key_or_one_too_long)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const bool v4 = fixture->variant->config.family == LEASE_FAMILY_V4;
    const size_t client_max = the_backend.client_id_most != 0
                                  ? the_backend.client_id_most
                              : v4 ? LEASE_CLIENT_ID_MAX
                                   : LEASE_DUID_MAX;
    uint8_t bytes[LEASE_CLIENT_ID_MAX + 1];
    struct lease longest = fixture_lease(fixture, 1);
    struct lease wiped = fixture_lease(fixture, 2);

    memset(bytes, 'k', sizeof bytes);
    lease_set_bytes(longest.hwaddr, &longest.hwaddr_length, bytes,
                    LEASE_HWADDR_MAX);
    lease_set_bytes(longest.client_id, &longest.client_id_length, bytes,
                    client_max);
    fixture_decline(fixture, &wiped);
    find_nobody(fixture, "an empty key, empty", bytes, 0, 0);
    fixture_create(fixture, "wiped", &wiped, OUTCOME_HIT);
    fixture_create(fixture, "longest", &longest, OUTCOME_HIT);
    find_nobody(fixture, "an empty key", bytes, 0, 0);
    find_nobody(fixture, "a key too long", bytes, LEASE_HWADDR_MAX + 1,
                client_max + 1);
    check_text("no error", fixture->err.text, "");
    fixture_find_all(fixture, "longest", &longest);
    fixture_close(fixture);
}
