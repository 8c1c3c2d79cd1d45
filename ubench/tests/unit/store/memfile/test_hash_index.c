/* SPDX-License-Identifier: ISC */
#include "store/memfile/hash_index.h"

#include "core/random.h"
#include "tests/lib/check.h"

enum { REFS = 20000, STEPS = 200000 };

/* What should be in the index: the hash of each reference, if it is there. */
struct model {
    bool present[REFS + 1];
    uint32_t hashes[REFS + 1];
};

static bool contains(const struct hash_index *index, uint32_t hash,
                     uint32_t wanted)
{
    struct hash_walk walk = hash_index_walk(index, hash);
    bool found = false;
    uint32_t ref;

    while ((ref = hash_walk_next(&walk)) != 0) {
        if (ref == wanted && found)
            fail_msg("reference %" PRIu32 " is found twice", ref);
        found = found || ref == wanted;
    }
    return found;
}

static void check_model(const struct hash_index *index,
                        const struct model *model)
{
    uint64_t count = 0;

    for (uint32_t ref = 1; ref <= REFS; ref++) {
        count += model->present[ref];
        if (contains(index, model->hashes[ref], ref) != model->present[ref])
            fail_msg("reference %" PRIu32 " is %s", ref,
                     model->present[ref] ? "lost" : "still there");
    }
    check_number("count", index->count, count);
}

/* Adds and removes at random; bits decides how many hashes are alike. */
static void play(struct hash_index *index, struct model *model, unsigned shift,
                 uint64_t key)
{
    for (uint64_t step = 0; step < STEPS; step++) {
        const uint64_t draw = random_at(key, step);
        const uint32_t ref = 1 + (uint32_t)random_below((uint32_t)draw, REFS);

        if (model->present[ref]) {
            hash_index_remove(index, model->hashes[ref], ref);
            model->present[ref] = false;
        } else {
            model->hashes[ref] = (uint32_t)(draw >> 32) >> shift << shift;
            assert_int_equal(hash_index_add(index, model->hashes[ref], ref), 0);
            model->present[ref] = true;
        }
        if (step % (STEPS / 4) == 0)
            check_model(index, model);
    }
    check_model(index, model);
}

static void it_agrees_with_a_model(void **state)
{
    static struct model model;
    /* Low bits cleared: many of one hash; high bits cleared: one bucket's
       neighbourhood takes all, and runs go round the end. */
    static const unsigned shifts[] = { 0, 18, 24 };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(shifts); i++) {
        struct hash_index index;

        memset(&model, 0, sizeof model);
        assert_int_equal(hash_index_init(&index), 0);
        play(&index, &model, shifts[i], 7 + i);
        hash_index_release(&index);
    }
}

static void runs_go_round_the_end(void **state)
{
    struct hash_index index;

    (void)state;
    assert_int_equal(hash_index_init(&index), 0);
    for (uint32_t ref = 1; ref <= 100; ref++)
        assert_int_equal(hash_index_add(&index, UINT32_MAX, ref), 0);
    for (uint32_t ref = 1; ref <= 100; ref += 2)
        hash_index_remove(&index, UINT32_MAX, ref);
    for (uint32_t ref = 1; ref <= 100; ref++)
        check("ref", contains(&index, UINT32_MAX, ref) == (ref % 2 == 0),
              "every second one is left");
    hash_index_release(&index);
}

static void a_hash_of_zero_is_a_hash(void **state)
{
    struct hash_index index;

    (void)state;
    assert_int_equal(hash_index_init(&index), 0);
    check("empty", !contains(&index, 0, 1), "nothing is found");
    assert_int_equal(hash_index_add(&index, 0, 1), 0);
    check("one", contains(&index, 0, 1), "it is found");
    hash_index_remove(&index, 0, 1);
    check("removed", !contains(&index, 0, 1), "nothing is found");
    hash_index_release(&index);
}

static void clearing_empties(void **state)
{
    struct hash_index index;

    (void)state;
    assert_int_equal(hash_index_init(&index), 0);
    for (uint32_t ref = 1; ref <= 10000; ref++)
        assert_int_equal(hash_index_add(&index, ref * 77777, ref), 0);
    hash_index_clear(&index);
    check_number("count", index.count, 0);
    for (uint32_t ref = 1; ref <= 10000; ref++)
        check("ref", !contains(&index, ref * 77777, ref), "nothing is found");
    hash_index_release(&index);
    hash_index_release(&index); /* zeroed by the first time */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_agrees_with_a_model),
        cmocka_unit_test(runs_go_round_the_end),
        cmocka_unit_test(a_hash_of_zero_is_a_hash),
        cmocka_unit_test(clearing_empties),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
