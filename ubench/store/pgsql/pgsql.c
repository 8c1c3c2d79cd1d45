/* SPDX-License-Identifier: ISC */
/* PostgreSQL, through libpq. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/thread.h"
#include "store/pgsql/pgsql_store.h"
#include "store/sql/candidates.h"

enum { VERSION_SIZE = 16 };

struct store {
    struct server server;
    struct connection connection;
    int lock_holder; /* process id of the backend that holds the lock */
    struct sql_table table;
    char prefix[PREFIX_SIZE];   /* schema of the table, with a dot */
    char file[TABLE_FILE_SIZE]; /* file of the lease table since it was last emptied */
    pthread_mutex_t file_lock;  /* protects file; held while the table is emptied */
    struct settings settings;
    char kea_version[VERSION_SIZE]; /* version of the schema, if Kea created the table */
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

/* --- The store --- */

/* Gives a new connection of the store the settings and the lock of the lost one. */
static int resume(struct store *store, struct err *err)
{
    const struct store_config *const config = &store->server.config;

    return settings_set(NULL, &store->connection, config, err) == 0 &&
                   (config->joins || table_lock(&store->connection, &store->lock_holder, err) == 0)
               ? 0
               : -1;
}

/* Checks that the lease table still has the same file.  A table that becomes unlogged and permanent
   again gets a new file each time.  A process that joins another does not check: the other may
   empty the table, and checks this itself. */
static int check_file(struct store *store, struct err *err)
{
    char now[TABLE_FILE_SIZE];

    if (store->server.config.joins)
        return 0;
    (void)pthread_mutex_lock(&store->file_lock);
    int status = table_read_file(&store->connection, &store->table, now, err);
    if (status == 0 && strcmp(now, store->file) != 0)
        status = err_set(
            err,
            "pgsql: table %s was rewritten during the run (ALTER TABLE, VACUUM FULL, CLUSTER or "
            "TRUNCATE) and may have been unlogged for a moment, so the durability class is unknown",
            store->table.name);
    (void)pthread_mutex_unlock(&store->file_lock);
    return status;
}

/* Checks that the server has loaded no settings since open, and that the table is the same. */
static int check(struct store *store, struct err *err)
{
    return settings_check_loaded(store->settings.loaded, &store->connection, err) == 0
               ? check_file(store, err)
               : -1;
}

/* Refuses a pooler such as PgBouncer, behind which another process serves than the one that the
   server announced: what a session sets or locks there may remain, or concern another session. */
static int refuse_pooler(struct connection *connection, struct err *err)
{
    char process[24];

    if (connection_value(connection, "look for a pooler", process, sizeof process, err,
                         "SELECT pg_backend_pid()") != 0)
        return -1;
    return strtol(process, NULL, 10) == PQbackendPID(connection->conn)
               ? 0
               : err_set(err,
                         "pgsql: a connection pooler answers, in which settings and locks of a "
                         "session may go to another one; name the server itself with -m and -P");
}

static int open_store(struct store *store, const struct store_config *config, struct err *err)
{
    struct server *const server = &store->server;
    struct connection *const connection = &store->connection;
    struct err ignored;
    bool unlogged;

    server->resume = resume;
    server->check = check;
    if (settings_unlogged(config->settings, &unlogged, err) != 0 ||
        server_start(server, config, &pgsql_client, connection, err) != 0 ||
        refuse_pooler(connection, err) != 0 ||
        settings_set(&store->settings, connection, config, err) != 0 ||
        (!config->joins && table_lock(connection, &store->lock_holder, err) != 0) ||
        table_open(&store->table, store->prefix, connection, config, unlogged, err) != 0 ||
        table_read_file(connection, &store->table, store->file, err) != 0 ||
        settings_check_loaded(store->settings.loaded, connection, err) != 0)
        return -1;
    if (!store->table.made_by_us)
        (void)connection_value(connection, "read schema_version", store->kea_version,
                               sizeof store->kea_version, &ignored,
                               "SELECT version || '.' || minor FROM schema_version");
    settings_read_changed(&server->changed, connection);
    connection_log_path(connection, server->log_path, sizeof server->log_path);
    sql_statements_init(&server->statements, &pgsql_dialect, &store->table, config);
    if (config->trips == TRIPS_PROCEDURE)
        sql_calls_init(&server->statements);
    if (server_read(server, err) != 0)
        return -1;
    settings_read_standbys(&store->settings, &server->settings, connection);
    return sql_candidates_open(&server->statements, connection, config, err);
}

/* Only the objects of a --sql file were changed for other sessions. */
static int pgsql_close(struct store *store, struct err *err)
{
    if (store == NULL)
        return 0;
    struct endpoints *const endpoints = &store->server.endpoints;
    struct err ignored;
    atomic_store(&endpoints->watchdog.limit_s, CLOSE_TIMEOUT_S);
    const int dropped = server_tear_down(&store->server, err);
    /* The server would release the locks by itself, but only some time after the disconnect:
       seconds on a busy machine.  A server that did not answer a session will not answer this. */
    if (atomic_load(&endpoints->cancels) == 0 && !atomic_load(&endpoints->watchdog.timed_out) &&
        !connection_is_lost(&store->connection))
        (void)connection_run(&store->connection, "unlock", &ignored,
                             "SELECT pg_advisory_unlock_all()");
    server_stop(&store->server);
    (void)pthread_mutex_destroy(&store->file_lock);
    free(store);
    return dropped;
}

static struct store *pgsql_open(const struct store_config *config, struct err *err)
{
    struct store *const store = err_calloc(1, sizeof *store, err);
    struct err second;

    if (store == NULL)
        return NULL;
    if (config->host != NULL)
        (void)unsetenv("PGHOSTADDR"); /* for libpq it precedes the host */
    (void)pthread_mutex_init(&store->file_lock, NULL);
    if (open_store(store, config, err) == 0)
        return store;
    store_report_progress(config, OPEN_FAILED, store);
    if (pgsql_close(store, &second) != 0)
        err_add(err, "; and %s", second.text);
    return NULL;
}

/* --- What a report says of it --- */

static void describe_connection(const struct store *store, struct properties *properties)
{
    PGconn *const conn = store->connection.conn;
    const char *const host = PQhost(conn);
    const char *const cipher = PQsslAttribute(conn, "cipher");
    const char *const protocol = PQsslAttribute(conn, "protocol");

    if (host == NULL || host[0] == '/' || host[0] == '@')
        properties_add(properties, "connection", "socket %s/.s.PGSQL.%s", host == NULL ? "" : host,
                       PQport(conn));
    else
        properties_add(properties, "connection", "TCP to %s, port %s", host, PQport(conn));
    if (PQsslInUse(store->connection.conn))
        properties_add(properties, "encryption", "%s, %s", protocol == NULL ? "TLS" : protocol,
                       cipher == NULL ? "unknown cipher" : cipher);
    else
        properties_add(properties, "encryption", "%s",
                       PQgssEncInUse(conn) != 0 ? "GSSAPI" : "none");
}

static void describe_table(const struct store *store, struct properties *properties)
{
    const struct sql_table *const table = &store->table;
    char missing[96];

    const char *const kea = store->kea_version;
    properties_add(properties, table->name, "%s", table->facts[PERSISTENCE]);
    properties_add(properties, "made by", "%s%s%s",
                   table->made_by_us ? "ubench"
                   : kea[0] != '\0'  ? "Kea (schema "
                                     : "its owner",
                   kea, kea[0] != '\0' ? ")" : "");
    sql_table_missing(table, false, missing, sizeof missing);
    properties_add(properties, "columns", "%zu%s%s",
                   store->server.statements.items[SQL_FIND_BY_ADDRESS].column_count,
                   missing[0] != '\0' ? " without " : "", missing);
    properties_add(properties, "secondary indexes", "%s",
                   table->facts[INDEXES][0] != '\0' ? table->facts[INDEXES] : "none");
    properties_add(properties, "triggers", "%u", table->triggers);
}

static void pgsql_describe(const struct store *store, struct properties *properties)
{
    char server[VERSION_SIZE];
    char library[VERSION_SIZE];

    write_version(server, PQserverVersion(store->connection.conn));
    write_version(library, PQlibVersion());
    properties_add(properties, "PostgreSQL", "%s (libpq %s)", server, library);
    describe_table(store, properties);
    settings_describe(&store->settings, &store->server.settings, store->server.config.settings,
                      properties);
    describe_connection(store, properties);
    endpoints_describe(&store->server.endpoints, properties);
    sql_changed_describe(&store->server.changed, properties);
}

static void pgsql_durability(const struct store *store, struct promise *promise)
{
    pgsql_promise(&store->server.settings, store->table.name, store->table.facts[PERSISTENCE],
                  promise);
}

static enum node_loss pgsql_store_node_loss(struct store *store)
{
    const struct properties *const before = &store->server.settings;
    struct properties now = *before;
    struct err ignored;

    if (store->server.endpoints.count > 1 &&
        settings_read(&store->connection, 0, &now, &ignored) != 0)
        return NODE_LOSS_UNKNOWN;
    return pgsql_node_loss(before, &now, store->table.facts[PERSISTENCE]);
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
    struct pgsql_session *const session = err_calloc(1, sizeof *session, err);

    if (session == NULL)
        return NULL;
    if (server_session_open(&session->base, store, &session->connection, err) != 0 ||
        settings_set(NULL, &session->connection, &store->server.config, err) != 0 ||
        server_check(&store->server, &session->connection, err) != 0 ||
        session_prepare(session, err) != 0) {
        pgsql_session_close(&session->base);
        return NULL;
    }
    return &session->base;
}

/* Reads the file again, since TRUNCATE changes it. */
static int pgsql_reset(struct session *session, struct err *err)
{
    struct store *const store = session->store;

    (void)pthread_mutex_lock(&store->file_lock);
    int status = server_reset(session, err);
    if (status == 0)
        status = table_read_file(session->connection, session->table, store->file, err);
    (void)pthread_mutex_unlock(&store->file_lock);
    return status;
}

/* Without ANALYZE the first autovacuum would come after a minute.  It invalidates prepared
   statements at a moment when the server knows the number of leases but not how different they are;
   by chance, it may then plan each search anew from then on, which takes a third more processor
   time. */
static int pgsql_analyze(struct session *session, struct err *err)
{
    const struct sql_table *const table = session->table;

    return connection_run(session->connection, "analyze", err, "ANALYZE %s%s", table->prefix,
                          table->name);
}

static int pgsql_begin(struct session *session, struct err *err)
{
    if (connection_run(session->connection, "begin", err, "BEGIN") != 0)
        return -1;
    session->connection->in_transaction = true;
    session->grouped = true;
    return 0;
}

static int pgsql_commit(struct session *session, struct err *err)
{
    struct connection *const connection = session->connection;
    PGresult *const result =
        connection_result(connection, "commit", PQsendQuery(connection->conn, "COMMIT"), err);

    connection->in_transaction = false;
    session->grouped = false;
    if (result == NULL)
        return -1;
    /* The server answers the COMMIT of a failed transaction with ROLLBACK, without an error. */
    const bool committed = strcmp(PQcmdStatus(result), "COMMIT") == 0;
    PQclear(result);
    return committed ? 0 : err_set(err, "pgsql: commit: the server rolled back");
}

/* Checks every page and the rows that each index refers to, as pg_amcheck does.  Needs an extension
   that only a superuser can install. */
static enum outcome pgsql_check(struct session *session, char *text, size_t size, struct err *err)
{
    static const char action[] = "check";
    struct connection *const connection = session->connection;
    const char *const table = session->table->name;
    char found[256];

    if (connection_value(connection, action, found, sizeof found, err,
                         "SELECT count(*) FROM pg_extension WHERE extname = 'amcheck'") != 0)
        return OUTCOME_ERROR;
    (void)snprintf(text, size, "not checked: no extension amcheck");
    if (found[0] == '0')
        return OUTCOME_HIT;
    if (connection_value(connection, action, found, sizeof found, err,
                         "SELECT msg FROM verify_heapam('%s'::regclass)", table) != 0)
        return OUTCOME_ERROR;
    (void)snprintf(text, size, "amcheck: %s", found[0] != '\0' ? found : "ok");
    if (found[0] != '\0')
        return OUTCOME_MISS;
    return connection_run(connection, action, err,
                          "SELECT bt_index_check(indexrelid, true) FROM pg_index"
                          " WHERE indrelid = '%s'::regclass",
                          table) == 0
               ? OUTCOME_HIT
               : OUTCOME_ERROR;
}

static int pgsql_session_ping(struct session *session, struct err *err)
{
    return connection_rows(session->connection, "ping", "", NULL, NULL, err);
}

/* Runs in a thread: PQcancel waits until the server hangs up, which it never does if it is
   stopped. */
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

/* Sends a cancel request to the server; when called again, shuts the connections down. */
static void pgsql_cancel(struct store *store)
{
    if (atomic_fetch_add(&store->server.endpoints.cancels, 1) == 0)
        watchdog_each(&store->server.endpoints.watchdog, begin_to_call_off);
    else
        watchdog_cancel(&store->server.endpoints.watchdog);
}

const struct backend the_backend = {
    .name = "pgsql",
    .default_target = "ubench",
    .scope = OPT_SCOPE_SQL | OPT_SCOPE_SERVER | OPT_SCOPE_STORES | OPT_SCOPE_SHARED,
    .sync_levels = SYNC_BIT(SYNC_YES) | SYNC_BIT(SYNC_NO) | SYNC_BIT(SYNC_SERVER) |
                   SYNC_BIT(SYNC_VOLATILE) | SYNC_BIT(SYNC_POWER_SAFE),
    .free_lists = FREE_LIST_BIT(FREE_LIST_SHARED_FLQ) | FREE_LIST_BIT(FREE_LIST_SKIP_LOCKED),
    .keeps_leases = true,
    .utf8_hostnames = true, /* VARCHAR, in a database in UTF-8 */
    .server_processes = " postgres ",
    .settings_help = "any setting that a session may change, or unlogged=yes|no",
    .library = pgsql_library,
    .open = pgsql_open,
    .close = pgsql_close,
    .describe = pgsql_describe,
    .durability = pgsql_durability,
    .dialect = &pgsql_dialect,
    .limits = pgsql_limits,
    .node_loss = pgsql_store_node_loss,
    .session_open = pgsql_session_open,
    .session_close = pgsql_session_close,
    .analyze = pgsql_analyze,
    .check = pgsql_check,
    SQL_OPERATIONS(MEMBER) SQL_FREE_LISTS(MEMBER) SERVER_OPERATIONS(MEMBER).ask_together =
        sql_ask_together,
    .reset = pgsql_reset,
    .begin = pgsql_begin,
    .commit = pgsql_commit,
    .ping = pgsql_session_ping,
    .cancel = pgsql_cancel,
};
