/* SPDX-License-Identifier: ISC */
/* PostgreSQL, through libpq. */
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/thread.h"
#include "store/pgsql/pgsql_session.h"
#include "store/pgsql/pgsql_settings.h"
#include "store/pgsql/pgsql_table.h"
#include "store/sql/counters.h"
#include "store/sql/operations.h"

enum { VERSION_SIZE = 16 };

struct store {
    struct connection connection; /* for open and its lock, nothing timed */
    int lock_holder;              /* the server's process for it */
    struct store_config config;
    struct endpoints endpoints;
    struct lease_table table;
    struct sql_statements statements;
    struct settings settings;
    struct loaded loaded; /* for what looks at the class */
    char kea_version[VERSION_SIZE]; /* of the schema, if Kea made the table */
    char log_path[PATH_MAX];
};

static void write_version(char text[static VERSION_SIZE], int number)
{
    (void)snprintf(text, VERSION_SIZE, "%d.%d", number / 10000, number % 10000);
}

static void pgsql_library(char *text, size_t size)
{
    char version[VERSION_SIZE];

    write_version(version, PQlibVersion());
    (void)snprintf(text, size, "libpq %s", version);
}

/* The version of Kea's schema, where its scripts made the tables. */
static void read_kea_version(struct store *store)
{
    struct err ignored;

    if (!store->table.base.made_by_us)
        (void)connection_value(
            &store->connection, "read schema_version",
            "SELECT version || '.' || minor FROM schema_version", NULL,
            store->kea_version, sizeof store->kea_version, &ignored);
}

/* --- The store --- */

static int open_link(struct store *store, struct err *err)
{
    const struct store_config *const config = &store->config;
    bool unlogged;

    if (settings_unlogged(config->settings, &unlogged, err) != 0 ||
        endpoints_init(&store->endpoints, config, err) != 0)
        return -1;
    store_report_progress(config, OPEN_CONNECTING, store);
    if (connection_open(&store->connection, &store->endpoints, false, config->connect_timeout_s,
                        err) != 0)
        return -1;
    store_report_progress(config, OPEN_WORKING, store);
    if (settings_set(&store->settings, &store->connection, config, err) != 0 ||
        (!config->joins &&
         table_lock(&store->connection, &store->lock_holder, err) != 0) ||
        table_open(&store->table, &store->connection, config, unlogged, err) !=
            0 ||
        settings_check_loaded(&store->loaded, &store->connection, err) != 0 ||
        settings_read(&store->settings, &store->connection, err) != 0) {
        store_report_progress(config, OPEN_FAILED, store);
        connection_close(&store->connection);
        return -1;
    }
    read_kea_version(store);
    settings_read_changed(&store->settings, &store->connection);
    connection_log_path(&store->connection, store->log_path,
                        sizeof store->log_path);
    return 0;
}

static void free_store(struct store *store)
{
    watchdog_free(store->endpoints.watchdog);
    free(store);
}

static struct store *pgsql_open(const struct store_config *config,
                                struct err *err)
{
    struct store *const store = calloc(1, sizeof *store);

    if (store == NULL) {
        (void)err_set(err, "pgsql: out of memory");
        return NULL;
    }
    store->config = *config;
    store->endpoints.watchdog = watchdog_new(config->read_timeout_s, err);
    if (store->endpoints.watchdog == NULL || open_link(store, err) != 0) {
        free_store(store);
        return NULL;
    }
    sql_statements_init(&store->statements, &pgsql_dialect, &store->table.base,
                        config->reservations);
    return store;
}

static int pgsql_close(struct store *store, struct err *err)
{
    (void)err; /* nothing was changed for others */
    if (store == NULL)
        return 0;
    watchdog_set_limit(store->endpoints.watchdog, CLOSE_TIMEOUT_S);
    /* A server that did not answer a session will not answer us. */
    if (atomic_load(&store->endpoints.cancels) == 0 &&
        !watchdog_timed_out(store->endpoints.watchdog))
        table_close(&store->connection);
    connection_close(&store->connection);
    free_store(store);
    return 0;
}

/* Connects anew during a run, and locks again what the lost connection had. */
static int resume(struct store *store, struct err *err)
{
    struct connection *const connection = &store->connection;

    connection_close(connection);
    if (connection_open(connection, &store->endpoints, false, CLOSE_TIMEOUT_S, err) == 0 &&
        settings_set(NULL, connection, &store->config, err) == 0 &&
        (store->config.joins ||
         table_lock(connection, &store->lock_holder, err) == 0))
        return 0;
    connection_close(connection);
    return -1;
}

/* A connection that is lost proves nothing, but another is tried; if another
   run has our lock by then, this one must not go on. */
static int pgsql_check_class(struct store *store, struct err *err)
{
    struct connection *const connection = &store->connection;

    if (connection_is_lost(connection) && atomic_load(&store->endpoints.cancels) > 0)
        return 0;
    if (connection_is_lost(connection) && resume(store, err) != 0)
        return err->kind == ERR_BUSY ? -1 : 0;
    if (settings_check(&store->settings, &store->table, connection, err) == 0 &&
        settings_check_loaded(&store->loaded, connection, err) == 0)
        return 0;
    return connection_is_lost(connection) || atomic_load(&store->endpoints.cancels) > 0 ? 0 : -1;
}

/* --- What a report says of it --- */

static enum durability pgsql_durability(const struct store *store, char *text,
                                        size_t size)
{
    return settings_durability(&store->settings, &store->table, text, size);
}

/* What another node acknowledges after a failover is not known. */
static enum node_loss pgsql_node_loss(struct store *store)
{
    struct connection *const connection = &store->connection;
    struct settings now = store->settings;
    struct err ignored;

    if (connection->link.endpoint->one_of_several &&
        (settings_read(&now, connection, &ignored) != 0 ||
         strcmp(now.value[SETTING_STANDBY_NAMES],
                store->settings.value[SETTING_STANDBY_NAMES]) != 0))
        return NODE_LOSS_UNKNOWN;
    return settings_node_loss(&store->settings, &store->table);
}

static void describe_connection(const struct store *store,
                                struct properties *properties)
{
    PGconn *const conn = store->connection.conn;
    const char *const host = PQhost(conn);
    const char *const cipher = PQsslAttribute(conn, "cipher");
    const char *const protocol = PQsslAttribute(conn, "protocol");

    if (host == NULL || host[0] == '/' || host[0] == '@')
        properties_add(properties, "connection", "socket %s/.s.PGSQL.%s",
                       host == NULL ? "" : host, PQport(conn));
    else
        properties_add(properties, "connection", "TCP to %s, port %s", host,
                       PQport(conn));
    if (PQsslInUse(store->connection.conn))
        properties_add(properties, "encryption", "%s, %s",
                       protocol == NULL ? "TLS" : protocol,
                       cipher == NULL ? "unknown cipher" : cipher);
    else
        properties_add(properties, "encryption", "%s",
                       PQgssEncInUse(conn) != 0 ? "GSSAPI" : "none");
}

static void describe_table(const struct store *store,
                           struct properties *properties)
{
    const struct lease_table *const table = &store->table;
    char missing[96];

    properties_add(properties, table->base.name, "%s",
                   table_persistence(table));
    if (table->base.made_by_us)
        properties_add(properties, "made by", "ubench");
    else if (store->kea_version[0] != '\0')
        properties_add(properties, "made by", "Kea (schema %s)",
                       store->kea_version);
    else
        properties_add(properties, "made by", "its owner");
    sql_table_missing(&table->base, missing, sizeof missing);
    properties_add(properties, "columns", "%zu%s%s",
                   store->statements.items[SQL_FIND_BY_ADDRESS].column_count,
                   missing[0] != '\0' ? " without " : "", missing);
    properties_add(properties, "secondary indexes", "%u",
                   table->secondary_indexes);
    properties_add(properties, "triggers", "%u", table->triggers);
}

static void pgsql_describe(const struct store *store,
                           struct properties *properties)
{
    char server[VERSION_SIZE];
    char library[VERSION_SIZE];

    write_version(server, PQserverVersion(store->connection.conn));
    write_version(library, PQlibVersion());
    properties_add(properties, "PostgreSQL", "%s (libpq %s)", server, library);
    describe_table(store, properties);
    settings_describe(&store->settings, store->config.settings, properties);
    describe_connection(store, properties);
    endpoints_describe(&store->endpoints, properties);
    server_settings_describe(&store->settings.changed, properties);
}

/* --- Sessions --- */

static void pgsql_session_close(struct session *base)
{
    struct pgsql_session *const session = pgsql_session_of(base);

    if (session == NULL)
        return;
    connection_close(&session->connection);
    free(session);
}

static struct session *pgsql_session_open(struct store *store, struct err *err)
{
    struct pgsql_session *const session = calloc(1, sizeof *session);

    if (session == NULL) {
        (void)err_set(err, "pgsql: out of memory");
        return NULL;
    }
    sql_session_init(&session->base, store, &pgsql_dialect, &store->table.base,
                     &store->statements, store->config.compiled);
    session->table = &store->table;
    if (connection_open(&session->connection, &store->endpoints, true,
                        store->config.connect_timeout_s, err) != 0) {
        free(session);
        return NULL;
    }
    if (settings_set(NULL, &session->connection, &store->config, err) != 0 ||
        settings_check(&store->settings, &store->table, &session->connection,
                       err) != 0 ||
        table_check(&store->table, &session->connection, err) != 0 ||
        session_prepare(session, err) != 0) {
        pgsql_session_close(&session->base);
        return NULL;
    }
    return &session->base;
}

static struct connection *connection_of(struct session *session)
{
    return &pgsql_session_of(session)->connection;
}

static int pgsql_reset(struct session *session, struct err *err)
{
    return table_empty(&session->store->table, connection_of(session), err);
}

static int pgsql_count(struct session *session, uint64_t *count,
                       struct err *err)
{
    char sql[64];
    char text[24];

    (void)snprintf(sql, sizeof sql, "SELECT count(*) FROM %s",
                   session->table->name);
    if (connection_value(connection_of(session), "count", sql, NULL, text,
                         sizeof text, err) != 0)
        return -1;
    *count = strtoull(text, NULL, 10);
    return 0;
}

static int pgsql_begin(struct session *session, struct err *err)
{
    if (connection_run(connection_of(session), "begin", err, "BEGIN") != 0)
        return -1;
    connection_of(session)->in_transaction = true;
    return 0;
}

static int pgsql_commit(struct session *session, struct err *err)
{
    PGresult *const result = connection_query(connection_of(session), "commit",
                                              "COMMIT", 0, NULL, err);

    connection_of(session)->in_transaction = false;
    if (result == NULL)
        return -1;
    /* To COMMIT what has failed the server answers ROLLBACK, and no error. */
    const bool committed = strcmp(PQcmdStatus(result), "COMMIT") == 0;
    PQclear(result);
    return committed ? 0
                     : err_set(err, "pgsql: commit: the server rolled back");
}

static int pgsql_read_counters(struct session *session, enum counters which,
                               struct lease_counts *counts, struct err *err)
{
    char sql[COUNTER_SQL_SIZE];
    int64_t values[COUNTER_SQL_COLUMNS];
    int status = 0;

    counter_sql_read(sql, session->table->family, which);
    PGresult *const result = connection_query(
        connection_of(session), "read the counters", sql, 0, NULL, err);
    if (result == NULL)
        return -1;
    for (int row = 0; row < PQntuples(result) && status == 0; row++) {
        for (int i = 0; i < COUNTER_SQL_COLUMNS; i++)
            values[i] = strtoll(PQgetvalue(result, row, i), NULL, 10);
        status = counter_sql_add(counts, values, "pgsql", err);
    }
    PQclear(result);
    return status;
}

/* Looks at every page and at what each index leads to, as pg_amcheck does.  It
   takes an extension that only a superuser can install. */
static enum outcome pgsql_check(struct session *session, char *text,
                                size_t size, struct err *err)
{
    static const char installed[] =
        "SELECT count(*) FROM pg_extension WHERE extname = 'amcheck'";
    static const char indexes[] =
        "SELECT bt_index_check(indexrelid, true) FROM pg_index"
        " WHERE indrelid = $1::regclass";
    static const char heap[] =
        "SELECT blkno, offnum, msg FROM verify_heapam($1::regclass)";
    static const char action[] = "check";
    const char *const params[] = { session->table->name };
    char count[24];

    if (connection_value(connection_of(session), action, installed, NULL, count,
                         sizeof count, err) != 0)
        return OUTCOME_ERROR;
    (void)snprintf(text, size, "not checked: no extension amcheck");
    if (count[0] == '0')
        return OUTCOME_HIT;
    PGresult *result =
        connection_query(connection_of(session), action, heap, 1, params, err);
    if (result == NULL)
        return OUTCOME_ERROR;
    const bool whole = PQntuples(result) == 0;
    (void)snprintf(text, size, "amcheck: %s",
                   whole ? "ok" : PQgetvalue(result, 0, 2));
    PQclear(result);
    if (!whole)
        return OUTCOME_MISS;
    result = connection_query(connection_of(session), action, indexes, 1,
                              params, err);
    if (result == NULL)
        return OUTCOME_ERROR;
    PQclear(result);
    return OUTCOME_HIT;
}

static int pgsql_session_ping(struct session *session, struct err *err)
{
    return connection_ping(connection_of(session), err);
}

static void pgsql_data_path(const struct store *store, char *path, size_t size)
{
    (void)snprintf(path, size, "%s", store->log_path);
}

/* PQcancel waits for the server to hang up, for ever if it has stopped. */
static void *call_off(void *target)
{
    char ignored[256];

    (void)PQcancel(target, ignored, (int)sizeof ignored);
    PQfreeCancel(target);
    return NULL;
}

static void begin_to_call_off(struct watched *watched)
{
    PGcancel *const target = PQgetCancel(((struct connection *)watched)->conn);
    pthread_t thread;

    if (target != NULL && thread_start(&thread, call_off, target) == 0)
        (void)pthread_detach(thread);
    else
        PQfreeCancel(target);
}

/* Tells the server, and does not wait for it any more when called again. */
static void pgsql_cancel(struct store *store)
{
    if (atomic_fetch_add(&store->endpoints.cancels, 1) == 0)
        watchdog_each(store->endpoints.watchdog, begin_to_call_off);
    else
        watchdog_cancel(store->endpoints.watchdog);
}

const struct backend the_backend = {
    .name = "pgsql",
    .default_target = "ubench",
    .scope =
        OPT_SCOPE_SQL | OPT_SCOPE_SERVER | OPT_SCOPE_STORES | OPT_SCOPE_SHARED,
    .sync_levels = SYNC_BIT(SYNC_YES) | SYNC_BIT(SYNC_NO) |
                   SYNC_BIT(SYNC_SERVER) | SYNC_BIT(SYNC_VOLATILE) |
                   SYNC_BIT(SYNC_POWER_SAFE),
    .keeps_leases = true,
    .utf8_hostnames = true, /* VARCHAR, in a database of that encoding */
    .server_processes = " postgres ",
    .settings_help = "any setting that the server lets a session change, or "
                     "unlogged=yes|no",
    .library = pgsql_library,
    .open = pgsql_open,
    .close = pgsql_close,
    .describe = pgsql_describe,
    .durability = pgsql_durability,
    .check_class = pgsql_check_class,
    .node_loss = pgsql_node_loss,
    .session_open = pgsql_session_open,
    .session_close = pgsql_session_close,
    .reset = pgsql_reset,
    .count = pgsql_count,
    .read_counters = pgsql_read_counters,
    .check = pgsql_check,
    SQL_OPERATIONS,
    .begin = pgsql_begin,
    .commit = pgsql_commit,
    .ping = pgsql_session_ping,
    .data_path = pgsql_data_path,
    .cancel = pgsql_cancel,
};
