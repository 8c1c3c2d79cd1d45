/* SPDX-License-Identifier: ISC */
/*
 * The common part of the stores that connect to a server.  Each session has a connection of its
 * own; the store has one more, for what is everybody's: tables, locks, settings.
 */
#ifndef UBENCH_STORE_SERVER_SERVER_H
#define UBENCH_STORE_SERVER_SERVER_H

#include <limits.h>

#include "store/server/connection.h"
#include "store/server/server_settings.h"
#include "store/sql/session.h"

/* The first member of such a store. */
struct server {
    struct store_config config;
    struct endpoints endpoints;
    const struct sql_client *client;
    struct connection *connection; /* nothing timed */
    struct sql_statements statements;
    struct properties changed; /* settings that are no defaults */
    char log_path[PATH_MAX];
};

/* Connects, and says how far it has come.  server_stop is needed
   after both, and fine without.  0, or -1 with err. */
int server_start(struct server *server, const struct store_config *config,
                 const struct sql_client *client, struct connection *connection,
                 struct err *err);
void server_stop(struct server *server);

/* Connects anew for what is everybody's.  0, or -1 with err. */
int server_reconnect(struct server *server, struct err *err);

/* The member check_class of struct backend.  resume makes a new connection what the lost one was,
   and locks what that had; check returns 0 if the class is what it was. */
int server_check_class(struct store *store, int (*resume)(struct store *store, struct err *err),
                       int (*check)(struct store *store, struct connection *connection,
                                    struct err *err),
                       struct err *err);

/* Connects a session that was zeroed, and makes it one of that store.  0, or -1 with err. */
int server_session_open(struct session *session, struct store *store,
                        struct connection *connection, const struct sql_dialect *dialect,
                        const struct sql_table *table, struct err *err);

int server_count(struct session *session, uint64_t *count, struct err *err);
int server_read_counters(struct session *session, enum counters which,
                         struct lease_counts *counts, struct err *err);
void server_used(struct session *const *sessions, size_t count, struct store_use *use);
void server_data_path(const struct store *store, char *path, size_t size);

/* The members of struct backend that these are. */
#define SERVER_OPERATIONS                                               \
    .count = server_count, .read_counters = server_read_counters,       \
    .used = server_used, .data_path = server_data_path

#endif
