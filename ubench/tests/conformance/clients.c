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
        { "abcd", 4 },       { "ABCD", 4 },   { "abcd ", 5 },    { "abcd\0", 5 },
        { "abcd\0\0", 6 },   { "abc", 3 },    { "\0abcd", 5 },   { "abce", 4 },
        { "ab\xc3\xa9", 4 }, { "ab\xe9", 3 }, { "61626364", 8 }, { "0x61626364", 10 },
    };
    struct fixture *const fixture = fixture_begin_test(state);
    struct lease leases[COUNT_OF(similar)];

    for (size_t i = 0; i < COUNT_OF(similar); i++) {
        leases[i] = fixture_lease(fixture, (uint32_t)i);
        lease_set_bytes(leases[i].hwaddr, &leases[i].hwaddr_length, similar[i].bytes,
                        similar[i].length);
        lease_set_bytes(leases[i].client_id, &leases[i].client_id_length, similar[i].bytes,
                        similar[i].length);
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
    fixture_look(fixture, "both", LOOKUP_HWADDR, &first, OUTCOME_ERROR);
    fixture_find_client_id(fixture, "both", &first, OUTCOME_ERROR);
    if (fixture->variant->config.family == LEASE_FAMILY_V6) {
        fixture_look(fixture, "one in 1", LOOKUP_IN_SUBNET, &first, OUTCOME_HIT);
        fixture_look(fixture, "one in 2", LOOKUP_IN_SUBNET, &second, OUTCOME_HIT);
    }
    fixture_find(fixture, "first", &first);
    fixture_find(fixture, "second", &second);
    fixture_remove(fixture, "first", first.address, lease_expire_s(&first), OUTCOME_HIT);
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
        fixture_look(fixture, "another type", LOOKUP_ADDRESS, &other, OUTCOME_MISS);
        other = leases[i];
        other.subnet_id++;
        fixture_look(fixture, "another subnet", LOOKUP_IN_SUBNET, &other, OUTCOME_MISS);
        other = leases[i];
        other.iaid += 7;
        fixture_find_client_id(fixture, "another IAID", &other, OUTCOME_MISS);
        /* The address alone names a lease that changes. */
        fixture_update(fixture, "renewed", &other, lease_expire_s(&leases[i]), OUTCOME_HIT);
        fixture_find_client_id(fixture, "its new IAID", &other, OUTCOME_HIT);
        fixture_find_client_id(fixture, "its old IAID", &leases[i], OUTCOME_MISS);
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

static void find_no_client(struct fixture *fixture, const char *what, const struct lease *like)
{
    fixture_look(fixture, what, LOOKUP_HWADDR, like, OUTCOME_MISS);
    fixture_find_client_id(fixture, what, like, OUTCOME_MISS);
}

/* Not even a lease that has no client: NULL is equal to nothing. */
TEST(nobody_has_an_empty_key_or_one_too_long)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const bool v4 = fixture->variant->config.family == LEASE_FAMILY_V4;
    const size_t client_max = the_backend.client_id_most != 0 ? the_backend.client_id_most
                              : v4                            ? LEASE_CLIENT_ID_MAX
                                                              : LEASE_DUID_MAX;
    struct lease longest = fixture_lease(fixture, 1);
    struct lease wiped = fixture_lease(fixture, 2);

    memset(longest.hwaddr, 'k', sizeof longest.hwaddr);
    memset(longest.client_id, 'k', sizeof longest.client_id);
    longest.hwaddr_length = LEASE_HWADDR_MAX;
    longest.client_id_length = (uint8_t)client_max;
    struct lease too_long = longest;
    too_long.hwaddr_length++;
    too_long.client_id_length++; /* 255 is what it can say: the next is 0 */
    fixture_decline(fixture, &wiped);
    struct lease nobody = wiped;
    nobody.client_id_length = 0;
    find_no_client(fixture, "an empty key, empty", &nobody);
    fixture_create(fixture, "wiped", &wiped, OUTCOME_HIT);
    fixture_create(fixture, "longest", &longest, OUTCOME_HIT);
    find_no_client(fixture, "an empty key", &nobody);
    find_no_client(fixture, "a key too long", &too_long);
    fixture_find_all(fixture, "longest", &longest);
    fixture_close(fixture);
}
