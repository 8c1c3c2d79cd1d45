/* SPDX-License-Identifier: ISC */
#include "store/mysql/mysql_store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 256 };

/* --- Errors --- */

static enum err_class class_of(const struct connection *connection, unsigned code)
{
    static const struct {
        unsigned code;
        enum err_class class;
    } classes[] = {
        { 1047, ERR_LOST },     /* Galera node cut off from its cluster */
        { 1053, ERR_LOST },     /* server is shutting down */
        { 1927, ERR_LOST },     /* connection killed */
        { 2002, ERR_LOST },     /* no such socket */
        { 2003, ERR_LOST },     /* no such port */
        { 2005, ERR_LOST },     /* no such host */
        { 2006, ERR_LOST },     /* server has gone away */
        { 2013, ERR_LOST },     /* lost during a statement */
        { 2055, ERR_LOST },     /* the same, with details */
        { 2026, ERR_LOST },     /* lost, as TLS reports it */
        { 1205, ERR_BUSY },     /* timeout of a lock */
        { 1213, ERR_DEADLOCK }, /* in Galera, a conflict with another node */
        { 1020, ERR_CONFLICT }, /* with innodb_snapshot_isolation */
        { 1180, ERR_CONFLICT }, /* Galera refuses the commit */
        { 3101, ERR_CONFLICT }, /* group replication refuses the commit */
        { 1969, ERR_TIMEOUT },  /* MariaDB: max_statement_time */
        { 3024, ERR_TIMEOUT },  /* MySQL: max_execution_time */
        { 1021, ERR_FULL },     /* disk full */
        { 1026, ERR_FULL },     /* file cannot be written */
        { 1114, ERR_FULL },     /* table full */
        { 1032, ERR_CORRUPT },  /* search: the index refers to a row that does not exist */
        { 1034, ERR_CORRUPT },  /* other damage that needs REPAIR */
        { 1194, ERR_CORRUPT },  { 1195, ERR_CORRUPT }, { 1877, ERR_CORRUPT },
    };

    if (code == 1290) /* a member expelled from its group is read-only */
        return connection->link.endpoints->count > 1 ? ERR_LOST : ERR_OTHER;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (classes[i].code == code)
            return classes[i].class == ERR_DEADLOCK && connection->in_cluster ? ERR_CONFLICT
                                                                              : classes[i].class;
    }
    return ERR_OTHER;
}

int connection_fail(struct connection *connection, const char *action, unsigned code,
                    const char *text, struct err *err)
{
    char number[12];

    (void)snprintf(number, sizeof number, "%u", code);
    (void)sql_link_fail(&connection->link, action, class_of(connection, code), text, number, err);
    if (code == CODE_TRIGGER_LOGGED)
        err_add(err, "; while the binary log is on, triggers and functions (--schema=kea+stats, "
                     "--allocator=shared-flq or skip-locked) need SUPER (GRANT SUPER ON *.* TO "
                     "...) or log_bin_trust_function_creators=ON");
    return -1;
}

static int failed(struct connection *connection, const char *action, struct err *err)
{
    return connection_fail(connection, action, mysql_errno(connection->mysql),
                           mysql_error(connection->mysql), err);
}

/* --- Connecting --- */

/* Replaces a directory by the socket in it, under one of the usual names. */
static int find_socket(const char *host, char *path, size_t size, struct err *err)
{
    static const char *const names[] = { "mysqld.sock", "mysql.sock", "mariadb.sock" };
    struct stat status;

    if (stat(host, &status) != 0)
        return err_set_class(err, ERR_LOST, "mysql: connecting to %s: %s", host, strerror(errno));
    (void)snprintf(path, size, "%s", host);
    if (!S_ISDIR(status.st_mode))
        return 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(path, size, "%s/%s", host, names[i]);
        if (stat(path, &status) == 0)
            return 0;
    }
    return err_set_class(err, ERR_LOST,
                         "mysql: connecting to %s: the directory has no %s, %s or %s", host,
                         names[0], names[1], names[2]);
}

static MYSQL *make_mysql(const struct store_config *config, uint64_t limit_s)
{
    const unsigned connect_s = (unsigned)limit_s;
    const unsigned tcp = MYSQL_PROTOCOL_TCP;
    MYSQL *const mysql = mysql_init(NULL);

    if (mysql == NULL)
        return NULL;
    /* ~/.my.cnf: the groups client and ubench. */
    if (!config->no_option_files)
        (void)mysql_options(mysql, MYSQL_READ_DEFAULT_GROUP, "ubench");
    if (config->ca_file != NULL)
        (void)mysql_options(mysql, MYSQL_OPT_SSL_CA, config->ca_file);
    /* The limit applies to the whole handshake; later timeouts are those of watchdog.h. */
    (void)mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &connect_s);
    /* For the libraries localhost is the default socket, whatever the port: they would connect to a
       server other than the requested one. */
    if (config->port != 0 && (config->host == NULL || strcmp(config->host, "localhost") == 0))
        (void)mysql_options(mysql, MYSQL_OPT_PROTOCOL, &tcp);
    return mysql;
}

static int fail_to_connect(struct connection *connection, struct err *err)
{
    const struct store_config *const config = connection->config;
    const char *const host = config->host != NULL ? config->host : "localhost";
    const unsigned code = mysql_errno(connection->mysql);
    char action[PATH_SIZE + 64];

    if (code == CODE_UNKNOWN_DATABASE)
        return err_set(err,
                       "mysql: opening database %s: %s (%u); an administrator can create it with: "
                       "CREATE DATABASE %s",
                       config->target, mysql_error(connection->mysql), code, config->target);
    if (config->port != 0 && strchr(host, '/') == NULL)
        (void)snprintf(action, sizeof action, "connecting to %s, port %u", host,
                       (unsigned)config->port);
    else
        (void)snprintf(action, sizeof action, "connecting to %s", host);
    return failed(connection, action, err);
}

/* Sets up a session: first the settings that change what it sees, whatever the server's defaults
   are, then those that Kea also sets.  With several servers, refuses a replica, which accepts no
   changes. */
static int set_up(struct connection *connection, struct err *err)
{
    static const char action[] = "setting the session up";
    char value[24] = "0";

    /* The binary character set prevents the conversion of names.  It is set after connecting,
       because ~/.my.cnf would override it. */
    connection_toggle(connection);
    const int status = mysql_set_character_set(connection->mysql, "binary");
    connection_toggle(connection);
    if (status != 0)
        return failed(connection, action, err);
    /* Kea sends expire as local time; in UTC no hour of the year is missing. */
    if (connection_run(connection, action, err,
                       "SET SESSION sql_select_limit = 18446744073709551615,"
                       " sql_safe_updates = 0, sql_big_selects = 1, sql_auto_is_null = 0,"
                       " completion_type = 0, sql_notes = 1,"
                       " sql_mode = 'STRICT_ALL_TABLES', autocommit = 1, time_zone = '+00:00',"
                       " wait_timeout = 2592000") != 0)
        return -1;
    if (connection->link.endpoints->count > 1 &&
        connection_value(connection, "reading read_only", value, sizeof value, err,
                         "SELECT @@GLOBAL.read_only") != 0)
        return -1;
    /* MariaDB 12 returns keywords. */
    return strcmp(value, "0") == 0 || strcmp(value, "OFF") == 0
               ? 0
               : err_set_class(err, ERR_LOST,
                               "mysql: connecting%s: the server is read-only (read_only=%s)",
                               connection->link.endpoint->at, value);
}

static int connect_mysql(struct connection *connection, uint64_t limit_s, struct err *err)
{
    struct sql_link *const link = &connection->link;
    const struct store_config *const config = connection->config = &link->endpoint->config;
    const unsigned long flags = CLIENT_FOUND_ROWS | CLIENT_MULTI_STATEMENTS;
    const char *host = config->host;
    char path[PATH_SIZE] = "";

    if (host != NULL && strchr(host, '/') != NULL) {
        if (find_socket(host, path, sizeof path, err) != 0)
            return -1;
        host = "localhost";
    }
    MYSQL *const mysql = connection->mysql = make_mysql(config, limit_s);
    if (mysql == NULL)
        return err_set(err, "mysql: out of memory");
    if (mysql_real_connect(mysql, host, config->user, config->password, config->target,
                           (unsigned)config->port, path[0] != '\0' ? path : NULL, flags) == NULL)
        return fail_to_connect(connection, err);
#if defined MARIADB_PACKAGE_VERSION
    watchdog_add(&link->endpoints->watchdog, &link->watched, (int)mysql_get_socket(mysql));
#else
    watchdog_add(&link->endpoints->watchdog, &link->watched, (int)mysql->net.fd);
#endif
    link->at = link->endpoint->at;
    connection->mariadb = strstr(mysql_get_server_info(mysql), "MariaDB") != NULL;
    return set_up(connection, err);
}

static void close_mysql(struct connection *connection)
{
    if (connection->mysql != NULL)
        mysql_close(connection->mysql);
    connection->mysql = NULL;
}

/* --- Statements --- */

/* Runs SQL.  mysql_next_result after the last result would reset the number of changed rows. */
static int run(struct connection *connection, const char *action, const char *sql,
               sql_take_row *take, void *context, struct err *err)
{
    MYSQL *const mysql = connection->mysql;
    MYSQL_ROW row;

    connection_toggle(connection);
    int status = mysql_real_query(mysql, sql, (unsigned long)strlen(sql)) != 0 ? 1 : 0;
    while (status == 0) {
        MYSQL_RES *const rows = mysql_store_result(mysql);

        while (take != NULL && rows != NULL && (row = mysql_fetch_row(rows)) != NULL)
            take(context, (const char *const *)row);
        if (rows != NULL)
            take = NULL;
        mysql_free_result(rows);
        status = mysql_errno(mysql) != 0     ? 1
                 : mysql_more_results(mysql) ? mysql_next_result(mysql)
                                             : -1;
    }
    connection_toggle(connection);
    if (status > 0)
        return failed(connection, action, err);
    return take == NULL ? 0
                        : err_set(err,
                                  "mysql: %s%s: the server returned no rows, as if it had answered "
                                  "another statement",
                                  action, connection->link.at);
}

static int allow_several(struct connection *connection, const char *action, bool allow,
                         struct err *err)
{
    connection_toggle(connection);
    const int status =
        mysql_set_server_option(connection->mysql, allow ? MYSQL_OPTION_MULTI_STATEMENTS_ON
                                                         : MYSQL_OPTION_MULTI_STATEMENTS_OFF);
    connection_toggle(connection);
    return status == 0 ? 0 : failed(connection, action, err);
}

int connection_change(struct connection *connection, const char *action, const char *sql,
                      struct err *err)
{
    struct err second;

    if (allow_several(connection, action, false, err) != 0)
        return -1;
    const int status = run(connection, action, sql, NULL, NULL, err);
    const int allowed = allow_several(connection, action, true, status == 0 ? err : &second);
    return status == 0 ? allowed : -1;
}

static struct sql_use use(const struct connection *connection)
{
    (void)connection;
    return (struct sql_use){
        .find = { "SHOW GLOBAL STATUS WHERE variable_name IN ('innodb_os_log_written',"
                  " 'binlog_bytes_written', 'innodb_data_fsyncs', 'handler_read_key',"
                  " 'handler_read_rnd_next')",
                  "SELECT index_name, SUM(count_fetch)"
                  " FROM performance_schema.table_io_waits_summary_by_index_usage"
                  " WHERE object_schema = DATABASE() AND object_name IN ('lease4', 'lease6')"
                  " AND index_name IS NOT NULL GROUP BY index_name"
                  " ORDER BY index_name <> 'PRIMARY', index_name" }
    };
}

/* The two after the first need the privilege PROCESS. */
static struct sql_activity activity(const struct connection *connection)
{
    static const char status[] =
        "SHOW GLOBAL STATUS WHERE variable_name IN ('innodb_data_fsyncs', 'innodb_os_log_written',"
        " 'binlog_bytes_written', 'innodb_pages_written', 'innodb_checkpoint_age',"
        " 'innodb_history_list_length')";

    if (connection->mariadb)
        return (struct sql_activity){
            .find = { status, "SELECT 'data_bytes', file_size"
                              " FROM information_schema.innodb_sys_tablespaces WHERE name IN"
                              " (CONCAT(DATABASE(), '/lease4'), CONCAT(DATABASE(), '/lease6'))" }
        };
    return (struct sql_activity){
        .find = { status,
                  "SELECT name, count FROM information_schema.innodb_metrics"
                  " WHERE status = 'enabled'"
                  " AND name IN ('trx_rseg_history_len', 'log_lsn_checkpoint_age')"
                  " UNION ALL SELECT 'data_bytes', file_size"
                  " FROM information_schema.innodb_tablespaces WHERE name IN"
                  " (CONCAT(DATABASE(), '/lease4'), CONCAT(DATABASE(), '/lease6'))",
                  "SELECT 'binlog_bytes', sum_number_of_bytes_write"
                  " FROM performance_schema.file_summary_by_event_name"
                  " WHERE event_name = 'wait/io/file/sql/binlog'" }
    };
}

static const struct sql_figure figures[] = {
    { "innodb_data_fsyncs", ACTIVITY_SYNCS },
    { "innodb_os_log_written", ACTIVITY_LOG_BYTES },
    { "binlog_bytes_written", ACTIVITY_BINLOG_BYTES },
    { "innodb_pages_written", ACTIVITY_PAGES_WRITTEN },
    { "innodb_checkpoint_age", ACTIVITY_SINCE_CHECKPOINT },
    { "log_lsn_checkpoint_age", ACTIVITY_SINCE_CHECKPOINT },
    { "innodb_history_list_length", ACTIVITY_OLD_ROWS },
    { "trx_rseg_history_len", ACTIVITY_OLD_ROWS },
    { NULL, ACTIVITY_FIGURES },
};

const struct sql_client mysql_client = {
    .store = "mysql",
    .use = use,
    .activity = activity,
    .figures = figures,
    .log_below = ".",
    .connect = connect_mysql,
    .close = close_mysql,
    .run = run,
    .empty = table_empty,
    .settings = mysql_variables,
    .changed_by = " by another session, or by another run of ubench on this server that ended and "
                  "restored its settings",
    .read_settings = variables_read,
    .read_made = table_read_made,
};

int connection_lock(struct connection *connection, const char *name, const char *busy,
                    uint64_t *holder, struct err *err)
{
    char text[24];

    if (connection_value(connection, "locking", text, sizeof text, err,
                         "SELECT IF(GET_LOCK(%s, 2) = 1, CONNECTION_ID(),"
                         " CONCAT('-', IS_USED_LOCK(%s)))",
                         name, name) != 0)
        return -1;
    const uint64_t has_it = strtoull(text + (text[0] == '-'), NULL, 10);
    if (has_it == 0 || (text[0] == '-' && has_it != *holder))
        return err_set_class(err, ERR_BUSY, "mysql: %s", busy);
    *holder = has_it;
    return 0;
}

/* A server in a container or behind a tunnel has another host name.  The log's directory may be
   relative to that of the data. */
void connection_log_path(struct connection *connection, char *path, size_t size)
{
    char folder[PATH_SIZE];
    char ours[256];
    char theirs[256];
    struct err ignored;

    path[0] = '\0';
    if (gethostname(ours, sizeof ours) != 0 ||
        connection_value(connection, "reading hostname", theirs, sizeof theirs, &ignored,
                         "SELECT @@hostname") != 0 ||
        strcmp(ours, theirs) != 0 ||
        connection_value(connection, "reading innodb_log_group_home_dir", folder, sizeof folder,
                         &ignored,
                         "SELECT IF(@@innodb_log_group_home_dir LIKE '/%%',"
                         " @@innodb_log_group_home_dir,"
                         " CONCAT(@@datadir, @@innodb_log_group_home_dir))") != 0)
        return;
    const int length = snprintf(path, size, "%s/.", folder);
    if (length < 0 || (size_t)length >= size || access(path, F_OK) != 0)
        path[0] = '\0';
}
