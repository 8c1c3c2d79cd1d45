/* SPDX-License-Identifier: ISC */
#include "core/random.h"

#include <stdlib.h>

#include "tests/lib/check.h"

static const uint64_t keys[] = { 0, 1, 2, 42, UINT64_C(0x8000000000000000), UINT64_MAX };

/* Visits every position once; seen has room for count flags. */
static void check_bijection(uint64_t count, uint64_t key, uint8_t *seen)
{
    struct permutation permutation;

    memset(seen, 0, count);
    permutation_init(&permutation, count, key);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t value = permutation_at(&permutation, i);

        if (value >= count || seen[value])
            fail_msg("count %" PRIu64 ", key %" PRIu64 ": %" PRIu64 " is sent to %" PRIu64
                     ", which is %s",
                     count, key, i, value, value >= count ? "outside" : "taken");
        seen[value] = 1;
        if (permutation_find(&permutation, value) != i)
            fail_msg("count %" PRIu64 ", key %" PRIu64 ": find is not the inverse at %" PRIu64,
                     count, key, i);
    }
}

TEST(small_permutations_are_bijections)
{
    uint8_t seen[300];

    for (uint64_t count = 1; count <= sizeof seen; count++) {
        for (size_t k = 0; k < COUNT_OF(keys); k++)
            check_bijection(count, keys[k], seen);
    }
}

TEST(large_permutations_are_bijections)
{
    static const uint64_t counts[] = { 1000,  4095,   4096,   4097,    65535,  65536,
                                       65537, 100000, 999983, 1000000, 1048576 };
    uint8_t *const seen = malloc(1048576);

    assert_non_null(seen);
    for (size_t c = 0; c < COUNT_OF(counts); c++)
        check_bijection(counts[c], keys[c % COUNT_OF(keys)], seen);
    free(seen);
}

/* Too many to visit all: find is the inverse, and nothing leaves the range. */
TEST(huge_permutations_have_an_inverse)
{
    static const uint64_t counts[] = {
        UINT64_C(100000000),     UINT64_C(0xffffffff), UINT64_C(0x100000000),
        UINT64_C(0x100000001),   UINT64_C(1) << 46,    (UINT64_C(1) << 46) + 1,
        (UINT64_C(1) << 62) - 1, UINT64_C(1) << 62,
    };

    for (size_t c = 0; c < COUNT_OF(counts); c++) {
        struct permutation permutation;

        permutation_init(&permutation, counts[c], c);
        for (uint64_t draw = 0; draw < 10000; draw++) {
            const uint64_t i = random_at(7, draw) % counts[c];
            const uint64_t value = permutation_at(&permutation, i);

            assert_true(value < counts[c]);
            assert_true(permutation_find(&permutation, value) == i);
        }
    }
}

/* Not a test of randomness: a permutation that does nothing must not pass. */
TEST(permutations_move_things)
{
    enum { COUNT = 10000 };
    struct permutation one;
    struct permutation two;
    int fixed = 0;
    int successors = 0;
    int alike = 0;

    permutation_init(&one, COUNT, 1);
    permutation_init(&two, COUNT, 2);
    for (uint64_t i = 0; i < COUNT; i++) {
        fixed += permutation_at(&one, i) == i;
        alike += permutation_at(&one, i) == permutation_at(&two, i);
        if (i > 0)
            successors += permutation_at(&one, i) == permutation_at(&one, i - 1) + 1;
    }
    /* One of each is expected of a random permutation. */
    assert_in_range(fixed, 0, 20);
    assert_in_range(alike, 0, 20);
    assert_in_range(successors, 0, 20);
}

TEST(below_stays_below)
{
    static const uint64_t bounds[] = {
        1, 2, 3, 100, 65536, UINT64_C(0xffffffff), UINT64_C(0x100000000),
    };

    for (size_t b = 0; b < COUNT_OF(bounds); b++) {
        assert_true(random_below(0, bounds[b]) == 0);
        assert_true(random_below(UINT32_MAX, bounds[b]) == bounds[b] - 1);
        for (uint64_t i = 0; i < 10000; i++)
            assert_true(random_below((uint32_t)random_at(3, i), bounds[b]) < bounds[b]);
    }
}

TEST(below_is_even)
{
    enum { BOUND = 10, DRAWS = 100000 };
    unsigned counts[BOUND] = { 0 };

    for (uint64_t i = 0; i < DRAWS; i++)
        counts[random_below((uint32_t)random_at(5, i), BOUND)]++;
    /* 10,000 are expected of each; five standard deviations are 475. */
    for (int i = 0; i < BOUND; i++)
        assert_in_range(counts[i], 9525, 10475);
}

/* The first numbers of splitmix64 from state 0, as everybody's. */
TEST(numbers_are_those_of_splitmix64)
{
    static const uint64_t first[] = {
        UINT64_C(0xe220a8397b1dcdaf),
        UINT64_C(0x6e789e6aa1b965f4),
        UINT64_C(0x06c45d188009454f),
    };

    for (size_t i = 0; i < COUNT_OF(first); i++)
        assert_true(random_at(0, i) == first[i]);
}
