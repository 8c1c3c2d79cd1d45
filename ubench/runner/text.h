/* SPDX-License-Identifier: ISC */
/*
 * Prints text for people, in the 80 columns of a terminal: lines with a label
 * and a text, which is wrapped and indented, and tables.
 */
#ifndef UBENCH_RUNNER_TEXT_H
#define UBENCH_RUNNER_TEXT_H

#include <stdio.h>

/* Column at which the text of a label begins. */
enum { TEXT_INDENT = 16 };

/* The colour of a label: only on a terminal, and not if NO_COLOR is set
   (no-color.org). */
enum text_colour { TEXT_PLAIN, TEXT_GOOD, TEXT_FAIR, TEXT_BAD };

struct text {
    FILE *out;
    int column; /* of the next character */
};

/* Prints the label and begins its text. */
struct text text_begin(FILE *out, const char *label, enum text_colour colour);

/* Appends words to the text.  Truncates the formatted words after 2046
   bytes. */
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_end(struct text *text); /* ends its last line */

/* Prints a line with a label and a text. */
void text_print(FILE *out, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A table, printed row by row.  The heads and cells of a column are
   right-aligned or, if its width is negative, left-aligned.  A cell that is too
   long shifts the rest of its row. */
enum { TABLE_COLUMNS_MAX = 12 };

struct table {
    FILE *out;
    int widths[TABLE_COLUMNS_MAX]; /* the first 0 ends them */
    int next;                      /* private */
};

void table_cell(struct table *table, const char *text);
/* Prints a time, or n/a if it is NAN. */
void table_time(struct table *table, double ns);
/* Ends a row, with a note after its cells; NULL: none. */
void table_end(struct table *table, const char *note);

#endif
