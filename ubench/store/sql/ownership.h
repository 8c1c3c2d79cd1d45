/* SPDX-License-Identifier: ISC */
/*
 * What ubench may touch.  The permission to use a database is a table
 * ubench_marker in it, which ubench makes with its first lease table.  It says
 * of each lease table with which of ubench's schemas it was made; if it does
 * not, the owner of the database made both, and then the lease table is emptied
 * but never altered or dropped.
 *
 * A store only looks what is there.
 */
#ifndef UBENCH_STORE_SQL_OWNERSHIP_H
#define UBENCH_STORE_SQL_OWNERSHIP_H

#include <stdbool.h>

#include "core/err.h"
#include "store/backend.h"

/* With which an owner marks a database. */
#define SQL_MARKER "CREATE TABLE ubench_marker (lease4 VARCHAR(16))"

enum { SQL_NAME_SIZE = 196 };

/* What is in a database, or in the schema of one, where the leases are to go.
   Zeroed: nothing. */
struct sql_contents {
    bool marker;
    bool others;      /* anything but the marker */
    bool lease;       /* something has the lease table's name */
    bool not_a_table; /* but is a view, say */
    char kind[24];    /* then: "a view" */
    char made[16];    /* the schema that the marker has for it, or "" */
    char count[24];   /* how many there are */
    char example[SQL_NAME_SIZE]; /* one of them */
    char leases[24]; /* how many, if marker is false and lease is true */
};

/* What is to be done about it. */
enum sql_verdict {
    SQL_REFUSE_LEASES, /* a lease table that ubench has no permission for */
    SQL_REFUSE_OTHERS, /* other tables, likewise */
    SQL_REFUSE_KIND,   /* it is no table */
    SQL_REFUSE_SCHEMA, /* an owner's table is Kea's */
    SQL_REFUSE_OPTION, /* an owner's table is not as an option wants it */
    SQL_ABSENT,        /* there is nothing to keep */
    SQL_MAKE,
    SQL_MAKE_ANEW, /* ubench made it, but in another way */
    SQL_USE,
};

/* fits: the lease table, if there is one, is what the options ask for besides
   its schema. */
enum sql_verdict sql_judge(const struct sql_contents *contents,
                           const struct store_config *config, bool fits);

/* True if the marker has a schema for the lease table. */
bool sql_made_by_us(const struct sql_contents *contents);

/* The sentence for the first four verdicts and SQL_ABSENT; prefix goes before
   the names of tables ("public.").  Always returns -1. */
int sql_refuse(enum sql_verdict verdict, const struct sql_contents *contents,
               const struct store_config *config, const char *store,
               const char *prefix, struct err *err);

#endif
