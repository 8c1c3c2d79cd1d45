/* SPDX-License-Identifier: ISC */
/* A table of texts, printed for a terminal, as Markdown or as CSV. */
#ifndef UBENCH_REPORT_GRID_H
#define UBENCH_REPORT_GRID_H

#include <stddef.h>
#include <stdio.h>

#include "core/arena.h"

enum { GRID_COLUMNS_MAX = 64 };
enum grid_format { GRID_TEXT, GRID_MARKDOWN, GRID_CSV };

struct grid {
    struct arena memory;
    const char *columns; /* a letter for each: 'l' or 'r', its side */
    size_t count;        /* of cells */
    size_t room;
    const char **cells;
};

/* columns, 1 to GRID_COLUMNS_MAX, belongs to the caller and outlives the
   grid. */
void grid_init(struct grid *grid, const char *columns);
void grid_release(struct grid *grid);

/* Puts a text into the next cell, row by row from the header on. */
void grid_add(struct grid *grid, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints all rows; the last must be whole.  Text is padded to the widest of its
   column; CSV quotes what needs it (RFC 4180, but lines end with LF). */
void grid_print(const struct grid *grid, enum grid_format format, FILE *out);

#endif
