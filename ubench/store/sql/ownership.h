/* SPDX-License-Identifier: ISC */
/*
 * Decides whether ubench may change a database.  It may if the database is empty, or if every
 * object in it is as ubench left it.  After ubench has created its tables, it writes a list of all
 * objects to the table ubench_marker.  Before it changes anything, it lists the objects again: an
 * object that is not in the marker, or differs from it, was not created by ubench, and ubench
 * refuses the database.
 *
 * An object is a row of the catalogue (schema/NAME-catalogue.sql), five strings:
 *
 *   kind        "table", "column", "trigger" ..., as in DROP if it can be dropped by itself;
 *               "server" has the version of the server, which is kept and not compared
 *   name        "public.orders"; of a part of a table "public.lease4.hostname"
 *   definition  how it was created, as far as that matters here
 *   mark        "ubench" if it has the comment "NAME of ubench", which a copy under another name
 *               does not have, or if it is part of a table with it; "named" if it has only a name
 *               that ubench uses, other than that of the marker; else ""
 *   refers      the table in this database that it refers to, for example by a foreign key, and
 *               with which it may lose rows; else ""
 *
 * If creating tables is not transactional, a run may be killed before it has written the list;
 * while there is no list, the mark alone identifies ubench's objects.
 *
 * In a scratch copy of a Kea database, the owner has created the marker, with a column lease4 (or
 * lease6) that permits the use of that table.  ubench empties the owner's tables but never alters
 * or drops them, and creates only ubench_hosts.
 */
#ifndef UBENCH_STORE_SQL_OWNERSHIP_H
#define UBENCH_STORE_SQL_OWNERSHIP_H

#include "store/sql/database.h"

#define SQL_SCRATCH "scratch copy"

enum sql_owner {
    SQL_REFUSED, /* not ubench's, or unreadable; see err */
    SQL_NOBODY,  /* the database is empty */
    SQL_UBENCH,
    SQL_ITS_OWNER, /* a scratch copy, marked by its owner */
};

struct sql_contents {
    char lease_table[SQL_NAME_SIZE]; /* name of the lease table, with the prefix */
    char marker[SQL_NAME_SIZE];      /* name of the marker */
    char hosts[SQL_NAME_SIZE];       /* name of ubench_hosts */
    bool has_leases;                 /* the lease table exists and is a table */
    bool has_marker;
    bool has_list;   /* the marker has a column for definitions */
    bool has_lease4; /* the marker has an owner's column */
    bool has_lease6;
    bool has_hosts;
    char other[SQL_NAME_SIZE];  /* one other object, preferably the lease table; or "" */
    char server[SQL_NAME_SIZE]; /* version of the server, or "" */
};

/* Determines who owns the database.  Changes nothing. */
enum sql_owner sql_look(struct sql_contents *contents, const struct sql_database *db,
                        const struct store_config *config, struct err *err);

/* Writes the objects that ubench created to a marker without a list.  Lists only those with the
   mark, since another client may create objects at the same time, unless the database is locked.
   Returns 0, or -1 with err. */
int sql_list_objects(const struct sql_contents *contents, const struct sql_database *db,
                     struct err *err);

#endif
