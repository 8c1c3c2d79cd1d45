/* SPDX-License-Identifier: ISC */
/*
 * Memory for many small things that are all let go of at once.  For programs
 * that read and print, not for the timed path: where there is no memory left,
 * an arena says so and ends the process with exit code 1, as there is nothing
 * that such a program could put back.
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

void arena_release(struct arena *arena);

#endif
