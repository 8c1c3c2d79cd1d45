/* SPDX-License-Identifier: ISC */
/*
 * Files of --sql: a user's SQL for statements of the stores that use SQL (store/sql/).
 *
 * A section begins with a line that is its name and a colon; its SQL is on the lines below, up to
 * the next section.  Lines that begin with -- are comments.  The name is that of a statement, setup
 * or teardown.  A setup section has one CREATE, a teardown section one DROP, of an object whose
 * name begins with ubench_.
 */
#ifndef UBENCH_STORE_STATEMENT_FILE_H
#define UBENCH_STORE_STATEMENT_FILE_H

#include <stdio.h>

#include "store/backend.h"

enum { SQL_FILE_MAX = 65536, SQL_SECTIONS_MAX = 64 };

#define SQL_SETUP    "setup"
#define SQL_TEARDOWN "teardown"

struct sql_section {
    const char *name; /* of a statement, "setup" or "teardown" */
    unsigned head;    /* line of its name */
    unsigned line;    /* line where its SQL begins */
    const char *sql;  /* without comment lines, indentation and the final semicolon */
};

/* Zeroed: no file. */
struct sql_file {
    const char *path; /* owned by the caller */
    char *text;       /* the sections point into it */
    size_t count;
    struct sql_section sections[SQL_SECTIONS_MAX];
};

/* Reads a file of at most SQL_FILE_MAX bytes for a store's tables.  Checks everything that can be
   checked without a database: names, and the number of parameters.  Returns 0, or -1 with err and a
   zeroed *file. */
int sql_file_read(struct sql_file *file, const char *path, const struct sql_dialect *dialect,
                  const struct store_config *config, struct err *err);
void sql_file_release(struct sql_file *file); /* zeroed is fine */

/* Returns true for setup and teardown. */
bool sql_section_is_change(const struct sql_section *section);

/* Returns true if the file creates objects. */
bool sql_file_has_setup(const struct sql_file *file);

/* Prints the statements for a store's tables in the format of such a file. */
void sql_file_print(const struct sql_dialect *dialect, const struct store_config *config,
                    FILE *out);

#endif
