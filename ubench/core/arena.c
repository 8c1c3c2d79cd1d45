/* SPDX-License-Identifier: ISC */
#include "core/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_SIZE = 64 * 1024 };

struct arena_chunk {
    struct arena_chunk *before;
    alignas(max_align_t) char bytes[];
};

static void *no_memory(void)
{
    (void)fputs("out of memory\n", stderr);
    exit(EXIT_FAILURE);
}

/* Begins a chunk of at least so many bytes. */
static void add_chunk(struct arena *arena, size_t size)
{
    const size_t room = size > CHUNK_SIZE ? size : CHUNK_SIZE;
    struct arena_chunk *const chunk =
        room < SIZE_MAX - sizeof *chunk ? malloc(sizeof *chunk + room) : NULL;

    if (chunk == NULL)
        (void)no_memory();
    chunk->before = arena->chunks;
    arena->chunks = chunk;
    arena->next = chunk->bytes;
    arena->left = room;
}

void arena_reserve(struct arena *arena, size_t size)
{
    if (size > arena->left)
        add_chunk(arena, size);
}

void *arena_alloc(struct arena *arena, size_t count, size_t size)
{
    const size_t align = alignof(max_align_t);
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
        return no_memory();
    bytes = (bytes + align - 1) / align * align;
    if (bytes > arena->left || arena->next == NULL)
        add_chunk(arena, bytes);
    void *const taken = arena->next;
    arena->next += bytes;
    arena->left -= bytes;
    return taken;
}

char *arena_text(struct arena *arena, const char *text)
{
    const size_t size = strlen(text) + 1;

    return memcpy(arena_alloc(arena, size, 1), text, size);
}

char *arena_vprint(struct arena *arena, const char *format, va_list arguments)
{
    va_list again;

    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    const size_t size = length < 0 ? 1 : (size_t)length + 1;
    char *const text = arena_alloc(arena, size, 1);
    text[0] = '\0';
    (void)vsnprintf(text, size, format, arguments);
    return text;
}

char *arena_print(struct arena *arena, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    char *const text = arena_vprint(arena, format, arguments);
    va_end(arguments);
    return text;
}

char *arena_join(struct arena *arena, const char *before, const char *separator,
                 const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    char *const more = arena_vprint(arena, format, arguments);
    va_end(arguments);
    return before[0] == '\0'
               ? more
               : arena_print(arena, "%s%s%s", before, separator, more);
}

const char *arena_join_once(struct arena *arena, const char *before,
                            const char *separator, const char *text)
{
    const char *const list =
        arena_print(arena, "%s%s%s", separator, before, separator);
    const char *const wanted =
        arena_print(arena, "%s%s%s", separator, text, separator);

    return strstr(list, wanted) != NULL
               ? before
               : arena_join(arena, before, separator, "%s", text);
}

void *arena_grow(struct arena *arena, void *items, size_t count, size_t *room,
                 size_t size)
{
    if (count < *room)
        return items;
    *room = 2 * *room + 16;
    void *const more = arena_alloc(arena, *room, size);
    if (count > 0)
        memcpy(more, items, count * size);
    return more;
}

void arena_release(struct arena *arena)
{
    while (arena->chunks != NULL) {
        struct arena_chunk *const chunk = arena->chunks;

        arena->chunks = chunk->before;
        free(chunk);
    }
    *arena = (struct arena){ 0 };
}
