/* SPDX-License-Identifier: ISC */
#include "store/pgsql/pgsql_settings.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const setting_names[SETTINGS] = {
    [SETTING_SYNCHRONOUS_COMMIT] = "synchronous_commit",
    [SETTING_FSYNC] = "fsync",
    [SETTING_FULL_PAGE_WRITES] = "full_page_writes",
    [SETTING_WAL_SYNC_METHOD] = "wal_sync_method",
    [SETTING_STANDBY_NAMES] = "synchronous_standby_names",
    "wal_level",
    "wal_writer_delay",
    "commit_delay",
    "commit_siblings",
    "shared_buffers",
    "wal_buffers",
    "max_wal_size",
    "checkpoint_timeout",
    "autovacuum",
    "jit",
    "data_checksums",
    "io_method", /* from PostgreSQL 18 on */
};

/* Our own knob among those of --set. */
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
            return err_set_class(err, ERR_USAGE, "pgsql: --set unlogged=%s: expected yes or no",
                                 value);
    }
    return 0;
}

/* Reads a setting as the server understood it.  It fails on a name that the server does not know,
   where SET would take "any.thing". */
static int read_setting(struct connection *connection, const char *action, const char *name,
                        char value[static SETTING_SIZE], struct err *err)
{
    static const char sql[] =
        "SELECT current_setting(name) FROM pg_settings WHERE lower(name) = lower($1)";
    PGresult *const result = connection_query(connection, action, sql, 1, &name, err);

    if (result == NULL)
        return -1;
    const bool known = PQntuples(result) == 1;
    (void)snprintf(value, SETTING_SIZE, "%s", known ? PQgetvalue(result, 0, 0) : "");
    PQclear(result);
    return known ? 0 : err_set(err, "pgsql: %s: the server has no setting of that name", action);
}

static int set_one(struct connection *connection, const struct opt_setting *setting,
                   char value[static SETTING_SIZE], struct err *err)
{
    /* Those that decide how a lease looks on its way. */
    static const char *const reserved[] = { "bytea_output", "client_encoding", "datestyle",
                                            "row_security" };
    static const char set_sql[] = "SELECT set_config($1, $2, false)";
    const char *const params[] = { setting->name, setting->value };
    char action[2 * SETTING_SIZE];

    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
        if (strcasecmp(setting->name, reserved[i]) == 0)
            return err_set_class(err, ERR_USAGE,
                                 "pgsql: --set %s is reserved: ubench sets it itself",
                                 setting->name);
    }
    (void)snprintf(action, sizeof action, "--set %s=%s", setting->name, setting->value);
    PGresult *const result =
        read_setting(connection, action, setting->name, value, err) == 0
            ? connection_query(connection, action, set_sql, 2, params, err)
            : NULL;
    if (result == NULL) {
        err->kind = err->kind == ERR_OTHER ? ERR_USAGE : err->kind;
        return -1;
    }
    PQclear(result);
    return read_setting(connection, action, setting->name, value, err);
}

int settings_set(struct settings *settings, struct connection *connection,
                 const struct store_config *config, struct err *err)
{
    /* First of all what changes what this session sees, whatever the role or the database asks for:
       what a lease holds has to come back as text that we can read, and no row may be hidden
       without an error. */
    static const char begin[] =
        "SET client_min_messages = warning; SET quote_all_identifiers = off;"
        "SET row_security = off; SET bytea_output = hex; SET datestyle = ISO; SET timezone = UTC";
    char value[SETTING_SIZE];
    const char *sync = NULL;

    if (config->sync == SYNC_YES || config->sync == SYNC_POWER_SAFE)
        sync = "SET synchronous_commit = on";
    else if (config->sync == SYNC_NO || config->sync == SYNC_VOLATILE)
        sync = "SET synchronous_commit = off";
    if (connection_script(connection, "set up", begin, err) != 0 ||
        (sync != NULL && connection_script(connection, "--sync", sync, err) != 0))
        return -1;
    for (size_t i = 0; i < config->settings->count; i++) {
        if (!is_unlogged(&config->settings->items[i]) &&
            set_one(connection, &config->settings->items[i],
                    settings != NULL ? settings->given[i] : value, err) != 0)
            return -1;
    }
    return 0;
}

struct reading {
    char (*value)[SETTING_SIZE];
    int count;
};

static void take_values(void *context, const char *const *row)
{
    const struct reading *const reading = context;

    for (int i = 0; i < reading->count; i++)
        (void)snprintf(reading->value[i], SETTING_SIZE, "%s", row[i] != NULL ? row[i] : "");
}

/* Reads the first count of them, those that this version has. */
static int read_settings(char (*value)[SETTING_SIZE], int count, struct connection *connection,
                         struct err *err)
{
    struct reading reading = { value, count };
    char sql[SETTINGS * 64] = "SELECT ";
    size_t length = strlen(sql);

    for (int i = 0; i < count; i++)
        length += (size_t)snprintf(sql + length, sizeof sql - length,
                                   "%scurrent_setting('%s', true)", i == 0 ? "" : ", ",
                                   setting_names[i]);
    return connection_rows(connection, "read settings", sql, take_values, &reading, err);
}

/* Who has the changes beside this server; of that a user who is no member of
   pg_read_all_stats is only told how many there are. */
static void read_standbys(struct settings *settings,
                          struct connection *connection)
{
    struct err ignored;

    (void)connection_value(
        connection, "read pg_stat_replication", settings->standbys, sizeof settings->standbys,
        &ignored,
        "SELECT count(*) || ' connected, ' || CASE WHEN count(*) > count(sync_state)"
        " THEN 'whether synchronous is not for this user to see' ELSE count(*)"
        " FILTER (WHERE sync_state IN ('sync', 'quorum')) || ' synchronous' END"
        " FROM pg_stat_replication");
    if (strncmp(settings->standbys, "0 ", 2) == 0 &&
        settings->value[SETTING_STANDBY_NAMES][0] == '\0')
        settings->standbys[0] = '\0'; /* there are none, nor should be */
}

int settings_read(struct settings *settings, struct connection *connection,
                  struct err *err)
{
    if (read_settings(settings->value, SETTINGS, connection, err) != 0)
        return -1;
    for (int i = 0; i < SETTING_STANDBY_NAMES; i++) {
        if (settings->value[i][0] == '\0')
            return err_set(err, "pgsql: read settings: the server has no %s",
                           setting_names[i]);
    }
    read_standbys(settings, connection);
    return 0;
}

int settings_check_loaded(struct loaded *loaded, struct connection *connection,
                          struct err *err)
{
    char now[2][SETTING_SIZE];
    struct reading reading = { now, 2 };

    if (connection_rows(connection, "read when settings were loaded",
                        "SELECT pg_postmaster_start_time(), pg_conf_load_time()", take_values,
                        &reading, err) != 0)
        return -1;
    if (strcmp(loaded->value[0], now[0]) == 0 && strcmp(loaded->value[1], now[1]) != 0)
        return err_set(err, "pgsql: the server loaded its settings again while this ran: its "
                            "durability is not known, since one may have been changed for a "
                            "moment");
    memcpy(loaded->value, now, sizeof now);
    return 0;
}

static int check_persistence(const struct lease_table *table,
                             struct connection *connection, struct err *err)
{
    char now[8];

    if (connection_value(connection, "look at the lease table", now,
                         sizeof now, err,
                         "SELECT relpersistence FROM pg_class WHERE oid = %s",
                         table->oid) != 0)
        return -1;
    return now[0] == table->persistence
               ? 0
               : server_settings_changed(
                     "pgsql", table->base.name, table_persistence(table),
                     now[0] == 'u'   ? "unlogged"
                     : now[0] == 'p' ? "permanent"
                                     : "another table",
                     err);
}

int settings_check(const struct settings *settings,
                   const struct lease_table *table,
                   struct connection *connection, struct err *err)
{
    char now[DECISIVE_SETTINGS][SETTING_SIZE];

    if (read_settings(now, DECISIVE_SETTINGS, connection, err) != 0)
        return -1;
    for (int i = 0; i < DECISIVE_SETTINGS; i++) {
        if (i == SETTING_STANDBY_NAMES && connection->link.endpoint->one_of_several)
            continue;
        if (strcmp(now[i], settings->value[i]) != 0)
            return server_settings_changed("pgsql", setting_names[i],
                                           settings->value[i], now[i], err);
    }
    return check_persistence(table, connection, err);
}

void settings_read_changed(struct properties *changed, struct connection *connection)
{
    static const char sql[] =
        "SELECT lower(name), current_setting(name) FROM pg_settings WHERE"
        " source NOT IN ('default', 'override', 'session') AND"
        " setting IS DISTINCT FROM boot_val AND"
        " name NOT IN ('application_name', 'client_encoding') ORDER BY 1";
    struct err ignored;

    (void)connection_rows(connection, "read changed settings", sql, server_settings_take, changed,
                          &ignored);
}

/* The server acknowledges nothing while no such standby is there. */
static bool waits_for_standby(const struct settings *settings)
{
    const char *const sync = settings->value[SETTING_SYNCHRONOUS_COMMIT];

    return settings->value[SETTING_STANDBY_NAMES][0] != '\0' &&
           strcmp(sync, "off") != 0 && strcmp(sync, "local") != 0;
}

enum node_loss settings_node_loss(const struct settings *settings,
                                  const struct lease_table *table)
{
    return table->persistence == 'p' && waits_for_standby(settings)
               ? NODE_LOSS_YES
               : NODE_LOSS_NO;
}

enum durability settings_durability(const struct settings *settings,
                                    const struct lease_table *table, char *text, size_t size)
{
    const char(*const value)[SETTING_SIZE] = settings->value;
    const struct {
        bool holds;
        enum durability class;
        const char *remark;
    } limits[] = {
        { table->persistence != 'p', DURABILITY_VOLATILE, ": a crash of the server empties it" },
        { strcmp(value[SETTING_SYNCHRONOUS_COMMIT], "off") == 0, DURABILITY_VOLATILE,
          ": a killed backend takes the last commits with it" },
        { strcmp(value[SETTING_FSYNC], "on") != 0, DURABILITY_PROCESS_SAFE,
          ": a power cut puts the whole cluster at risk" },
        { strcmp(value[SETTING_FULL_PAGE_WRITES], "on") != 0, DURABILITY_PROCESS_SAFE,
          ": a power cut may leave torn pages" },
        { true, DURABILITY_POWER_SAFE, "" },
    };
    size_t i = 0;

    while (!limits[i].holds)
        i++;
    /* What else has the changes is no part of the class. */
    const char *const standby = value[SETTING_STANDBY_NAMES][0] == '\0' ? ""
                                : waits_for_standby(settings)
                                    ? ", each commit waits for a standby"
                                    : ", no commit waits for a standby";
    (void)snprintf(text, size,
                   "synchronous_commit=%s, fsync=%s, full_page_writes=%s, wal_sync_method=%s, %s "
                   "%s%s%s",
                   value[SETTING_SYNCHRONOUS_COMMIT], value[SETTING_FSYNC],
                   value[SETTING_FULL_PAGE_WRITES], value[SETTING_WAL_SYNC_METHOD],
                   table->base.name, table_persistence(table), standby, limits[i].remark);
    return limits[i].class;
}

void settings_describe(const struct settings *settings,
                       const struct opt_settings *given,
                       struct properties *properties)
{
    for (int i = 0; i < SETTINGS; i++) {
        /* Names of servers are their owner's affair. */
        if (settings->value[i][0] != '\0' && i != SETTING_STANDBY_NAMES)
            properties_add(properties, setting_names[i], "%s",
                           settings->value[i]);
    }
    if (settings->standbys[0] != '\0')
        properties_add(properties, "standbys", "%s", settings->standbys);
    for (size_t i = 0; i < given->count; i++) {
        if (!is_unlogged(&given->items[i]))
            properties_add(properties, given->items[i].name, "%s (--set)",
                           settings->given[i]);
    }
}
