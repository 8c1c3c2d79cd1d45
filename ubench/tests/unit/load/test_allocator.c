/* SPDX-License-Identifier: ISC */
#include "load/allocator.h"

#include <stdlib.h>

#include "tests/lib/check.h"

static const enum allocator_kind kinds[] = { ALLOCATOR_ITERATIVE, ALLOCATOR_RANDOM,
                                             ALLOCATOR_FREE_LIST };
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* The first candidate that is free, within the allocator's patience. */
static uint64_t choose(struct allocator *allocator)
{
    uint64_t patience = allocator_candidates_max(allocator);
    uint64_t candidate = UINT64_MAX;

    do {
        assert_true(patience-- > 0);
        candidate = allocator_candidate(allocator);
    } while (allocator->taken[candidate]);
    return candidate;
}

static void begin(struct allocator *allocator, enum allocator_kind kind, uint64_t pool)
{
    struct err err = { 0 };

    assert_int_equal(allocator_init(allocator, kind, pool, 7, &err), 0);
}

/* Each gives every address of an empty pool once. */
TEST(all_addresses_are_given)
{
    for (size_t k = 0; k < KINDS; k++) {
        struct allocator allocator;

        begin(&allocator, kinds[k], 1000);
        for (uint64_t free = 1000; free > 0; free--) {
            assert_int_equal(allocator.free, free);
            const uint64_t choice = choose(&allocator);

            assert_true(choice < 1000);
            allocator_set(&allocator, choice, true);
        }
        assert_int_equal(allocator.free, 0);
        allocator_release(&allocator);
    }
}

/* The first pass of a full pool comes by each address once, but a free list
   does not offer any. */
TEST(a_full_pool_is_gone_through)
{
    for (size_t k = 0; k < KINDS; k++) {
        struct allocator allocator;
        bool seen[256] = { false };

        begin(&allocator, kinds[k], 256);
        for (uint64_t i = 0; i < 256; i++)
            allocator_set(&allocator, i, true);
        const uint64_t patience = allocator_candidates_max(&allocator);

        assert_int_equal(patience, kinds[k] == ALLOCATOR_FREE_LIST ? 0 : 256);
        for (uint64_t i = 0; i < patience; i++) {
            const uint64_t candidate = allocator_candidate(&allocator);

            assert_false(seen[candidate]);
            seen[candidate] = true;
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

/* Two passes are not in the same order. */
TEST(random_begins_another_order)
{
    struct allocator allocator;
    uint64_t first[100];
    size_t same = 0;

    begin(&allocator, ALLOCATOR_RANDOM, 100);
    for (size_t i = 0; i < 100; i++)
        first[i] = allocator_candidate(&allocator);
    for (size_t i = 0; i < 100; i++)
        same += allocator_candidate(&allocator) == first[i];
    assert_true(same < 20);
    allocator_release(&allocator);
}

TEST(what_is_given_back_is_offered_again)
{
    for (size_t k = 0; k < KINDS; k++) {
        struct allocator allocator;

        begin(&allocator, kinds[k], 100);
        for (uint64_t i = 0; i < 100; i++)
            allocator_set(&allocator, i, true);
        allocator_set(&allocator, 42, false);
        assert_int_equal(allocator.free, 1);
        assert_int_equal(choose(&allocator), 42);
        allocator_release(&allocator);
    }
}
