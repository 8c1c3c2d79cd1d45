/* SPDX-License-Identifier: ISC */
/*
 * An open store: a SQLite file, its settings, and its sessions with their statements.
 */
#ifndef UBENCH_STORE_SQLITE_SQLITE_H
#define UBENCH_STORE_SQLITE_SQLITE_H

#include <stdatomic.h>
#include <stdbool.h>

#include <sqlite3.h>

#include "store/backend.h"
#include "store/sql/session.h"

enum { SQLITE_PATH_SIZE = 1024 }; /* SQLite's own limit is 512 */

struct sqlite_setting {
    const char *name;   /* NULL: end of the array */
    const char *asked;  /* NULL: not requested */
    bool by_user;       /* requested with --set */
    char read_back[64]; /* "" until then */
};

/* Counts the syncs of the files that are opened by the VFS of that name. */
struct sqlite_syncs {
    sqlite3_vfs vfs;
    char name[32];
    _Atomic(uint64_t) count;
};

struct store {
    struct store_config config;
    struct sqlite_syncs syncs;
    char path[SQLITE_PATH_SIZE]; /* never treated as ":memory:" or a URI */
    long long size_before;       /* of the file; -1: it did not exist */
    bool filled;                 /* ubench's tables are in it */
    int claim;                   /* a descriptor with a lock for the whole run, or -1; closed after
                                    all connections, since closing it drops their locks also */
    struct sqlite_setting settings[16 + OPT_SETTINGS_MAX];
    struct sql_table table;
    struct sql_statements statements;
    int busy_ms; /* how long to wait for a lock */
    atomic_bool canceled;
};

/* The connection of one thread. */
struct connection {
    struct store *store;
    sqlite3 *db;
};

struct sqlite_session {
    struct session base;
    struct connection connection;
    /* NULL if not compiled or not needed. */
    sqlite3_stmt *prepared[SQL_STATEMENTS];
    sqlite3_stmt *begin;
    sqlite3_stmt *commit;
    sqlite3_stmt *running; /* the search in progress */
    int waited_ms;         /* for the current lock */
    uint64_t scanned;      /* rows read without an index */
};

static inline struct sqlite_session *sqlite_session_of(struct session *session)
{
    return (struct sqlite_session *)session;
}

/* --- The file --- */

/* Suffixes of the files that SQLite creates and removes beside a database. */
extern const char *const sqlite_beside[];

/* Opens the file of the store's config and settles the settings.  Refuses a file with contents that
   ubench did not create.  Otherwise replaces its tables by new ones or, with keep, leaves them
   unchanged.  Returns 0, or -1 with err, and then leaves nothing behind that was not there
   before. */
int sqlite_open_file(struct store *store, struct err *err);

/* The SQL that lists all objects; see struct sql_dialect. */
extern const char *const sqlite_catalogue;

/* Opens a writable connection that waits one second for a lock.  Returns 0, or -1 with err and the
   connection closed. */
int sqlite_connect(struct connection *connection, struct store *store, struct err *err);

/* --- Its syncs --- */

/* Registers the VFS of a zeroed struct, which must not be moved.  Returns 0, or -1 with err. */
int sqlite_syncs_init(struct sqlite_syncs *syncs, struct err *err);
void sqlite_syncs_release(struct sqlite_syncs *syncs); /* zeroed is fine */

/* --- The settings --- */

/* Fills the list of settings: those that the store's config requests, and those that a report
   needs. */
void sqlite_choose_settings(struct store *store);

/* Applies the requested settings to a connection: before the file has tables, those that only count
   then; with has_tables, all others, which each connection needs.  Returns 0, or -1 with err. */
int sqlite_apply_settings(const struct connection *connection, bool has_tables, struct err *err);

/* Reads back all settings.  Returns 0, or -1 with err if a value differs from the requested one or
   from that of the first connection. */
int sqlite_read_settings(const struct connection *connection, struct err *err);

/* Returns the value that was read back, or "". */
const char *sqlite_setting(const struct store *store, const char *name);

/* Implements durability of backend.h. */
void sqlite_durability(const struct store *store, struct promise *promise);
extern const struct durability_limit sqlite_limits[];

/* --- The statements --- */

extern const struct sql_dialect sqlite_dialect;

/* Sets err to the action and SQLite's message, with a class.  Returns -1. */
int sqlite_failed(const struct connection *connection, const char *action, struct err *err);

/* Runs SQL text; action begins the message of an error.  Returns 0, or -1 with err. */
int sqlite_execute(const struct connection *connection, const char *action, const char *sql,
                   struct err *err);

/* Runs SQL text that returns one value.  Returns 1 with its text, 0 if the result is not one value,
   or -1 with err. */
int sqlite_ask(const struct connection *connection, const char *action, const char *sql, char *text,
               size_t size, struct err *err);

/* Runs SQL text and passes its rows to take, unless that is NULL.  Returns 0, or -1 with err. */
int sqlite_rows(struct connection *connection, const char *action, const char *sql,
                sql_take_row *take, void *context, struct err *err);

/* Prepares all statements.  Returns 0, or -1 with err.  Call sqlite_release after both results; it
   is also fine without. */
int sqlite_prepare(struct sqlite_session *session, struct err *err);
void sqlite_release(struct sqlite_session *session);

/* Begin and commit a transaction.  Return 0, or -1 with err. */
int sqlite_begin(struct session *session, struct err *err);
int sqlite_commit(struct session *session, struct err *err);

#endif
