/* SPDX-License-Identifier: ISC */
/*
 * Text that comes from anywhere: a server, a file, a label.  It is data: what a
 * terminal, a table or a page would obey in it must not reach them.
 */
#ifndef UBENCH_CORE_TEXT_H
#define UBENCH_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the character that text begins with.  Returns its length in bytes, or
   0 if it is not valid UTF-8 or text is at its end. */
size_t text_read_utf8(const char *text, uint32_t *code);

/* True of control characters: C0, DEL and C1. */
bool text_is_control(uint32_t code);

/* True of the marks, embeddings, overrides and isolates of bidirectional text
   and of what Unicode says is no character (The Unicode Standard, 23.7). */
bool text_is_unwanted(uint32_t code);

/* Puts a question mark in the place of each control character, unwanted
   character and byte that is not UTF-8.  The text does not grow. */
void text_clean(char *text);

/* Copies a text of any number of lines as one, with single blanks between words
   and none at its ends, as far as it fits, and a stop before a line
   that begins with a tab (a hint of libpq's). */
void text_one_line(char *to, size_t size, const char *from);

#endif
