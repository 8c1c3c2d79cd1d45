/* SPDX-License-Identifier: ISC */
#include "store/memfile/hash.h"

#include "core/random.h"
#include "tests/lib/check.h"

enum { REFS = 20000, STEPS = 200000 };

/* The contents that the table should have: the hash of each reference, if it is there. */
struct model {
    bool present[REFS + 1];
    uint32_t hashes[REFS + 1];
};

static bool contains(const struct hash *table, uint32_t hash, uint32_t wanted)
{
    uint64_t at = hash;
    bool found = false;
    uint32_t ref;

    while ((ref = hash_next(table, hash, &at)) != 0) {
        if (ref == wanted && found)
            fail_msg("reference %" PRIu32 " is found twice", ref);
        found = found || ref == wanted;
    }
    return found;
}

static void check_model(const struct hash *table, const struct model *model)
{
    uint64_t count = 0;

    for (uint32_t ref = 1; ref <= REFS; ref++) {
        count += model->present[ref];
        if (contains(table, model->hashes[ref], ref) != model->present[ref])
            fail_msg("reference %" PRIu32 " is %s", ref,
                     model->present[ref] ? "lost" : "still there");
    }
    check_number("count", table->count, count);
}

/* Adds and removes so many references at random, with so many hashes that lie
   beside each other, before the end of the table and behind it. */
static void play(struct hash *table, struct model *model, uint64_t refs, uint64_t hashes)
{
    for (uint64_t step = 0; step < STEPS; step++) {
        const uint64_t draw = random_at(refs, step);
        const uint32_t ref = 1 + (uint32_t)random_below((uint32_t)draw, refs);

        if (model->present[ref]) {
            hash_remove(table, model->hashes[ref], ref);
            model->present[ref] = false;
        } else {
            model->hashes[ref] = 20 - (uint32_t)((draw >> 32) % hashes);
            assert_int_equal(hash_add(table, model->hashes[ref], ref), 0);
            model->present[ref] = true;
        }
        if (step % (STEPS / 4) == 0)
            check_model(table, model);
    }
    check_model(table, model);
}

TEST(it_agrees_with_a_model)
{
    static struct model model;
    static const struct {
        uint64_t refs;
        uint64_t hashes;
    } sizes[] = { { REFS, UINT32_MAX }, { 1000, 200 }, { 500, 2 } };

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        struct hash table;

        memset(&model, 0, sizeof model);
        assert_int_equal(hash_init(&table), 0);
        play(&table, &model, sizes[i].refs, sizes[i].hashes);
        hash_release(&table);
    }
}

TEST(runs_go_round_the_end)
{
    struct hash table;

    assert_int_equal(hash_init(&table), 0);
    for (uint32_t ref = 1; ref <= 100; ref++)
        assert_int_equal(hash_add(&table, UINT32_MAX, ref), 0);
    for (uint32_t ref = 1; ref <= 100; ref += 2)
        hash_remove(&table, UINT32_MAX, ref);
    for (uint32_t ref = 1; ref <= 100; ref++)
        check("ref", contains(&table, UINT32_MAX, ref) == (ref % 2 == 0),
              "every second one is left");
    hash_release(&table);
}

TEST(a_hash_of_zero_is_a_hash)
{
    struct hash table;

    assert_int_equal(hash_init(&table), 0);
    check("empty", !contains(&table, 0, 1), "nothing is found");
    assert_int_equal(hash_add(&table, 0, 1), 0);
    check("one", contains(&table, 0, 1), "it is found");
    hash_remove(&table, 0, 1);
    check("removed", !contains(&table, 0, 1), "nothing is found");
    hash_release(&table);
    hash_release(&table); /* zeroed by the first time */
}
