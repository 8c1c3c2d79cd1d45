/* SPDX-License-Identifier: ISC */
/* A session, which is a connection, and how it runs statements. */
#ifndef UBENCH_STORE_MYSQL_MYSQL_SESSION_H
#define UBENCH_STORE_MYSQL_MYSQL_SESSION_H

#include "store/mysql/mysql_connection.h"
#include "store/sql/session.h"

/* MySQL 8.0.1 took my_bool away. */
#if defined MARIADB_PACKAGE_VERSION || MYSQL_VERSION_ID < 80001
typedef my_bool bound_bool;
#else
typedef bool bound_bool;
#endif

/* A value of a prepared statement is bound to this once, for all runs of it. */
struct bound {
    uint32_t number;
    bound_bool is_null;
    MYSQL_TIME time; /* UTC */
    unsigned long length;
    char bytes[LEASE_CLIENT_ID_MAX]; /* also of text: no value is longer */
};

struct mysql_session {
    struct session base;
    struct connection connection;
    MYSQL_STMT *prepared[SQL_STATEMENTS]; /* all NULL if not compiled */
    struct bound in[SQL_VALUES];
    struct bound out[SQL_VALUES];
    bool has_rows;   /* there may be more of what was found */
    MYSQL_RES *rows; /* of a statement that is not compiled */
};

static inline struct mysql_session *mysql_session_of(struct session *session)
{
    return (struct mysql_session *)session;
}

extern const struct sql_dialect mysql_dialect;

/* Prepares all statements and binds them.  Returns 0, or -1 with err; release
   is fine after both, and without. */
int session_prepare(struct mysql_session *session, struct err *err);
void session_release(struct mysql_session *session);

#endif
