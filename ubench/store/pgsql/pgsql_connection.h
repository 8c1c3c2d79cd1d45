/* SPDX-License-Identifier: ISC */
/* One connection to a server, through libpq, and what is said of its errors. */
#ifndef UBENCH_STORE_PGSQL_PGSQL_CONNECTION_H
#define UBENCH_STORE_PGSQL_PGSQL_CONNECTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <libpq-fe.h>

#include "store/backend.h"
#include "store/server/connection.h"

struct connection {
    struct sql_link link;
    PGconn *conn; /* NULL: not connected */
    bool in_transaction;
    char last_words[160]; /* why the server hung up, if it said so too early */
    char last_sqlstate[8];
};

extern const struct sql_client pgsql_client;

/*
 * After one of the PQsend functions, whose result is sent: the server's answer,
 * which may well be an error of its own, to be freed with PQclear.  NULL with
 * err if there is none in time.  Of several results it is the first error, or
 * the last.
 */
PGresult *connection_await(struct connection *connection, const char *action,
                           int sent, struct err *err);

/* The same, and an error of the server's is err. */
PGresult *connection_result(struct connection *connection, const char *action,
                            int sent, struct err *err);

/* Writes the sentence and its class: what was done, what the server says to it
   and the SQLSTATE.  Ends a transaction that is open.  Always returns -1. */
int connection_fail(struct connection *connection, const char *action,
                    const PGresult *result, struct err *err);

/* Ends a transaction, if one is open, that an error has spoilt. */
void connection_roll_back(struct connection *connection);

/* Writes a path in the folder of the write-ahead log, which is what is synced
   when a change is acknowledged, or "" if it cannot be told. */
void connection_log_path(struct connection *connection, char *path,
                         size_t size);

#endif
