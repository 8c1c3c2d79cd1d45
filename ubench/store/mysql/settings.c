/* SPDX-License-Identifier: ISC */
#include "store/mysql/settings.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char flush_log[] = "innodb_flush_log_at_trx_commit";
static const char sync_binlog[] = "sync_binlog";

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

const char *settings_literal(char literal[static LITERAL_SIZE],
                             const char *value)
{
    const unsigned shift = unit_shift(value);
    char *out = literal;

    if (shift > 0) {
        (void)snprintf(literal, LITERAL_SIZE, "%" PRIu64,
                       (uint64_t)strtoull(value, NULL, 10) << shift);
        return literal;
    }
    if (is_number(value) || strcasecmp(value, "default") == 0) {
        (void)snprintf(literal, LITERAL_SIZE, "%s", value);
        return literal;
    }
    *out++ = '\'';
    for (; *value != '\0'; value++) {
        if (*value == '\'' || *value == '\\')
            *out++ = *value;
        *out++ = *value;
    }
    *out++ = '\'';
    *out = '\0';
    return literal;
}

/* Remembers what a global variable is before the first change to it. */
static int save(struct settings *settings, const char *name,
                struct connection *connection, struct err *err)
{
    for (size_t i = 0; i < settings->saved_count; i++) {
        if (strcasecmp(settings->saved[i].name, name) == 0)
            return 0;
    }
    struct saved *const saved = &settings->saved[settings->saved_count];
    if (connection_value(connection_query(connection, "reading a setting", err,
                                          "SELECT @@GLOBAL.%s", name),
                         saved->value, sizeof saved->value) != 0)
        return -1;
    if (strlen(saved->value) + 1 == sizeof saved->value)
        return err_set_class(err, ERR_USAGE,
                             "--set: %s: its value is too long to be put back",
                             name);
    saved->name = name;
    settings->saved_count++;
    return 0;
}

/* The user as GRANT wants it. */
static void read_user(char *user, size_t size, struct connection *connection)
{
    struct err ignored;

    if (connection_value(
            connection_query(
                connection, "reading the user", &ignored,
                "SELECT CONCAT('''', SUBSTRING_INDEX(CURRENT_USER(), '@', 1),"
                " '''@''', SUBSTRING_INDEX(CURRENT_USER(), '@', -1), '''')"),
            user, size) != 0)
        (void)snprintf(user, size, "USER");
}

/* Names the three ways out. */
static int refuse_sync(struct settings *settings, const char *name,
                       const char *value, struct connection *connection,
                       struct err *err)
{
    const char *right = "SYSTEM_VARIABLES_ADMIN";
    const struct err cause = *err;
    char user[256];

    if (variables_are_mariadbs(&settings->variables))
        right = name == sync_binlog ? "BINLOG ADMIN" : "SUPER";
    read_user(user, sizeof user, connection);
    return err_set(err,
                   "%s; that is to set %s to %s for --sync: have it granted "
                   "(GRANT %s ON *.* TO %s), or take the server as it is "
                   "(--sync server), or another storage engine (--engine)",
                   cause.text, name, value, right, user);
}

/* Sets one of the two global variables of --sync if it is not so already. */
static int set_for_sync(struct settings *settings, const char *name,
                        const char *value, struct connection *connection,
                        struct err *err)
{
    const size_t saved = settings->saved_count;

    if (save(settings, name, connection, err) != 0)
        return -1;
    if (strcmp(settings->saved[saved].value, value) == 0) {
        settings->saved_count = saved;
        return 0;
    }
    if (connection_run(connection, "setting the durability", err,
                       "SET GLOBAL %s = %s", name, value) == 0)
        return 0;
    settings->saved_count = saved;
    if (mysql_errno(connection->mysql) == CODE_NO_PRIVILEGE)
        return refuse_sync(settings, name, value, connection, err);
    return -1;
}

/* What a level makes of the two logs; NULL: what is not touched. */
static const struct {
    const char *flush_log;
    const char *sync_binlog; /* while there is a binary log */
} sync_values[] = {
    [SYNC_YES] = { "1", "1" },
    [SYNC_POWER_SAFE] = { "1", "1" },
    /* A binary log that is synced at each commit makes it as slow as yes. */
    [SYNC_NO] = { "2", "0" },
    [SYNC_BOUNDED] = { "2", "0" },
    [SYNC_VOLATILE] = { "0", "0" },
    [SYNC_SERVER] = { NULL, NULL },
    /* The log is synced each second, or not at all. */
    [SYNC_PROCESS_SAFE] = { NULL, NULL },
};

int settings_sync(struct settings *settings, const char *engine,
                  struct connection *connection, struct err *err)
{
    const enum sync_level level = connection->config->sync;

    if (variables_read(&settings->variables, connection, err) != 0)
        return -1;
    /* No other engine asks these variables. */
    if (sync_values[level].flush_log == NULL || strcmp(engine, "InnoDB") != 0)
        return 0;
    if (set_for_sync(settings, flush_log, sync_values[level].flush_log,
                     connection, err) != 0)
        return -1;
    if (!variables_on(&settings->variables, VARIABLE_LOG_BIN))
        return 0;
    return set_for_sync(settings, sync_binlog, sync_values[level].sync_binlog,
                        connection, err);
}

/* A name that can stand in SQL as it is. */
static int check_set(const struct opt_setting *set, struct err *err)
{
    static const char *const ours[] = { "autocommit", "sql_mode", "time_zone" };

    for (const char *c = set->name; *c != '\0'; c++) {
        if (!isalnum((unsigned char)*c) && *c != '_')
            return err_set_class(err, ERR_USAGE,
                                 "--set: '%s' is not the name of a variable",
                                 set->name);
    }
    if (strlen(set->value) >= VALUE_SIZE)
        return err_set_class(err, ERR_USAGE, "--set: %s: the value is too long",
                             set->name);
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        if (strcasecmp(set->name, ours[i]) == 0)
            return err_set_class(err, ERR_USAGE,
                                 "--set: %s is not free to choose: ubench "
                                 "needs it as it sets it",
                                 set->name);
    }
    return 0;
}

static int fail_set(const struct opt_setting *set, unsigned code,
                    const char *text, struct err *err)
{
    const bool usage = code != CODE_NO_PRIVILEGE && !connection_is_lost(code);

    return err_set_class(err, usage ? ERR_USAGE : ERR_OTHER,
                         "--set: %s=%s: %s (%u)", set->name, set->value, text,
                         code);
}

/* A value out of range is put right with a warning; that is not what was
   asked for. */
static int check_warnings(const struct opt_setting *set,
                          struct connection *connection, struct err *err)
{
    MYSQL_ROW row;
    int result = 0;

    if (mysql_warning_count(connection->mysql) == 0)
        return 0;
    MYSQL_RES *const rows =
        connection_query(connection, "--set", err, "SHOW WARNINGS");
    if (rows == NULL)
        return -1;
    while (result == 0 && (row = mysql_fetch_row(rows)) != NULL) {
        const unsigned code = (unsigned)strtoul(row[1], NULL, 10);
        if (code == CODE_TRUNCATED_VALUE)
            result = fail_set(set, code, row[2], err);
    }
    mysql_free_result(rows);
    return result;
}

/* Sets a variable for the session, or for all if sessions have none. */
static int set_one(struct settings *settings, const struct opt_setting *set,
                   bool *global, struct connection *connection, struct err *err)
{
    char literal[LITERAL_SIZE];

    if (check_set(set, err) != 0)
        return -1;
    (void)settings_literal(literal, set->value);
    if (connection_run(connection, "--set", err, "SET SESSION %s = %s",
                       set->name, literal) == 0)
        return check_warnings(set, connection, err);
    unsigned code = mysql_errno(connection->mysql);
    if (code == CODE_GLOBAL_VARIABLE) {
        const size_t saved = settings->saved_count;

        *global = true;
        if (save(settings, set->name, connection, err) != 0)
            return -1;
        if (connection_run(connection, "--set", err, "SET GLOBAL %s = %s",
                           set->name, literal) == 0)
            return check_warnings(set, connection, err);
        code = mysql_errno(connection->mysql);
        /* What the server refused to change need not be put back. */
        if (!connection_is_lost(code))
            settings->saved_count = saved;
    }
    return fail_set(set, code, mysql_error(connection->mysql), err);
}

int settings_set(struct settings *settings, struct connection *connection,
                 struct err *err)
{
    const struct opt_settings *const asked = connection->config->settings;

    for (size_t i = 0; asked != NULL && i < asked->count; i++) {
        struct set *const set = &settings->set[i];
        const char *const name = asked->items[i].name;

        if (set_one(settings, &asked->items[i], &set->global, connection,
                    err) != 0 ||
            connection_value(
                connection_query(connection, "reading a setting back", err,
                                 "SELECT @@%s.%s",
                                 set->global ? "GLOBAL" : "SESSION", name),
                set->value, sizeof set->value) != 0)
            return -1;
    }
    return 0;
}

int settings_set_session(const struct settings *settings,
                         struct connection *connection, struct err *err)
{
    const struct opt_settings *const asked = connection->config->settings;
    char literal[LITERAL_SIZE];

    for (size_t i = 0; asked != NULL && i < asked->count; i++) {
        const struct opt_setting *const set = &asked->items[i];

        if (!settings->set[i].global &&
            connection_run(connection, "--set", err, "SET SESSION %s = %s",
                           set->name,
                           settings_literal(literal, set->value)) != 0)
            return -1;
    }
    return 0;
}

static void write_restore(char *sql, size_t size, const struct saved *saved)
{
    char literal[LITERAL_SIZE];

    (void)snprintf(sql, size, "SET GLOBAL %s = %s", saved->name,
                   settings_literal(literal, saved->value));
}

void settings_restore_sql(const struct settings *settings, char *text,
                          size_t size)
{
    for (size_t i = settings->saved_count; i-- > 0;) {
        const size_t length = strlen(text);
        const char *const semicolon = length == 0 ? "" : "; ";

        (void)snprintf(text + length, size - length, "%s", semicolon);
        write_restore(text + strlen(text), size - strlen(text),
                      &settings->saved[i]);
    }
}

int settings_restore(const struct settings *settings,
                     struct connection *connection, struct err *err)
{
    char sql[LITERAL_SIZE + 128];
    int result = 0;

    for (size_t i = settings->saved_count; i-- > 0;) {
        write_restore(sql, sizeof sql, &settings->saved[i]);
        if (connection_run(connection, "restoring a setting", err, "%s", sql) !=
            0)
            result = -1;
    }
    return result;
}

void settings_read_changed(struct settings *settings,
                           struct connection *connection)
{
    static const char mariadb[] =
        "SELECT LOWER(VARIABLE_NAME), GLOBAL_VALUE"
        " FROM information_schema.SYSTEM_VARIABLES"
        " WHERE GLOBAL_VALUE_ORIGIN IN ('CONFIG', 'COMMAND-LINE', 'SQL')"
        " AND NOT (GLOBAL_VALUE <=> DEFAULT_VALUE) ORDER BY 1";
    /* It does not know its defaults, and also calls DYNAMIC what was
       set for a session alone, as we do with the three below. */
    static const char mysql[] =
        "SELECT LOWER(VARIABLE_NAME), VARIABLE_VALUE"
        " FROM performance_schema.variables_info"
        " JOIN performance_schema.global_variables USING (VARIABLE_NAME)"
        " WHERE VARIABLE_SOURCE <> 'COMPILED' AND LOWER(VARIABLE_NAME)"
        " NOT IN ('autocommit', 'sql_mode', 'time_zone') ORDER BY 1";
    struct err ignored;
    MYSQL_ROW row;
    MYSQL_RES *const rows = connection_query(
        connection, "reading the changed settings", &ignored, "%s",
        variables_are_mariadbs(&settings->variables) ? mariadb : mysql);

    if (rows == NULL)
        return;
    while ((row = mysql_fetch_row(rows)) != NULL) {
        if (row[0] != NULL && row[1] != NULL)
            server_settings_add(&settings->changed, row[0], row[1]);
    }
    mysql_free_result(rows);
}

void settings_describe(const struct settings *settings,
                       const struct store_config *config,
                       struct properties *properties)
{
    for (size_t i = 0; config->settings != NULL && i < config->settings->count;
         i++) {
        char key[sizeof properties->items[0].key];

        (void)snprintf(key, sizeof key, "%s %s",
                       settings->set[i].global ? "global" : "session",
                       config->settings->items[i].name);
        properties_add(properties, key, "%s", settings->set[i].value);
    }
}
