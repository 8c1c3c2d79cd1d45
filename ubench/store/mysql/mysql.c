/* SPDX-License-Identifier: ISC */
/*
 * Leases in MySQL or MariaDB, through either client library.  Each session has its own connection;
 * the store has one more, for the table, the settings and their restoration.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/mysql/mysql_store.h"
#include "store/sql/candidates.h"

struct store {
    struct server server;
    struct connection connection;
    uint64_t holder; /* server's id of the connection that has the table's lock */
    struct settings settings;
    struct sql_table table;
    char transport[128];
};

static void mysql_library(char *text, size_t size)
{
#if defined MARIADB_PACKAGE_VERSION
    static const char name[] = "MariaDB Connector/C";
#else
    static const char name[] = "libmysqlclient";
#endif
    (void)snprintf(text, size, "%s %s", name, mysql_get_client_info());
}

static void read_transport(struct store *store)
{
    MYSQL *const mysql = store->connection.mysql;
    const char *const cipher = mysql_get_ssl_cipher(mysql);

    (void)snprintf(store->transport, sizeof store->transport, "%s%s%s", mysql_get_host_info(mysql),
                   cipher != NULL ? ", TLS " : "", cipher != NULL ? cipher : "");
}

/* Gives a new connection of the store the settings and the locks of the lost one. */
static int resume(struct store *store, struct err *err)
{
    struct connection *const connection = &store->connection;
    struct restore *const restore = &store->settings.restore;

    return (store->server.config.joins || table_lock(connection, &store->holder, err) == 0) &&
                   (!restore->noted || restore_lock(restore, connection, err) == 0) &&
                   settings_set_session(&store->settings, connection, err) == 0
               ? 0
               : -1;
}

/* Refuses picks that pass over locked rows in an engine that locks none. */
static int check_free_list(const struct store_config *config, const char *engine, struct err *err)
{
    return config->free_list != FREE_LIST_SKIP_LOCKED || strcmp(engine, "InnoDB") == 0
               ? 0
               : err_usage(err,
                           "--engine: --allocator=skip-locked needs the row locks of InnoDB, not "
                           "%s; use --engine=InnoDB or --allocator=shared-flq",
                           engine);
}

/* Opens the store: first the read-only checks, then the settings, which are restored on failure,
   then the table. */
static int open_store(struct store *store, const struct store_config *config, struct err *err)
{
    struct connection *const connection = &store->connection;
    struct server *const server = &store->server;
    char engine[SQL_FACT_SIZE];

    server->resume = resume;
    if (config->trips == TRIPS_PIPELINE && config->compiled)
        return err_usage(err,
                         "--trips=pipeline: MySQL's protocol sends statements together only as "
                         "text, not prepared; add --compiled=no, or use --trips=procedure");
    if (server_start(server, config, &mysql_client, connection, err) != 0)
        return -1;
    read_transport(store);
    connection_log_path(connection, server->log_path, sizeof server->log_path);
    if ((!config->joins && table_lock(connection, &store->holder, err) != 0) ||
        table_look(connection, err) != 0 ||
        table_engine(engine, sizeof engine, connection, err) != 0 ||
        check_free_list(config, engine, err) != 0 || restore_left(connection, err) != 0 ||
        settings_sync(&store->settings, engine, connection, err) != 0 ||
        settings_set(&store->settings, connection, err) != 0 ||
        table_open(&store->table, engine, connection, err) != 0)
        return -1;
    variables_read_changed(&server->changed, connection);
    sql_statements_init(&server->statements, &mysql_dialect, &store->table, config);
    if (config->trips == TRIPS_PROCEDURE)
        sql_calls_init(&server->statements);
    return server_read(server, err) == 0
               ? sql_candidates_open(&server->statements, connection, config, err)
               : -1;
}

/* Drops the objects of a --sql file, restores the settings and frees the store.  Returns 0, or -1
   with err. */
static int mysql_store_close(struct store *store, struct err *err)
{
    struct err second;

    if (store == NULL)
        return 0;
    atomic_store(&store->server.endpoints.watchdog.canceled, false);
    atomic_store(&store->server.endpoints.watchdog.limit_s, CLOSE_TIMEOUT_S);
    const int dropped = server_tear_down(&store->server, err);
    const int restored =
        restore_all(&store->settings.restore, &store->server, dropped == 0 ? err : &second);
    if (dropped != 0 && restored != 0)
        err_add(err, "; and %s", second.text);
    server_stop(&store->server);
    free(store);
    return dropped == 0 ? restored : -1;
}

static struct store *mysql_store_open(const struct store_config *config, struct err *err)
{
    struct store *const store = err_calloc(1, sizeof *store, err);
    struct err second;

    if (store == NULL || open_store(store, config, err) == 0)
        return store;
    store_report_progress(config, OPEN_FAILED, store);
    if (mysql_store_close(store, &second) != 0)
        err_add(err, "; and %s", second.text);
    return NULL;
}

static enum node_loss mysql_store_node_loss(struct store *store)
{
    struct properties now;
    struct err ignored;

    return connection_is_lost(&store->connection) ||
                   variables_read(&store->connection, 0, &now, &ignored) != 0
               ? NODE_LOSS_UNKNOWN
               : mysql_node_loss(&store->server.settings, &now, store->table.facts[ENGINE]);
}

static void mysql_describe(const struct store *store, struct properties *properties)
{
    const char *const version = sql_setting(&store->server.settings, "version");
    const struct properties *const given = &store->settings.given;

    properties_add(properties, store->connection.mariadb ? "MariaDB" : "MySQL",
                   "%.*s (client %s), %s", (int)strspn(version, "0123456789."), version,
                   mysql_get_client_info(), store->table.facts[ENGINE]);
    table_describe(&store->table, properties);
    sql_settings_report(mysql_variables, store->table.facts[ENGINE], &store->server.settings,
                        properties);
    for (size_t i = 0; i < given->count; i++)
        properties_add(properties, given->items[i].key, "%s", given->items[i].value);
    properties_add(properties, "connection", "%s", store->transport);
    endpoints_describe(&store->server.endpoints, properties);
    sql_changed_describe(&store->server.changed, properties);
}

static void mysql_durability(const struct store *store, struct promise *promise)
{
    mysql_promise(&store->server.settings, store->table.facts[ENGINE], store->table.facts[OPTIONS],
                  promise);
}

static void mysql_session_close(struct session *base)
{
    struct mysql_session *const session = mysql_session_of(base);

    if (session == NULL)
        return;
    session_release(session);
    connection_close(&session->connection);
    free(session);
}

/* Returns true if reads and changes wait by default: both bits of wsrep_sync_wait are set (1:
   SELECT, 2: UPDATE and DELETE), or a group's consistency requires it. */
static bool waits_already(const char *value)
{
    return strcmp(value, "BEFORE") == 0 || strcmp(value, "BEFORE_AND_AFTER") == 0 ||
           (strtoul(value, NULL, 10) & 3) == 3;
}

static enum outcome mysql_catch_up(struct session *session, struct err *err)
{
    static const char action[] = "waiting for other nodes";
    struct store *const store = session->store;
    struct connection *const connection = session->connection;
    const bool group = sql_setting_on(&store->server.settings, GROUP_MEMBERS);
    const char *const variable = group ? "group_replication_consistency" : "wsrep_sync_wait";
    const char *const quote = group ? "'" : ""; /* BEFORE is a keyword */
    char value[32];

    if (store->server.endpoints.count < 2 || (!connection->in_cluster && !group))
        return OUTCOME_MISS;
    if (connection_value(connection, action, value, sizeof value, err, "SELECT @@SESSION.%s",
                         variable) != 0)
        return OUTCOME_ERROR;
    if (waits_already(value))
        return OUTCOME_MISS;
    return connection_run(connection, action, err,
                          "ROLLBACK; SET SESSION %s = %s%s%s; SELECT 1 FROM %s LIMIT 1;"
                          " SET SESSION %s = %s%s%s",
                          variable, quote, group ? "BEFORE" : "1", quote, session->table->name,
                          variable, quote, value, quote) == 0
               ? OUTCOME_HIT
               : OUTCOME_ERROR;
}

static struct session *mysql_session_open(struct store *store, struct err *err)
{
    struct mysql_session *const session = err_calloc(1, sizeof *session, err);

    if (session == NULL)
        return NULL;
    session->connection.in_cluster = sql_setting_on(&store->server.settings, "wsrep_on");
    if (server_session_open(&session->base, store, &session->connection, err) == 0 &&
        /* A restarted server has lost these settings. */
        settings_set_session(&store->settings, &session->connection, err) == 0 &&
        server_check(&store->server, &session->connection, err) == 0 &&
        (!store->server.config.compiled || session_prepare(session, err) == 0) &&
        mysql_catch_up(&session->base, err) != OUTCOME_ERROR)
        return &session->base;
    mysql_session_close(&session->base);
    return NULL;
}

enum { MESSAGE_SIZE = 128 };

/* Columns: table, operation, kind of message, message; the last row has the result. */
static void take_message(void *context, const char *const *row)
{
    (void)snprintf(context, MESSAGE_SIZE, "%s", row[3]);
}

static enum outcome mysql_check(struct session *session, char *text, size_t size, struct err *err)
{
    char last[MESSAGE_SIZE] = "no answer";
    char sql[64];

    (void)snprintf(sql, sizeof sql, "CHECK TABLE %s EXTENDED", session->table->name);
    if (connection_rows(session->connection, "check", sql, take_message, last, err) != 0)
        return OUTCOME_ERROR;
    (void)snprintf(text, size, "CHECK TABLE: %s", last);
    return strcmp(last, "OK") == 0 ? OUTCOME_HIT : OUTCOME_MISS;
}

static int mysql_store_begin(struct session *session, struct err *err)
{
    session->grouped = true;
    return connection_run(session->connection, "begin", err, "START TRANSACTION");
}

static int mysql_store_commit(struct session *session, struct err *err)
{
    session->grouped = false;
    return connection_run(session->connection, "commit", err, "COMMIT");
}

static int mysql_session_ping(struct session *session, struct err *err)
{
    struct connection *const connection = session->connection;

    connection_toggle(connection);
    const int status = mysql_ping(connection->mysql);
    connection_toggle(connection);
    return status == 0 ? 0
                       : connection_fail(connection, "ping", mysql_errno(connection->mysql),
                                         mysql_error(connection->mysql), err);
}

static void mysql_cancel(struct store *store)
{
    watchdog_cancel(&store->server.endpoints.watchdog);
}

const struct backend the_backend = {
    .name = "mysql",
    .default_target = "ubench",
    .scope =
        OPT_SCOPE_SQL | OPT_SCOPE_SERVER | OPT_SCOPE_ENGINE | OPT_SCOPE_STORES | OPT_SCOPE_SHARED,
    .sync_levels = SYNC_BIT(SYNC_YES) | SYNC_BIT(SYNC_NO) | SYNC_BIT(SYNC_SERVER) |
                   SYNC_BIT(SYNC_VOLATILE) | SYNC_BIT(SYNC_BOUNDED) | SYNC_BIT(SYNC_POWER_SAFE),
    .free_lists = FREE_LIST_BIT(FREE_LIST_SHARED_FLQ) | FREE_LIST_BIT(FREE_LIST_SKIP_LOCKED),
    .keeps_leases = true,
    /* TIMESTAMP ranges from 1970-01-01 00:00:01 to 2038-01-19; Kea refuses later times for every
       database (MAX_DB_TIME). */
    .expire_least_s = 1,
    .expire_most_s = INT32_MAX,
    .server_processes = " mariadbd mysqld ",
    .settings_help = "a server variable: set for the session if possible, or\nelse for all "
                     "sessions and restored at the end",
    .library = mysql_library,
    .open = mysql_store_open,
    .close = mysql_store_close,
    .describe = mysql_describe,
    .durability = mysql_durability,
    .dialect = &mysql_dialect,
    .limits = mysql_limits,
    .node_loss = mysql_store_node_loss,
    .session_open = mysql_session_open,
    .session_close = mysql_session_close,
    .check = mysql_check,
    SQL_OPERATIONS(MEMBER) SQL_FREE_LISTS(MEMBER) SERVER_OPERATIONS(MEMBER).ask_together =
        sql_ask_together,
    .reset = server_reset,
    .begin = mysql_store_begin,
    .commit = mysql_store_commit,
    .catch_up = mysql_catch_up,
    .ping = mysql_session_ping,
    .cancel = mysql_cancel,
};
