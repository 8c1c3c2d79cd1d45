/* SPDX-License-Identifier: ISC */
#include "store/pgsql/pgsql_store.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/clock.h"

enum { FIELDS_MAX = 32, PORT_SIZE = 8 };

/* Splits a path into a socket's directory, made absolute, and a port, as libpq needs them.  The
   path is the directory or, as other programs print it, the socket's file. */
static int find_folder(const char **host, char folder[static PATH_MAX], char port[static PORT_SIZE],
                       struct err *err)
{
    const char *const slash = *host == NULL ? NULL : strrchr(*host, '/');
    char given[PATH_MAX];
    char number[PORT_SIZE];
    int end = 0;

    if (slash == NULL)
        return 0;
    (void)snprintf(given, sizeof given, "%s", *host);
    if (sscanf(slash + 1, ".s.PGSQL.%7[0-9]%n", number, &end) == 1 && slash[1 + end] == '\0') {
        given[slash == *host ? 1 : slash - *host] = '\0';
        (void)strcpy(port, number);
    }
    if (realpath(given, folder) == NULL)
        return err_set_class(err, ERR_LOST, "pgsql: connect: %s: %s", given, strerror(errno));
    *host = folder;
    return 0;
}

/* Keeps notices off stderr, where progress is printed, and records why a server hung up: if it does
   so between two statements, libpq treats its message as a notice. */
static void take_notice(void *arg, const PGresult *notice)
{
    struct connection *const connection = arg;
    const char *const severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
    const char *const said = PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY);
    const char *const sqlstate = PQresultErrorField(notice, PG_DIAG_SQLSTATE);

    if (severity == NULL || said == NULL || sqlstate == NULL ||
        (strcmp(severity, "FATAL") != 0 && strcmp(severity, "PANIC") != 0))
        return;
    (void)snprintf(connection->last_words, sizeof connection->last_words, "%s", said);
    (void)snprintf(connection->last_sqlstate, sizeof connection->last_sqlstate, "%s", sqlstate);
}

/* libpq 18 has no message for a lack of file descriptors. */
static int fail_to_begin(struct connection *connection, struct err *err)
{
    const int error = errno;

    return PQerrorMessage(connection->conn)[0] != '\0' || error == 0
               ? connection_fail(connection, "connect", NULL, err)
               : err_set_class(err, ERR_LOST, "pgsql: connect: %s", strerror(error));
}

/* Waits until the connection is established.  libpq's own limit uses the time of day, which may be
   set meanwhile. */
static int await_connected(struct connection *connection, uint64_t limit_s, struct err *err)
{
    enum { SLICE_MS = 100 };
    PGconn *const conn = connection->conn;
    const atomic_uint *const cancels = &connection->link.endpoints->cancels;
    const uint64_t deadline_ns = clock_now_ns() + limit_s * NS_PER_S;
    PostgresPollingStatusType wanted = PGRES_POLLING_WRITING;

    if (conn == NULL || PQstatus(conn) == CONNECTION_BAD)
        return fail_to_begin(connection, err);
    while (wanted != PGRES_POLLING_OK && wanted != PGRES_POLLING_FAILED) {
        struct pollfd polled = {
            .fd = PQsocket(conn),
            .events = wanted == PGRES_POLLING_READING ? POLLIN : POLLOUT,
        };

        if (atomic_load(cancels) != 0)
            return err_set_class(err, ERR_CANCELED, "pgsql: connect: canceled");
        if (clock_now_ns() >= deadline_ns)
            return err_set_class(err, ERR_LOST,
                                 "pgsql: connect: connection to server at \"%s\", port %s failed: "
                                 "timeout expired",
                                 PQhost(conn), PQport(conn));
        const int ready = poll(&polled, 1, SLICE_MS);
        if (ready > 0 || (ready < 0 && errno != EINTR))
            wanted = PQconnectPoll(conn);
    }
    return wanted == PGRES_POLLING_OK ? 0 : connection_fail(connection, "connect", NULL, err);
}

static int connect_pgsql(struct connection *connection, uint64_t limit_s, struct err *err)
{
    struct sql_link *const link = &connection->link;
    const struct store_config *const config = &link->endpoint->config;
    static const char *const names[] = {
        "host",
        "port",
        "user",
        "password",
        "dbname",
        "tcp_user_timeout",
        "target_session_attrs",
        "client_encoding",
        "application_name",
        NULL,
    };
    char folder[PATH_MAX];
    char port[PORT_SIZE] = "";
    char unanswered[24];
    const char *host = config->host;

    if (config->port != 0)
        (void)snprintf(port, sizeof port, "%u", (unsigned)config->port);
    (void)snprintf(unanswered, sizeof unanswered, "%" PRIu64, config->read_timeout_s * 1000);
    if (find_folder(&host, folder, port, err) != 0)
        return -1;
    /* For a NULL or empty value libpq uses the environment, the service file and ~/.pgpass. */
    const char *const values[] = {
        host,
        port,
        config->user,
        config->password,
        config->target,
        config->read_timeout_s != 0 ? unanswered : NULL,
        link->endpoints->count > 1 ? "read-write" : NULL,
        "UTF8",
        "ubench",
        NULL,
    };
    connection->last_words[0] = '\0';
    connection->in_transaction = false;
    errno = 0;
    /* 0: the database name is not parsed as a connection string. */
    connection->conn = PQconnectStartParams(names, values, 0);
    /* A server may send notices before the connection is established. */
    if (connection->conn != NULL)
        (void)PQsetNoticeReceiver(connection->conn, take_notice, connection);
    if (await_connected(connection, limit_s, err) != 0)
        return -1;
    watchdog_add(&link->endpoints->watchdog, &link->watched, PQsocket(connection->conn));
    return 0;
}

static void close_pgsql(struct connection *connection)
{
    PQfinish(connection->conn);
    connection->conn = NULL;
}

/* --- Errors --- */

static enum err_class classify(const struct connection *connection, const char *sqlstate)
{
    static const struct {
        const char *prefix;
        enum err_class class;
    } classes[] = {
        { "40P01", ERR_DEADLOCK }, { "40001", ERR_CONFLICT }, { "55P03", ERR_BUSY },
        { "53100", ERR_FULL },     { "57P0", ERR_LOST },      { "08", ERR_LOST },
        { "XX001", ERR_CORRUPT },  { "XX002", ERR_CORRUPT },
    };

    if (strcmp(sqlstate, "57014") == 0)
        return atomic_load(&connection->link.endpoints->cancels) != 0 ? ERR_CANCELED : ERR_TIMEOUT;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (strncmp(sqlstate, classes[i].prefix, strlen(classes[i].prefix)) == 0)
            return classes[i].class;
    }
    return PQstatus(connection->conn) == CONNECTION_BAD ? ERR_LOST : ERR_OTHER;
}

void connection_roll_back(struct connection *connection)
{
    struct err ignored;

    if (!connection->in_transaction)
        return;
    connection->in_transaction = false;
    if (!connection_is_lost(connection))
        (void)connection_run(connection, "rollback", &ignored, "ROLLBACK");
}

int connection_fail(struct connection *connection, const char *action, const PGresult *result,
                    struct err *err)
{
    const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *said = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

    if (sqlstate == NULL && connection->last_words[0] != '\0') {
        sqlstate = connection->last_sqlstate;
        said = connection->last_words;
    }
    if (said == NULL)
        said = result == NULL ? "" : PQresultErrorMessage(result);
    if (said[0] == '\0')
        said = PQerrorMessage(connection->conn);
    if (sqlstate == NULL)
        sqlstate = "";
    (void)sql_link_fail(&connection->link, action, classify(connection, sqlstate),
                        said[0] == '\0' ? "no answer" : said, sqlstate, err);
    if (strcmp(sqlstate, "25006") == 0)
        err_add(err, "; ubench cannot measure a standby, nor a database or user with "
                     "default_transaction_read_only=on");
    if (PQstatus(connection->conn) != CONNECTION_OK)
        connection->link.lost = true;
    connection_roll_back(connection);
    return -1;
}

/* --- Statements --- */

static bool is_error(const PGresult *result)
{
    const ExecStatusType status = PQresultStatus(result);

    return result != NULL && status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK &&
           status != PGRES_EMPTY_QUERY;
}

/* Returns the first error of all results, or the last result; NULL if there are none. */
static PGresult *collect(PGconn *conn)
{
    PGresult *kept = NULL;

    for (PGresult *next = PQgetResult(conn); next != NULL; next = PQgetResult(conn)) {
        if (is_error(kept)) {
            PQclear(next);
        } else {
            PQclear(kept);
            kept = next;
        }
    }
    return kept;
}

PGresult *connection_await(struct connection *connection, const char *action, int sent,
                           struct err *err)
{
    PGresult *result = NULL;

    if (connection->link.lost) {
        (void)err_set_class(err, ERR_LOST, "pgsql: %s: the connection is lost", action);
        return NULL;
    }
    watchdog_toggle(&connection->link.watched);
    if (sent != 0)
        result = collect(connection->conn);
    watchdog_toggle(&connection->link.watched);
    if (PQstatus(connection->conn) == CONNECTION_OK && result != NULL)
        return result;
    /* Prefer the server's message to the fact that the connection is lost. */
    if (PQresultErrorField(result, PG_DIAG_SQLSTATE) != NULL)
        return result;
    PQclear(result);
    /* ubench itself may have shut it down. */
    connection->link.lost = atomic_load(&connection->link.watched.timed_out) ||
                            atomic_load(&connection->link.endpoints->watchdog.canceled);
    (void)connection_fail(connection, action, NULL, err);
    return NULL;
}

PGresult *connection_result(struct connection *connection, const char *action, int sent,
                            struct err *err)
{
    PGresult *const result = connection_await(connection, action, sent, err);

    if (result == NULL || !is_error(result))
        return result;
    (void)connection_fail(connection, action, result, err);
    PQclear(result);
    return NULL;
}

static int run(struct connection *connection, const char *action, const char *sql,
               sql_take_row *take, void *context, struct err *err)
{
    PGresult *const result =
        connection_result(connection, action, PQsendQuery(connection->conn, sql), err);
    const char *row[FIELDS_MAX];

    for (int i = 0; take != NULL && i < PQntuples(result); i++) {
        for (int j = 0; j < PQnfields(result) && j < FIELDS_MAX; j++)
            row[j] = PQgetisnull(result, i, j) ? NULL : PQgetvalue(result, i, j);
        take(context, row);
    }
    PQclear(result);
    return result == NULL ? -1 : 0;
}

int connection_change(struct connection *connection, const char *action, const char *sql,
                      struct err *err)
{
    /* Even without parameters, the extended protocol takes one statement. */
    PGresult *const result = connection_result(
        connection, action, PQsendQueryParams(connection->conn, sql, 0, NULL, NULL, NULL, NULL, 0),
        err);

    PQclear(result);
    return result == NULL ? -1 : 0;
}

/* A session's own counts are published once a second, unless it requests a flush. */
static struct sql_use use(const struct connection *connection)
{
    const int version = PQserverVersion(connection->conn);

    return (struct sql_use){
        .flush = version >= 150000 ? "SELECT pg_stat_force_next_flush()" : NULL,
        .find = { "SELECT 'written', (pg_current_wal_lsn() - '0/0')::text"
                  " UNION ALL SELECT 'rnd_next', sum(seq_tup_read)::text FROM pg_stat_user_tables"
                  "  WHERE relname IN ('lease4', 'lease6')"
                  " UNION ALL SELECT indexrelname, idx_scan::text FROM pg_stat_user_indexes"
                  "  WHERE schemaname = current_schema() AND relname IN ('lease4', 'lease6')",
                  version >= 180000
                      ? "SELECT 'syncs', sum(fsyncs)::text FROM pg_stat_io WHERE object = 'wal'"
                  : version >= 150000 ? "SELECT 'syncs', wal_sync::text FROM pg_stat_wal"
                                      : NULL },
    };
}

/* Returns the SQL for the checkpoints of a server of this version. */
static const char *checkpoints_sql(int version)
{
    return version >= 170000 ? "SELECT 'checkpoints', (num_timed + num_requested)::text"
                               "  FROM pg_stat_checkpointer"
                             : "SELECT 'checkpoints', (checkpoints_timed + checkpoints_req)::text"
                               "  FROM pg_stat_bgwriter";
}

/* Returns the SQL for the pages that all processes of a server wrote, also to extend a table.
   Until 16 pg_stat_bgwriter counts those of sessions; 18 counts operations, of several pages each,
   and their bytes. */
static const char *pages_sql(int version)
{
    if (version >= 180000)
        return "SELECT 'pages_written', ((sum(write_bytes) + sum(extend_bytes))"
               "  / current_setting('block_size')::int)::bigint::text"
               "  FROM pg_stat_io WHERE object = 'relation'";
    if (version >= 170000)
        return "SELECT 'pages_written', (sum(writes) + sum(extends))::text"
               "  FROM pg_stat_io WHERE object = 'relation'";
    return "SELECT 'pages_written',"
           "  (buffers_checkpoint + buffers_clean + buffers_backend)::text"
           "  FROM pg_stat_bgwriter";
}

/* Syncs are those of the log alone, as above. */
static struct sql_activity activity(const struct connection *connection)
{
    const int version = PQserverVersion(connection->conn);

    return (struct sql_activity){
        .find = { "SELECT 'log_bytes', (pg_current_wal_lsn() - '0/0')::text"
                  " UNION ALL SELECT 'since_checkpoint_bytes',"
                  "  (pg_current_wal_lsn() - redo_lsn)::text FROM pg_control_checkpoint()"
                  " UNION ALL SELECT 'vacuums', (autovacuum_count + autoanalyze_count)::text"
                  "  FROM pg_stat_user_tables"
                  "  WHERE schemaname = current_schema() AND relname IN ('lease4', 'lease6')"
                  " UNION ALL SELECT 'old_rows', n_dead_tup::text FROM pg_stat_user_tables"
                  "  WHERE schemaname = current_schema() AND relname IN ('lease4', 'lease6')"
                  " UNION ALL SELECT 'data_bytes', pg_total_relation_size(relid)::text"
                  "  FROM pg_stat_user_tables"
                  "  WHERE schemaname = current_schema() AND relname IN ('lease4', 'lease6')",
                  checkpoints_sql(version), pages_sql(version), use(connection).find[1] },
    };
}

const struct sql_client pgsql_client = {
    .store = "pgsql",
    .use = use,
    .activity = activity,
    .figures = (const struct sql_figure[]){ { NULL, ACTIVITY_FIGURES } },
    .log_below = "pg_wal/.",
    .connect = connect_pgsql,
    .close = close_pgsql,
    .run = run,
    .empty = table_empty,
    .settings = pgsql_settings,
    .read_settings = settings_read,
    .read_made = table_read_made,
};

void connection_log_path(struct connection *connection, char *path, size_t size)
{
    const char *const address = PQhostaddr(connection->conn);
    char folder[PATH_MAX] = "";
    char name[40];
    struct err ignored;

    path[0] = '\0';
    if (address != NULL && address[0] != '\0' && strncmp(address, "127.", 4) != 0 &&
        strcmp(address, "::1") != 0)
        return; /* on another machine */
    /* The backend's working directory is the data directory, if this user may read it. */
    (void)snprintf(name, sizeof name, "/proc/%d/cwd", PQbackendPID(connection->conn));
    if (readlink(name, folder, sizeof folder - 1) <= 0 &&
        connection_value(connection, "read data_directory", folder, sizeof folder, &ignored,
                         "SHOW data_directory") != 0)
        return;
    const int length = snprintf(path, size, "%s/pg_wal/.", folder);
    if (length < 0 || (size_t)length >= size || access(path, F_OK) != 0)
        path[0] = '\0';
}
