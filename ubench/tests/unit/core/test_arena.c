/* SPDX-License-Identifier: ISC */
#include "core/arena.h"

#include <stdint.h>

#include "tests/lib/check.h"

TEST(things_stand_apart_and_aligned)
{
    struct arena arena = { 0 };
    char *const one = arena_text(&arena, "one");
    char *const two = arena_print(&arena, "%s+%d", one, 1);

    assert_string_equal(one, "one");
    assert_string_equal(two, "one+1");
    assert_int_equal((uintptr_t)two % _Alignof(max_align_t), 0);
    assert_string_equal(arena_join(&arena, "", ", ", "%s", one), "one");
    assert_string_equal(arena_join(&arena, "a", ", ", "%s", one), "a, one");
    arena_release(&arena);
    assert_null(arena.chunks);
}

TEST(a_list_grows)
{
    struct arena arena = { 0 };
    uint32_t *items = NULL;
    size_t room = 0;

    for (uint32_t i = 0; i < 1000; i++) {
        items = arena_grow(&arena, items, i, &room, sizeof *items);
        items[i] = i;
    }
    for (uint32_t i = 0; i < 1000; i++)
        check_number("item", items[i], i);
    arena_release(&arena);
}

/* However much was taken before. */
TEST(what_is_reserved_needs_no_more_memory)
{
    enum { THINGS = 1000, SIZE = 100, ALIGNED = 112 };

    for (size_t before = 0; before < 400000; before += 7001) {
        struct arena arena = { 0 };

        (void)arena_alloc(&arena, before, 1);
        arena_reserve(&arena, (size_t)THINGS * ALIGNED);
        const struct arena_chunk *const chunk = arena.chunks;
        for (int i = 0; i < THINGS; i++)
            (void)arena_alloc(&arena, SIZE, 1);
        assert_ptr_equal(arena.chunks, chunk);
        arena_release(&arena);
    }
}
