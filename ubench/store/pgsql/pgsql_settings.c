/* SPDX-License-Identifier: ISC */
#include "store/pgsql/pgsql_store.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Returns true for unlogged, a setting of ubench's own. */
static bool is_unlogged(const struct opt_setting *setting)
{
    return strcmp(setting->name, "unlogged") == 0;
}

int settings_unlogged(const struct opt_settings *settings, bool *unlogged, struct err *err)
{
    *unlogged = false;
    for (size_t i = 0; i < settings->count; i++) {
        const char *const value = settings->items[i].value;

        if (!is_unlogged(&settings->items[i]))
            continue;
        *unlogged = strcmp(value, "yes") == 0;
        if (!*unlogged && strcmp(value, "no") != 0)
            return err_usage(err, "pgsql: --set unlogged=%s: expected yes or no", value);
    }
    return 0;
}

/* Sets a setting and reads back the value that the server understood.  An
   unknown name is an error, although SET would accept "any.thing". */
static int set_one(struct connection *connection, const struct opt_setting *setting,
                   char value[static SETTING_SIZE], struct err *err)
{
    /* These decide how a lease is transferred. */
    static const char *const reserved[] = { "bytea_output", "client_encoding", "datestyle",
                                            "row_security" };
    static const char sql[] = "SELECT set_config(name, $2, false) FROM "
                              "pg_settings WHERE lower(name) = lower($1)";
    const char *const params[] = { setting->name, setting->value };
    char action[2 * SETTING_SIZE];

    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
        if (strcasecmp(setting->name, reserved[i]) == 0)
            return err_usage(err, "pgsql: --set %s is reserved: ubench sets it itself",
                             setting->name);
    }
    (void)snprintf(action, sizeof action, "--set %s=%s", setting->name, setting->value);
    PGresult *const result = connection_result(
        connection, action,
        PQsendQueryParams(connection->conn, sql, 2, NULL, params, NULL, NULL, 0), err);
    const bool known = PQntuples(result) == 1;
    if (result != NULL && !known)
        (void)err_usage(err, "pgsql: %s: the server has no setting of that name", action);
    else if (result == NULL && err->kind == ERR_OTHER)
        err->kind = ERR_USAGE;
    (void)snprintf(value, SETTING_SIZE, "%s", known ? PQgetvalue(result, 0, 0) : "");
    PQclear(result);
    return known ? 0 : -1;
}

int settings_set(struct settings *settings, struct connection *connection,
                 const struct store_config *config, struct err *err)
{
    /* First the settings that change what the session sees, whatever the role
       or the database sets: a lease must be returned as text that ubench can
       parse, and no row may be hidden without an error. */
    static const char begin[] =
        "SET client_min_messages = warning; SET quote_all_identifiers = off;"
        "SET row_security = off; SET bytea_output = hex; SET datestyle = ISO; "
        "SET timezone = UTC";
    char value[SETTING_SIZE];
    const char *sync = NULL;

    if (config->sync == SYNC_YES || config->sync == SYNC_POWER_SAFE)
        sync = "on";
    else if (config->sync == SYNC_NO || config->sync == SYNC_VOLATILE)
        sync = "off";
    if (connection_rows(connection, "set up", begin, NULL, NULL, err) != 0 ||
        (sync != NULL &&
         connection_run(connection, "--sync", err, "SET synchronous_commit = %s", sync) != 0))
        return -1;
    for (size_t i = 0; i < config->settings->count; i++) {
        if (!is_unlogged(&config->settings->items[i]) &&
            set_one(connection, &config->settings->items[i],
                    settings != NULL ? settings->given[i] : value, err) != 0)
            return -1;
    }
    return 0;
}

int settings_read(struct connection *connection, unsigned is, struct properties *read,
                  struct err *err)
{
    char names[1024];
    char sql[sizeof names + 96];

    (void)is; /* one query reads all settings */
    sql_settings_list(pgsql_settings, 0, false, names, sizeof names);
    (void)snprintf(sql, sizeof sql,
                   "SELECT name, current_setting(name, true) FROM "
                   "unnest(ARRAY[%s]) AS name",
                   names);
    read->count = 0;
    return connection_rows(connection, "read settings", sql, sql_settings_take, read, err);
}

void settings_read_standbys(struct settings *settings, const struct properties *read,
                            struct connection *connection)
{
    struct err ignored;

    /* A user who is not a member of pg_read_all_stats sees only the number of
       standbys. */
    (void)connection_value(connection, "read pg_stat_replication", settings->standbys,
                           sizeof settings->standbys, &ignored,
                           "SELECT count(*) || ' connected, ' || CASE WHEN count(*) > "
                           "count(sync_state)"
                           " THEN 'whether synchronous is not for this user to see' ELSE count(*)"
                           " FILTER (WHERE sync_state IN ('sync', 'quorum')) || ' synchronous' END"
                           " FROM pg_stat_replication");
    if (strncmp(settings->standbys, "0 ", 2) == 0 && sql_setting(read, STANDBY_NAMES)[0] == '\0')
        settings->standbys[0] = '\0'; /* no standbys, and none expected */
}

int settings_check_loaded(char loaded[static SETTING_SIZE], struct connection *connection,
                          struct err *err)
{
    char now[SETTING_SIZE];

    if (connection_value(connection, "read when settings were loaded", now, sizeof now, err,
                         "SELECT extract(epoch FROM pg_postmaster_start_time()) || ' ' ||"
                         " extract(epoch FROM pg_conf_load_time())") != 0)
        return -1;
    const size_t start = strcspn(now, " ") + 1;
    if (strncmp(loaded, now, start) == 0 && strcmp(loaded, now) != 0)
        return err_set(err, "pgsql: the server reloaded its configuration during the run, so the "
                            "durability class is unknown");
    memcpy(loaded, now, sizeof now);
    return 0;
}

void settings_read_changed(struct properties *changed, struct connection *connection)
{
    static const char sql[] = "SELECT lower(name), current_setting(name) FROM pg_settings WHERE"
                              " source NOT IN ('default', 'override', 'session') AND"
                              " setting IS DISTINCT FROM boot_val AND"
                              " name NOT IN ('application_name', 'client_encoding') ORDER BY 1";
    struct err ignored;

    (void)connection_rows(connection, "read changed settings", sql, sql_changed_take, changed,
                          &ignored);
}

void settings_describe(const struct settings *settings, const struct properties *read,
                       const struct opt_settings *given, struct properties *properties)
{
    sql_settings_report(pgsql_settings, "", read, properties);
    if (settings->standbys[0] != '\0')
        properties_add(properties, "standbys", "%s", settings->standbys);
    for (size_t i = 0; i < given->count; i++) {
        if (!is_unlogged(&given->items[i]))
            properties_add(properties, given->items[i].name, "%s (--set)", settings->given[i]);
    }
}
