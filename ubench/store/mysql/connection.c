/* SPDX-License-Identifier: ISC */
/* One connection to a server: how it is made, and how errors are worded. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/mysql/store.h"

enum { PATH_SIZE = 256, SQL_SIZE = 2048 };

void sql_library(char *text, size_t size)
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

bool sql_is_lost(unsigned code)
{
    switch (code) {
    case SQL_SHUTDOWN:
    case SQL_CONNECTION_KILLED:
    case SQL_NO_SOCKET:
    case SQL_NO_HOST:
    case SQL_GONE:
    case SQL_LOST:
    case SQL_LOST_TLS:
    case SQL_LOST_EXTENDED:
        return true;
    default:
        return false;
    }
}

static enum err_class class_of(unsigned code)
{
    if (sql_is_lost(code))
        return ERR_LOST;
    switch (code) {
    case SQL_LOCK_TIMEOUT:
        return ERR_BUSY;
    case SQL_DEADLOCK:
        return ERR_DEADLOCK;
    case SQL_STATEMENT_TIMEOUT:
    case SQL_STATEMENT_TIMEOUT_MYSQL:
        return ERR_TIMEOUT;
    case SQL_DISK_FULL:
    case SQL_CANNOT_WRITE:
    case SQL_TABLE_FULL:
        return ERR_FULL;
    case SQL_NOT_BEHIND_INDEX:
    case SQL_BAD_INDEX:
    case SQL_CRASHED:
    case SQL_CRASHED_BY_REPAIR:
    case SQL_CORRUPT:
        return ERR_CORRUPT;
    default:
        return ERR_OTHER;
    }
}

int sql_fail(struct sql_link *link, const char *action, unsigned code,
             const char *text, struct err *err)
{
    link->lost = link->lost || sql_is_lost(code);
    if (watchdog_canceled(link->watchdog))
        return err_set_class(err, ERR_CANCELED, "mysql: %s: called off",
                             action);
    if (atomic_load(&link->watched.timed_out))
        return err_set_class(
            err, ERR_TIMEOUT,
            "mysql: %s: the server did not answer for %llu s "
            "(--read-timeout)",
            action, (unsigned long long)watchdog_limit_s(link->watchdog));
    return err_set_class(err, class_of(code), "mysql: %s: %s (%u)", action,
                         text, code);
}

int sql_fail_link(struct sql_link *link, const char *action, struct err *err)
{
    return sql_fail(link, action, mysql_errno(link->mysql),
                    mysql_error(link->mysql), err);
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

static void set_options(MYSQL *mysql, const struct store_config *config)
{
    const unsigned connect_s = (unsigned)config->connect_timeout_s;
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

static int fail_to_connect(MYSQL *mysql, struct sql_link *link, struct err *err)
{
    const struct store_config *const config = link->config;
    const unsigned code = mysql_errno(mysql);
    const char *const host = config->host != NULL ? config->host : "localhost";
    char action[PATH_SIZE + 64];

    if (code == SQL_UNKNOWN_DATABASE)
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
    return sql_fail(link, action, code, mysql_error(mysql), err);
}

/* What Kea sets, too. */
static int set_up(struct sql_link *link, struct err *err)
{
    static const char action[] = "setting the session up";

    /* Names are bytes to us, and nobody shall convert them.  Not before it
       connects: ~/.my.cnf would win. */
    sql_turn(link);
    const int failed = mysql_set_character_set(link->mysql, "binary");
    sql_turn(link);
    if (failed != 0)
        return sql_fail_link(link, action, err);
    /* Kea sends expire as local time; in UTC no hour of the year is missing. */
    return sql_run(link, action, err,
                   "SET SESSION sql_mode = 'STRICT_ALL_TABLES', autocommit = 1,"
                   " time_zone = '+00:00', wait_timeout = 2592000");
}

int sql_connect(struct sql_link *link, const struct store_config *config,
                struct watchdog *watchdog, struct err *err)
{
    const char *host = config->host;
    char path[PATH_SIZE];

    *link = (struct sql_link){ .config = config, .watchdog = watchdog };
    path[0] = '\0';
    if (host != NULL && host[0] == '/') {
        if (find_socket(host, path, sizeof path, err) != 0)
            return -1;
        host = "localhost";
    }
    MYSQL *const mysql = mysql_init(NULL);
    if (mysql == NULL)
        return err_set(err, "mysql: out of memory");
    set_options(mysql, config);
    if (mysql_real_connect(mysql, host, config->user, config->password,
                           config->target, (unsigned)config->port,
                           path[0] != '\0' ? path : NULL,
                           CLIENT_FOUND_ROWS) == NULL) {
        (void)fail_to_connect(mysql, link, err);
        mysql_close(mysql);
        return -1;
    }
    link->mysql = mysql;
    link->watched.socket = socket_of(mysql);
    watchdog_add(watchdog, &link->watched);
    if (set_up(link, err) != 0) {
        sql_disconnect(link);
        return -1;
    }
    return 0;
}

void sql_disconnect(struct sql_link *link)
{
    if (link->mysql == NULL)
        return;
    watchdog_remove(link->watchdog, &link->watched);
    mysql_close(link->mysql);
    link->mysql = NULL;
}

static int run_format(struct sql_link *link, const char *action,
                      struct err *err, const char *format, va_list args)
    __attribute__((format(printf, 4, 0)));

static int run_format(struct sql_link *link, const char *action,
                      struct err *err, const char *format, va_list args)
{
    char sql[SQL_SIZE];
    const int length = vsnprintf(sql, sizeof sql, format, args);

    if (length < 0 || (size_t)length >= sizeof sql)
        return err_set(err, "mysql: %s: a name or value is too long", action);
    sql_turn(link);
    const int failed =
        mysql_real_query(link->mysql, sql, (unsigned long)length);
    sql_turn(link);
    return failed == 0 ? 0 : sql_fail_link(link, action, err);
}

int sql_run(struct sql_link *link, const char *action, struct err *err,
            const char *format, ...)
{
    va_list args;

    va_start(args, format);
    const int result = run_format(link, action, err, format, args);
    va_end(args);
    return result;
}

static MYSQL_RES *query_format(struct sql_link *link, const char *action,
                               struct err *err, const char *format,
                               va_list args)
    __attribute__((format(printf, 4, 0)));

static MYSQL_RES *query_format(struct sql_link *link, const char *action,
                               struct err *err, const char *format,
                               va_list args)
{
    if (run_format(link, action, err, format, args) != 0)
        return NULL;
    sql_turn(link);
    MYSQL_RES *const rows = mysql_store_result(link->mysql);
    sql_turn(link);
    if (rows == NULL)
        (void)sql_fail_link(link, action, err);
    return rows;
}

MYSQL_RES *sql_query(struct sql_link *link, const char *action, struct err *err,
                     const char *format, ...)
{
    va_list args;

    va_start(args, format);
    MYSQL_RES *const rows = query_format(link, action, err, format, args);
    va_end(args);
    return rows;
}

int sql_value(struct sql_link *link, const char *action, char *value,
              size_t size, struct err *err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    MYSQL_RES *const rows = query_format(link, action, err, format, args);
    va_end(args);
    if (rows == NULL)
        return -1;
    const MYSQL_ROW row = mysql_fetch_row(rows);
    (void)snprintf(value, size, "%s",
                   row != NULL && row[0] != NULL ? row[0] : "");
    mysql_free_result(rows);
    return 0;
}

int sql_ping(struct sql_link *link, struct err *err)
{
    sql_turn(link);
    const int failed = mysql_ping(link->mysql);
    sql_turn(link);
    return failed == 0 ? 0 : sql_fail_link(link, "ping", err);
}

/* A server that is reached over this machine's own addresses and has its name:
   one in a container or behind a tunnel has another. */
static bool is_local(struct sql_link *link)
{
    struct sockaddr_storage peer = { 0 };
    socklen_t size = sizeof peer;
    char theirs[256];
    char ours[256];
    char text[INET6_ADDRSTRLEN] = "";
    struct err ignored;

    if (getpeername(link->watched.socket, (struct sockaddr *)&peer, &size) != 0)
        return false;
    if (peer.ss_family != AF_UNIX &&
        (getnameinfo((struct sockaddr *)&peer, size, text, sizeof text, NULL, 0,
                     NI_NUMERICHOST) != 0 ||
         (strncmp(text, "127.", 4) != 0 && strcmp(text, "::1") != 0)))
        return false;
    return gethostname(ours, sizeof ours) == 0 &&
           sql_value(link, "reading hostname", theirs, sizeof theirs, &ignored,
                     "SELECT @@hostname") == 0 &&
           strcmp(ours, theirs) == 0;
}

void sql_log_path(struct sql_link *link, char *path, size_t size)
{
    char folder[PATH_SIZE];
    struct err ignored;

    path[0] = '\0';
    /* The log's folder may be relative, to that of the data. */
    if (!is_local(link) ||
        sql_value(link, "reading innodb_log_group_home_dir", folder,
                  sizeof folder, &ignored,
                  "SELECT IF(@@innodb_log_group_home_dir LIKE '/%%', "
                  "@@innodb_log_group_home_dir, "
                  "CONCAT(@@datadir, @@innodb_log_group_home_dir))") != 0)
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

int sql_script(struct sql_link *link, const char *action, const char *sql,
               struct err *err)
{
    MYSQL *const mysql = link->mysql;
    char *const plain = without_delimiters(sql);
    int more;

    if (plain == NULL)
        return err_set(err, "mysql: out of memory");
    sql_turn(link);
    const bool begun =
        mysql_set_server_option(mysql, MYSQL_OPTION_MULTI_STATEMENTS_ON) == 0 &&
        mysql_real_query(mysql, plain, (unsigned long)strlen(plain)) == 0;
    sql_turn(link);
    free(plain);
    if (!begun)
        return sql_fail_link(link, action, err);
    do {
        mysql_free_result(mysql_store_result(mysql));
        sql_turn(link);
        more = mysql_next_result(mysql);
        sql_turn(link);
    } while (more == 0);
    if (more > 0 ||
        mysql_set_server_option(mysql, MYSQL_OPTION_MULTI_STATEMENTS_OFF) != 0)
        return sql_fail_link(link, action, err);
    return 0;
}

char *sql_quote(const struct sql_link *link, char *quoted, const char *text)
{
    const unsigned long length = mysql_real_escape_string(
        link->mysql, quoted + 1, text, (unsigned long)strlen(text));

    quoted[0] = '\'';
    quoted[length + 1] = '\'';
    quoted[length + 2] = '\0';
    return quoted;
}
