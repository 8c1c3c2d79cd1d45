/* SPDX-License-Identifier: ISC */
#include "load/allocator.h"

#include <stdlib.h>

#include "tests/lib/check.h"

static const enum allocator_kind kinds[] = { ALLOCATOR_ITERATIVE, ALLOCATOR_RANDOM, ALLOCATOR_FLQ };
enum { KINDS = sizeof kinds / sizeof kinds[0], POOL = 1000 };

static void begin(struct allocator *allocator, enum allocator_kind kind, uint64_t pool)
{
    struct err err = { 0 };

    assert_int_equal(allocator_init(allocator, kind, pool, 7, &err), 0);
}

/* Each gives every address of an empty pool once, and then again. */
TEST(all_addresses_are_given)
{
    for (size_t k = 0; k < KINDS; k++) {
        struct allocator allocator;

        begin(&allocator, kinds[k], POOL);
        for (int pass = 0; pass < 2; pass++) {
            bool seen[POOL] = { false };

            for (size_t i = 0; i < POOL; i++) {
                const uint64_t candidate = allocator_candidate(&allocator);

                assert_true(candidate < POOL);
                assert_false(seen[candidate]);
                seen[candidate] = true;
            }
        }
        allocator_release(&allocator);
    }
}

TEST(iterative_goes_on_where_it_was)
{
    struct allocator allocator;

    begin(&allocator, ALLOCATOR_ITERATIVE, 4);
    for (uint64_t i = 0; i < 10; i++)
        assert_int_equal(allocator_candidate(&allocator), i % 4);
    allocator_release(&allocator);
}

/* The second pass of a queue has the order of the first, as offered addresses are put behind. */
TEST(random_has_another_order_in_each_pass)
{
    for (size_t k = 1; k < KINDS; k++) {
        struct allocator allocator;
        uint64_t first[100];
        int same = 0;

        begin(&allocator, kinds[k], 100);
        for (size_t i = 0; i < 100; i++)
            first[i] = allocator_candidate(&allocator);
        for (size_t i = 0; i < 100; i++)
            same += allocator_candidate(&allocator) == first[i];
        if (kinds[k] == ALLOCATOR_FLQ)
            assert_int_equal(same, 100);
        else
            assert_true(same < 10);
        allocator_release(&allocator);
    }
}

/* Whatever is taken and given back, in any order and more than once: what is free is offered, each
   once in a pass, and what came back last is offered last. */
TEST(a_queue_offers_what_is_free)
{
    struct allocator allocator;
    bool taken[POOL] = { false };
    uint64_t free = POOL;

    begin(&allocator, ALLOCATOR_FLQ, POOL);
    for (uint64_t i = 0; i < 20000; i++) {
        const uint64_t address = random_at(1, i) % POOL;
        const bool take = random_at(2, i) % 3 != 0;

        free = free + taken[address] - take;
        taken[address] = take;
        allocator_set(&allocator, address, take);
        assert_int_equal(allocator.free, free);
    }
    bool seen[POOL] = { false };
    for (uint64_t i = 0; i < free; i++) {
        const uint64_t candidate = allocator_candidate(&allocator);

        assert_false(taken[candidate]);
        assert_false(seen[candidate]);
        seen[candidate] = true;
    }
    allocator_release(&allocator);
}

TEST(a_queue_may_be_empty)
{
    struct allocator allocator;

    begin(&allocator, ALLOCATOR_FLQ, 100);
    for (uint64_t i = 0; i < 100; i++)
        allocator_set(&allocator, i, true);
    assert_true(allocator_candidate(&allocator) == ALLOCATOR_NO_CANDIDATE);
    allocator_set(&allocator, 42, false);
    for (int i = 0; i < 3; i++)
        assert_int_equal(allocator_candidate(&allocator), 42);
    allocator_set(&allocator, 7, false);
    assert_int_equal(allocator_candidate(&allocator), 42);
    assert_int_equal(allocator_candidate(&allocator), 7);
    allocator_release(&allocator);
}
