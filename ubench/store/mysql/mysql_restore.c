/* SPDX-License-Identifier: ISC */
#include "store/mysql/mysql_restore.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char noting[] = "noting a setting that has to be restored";

int restore_lock(struct restore *restore, struct connection *connection, struct err *err)
{
    return connection_lock(connection, "'ubench.settings'",
                           "another ubench has changed settings of this server for its run, in "
                           "whatever database that is",
                           &restore->holder, err);
}

/* When the server was started, give or take a second: what was set before that is forgotten. */
static int read_start(long long *start_s, struct connection *connection, struct err *err)
{
    char text[24];
    const int status = connection_value(
        connection, noting, text, sizeof text, err,
        "SELECT FLOOR(UNIX_TIMESTAMP() - variable_value) FROM %s.global_status"
        " WHERE LOWER(variable_name) = 'uptime'",
        connection->mariadb ? "information_schema" : "performance_schema");

    *start_s = strtoll(text, NULL, 10);
    return status;
}

/* The column, in a marker that is there or is made. */
static int make_column(struct restore *restore, struct connection *connection, struct err *err)
{
    char columns[24];

    if (connection_value(connection, noting, columns, sizeof columns, err,
                         "SELECT COALESCE(SUM(IF(column_name = 'restore', 100, 1)), 0)"
                         " FROM information_schema.columns WHERE table_schema = DATABASE()"
                         " AND table_name = 'ubench_marker'") != 0)
        return -1;
    restore->made_marker = strcmp(columns, "0") == 0;
    if (restore->made_marker)
        return connection_run(connection, noting, err,
                              "CREATE TABLE ubench_marker (row_id INT UNSIGNED NOT NULL"
                              " AUTO_INCREMENT PRIMARY KEY, lease4 VARCHAR(16), restore TEXT)"
                              " ENGINE = InnoDB");
    return atoi(columns) >= 100 ? 0
                                : connection_run(connection, noting, err,
                                                 "ALTER TABLE ubench_marker ADD restore TEXT");
}

int restore_note(struct restore *restore, const char *name, struct connection *connection,
                 struct err *err)
{
    char value[VALUE_SIZE];
    char quoted[2 * RESTORE_SIZE];
    char sql[RESTORE_SIZE];
    long long start_s;

    restore->last = 0;
    if (connection->link.endpoint->one_of_several)
        return err_set(err,
                       "mysql: %s is not set for all sessions on several servers: set it on each "
                       "of them, or take them as they are (--sync server)",
                       name);
    if (connection_value(connection, "reading a setting", value, sizeof value, err,
                         "SELECT QUOTE(@@GLOBAL.%s)", name) != 0)
        return -1;
    const size_t digits = strspn(value + 1, "-.0123456789");
    const bool number = digits > 0 && strcmp(value + 1 + digits, "'") == 0;
    /* The last one first: a variable may be set twice. */
    const int length = snprintf(sql, sizeof sql, "SET GLOBAL %s = %.*s; ", name,
                                (int)(number ? digits : sizeof value), number ? value + 1 : value);
    if (strlen(value) + 1 == sizeof value ||
        (size_t)length + strlen(restore->sql) >= sizeof restore->sql)
        return err_set_class(err, ERR_USAGE, "--set: %s: its value is too long to be put back",
                             name);
    (void)strcat(sql, restore->sql);
    (void)mysql_real_escape_string(connection->mysql, quoted, sql, (unsigned long)strlen(sql));
    if ((!restore->noted && (restore_lock(restore, connection, err) != 0 ||
                             make_column(restore, connection, err) != 0)) ||
        read_start(&start_s, connection, err) != 0)
        return -1;
    /* IGNORE: in an owner's marker the other columns may have no default. */
    const int failed =
        connection_run(connection, noting, err,
                       restore->noted ? "UPDATE ubench_marker SET restore = '%lld %s'"
                                        " WHERE restore IS NOT NULL"
                                      : "INSERT IGNORE INTO ubench_marker (restore)"
                                        " VALUES ('%lld %s')",
                       start_s, quoted);
    restore->noted = restore->noted || failed == 0 || connection->link.lost;
    if (failed != 0)
        return -1;
    restore->last = (size_t)length;
    (void)strcpy(restore->sql, sql);
    return 0;
}

void restore_forget(struct restore *restore, const struct connection *connection)
{
    if (!connection->link.lost)
        (void)memmove(restore->sql, restore->sql + restore->last,
                      strlen(restore->sql + restore->last) + 1);
}

static const char remove_row[] = "DELETE FROM ubench_marker WHERE restore IS NOT NULL";

int restore_fail(const struct restore *restore, struct err *err)
{
    const struct err cause = *err;

    return err_set_class(err, cause.kind,
                         "%.300s; could not restore settings of the server; run: %s%s", cause.text,
                         restore->sql, remove_row);
}

int restore_all(struct restore *restore, struct connection *connection, struct err *err)
{
    char rows[24] = "";

    if (!restore->noted)
        return 0;
    if ((restore->sql[0] != '\0' &&
         connection_script(connection, "restoring a setting", restore->sql, err) != 0) ||
        connection_run(connection, "restoring a setting", err, "%s", remove_row) != 0)
        return restore_fail(restore, err);
    restore->noted = false;
    /* The store was not opened, and leaves nothing behind. */
    if (restore->made_marker &&
        connection_value(connection, noting, rows, sizeof rows, err,
                         "SELECT COUNT(*) FROM ubench_marker") == 0 &&
        strcmp(rows, "0") == 0)
        (void)connection_run(connection, noting, err, "DROP TABLE ubench_marker");
    return 0;
}

/* True of "SET GLOBAL NAME = 'VALUE'; " and more of these: nothing else is run as SQL. */
static bool is_ours(const char *sql)
{
    static const char set[] = "SET GLOBAL ";

    while (strncmp(sql, set, sizeof set - 1) == 0) {
        for (sql += sizeof set - 1; isalnum((unsigned char)*sql) || *sql == '_'; sql++)
            ;
        if (strncmp(sql, " = ", 3) != 0)
            return false;
        sql += 3;
        if (*sql == '\'') {
            for (sql++; *sql != '\'' && *sql != '\0'; sql++)
                sql += *sql == '\\' && sql[1] != '\0';
            sql += *sql == '\'';
        } else {
            sql += strspn(sql, "-.0123456789NUL");
        }
        if (strncmp(sql, "; ", 2) != 0)
            return false;
        sql += 2;
    }
    return *sql == '\0';
}

int restore_left(struct connection *connection, char *text, size_t size, struct err *err)
{
    struct restore left = { .noted = true };
    struct err cause;
    char row[RESTORE_SIZE + 24];
    char *sql = row;
    long long start_s;

    text[0] = '\0';
    if (connection_value(connection, "reading ubench_marker", row, sizeof row, &cause,
                         "SELECT restore FROM ubench_marker WHERE restore IS NOT NULL") != 0) {
        const unsigned code = mysql_errno(connection->mysql);

        if (code == CODE_NO_TABLE || code == CODE_NO_COLUMN)
            return 0;
        *err = cause;
        return -1;
    }
    if (row[0] == '\0')
        return 0;
    if (restore_lock(&left, connection, err) != 0 || read_start(&start_s, connection, err) != 0)
        return -1;
    const long long noted_s = strtoll(row, &sql, 10);
    if (*sql++ != ' ' || !is_ours(sql))
        return err_set(err, "mysql: the column restore of ubench_marker has what ubench did not "
                            "write: remove that row");
    /* Else the server was started again since. */
    if (noted_s - start_s <= 5 && start_s - noted_s <= 5 && sql[0] != '\0') {
        (void)snprintf(left.sql, sizeof left.sql, "%s", sql);
        (void)snprintf(text, size, "restoring settings left by a killed run: %.*s",
                       (int)strlen(sql) - 2, sql);
    }
    return restore_all(&left, connection, err);
}
