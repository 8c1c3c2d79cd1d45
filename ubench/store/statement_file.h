/* SPDX-License-Identifier: ISC */
/*
 * Files of --sql: a user's SQL for statements of the stores that use SQL (store/sql/).
 *
 * A section begins with a line of its name and a colon; its SQL is on the lines below, up to the
 * next section.  Lines that begin with -- are comments.  The name is that of a statement, or setup
 * or teardown: one CREATE or DROP each, of an object whose name begins with ubench_.
 */
#ifndef UBENCH_STORE_STATEMENT_FILE_H
#define UBENCH_STORE_STATEMENT_FILE_H

#include <stdio.h>

#include "store/backend.h"

enum { SQL_FILE_MAX = 65536, SQL_SECTIONS_MAX = 64 };

#define SQL_SETUP    "setup"
#define SQL_TEARDOWN "teardown"

struct sql_section {
    const char *name; /* of a statement, or one of the two above */
    unsigned line;    /* where its SQL begins */
    const char *sql;  /* without comment lines, indentation and the semicolon at its end */
};

/* Zeroed: there is no file. */
struct sql_file {
    const char *path; /* the caller's */
    char *text;       /* that the sections point into */
    size_t count;
    struct sql_section sections[SQL_SECTIONS_MAX];
};

/* Reads a file of at most SQL_FILE_MAX bytes for a store's tables, and checks all that is known
   without a database: names, and the number of parameters.  Returns 0, or -1 with err, and then
   there is no file. */
int sql_file_read(struct sql_file *file, const char *path, const struct sql_dialect *dialect,
                  const struct store_config *config, struct err *err);
void sql_file_release(struct sql_file *file); /* zeroed is fine */

/* True of setup and teardown. */
bool sql_section_is_change(const struct sql_section *section);

/* True if the file creates objects. */
bool sql_file_has_setup(const struct sql_file *file);

/* Prints the statements of a store's tables as such a file. */
void sql_file_print(const struct sql_dialect *dialect, const struct store_config *config,
                    FILE *out);

#endif
