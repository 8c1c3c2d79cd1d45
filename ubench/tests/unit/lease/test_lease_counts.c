/* SPDX-License-Identifier: ISC */
/* Counts of leases by kind, beside an array that counts the same. */
#include "lease/lease_counts.h"

#include "core/random.h"
#include "tests/lib/check.h"

enum { SUBNETS = 40, POOLS = 3, STATES = 5, ADDITIONS = 20000 };

static struct lease_kind make_kind(uint64_t draw)
{
    return (struct lease_kind){
        /* Large numbers and neighbours. */
        .subnet_id = (uint32_t)(draw % SUBNETS) * 0x6666666,
        .pool_id = (uint32_t)(draw >> 16) % POOLS,
        .type = LEASE_TYPE_V4,
        .state = (uint8_t)((draw >> 32) % STATES),
    };
}

TEST(they_agree_with_a_model)
{
    static int64_t model[SUBNETS][POOLS][STATES];
    struct lease_counts counts = { .used = 0 };

    for (uint64_t i = 0; i < ADDITIONS; i++) {
        const uint64_t draw = random_at(1, i);
        const struct lease_kind kind = make_kind(draw);
        const int64_t leases = (int64_t)(draw >> 40) % 7 - 2;

        assert_int_equal(lease_counts_add(&counts, &kind, leases), 0);
        if (kind.state <= LEASE_STATE_DECLINED)
            model[draw % SUBNETS][kind.pool_id][kind.state] += leases;
    }
    for (uint64_t i = 0; i < ADDITIONS; i++) {
        const uint64_t draw = random_at(1, i);
        const struct lease_kind kind = make_kind(draw);

        assert_int_equal(lease_counts_of(&counts, &kind),
                         model[draw % SUBNETS][kind.pool_id][kind.state]);
    }
    check_number("kinds", counts.used, SUBNETS * POOLS * 2);
    lease_counts_release(&counts);
    lease_counts_release(&counts); /* zeroed by the first time */
}

TEST(other_states_are_not_counted)
{
    struct lease_counts counts = { .used = 0 };

    for (uint8_t i = 0; i < STATES; i++) {
        const struct lease_kind kind = { .subnet_id = 1, .state = i };

        assert_int_equal(lease_counts_add(&counts, &kind, 5), 0);
        assert_int_equal(lease_counts_of(&counts, &kind), i < 2 ? 5 : 0);
    }
    lease_counts_release(&counts);
}

/* One difference in a field, in either of two counts, is seen and named. */
TEST(differences_are_seen)
{
    static const struct lease_kind kinds[] = {
        { .subnet_id = 1, .type = LEASE_TYPE_V4 },
        { .subnet_id = 2, .type = LEASE_TYPE_V4 },
        { .subnet_id = 1, .pool_id = 1, .type = LEASE_TYPE_V4 },
        { .subnet_id = 1, .type = LEASE_TYPE_PD },
        { .subnet_id = 1, .type = LEASE_TYPE_V4, .state = 1 },
    };

    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        struct lease_counts a = { .used = 0 };
        struct lease_counts b = { .used = 0 };
        struct lease_kind kind;

        assert_int_equal(lease_counts_add(&a, &kinds[0], 7), 0);
        assert_int_equal(lease_counts_add(&b, &kinds[0], 7), 0);
        assert_int_equal(lease_counts_add(&b, &kinds[i], 0), 0);
        check("none", lease_counts_equal(&a, &b, &kind), "is no difference");
        assert_int_equal(lease_counts_add(&b, &kinds[i], 1), 0);
        check("one", !lease_counts_equal(&a, &b, &kind), "a difference");
        check("one", lease_kind_equal(&kind, &kinds[i]), "named");
        check("one", !lease_counts_equal(&b, &a, &kind), "from both sides");
        check("one", lease_kind_equal(&kind, &kinds[i]), "named");
        lease_counts_release(&a);
        lease_counts_release(&b);
    }
}
