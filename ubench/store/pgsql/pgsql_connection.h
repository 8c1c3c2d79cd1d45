/* SPDX-License-Identifier: ISC */
/* One connection to a server, through libpq, and what is said of its errors. */
#ifndef UBENCH_STORE_PGSQL_PGSQL_CONNECTION_H
#define UBENCH_STORE_PGSQL_PGSQL_CONNECTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <libpq-fe.h>

#include "store/backend.h"
#include "store/sql/endpoints.h"
#include "store/sql/watchdog.h"

struct connection {
    struct sql_link link;
    PGconn *conn; /* NULL: not connected */
    bool in_transaction;
    bool given_up;        /* for want of an answer; it has been shut down */
    char last_words[160]; /* why the server hung up, if it said so too early */
    char last_sqlstate[8];
};

/* Connects, of several endpoints only to one that takes changes: see sql_link_open.
   connection_close is needed only after 0; -1 with err. */
int connection_open(struct connection *connection, struct endpoints *endpoints, bool in_turn,
                    uint64_t limit_s, struct err *err);
void connection_close(struct connection *connection);

bool connection_is_lost(const struct connection *connection);

/*
 * After one of the PQsend functions, whose result is sent: the server's answer,
 * which may well be an error of its own, to be freed with PQclear.  NULL with
 * err if there is none in time.  Of several results it is the first error, or
 * the last.
 */
PGresult *connection_await(struct connection *connection, const char *action,
                           int sent, struct err *err);

/* Writes the sentence and its class: what was done, what the server says to it
   and the SQLSTATE.  Ends a transaction that is open.  Always returns -1. */
int connection_fail(struct connection *connection, const char *action,
                    const PGresult *result, struct err *err);

/* Ends a transaction, if one is open, that an error has spoilt. */
void connection_roll_back(struct connection *connection);

/* Runs SQL with parameters as text.  NULL with err if the server does not like
   it, else a result to be freed with PQclear. */
PGresult *connection_query(struct connection *connection, const char *action,
                           const char *sql, int param_count,
                           const char *const *params, struct err *err);

/* The first column of the first row, as text, "" if there is none; param is
   that of the SQL, or NULL.  Returns 0, or -1 with err. */
int connection_value(struct connection *connection, const char *action,
                     const char *sql, const char *param, char *value,
                     size_t size, struct err *err);

/* Runs SQL that gives no rows, or whose rows nothing needs; there may be
   several statements.  Returns 0, or -1 with err. */
int connection_script(struct connection *connection, const char *action,
                      const char *sql, struct err *err);

/* The same for SQL of a few hundred bytes. */
int connection_run(struct connection *connection, const char *action,
                   struct err *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* One round trip for nothing.  0, or -1 with err. */
int connection_ping(struct connection *connection, struct err *err);

/* Writes a path in the folder of the write-ahead log, which is what is synced
   when a change is acknowledged, or "" if it cannot be told. */
void connection_log_path(struct connection *connection, char *path,
                         size_t size);

#endif
