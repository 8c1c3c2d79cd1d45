/* SPDX-License-Identifier: ISC */
/*
 * Leases in MySQL or MariaDB, through either client library.  Each session has a connection of its
 * own; the store has one more, for what is everybody's: the table, the settings and the way back.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/mysql/mysql_session.h"
#include "store/mysql/mysql_settings.h"
#include "store/mysql/mysql_table.h"
#include "store/sql/counters.h"
#include "store/sql/operations.h"

struct store {
    struct store_config config;
    struct endpoints endpoints;
    struct connection connection;
    struct lock_holder holder;
    struct settings settings;
    struct properties changed; /* what else is not a default of the server */
    struct lease_table table;
    char made[VALUE_SIZE]; /* how: read_made */
    struct sql_statements statements;
    char transport[128];
    char log_path[PATH_MAX];
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

    (void)snprintf(store->transport, sizeof store->transport, "%s%s%s",
                   mysql_get_host_info(mysql), cipher != NULL ? ", TLS " : "",
                   cipher != NULL ? cipher : "");
}

/* What a run that was killed has left is restored before anything is read. */
static int recover(struct store *store, struct err *err)
{
    char notice[512];

    if (store->config.keep || store->config.joins)
        return 0;
    if (restore_left(&store->connection, notice, sizeof notice, err) != 0)
        return -1;
    if (notice[0] != '\0' && store->config.on_notice != NULL)
        store->config.on_notice(notice);
    return 0;
}

/* Reads what the class of a table rests on beside the variables: its engine and the options that
   it was made with, such as TRANSACTIONAL=0.  While the server cannot open a table, because it is
   being emptied say, its engine is NULL: then it is asked again, for a second. */
static int read_made(const struct store *store, char made[static VALUE_SIZE],
                     struct connection *connection, struct err *err)
{
    static const char unknown[] = "BASE TABLE";
    const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };

    for (int tries = 0; tries < 100; tries++) {
        if (connection_value(
                connection_query(connection, "looking at the lease table", err,
                                 "SELECT CONCAT_WS(' ', COALESCE(engine, table_type),"
                                 " NULLIF(create_options, '')) FROM information_schema.tables"
                                 " WHERE table_schema = DATABASE() AND table_name = '%s'",
                                 store->table.base.name),
                made, VALUE_SIZE) != 0)
            return -1;
        if (strncmp(made, unknown, sizeof unknown - 1) != 0)
            break;
        (void)nanosleep(&pause, NULL);
    }
    return 0;
}

/* Returns 0 if all that the class rests on is as it was at first. */
static int check_all(const struct store *store, struct connection *connection, struct err *err)
{
    char made[VALUE_SIZE];

    if (variables_check(&store->settings.variables, store->table.engine, connection, err) != 0 ||
        read_made(store, made, connection, err) != 0)
        return -1;
    return strcmp(made, store->made) == 0
               ? 0
               : server_settings_changed("mysql", store->table.base.name, store->made, made, err);
}

/* First what only looks, then what is restored on failure, then the table. */
static int open_store(struct store *store, struct err *err)
{
    struct connection *const connection = &store->connection;
    struct found found;
    char engine[sizeof store->table.engine];

    if (endpoints_init(&store->endpoints, &store->config, err) != 0)
        return -1;
    store_report_progress(&store->config, OPEN_CONNECTING, store);
    if (connection_open(connection, &store->endpoints, false, store->config.connect_timeout_s,
                        err) != 0)
        return -1;
    store_report_progress(&store->config, OPEN_WORKING, store);
    read_transport(store);
    connection_log_path(connection, store->log_path, sizeof store->log_path);
    if ((!store->config.joins && table_lock(connection, &store->holder, err) != 0) ||
        table_look(&found, connection, err) != 0 ||
        table_engine(engine, sizeof engine, connection, err) != 0 || recover(store, err) != 0 ||
        settings_sync(&store->settings, engine, connection, err) != 0 ||
        settings_set(&store->settings, connection, err) != 0 ||
        table_open(&store->table, engine, &found, connection, err) != 0 ||
        read_made(store, store->made, connection, err) != 0 ||
        variables_read(&store->settings.variables, connection, err) != 0)
        return -1;
    variables_read_changed(&store->changed, connection);
    sql_statements_init(&store->statements, &mysql_dialect, &store->table.base,
                        store->config.reservations);
    return 0;
}

static bool is_lost(const struct connection *connection)
{
    return connection->mysql == NULL || connection->link.lost;
}

/* Connects anew for what is everybody's. */
static int reopen(struct store *store, struct err *err)
{
    connection_close(&store->connection);
    return watchdog_canceled(store->endpoints.watchdog)
               ? err_set_class(err, ERR_CANCELED, "mysql: canceled")
               : connection_open(&store->connection, &store->endpoints, false, CLOSE_TIMEOUT_S,
                                 err);
}

/* Puts settings back, over a new connection if the old one is lost. */
static int restore(struct store *store, struct err *err)
{
    struct connection *const connection = &store->connection;
    struct restore *const restore = &store->settings.restore;
    struct err ignored;

    if (!restore->noted || (!is_lost(connection) && restore_all(restore, connection, err) == 0))
        return 0;
    if (reopen(store, err) != 0)
        return restore_fail(restore, err);
    /* What was sent over the old one is done when its lock is free. */
    (void)restore_lock(restore, connection, &ignored);
    return restore_all(restore, connection, err);
}

static void free_store(struct store *store)
{
    connection_close(&store->connection);
    watchdog_free(store->endpoints.watchdog);
    free(store);
}

static struct store *mysql_store_open(const struct store_config *config, struct err *err)
{
    struct store *const store = calloc(1, sizeof *store);
    struct err second;

    if (store == NULL || mysql_library_init(0, NULL, NULL) != 0) {
        (void)err_set(err, "mysql: out of memory");
        free(store);
        return NULL;
    }
    store->config = *config;
    store->endpoints.watchdog = watchdog_new(config->read_timeout_s, err);
    if (store->endpoints.watchdog == NULL) {
        free(store);
        return NULL;
    }
    if (open_store(store, err) == 0)
        return store;
    store_report_progress(config, OPEN_FAILED, store);
    watchdog_forget(store->endpoints.watchdog);
    if (restore(store, &second) != 0) {
        const struct err first = *err;
        (void)err_set_class(err, first.kind, "%.380s; and %.380s", first.text, second.text);
    }
    free_store(store);
    return NULL;
}

/* Connects anew during a run, and locks again what the lost connection had. */
static int resume(struct store *store, struct err *err)
{
    struct connection *const connection = &store->connection;
    struct restore *const restore = &store->settings.restore;

    if (reopen(store, err) == 0 &&
        (store->config.joins || table_lock(connection, &store->holder, err) == 0) &&
        (!restore->noted || restore_lock(restore, connection, err) == 0) &&
        settings_set_session(&store->settings, connection, err) == 0)
        return 0;
    connection_close(connection);
    return -1;
}

/* A connection that is lost proves nothing, but another is tried; if another run has our locks by
   then, this one must not go on. */
static int mysql_check_class(struct store *store, struct err *err)
{
    struct connection *const connection = &store->connection;

    if (is_lost(connection) && resume(store, err) != 0)
        return err->kind == ERR_BUSY ? -1 : 0;
    return check_all(store, connection, err) == 0 || is_lost(connection) ? 0 : -1;
}

static enum node_loss mysql_store_node_loss(struct store *store)
{
    struct variables now;
    struct err ignored;

    return is_lost(&store->connection) ||
                   variables_read(&now, &store->connection, &ignored) != 0
               ? NODE_LOSS_UNKNOWN
               : mysql_node_loss(&store->settings.variables, &now, store->table.engine);
}

static int mysql_store_close(struct store *store, struct err *err)
{
    if (store == NULL)
        return 0;
    watchdog_forget(store->endpoints.watchdog);
    watchdog_set_limit(store->endpoints.watchdog, CLOSE_TIMEOUT_S);
    const int restored = restore(store, err);
    free_store(store);
    return restored;
}

static void mysql_describe(const struct store *store, struct properties *properties)
{
    const char *const version = store->settings.variables.value[VARIABLE_VERSION];

    properties_add(properties, store->connection.mariadb ? "MariaDB" : "MySQL",
                   "%.*s (client %s), %s", (int)strspn(version, "0123456789."), version,
                   mysql_get_client_info(), store->table.engine);
    table_describe(&store->table, properties);
    variables_describe(&store->settings.variables, store->table.engine, properties);
    settings_describe(&store->settings, &store->config, properties);
    properties_add(properties, "connection", "%s", store->transport);
    endpoints_describe(&store->endpoints, properties);
    server_settings_describe(&store->changed, properties);
}

static enum durability mysql_durability(const struct store *store, char *text, size_t size)
{
    return mysql_class(&store->settings.variables, store->table.engine, store->table.options, text,
                       size);
}

static struct connection *connection_of(struct session *session)
{
    return &mysql_session_of(session)->connection;
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

/* Reads and changes wait by themselves if both bits of wsrep_sync_wait are set (1: SELECT, 2:
   UPDATE and DELETE), or by a group's consistency. */
static bool waits_already(const char *value)
{
    return strcmp(value, "BEFORE") == 0 || strcmp(value, "BEFORE_AND_AFTER") == 0 ||
           (strtoul(value, NULL, 10) & 3) == 3;
}

static enum outcome mysql_catch_up(struct session *session, struct err *err)
{
    static const char action[] = "waiting for other nodes";
    struct store *const store = session->store;
    struct connection *const connection = connection_of(session);
    const bool group = variables_on(&store->settings.variables, VARIABLE_GROUP_MEMBERS);
    const char *const variable = group ? "group_replication_consistency" : "wsrep_sync_wait";
    const char *const quote = group ? "'" : ""; /* BEFORE is a key word */
    char value[32];

    if (store->endpoints.count < 2 || (!connection->in_cluster && !group))
        return OUTCOME_MISS;
    if (connection_value(
            connection_query(connection, action, err, "SELECT @@SESSION.%s", variable), value,
            sizeof value) != 0)
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
    struct mysql_session *const session = calloc(1, sizeof *session);

    if (session == NULL) {
        (void)err_set(err, "mysql: out of memory");
        return NULL;
    }
    sql_session_init(&session->base, store, &mysql_dialect, &store->table.base, &store->statements,
                     store->config.compiled);
    if (connection_open(&session->connection, &store->endpoints, true,
                        store->config.connect_timeout_s, err) != 0) {
        free(session);
        return NULL;
    }
    session->connection.in_cluster = variables_on(&store->settings.variables, VARIABLE_GALERA);
    /* A server that was started again has forgotten what was set for all. */
    if (settings_set_session(&store->settings, &session->connection, err) == 0 &&
        check_all(store, &session->connection, err) == 0 &&
        (!store->config.compiled || session_prepare(session, err) == 0) &&
        mysql_catch_up(&session->base, err) != OUTCOME_ERROR)
        return &session->base;
    mysql_session_close(&session->base);
    return NULL;
}

static int mysql_reset(struct session *session, struct err *err)
{
    return table_empty(&session->store->table, connection_of(session), err);
}

static int mysql_count(struct session *session, uint64_t *count,
                       struct err *err)
{
    char text[24];

    if (connection_value(connection_query(connection_of(session), "count", err,
                                          "SELECT COUNT(*) FROM %s",
                                          session->table->name),
                         text, sizeof text) != 0)
        return -1;
    *count = strtoull(text, NULL, 10);
    return 0;
}

static int mysql_read_counters(struct session *session, enum counters which,
                               struct lease_counts *counts, struct err *err)
{
    char sql[COUNTER_SQL_SIZE];
    int64_t values[COUNTER_SQL_COLUMNS];
    MYSQL_ROW row;
    int status = 0;

    counter_sql_read(sql, session->store->config.family, which);
    MYSQL_RES *const rows = connection_query(
        connection_of(session), "reading the counters", err, "%s", sql);
    if (rows == NULL)
        return -1;
    while (status == 0 && (row = mysql_fetch_row(rows)) != NULL) {
        for (int i = 0; i < COUNTER_SQL_COLUMNS; i++)
            values[i] = strtoll(row[i], NULL, 10);
        status = counter_sql_add(counts, values, "mysql", err);
    }
    mysql_free_result(rows);
    return status;
}

static enum outcome mysql_check(struct session *session, char *text,
                                size_t size, struct err *err)
{
    MYSQL_RES *const rows =
        connection_query(connection_of(session), "check", err,
                         "CHECK TABLE %s EXTENDED", session->table->name);
    MYSQL_ROW row;
    char last[128] = "no answer";

    if (rows == NULL)
        return OUTCOME_ERROR;
    /* Table, operation, kind of message, message: the last one decides. */
    while ((row = mysql_fetch_row(rows)) != NULL)
        (void)snprintf(last, sizeof last, "%s", row[3]);
    mysql_free_result(rows);
    (void)snprintf(text, size, "CHECK TABLE: %s", last);
    return strcmp(last, "OK") == 0 ? OUTCOME_HIT : OUTCOME_MISS;
}

static int mysql_store_begin(struct session *session, struct err *err)
{
    return connection_run(connection_of(session), "begin", err,
                          "START TRANSACTION");
}

static int mysql_store_commit(struct session *session, struct err *err)
{
    return connection_run(connection_of(session), "commit", err, "COMMIT");
}

static int mysql_session_ping(struct session *session, struct err *err)
{
    return connection_ping(connection_of(session), err);
}

static void mysql_data_path(const struct store *store, char *path, size_t size)
{
    (void)snprintf(path, size, "%s", store->log_path);
}

static void mysql_cancel(struct store *store)
{
    watchdog_cancel(store->endpoints.watchdog);
}

const struct backend the_backend = {
    .name = "mysql",
    .default_target = "ubench",
    .scope = OPT_SCOPE_SQL | OPT_SCOPE_SERVER | OPT_SCOPE_ENGINE |
             OPT_SCOPE_STORES | OPT_SCOPE_SHARED,
    .sync_levels = SYNC_BIT(SYNC_YES) | SYNC_BIT(SYNC_NO) |
                   SYNC_BIT(SYNC_SERVER) | SYNC_BIT(SYNC_VOLATILE) |
                   SYNC_BIT(SYNC_BOUNDED) | SYNC_BIT(SYNC_POWER_SAFE),
    .keeps_leases = true,
    /* TIMESTAMP goes from 1970-01-01 00:00:01 to 2038-01-19; Kea refuses later
       times on every database (MAX_DB_TIME). */
    .expire_least_s = 1,
    .expire_most_s = INT32_MAX,
    .server_processes = " mariadbd mysqld ",
    .settings_help = "a variable of the server: set for the session, or else "
                     "for all and put\nback at the end",
    .library = mysql_library,
    .open = mysql_store_open,
    .close = mysql_store_close,
    .describe = mysql_describe,
    .durability = mysql_durability,
    .check_class = mysql_check_class,
    .node_loss = mysql_store_node_loss,
    .session_open = mysql_session_open,
    .session_close = mysql_session_close,
    .reset = mysql_reset,
    .count = mysql_count,
    .read_counters = mysql_read_counters,
    .check = mysql_check,
    SQL_OPERATIONS,
    .begin = mysql_store_begin,
    .commit = mysql_store_commit,
    .catch_up = mysql_catch_up,
    .ping = mysql_session_ping,
    .data_path = mysql_data_path,
    .cancel = mysql_cancel,
};
