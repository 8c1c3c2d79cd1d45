/* SPDX-License-Identifier: ISC */
/*
 * A table of texts, printed for a terminal, as Markdown, as CSV or as HTML,
 * and the lines around it.
 */
#ifndef UBENCH_REPORT_GRID_H
#define UBENCH_REPORT_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/arena.h"

enum { GRID_COLUMNS_MAX = 64 };
enum grid_format { GRID_TEXT, GRID_MARKDOWN, GRID_CSV, GRID_HTML };

struct grid {
    struct arena memory;
    const char *absent; /* what stands for a figure that there is not: "n/a" */
    size_t columns;
    char sides[GRID_COLUMNS_MAX]; /* of each column: 'l' or 'r' */
    size_t count;                 /* of cells, the heads first */
    size_t room;
    const char **cells;
};

/* Begins a table with a column for each letter of sides, 'l' or 'r', and as
   many heads. */
void grid_init(struct grid *grid, const char *sides, const char *const *heads);
void grid_release(struct grid *grid);

/* Adds a column, before the first row; beyond GRID_COLUMNS_MAX it is left out,
   and false is returned. */
bool grid_column(struct grid *grid, char side, const char *head);

/* Puts a text into the next cell, row by row. */
void grid_add(struct grid *grid, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same, or, if the figure is not known, what stands for that. */
void grid_add_if(struct grid *grid, bool known, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* True if there is no row. */
bool grid_is_empty(const struct grid *grid);

/* Prints all rows; the last must be whole.  Text is padded to the widest of its
   column; where that is wider than the terminal, or than 80 columns without
   one, a long text in the first column has a line of its own, and columns that
   still do not fit follow as another table.  CSV quotes what needs it (RFC
   4180, but lines end with LF). */
void grid_print(const struct grid *grid, enum grid_format format, FILE *out);

/* A heading, with an empty line behind it; not for CSV. */
void grid_print_heading(enum grid_format format, FILE *out, const char *text);

/* A line of several, of which Markdown makes a list; not for CSV.  A warning is
   one that HTML sets apart.  Text that is too long for a line is folded. */
void grid_print_item(enum grid_format format, FILE *out, const char *text);
void grid_print_warning(enum grid_format format, FILE *out, const char *text);

/* The same after a label: "note        text". */
void grid_print_labelled(enum grid_format format, FILE *out, const char *label,
                         const char *text);

/* A paragraph, as what the figures of a table mean; not for CSV. */
void grid_print_note(enum grid_format format, FILE *out, const char *text);

#endif
