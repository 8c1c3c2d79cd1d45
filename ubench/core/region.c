/* SPDX-License-Identifier: ISC */
#include "core/region.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_SIZE = 64 * 1024 };

struct region_chunk {
    struct region_chunk *before;
    alignas(max_align_t) char bytes[];
};

static void *no_memory(void)
{
    (void)fputs("out of memory\n", stderr);
    exit(EXIT_FAILURE);
}

/* Begins a chunk of at least so many bytes. */
static void add_chunk(struct region *region, size_t size)
{
    const size_t room = size > CHUNK_SIZE ? size : CHUNK_SIZE;
    struct region_chunk *const chunk =
        room < SIZE_MAX - sizeof *chunk ? malloc(sizeof *chunk + room) : NULL;

    if (chunk == NULL)
        (void)no_memory();
    chunk->before = region->chunks;
    region->chunks = chunk;
    region->next = chunk->bytes;
    region->left = room;
}

void *region_take(struct region *region, size_t count, size_t size)
{
    const size_t align = alignof(max_align_t);
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
        return no_memory();
    bytes = (bytes + align - 1) / align * align;
    if (bytes > region->left || region->next == NULL)
        add_chunk(region, bytes);
    void *const taken = region->next;
    region->next += bytes;
    region->left -= bytes;
    return taken;
}

char *region_text(struct region *region, const char *text)
{
    const size_t size = strlen(text) + 1;

    return memcpy(region_take(region, size, 1), text, size);
}

char *region_vprint(struct region *region, const char *format,
                    va_list arguments)
{
    va_list again;

    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    const size_t size = length < 0 ? 1 : (size_t)length + 1;
    char *const text = region_take(region, size, 1);
    text[0] = '\0';
    (void)vsnprintf(text, size, format, arguments);
    return text;
}

char *region_print(struct region *region, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    char *const text = region_vprint(region, format, arguments);
    va_end(arguments);
    return text;
}

void region_release(struct region *region)
{
    while (region->chunks != NULL) {
        struct region_chunk *const chunk = region->chunks;

        region->chunks = chunk->before;
        free(chunk);
    }
    *region = (struct region){ 0 };
}
