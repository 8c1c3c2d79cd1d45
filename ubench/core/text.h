/* SPDX-License-Identifier: ISC */
/*
 * Handles text from outside: from a server, a file or a label.  Its control
 * sequences must not reach a terminal, a table or a page.
 */
#ifndef UBENCH_CORE_TEXT_H
#define UBENCH_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the length in bytes of the first character of a text that is not
   empty.  Sets *clean to false for a byte that is not UTF-8, for control
   characters (C0, DEL and C1), for the marks, embeddings, overrides and
   isolates of bidirectional text, and for noncharacters (The Unicode Standard,
   23.7). */
size_t text_character(const char *text, bool *clean);

/* Replaces each unclean character by a question mark.  The text never grows. */
void text_clean(char *text);

/* Copies a text of any number of lines as one line, truncated to size: with
   single blanks between words, none at the ends, and a full stop before a line
   that begins with a tab (a hint of libpq). */
void text_one_line(char *to, size_t size, const char *from);

/* Appends to a text in size bytes, and truncates what does not fit. */
void text_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
