/* SPDX-License-Identifier: ISC */
/*
 * An interface to an SQL database for the code that opens tables: how to run SQL, and the store's
 * files of schema/.
 */
#ifndef UBENCH_STORE_SQL_DATABASE_H
#define UBENCH_STORE_SQL_DATABASE_H

#include <stdbool.h>

#include "core/err.h"
#include "store/backend.h"
#include "store/sql/columns.h"

enum { SQL_NAME_SIZE = 256 };

struct connection;

struct sql_database {
    const char *store;             /* "pgsql": prefix of its errors */
    enum sql_dialect_name dialect; /* for the types of columns */
    bool transactional;            /* an error rolls back what was created before it */
    bool locked;                   /* no other client can create objects meanwhile */
    const char *prefix;            /* prefix of table names */
    const char *quote;             /* quotes names that the catalogue leaves unquoted */

    /* The SQL in schema/. */
    const char *catalogue; /* lists all objects; see store/sql/ownership.h */
    const char *tables;    /* reads their columns and facts: see sql_open_table; NULL in a file,
                              where they are known */
    const char *marker;    /* creates the marker */
    const char *const (*schemas)[SCHEMA_KEA_STATS + 1]; /* by family */
    const char *const *procedures; /* for --trips=procedure, by family; NULL: none */
    const char *listed_procedures; /* the same with a free list, IPv4 */
    const char *hosts;
    const char *free_lists[FREE_LIST_SKIP_LOCKED + 1]; /* each needs those before it */

    /* SQL for a user to type: */
    const char *scratch; /* to mark a scratch copy, up to AS SELECT; NULL: not supported */
    const char *again;   /* to create the database again, empty */

    const char *option; /* "--engine": the option that decides the first fact of a table */
    int (*alter)(struct connection *connection, const struct sql_table *table, enum free_list list,
                 struct err *err); /* decides it after creation; or NULL */
    struct connection *connection; /* of the store */
    /* Runs SQL, which may be several statements.  Passes the rows of the first that returns rows to
       take, if that is not NULL.  Returns 0, or -1 with err. */
    int (*read)(struct connection *connection, const char *action, const char *sql,
                sql_take_row *take, void *context, struct err *err);
};

enum { SQL_SIZE = 16384 }; /* bytes; a catalogue has some 7000 */

/* Runs formatted SQL and passes its rows to take, as sql_database.read does. */
int sql_ask(const struct sql_database *db, const char *action, sql_take_row *take, void *context,
            struct err *err, const char *format, ...) __attribute__((format(printf, 6, 7)));
#define sql_run(db, action, err, ...) sql_ask(db, action, NULL, NULL, err, __VA_ARGS__)

#endif
