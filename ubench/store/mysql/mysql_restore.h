/* SPDX-License-Identifier: ISC */
/*
 * The way back from SET GLOBAL.  The SQL that restores the variables stands in the column `restore`
 * of a row of ubench_marker before they are set, so that the next run restores them if this one is
 * killed.
 */
#ifndef UBENCH_STORE_MYSQL_MYSQL_RESTORE_H
#define UBENCH_STORE_MYSQL_MYSQL_RESTORE_H

#include "store/mysql/mysql_connection.h"
#include "store/server/server.h"

enum { RESTORE_SIZE = 900 };

/* Zeroed: nothing was changed. */
struct restore {
    bool noted; /* there is a row of the marker */
    char sql[RESTORE_SIZE];
    struct lock_holder holder;
};

/* Keeps off other runs that would change settings of the server, in whatever database.  0, or -1
   with err: ERR_BUSY, if there is one. */
int restore_lock(struct restore *restore, struct connection *connection, struct err *err);

/* Notes what a variable is, and sets it for all.  0; with err 1 if the server refused to set it,
   or -1. */
int restore_set(struct restore *restore, const char *action, const char *name, const char *literal,
                struct connection *connection, struct err *err);

/* Sets everything back, over a new connection if the old one is lost.  0, or -1 with err, which
   has the SQL that does it. */
int restore_all(struct restore *restore, struct server *server, struct err *err);

/* Restores what a run that was killed has left, in a database that ubench may use, and gives a
   notice of it.  0, or -1 with err. */
int restore_left(struct connection *connection, struct err *err);

#endif
