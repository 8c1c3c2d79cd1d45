/* SPDX-License-Identifier: ISC */
/* A session, which is a connection, and how it runs statements. */
#ifndef UBENCH_STORE_PGSQL_PGSQL_SESSION_H
#define UBENCH_STORE_PGSQL_PGSQL_SESSION_H

#include "store/pgsql/pgsql_connection.h"
#include "store/pgsql/pgsql_table.h"
#include "store/sql/session.h"

struct pgsql_session {
    struct session base;
    struct connection connection;
    const struct lease_table *table;
    /* The parameters, in PostgreSQL's binary form: most significant byte
       first.  A NULL in values is SQL's NULL. */
    const char *values[SQL_PARAMS_MAX];
    int lengths[SQL_PARAMS_MAX];
    int formats[SQL_PARAMS_MAX];
    uint64_t numbers[SQL_PARAMS_MAX];
    char inet[20];
    /* The rows found, the next of them, and its bytes, if they were text. */
    PGresult *found;
    int row;
    uint8_t bytes[1024];
};

static inline struct pgsql_session *pgsql_session_of(struct session *session)
{
    return (struct pgsql_session *)session;
}

extern const struct sql_dialect pgsql_dialect;

/* Prepares the statements, if they are to be.  0, or -1 with err. */
int session_prepare(struct pgsql_session *session, struct err *err);

#endif
