/* SPDX-License-Identifier: ISC */
/*
 * The common part of the stores that connect to a server.  Each session has a connection of its
 * own; the store has one more, for what is everybody's: tables, locks, settings.  A function that
 * returns int returns 0, or -1 with err.
 */
#ifndef UBENCH_STORE_SERVER_SERVER_H
#define UBENCH_STORE_SERVER_SERVER_H

#include <limits.h>

#include "store/server/connection.h"
#include "store/sql/session.h"

enum { INDEXES_MAX = 64 };

/* How often an index was used in the run. */
struct index_use {
    char name[65];
    int64_t since; /* how often before, by the server's own count */
    int64_t times;
};

/* The first member of such a store. */
struct server {
    struct store_config config;
    struct endpoints endpoints;
    const struct sql_client *client;
    struct connection *connection; /* nothing timed */
    /* For server_check_class: resume makes a new connection what the lost one was, and locks what
       that had; check, if it is not NULL, returns 0 if what the store alone knows of is as it was.
       */
    int (*resume)(struct store *store, struct err *err);
    int (*check)(struct store *store, struct err *err);
    struct properties settings; /* read back, */
    char made[SQL_FACT_SIZE];   /* and how the table was made */
    struct sql_statements statements;
    struct properties changed;                 /* settings that are no defaults */
    struct index_use indexes[INDEXES_MAX + 1]; /* the last has no name */
    char log_path[PATH_MAX];
};

/* Connects, and says how far it has come.  server_stop is needed after both, and fine without. */
int server_start(struct server *server, const struct store_config *config,
                 const struct sql_client *client, struct connection *connection, struct err *err);
void server_stop(struct server *server);

/* Connects anew for what is everybody's. */
int server_reconnect(struct server *server, struct err *err);

/* Connects a session that was zeroed, and makes it one of that store. */
int server_session_open(struct session *session, struct store *store, struct connection *connection,
                        struct err *err);

/* Reads back what the class rests on, once there are the statements; and checks that it stays. */
int server_read(struct server *server, struct err *err);
int server_check(const struct server *server, struct connection *connection, struct err *err);

/* Drops what a user's file created, over a new connection if the old one is lost. */
int server_tear_down(struct server *server, struct err *err);

/* Removes every lease and every reservation, and what counts leases begins anew. */
int server_empty(struct connection *connection, const struct sql_table *table,
                 const struct store_config *config, struct err *err);

/* Empties the tables of a session; see backend.h. */
int server_reset(struct session *session, struct err *err);

/* The operations that server/ has for all of its stores; see SQL_OPERATIONS. */
#define SERVER_OPERATIONS(what)                                                                  \
    what(server, count) what(server, read_counters) what(server, used) what(server, check_class) \
        what(server, data_path)

SERVER_OPERATIONS(OPERATION)

#endif
