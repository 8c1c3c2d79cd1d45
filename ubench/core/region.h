/* SPDX-License-Identifier: ISC */
/*
 * Memory for many small things that are all let go of at once.  For programs
 * that read and print, not for the timed path: where there is no memory left,
 * a region says so and ends the process with exit code 1, as there is nothing
 * that such a program could put back.
 */
#ifndef UBENCH_CORE_REGION_H
#define UBENCH_CORE_REGION_H

#include <stdarg.h>
#include <stddef.h>

struct region_chunk;

/* Belongs to one thread.  Zeroed: an empty one. */
struct region {
    struct region_chunk *chunks;
    char *next; /* what is free of the first chunk */
    size_t left;
};

/* count things of a size, contents undefined, aligned for anything; never
   NULL. */
void *region_take(struct region *region, size_t count, size_t size);

/* A copy of a text. */
char *region_text(struct region *region, const char *text);

/* A text made as by printf. */
char *region_print(struct region *region, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *region_vprint(struct region *region, const char *format,
                    va_list arguments) __attribute__((format(printf, 2, 0)));

void region_release(struct region *region);

#endif
