/* SPDX-License-Identifier: ISC */
/*
 * The way back from SET GLOBAL.  The SQL that restores the variables stands in the column `restore`
 * of a row of ubench_marker before they are set, so that the next run restores them if this one is
 * killed.
 */
#ifndef UBENCH_STORE_MYSQL_MYSQL_RESTORE_H
#define UBENCH_STORE_MYSQL_MYSQL_RESTORE_H

#include "store/mysql/mysql_class.h"
#include "store/mysql/mysql_connection.h"

enum { RESTORE_SIZE = 900 };

/* Zeroed: nothing was changed. */
struct restore {
    bool noted;       /* there is a row of the marker */
    bool made_marker; /* for that row */
    size_t last;      /* the length of what was noted last */
    char sql[RESTORE_SIZE];
    struct lock_holder holder;
};

/* Keeps off other runs that would change settings of the server, in whatever database.  0, or -1
   with err: ERR_BUSY, if there is one. */
int restore_lock(struct restore *restore, struct connection *connection, struct err *err);

/* Notes what a variable is, before it is set for all.  0, or -1 with err. */
int restore_note(struct restore *restore, const char *name, struct connection *connection,
                 struct err *err);

/* The server refused to set that one.  If the answer was lost it may have been set. */
void restore_forget(struct restore *restore, const struct connection *connection);

/* Adds the SQL that restores everything to a sentence.  Always returns -1. */
int restore_fail(const struct restore *restore, struct err *err);

/* Sets everything back.  0, or -1 with err, which has the SQL that does it. */
int restore_all(struct restore *restore, struct connection *connection, struct err *err);

/* Restores what a run that was killed has left, in a database that ubench may use, and writes a
   sentence on it, or "" if there was nothing.  0, or -1 with err. */
int restore_left(struct connection *connection, char *text, size_t size, struct err *err);

#endif
