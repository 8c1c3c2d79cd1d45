/* SPDX-License-Identifier: ISC */
/*
 * The rule for what ubench may touch: an empty database, or one in which each object is as ubench
 * left it.  The table ubench_marker has the list of all objects, which ubench writes there when it
 * has created its tables.  Before it changes anything it lists them again: an object that is not
 * in the marker, or differs from it, is another's, and ubench refuses the database.
 *
 * An object is a row of the catalogue (schema/NAME-catalogue.sql), five texts:
 *
 *   kind        "table", "column", "trigger" ..., as in DROP if it can be dropped by itself;
 *               "server" has the version of the server, which is kept and not compared
 *   name        "public.orders"; of a part of a table "public.lease4.hostname"
 *   definition  how it was created, as far as that matters here
 *   mark        "ubench" if it has the comment "NAME of ubench", which a copy of another name
 *               has not, or is part of such a table; "named" if it has only a name of ubench's,
 *               other than the marker's; else ""
 *   refers      the table in this database that it refers to, as a foreign key does, and with
 *               which it may lose rows; else ""
 *
 * Where no transaction spans the creation of tables, a run may be killed before it has written
 * the list: while there is none, the mark alone says what ubench created.
 *
 * In a scratch copy of a database of Kea, its owner has created the marker, with a column lease4
 * (or lease6) that says so.  His tables are emptied but never altered or dropped, and ubench
 * creates nothing but ubench_hosts.
 */
#ifndef UBENCH_STORE_SQL_OWNERSHIP_H
#define UBENCH_STORE_SQL_OWNERSHIP_H

#include "store/sql/database.h"

#define SQL_SCRATCH "scratch copy"

enum sql_owner {
    SQL_REFUSED, /* another's, or not to be read: err says so */
    SQL_NOBODY,  /* there is nothing */
    SQL_UBENCH,
    SQL_ITS_OWNER, /* of a scratch copy */
};

struct sql_contents {
    char lease_table[SQL_NAME_SIZE]; /* its name, with the prefix, */
    char marker[SQL_NAME_SIZE];      /* that of the marker, */
    char hosts[SQL_NAME_SIZE];       /* and that of ubench_hosts */
    bool has_leases;                 /* the lease table is there, and is a table */
    bool has_marker;
    bool has_list;   /* the marker has a column for definitions, */
    bool has_lease4; /* or an owner's columns */
    bool has_lease6;
    bool has_hosts;
    char other[SQL_NAME_SIZE];  /* an object beside it, best the lease table, or "" */
    char server[SQL_NAME_SIZE]; /* its version, or "" */
};

/* Says whose database it is.  Changes nothing. */
enum sql_owner sql_look(struct sql_contents *contents, const struct sql_database *db,
                        const struct store_config *config, struct err *err);

/* Adds what ubench has created to a marker that has no list: all that has the mark, since another
   may create something at the same time, unless the database is locked.  0, or -1 with err. */
int sql_list_objects(const struct sql_contents *contents, const struct sql_database *db,
                     struct err *err);

#endif
