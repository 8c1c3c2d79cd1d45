/* SPDX-License-Identifier: ISC */
#include "store/mysql/mysql_store.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

static const char noting[] = "recording a setting to restore";
static const char remove_row[] = "DELETE FROM ubench_marker WHERE restore IS NOT NULL";

/* Start time of the server, in seconds since 1970, within one second. */
#define START                                                                       \
    "(SELECT FLOOR(UNIX_TIMESTAMP() - variable_value) FROM %s_schema.global_status" \
    " WHERE LOWER(variable_name) = 'uptime')"

static const char *status_schema(const struct connection *connection)
{
    return connection->mariadb ? "information" : "performance";
}

int restore_lock(struct restore *restore, struct connection *connection, struct err *err)
{
    return connection_lock(connection, "'ubench.settings'",
                           "another run of ubench, perhaps in another database, has changed "
                           "settings of this server; wait until it ends",
                           &restore->holder, err);
}

/* Creates the marker, if it does not exist, and its column restore. */
static int make_column(struct connection *connection, struct err *err)
{
    struct err ignored;

    if (connection_rows(connection, noting, table_marker, NULL, NULL, err) != 0)
        return -1;
    return connection_run(connection, noting, &ignored, "SELECT restore FROM ubench_marker") == 0
               ? 0
               : connection_run(connection, noting, err,
                                "ALTER TABLE ubench_marker ADD restore TEXT");
}

/* Writes SQL that restores a variable's present value, followed by the SQL of restore; a variable
   may be set twice. */
static int write_note(const struct restore *restore, const char *name,
                      char sql[static RESTORE_SIZE], struct connection *connection, struct err *err)
{
    char value[VALUE_SIZE];

    if (connection->link.endpoints->count > 1)
        return err_set(err,
                       "mysql: ubench does not set %s for all sessions on several servers: set it "
                       "on each of them, or leave it as it is with --sync server",
                       name);
    if (connection_value(connection, "reading a setting", value, sizeof value, err,
                         "SELECT QUOTE(@@GLOBAL.%s)", name) != 0)
        return -1;
    const size_t digits = strspn(value + 1, "-.0123456789");
    const bool number = digits > 0 && strcmp(value + 1 + digits, "'") == 0;
    const int length =
        snprintf(sql, RESTORE_SIZE, "SET GLOBAL %s = %.*s; %s", name,
                 (int)(number ? digits : sizeof value), number ? value + 1 : value, restore->sql);
    return strlen(value) + 1 < sizeof value && length < RESTORE_SIZE
               ? 0
               : err_usage(err, "--set: %s: %s to be restored", name,
                           strlen(value) + 1 < sizeof value ? "there are too many settings"
                                                            : "its value is too long");
}

int restore_set(struct restore *restore, const char *action, const char *name, const char *literal,
                struct connection *connection, struct err *err)
{
    char quoted[2 * RESTORE_SIZE];
    char sql[RESTORE_SIZE];

    if (write_note(restore, name, sql, connection, err) != 0 ||
        (!restore->noted &&
         (restore_lock(restore, connection, err) != 0 || make_column(connection, err) != 0)))
        return -1;
    (void)mysql_real_escape_string(connection->mysql, quoted, sql, (unsigned long)strlen(sql));
    /* IGNORE: other columns of an owner's marker may have no default. */
    const int failed = connection_run(
        connection, noting, err,
        restore->noted ? "UPDATE ubench_marker SET restore = CONCAT(" START ", ' ', '%s')"
                         " WHERE restore IS NOT NULL"
                       : "INSERT IGNORE INTO ubench_marker (restore)"
                         " VALUES (CONCAT(" START ", ' ', '%s'))",
        status_schema(connection), quoted);
    restore->noted = restore->noted || failed == 0 || connection->link.lost;
    if (failed != 0)
        return -1;
    const int refused =
        connection_run(connection, action, err, "SET GLOBAL %s = %s", name, literal);
    /* If the answer was lost, the variable may have been set. */
    if (refused == 0 || connection->link.lost)
        memcpy(restore->sql, sql, sizeof sql);
    return refused == 0 ? 0 : 1;
}

static int fail(const struct restore *restore, struct err *err)
{
    err_add(err, "; could not restore settings of the server; run: %s%s", restore->sql, remove_row);
    return -1;
}

static int put_back(struct restore *restore, struct connection *connection, struct err *err)
{
    static const char action[] = "restoring a setting";
    char count[24] = "";
    struct err ignored;

    if ((restore->sql[0] != '\0' &&
         connection_run(connection, action, err, "%s", restore->sql) != 0) ||
        connection_run(connection, action, err, "%s", remove_row) != 0)
        return fail(restore, err);
    restore->noted = false;
    /* A store that could not be opened leaves no marker behind, unless it is needed: the marker of
       a run that was killed while it created its tables may have no rows. */
    if (connection_value(connection, noting, count, sizeof count, &ignored,
                         "SELECT (SELECT COUNT(*) FROM ubench_marker)"
                         " + (SELECT COUNT(*) FROM information_schema.tables"
                         "    WHERE table_schema = DATABASE())"
                         " + (SELECT COUNT(*) FROM information_schema.routines"
                         "    WHERE routine_schema = DATABASE())") == 0 &&
        strcmp(count, "1") == 0)
        (void)connection_run(connection, noting, &ignored, "DROP TABLE ubench_marker");
    return 0;
}

int restore_all(struct restore *restore, struct server *server, struct err *err)
{
    struct connection *const connection = server->connection;
    struct err ignored;

    if (!restore->noted ||
        (!connection_is_lost(connection) && put_back(restore, connection, err) == 0))
        return 0;
    if (server_reconnect(server, err) != 0)
        return fail(restore, err);
    /* The server has finished with the old connection when its lock is free. */
    (void)restore_lock(restore, connection, &ignored);
    return put_back(restore, connection, err);
}

/* Returns true for "1START SET GLOBAL NAME = 'VALUE'; ", with any number of SET: nothing else is
   run as SQL. */
static bool is_ours(const char *row)
{
    static const char pattern[] =
        "^[01][0-9]+ (SET GLOBAL [A-Za-z0-9_]+ = ([-.0-9]+|NULL|'([^'\\\\]|\\\\.)*'); )*$";
    regex_t regex;

    if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    const bool is = regexec(&regex, row, 0, NULL, 0) == 0;
    regfree(&regex);
    return is;
}

int restore_left(struct connection *connection, struct err *err)
{
    const struct store_config *const config = connection->config;
    struct restore left = { .noted = true };
    char row[RESTORE_SIZE + 64];
    struct err cause;

    if (config->keep || config->joins)
        return 0;
    /* A restarted server has lost the settings; then the query puts 0 before the note. */
    if (connection_value(connection, "reading ubench_marker", row, sizeof row, &cause,
                         "SELECT CONCAT(ABS(restore - " START ") <= 5, restore)"
                         " FROM ubench_marker WHERE restore IS NOT NULL",
                         status_schema(connection)) != 0) {
        const unsigned code = mysql_errno(connection->mysql);

        if (code == CODE_NO_TABLE || code == CODE_NO_COLUMN)
            return 0;
        *err = cause;
        return -1;
    }
    if (row[0] == '\0')
        return 0;
    if (!is_ours(row))
        return err_set(err, "mysql: the column restore of ubench_marker has text that ubench did "
                            "not write; remove that row");
    if (row[0] == '1')
        (void)snprintf(left.sql, sizeof left.sql, "%s", strchr(row, ' ') + 1);
    if (restore_lock(&left, connection, err) != 0 || put_back(&left, connection, err) != 0)
        return -1;
    (void)snprintf(row, sizeof row, "restoring settings left by a killed run: %.*s",
                   (int)strlen(left.sql) - 2, left.sql);
    if (left.sql[0] != '\0' && config->on_notice != NULL)
        config->on_notice(row);
    return 0;
}
