/* SPDX-License-Identifier: ISC */
/*
 * Candidates: statements of a --sql file that replace the store's own.  The database prepares both,
 * and they must have the same parameters and columns.
 */
#ifndef UBENCH_STORE_SQL_CANDIDATES_H
#define UBENCH_STORE_SQL_CANDIDATES_H

#include "store/sql/session.h"
#include "store/statement_file.h"

enum { SQL_TYPE_SIZE = 32 };

/* The parameters and columns of a statement that the database has prepared. */
struct sql_shape {
    size_t param_count;
    size_t column_count;                        /* may exceed the array */
    char params[SQL_PARAMS_MAX][SQL_TYPE_SIZE]; /* types; "": unknown */
    char columns[SQL_COLUMNS][SQL_TYPE_SIZE];
};

/* Creates the objects of config->statements, if given, checks its statements and replaces the
   store's by them.  The tables exist.  Returns 0, or -1 with err; call sql_candidates_close after
   both, over a new connection if this one is lost or was cancelled. */
int sql_candidates_open(struct sql_statements *statements, struct connection *connection,
                        const struct store_config *config, struct err *err);

/* Drops the objects and checks that the database has the objects it had before.  Runs all sections
   even after an error.  Returns 0, or -1 with the first error; then it can be called again, and the
   caller frees statements->before. */
int sql_candidates_close(struct sql_statements *statements, struct connection *connection,
                         const struct store_config *config, struct err *err);

#endif
