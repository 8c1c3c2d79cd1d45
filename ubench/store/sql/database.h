/* SPDX-License-Identifier: ISC */
/*
 * What the code that opens tables must know of an SQL database: how to run SQL there, and the
 * files of schema/ that are its own.
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
    const char *store;             /* "pgsql": errors begin with it */
    enum sql_dialect_name dialect; /* of the types of columns */
    bool transactional;            /* an error undoes what was created before it */
    bool locked;                   /* meanwhile nobody else can create anything */
    const char *prefix;            /* goes before names of tables: "public." */
    const char *quote;             /* goes around names of the catalogue, unless it quotes them */

    /* The SQL in schema/. */
    const char *catalogue; /* lists all objects; see store/sql/ownership.h */
    const char *tables; /* their columns and facts; see sql_open_table; NULL: a file's are known */
    const char *marker; /* creates the marker */
    const char *const (*schemas)[SCHEMA_KEA_STATS + 1]; /* by family */
    const char *hosts;

    /* What a user types, */
    const char *scratch; /* to mark a scratch copy, up to AS SELECT; NULL: there are none */
    const char *again;   /* and to create the database again, empty */

    const char *option; /* "--engine": decides the first fact of a table, */
    int (*alter)(struct connection *connection, const struct sql_table *table,
                 struct err *err); /* if this does after its creation; or NULL */
    struct connection *connection; /* the store's own */
    /* Runs SQL, which may be several statements, and gives the rows of the first that finds any to
       take, if that is not NULL.  0, or -1 with err. */
    int (*read)(struct connection *connection, const char *action, const char *sql,
                sql_take_row *take, void *context, struct err *err);
};

enum { SQL_SIZE = 16384 }; /* a catalogue has some 7000 */

/* Runs SQL with the texts of a format in it, and gives its rows to take, as sql_database.read. */
int sql_ask(const struct sql_database *db, const char *action, sql_take_row *take, void *context,
            struct err *err, const char *format, ...) __attribute__((format(printf, 6, 7)));
#define sql_run(db, action, err, ...) sql_ask(db, action, NULL, NULL, err, __VA_ARGS__)

#endif
