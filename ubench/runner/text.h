/* SPDX-License-Identifier: ISC */
/*
 * Text for people, in the 80 columns of a terminal: lines of a label and a
 * text, which goes on below itself where it does not fit, and tables.
 */
#ifndef UBENCH_RUNNER_TEXT_H
#define UBENCH_RUNNER_TEXT_H

#include <stdio.h>

/* Columns before the text of a label. */
enum { TEXT_INDENT = 16 };

/* A label's colour: on a terminal alone, and not if NO_COLOR is set
   (no-color.org). */
enum text_colour { TEXT_PLAIN, TEXT_GOOD, TEXT_FAIR, TEXT_BAD };

struct text {
    FILE *out;
    int column; /* of the next character */
};

/* Prints the label and begins its text. */
struct text text_begin(FILE *out, const char *label, enum text_colour colour);

/* Adds words to it.  What comes of the format is cut off after 2046 bytes. */
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_end(struct text *text);

/* All of it: a label and its text. */
void text_print(FILE *out, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A table, row by row: the heads and cells of a column stand to its right or,
   if its width is negative, to its left.  A cell that is too long moves the
   rest of its row. */
enum { TABLE_COLUMNS_MAX = 12 };

struct table {
    FILE *out;
    int widths[TABLE_COLUMNS_MAX]; /* the first 0 closes */
    int next;                      /* private */
};

void table_cell(struct table *table, const char *text);
/* A time, or n/a if it is NAN. */
void table_time(struct table *table, double ns);
/* Ends a row, with words behind its cells; NULL: none. */
void table_end(struct table *table, const char *note);

#endif
