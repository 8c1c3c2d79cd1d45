/* SPDX-License-Identifier: ISC */
/*
 * Reads what a file of schema/ makes from its text, so that this stands nowhere
 * else.  Each object begins at the start of a line with CREATE, or with INDEX
 * behind four blanks within a table; a column is a line of four blanks and its
 * name, in lower case.
 */
#ifndef UBENCH_STORE_SQL_SCHEMA_TEXT_H
#define UBENCH_STORE_SQL_SCHEMA_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* The kinds of what is made, and of what a catalogue lists besides. */
enum sql_what {
    SQL_RELATION = 'r',
    SQL_INDEX = 'i', /* but that of the primary key */
    SQL_TRIGGER = 't',
    SQL_ROUTINE = 'p',
    SQL_COLUMN = 'c',    /* of a table of ubench's names */
    SQL_REFERENCE = 'f', /* to the lease table: changes with it */
};

enum { SQL_OBJECT_SIZE = 65, SQL_NAMES_SIZE = 512 };

struct sql_made {
    enum sql_what what;
    char name[SQL_OBJECT_SIZE];
    const char *text; /* what follows the name */
};

/* The next object at *at, which moves behind its name; false: none is left. */
bool schema_text_next(const char **at, struct sql_made *made);

/* Finds one by its kind and name, and its text; NULL if there is none. */
const char *schema_text_find(const char *schema, enum sql_what what,
                             const char *name);

/* True if its definition is this part of its text. */
bool schema_text_defines(const char *text, const char *definition);

/* Adds a name to " a b ", which becomes " a b c "; "" is " " without names. */
void sql_names_add(char names[static SQL_NAMES_SIZE], const char *name);

/* Writes one of the names that is not among the others, or "". */
void sql_names_missing(const char *names, const char *others,
                       char missing[static SQL_OBJECT_SIZE]);

/* Writes a column that is only in one of a table's text and " a b c ", or "" if
   both have the same. */
void schema_text_odd_column(const char *text, const char *columns,
                            char odd[static SQL_OBJECT_SIZE]);

#endif
