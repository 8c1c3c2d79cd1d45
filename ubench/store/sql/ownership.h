/* SPDX-License-Identifier: ISC */
/*
 * What ubench may touch.  The permission to use a database is a table
 * ubench_marker in it, which ubench makes with its first lease table.  Its rows
 * say of each lease table with which of ubench's schemas it was made.  Where a
 * row says SQL_SCRATCH, the owner of the database made the lease tables, and
 * then they are emptied but never altered or dropped.
 *
 * A store only lists what its catalogue has, row by row; all stores decide by
 * the same table of cases.
 */
#ifndef UBENCH_STORE_SQL_OWNERSHIP_H
#define UBENCH_STORE_SQL_OWNERSHIP_H

#include <stdbool.h>

#include "core/err.h"
#include "store/backend.h"
#include "store/sql/columns.h"

/* What an owner's row says. */
#define SQL_SCRATCH "scratch copy"

/* The rows of the marker that ubench wrote: WHERE lease4 IN ... */
#define SQL_OUR_ROWS "('lean', 'kea', 'kea+stats')"

enum { SQL_NAME_SIZE = 196, SQL_MARKER_QUERY_SIZE = 256 };

/* What a row of the catalogue is about. */
enum sql_listed {
    SQL_IS_RELATION = 'r',
    SQL_IS_COLUMN = 'c',    /* of the marker or a lease table */
    SQL_IS_TRIGGER = 't',   /* or what else runs when a lease changes */
    SQL_IS_REFERENCE = 'f', /* what changes when a lease is deleted */
};

/* A row of the catalogue. */
struct sql_listing {
    enum sql_listed what;
    const char *table; /* where ubench's tables would go; "" elsewhere */
    const char *name;  /* to be shown: "public.orders", or of the column */
    const char *kind;  /* "a table", "a view", "the trigger" */
};

/* What is in a database, or in the schema of one, where the leases are to go.
   Zeroed, but for the family: nothing. */
struct sql_contents {
    enum lease_family family;
    bool lease;    /* something has the lease table's name */
    char kind[24]; /* and is "a table", or what else */
    bool has[SQL_COLUMNS];
    char stranger[64];             /* a column that no schema has */
    char trigger[SQL_NAME_SIZE];   /* on it, not of ubench; an owner's may have
                                      one, and Kea's references */
    char reference[SQL_NAME_SIZE]; /* another one to it */
    char leases[24];               /* how many, if the store counted them */

    char marker[24];     /* what is called ubench_marker: "a table", or "" */
    unsigned marker_has; /* its columns */
    unsigned rows;       /* of it, as far as sql_contents_row saw them */
    char odd_row[24];    /* one that ubench did not write */
    bool scratch;        /* the owner made the lease tables */
    char made[16];       /* the schema that it has for the lease table */

    unsigned others;             /* relations but those two */
    unsigned foreign;            /* and but what else ubench makes */
    char example[SQL_NAME_SIZE]; /* one of the others */
    char alike[SQL_NAME_SIZE];   /* ours but for upper case */
};

/* How a sentence names the place. */
struct sql_place {
    const char *store;
    const char *prefix;        /* goes before the names of tables: "public." */
    const char *create_marker; /* how an owner makes one, up to AS SELECT; NULL:
                                  tables that an owner made are not used */
};

/* What is to be done about it.  First the refusals that no option changes, up
   to SQL_REFUSE_SHAPE: sql_is_refusal goes by this order. */
enum sql_verdict {
    SQL_REFUSE_ALIKE,  /* a name like ours in upper case */
    SQL_REFUSE_LEASES, /* a lease table that ubench has no permission for */
    SQL_REFUSE_OTHERS, /* other tables, likewise */
    SQL_REFUSE_KIND,   /* it is no table */
    SQL_REFUSE_TIED,   /* more would happen than changes to leases */
    SQL_REFUSE_SHAPE,  /* ubench's, but altered: it is not to be dropped */
    SQL_REFUSE_SCHEMA, /* an owner's table is Kea's */
    SQL_REFUSE_OPTION, /* an owner's table is not as an option wants it */
    SQL_ABSENT,        /* there is nothing to keep */
    SQL_MAKE,
    SQL_MAKE_ANEW, /* ubench made it, but in another way */
    SQL_USE,
};

/* Notes a row of the catalogue. */
void sql_contents_list(struct sql_contents *contents,
                       const struct sql_listing *listing);

/* When all are noted: writes the query for the marker's rows, each to be given
   to sql_contents_row.  False if what is called so cannot be a marker. */
bool sql_contents_marker_query(const struct sql_contents *contents,
                               const char *prefix,
                               char sql[static SQL_MARKER_QUERY_SIZE]);
void sql_contents_row(struct sql_contents *contents, const char *own,
                      const char *other);

/* fits: the lease table, if there is one, is what the options ask for besides
   its schema. */
enum sql_verdict sql_judge(const struct sql_contents *contents,
                           const struct store_config *config, bool fits);

/* True of the verdicts that leave everything as it is, but for what depends on
   the options. */
bool sql_is_refusal(enum sql_verdict verdict);

/* True if the marker has a schema for the lease table. */
bool sql_made_by_us(const struct sql_contents *contents);

/* The sentence for a refusal or for SQL_ABSENT.  Always returns -1. */
int sql_refuse(enum sql_verdict verdict, const struct sql_contents *contents,
               const struct store_config *config, const struct sql_place *place,
               struct err *err);

#endif
