/* SPDX-License-Identifier: ISC */
/*
 * Memory for many small things that are all let go of at once.  For programs
 * that read and print, not for the timed path: where there is no memory left,
 * an arena says so and ends the process with exit code 1.  While something has
 * to be put back first, only what was reserved before is to be taken.
 */
#ifndef UBENCH_CORE_ARENA_H
#define UBENCH_CORE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena_chunk;

/* Belongs to one thread.  Zeroed: an empty one. */
struct arena {
    struct arena_chunk *chunks;
    char *next; /* what is free of the first chunk */
    size_t left;
};

/* Takes memory for the next things, of so many bytes in all with what aligns
   them. */
void arena_reserve(struct arena *arena, size_t size);

/* count things of a size, contents undefined, aligned for anything; never
   NULL. */
void *arena_alloc(struct arena *arena, size_t count, size_t size);

/* A copy of a text. */
char *arena_text(struct arena *arena, const char *text);

/* A text made as by printf. */
char *arena_print(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *arena_vprint(struct arena *arena, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* A list as a text: what was there before, and, with the separator between if
   it is not empty, one more. */
char *arena_join(struct arena *arena, const char *before, const char *separator,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The same with a text, unless it is a member of the list. */
const char *arena_join_once(struct arena *arena, const char *before,
                            const char *separator, const char *text);

/* Room for one more thing behind count of them: items, or a larger copy, of
   which *room says how many it holds.  NULL and 0 are an empty list. */
void *arena_grow(struct arena *arena, void *items, size_t count, size_t *room,
                 size_t size);

void arena_release(struct arena *arena);

#endif
