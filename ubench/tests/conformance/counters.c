/* SPDX-License-Identifier: ISC */
/* The counters of schema kea+stats. */
#include "tests/conformance/fixture.h"

#include "tests/lib/check.h"

static int64_t counter(struct fixture *fixture, enum counters which, const struct lease *lease)
{
    const struct lease_kind kind = {
        .subnet_id = lease->subnet_id,
        .pool_id = which == COUNTERS_BY_SUBNET ? 0 : lease->pool_id,
        .type = lease->type,
        .state = lease->state,
    };
    struct lease_counts counts = { .used = 0 };

    if (the_backend.read_counters(fixture->session, which, &counts, &fixture->err) != 0)
        fail_msg("read_counters: %s", fixture->err.text);
    const int64_t leases = lease_counts_of(&counts, &kind);
    lease_counts_release(&counts);
    return leases;
}

/* Counts as many leases as that one is, by each way of counting. */
static void check_counters(struct fixture *fixture, const char *what, const struct lease *like,
                           int64_t subnet, int64_t pool)
{
    check(what, counter(fixture, COUNTERS_BY_SUBNET, like) == subnet, "of the subnet");
    check(what, counter(fixture, COUNTERS_BY_POOL, like) == pool, "of the pool");
    check(what, counter(fixture, COUNTERS_OF_LEASES, like) == pool, "by looking");
}

TEST(counters_follow_the_leases)
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
    fixture_update(fixture, "moves", &other, lease_expire_s(&second), OUTCOME_HIT);
    check_counters(fixture, "moved away", &second, 1, 0);
    check_counters(fixture, "moved here", &other, 1, 1);
    struct lease declined = first;
    declined.state = LEASE_STATE_DECLINED;
    fixture_update(fixture, "declined", &declined, lease_expire_s(&first), OUTCOME_HIT);
    check_counters(fixture, "not declined", &first, 0, 0);
    check_counters(fixture, "declined", &declined, 1, 1);
    struct lease reclaimed = declined;
    reclaimed.state = LEASE_STATE_RECLAIMED;
    fixture_update(fixture, "reclaimed", &reclaimed, lease_expire_s(&first), OUTCOME_HIT);
    check_counters(fixture, "no longer declined", &declined, 0, 0);
    check_counters(fixture, "reclaimed: not counted", &reclaimed, 0, 0);
    if (the_backend.purge_reclaimed(fixture->session, lease_expire_s(&reclaimed) + 1, &purged,
                                    &fixture->err) != 0)
        fail_msg("purge: %s", fixture->err.text);
    check_number("purged", purged, 1);
    fixture_check_counters(fixture);
    fixture_remove(fixture, "other", other.address, lease_expire_s(&other), OUTCOME_HIT);
    check_counters(fixture, "removed", &other, 0, 0);
    fixture_close(fixture);
}

/* Or else the first leases of a subnet would race to insert its row. */
TEST(counters_are_there_before_leases)
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
        for (int which = COUNTERS_BY_SUBNET; which <= COUNTERS_BY_POOL; which++) {
            struct lease_counts counts = { .used = 0 };

            assert_int_equal(the_backend.read_counters(fixture->session, (enum counters)which,
                                                       &counts, &fixture->err),
                             0);
            check_number("kinds", counts.used, 2 * numbers[i]);
            lease_counts_release(&counts);
        }
        fixture_close(fixture);
    }
    fixture->variant = variant;
}
