/* SPDX-License-Identifier: ISC */
#include "store/mysql/mysql_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char flush_log[] = "innodb_flush_log_at_trx_commit";
static const char sync_binlog[] = "sync_binlog";

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
static int set_for_sync(struct settings *settings, enum variable variable,
                        const char *name, const char *value,
                        struct connection *connection, struct err *err)
{
    if (strcmp(settings->variables.value[variable], value) == 0)
        return 0;
    if (globals_note(&settings->globals, name, connection, err) != 0)
        return -1;
    if (connection_run(connection, "setting the durability", err,
                       "SET GLOBAL %s = %s", name, value) == 0)
        return 0;
    globals_forget(&settings->globals, connection);
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
    settings->globals.in_group =
        variables_on(&settings->variables, VARIABLE_GROUP);
    /* No other engine asks these variables; where a process joins another, that
       has set them. */
    if (sync_values[level].flush_log == NULL || connection->config->joins ||
        strcmp(engine, "InnoDB") != 0)
        return 0;
    if (set_for_sync(settings, VARIABLE_FLUSH_LOG, flush_log,
                     sync_values[level].flush_log, connection, err) != 0)
        return -1;
    if (!variables_on(&settings->variables, VARIABLE_LOG_BIN) ||
        variables_binlog_in_innodb(&settings->variables))
        return 0;
    return set_for_sync(settings, VARIABLE_SYNC_BINLOG, sync_binlog,
                        sync_values[level].sync_binlog, connection, err);
}

/* A name that can stand in SQL as it is. */
static int check_set(const struct opt_setting *set, struct err *err)
{
    static const char *const ours[] = { "autocommit", "sql_mode", "time_zone",
                                        "sql_select_limit", "completion_type" };

    if (!globals_is_name(set->name))
        return err_set_class(err, ERR_USAGE,
                             "--set: '%s' is not the name of a variable",
                             set->name);
    if (strlen(set->value) >= VALUE_SIZE)
        return err_set_class(err, ERR_USAGE, "--set: %s: the value is too long",
                             set->name);
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        if (strcasecmp(set->name, ours[i]) == 0)
            return err_set_class(err, ERR_USAGE,
                                 "--set: %s is reserved: ubench sets it itself",
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
    (void)globals_literal(literal, set->value);
    if (connection_run(connection, "--set", err, "SET SESSION %s = %s",
                       set->name, literal) == 0)
        return check_warnings(set, connection, err);
    unsigned code = mysql_errno(connection->mysql);
    if (code == CODE_GLOBAL_VARIABLE) {
        *global = true;
        if (connection->config->joins)
            return 0;
        if (globals_note(&settings->globals, set->name, connection, err) != 0)
            return -1;
        if (connection_run(connection, "--set", err, "SET GLOBAL %s = %s",
                           set->name, literal) == 0)
            return check_warnings(set, connection, err);
        code = mysql_errno(connection->mysql);
        globals_forget(&settings->globals, connection);
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
                           globals_literal(literal, set->value)) != 0)
            return -1;
    }
    return 0;
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
       set for a session alone, as we do with those below. */
    static const char mysql[] =
        "SELECT LOWER(VARIABLE_NAME), VARIABLE_VALUE"
        " FROM performance_schema.variables_info"
        " JOIN performance_schema.global_variables USING (VARIABLE_NAME)"
        " WHERE VARIABLE_SOURCE <> 'COMPILED' AND LOWER(VARIABLE_NAME)"
        " NOT IN ('sql_mode', 'sql_select_limit', 'max_error_count',"
        " 'wait_timeout') ORDER BY 1";
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
    for (size_t i = 0; i < config->settings->count; i++) {
        char key[sizeof properties->items[0].key];

        (void)snprintf(key, sizeof key, "%s %s",
                       settings->set[i].global ? "global" : "session",
                       config->settings->items[i].name);
        properties_add(properties, key, "%s", settings->set[i].value);
    }
}
