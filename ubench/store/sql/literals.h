/* SPDX-License-Identifier: ISC */
/* Statements that are not prepared: with their values in their text. */
#ifndef UBENCH_STORE_SQL_LITERALS_H
#define UBENCH_STORE_SQL_LITERALS_H

#include "store/sql/session.h"

/* Writes a statement with the values of session->in into session->text, with a
   NUL, and returns its length; 0 with err if a value cannot be written. */
size_t sql_write_text(struct session *session, enum sql_statement_name name,
                      struct err *err);

/* Writes bytes as hexadecimal digits and returns their end. */
char *sql_write_hex(char *out, const void *bytes, size_t length);

#endif
