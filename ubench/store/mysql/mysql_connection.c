/* SPDX-License-Identifier: ISC */
#include "store/mysql/mysql_connection.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"

enum { PATH_SIZE = 256, SQL_SIZE = 2048 };

void connection_library(char *text, size_t size)
{
#if defined MARIADB_PACKAGE_VERSION
    (void)snprintf(text, size, "MariaDB Connector/C %s",
                   mysql_get_client_info());
#else
    (void)snprintf(text, size, "libmysqlclient %s", mysql_get_client_info());
#endif
}

static int socket_of(MYSQL *mysql)
{
#if defined MARIADB_PACKAGE_VERSION
    return (int)mysql_get_socket(mysql);
#else
    return (int)mysql->net.fd;
#endif
}

bool connection_is_lost(unsigned code)
{
    switch (code) {
    case CODE_NOT_READY:
    case CODE_SHUTDOWN:
    case CODE_CONNECTION_KILLED:
    case CODE_NO_SOCKET:
    case CODE_NO_HOST:
    case CODE_UNKNOWN_HOST:
    case CODE_GONE:
    case CODE_LOST:
    case CODE_LOST_TLS:
    case CODE_LOST_EXTENDED:
        return true;
    default:
        return false;
    }
}

static enum err_class class_of(const struct connection *connection,
                               unsigned code)
{
    if (connection_is_lost(code))
        return ERR_LOST;
    switch (code) {
    case CODE_READ_ONLY: /* a member that its group has expelled */
        return connection->endpoint->one_of_several ? ERR_LOST : ERR_OTHER;
    case CODE_LOCK_TIMEOUT:
        return ERR_BUSY;
    case CODE_DEADLOCK:
        return connection->in_cluster ? ERR_CONFLICT : ERR_DEADLOCK;
    case CODE_CHANGED_SINCE:
    case CODE_COMMIT:
    case CODE_GROUP_COMMIT:
        return ERR_CONFLICT;
    case CODE_STATEMENT_TIMEOUT:
    case CODE_STATEMENT_TIMEOUT_MYSQL:
        return ERR_TIMEOUT;
    case CODE_DISK_FULL:
    case CODE_CANNOT_WRITE:
    case CODE_TABLE_FULL:
        return ERR_FULL;
    case CODE_NOT_BEHIND_INDEX:
    case CODE_BAD_INDEX:
    case CODE_CRASHED:
    case CODE_CRASHED_BY_REPAIR:
    case CODE_CORRUPT:
        return ERR_CORRUPT;
    default:
        return ERR_OTHER;
    }
}

int connection_fail(struct connection *connection, const char *action,
                    unsigned code, const char *text, struct err *err)
{
    const enum err_class class = class_of(connection, code);
    char line[sizeof err->text];

    text_one_line(line, sizeof line, text);
    connection->lost = connection->lost || class == ERR_LOST;
    if (watchdog_canceled(connection->watchdog))
        return err_set_class(err, ERR_CANCELED, "mysql: %s%s: called off",
                             action, connection->at);
    if (atomic_load(&connection->watched.timed_out))
        return err_set_class(
            err, ERR_TIMEOUT,
            "mysql: %s%s: the server did not answer for %llu s "
            "(--read-timeout)",
            action, connection->at,
            (unsigned long long)watchdog_limit_s(connection->watchdog));
    return err_set_class(err, class, "mysql: %s%s: %s (%u)", action,
                         connection->at, line, code);
}

int connection_failed(struct connection *connection, const char *action,
                      struct err *err)
{
    return connection_fail(connection, action, mysql_errno(connection->mysql),
                           mysql_error(connection->mysql), err);
}

/* A folder stands for the socket in it, under one of its customary names. */
static int find_socket(const char *host, char *path, size_t size,
                       struct err *err)
{
    static const char *const names[] = { "mysqld.sock", "mysql.sock",
                                         "mariadb.sock" };
    struct stat status;

    if (stat(host, &status) != 0)
        return err_set_class(err, ERR_LOST, "mysql: connecting to %s: %s", host,
                             strerror(errno));
    (void)snprintf(path, size, "%s", host);
    if (!S_ISDIR(status.st_mode))
        return 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(path, size, "%s/%s", host, names[i]);
        if (stat(path, &status) == 0)
            return 0;
    }
    return err_set_class(err, ERR_LOST,
                         "mysql: connecting to %s: no %s, %s or %s in it", host,
                         names[0], names[1], names[2]);
}

static void set_options(MYSQL *mysql, const struct store_config *config,
                        uint64_t limit_s)
{
    const unsigned connect_s = (unsigned)limit_s;
    const unsigned tcp = MYSQL_PROTOCOL_TCP;

    /* ~/.my.cnf: the groups client and ubench. */
    (void)mysql_options(mysql, MYSQL_READ_DEFAULT_GROUP, "ubench");
    /* It goes for the whole handshake; later timeouts are those of watchdog.h.
     */
    (void)mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &connect_s);
    /* The libraries take localhost for the default socket and ignore a port,
       and so would reach another server than was asked for. */
    if (config->port != 0 &&
        (config->host == NULL || strcmp(config->host, "localhost") == 0))
        (void)mysql_options(mysql, MYSQL_OPT_PROTOCOL, &tcp);
}

static int fail_to_connect(MYSQL *mysql, struct connection *connection,
                           struct err *err)
{
    const struct store_config *const config = connection->config;
    const unsigned code = mysql_errno(mysql);
    const char *const host = config->host != NULL ? config->host : "localhost";
    char action[PATH_SIZE + 64];

    if (code == CODE_UNKNOWN_DATABASE)
        return err_set(err,
                       "mysql: opening database %s: %s (%u); whoever may can "
                       "make it with: CREATE DATABASE %s",
                       config->target, mysql_error(mysql), code,
                       config->target);
    if (config->port != 0 && host[0] != '/')
        (void)snprintf(action, sizeof action, "connecting to %s, port %u", host,
                       (unsigned)config->port);
    else
        (void)snprintf(action, sizeof action, "connecting to %s", host);
    return connection_fail(connection, action, code, mysql_error(mysql), err);
}

/* First of all what changes what this session sees, whatever the server's
   defaults are; then what Kea sets, too. */
static int set_up(struct connection *connection, struct err *err)
{
    static const char action[] = "setting the session up";

    /* Names are bytes to us, which are not to be converted.  Not before it
       connects: ~/.my.cnf would win. */
    connection_toggle(connection);
    const int failed = mysql_set_character_set(connection->mysql, "binary");
    connection_toggle(connection);
    if (failed != 0)
        return connection_failed(connection, action, err);
    /* Kea sends expire as local time; in UTC no hour of the year is missing. */
    return connection_run(
        connection, action, err,
        "SET SESSION sql_select_limit = 18446744073709551615,"
        " sql_safe_updates = 0, sql_big_selects = 1, sql_auto_is_null = 0,"
        " completion_type = 0, max_error_count = 64, sql_notes = 1,"
        " sql_mode = 'STRICT_ALL_TABLES', autocommit = 1,"
        " time_zone = '+00:00', wait_timeout = 2592000");
}

/* A replica is none of several servers that leases can be written to. */
static int check_writable(struct connection *connection, struct err *err)
{
    char value[24];

    if (!connection->endpoint->one_of_several)
        return 0;
    if (connection_value(connection_query(connection, "reading read_only", err,
                                          "SELECT @@GLOBAL.read_only"),
                         value, sizeof value) != 0)
        return -1;
    /* MariaDB 12 has words for it. */
    return strcmp(value, "0") == 0 || strcmp(value, "OFF") == 0
               ? 0
               : err_set_class(err, ERR_LOST,
                               "mysql: connecting%s: it takes no changes "
                               "(read_only=%s)",
                               connection->at, value);
}

static int open_one(struct connection *connection, struct endpoint *endpoint,
                    uint64_t limit_s, struct watchdog *watchdog,
                    struct err *err)
{
    const struct store_config *const config = &endpoint->config;
    const char *host = config->host;
    char path[PATH_SIZE];

    *connection = (struct connection){
        .config = config,
        .endpoint = endpoint,
        .at = "",
        .watchdog = watchdog,
    };
    path[0] = '\0';
    if (host != NULL && host[0] == '/') {
        if (find_socket(host, path, sizeof path, err) != 0)
            return -1;
        host = "localhost";
    }
    MYSQL *const mysql = mysql_init(NULL);
    if (mysql == NULL)
        return err_set(err, "mysql: out of memory");
    set_options(mysql, config, limit_s);
    if (mysql_real_connect(mysql, host, config->user, config->password,
                           config->target, (unsigned)config->port,
                           path[0] != '\0' ? path : NULL,
                           CLIENT_FOUND_ROWS) == NULL) {
        (void)fail_to_connect(mysql, connection, err);
        mysql_close(mysql);
        return -1;
    }
    connection->mysql = mysql;
    connection->at = endpoint->at;
    connection->mariadb = strstr(mysql_get_server_info(mysql), "MariaDB") != NULL;
    connection->watched.socket = socket_of(mysql);
    watchdog_add(watchdog, &connection->watched);
    if (set_up(connection, err) != 0 || check_writable(connection, err) != 0) {
        connection_close(connection);
        return -1;
    }
    return 0;
}

int connection_open(struct connection *connection, struct endpoints *endpoints,
                    struct endpoint *first, uint64_t limit_s,
                    struct watchdog *watchdog, struct err *err)
{
    struct endpoint *endpoint = first;

    while (open_one(connection, endpoint, limit_s, watchdog, err) != 0) {
        endpoint = endpoints_instead(endpoints, first, endpoint, err);
        if (endpoint == NULL)
            return -1;
    }
    return 0;
}

void connection_close(struct connection *connection)
{
    if (connection->mysql == NULL)
        return;
    watchdog_remove(connection->watchdog, &connection->watched);
    mysql_close(connection->mysql);
    connection->mysql = NULL;
}

static int run_format(struct connection *connection, const char *action,
                      struct err *err, const char *format, va_list args)
    __attribute__((format(printf, 4, 0)));

static int run_format(struct connection *connection, const char *action,
                      struct err *err, const char *format, va_list args)
{
    char sql[SQL_SIZE];
    const int length = vsnprintf(sql, sizeof sql, format, args);

    if (length < 0 || (size_t)length >= sizeof sql)
        return err_set(err, "mysql: %s: a name or value is too long", action);
    connection_toggle(connection);
    const int failed =
        mysql_real_query(connection->mysql, sql, (unsigned long)length);
    connection_toggle(connection);
    return failed == 0 ? 0 : connection_failed(connection, action, err);
}

int connection_run(struct connection *connection, const char *action,
                   struct err *err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    const int result = run_format(connection, action, err, format, args);
    va_end(args);
    return result;
}

MYSQL_RES *connection_query(struct connection *connection, const char *action,
                            struct err *err, const char *format, ...)
{
    MYSQL_RES *rows = NULL;
    va_list args;

    va_start(args, format);
    const int failed = run_format(connection, action, err, format, args);
    va_end(args);
    if (failed != 0)
        return NULL;
    connection_toggle(connection);
    rows = mysql_store_result(connection->mysql);
    connection_toggle(connection);
    if (rows == NULL && mysql_errno(connection->mysql) != 0)
        (void)connection_failed(connection, action, err);
    else if (rows == NULL)
        (void)err_set(err,
                      "mysql: %s%s: the server's answer has no rows, as if it "
                      "were one to another statement",
                      action, connection->at);
    return rows;
}

int connection_value(MYSQL_RES *rows, char *value, size_t size)
{
    if (rows == NULL)
        return -1;
    const MYSQL_ROW row = mysql_fetch_row(rows);
    (void)snprintf(value, size, "%s",
                   row != NULL && row[0] != NULL ? row[0] : "");
    mysql_free_result(rows);
    return 0;
}

int connection_lock(struct connection *connection, const char *name,
                    const char *busy, struct lock_holder *holder,
                    struct err *err)
{
    struct lock_holder now;
    char *const text = now.connection;

    if (connection_value(
            connection_query(connection, "locking", err,
                             "SELECT IF(GET_LOCK(%s, 2) = 1, CONNECTION_ID(),"
                             " CONCAT('-', IS_USED_LOCK(%s)))",
                             name, name),
            text, sizeof now.connection) != 0)
        return -1;
    if (text[0] == '-' && strcmp(text + 1, holder->connection) == 0)
        return 0;
    if (text[0] == '-' || text[0] == '\0')
        return err_set_class(err, ERR_BUSY, "mysql: %s", busy);
    *holder = now;
    return 0;
}

int connection_ping(struct connection *connection, struct err *err)
{
    connection_toggle(connection);
    const int failed = mysql_ping(connection->mysql);
    connection_toggle(connection);
    return failed == 0 ? 0 : connection_failed(connection, "ping", err);
}

/* One in a container or behind a tunnel has another name. */
static bool is_local(struct connection *connection)
{
    char theirs[256];
    char ours[256];
    struct err ignored;

    return gethostname(ours, sizeof ours) == 0 &&
           connection_value(connection_query(connection, "reading hostname",
                                             &ignored, "SELECT @@hostname"),
                            theirs, sizeof theirs) == 0 &&
           strcmp(ours, theirs) == 0;
}

void connection_log_path(struct connection *connection, char *path, size_t size)
{
    char folder[PATH_SIZE];
    struct err ignored;

    path[0] = '\0';
    /* The log's folder may be relative, to that of the data. */
    if (!is_local(connection) ||
        connection_value(
            connection_query(
                connection, "reading innodb_log_group_home_dir", &ignored,
                "SELECT IF(@@innodb_log_group_home_dir LIKE '/%%', "
                "@@innodb_log_group_home_dir, "
                "CONCAT(@@datadir, @@innodb_log_group_home_dir))"),
            folder, sizeof folder) != 0)
        return;
    const int length = snprintf(path, size, "%s/.", folder);
    if (length < 0 || (size_t)length >= size || access(path, F_OK) != 0)
        path[0] = '\0';
}

/* Without what mysql(1) needs to see where a procedure ends, and the server
   does not: "DELIMITER $$", "END $$".  NULL if there is no memory. */
static char *without_delimiters(const char *sql)
{
    static const char command[] = "DELIMITER";
    char *const plain = malloc(strlen(sql) + 1);
    char *out = plain;

    while (plain != NULL && *sql != '\0') {
        if (strncmp(sql, command, sizeof command - 1) == 0) {
            sql += strcspn(sql, "\n");
        } else if (strncmp(sql, "$$", 2) == 0) {
            *out++ = ';';
            sql += 2;
        } else {
            *out++ = *sql++;
        }
    }
    if (plain != NULL)
        *out = '\0';
    return plain;
}

int connection_script(struct connection *connection, const char *action,
                      const char *sql, struct err *err)
{
    MYSQL *const mysql = connection->mysql;
    char *const plain = without_delimiters(sql);
    int more;

    if (plain == NULL)
        return err_set(err, "mysql: out of memory");
    connection_toggle(connection);
    const bool begun =
        mysql_set_server_option(mysql, MYSQL_OPTION_MULTI_STATEMENTS_ON) == 0 &&
        mysql_real_query(mysql, plain, (unsigned long)strlen(plain)) == 0;
    connection_toggle(connection);
    free(plain);
    if (!begun)
        return connection_failed(connection, action, err);
    do {
        mysql_free_result(mysql_store_result(mysql));
        connection_toggle(connection);
        more = mysql_next_result(mysql);
        connection_toggle(connection);
    } while (more == 0);
    if (more > 0 ||
        mysql_set_server_option(mysql, MYSQL_OPTION_MULTI_STATEMENTS_OFF) != 0)
        return connection_failed(connection, action, err);
    return 0;
}
