/* SPDX-License-Identifier: ISC */
/*
 * The rule for what ubench may touch.  The permission to use a database is a
 * table ubench_marker in it, which ubench makes with its first lease table.
 * Its rows say of each lease table with which of ubench's schemas it was made.
 * Where a row says SQL_SCRATCH, the owner of the database made the lease
 * tables, and then they are emptied but never altered or dropped.
 *
 * ubench works in an empty database, or in one with its marker where
 * each object that has a name of ubench's is as the files of schema/ make it.
 * All else is another's, and nothing is changed.  Beside an owner's tables, the
 * rule holds for the names that begin with "ubench_".
 */
#ifndef UBENCH_STORE_SQL_OWNERSHIP_H
#define UBENCH_STORE_SQL_OWNERSHIP_H

#include <stdbool.h>

#include "core/err.h"
#include "store/backend.h"
#include "store/sql/columns.h"

/* --- What a file of schema/ makes, by its text --- */

/* Each object begins at the start of a line with CREATE, or with INDEX behind
   four blanks within a table; a column is a line of four blanks and its name,
   in lower case. */

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

/* --- What is in a database --- */

/* An owner's row has it. */
#define SQL_SCRATCH "scratch copy"

enum {
    SQL_NAME_SIZE = 256,
    SQL_ITEMS_MAX = 64, /* ubench makes 49 for kea+stats of both families */
};

/* A row of the catalogue: so many texts, of which none is NULL. */
enum { SQL_LISTED = 5 };

struct sql_listed {
    enum sql_what what; /* a letter */
    const char *table;  /* of a relation itself, if it is where ubench's tables
                           would go, else ""; of others, what they belong to */
    const char *name;   /* of a relation as it is shown: "public.orders" */
    const char *kind;   /* "a table", "the trigger"; of a column its type */
    const char *text;   /* of a trigger or routine, a part of the text in schema/
                           that no other has; of a relation, the facts of struct
                           sql_table, a line each; of a column "key" if it is in
                           the primary key, "must be given" or "" */
};

struct connection;

/* How a store runs SQL for this: each returns 0, or -1 with err. */
struct sql_database {
    const char *store;             /* "pgsql": errors begin with it */
    enum sql_dialect_name dialect; /* of the types of columns */
    bool transactional;            /* a failure undoes what was made before it */
    const char *prefix;            /* goes before names of tables: "public." */
    const char *create_marker;     /* how an owner makes one, up to AS SELECT;
                                      NULL: his tables are not used */
    const char *catalogue;         /* gives rows of struct sql_listed; relations
                                      before their columns */
    const char *const (*schemas)[SCHEMA_KEA_STATS + 1]; /* by family */
    const char *hosts;
    const char *option; /* "--engine": decides the first fact of a table, */
    int (*alter)(struct connection *connection, const struct sql_table *table,
                 struct err *err); /* if this does after its making; or NULL */
    struct connection *connection; /* the store's own */
    /* Runs SQL and gives its rows to take, if that is not NULL. */
    int (*read)(struct connection *connection, const char *action, const char *sql,
                sql_take_row *take, void *context, struct err *err);
};

/* An object that has a name of ubench's. */
struct sql_item {
    enum sql_what what;
    char name[SQL_OBJECT_SIZE];
    char kind[24];
    char columns[SQL_NAMES_SIZE]; /* of a table: " a b c " */
};

/* All that was found where the leases are to go. */
struct sql_contents {
    const struct sql_database *db;
    const struct store_config *config;
    const char *asked; /* the file of the schema that is asked for */
    size_t count;
    struct sql_item items[SQL_ITEMS_MAX]; /* in the order of their names */
    char other[SQL_NAME_SIZE];            /* a relation, best the lease table; "": none, */
    bool foreign;                         /* and one has no name of ubench's */
    /* Something that is not as ubench makes it, in words, or "" */
    char odd[SQL_NAME_SIZE];
    bool odd_beside; /* that matters beside an owner's tables, too */

    bool lease;                /* the lease table is there: */
    struct sql_table table;    /* its columns and facts, */
    char key[SQL_NAMES_SIZE];  /* those of its primary key, */
    char wrong[SQL_NAME_SIZE]; /* and one that no statement can use, in words */
    bool stray;                /* the schema that is asked for has no such trigger or index */

    bool marked;                           /* there is a marker that is ubench's, with a row */
    char odd_row[24];                      /* one that ubench did not write */
    bool scratch;                          /* the owner made the lease tables */
    const char *made[LEASE_FAMILY_V6 + 1]; /* or the schema ubench made; NULL */
};

enum sql_verdict {
    SQL_REFUSE, /* another's, nothing that could be kept, or not to be read: err says so */
    SQL_MAKE,   /* nothing, or ubench's in another form, which goes */
    SQL_USE,    /* ubench's as it is asked for, or leases to be kept */
    SQL_BORROW, /* its owner's, to be emptied and not to be altered */
};

/* Reads what is there and judges it.  config and db must outlive the contents.  fact: what the
   first fact of the lease table has to be, or NULL; one of ubench's with another is made anew.  It
   changes no refusal. */
enum sql_verdict sql_look(struct sql_contents *contents, const struct sql_database *db,
                          const struct store_config *config, const char *fact, struct err *err);

/* Makes the lease table that is asked for, with that first fact, unless it is
   there or is to be kept or borrowed, and fills in *table.  0, or -1 with err,
   and then nothing is left that was not there before. */
int sql_open_table(struct sql_table *table, const struct sql_database *db,
                   const struct store_config *config, const char *fact, struct err *err);

#endif
