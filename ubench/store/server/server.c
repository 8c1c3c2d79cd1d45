/* SPDX-License-Identifier: ISC */
#include "store/server/server.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/sql/counters.h"

int server_start(struct server *server, const struct store_config *config,
                 const struct sql_client *client, struct connection *connection,
                 struct err *err)
{
    server->config = *config;
    server->client = client;
    server->connection = connection;
    if (endpoints_init(&server->endpoints, config, err) != 0 ||
        watchdog_start(&server->endpoints.watchdog, config->read_timeout_s, err) != 0)
        return -1;
    store_report_progress(config, OPEN_CONNECTING, (struct store *)server);
    if (connection_open(connection, client, &server->endpoints, false, config->connect_timeout_s,
                        err) != 0)
        return -1;
    store_report_progress(config, OPEN_WORKING, (struct store *)server);
    return 0;
}

void server_stop(struct server *server)
{
    if (server->connection != NULL)
        connection_close(server->connection);
    watchdog_stop(&server->endpoints.watchdog);
}

int server_reconnect(struct server *server, struct err *err)
{
    connection_close(server->connection);
    return atomic_load(&server->endpoints.watchdog.canceled)
               ? err_set_class(err, ERR_CANCELED, "%s: canceled", server->client->store)
               : connection_open(server->connection, server->client, &server->endpoints, false,
                                 CLOSE_TIMEOUT_S, err);
}

/* A connection that is lost proves nothing, but another is tried; if another run has our locks by
   then, this one must not go on. */
int server_check_class(struct store *store, struct err *err)
{
    struct server *const server = (struct server *)store;
    const atomic_uint *const cancels = &server->endpoints.cancels;

    if (connection_is_lost(server->connection)) {
        if (atomic_load(cancels) > 0 || server_reconnect(server, err) != 0)
            return 0;
        if (server->resume(store, err) != 0) {
            connection_close(server->connection);
            return err->kind == ERR_BUSY ? -1 : 0;
        }
    }
    return server->check(store, server->connection, err) == 0 ||
                   connection_is_lost(server->connection) || atomic_load(cancels) > 0
               ? 0
               : -1;
}

int server_session_open(struct session *session, struct store *store,
                        struct connection *connection, struct err *err)
{
    struct server *const server = (struct server *)store;

    session->connection = connection;
    sql_session_init(session, store, &server->statements, server->config.compiled);
    return connection_open(connection, server->client, &server->endpoints, true,
                           server->config.connect_timeout_s, err);
}

int server_count(struct session *session, uint64_t *count, struct err *err)
{
    char text[24];

    if (connection_value(session->connection, "count", text, sizeof text, err,
                         "SELECT COUNT(*) FROM %s", session->table->name) != 0)
        return -1;
    *count = strtoull(text, NULL, 10);
    return 0;
}

struct counting {
    struct lease_counts *counts;
    int status;
};

static void count_row(void *context, const char *const *row)
{
    struct counting *const counting = context;
    const struct lease_kind kind = { .subnet_id = (uint32_t)strtoul(row[0], NULL, 10),
                                     .pool_id = (uint32_t)strtoul(row[1], NULL, 10),
                                     .type = (uint8_t)strtoul(row[2], NULL, 10),
                                     .state = (uint8_t)strtoul(row[3], NULL, 10) };

    counting->status |= lease_counts_add(counting->counts, &kind, strtoll(row[4], NULL, 10));
}

int server_read_counters(struct session *session, enum counters which,
                         struct lease_counts *counts, struct err *err)
{
    struct counting counting = { counts, 0 };
    char sql[COUNTER_SQL_SIZE];

    counter_sql_read(sql, session->table->family, which);
    if (connection_rows(session->connection, "reading the counters", sql, count_row, &counting,
                        err) != 0)
        return -1;
    return counting.status == 0 ? 0 : err_set(err, "out of memory");
}

void server_data_path(const struct store *store, char *path, size_t size)
{
    (void)snprintf(path, size, "%s", ((const struct server *)store)->log_path);
}

static void take_use(void *context, const char *const *row)
{
    struct store_use *const use = context;
    uint64_t *const sum = fnmatch("*syncs", row[0], 0) == 0      ? &use->server_syncs
                          : fnmatch("*rnd_next", row[0], 0) == 0 ? &use->scanned
                                                                 : &use->log_bytes;

    if (row[1] != NULL)
        *sum = (*sum != UINT64_MAX ? *sum : 0) + strtoull(row[1], NULL, 10);
}

void server_used(struct session *const *sessions, size_t count, struct store_use *use)
{
    const struct sql_client *const client = ((struct server *)sessions[0]->store)->client;
    const char *const action = "reading what the server did";
    struct err ignored;

    for (size_t i = 0; i < count; i++) {
        const struct sql_use sql = client->use(sessions[i]->connection);

        if (sql.flush != NULL)
            (void)connection_script(sessions[i]->connection, action, sql.flush, &ignored);
        if (i == count - 1)
            (void)connection_rows(sessions[i]->connection, action, sql.find, take_use, use,
                                  &ignored);
    }
}
