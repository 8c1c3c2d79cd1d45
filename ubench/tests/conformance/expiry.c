/* SPDX-License-Identifier: ISC */
/* Leases that expired. */
#include "tests/conformance/fixture.h"

#include "tests/lib/check.h"

enum { NOW_S = 1900000000 };

/* Lease i expires at NOW_S - i: the last one is the first to be listed. */
static struct lease make_expired(const struct fixture *fixture, uint32_t i)
{
    struct lease lease = fixture_lease(fixture, i);

    lease.cltt_s = NOW_S - (int64_t)i - lease.valid_s;
    return lease;
}

TEST(lists_what_expired)
{
    struct fixture *const fixture = fixture_begin_test(state);
    struct lease leases[6];
    const struct lease *const first[] = { &leases[3], &leases[2], &leases[1] };

    fixture_list_expired(fixture, "empty", NOW_S, 8, NULL, 0);
    for (uint32_t i = 0; i < COUNT_OF(leases); i++)
        leases[i] = make_expired(fixture, i);
    leases[4].state = LEASE_STATE_RECLAIMED;
    leases[5].valid_s = LEASE_VALID_FOREVER;
    leases[2].state = LEASE_STATE_DECLINED;
    for (size_t i = 0; i < COUNT_OF(leases); i++)
        fixture_create(fixture, "one of six", &leases[i], OUTCOME_HIT);
    /* Lease 0 expires now: it did not expire before. */
    fixture_list_expired(fixture, "all", NOW_S, 8, first, 3);
    fixture_list_expired(fixture, "as many as there are", NOW_S, 3, first, 3);
    fixture_list_expired(fixture, "two", NOW_S, 2, first, 2);
    fixture_list_expired(fixture, "one", NOW_S, 1, first, 1);
    fixture_list_expired(fixture, "none asked for", NOW_S, 0, first, 0);
    fixture_list_expired(fixture, "two seconds ago", NOW_S - 2, 8, first, 1);
    fixture_list_expired(fixture, "long ago", NOW_S - 1000, 8, first, 0);
    fixture_close(fixture);
}

/* However late it gets. */
TEST(what_is_valid_for_ever_never_expires)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const int64_t latest_s = store_limits().expire_most_s;
    struct lease lease = fixture_lease(fixture, 1);
    const struct lease other = fixture_lease(fixture, 2);
    const struct lease *const expired[] = { &other };

    lease.valid_s = LEASE_VALID_FOREVER;
    lease.cltt_s = NOW_S - 1000000;
    fixture_create(fixture, "for ever", &lease, OUTCOME_HIT);
    fixture_create(fixture, "another", &other, OUTCOME_HIT);
    fixture_list_expired(fixture, "at the end of time", latest_s, 8, expired, 1);
    fixture_find_all(fixture, "for ever", &lease);
    fixture_close(fixture);
}

TEST(the_list_follows_changes)
{
    struct fixture *const fixture = fixture_begin_test(state);
    struct lease leases[3];
    const struct lease *const three[] = { &leases[2], &leases[1], &leases[0] };
    const struct lease *const renewed[] = { &leases[2], &leases[0] };
    const struct lease *const last[] = { &leases[0] };

    for (uint32_t i = 0; i < COUNT_OF(leases); i++) {
        leases[i] = make_expired(fixture, i + 1);
        fixture_create(fixture, "one of three", &leases[i], OUTCOME_HIT);
    }
    fixture_list_expired(fixture, "all", NOW_S, 8, three, 3);
    const int64_t expire_s = lease_expire_s(&leases[1]);
    leases[1].cltt_s = NOW_S;
    fixture_update(fixture, "renewed", &leases[1], expire_s, OUTCOME_HIT);
    fixture_list_expired(fixture, "without the renewed one", NOW_S, 8, renewed, 2);
    leases[2].state = LEASE_STATE_RECLAIMED;
    fixture_update(fixture, "reclaimed", &leases[2], lease_expire_s(&leases[2]), OUTCOME_HIT);
    fixture_list_expired(fixture, "without the reclaimed one", NOW_S, 8, last, 1);
    fixture_remove(fixture, "removed", leases[0].address, lease_expire_s(&leases[0]), OUTCOME_HIT);
    fixture_list_expired(fixture, "none is left", NOW_S, 8, last, 0);
    fixture_close(fixture);
}

static void check_purged(struct fixture *fixture, const char *what, int64_t before_s,
                         uint64_t wanted)
{
    uint64_t purged = 12345;

    if (the_backend.purge_reclaimed(fixture->session, before_s, &purged, &fixture->err) != 0)
        fail_msg("%s: purge_reclaimed: %s", what, fixture->err.text);
    check_number(what, purged, wanted);
}

TEST(purges_what_was_reclaimed)
{
    struct fixture *const fixture = fixture_begin_test(state);
    struct lease leases[5];

    check_purged(fixture, "empty", NOW_S, 0);
    for (uint32_t i = 0; i < COUNT_OF(leases); i++) {
        leases[i] = make_expired(fixture, i);
        leases[i].state = LEASE_STATE_RECLAIMED;
    }
    leases[1].state = LEASE_STATE_DEFAULT;
    leases[2].state = LEASE_STATE_DECLINED;
    for (size_t i = 0; i < COUNT_OF(leases); i++)
        fixture_create(fixture, "one of five", &leases[i], OUTCOME_HIT);
    check_purged(fixture, "nothing as old", NOW_S - 100, 0);
    fixture_count(fixture, "all are there", 5);
    /* Lease 0 expires now: it did not expire before. */
    check_purged(fixture, "3 and 4", NOW_S, 2);
    check_purged(fixture, "no more", NOW_S, 0);
    fixture_count(fixture, "three are left", 3);
    fixture_find_none(fixture, "purged", &leases[3]);
    fixture_find_none(fixture, "purged", &leases[4]);
    for (size_t i = 0; i < 3; i++)
        fixture_find_all(fixture, "left", &leases[i]);
    check_purged(fixture, "lease 0, later", NOW_S + 1, 1);
    fixture_create(fixture, "again", &leases[4], OUTCOME_HIT);
    fixture_find_all(fixture, "again", &leases[4]);
    fixture_close(fixture);
}

/* Where 31 and 32 bits of seconds end, as far as the store's times go. */
TEST(times_have_more_than_32_bits)
{
    static const int64_t expires_s[] = {
        INT32_MAX - INT64_C(1),  INT32_MAX,
        INT32_MAX + INT64_C(1),  UINT32_MAX,
        UINT32_MAX + INT64_C(1), UINT32_MAX + INT64_C(100000000),
    };
    struct fixture *const fixture = fixture_begin_test(state);
    const int64_t most_s = store_limits().expire_most_s;
    struct lease leases[COUNT_OF(expires_s)];
    const struct lease *listed[COUNT_OF(expires_s)];
    size_t count = 0;

    for (; count < COUNT_OF(expires_s) && expires_s[count] <= most_s; count++) {
        leases[count] = fixture_lease(fixture, (uint32_t)count);
        leases[count].cltt_s = expires_s[count] - leases[count].valid_s;
        listed[count] = &leases[count];
        fixture_create(fixture, "late", &leases[count], OUTCOME_HIT);
    }
    for (size_t i = 0; i < count; i++) {
        fixture_find_all(fixture, "late", &leases[i]);
        fixture_list_expired(fixture, "late", expires_s[i], 8, listed, i);
    }
    for (size_t i = 0; i < count; i++) {
        struct lease reclaimed = leases[i];

        reclaimed.state = LEASE_STATE_RECLAIMED;
        if (expires_s[i] > UINT32_MAX) /* a database may have no time < 0 */
            fixture_update_stale(fixture, "32 bits less", &reclaimed,
                                 expires_s[i] - (INT64_C(1) << 32));
        fixture_update(fixture, "late", &reclaimed, expires_s[i], OUTCOME_HIT);
        check_purged(fixture, "now", expires_s[i], 0);
        if (expires_s[i] < most_s)
            check_purged(fixture, "a second later", expires_s[i] + 1, 1);
        else
            fixture_remove(fixture, "late", reclaimed.address, expires_s[i], OUTCOME_HIT);
    }
    fixture_count(fixture, "none is left", 0);
    fixture_close(fixture);
}
