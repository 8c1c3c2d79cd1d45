/* SPDX-License-Identifier: ISC */
/* A store that is open, its sessions, and their statements. */
#ifndef UBENCH_STORE_SQLITE_SQLITE_STATEMENT_H
#define UBENCH_STORE_SQLITE_SQLITE_STATEMENT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <sqlite3.h>

#include "store/backend.h"
#include "store/sql/session.h"
#include "store/sqlite/sqlite_database.h"
#include "store/sqlite/sqlite_settings.h"

/* Those that no other store prepares. */
enum sqlite_statement {
    SQLITE_BEGIN,
    SQLITE_COMMIT,
    SQLITE_COUNT,
    SQLITE_RESET,
    SQLITE_RESET_HOSTS,
    SQLITE_STATEMENTS,
};

struct store {
    struct database database;
    struct sqlite_settings settings; /* as open read them back */
    struct sql_table table;
    struct sql_statements statements;
    bool compiled;
    bool reservations;
    uint64_t connections;
    int busy_ms; /* how long to wait for another's lock */
    atomic_bool canceled;
    pthread_mutex_t lock; /* for sessions and the links between them */
    struct sqlite_session *sessions;
};

struct sqlite_session {
    struct session base;
    sqlite3 *db;
    /* Both are NULL unless compiled, and where there is no need of one. */
    sqlite3_stmt *prepared[SQL_STATEMENTS];
    sqlite3_stmt *own[SQLITE_STATEMENTS];
    sqlite3_stmt *running; /* that finds rows */
    struct sqlite_session *next;
};

static inline struct sqlite_session *sqlite_session_of(struct session *session)
{
    return (struct sqlite_session *)session;
}

extern const struct sql_dialect sqlite_dialect;

/* Prepares all statements.  0, or -1 with err; release is fine after both, and
   without. */
int sqlite_prepare(struct sqlite_session *session, struct err *err);
void sqlite_release(struct sqlite_session *session);

/* The text of such a statement. */
const char *sqlite_statement_sql(const struct sql_table *table,
                                 enum sqlite_statement which);

/* Runs it.  Returns 0, or -1 with err; what it counts is in *count, unless that
   is NULL. */
int sqlite_run(struct session *session, enum sqlite_statement which,
               uint64_t *count, struct err *err);

#endif
