/* SPDX-License-Identifier: ISC */
#include "store/memfile/address_index.h"

#include "core/random.h"
#include "tests/lib/check.h"

enum { ADDRESSES = 30000, STEPS = 400000 };

/* Pools of neighbours, in several networks of IPv6 and of IPv4, at the very end
   of the numbers, too. */
static struct lease_address address_of(uint64_t i)
{
    const uint64_t network = i / 10000;

    return (struct lease_address){
        .high = network == 1 ? UINT64_C(0x20010db800000000) : 0,
        .low = network == 2 ? UINT64_MAX - i % 10000 : i % 10000,
    };
}

/* Every reference is where the model has it, and the places name each once. */
static void check_model(const struct address_index *index, const uint32_t *model)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < ADDRESSES; i++) {
        const uint32_t *const slot = address_index_find(index, address_of(i));

        if ((slot != NULL ? *slot : 0) != model[i])
            fail_msg("address %" PRIu64 " has another reference", i);
        sum += model[i];
    }
    for (uint64_t i = 0, ref; (ref = address_index_next(index, &i)) != 0;)
        sum -= ref;
    check_number("references that no address has", sum, 0);
}

TEST(index_agrees_with_an_array)
{
    static uint32_t model[ADDRESSES];
    struct address_index index;

    assert_int_equal(address_index_init(&index), 0);
    for (uint64_t step = 0; step < STEPS; step++) {
        const uint64_t draw = random_at(1, step);
        const uint64_t i = random_below((uint32_t)draw, ADDRESSES);
        uint32_t *const slot = address_index_make(&index, address_of(i));

        assert_non_null(slot);
        check_number("what was there", *slot, model[i]);
        model[i] = *slot = draw >> 63 ? (uint32_t)step + 1 : 0;
        if (step % (STEPS / 4) == 0)
            check_model(&index, model);
    }
    check_model(&index, model);
    address_index_release(&index);
}

/* Leases that come and go at ever new addresses take no more memory. */
TEST(empty_groups_are_given_up)
{
    struct address_index index;

    assert_int_equal(address_index_init(&index), 0);
    const uint64_t size = index.size;
    for (uint64_t i = 0; i < 2000000; i++) {
        *address_index_make(&index, lease_address_v4((uint32_t)i)) = 1;
        if (i >= 500)
            *address_index_make(&index, lease_address_v4((uint32_t)i - 500)) = 0;
    }
    check_number("groups", index.size, size);
    address_index_release(&index);
}
