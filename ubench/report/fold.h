/* SPDX-License-Identifier: ISC */
/*
 * Lines of a label and a text, which goes on below itself, between words,
 * where it would not fit into the 80 columns of a terminal.
 */
#ifndef UBENCH_REPORT_FOLD_H
#define UBENCH_REPORT_FOLD_H

#include <stdio.h>

/* Columns: of a line, and before its text. */
enum { FOLD_WIDTH = 79, FOLD_INDENT = 16 };

struct fold {
    FILE *out;
    int column; /* of the next character */
};

/* What a label says, as a colour: of a terminal alone, and not if NO_COLOR is
   set (no-color.org). */
enum fold_colour { FOLD_PLAIN, FOLD_GOOD, FOLD_FAIR, FOLD_BAD };

/* Prints the label and begins the text. */
struct fold fold_begin(const char *label, FILE *out);

/* Adds words to the text.  A word longer than the line stands in a line of its
   own.  What comes of the format is cut off after 2047 bytes. */
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
