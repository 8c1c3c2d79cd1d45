/* SPDX-License-Identifier: ISC */
/*
 * A SQLite database file: whose it is, how to get at it, what went wrong.  It
 * knows of our tables by name and nothing of leases.
 */
#ifndef UBENCH_STORE_SQLITE_SQLITE_DATABASE_H
#define UBENCH_STORE_SQLITE_SQLITE_DATABASE_H

#include <stdbool.h>

#include <sqlite3.h>

#include "store/backend.h"

enum { DATABASE_PATH_SIZE = 1024 }; /* SQLite itself takes 512 */

/* What was at the path before. */
enum database_before { DATABASE_ABSENT, DATABASE_EMPTY, DATABASE_FILLED };

struct database {
    const struct store_config *config;
    const char *target;            /* the file as the user calls it */
    char path[DATABASE_PATH_SIZE]; /* never taken for ":memory:" or a URI */
    enum database_before before;
    bool filled; /* our tables are in it */
    int claim;   /* a descriptor that holds a lock for the run; at first -1 */
};

/* The endings of the files that SQLite makes and removes beside a database. */
extern const char *const database_beside[];

/*
 * Takes the file for us: afterwards it is there and empty, or has a marker and
 * others' tables in it, or, with config->keep, is as it was.  What ubench did
 * not make is refused and stays as it is.  config must outlive the database.
 * Returns 0, or -1 with err; either way database_release has to follow.
 */
int database_take(struct database *database, const struct store_config *config,
                  struct err *err);

/* Refuses what ubench did not make.  Returns 0, or -1 with err. */
int database_check_owner(const struct database *database, sqlite3 *db,
                         struct err *err);

/* Puts our tables into the database in the place of those that are there, if it
   is still ours to fill.  Returns 0, or -1 with err. */
int database_fill(struct database *database, sqlite3 *db, struct err *err);

/* After a failure: leaves nothing behind that was not there before. */
void database_undo(const struct database *database);

/* Lets other runs have it.  All connections must be closed: the system drops
   the locks of all when one descriptor of the file is closed. */
void database_release(struct database *database);

/* Opens a connection for one thread that can write and, until told otherwise,
   waits a second for a lock.  NULL with err on failure. */
sqlite3 *database_connect(const struct database *database, struct err *err);

/* Runs SQL text; an error says that the action was tried.  Returns 0 or -1. */
int database_execute(const struct database *database, sqlite3 *db,
                     const char *action, const char *sql, struct err *err);

/* Says what SQLite could not do and why, with a class.  Returns -1. */
int database_failed(const struct database *database, sqlite3 *db,
                    const char *action, struct err *err);

#endif
