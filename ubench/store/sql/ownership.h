/* SPDX-License-Identifier: ISC */
/*
 * What ubench may touch.  The permission to use a database is a table
 * ubench_marker in it, which ubench makes with its first lease table.  Its rows
 * say of each lease table with which of ubench's schemas it was made.  Where a
 * row says SQL_SCRATCH, the owner of the database made the lease tables, and
 * then they are emptied but never altered or dropped.
 *
 * The rule: of the names that the files of schema/ make, each object that is
 * there has to be as they make it.  Else it is another's, and nothing is
 * changed.
 *
 * A store says how its catalogue is read and how SQL is run; the rest is here.
 */
#ifndef UBENCH_STORE_SQL_OWNERSHIP_H
#define UBENCH_STORE_SQL_OWNERSHIP_H

#include <stdbool.h>

#include "core/err.h"
#include "store/backend.h"
#include "store/sql/columns.h"
#include "store/sql/schema_text.h"

/* What an owner's row says. */
#define SQL_SCRATCH "scratch copy"

enum {
    SQL_NAME_SIZE = 196,
    SQL_ITEMS_MAX = 40, /* ubench makes 22 for kea+stats */
    SQL_RUN_SIZE = 512, /* of the SQL that is given to run */
};

/* A row of the catalogue, as text; none is NULL. */
enum sql_listing {
    SQL_LISTED_WHAT,  /* enum sql_what, a letter */
    SQL_LISTED_TABLE, /* of a relation itself, if it is where ubench's tables
                         would go, else ""; of others, what they belong to */
    SQL_LISTED_NAME,  /* of a relation as it is shown: "public.orders" */
    SQL_LISTED_KIND,  /* "a table", "the trigger"; of a column its type; of a
                         key its name */
    SQL_LISTED_TEXT,  /* of a trigger or routine, a part of the text in schema/
                         that no other has; of a relation, for the store alone;
                         of a column "must be given" or "" */
    SQL_LISTED,
};

struct connection;

/* How a store runs SQL for this: each returns 0, or -1 with err.  Its rows have
   NULL for NULL. */
struct sql_database {
    const char *store;             /* "pgsql": errors begin with it */
    enum sql_dialect_name dialect; /* of the types of columns */
    const char *prefix;            /* goes before names of tables: "public." */
    const char *create_marker;     /* how an owner makes one, up to AS SELECT;
                                      NULL: his tables are not used */
    const char *catalogue;         /* gives rows of enum sql_listing; relations
                                      before what belongs to them */
    const char *const (*schemas)[SCHEMA_KEA_STATS + 1]; /* by family */
    const char *hosts;
    struct connection *connection; /* the store's own */
    int (*run)(struct connection *connection, const char *action,
               const char *sql, struct err *err);
    int (*read)(struct connection *connection, const char *action,
                const char *sql,
                void (*take)(void *context, const char *const *row),
                void *context, struct err *err);
};

/* An object that has a name of ubench's. */
struct sql_item {
    enum sql_what what;
    bool as_made;
    char name[SQL_OBJECT_SIZE];
    char table[SQL_OBJECT_SIZE]; /* that it belongs to */
    char kind[24];
    char columns[SQL_NAMES_SIZE]; /* of a table: " a b c " */
};

/* What is where the leases are to go. */
struct sql_contents {
    const struct sql_database *db;
    const struct store_config *config;
    struct sql_table table; /* the columns of the lease table */
    size_t count;
    struct sql_item items[SQL_ITEMS_MAX];
    bool lease;           /* something has the lease table's name */
    char lease_text[400]; /* of the lease table, for the store */
    unsigned triggers;    /* of it */
    bool stray; /* one of them is not of the schema that is asked for */
    char key[SQL_OBJECT_SIZE]; /* the name of its primary key, */
    unsigned key_columns;
    bool key_is_address;
    char wrong_type[128];
    char unknown[SQL_OBJECT_SIZE]; /* a column that the schema has not */
    bool unknown_needed;           /* and that each row must have */
    char tie[SQL_NAME_SIZE];       /* "the trigger audit" of another's on it */
    char reference[SQL_NAME_SIZE]; /* "the foreign key x of y" of another's */

    unsigned marker_has; /* its columns */
    unsigned rows;       /* of it */
    char odd_row[24];    /* one that ubench did not write */
    bool scratch;        /* the owner made the lease tables */
    bool has_made;       /* it has a schema for the lease table: */
    enum schema made;

    unsigned others;             /* relations but the lease table and it */
    unsigned foreign;            /* and but those of ubench */
    char example[SQL_NAME_SIZE]; /* one of the others */
    char alike[SQL_NAME_SIZE];   /* a name of ubench's but for upper case */
};

enum sql_verdict {
    SQL_REFUSE, /* another's, or nothing that could be kept; err says so */
    SQL_MAKE,   /* nothing, or ubench's in another form, which goes */
    SQL_USE,    /* ubench's as it is asked for, or leases to be kept */
    SQL_BORROW, /* its owner's, to be emptied and not to be altered */
};

/* Reads what is there.  config and db must outlive it.  0, or -1 with err. */
int sql_look(struct sql_contents *contents, const struct sql_database *db,
             const struct store_config *config, struct err *err);

/* fits: a lease table of ubench's is what the options ask for besides its
   schema.  It changes no refusal. */
enum sql_verdict sql_judge(const struct sql_contents *contents, bool fits,
                           struct err *err);

/* True if the marker has a schema for the lease table. */
bool sql_made_by_us(const struct sql_contents *contents);

/* Makes the lease table of the schema that is asked for in the place of what
   ubench made before, and looks again.  The marker's row is there all the time.
   0, or -1 with err: where there is no transaction, sql_undo has to follow. */
int sql_make(struct sql_contents *contents, struct err *err);

/* Drops what was made since the look before. */
void sql_undo(const struct sql_contents *before);

/* Fills in the lease table that is there; -1 with err if a column or its key is
   not as the statements need it. */
int sql_take_table(const struct sql_contents *contents, struct sql_table *table,
                   struct err *err);

#endif
