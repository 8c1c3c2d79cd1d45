/* SPDX-License-Identifier: ISC */
/*
 * What every store must do, tried through the contract alone.  Linked once per
 * store; each test runs for both families and schemas and, where there is SQL,
 * with prepared statements and without.
 *
 *     conformance_sqlite [FILE-OR-DATABASE]
 *
 * Stores in files use a folder of their own that is removed.  A server is taken
 * from UBENCH_<NAME>_HOST, _PORT, _USER, _PASSWORD and _DATABASE; without the
 * first all tests are skipped.
 */
#include "tests/fixture.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lease/generator.h"
#include "store/file_system.h"
#include "tests/check.h"
#include "tests/lease_fields.h"

enum { NOW_S = 1900000000 };

static void starts_empty(void **state)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const struct lease lease = fixture_lease(fixture, 1);

    fixture_count(fixture, "fresh", 0);
    fixture_find_none(fixture, "fresh", &lease);
    fixture_close(fixture);
}

static void creates_and_finds(void **state)
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

static void a_duplicate_changes_nothing(void **state)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const struct lease lease = fixture_lease(fixture, 1);
    struct lease duplicate = fixture_lease(fixture, 2);

    fixture_create(fixture, "first", &lease, OUTCOME_HIT);
    fixture_create(fixture, "the same", &lease, OUTCOME_MISS);
    duplicate.address = lease.address;
    duplicate.state = LEASE_STATE_DECLINED;
    fixture_create(fixture, "another client", &duplicate, OUTCOME_MISS);
    fixture_count(fixture, "one", 1);
    fixture_find_all(fixture, "first", &lease);
    fixture_find_hwaddr(fixture, "the other client", &duplicate, OUTCOME_MISS);
    fixture_find_client_id(fixture, "the other client", &duplicate,
                           OUTCOME_MISS);
    fixture_close(fixture);
}

static void keeps_odd_leases(void **state)
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

        fixture_remove(fixture, odd_lease_name(i), lease.address,
                       lease_expire_s(&lease), OUTCOME_HIT);
        fixture_find_none(fixture, odd_lease_name(i), &lease);
    }
    fixture_count(fixture, "none", 0);
    fixture_close(fixture);
}

/* From ordinary to odd and back again. */
static void updates_to_odd_leases(void **state)
{
    struct fixture *const fixture = fixture_begin_test(state);

    for (size_t i = 0; i < fixture_odd_leases(fixture); i++) {
        struct lease odd = fixture_odd_lease(fixture, i);
        struct lease plain = fixture_lease(fixture, 1000 + (uint32_t)i);

        plain.address = odd.address;
        fixture_create(fixture, odd_lease_name(i), &plain, OUTCOME_HIT);
        fixture_update(fixture, odd_lease_name(i), &odd, lease_expire_s(&plain),
                       OUTCOME_HIT);
        fixture_find_all(fixture, odd_lease_name(i), &odd);
        if (odd.hwaddr_length > 0)
            fixture_find_hwaddr(fixture, odd_lease_name(i), &plain,
                                OUTCOME_MISS);
        fixture_update(fixture, odd_lease_name(i), &plain, lease_expire_s(&odd),
                       OUTCOME_HIT);
        fixture_find_all(fixture, odd_lease_name(i), &plain);
        if (odd.client_id_length > 0)
            fixture_find_client_id(fixture, odd_lease_name(i), &odd,
                                   OUTCOME_MISS);
    }
    fixture_count(fixture, "all", fixture_odd_leases(fixture));
    fixture_close(fixture);
}

/* Every field by itself, so that none hides behind another. */
static void updates_each_field(void **state)
{
    struct fixture *const fixture = fixture_begin_test(state);
    struct lease stored = fixture_lease(fixture, 1);
    const int changes = fixture->variant->config.family == LEASE_FAMILY_V4
                            ? LEASE_CHANGES
                            : LEASE_V6_CHANGES;

    fixture_create(fixture, "first", &stored, OUTCOME_HIT);
    for (int change = 0; change < changes; change++) {
        struct lease changed = stored;
        const char *const name = lease_change(&changed, change);

        changed.address = stored.address; /* it names the lease */
        fixture_update(fixture, name, &changed, lease_expire_s(&stored),
                       OUTCOME_HIT);
        fixture_find_all(fixture, name, &changed);
        stored = changed;
    }
    fixture_count(fixture, "one", 1);
    fixture_close(fixture);
}

static void a_missed_update_changes_nothing(void **state)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const struct lease lease = fixture_lease(fixture, 1);
    struct lease changed = fixture_lease(fixture, 2);
    const int64_t expire_s = lease_expire_s(&lease);

    fixture_update(fixture, "absent, empty", &lease, expire_s, OUTCOME_MISS);
    fixture_create(fixture, "first", &lease, OUTCOME_HIT);
    fixture_update(fixture, "absent", &changed, expire_s, OUTCOME_MISS);
    changed.address = lease.address;
    fixture_update(fixture, "earlier expire", &changed, expire_s - 1,
                   OUTCOME_MISS);
    fixture_update(fixture, "later expire", &changed, expire_s + 1,
                   OUTCOME_MISS);
    fixture_update(fixture, "its own new expire", &changed,
                   lease_expire_s(&changed), OUTCOME_MISS);
    fixture_count(fixture, "one", 1);
    fixture_find_all(fixture, "first", &lease);
    fixture_find_hwaddr(fixture, "missed", &changed, OUTCOME_MISS);
    fixture_find_client_id(fixture, "missed", &changed, OUTCOME_MISS);
    fixture_update(fixture, "right expire", &changed, expire_s, OUTCOME_HIT);
    fixture_update(fixture, "done already", &lease, expire_s, OUTCOME_MISS);
    fixture_find_all(fixture, "updated", &changed);
    fixture_close(fixture);
}

/* Writing what is there already is a change like any other: MySQL by itself
   counts no row then. */
static void an_update_to_the_same_is_a_hit(void **state)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const struct lease lease = fixture_lease(fixture, 1);

    fixture_create(fixture, "first", &lease, OUTCOME_HIT);
    fixture_update(fixture, "the same", &lease, lease_expire_s(&lease),
                   OUTCOME_HIT);
    fixture_find_all(fixture, "the same", &lease);
    fixture_close(fixture);
}

static void removes_once(void **state)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const struct lease lease = fixture_lease(fixture, 1);
    const struct lease other = fixture_lease(fixture, 2);
    const int64_t expire_s = lease_expire_s(&lease);

    fixture_remove(fixture, "empty", lease.address, expire_s, OUTCOME_MISS);
    fixture_create(fixture, "first", &lease, OUTCOME_HIT);
    fixture_create(fixture, "second", &other, OUTCOME_HIT);
    fixture_remove(fixture, "absent", fixture_lease(fixture, 3).address,
                   expire_s, OUTCOME_MISS);
    fixture_remove(fixture, "earlier expire", lease.address, expire_s - 1,
                   OUTCOME_MISS);
    fixture_remove(fixture, "later expire", lease.address, expire_s + 1,
                   OUTCOME_MISS);
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

static void similar_clients_are_not_the_same(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
    } similar[] = {
        { "abc", 3 },       { "ABC", 3 },   { "abc ", 4 },   { "abc\0", 4 },
        { "abc\0\0", 5 },   { "ab", 2 },    { "\0abc", 4 },  { "abd", 3 },
        { "a\xc3\xa9", 3 }, { "a\xe9", 2 }, { "616263", 6 }, { "0x616263", 8 },
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

static void two_leases_of_one_client_are_an_error(void **state)
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
static void a_duid_has_leases_by_iaid_and_type(void **state)
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
static void leases_without_a_client_are_no_twins(void **state)
{
    struct fixture *const fixture = fixture_begin_test(state);
    struct lease leases[3];

    for (uint32_t i = 0; i < COUNT_OF(leases); i++) {
        leases[i] = fixture_lease(fixture, i);
        lease_decline(&leases[i]);
        fixture_create(fixture, "wiped", &leases[i], OUTCOME_HIT);
    }
    for (size_t i = 0; i < COUNT_OF(leases); i++)
        fixture_find(fixture, "wiped", &leases[i]);
    fixture_close(fixture);
}

/* Expiry */

static void check_expired(struct fixture *fixture, const char *what,
                          int64_t now_s, size_t limit,
                          const struct lease *const *wanted, size_t count)
{
    struct lease found[8];
    size_t got = 999;

    assert_in_range(limit, 0, COUNT_OF(found));
    memset(found, 0x5a, sizeof found);
    if (the_backend.list_expired(fixture->session, now_s, limit, found, &got,
                                 &fixture->err) != 0)
        fail_msg("%s: list_expired: %s", what, fixture->err.text);
    check_number(what, got, count);
    for (size_t i = 0; i < count; i++)
        check_same_lease(what, "list_expired", wanted[i], &found[i]);
}

/* Lease i expires at NOW_S - i: the last one is the first to be listed. */
static struct lease make_expired(const struct fixture *fixture, uint32_t i)
{
    struct lease lease = fixture_lease(fixture, i);

    lease.cltt_s = NOW_S - (int64_t)i - lease.valid_s;
    return lease;
}

static void lists_what_expired(void **state)
{
    struct fixture *const fixture = fixture_begin_test(state);
    struct lease leases[6];
    const struct lease *const first[] = { &leases[3], &leases[2], &leases[1] };

    check_expired(fixture, "empty", NOW_S, 8, NULL, 0);
    for (uint32_t i = 0; i < COUNT_OF(leases); i++)
        leases[i] = make_expired(fixture, i);
    leases[4].state = LEASE_STATE_RECLAIMED;
    leases[5].valid_s = LEASE_VALID_FOREVER;
    leases[2].state = LEASE_STATE_DECLINED;
    for (size_t i = 0; i < COUNT_OF(leases); i++)
        fixture_create(fixture, "one of six", &leases[i], OUTCOME_HIT);
    /* Lease 0 expires now: it did not expire before. */
    check_expired(fixture, "all", NOW_S, 8, first, 3);
    check_expired(fixture, "as many as there are", NOW_S, 3, first, 3);
    check_expired(fixture, "two", NOW_S, 2, first, 2);
    check_expired(fixture, "one", NOW_S, 1, first, 1);
    check_expired(fixture, "none asked for", NOW_S, 0, first, 0);
    check_expired(fixture, "two seconds ago", NOW_S - 2, 8, first, 1);
    check_expired(fixture, "long ago", NOW_S - 1000, 8, first, 0);
    fixture_close(fixture);
}

/* However late it gets. */
static void what_is_valid_for_ever_never_expires(void **state)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const int64_t latest_s = store_limits()->expire_most_s;
    struct lease lease = fixture_lease(fixture, 1);
    const struct lease other = fixture_lease(fixture, 2);
    const struct lease *const expired[] = { &other };

    lease.valid_s = LEASE_VALID_FOREVER;
    lease.cltt_s = NOW_S - 1000000;
    fixture_create(fixture, "for ever", &lease, OUTCOME_HIT);
    fixture_create(fixture, "another", &other, OUTCOME_HIT);
    check_expired(fixture, "at the end of time", latest_s, 8, expired, 1);
    fixture_find_all(fixture, "for ever", &lease);
    fixture_close(fixture);
}

static void the_list_follows_changes(void **state)
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
    check_expired(fixture, "all", NOW_S, 8, three, 3);
    const int64_t expire_s = lease_expire_s(&leases[1]);
    leases[1].cltt_s = NOW_S;
    fixture_update(fixture, "renewed", &leases[1], expire_s, OUTCOME_HIT);
    check_expired(fixture, "without the renewed one", NOW_S, 8, renewed, 2);
    leases[2].state = LEASE_STATE_RECLAIMED;
    fixture_update(fixture, "reclaimed", &leases[2], lease_expire_s(&leases[2]),
                   OUTCOME_HIT);
    check_expired(fixture, "without the reclaimed one", NOW_S, 8, last, 1);
    fixture_remove(fixture, "removed", leases[0].address,
                   lease_expire_s(&leases[0]), OUTCOME_HIT);
    check_expired(fixture, "none is left", NOW_S, 8, last, 0);
    fixture_close(fixture);
}

static void check_purged(struct fixture *fixture, const char *what,
                         int64_t before_s, uint64_t wanted)
{
    uint64_t purged = 12345;

    if (the_backend.purge_reclaimed(fixture->session, before_s, &purged,
                                    &fixture->err) != 0)
        fail_msg("%s: purge_reclaimed: %s", what, fixture->err.text);
    check_number(what, purged, wanted);
}

static void purges_what_was_reclaimed(void **state)
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

/* Grouping, counting, emptying */

static void groups_are_there_afterwards(void **state)
{
    enum { LEASES = 50 };
    struct fixture *const fixture = fixture_begin_test(state);

    fixture_begin(fixture);
    for (uint32_t i = 0; i < LEASES; i++) {
        const struct lease lease = fixture_lease(fixture, i);

        fixture_create(fixture, "in a group", &lease, OUTCOME_HIT);
        fixture_find(fixture, "its own group sees it", &lease);
    }
    const struct lease first = fixture_lease(fixture, 0);
    const struct lease second = fixture_lease(fixture, 1);
    struct lease changed = fixture_lease(fixture, 1000);
    changed.address = second.address;
    fixture_create(fixture, "a duplicate in a group", &first, OUTCOME_MISS);
    fixture_remove(fixture, "in a group", first.address, lease_expire_s(&first),
                   OUTCOME_HIT);
    fixture_update(fixture, "in a group", &changed, lease_expire_s(&second),
                   OUTCOME_HIT);
    fixture_update(fixture, "a miss in a group", &changed, 5, OUTCOME_MISS);
    fixture_commit(fixture);
    fixture_count(fixture, "all but one", LEASES - 1);
    fixture_find_none(fixture, "removed", &first);
    fixture_find_all(fixture, "updated", &changed);
    for (uint32_t i = 2; i < LEASES; i++) {
        const struct lease lease = fixture_lease(fixture, i);

        fixture_find_all(fixture, "after commit", &lease);
    }
    fixture_close(fixture);
}

static void groups_follow_one_another(void **state)
{
    struct fixture *const fixture = fixture_begin_test(state);

    for (uint32_t i = 0; i < 3; i++) {
        const struct lease lease = fixture_lease(fixture, i);
        const struct lease alone = fixture_lease(fixture, i + 10);

        fixture_begin(fixture);
        fixture_create(fixture, "in a group", &lease, OUTCOME_HIT);
        fixture_commit(fixture);
        fixture_begin(fixture);
        fixture_commit(fixture); /* with nothing in it */
        fixture_create(fixture, "between groups", &alone, OUTCOME_HIT);
    }
    fixture_count(fixture, "all", 6);
    fixture_close(fixture);
}

static int64_t counter(struct fixture *fixture, enum counters which,
                       const struct lease *lease)
{
    const struct lease_kind kind = {
        .subnet_id = lease->subnet_id,
        .pool_id = which == COUNTERS_BY_SUBNET ? 0 : lease->pool_id,
        .type = lease->type,
        .state = lease->state,
    };
    struct lease_counts counts = { .used = 0 };

    if (the_backend.read_counters(fixture->session, which, &counts,
                                  &fixture->err) != 0)
        fail_msg("read_counters: %s", fixture->err.text);
    const int64_t leases = lease_counts_of(&counts, &kind);
    lease_counts_release(&counts);
    return leases;
}

/* As many leases as that one is, by each way of counting. */
static void check_counters(struct fixture *fixture, const char *what,
                           const struct lease *like, int64_t subnet,
                           int64_t pool)
{
    check(what, counter(fixture, COUNTERS_BY_SUBNET, like) == subnet,
          "of the subnet");
    check(what, counter(fixture, COUNTERS_BY_POOL, like) == pool,
          "of the pool");
    check(what, counter(fixture, COUNTERS_OF_LEASES, like) == pool,
          "by looking");
}

static void counters_follow_the_leases(void **state)
{
    struct fixture *const fixture = fixture_begin_test(state);
    struct lease first = fixture_lease(fixture, 1);
    struct lease second = fixture_lease(fixture, 2);
    uint64_t purged;

    if (fixture->variant->config.schema != SCHEMA_KEA_STATS)
        return;
    second.pool_id = first.pool_id + 1;
    check_counters(fixture, "empty", &first, 0, 0);
    fixture_create(fixture, "first", &first, OUTCOME_HIT);
    fixture_create(fixture, "taken", &first, OUTCOME_MISS);
    fixture_create(fixture, "second", &second, OUTCOME_HIT);
    check_counters(fixture, "two", &first, 2, 1);
    struct lease other = second;
    other.subnet_id = 77;
    fixture_update(fixture, "moves", &other, lease_expire_s(&second),
                   OUTCOME_HIT);
    check_counters(fixture, "moved away", &second, 1, 0);
    check_counters(fixture, "moved here", &other, 1, 1);
    struct lease declined = first;
    declined.state = LEASE_STATE_DECLINED;
    fixture_update(fixture, "declined", &declined, lease_expire_s(&first),
                   OUTCOME_HIT);
    check_counters(fixture, "not declined", &first, 0, 0);
    check_counters(fixture, "declined", &declined, 1, 1);
    struct lease reclaimed = declined;
    reclaimed.state = LEASE_STATE_RECLAIMED;
    fixture_update(fixture, "reclaimed", &reclaimed, lease_expire_s(&first),
                   OUTCOME_HIT);
    check_counters(fixture, "no longer declined", &declined, 0, 0);
    check_counters(fixture, "reclaimed: nobody counts", &reclaimed, 0, 0);
    if (the_backend.purge_reclaimed(fixture->session,
                                    lease_expire_s(&reclaimed) + 1, &purged,
                                    &fixture->err) != 0)
        fail_msg("purge: %s", fixture->err.text);
    check_number("purged", purged, 1);
    fixture_check_counters(fixture);
    fixture_remove(fixture, "other", other.address, lease_expire_s(&other),
                   OUTCOME_HIT);
    check_counters(fixture, "removed", &other, 0, 0);
    fixture_close(fixture);
}

/* Or else the first leases of a subnet would race for who may insert it. */
static void counters_are_there_before_leases(void **state)
{
    static const uint64_t numbers[] = { 1, 2, 3, 8, 829 };
    struct fixture *const fixture = fixture_begin_test(state);
    const struct variant *const variant = fixture->variant;
    struct variant other = *variant;

    if (variant->config.schema != SCHEMA_KEA_STATS)
        return;
    fixture_close(fixture);
    fixture->variant = &other;
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        other.config.subnets = numbers[i];
        fixture_open(fixture);
        for (int which = COUNTERS_BY_SUBNET; which <= COUNTERS_BY_POOL;
             which++) {
            struct lease_counts counts = { .used = 0 };

            assert_int_equal(the_backend.read_counters(fixture->session,
                                                       (enum counters)which,
                                                       &counts, &fixture->err),
                             0);
            if ((the_backend.scope & OPT_SCOPE_SQL) != 0)
                check_number("kinds", counts.used, 2 * numbers[i]);
            lease_counts_release(&counts);
        }
        fixture_close(fixture);
    }
    fixture->variant = variant;
}

static void reset_removes_everything(void **state)
{
    struct fixture *const fixture = fixture_begin_test(state);

    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < fixture_odd_leases(fixture); i++) {
            const struct lease lease = fixture_odd_lease(fixture, i);

            fixture_create(fixture, odd_lease_name(i), &lease, OUTCOME_HIT);
        }
        fixture_count(fixture, "before reset", fixture_odd_leases(fixture));
        if (the_backend.reset(fixture->session, &fixture->err) != 0)
            fail_msg("reset: %s", fixture->err.text);
        fixture_count(fixture, "after reset", 0);
        for (size_t i = 0; i < fixture_odd_leases(fixture); i++) {
            const struct lease lease = fixture_odd_lease(fixture, i);

            fixture_find_none(fixture, odd_lease_name(i), &lease);
        }
        check_expired(fixture, "after reset", store_limits()->expire_most_s, 8,
                      NULL, 0);
    }
    fixture_close(fixture);
}

static void add_reservation(struct fixture *fixture, const char *what,
                            const struct reservation_key *key, uint32_t address,
                            enum outcome wanted)
{
    const enum outcome got = the_backend.add_reservation(
        fixture->session, key, lease_address_v4(address), &fixture->err);

    check_text(what, fixture->err.text, "");
    check(what, got == wanted, "add_reservation");
}

/* The address, or 0 if there is to be none. */
static void find_reservation(struct fixture *fixture, const char *what,
                             const struct reservation_key *key,
                             uint32_t address)
{
    struct lease_address found = { .low = 0 };

    const enum outcome got = the_backend.find_reservation(
        fixture->session, key, &found, &fixture->err);

    check_text(what, fixture->err.text, "");
    check(what, got == (address != 0 ? OUTCOME_HIT : OUTCOME_MISS),
          "find_reservation");
    check_number(what, found.low, address);
}

/* Keys that differ in one thing each; the longest and a byte of each kind. */
static void reservations_are_found_by_their_whole_key(void **state)
{
    uint8_t bytes[LEASE_CLIENT_ID_MAX];
    const struct {
        const char *what;
        struct reservation_key key;
    } rows[] = {
        { "a hwaddr", { RESERVATION_BY_HWADDR, 1, bytes, 6 } },
        { "of another subnet", { RESERVATION_BY_HWADDR, 2, bytes, 6 } },
        { "of the last subnet",
          { RESERVATION_BY_HWADDR, UINT32_MAX, bytes, 6 } },
        { "a client-id", { RESERVATION_BY_CLIENT_ID, 1, bytes, 6 } },
        { "a longer one", { RESERVATION_BY_HWADDR, 1, bytes, 7 } },
        { "a shorter one", { RESERVATION_BY_HWADDR, 1, bytes, 5 } },
        { "another one", { RESERVATION_BY_HWADDR, 1, bytes + 1, 6 } },
        { "the longest",
          { RESERVATION_BY_CLIENT_ID, 1, bytes, LEASE_CLIENT_ID_MAX } },
    };
    struct fixture *const fixture = *state;
    const struct variant *const variant = fixture->variant;
    struct variant reserving = *variant;

    if (fixture->suite->skip != NULL)
        skip();
    if (variant->config.family != LEASE_FAMILY_V4)
        return;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 37); /* 0 first; quotes, backslashes */
    reserving.config.reservations = true;
    fixture->variant = &reserving;
    for (int round = 0; round < 2; round++) {
        fixture_open(fixture);
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            for (size_t k = i; k < COUNT_OF(rows); k++)
                find_reservation(fixture, rows[k].what, &rows[k].key, 0);
            fixture_begin(fixture);
            add_reservation(fixture, rows[i].what, &rows[i].key,
                            UINT32_MAX - (uint32_t)i, OUTCOME_HIT);
            fixture_commit(fixture);
            for (size_t k = 0; k <= i; k++)
                find_reservation(fixture, rows[k].what, &rows[k].key,
                                 UINT32_MAX - (uint32_t)k);
        }
        add_reservation(fixture, "again", &rows[0].key, 1, OUTCOME_MISS);
        find_reservation(fixture, "again", &rows[0].key, UINT32_MAX);
        fixture_count(fixture, "no lease", 0);
        if (round == 0 &&
            the_backend.reset(fixture->session, &fixture->err) != 0)
            fail_msg("reset: %s", fixture->err.text);
        for (size_t k = 0; round == 0 && k < COUNT_OF(rows); k++)
            find_reservation(fixture, "after reset", &rows[k].key, 0);
        fixture_close(fixture);
    }
    fixture->variant = variant;
}

static void opening_again_empties(void **state)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const struct lease lease = fixture_lease(fixture, 1);

    fixture_create(fixture, "first", &lease, OUTCOME_HIT);
    fixture_close(fixture);
    fixture_open(fixture);
    fixture_count(fixture, "opened again", 0);
    fixture_create(fixture, "first again", &lease, OUTCOME_HIT);
    fixture_find_all(fixture, "first again", &lease);
    fixture_close(fixture);
}

/* Opens the test's store again as --verify does; NULL with fixture->err. */
static struct store *open_what_is_there(struct fixture *fixture)
{
    static const struct opt_settings none = { .count = 0 };
    struct store_config config = fixture->variant->config;

    config.keep = true;
    config.sync = SYNC_SERVER;
    config.settings = &none;
    return the_backend.open(&config, &fixture->err);
}

static void opening_to_keep_changes_nothing(void **state)
{
    struct fixture *const fixture = fixture_begin_test(state);
    char text[TEXT_SIZE] = "";
    struct lease removed = fixture_lease(fixture, 2);
    struct lease lease = fixture_lease(fixture, 1);

    fixture_create(fixture, "first", &lease, OUTCOME_HIT);
    fixture_create(fixture, "second", &removed, OUTCOME_HIT);
    fixture_remove(fixture, "second", removed.address, lease_expire_s(&removed),
                   OUTCOME_HIT);
    const int64_t expire_s = lease_expire_s(&lease);
    lease.cltt_s += 100;
    fixture_update(fixture, "first", &lease, expire_s, OUTCOME_HIT);
    fixture_close(fixture);
    for (int i = 0; i < 2; i++) {
        struct lease found;

        fixture->store = open_what_is_there(fixture);
        if (fixture->store == NULL)
            fail_msg("open: %s", fixture->err.text);
        fixture->session =
            the_backend.session_open(fixture->store, &fixture->err);
        if (fixture->session == NULL)
            fail_msg("session_open: %s", fixture->err.text);
        fixture_count(fixture, "kept", 1);
        assert_int_equal(
            the_backend.find_by_address(fixture->session, lease.address,
                                        (enum lease_type)lease.type, &found,
                                        &fixture->err),
            OUTCOME_HIT);
        assert_int_equal(lease_expire_s(&found), lease_expire_s(&lease));
        if (the_backend.check(fixture->session, text, sizeof text,
                              &fixture->err) != OUTCOME_HIT)
            fail_msg("check: %s%s", text, fixture->err.text);
        assert_string_not_equal(text, "");
        fixture_close(fixture);
    }
}

static void what_is_not_there_cannot_be_kept(void **state)
{
    struct fixture *const fixture = fixture_begin_test(state);

    fixture_close(fixture);
    if ((the_backend.scope & OPT_SCOPE_FILE) == 0)
        return; /* nor can a server's table be taken away from here */
    assert_int_equal(unlink(fixture->variant->config.target), 0);
    assert_null(open_what_is_there(fixture));
    assert_int_equal(fixture->err.class, ERR_OTHER);
    assert_int_not_equal(access(fixture->variant->config.target, F_OK), 0);
}

/* In the middle: what a crash cuts off at the end is another matter. */
static void damage_is_told(void **state)
{
    struct fixture *const fixture = fixture_begin_test(state);
    char text[TEXT_SIZE] = "";
    char noise[64];

    if ((the_backend.scope & OPT_SCOPE_FILE) == 0)
        return; /* a server's files are not ours to damage */
    for (uint32_t i = 1; i <= 200; i++) {
        const struct lease lease = fixture_lease(fixture, i);

        fixture_create(fixture, "one of many", &lease, OUTCOME_HIT);
    }
    fixture_close(fixture);
    memset(noise, 0xa5, sizeof noise);
    FILE *const file = fopen(fixture->variant->config.target, "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long middle = ftell(file) / 2 / 4096 * 4096;
    assert_int_equal(fseek(file, middle, SEEK_SET), 0);
    assert_int_equal(fwrite(noise, sizeof noise, 1, file), 1);
    assert_int_equal(fclose(file), 0);
    fixture->store = open_what_is_there(fixture);
    if (fixture->store == NULL) {
        assert_int_equal(fixture->err.class, ERR_CORRUPT);
        return;
    }
    fixture->session = the_backend.session_open(fixture->store, &fixture->err);
    assert_non_null(fixture->session);
    const enum outcome outcome =
        the_backend.check(fixture->session, text, sizeof text, &fixture->err);
    /* A log ends at its first unreadable record; then it must say so. */
    if (outcome == OUTCOME_HIT && strstr(text, "dropped") == NULL)
        fail_msg("damage was not seen: %s", text);
    if (outcome == OUTCOME_ERROR)
        assert_int_equal(fixture->err.class, ERR_CORRUPT);
    /* The next test finds a file that it may empty. */
    fixture_close(fixture);
}

static void schemas_may_take_turns(void **state)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const struct variant *const variant = fixture->variant;
    struct variant other = *variant;
    const struct lease lease = fixture_lease(fixture, 1);

    other.config.schema =
        (enum schema)((variant->config.schema + 1) % (SCHEMA_KEA_STATS + 1));
    for (int i = 0; i < 4; i++) {
        fixture_count(fixture, "opened", 0);
        fixture_create(fixture, "first", &lease, OUTCOME_HIT);
        fixture_find_all(fixture, "first", &lease);
        fixture_close(fixture);
        fixture->variant = i % 2 == 0 ? &other : variant;
        fixture_open(fixture);
    }
    fixture->variant = variant;
    fixture_close(fixture);
}

static void sessions_follow_one_another(void **state)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const struct lease lease = fixture_lease(fixture, 1);

    fixture_create(fixture, "first", &lease, OUTCOME_HIT);
    the_backend.session_close(fixture->session);
    fixture->session = the_backend.session_open(fixture->store, &fixture->err);
    if (fixture->session == NULL)
        fail_msg("session_open: %s", fixture->err.text);
    fixture_count(fixture, "the second session", 1);
    fixture_find_all(fixture, "the second session", &lease);
    fixture_update(fixture, "the second session", &lease,
                   lease_expire_s(&lease), OUTCOME_HIT);
    fixture_close(fixture);
}

/* One of several threads, with a session and leases of its own.  cmocka's
   checks are for the main thread; failure is "" or what went wrong. */
struct lane {
    pthread_t thread;
    struct session *session;
    enum lease_family family;
    uint32_t first; /* lease */
    char failure[TEXT_SIZE];
};

enum { LANES = 4, LANE_LEASES = 50 };

/* True if an operation has to be done once more: somebody was in its way. */
static bool must_retry(enum outcome outcome, const struct err *err, int *tries)
{
    return outcome == OUTCOME_ERROR &&
           (err->class == ERR_BUSY || err->class == ERR_DEADLOCK) &&
           ++*tries < 100;
}

static bool lane_hit(struct lane *lane, const char *verb, enum outcome outcome,
                     const struct err *err)
{
    if (outcome != OUTCOME_HIT && lane->failure[0] == '\0')
        (void)snprintf(lane->failure, sizeof lane->failure, "%s: %s (%.150s)",
                       verb, outcome == OUTCOME_MISS ? "MISS" : "ERROR",
                       err->text);
    return outcome == OUTCOME_HIT;
}

/* Creates, finds and renews a lease; removes every second one. */
static bool lane_work(struct lane *lane, uint32_t i)
{
    const struct lease lease = ordinary_lease(lane->family, lane->first + i);
    struct lease renewed = lease;
    struct lease found;
    struct err err = { 0 };
    enum outcome outcome;
    int tries = 0;

    do
        outcome = the_backend.create(lane->session, &lease, &err);
    while (must_retry(outcome, &err, &tries));
    if (!lane_hit(lane, "create", outcome, &err))
        return false;
    outcome =
        the_backend.find_by_address(lane->session, lease.address,
                                    (enum lease_type)lease.type, &found, &err);
    if (!lane_hit(lane, "find", outcome, &err) ||
        !lane_hit(lane, "find gave another lease",
                  lease_equal(&lease, &found) ? OUTCOME_HIT : OUTCOME_MISS,
                  &err))
        return false;
    renewed.cltt_s += 1800;
    do
        outcome = the_backend.update(lane->session, &renewed,
                                     lease_expire_s(&lease), &err);
    while (must_retry(outcome, &err, &tries));
    if (!lane_hit(lane, "update", outcome, &err))
        return false;
    if (i % 2 == 0)
        return true;
    do
        outcome = the_backend.remove(lane->session, lease.address,
                                     lease_expire_s(&renewed), &err);
    while (must_retry(outcome, &err, &tries));
    return lane_hit(lane, "remove", outcome, &err);
}

static void *run_lane(void *argument)
{
    struct lane *const lane = argument;

    for (uint32_t i = 0; i < LANE_LEASES && lane_work(lane, i); i++)
        ;
    return NULL;
}

/* In a store that is open and empty. */
static void work_side_by_side(struct fixture *fixture)
{
    struct lane lanes[LANES] = { { .session = NULL } };

    for (uint32_t i = 0; i < LANES; i++) {
        lanes[i].family = fixture->variant->config.family;
        lanes[i].first = i * 1000;
        lanes[i].session =
            the_backend.session_open(fixture->store, &fixture->err);
        if (lanes[i].session == NULL)
            fail_msg("session_open: %s", fixture->err.text);
    }
    for (size_t i = 0; i < LANES; i++)
        assert_int_equal(
            pthread_create(&lanes[i].thread, NULL, run_lane, &lanes[i]), 0);
    for (size_t i = 0; i < LANES; i++)
        assert_int_equal(pthread_join(lanes[i].thread, NULL), 0);
    for (size_t i = 0; i < LANES; i++) {
        the_backend.session_close(lanes[i].session);
        check_text("a thread", lanes[i].failure, "");
    }
    fixture_count(fixture, "half of them", LANES * LANE_LEASES / 2);
    for (uint32_t i = 0; i < LANES; i++) {
        struct lease lease = fixture_lease(fixture, i * 1000);

        lease.cltt_s += 1800;
        fixture_find_all(fixture, "the first of a thread", &lease);
    }
}

static void threads_work_side_by_side(void **state)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const struct variant *const variant = fixture->variant;
    struct variant safe = *variant;

    work_side_by_side(fixture);
    fixture_close(fixture);
    if ((the_backend.scope & OPT_SCOPE_FILE) == 0)
        return; /* a server's level is its administrator's */
    /* Where threads may share what makes their changes safe. */
    safe.config.sync = SYNC_YES;
    fixture->variant = &safe;
    fixture_open(fixture);
    work_side_by_side(fixture);
    fixture_close(fixture);
    fixture->variant = variant;
}

/* As many as fill a page or two, of both profiles. */
static void keeps_generated_leases(void **state)
{
    enum { LEASES = 300 };
    static const enum lease_profile profiles[] = { LEASE_PROFILE_TYPICAL,
                                                   LEASE_PROFILE_GUIDE };
    struct fixture *const fixture = fixture_begin_test(state);

    for (size_t p = 0; p < COUNT_OF(profiles); p++) {
        struct generator generator;
        struct lease lease = { 0 };

        generator_init(&generator, fixture->variant->config.family, profiles[p],
                       1);
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
            fixture_update(fixture, "generated", &lease,
                           generator_expire_s(&generator, i, 0), OUTCOME_HIT);
        }
        fixture_commit(fixture);
        fixture_count(fixture, "generated", LEASES);
        fixture_begin(fixture);
        for (uint64_t i = 0; i < LEASES; i++) {
            generator_make(&generator, i, 1, &lease);
            fixture_find(fixture, "renewed", &lease);
            fixture_remove(fixture, "renewed", lease.address,
                           generator_expire_s(&generator, i, 1), OUTCOME_HIT);
        }
        fixture_commit(fixture);
        fixture_count(fixture, "removed", 0);
    }
    fixture_close(fixture);
}

/* What a store says of itself */

static void describes_itself(void **state)
{
    struct fixture *const fixture = fixture_begin_test(state);
    struct facts *const facts = calloc(1, sizeof *facts);
    char text[TEXT_SIZE] = "";

    assert_non_null(facts);
    the_backend.library(text, sizeof text);
    assert_true(text[0] != '\0');
    the_backend.describe(fixture->store, facts);
    assert_true(facts->count >= 1);
    for (size_t i = 0; i < facts->count; i++) {
        check("fact", facts->items[i].key[0] != '\0', "it has a key");
        check(facts->items[i].key, facts->items[i].value[0] != '\0',
              "it has a value");
    }
    text[0] = '\0';
    assert_true(the_backend.durability(fixture->store, text, sizeof text) >
                DURABILITY_NONE);
    assert_true(text[0] != '\0');
    free(facts);
    fixture_close(fixture);
}

/* What a run asks for its floors. */
static void answers_without_work(void **state)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const bool server = (the_backend.scope & OPT_SCOPE_SERVER) != 0;
    char path[PATH_MAX] = "unset";

    check("ping", (the_backend.ping != NULL) == server, "a server has one");
    for (int i = 0; server && i < 3; i++)
        check("ping", the_backend.ping(fixture->session, &fixture->err) == 0,
              fixture->err.text);
    check("data_path", the_backend.data_path != NULL, "every store has one");
    the_backend.data_path(fixture->store, path, sizeof path);
    check("data_path", path[0] == '\0' || access(path, F_OK) == 0,
          "it is there if it is told");
    fixture_close(fixture);
}

/* The class that a level's name promises; DURABILITY_NONE: any. */
static enum durability class_of(enum sync_level level)
{
    switch (level) {
    case SYNC_YES:
    case SYNC_POWER_SAFE:
        return DURABILITY_POWER_SAFE;
    case SYNC_BOUNDED:
        return DURABILITY_BOUNDED;
    case SYNC_PROCESS_SAFE:
        return DURABILITY_PROCESS_SAFE;
    case SYNC_VOLATILE:
        return DURABILITY_VOLATILE;
    case SYNC_NO:
    case SYNC_SERVER:
        break;
    }
    return DURABILITY_NONE;
}

/* The class that has to come out: no file is safer than its file system. */
static enum durability promised(const struct suite *suite,
                                enum sync_level level)
{
    if ((the_backend.scope & OPT_SCOPE_FILE) == 0)
        return class_of(level);
    return file_system_limit(suite->folder, class_of(level));
}

static void has_the_durability_that_was_asked_for(void **state)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const struct variant *const variant = fixture->variant;
    const struct lease lease = fixture_lease(fixture, 1);

    fixture_close(fixture);
    for (enum sync_level level = SYNC_YES; level <= SYNC_POWER_SAFE; level++) {
        struct variant other = *variant;
        char text[TEXT_SIZE];

        if ((the_backend.sync_levels & SYNC_BIT((unsigned)level)) == 0)
            continue;
        other.config.sync = level;
        fixture->variant = &other;
        fixture_open(fixture);
        const enum durability class =
            the_backend.durability(fixture->store, text, sizeof text);
        const enum durability wanted = promised(fixture->suite, level);
        if (wanted != DURABILITY_NONE && class != wanted)
            fail_msg("level %d: got %s (%s), wanted %s", (int)level,
                     durability_name(class), text, durability_name(wanted));
        fixture_create(fixture, "at every level", &lease, OUTCOME_HIT);
        fixture_find_all(fixture, "at every level", &lease);
        fixture_close(fixture);
    }
    fixture->variant = variant;
}

/* Refusals */

/* Fails to open, with a sentence that begins with the store's name and has
   words in it. */
static void check_refused(struct fixture *fixture, const char *what,
                          const struct store_config *config, const char *words)
{
    fixture->store = the_backend.open(config, &fixture->err);
    check(what, fixture->store == NULL, "it is refused");
    if (strstr(fixture->err.text, words) == NULL)
        fail_msg("%s: no \"%s\" in: %s", what, words, fixture->err.text);
    fixture->err = (struct err){ 0 };
}

static void a_target_that_cannot_be_is_refused(void **state)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const struct suite *const suite = fixture->suite;
    struct store_config config = fixture->variant->config;

    fixture_close(fixture);
    config.target = suite->missing;
    check_refused(fixture, "missing", &config, suite->missing);
    if ((the_backend.scope & OPT_SCOPE_FILE) != 0) {
        config.target = suite->folder;
        check_refused(fixture, "a folder", &config, suite->folder);
        config.target = "/dev/null";
        check_refused(fixture, "a device", &config, "/dev/null");
    }
    fixture_open(fixture);
    fixture_close(fixture);
}

static void unknown_settings_are_refused(void **state)
{
    static const struct opt_settings settings = {
        .count = 1,
        .items = { { "no_such_setting", "1" } },
    };
    struct fixture *const fixture = fixture_begin_test(state);
    struct store_config config = fixture->variant->config;
    const char *const target = config.target;
    struct stat status;

    fixture_close(fixture);
    if ((the_backend.scope & OPT_SCOPE_FILE) != 0)
        assert_int_equal(unlink(target), 0);
    config.settings = &settings;
    check_refused(fixture, "unknown setting", &config, "no_such_setting");
    /* Nothing is left behind that was not there before. */
    if ((the_backend.scope & OPT_SCOPE_FILE) != 0)
        assert_int_equal(stat(target, &status), -1);
}

/* A file that ubench did not write stays as it is, whatever it looks like. */
static void foreign_files_are_refused(void **state)
{
    static const char *const contents[] = {
        "somebody's notes\n",
        "lease 1.0.0.0 {\n}\n",
        "# ubench\n",
        "SQLite format 3",
        "\n",
    };
    struct fixture *const fixture = fixture_begin_test(state);
    const char *const target = fixture->variant->config.target;

    fixture_close(fixture);
    if ((the_backend.scope & OPT_SCOPE_FILE) == 0)
        return;
    for (size_t i = 0; i < COUNT_OF(contents); i++) {
        char text[TEXT_SIZE] = "";
        FILE *file = fopen(target, "w");

        assert_non_null(file);
        assert_true(fputs(contents[i], file) >= 0);
        assert_int_equal(fclose(file), 0);
        check_refused(fixture, contents[i], &fixture->variant->config, target);
        file = fopen(target, "r");
        assert_non_null(file);
        assert_true(fread(text, 1, sizeof text - 1, file) > 0);
        assert_int_equal(fclose(file), 0);
        check_text("the file", text, contents[i]);
    }
    assert_int_equal(unlink(target), 0);
}

static void nothing_can_be_closed(void **state)
{
    struct fixture *const fixture = *state;

    the_backend.session_close(NULL);
    assert_int_equal(the_backend.close(NULL, &fixture->err), 0);
    assert_string_equal(fixture->err.text, "");
}

static void the_backend_is_complete(void **state)
{
    const struct backend *const b = &the_backend;

    (void)state;
    assert_true(b->name != NULL && b->name[0] != '\0');
    assert_true(b->default_target != NULL && b->settings_help != NULL);
    assert_true(b->keeps_leases);
    assert_true((b->scope & OPT_SCOPE_STORES) != 0);
    assert_true((b->scope & OPT_SCOPE_FILE) != 0 ||
                (b->scope & OPT_SCOPE_SERVER) != 0);
    assert_true((b->sync_levels & SYNC_BIT(SYNC_YES)) != 0);
    assert_true(b->library && b->open && b->close && b->describe &&
                b->durability && b->session_open && b->session_close);
    assert_true(b->reset && b->count && b->read_counters && b->check &&
                b->create && b->update && b->remove);
    assert_true(b->find_by_address && b->find_by_hwaddr &&
                b->find_by_client_id && b->find_by_duid);
    assert_true(b->add_reservation && b->find_reservation);
    assert_true(b->list_expired && b->purge_reclaimed && b->begin && b->commit);
    /* Who waits for a server can be called off. */
    assert_true((b->scope & OPT_SCOPE_SERVER) == 0 || b->cancel != NULL);
}

/* The suite */

static const struct {
    const char *name;
    void (*run)(void **state);
} tests[] = {
    { "the_backend_is_complete", the_backend_is_complete },
    { "nothing_can_be_closed", nothing_can_be_closed },
    { "starts_empty", starts_empty },
    { "creates_and_finds", creates_and_finds },
    { "a_duplicate_changes_nothing", a_duplicate_changes_nothing },
    { "keeps_odd_leases", keeps_odd_leases },
    { "updates_to_odd_leases", updates_to_odd_leases },
    { "updates_each_field", updates_each_field },
    { "a_missed_update_changes_nothing", a_missed_update_changes_nothing },
    { "an_update_to_the_same_is_a_hit", an_update_to_the_same_is_a_hit },
    { "removes_once", removes_once },
    { "similar_clients_are_not_the_same", similar_clients_are_not_the_same },
    { "two_leases_of_one_client_are_an_error",
      two_leases_of_one_client_are_an_error },
    { "a_duid_has_leases_by_iaid_and_type",
      a_duid_has_leases_by_iaid_and_type },
    { "leases_without_a_client_are_no_twins",
      leases_without_a_client_are_no_twins },
    { "lists_what_expired", lists_what_expired },
    { "what_is_valid_for_ever_never_expires",
      what_is_valid_for_ever_never_expires },
    { "the_list_follows_changes", the_list_follows_changes },
    { "purges_what_was_reclaimed", purges_what_was_reclaimed },
    { "groups_are_there_afterwards", groups_are_there_afterwards },
    { "groups_follow_one_another", groups_follow_one_another },
    { "counters_follow_the_leases", counters_follow_the_leases },
    { "counters_are_there_before_leases", counters_are_there_before_leases },
    { "reset_removes_everything", reset_removes_everything },
    { "reservations_are_found_by_their_whole_key",
      reservations_are_found_by_their_whole_key },
    { "opening_again_empties", opening_again_empties },
    { "opening_to_keep_changes_nothing", opening_to_keep_changes_nothing },
    { "what_is_not_there_cannot_be_kept", what_is_not_there_cannot_be_kept },
    { "damage_is_told", damage_is_told },
    { "schemas_may_take_turns", schemas_may_take_turns },
    { "sessions_follow_one_another", sessions_follow_one_another },
    { "threads_work_side_by_side", threads_work_side_by_side },
    { "keeps_generated_leases", keeps_generated_leases },
    { "describes_itself", describes_itself },
    { "answers_without_work", answers_without_work },
    { "has_the_durability_that_was_asked_for",
      has_the_durability_that_was_asked_for },
    { "a_target_that_cannot_be_is_refused",
      a_target_that_cannot_be_is_refused },
    { "unknown_settings_are_refused", unknown_settings_are_refused },
    { "foreign_files_are_refused", foreign_files_are_refused },
};

enum { TESTS = COUNT_OF(tests) };

int main(int argc, char **argv)
{
    struct suite suite;
    struct fixture fixtures[VARIANTS_MAX] = { { .suite = NULL } };
    char names[VARIANTS_MAX * TESTS][TEXT_SIZE];
    struct CMUnitTest units[VARIANTS_MAX * TESTS];
    size_t count = 0;

    suite_init(&suite, argc > 1 ? argv[1] : NULL);
    if (suite.skip != NULL)
        print_message("skip: %s: %s\n", the_backend.name, suite.skip);
    for (size_t v = 0; v < suite.variant_count; v++) {
        fixtures[v].suite = &suite;
        fixtures[v].variant = &suite.variants[v];
        for (size_t t = 0; t < TESTS; t++, count++) {
            (void)snprintf(names[count], sizeof names[count], "%s (%s)",
                           tests[t].name, suite.variants[v].name);
            units[count] =
                (struct CMUnitTest){ .name = names[count],
                                     .test_func = tests[t].run,
                                     .teardown_func = fixture_end_test,
                                     .initial_state = &fixtures[v] };
        }
    }
    /* What the macro cmocka_run_group_tests_name calls, but for the size. */
    const int failed =
        _cmocka_run_group_tests(the_backend.name, units, count, NULL, NULL);
    suite_release(&suite);
    return failed;
}
