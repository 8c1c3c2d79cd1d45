/* SPDX-License-Identifier: ISC */
/*
 * Candidates: the statements of a file of --sql in the place of the store's own.  The database
 * prepares both, and they must have the same parameters and columns.
 */
#ifndef UBENCH_STORE_SQL_CANDIDATES_H
#define UBENCH_STORE_SQL_CANDIDATES_H

#include "store/sql/session.h"
#include "store/statement_file.h"

enum { SQL_TYPE_SIZE = 32 };

/* The parameters and columns of a statement that the database has prepared. */
struct sql_shape {
    size_t param_count;
    size_t column_count;                        /* may exceed the list */
    char params[SQL_PARAMS_MAX][SQL_TYPE_SIZE]; /* the type; "": not known */
    char columns[SQL_COLUMNS][SQL_TYPE_SIZE];
};

/* Creates the objects of config->statements, if there is such a file, checks its statements and
   puts them in their places.  The tables are there.  Returns 0, or -1 with err, and then the
   objects are dropped. */
int sql_candidates_open(struct sql_statements *statements, struct connection *connection,
                        const struct store_config *config, struct err *err);

/* Drops the objects, and checks that what is there is what was there before.  All sections are
   tried.  Returns 0; or -1 with err, the first error, and then it can be called again, and the
   caller frees statements->before. */
int sql_candidates_close(struct sql_statements *statements, struct connection *connection,
                         const struct store_config *config, struct err *err);

#endif
