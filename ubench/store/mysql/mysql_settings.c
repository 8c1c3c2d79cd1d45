/* SPDX-License-Identifier: ISC */
#include "store/mysql/mysql_store.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char sync_binlog[] = "sync_binlog";

const char *settings_literal(char literal[static LITERAL_SIZE], const char *value)
{
    static const char units[] = "KMGT";
    const size_t digits = strspn(value, "0123456789");
    const char *const unit = value[digits] != '\0' ? strchr(units, value[digits]) : NULL;
    char *out = literal;

    if (digits > 0 && digits < 7 && unit != NULL && value[digits + 1] == '\0') {
        (void)snprintf(literal, LITERAL_SIZE, "%" PRIu64,
                       (uint64_t)strtoull(value, NULL, 10) << 10 * (unit - units + 1));
        return literal;
    }
    if ((value[strspn(value, "+-.0123456789")] == '\0' && strpbrk(value, "0123456789") != NULL) ||
        strcasecmp(value, "default") == 0) {
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

/* --- --sync --- */

/* Sets err to the refusal and the three remedies. */
static int refuse_sync(const char *name, const char *value, struct connection *connection,
                       struct err *err)
{
    const char *const right = !connection->mariadb  ? "SYSTEM_VARIABLES_ADMIN"
                              : name == sync_binlog ? "BINLOG ADMIN"
                                                    : "SUPER";
    struct err ignored;
    char user[256];

    if (connection_value(connection, "reading the user", user, sizeof user, &ignored,
                         "SELECT CONCAT('''', REPLACE(CURRENT_USER(), '@', '''@'''),"
                         " '''')") != 0)
        (void)snprintf(user, sizeof user, "USER");
    err_add(err,
            "; ubench needs that to set %s to %s for --sync: have it granted (GRANT %s ON *.* TO "
            "%s), or use --sync server, or another --engine",
            name, value, right, user);
    return -1;
}

/* Sets one of the two global variables of --sync, unless it already has the value. */
static int set_for_sync(struct settings *settings, const struct properties *variables,
                        const char *name, const char *value, struct connection *connection,
                        struct err *err)
{
    if (strcmp(sql_setting(variables, name), value) == 0)
        return 0;
    const int status =
        restore_set(&settings->restore, "setting the durability", name, value, connection, err);
    return status > 0 && mysql_errno(connection->mysql) == CODE_NO_PRIVILEGE
               ? refuse_sync(name, value, connection, err)
           : status == 0 ? 0
                         : -1;
}

/* The settings of the two logs at each level; NULL: unchanged. */
static const struct {
    const char *flush_log;
    const char *sync_binlog; /* only with a binary log */
} sync_values[] = {
    [SYNC_YES] = { "1", "1" },
    [SYNC_POWER_SAFE] = { "1", "1" },
    /* A binary log that is synced at each commit would make it as slow as yes. */
    [SYNC_NO] = { "2", "0" },
    [SYNC_BOUNDED] = { "2", "0" },
    [SYNC_VOLATILE] = { "0", "0" },
    [SYNC_SERVER] = { NULL, NULL },
    /* Not available: the log is synced each second, or not at all. */
    [SYNC_PROCESS_SAFE] = { NULL, NULL },
};

int settings_sync(struct settings *settings, const char *engine, struct connection *connection,
                  struct err *err)
{
    const enum sync_level level = connection->config->sync;
    struct properties variables;

    /* These variables affect InnoDB only.  A process that joins another leaves them as set by that
       one. */
    if (sync_values[level].flush_log == NULL || connection->config->joins ||
        strcmp(engine, "InnoDB") != 0)
        return 0;
    if (variables_read(connection, 0, &variables, err) != 0 ||
        set_for_sync(settings, &variables, "innodb_flush_log_at_trx_commit",
                     sync_values[level].flush_log, connection, err) != 0)
        return -1;
    return !mysql_binlog_file(&variables)
               ? 0
               : set_for_sync(settings, &variables, sync_binlog, sync_values[level].sync_binlog,
                              connection, err);
}

/* --- --set --- */

/* Checks that a name can be used in SQL as it is. */
static int check_set(const struct opt_setting *set, struct err *err)
{
    static const char *const reserved[] = { "autocommit", "sql_mode", "time_zone",
                                            "sql_select_limit", "completion_type" };
    const char *c = set->name;

    while (isalnum((unsigned char)*c) || *c == '_')
        c++;
    if (*c != '\0' || c == set->name)
        return err_usage(err, "--set: '%s' is not a valid variable name", set->name);
    if (strlen(set->value) >= VALUE_SIZE)
        return err_usage(err, "--set: %s: the value is too long", set->name);
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
        if (strcasecmp(set->name, reserved[i]) == 0)
            return err_usage(err, "--set: %s is reserved: ubench sets it itself", set->name);
    }
    return 0;
}

/* Sets a variable for the session, or for all sessions if it is only global. */
static int set_one(struct settings *settings, const struct opt_setting *set, bool *global,
                   struct connection *connection, struct err *err)
{
    char action[2 * VALUE_SIZE];
    char literal[LITERAL_SIZE];

    if (check_set(set, err) != 0)
        return -1;
    (void)snprintf(action, sizeof action, "--set: %s=%s", set->name, set->value);
    (void)settings_literal(literal, set->value);
    int status = connection_run(connection, action, err, "SET SESSION %s = %s", set->name, literal);
    bool refused = status != 0;
    if (refused && mysql_errno(connection->mysql) == CODE_GLOBAL_VARIABLE) {
        *global = true;
        status = connection->config->joins
                     ? 0
                     : restore_set(&settings->restore, action, set->name, literal, connection, err);
        refused = status > 0;
    }
    if (refused && err->kind == ERR_OTHER && mysql_errno(connection->mysql) != CODE_NO_PRIVILEGE)
        err->kind = ERR_USAGE;
    return status == 0 ? 0 : -1;
}

int settings_set(struct settings *settings, struct connection *connection, struct err *err)
{
    const struct opt_settings *const asked = connection->config->settings;

    for (size_t i = 0; i < asked->count; i++) {
        const char *const name = asked->items[i].name;
        bool *const global = &settings->global[i];
        char key[OPT_SETTING_NAME_MAX + sizeof "session "];
        char value[VALUE_SIZE];

        if (set_one(settings, &asked->items[i], global, connection, err) != 0 ||
            connection_value(connection, "reading a setting back", value, sizeof value, err,
                             "SELECT @@%s.%s", *global ? "GLOBAL" : "SESSION", name) != 0)
            return -1;
        (void)snprintf(key, sizeof key, "%s %s", *global ? "global" : "session", name);
        properties_add(&settings->given, key, "%s", value);
    }
    return 0;
}

int settings_set_session(const struct settings *settings, struct connection *connection,
                         struct err *err)
{
    const struct opt_settings *const asked = connection->config->settings;
    char literal[LITERAL_SIZE];

    for (size_t i = 0; i < asked->count; i++) {
        const struct opt_setting *const set = &asked->items[i];

        if (!settings->global[i] &&
            connection_run(connection, "--set", err, "SET SESSION %s = %s", set->name,
                           settings_literal(literal, set->value)) != 0)
            return -1;
    }
    return 0;
}
