/* SPDX-License-Identifier: ISC */
#include "store/mysql/mysql_globals.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char noting[] = "noting a setting that has to be restored";

/* True of a number as SQL writes it. */
static bool is_number(const char *value)
{
    return value[strspn(value, "+-.0123456789")] == '\0' &&
           value[strcspn(value, "0123456789")] != '\0';
}

/* The exponent of a number with a server option's unit, as 1G: 30; else 0. */
static unsigned unit_shift(const char *value)
{
    static const char units[] = "KMGT";
    const size_t digits = strspn(value, "0123456789");
    const char *const unit =
        value[digits] != '\0' ? strchr(units, value[digits]) : NULL;

    return digits > 0 && digits < 7 && unit != NULL && value[digits + 1] == '\0'
               ? 10 * (unsigned)(unit - units + 1)
               : 0;
}

/* A string as SQL writes it. */
static const char *quote(char quoted[static LITERAL_SIZE], const char *value)
{
    char *out = quoted;

    *out++ = '\'';
    for (; *value != '\0'; value++) {
        if (*value == '\'' || *value == '\\')
            *out++ = *value;
        *out++ = *value;
    }
    *out++ = '\'';
    *out = '\0';
    return quoted;
}

const char *globals_literal(char literal[static LITERAL_SIZE],
                            const char *value)
{
    const unsigned shift = unit_shift(value);

    if (shift == 0 && !is_number(value) && strcasecmp(value, "default") != 0)
        return quote(literal, value);
    if (shift == 0)
        (void)snprintf(literal, LITERAL_SIZE, "%s", value);
    else
        (void)snprintf(literal, LITERAL_SIZE, "%" PRIu64,
                       (uint64_t)strtoull(value, NULL, 10) << shift);
    return literal;
}

bool globals_is_name(const char *name)
{
    const char *c = name;

    while (isalnum((unsigned char)*c) || *c == '_')
        c++;
    return *c == '\0' && c != name;
}

int globals_lock(struct connection *connection, struct lock_holder *holder,
                 struct err *err)
{
    return connection_lock(connection, "'ubench.settings'",
                           "another ubench has changed settings of this server "
                           "for its run, in whatever database that is",
                           holder, err);
}

int globals_unlock(const struct globals *globals, struct connection *connection,
                   struct err *err)
{
    char released[8];

    return globals->table || connection->config->joins
               ? 0
               : connection_value(
                     connection_query(connection, "unlocking the settings", err,
                                      "SELECT RELEASE_LOCK('ubench.settings')"),
                     released, sizeof released);
}

/* In memory, since a server that is started anew has forgotten what was set.
   Group replication takes InnoDB alone. */
static int make_table(struct globals *globals, struct connection *connection,
                      struct err *err)
{
    if (globals->table)
        return 0;
    globals->table =
        connection_run(connection, noting, err,
                       "CREATE TABLE " GLOBALS_TABLE
                       " (name VARBINARY(64) PRIMARY KEY,"
                       " value VARBINARY(208) NOT NULL) ENGINE = %s"
                       " COMMENT = '" GLOBALS_COMMENT "'",
                       globals->in_group ? "InnoDB" : "MEMORY") == 0;
    return globals->table ? 0 : -1;
}

static int read_global(const char *name, char value[static VALUE_SIZE],
                       struct connection *connection, struct err *err)
{
    return connection_value(connection_query(connection, "reading a setting",
                                             err, "SELECT @@GLOBAL.%s", name),
                            value, VALUE_SIZE);
}

int globals_note(struct globals *globals, const char *name,
                 struct connection *connection, struct err *err)
{
    struct global *const item = &globals->items[globals->count];
    char value[LITERAL_SIZE];

    globals->noted = false;
    for (size_t i = 0; i < globals->count; i++) {
        if (strcasecmp(globals->items[i].name, name) == 0)
            return 0;
    }
    if (connection->endpoint->one_of_several)
        return err_set(err,
                       "mysql: %s is not set for all sessions on several "
                       "servers: set it on each of them, or take them as they "
                       "are (--sync server)",
                       name);
    (void)snprintf(item->name, sizeof item->name, "%s", name);
    if (read_global(name, item->value, connection, err) != 0)
        return -1;
    if (strlen(item->value) + 1 == sizeof item->value)
        return err_set_class(err, ERR_USAGE,
                             "--set: %s: its value is too long to be put back",
                             name);
    if (make_table(globals, connection, err) != 0 ||
        connection_run(connection, noting, err,
                       "INSERT INTO " GLOBALS_TABLE " VALUES ('%s', %s)", name,
                       quote(value, item->value)) != 0)
        return -1;
    globals->noted = true;
    globals->count++;
    return 0;
}

void globals_forget(struct globals *globals,
                    const struct connection *connection)
{
    if (globals->noted && !connection->lost)
        globals->count--;
    globals->noted = false;
}

static void write_restore(char *sql, size_t size, const struct global *item)
{
    char literal[LITERAL_SIZE];

    (void)snprintf(sql, size, "SET GLOBAL %s = %s", item->name,
                   globals_literal(literal, item->value));
}

void globals_restore_sql(const struct globals *globals, char *text, size_t size)
{
    size_t length = 0;

    for (size_t i = globals->count; i-- > 0 && length < size;) {
        write_restore(text + length, size - length, &globals->items[i]);
        length = strlen(text);
        length += (size_t)snprintf(text + length, size - length, "; ");
    }
    if (length < size)
        (void)snprintf(text + length, size - length,
                       "DROP TABLE " GLOBALS_TABLE);
}

int globals_restore(const struct globals *globals,
                    struct connection *connection, struct err *err)
{
    static const char action[] = "restoring a setting";
    char sql[LITERAL_SIZE + 128];
    int result = 0;

    for (size_t i = globals->count; i-- > 0;) {
        write_restore(sql, sizeof sql, &globals->items[i]);
        if (connection_run(connection, action, err, "%s", sql) != 0)
            result = -1;
    }
    if (result == 0 && globals->table)
        result = connection_run(connection, action, err,
                                "DROP TABLE IF EXISTS " GLOBALS_TABLE);
    return result;
}

/* Reads what a run that was killed has noted. */
static int read_table(struct globals *globals, struct connection *connection,
                      struct err *err)
{
    MYSQL_ROW row;
    int status = 0;
    MYSQL_RES *const rows =
        connection_query(connection, "reading " GLOBALS_TABLE, err,
                         "SELECT name, value FROM " GLOBALS_TABLE " LIMIT %zu",
                         sizeof globals->items / sizeof *globals->items);

    if (rows == NULL)
        return -1;
    globals->table = true;
    while (status == 0 && (row = mysql_fetch_row(rows)) != NULL) {
        struct global *const item = &globals->items[globals->count++];

        if (!globals_is_name(row[0]) || strlen(row[0]) >= sizeof item->name ||
            strlen(row[1]) >= sizeof item->value)
            status = err_set(err, "mysql: " GLOBALS_TABLE
                                  " has a row that ubench did not write");
        else
            (void)snprintf(item->name, sizeof item->name, "%s", row[0]);
        (void)snprintf(item->value, sizeof item->value, "%s", row[1]);
    }
    mysql_free_result(rows);
    return status;
}

int globals_recover(struct connection *connection, char *text, size_t size,
                    struct err *err)
{
    struct globals globals = { .count = 0 };
    char now[VALUE_SIZE];
    char sql[512];
    size_t length = 0;

    text[0] = '\0';
    if (read_table(&globals, connection, err) != 0)
        return -1;
    for (size_t i = 0; i < globals.count && length < size; i++) {
        const struct global *const item = &globals.items[i];

        if (read_global(item->name, now, connection, err) != 0)
            (void)snprintf(now, sizeof now, "unknown");
        length += (size_t)snprintf(
            text + length, size - length, "%s%s from %s to %s",
            i == 0 ? "a run that was killed had changed settings of the "
                     "server, which are restored: "
                   : ", ",
            item->name, now, item->value);
    }
    if (globals_restore(&globals, connection, err) == 0)
        return 0;
    const struct err cause = *err;
    globals_restore_sql(&globals, sql, sizeof sql);
    return err_set_class(err, cause.kind,
                         "%.300s; a run that was killed has left settings of "
                         "the server changed, which this puts right: %s",
                         cause.text, sql);
}
