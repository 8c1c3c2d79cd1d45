/* SPDX-License-Identifier: ISC */
/*
 * A store that is open: a SQLite file, its settings, and its sessions with
 * their statements.
 */
#ifndef UBENCH_STORE_SQLITE_SQLITE_H
#define UBENCH_STORE_SQLITE_SQLITE_H

#include <stdatomic.h>
#include <stdbool.h>

#include <sqlite3.h>

#include "store/backend.h"
#include "store/sql/session.h"

enum { SQLITE_PATH_SIZE = 1024 }; /* SQLite itself takes 512 */

struct sqlite_setting {
    const char *name;   /* NULL ends them */
    const char *asked;  /* NULL: nothing was */
    bool by_user;       /* with --set */
    char read_back[64]; /* "" until then */
};

struct store {
    struct store_config config;
    char path[SQLITE_PATH_SIZE]; /* never taken for ":memory:" or a URI */
    long long size_before;       /* of that file; -1: it was not there */
    bool filled;                 /* our tables are in it */
    int claim;                   /* a descriptor that holds a lock for the run, or -1; closed after
                                    all connections, whose locks the system drops then */
    struct sqlite_setting settings[16 + OPT_SETTINGS_MAX];
    struct sql_table table;
    struct sql_statements statements;
    int busy_ms; /* how long to wait for another's lock */
    atomic_bool canceled;
};

/* For one thread. */
struct connection {
    struct store *store;
    sqlite3 *db;
};

struct sqlite_session {
    struct session base;
    struct connection connection;
    /* NULL unless compiled, and where there is no need of one. */
    sqlite3_stmt *prepared[SQL_STATEMENTS];
    sqlite3_stmt *begin;
    sqlite3_stmt *commit;
    sqlite3_stmt *running; /* that finds rows */
    int waited_ms;         /* for the lock that it waits for */
    uint64_t scanned;      /* rows that statements read without an index */
};

static inline struct sqlite_session *sqlite_session_of(struct session *session)
{
    return (struct sqlite_session *)session;
}

/* --- The file --- */

/* The endings of the files that SQLite makes and removes beside a database. */
extern const char *const sqlite_beside[];

/* Opens the file of the store's config: takes it, unless ubench did not make what
   is there, puts our tables into it in the place of those that are there, or,
   with keep, leaves it as it is, and settles the settings.  Returns 0, or -1
   with err, and then nothing is left behind that was not there before. */
int sqlite_open_file(struct store *store, struct err *err);

/* The SQL that lists all objects; see struct sql_dialect. */
extern const char *const sqlite_catalogue;

/* Opens a connection that can write and waits a second for a lock.  Returns 0, or
   -1 with err, and then it is closed again. */
int sqlite_connect(struct connection *connection, struct store *store, struct err *err);

/* --- The settings --- */

/* Lists what the store's config asks for, and what a reader must know. */
void sqlite_choose_settings(struct store *store);

/* Applies what was asked for: what only counts before the file's first table,
   or else all others, which each connection needs.  0, or -1 with err. */
int sqlite_apply_settings(const struct connection *connection, bool has_tables, struct err *err);

/* Reads them back.  Returns 0, or -1 with err if one is not what was asked for,
   or not what the first connection read. */
int sqlite_read_settings(const struct connection *connection, struct err *err);

/* The value that was read back, or "". */
const char *sqlite_setting(const struct store *store, const char *name);

/* See backend.h. */
void sqlite_durability(const struct store *store, struct promise *promise);
extern const struct durability_limit sqlite_limits[];

/* --- The statements --- */

extern const struct sql_dialect sqlite_dialect;

/* Says what SQLite could not do and why, with a class.  Returns -1. */
int sqlite_failed(const struct connection *connection, const char *action, struct err *err);

/* Runs SQL text; an error says that the action was tried.  0, or -1 with err. */
int sqlite_execute(const struct connection *connection, const char *action, const char *sql,
                   struct err *err);

/* Runs SQL text that answers with one value: 1 with its text, or 0 if it gives
   another kind of answer, or -1 with err. */
int sqlite_ask(const struct connection *connection, const char *action, const char *sql, char *text,
               size_t size, struct err *err);

/* Runs SQL text, and gives its rows to take, unless that is NULL.  0, or -1 with err. */
int sqlite_rows(struct connection *connection, const char *action, const char *sql,
                sql_take_row *take, void *context, struct err *err);

/* Prepares all statements.  0, or -1 with err; release is fine after both, and
   without. */
int sqlite_prepare(struct sqlite_session *session, struct err *err);
void sqlite_release(struct sqlite_session *session);

int sqlite_begin(struct session *session, struct err *err);
int sqlite_commit(struct session *session, struct err *err);

#endif
