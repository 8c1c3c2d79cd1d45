/* SPDX-License-Identifier: ISC */
/*
 * Text from outside: a server, a file, a label.  It is data: control sequences in it
 * must not reach a terminal, a table or a page.
 */
#ifndef UBENCH_CORE_TEXT_H
#define UBENCH_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* The length in bytes of the character that a text begins with, which is not at
   its end.  *clean is false of a byte that is not UTF-8, of control characters
   (C0, DEL and C1), of the marks, embeddings, overrides and isolates of
   bidirectional text, and of what Unicode says is no character (The Unicode
   Standard, 23.7). */
size_t text_character(const char *text, bool *clean);

/* Replaces each unclean character by a question mark.  The text does not grow. */
void text_clean(char *text);

/* Copies a text of any number of lines as one, with single blanks between words
   and none at its ends, as far as it fits, and a stop before a line
   that begins with a tab (a hint of libpq's). */
void text_one_line(char *to, size_t size, const char *from);

/* Adds words to a text in size bytes, as far as they fit. */
void text_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
