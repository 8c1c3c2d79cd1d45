/* SPDX-License-Identifier: ISC */
/*
 * The common part of the stores that connect to a server.  Each session has its own connection; the
 * store has one more, for tables, locks and settings.  A function that returns int returns 0, or -1
 * with err.
 */
#ifndef UBENCH_STORE_SERVER_SERVER_H
#define UBENCH_STORE_SERVER_SERVER_H

#include <limits.h>

#include "store/server/connection.h"
#include "store/sql/session.h"

enum { INDEXES_MAX = 64 };

/* The number of uses of an index during the run. */
struct index_use {
    char name[65];
    int64_t since; /* the server's count before the run */
    int64_t times;
};

/* The first member of the store's struct. */
struct server {
    struct store_config config;
    struct endpoints endpoints;
    const struct sql_client *client;
    struct connection *connection; /* of the store; nothing on it is timed */
    /* For server_check_class.  resume gives a new connection the state and the locks of the lost
       one.  check, which may be NULL, returns 0 if state that only this store knows is
       unchanged. */
    int (*resume)(struct store *store, struct err *err);
    int (*check)(struct store *store, struct err *err);
    struct properties settings; /* as read back */
    char made[SQL_FACT_SIZE];   /* attributes of the table; see sql_client.read_made */
    struct sql_statements statements;
    struct properties changed;                 /* settings that differ from the defaults */
    struct index_use indexes[INDEXES_MAX + 1]; /* ended by one without a name */
    char log_path[PATH_MAX];
};

/* Connects the store and reports progress.  Call server_stop after both results; it is also fine
   without server_start. */
int server_start(struct server *server, const struct store_config *config,
                 const struct sql_client *client, struct connection *connection, struct err *err);
void server_stop(struct server *server);

/* Reconnects the store's own connection. */
int server_reconnect(struct server *server, struct err *err);

/* Connects a zeroed session and attaches it to the store. */
int server_session_open(struct session *session, struct store *store, struct connection *connection,
                        struct err *err);

/* Reads back the settings that the durability class depends on, after the statements are
   initialised, and checks that they have not changed. */
int server_read(struct server *server, struct err *err);
int server_check(const struct server *server, struct connection *connection, struct err *err);

/* Drops the objects of a --sql file, over a new connection if the old one is lost. */
int server_tear_down(struct server *server, struct err *err);

/* Removes all leases and reservations, and resets the counters of leases. */
int server_empty(struct connection *connection, const struct sql_table *table,
                 const struct store_config *config, struct err *err);

/* Implements reset of backend.h. */
int server_reset(struct session *session, struct err *err);

/* The operations that server/ implements for all its stores; see SQL_OPERATIONS. */
#define SERVER_OPERATIONS(what)                                                                  \
    what(server, count) what(server, read_counters) what(server, used) what(server, check_class) \
        what(server, data_path) what(server, sample)

SERVER_OPERATIONS(OPERATION)

#endif
