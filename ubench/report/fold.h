/* SPDX-License-Identifier: ISC */
/*
 * Text that goes on below itself, between words, where it would not fit into a
 * line; and, in the 80 columns of a terminal, lines of a label and such a text.
 */
#ifndef UBENCH_REPORT_FOLD_H
#define UBENCH_REPORT_FOLD_H

#include <stddef.h>
#include <stdio.h>

/* Columns before the text of a label. */
enum { FOLD_INDENT = 16 };

struct fold {
    FILE *out;
    int width;  /* of a line, columns */
    int indent; /* of all lines but the first */
    int column; /* of the next character */
};

/* How wide a part of a text is on a terminal. */
int fold_width(const char *text, size_t length);

/* Puts a text, with its blanks but for those where a line ends.  A word longer
   than the line stands in a line of its own. */
void fold_put(struct fold *fold, const char *text);

/* What a label says, as a colour: of a terminal alone, and not if NO_COLOR is
   set (no-color.org). */
enum fold_colour { FOLD_PLAIN, FOLD_GOOD, FOLD_FAIR, FOLD_BAD };

/* Prints the label and begins the text. */
struct fold fold_begin(const char *label, FILE *out);

/* Adds words to the text.  What comes of the format is cut off after 2046
   bytes. */
void fold_add(struct fold *fold, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a text that is not folded where it fits into one line. */
void fold_add_whole(struct fold *fold, const char *text);

void fold_end(struct fold *fold);

/* The same in a colour. */
struct fold fold_begin_in(enum fold_colour colour, const char *label,
                          FILE *out);

/* All of it: a label and its text. */
void fold_print(FILE *out, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
