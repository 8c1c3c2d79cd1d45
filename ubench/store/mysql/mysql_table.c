/* SPDX-License-Identifier: ISC */
#include "store/mysql/mysql_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/mysql/mysql_settings.h"
#include "store/sql/counters.h"

/* What the build made of the files in schema/. */
#include "schema/mysql.h"

static const char looking[] = "looking at the lease table";

/* DATA_TYPE of information_schema.columns; an address has another in lease6. */
static const char *const types[SQL_COLUMNS] = {
    [SQL_ADDRESS] = "int",         [SQL_HWADDR] = "varbinary",
    [SQL_CLIENT_ID] = "varbinary", [SQL_VALID_LIFETIME] = "int",
    [SQL_EXPIRE] = "timestamp",    [SQL_SUBNET_ID] = "int",
    [SQL_FQDN_FWD] = "tinyint",    [SQL_FQDN_REV] = "tinyint",
    [SQL_HOSTNAME] = "varchar",    [SQL_STATE] = "int",
    [SQL_LEASE_TYPE] = "tinyint",  [SQL_IAID] = "int",
    [SQL_PREF_LIFETIME] = "int",   [SQL_PREFIX_LEN] = "tinyint",
    [SQL_USER_CONTEXT] = "text",   [SQL_RELAY_ID] = "varbinary",
    [SQL_REMOTE_ID] = "varbinary", [SQL_HWTYPE] = "smallint",
    [SQL_HWADDR_SOURCE] = "int",   [SQL_POOL_ID] = "int",
};

/* A table without a key is refused by a replication group, among others. */
static const struct sql_place here = {
    "mysql", "",
    "CREATE TABLE ubench_marker (row_id INT AUTO_INCREMENT PRIMARY KEY)"
};

int table_lock(struct connection *connection, struct lock_holder *holder,
               struct err *err)
{
    char busy[SQL_NAME_SIZE];

    (void)snprintf(busy, sizeof busy, "database %s: another ubench is using it",
                   connection->config->target);
    return connection_lock(connection,
                           "CONCAT('ubench.', LEFT(SHA2(DATABASE(), 256), 32))",
                           busy, holder, err);
}

/* The catalogue as sql_contents_list takes it; of what an account may not see,
   nothing.  With the lease table's name, three times. */
static const char catalogue_sql[] =
    "SELECT 'r', table_name, table_name, IF(table_type LIKE '%%VIEW', 'a view', 'a table')"
    " FROM information_schema.tables WHERE table_schema = DATABASE()"
    " UNION ALL SELECT 'c', table_name, column_name, ''"
    " FROM information_schema.columns WHERE table_schema = DATABASE()"
    " AND table_name IN ('ubench_marker', '%s')"
    " UNION ALL SELECT 't', event_object_table, trigger_name, 'the trigger'"
    " FROM information_schema.triggers"
    " WHERE event_object_schema = DATABASE() AND event_object_table = '%s'"
    " UNION ALL SELECT 'f', referenced_table_name,"
    " CONCAT(constraint_name, ' of ', table_name), 'the foreign key'"
    " FROM information_schema.referential_constraints"
    " WHERE unique_constraint_schema = DATABASE()"
    " AND referenced_table_name = '%s'";

static int read_catalogue(struct found *found, struct connection *connection,
                          struct err *err)
{
    const char *const name = sql_table_name(connection->config->family);
    MYSQL_ROW row;
    MYSQL_RES *const rows = connection_query(
        connection, "looking for tables", err, catalogue_sql, name, name, name);

    if (rows == NULL)
        return -1;
    while ((row = mysql_fetch_row(rows)) != NULL) {
        const struct sql_listing listing = { (enum sql_listed)row[0][0], row[1],
                                             row[2], row[3] };

        sql_contents_list(&found->contents, &listing);
        found->lease_state |= strcmp(row[1], "lease_state") == 0;
        found->types |= strcmp(row[1], "lease6_types") == 0;
        found->sources |= strcmp(row[1], "lease_hwaddr_source") == 0;
    }
    mysql_free_result(rows);
    return 0;
}

static int read_marker(struct sql_contents *contents,
                       struct connection *connection, struct err *err)
{
    char sql[SQL_MARKER_QUERY_SIZE];
    MYSQL_ROW row;

    if (!sql_contents_marker_query(contents, "", sql))
        return 0;
    MYSQL_RES *const rows =
        connection_query(connection, "reading ubench_marker", err, "%s", sql);
    if (rows == NULL)
        return -1;
    while ((row = mysql_fetch_row(rows)) != NULL)
        sql_contents_row(contents, row[0], row[1]);
    mysql_free_result(rows);
    return 0;
}

int table_look(struct found *found, struct connection *connection,
               struct err *err)
{
    const struct store_config *const config = connection->config;
    struct sql_contents *const contents = &found->contents;
    struct err ignored;

    *found = (struct found){ .contents.family = config->family };
    if (read_catalogue(found, connection, err) != 0 ||
        read_marker(contents, connection, err) != 0)
        return -1;
    /* Before the settings are changed; what an option decides is for
       table_open, which knows the engine. */
    const enum sql_verdict verdict = sql_judge(contents, config, true);
    if (!sql_is_refusal(verdict))
        return 0;
    if (verdict == SQL_REFUSE_LEASES &&
        connection_value(connection_query(connection, "counting", &ignored,
                                          "SELECT COUNT(*) FROM %s",
                                          sql_table_name(config->family)),
                         contents->leases, sizeof contents->leases) != 0)
        contents->leases[0] = '\0';
    return sql_refuse(verdict, contents, config, &here, err);
}

int table_engine(char *engine, size_t size, struct connection *connection,
                 struct err *err)
{
    const char *const asked = connection->config->engine;
    char literal[LITERAL_SIZE];

    if (strlen(asked) >= VALUE_SIZE)
        return err_set_class(err, ERR_USAGE, "--engine: '%.20s...' is too long",
                             asked);
    if (connection_run(connection, "--engine", err,
                       "SET SESSION default_storage_engine = %s",
                       settings_literal(literal, asked)) != 0) {
        if (mysql_errno(connection->mysql) == CODE_UNKNOWN_ENGINE)
            err->kind = ERR_USAGE;
        return -1;
    }
    return connection_value(
        connection_query(connection, "--engine", err,
                         "SELECT @@SESSION.default_storage_engine"),
        engine, size);
}

/* Reads the engine, the indexes and the triggers of the lease table. */
static int read_table(struct lease_table *table, struct connection *connection,
                      struct err *err)
{
    const char *const name = table->base.name;
    MYSQL_RES *const rows = connection_query(
        connection, looking, err,
        "SELECT COALESCE(engine, table_type), COALESCE(create_options, ''),"
        " (SELECT COUNT(DISTINCT index_name) FROM information_schema.statistics"
        " WHERE table_schema = DATABASE() AND table_name = '%s'"
        " AND index_name != 'PRIMARY'),"
        " (SELECT COUNT(*) FROM information_schema.triggers"
        " WHERE event_object_schema = DATABASE()"
        " AND event_object_table = '%s')"
        " FROM information_schema.tables"
        " WHERE table_schema = DATABASE() AND table_name = '%s'",
        name, name, name);

    if (rows == NULL)
        return -1;
    const MYSQL_ROW row = mysql_fetch_row(rows);
    if (row != NULL) {
        (void)snprintf(table->engine, sizeof table->engine, "%s", row[0]);
        (void)snprintf(table->options, sizeof table->options, "%s", row[1]);
        table->indexes = (unsigned)strtoul(row[2], NULL, 10);
        table->triggers = (unsigned)strtoul(row[3], NULL, 10);
    }
    mysql_free_result(rows);
    return 0;
}

/* One row of information_schema.columns: name, type, key. */
static int read_column(struct sql_table *table, const char *place,
                       const MYSQL_ROW row, struct err *err)
{
    const enum sql_column column = sql_table_find(table, row[0]);

    if (column == SQL_COLUMNS)
        return err_set(err, "mysql: %s: the column %s is not of the schema %s",
                       place, row[0], sql_schema_name(table->schema));
    const bool is_key = column == SQL_ADDRESS;
    const bool v6_key = is_key && table->family == LEASE_FAMILY_V6;
    /* Up to Kea 2.2 its text. */
    const bool is_text = v6_key && strcmp(row[1], "varchar") == 0;
    const char *const type = v6_key ? "binary" : types[column];
    if (strcmp(row[1], type) != 0 && !is_text)
        return err_set(err, "mysql: %s: the column %s is %s, not %s", place,
                       row[0], row[1], type);
    if ((strcmp(row[2], "PRI") == 0) != is_key)
        return err_set(err, "mysql: %s: the column %s is %s the primary key",
                       place, row[0], is_key ? "not" : "part of");
    table->has[column] = true;
    if (is_text)
        table->address = SQL_TEXT;
    return 0;
}

static int read_columns(struct sql_table *table, struct connection *connection,
                        struct err *err)
{
    char place[SQL_NAME_SIZE];
    MYSQL_ROW row;
    int result = 0;
    MYSQL_RES *const rows = connection_query(
        connection, looking, err,
        "SELECT column_name, data_type, column_key"
        " FROM information_schema.columns WHERE table_schema = DATABASE()"
        " AND table_name = '%s' ORDER BY ordinal_position",
        table->name);

    if (rows == NULL)
        return -1;
    (void)snprintf(place, sizeof place, "%s.%s", connection->config->target,
                   table->name);
    while (result == 0 && (row = mysql_fetch_row(rows)) != NULL)
        result = read_column(table, place, row, err);
    mysql_free_result(rows);
    return result == 0 ? sql_table_check(table, "mysql", place, err) : -1;
}

/* Takes away what a script that failed has made. */
static void undo(const struct found *found, struct connection *connection)
{
    static const char action[] = "undoing";
    const char *const name = sql_table_name(connection->config->family);
    const bool had_marker = found->contents.marker[0] != '\0';
    struct err ignored;

    (void)connection_run(connection, action, &ignored,
                         "DROP TABLE IF EXISTS %s%s%s%s%s", name,
                         had_marker ? "" : ", ubench_marker",
                         found->types ? "" : ", lease6_types",
                         found->sources ? "" : ", lease_hwaddr_source",
                         found->lease_state ? "" : ", lease_state");
    if (had_marker && !sql_made_by_us(&found->contents))
        (void)connection_run(connection, action, &ignored,
                             "DELETE FROM ubench_marker"
                             " WHERE %s IN " SQL_OUR_ROWS,
                             name);
}

/* Drops what counts the leases of a table, beside its triggers. */
static int drop_counters(const char *table, struct connection *connection,
                         struct err *err)
{
    char sql[512];

    (void)snprintf(sql, sizeof sql,
                   "DROP TABLE IF EXISTS ubench_%s_stat, ubench_%s_pool_stat;"
                   "DROP PROCEDURE IF EXISTS ubench_%s_count;"
                   "DROP PROCEDURE IF EXISTS ubench_%s_pool_count;"
                   "DROP PROCEDURE IF EXISTS ubench_%s_class_count",
                   table, table, table, table, table);
    return connection_script(connection, "dropping counters", sql, err);
}

/* Names the two ways out. */
static void refuse_triggers(struct err *err)
{
    const struct err cause = *err;

    (void)err_set(err,
                  "%s; while the binary log is on, counters need SUPER "
                  "(GRANT SUPER ON *.* TO ...), or a server with "
                  "log_bin_trust_function_creators=ON",
                  cause.text);
}

/* The script marks the lease table only if it is to make it: one of another,
   made after we had looked, has no row. */
static bool is_marked(const char *name, struct connection *connection)
{
    char value[8];
    struct err ignored;

    return connection_value(connection_query(connection, looking, &ignored,
                                             "SELECT 1 FROM ubench_marker"
                                             " WHERE %s IN " SQL_OUR_ROWS
                                             " LIMIT 1",
                                             name),
                            value, sizeof value) == 0 &&
           strcmp(value, "1") == 0;
}

static int make(const struct found *found, struct connection *connection,
                struct err *err)
{
    static const char action[] = "making the lease table";
    const struct store_config *const config = connection->config;
    const char *const name = sql_table_name(config->family);
    const char *const sql = schemas[config->family][config->schema];

    if (found->contents.lease &&
        connection_run(connection, action, err, "DROP TABLE %s", name) != 0)
        return -1;
    if (drop_counters(name, connection, err) != 0)
        return -1;
    /* The row is always there, so that the database stays ubench's if the run
       is killed here; a script adds "+stats" to it. */
    if (sql_made_by_us(&found->contents) &&
        connection_run(connection, action, err,
                       "UPDATE ubench_marker SET %s = '%s'"
                       " WHERE %s IN " SQL_OUR_ROWS,
                       name, config->schema == SCHEMA_LEAN ? "lean" : "kea",
                       name) != 0)
        return -1;
    const bool done = connection_script(connection, action, sql, err) == 0;
    if (!done && mysql_errno(connection->mysql) == CODE_TRIGGER_LOGGED)
        refuse_triggers(err);
    if (!is_marked(name, connection))
        return done ? err_set(err,
                              "mysql: database %s: meanwhile another has made "
                              "%s: it was not touched",
                              config->target, name)
                    : -1;
    if (!done) {
        struct err ignored;

        undo(found, connection);
        (void)drop_counters(name, connection, &ignored);
    }
    return done ? 0 : -1;
}

static int refuse_engine(const struct lease_table *table, const char *engine,
                         struct connection *connection, struct err *err)
{
    return err_set(err,
                   "mysql: %s.%s is not ubench's own and has the engine "
                   "%s, not %s: ask for it with --engine %s",
                   connection->config->target, table->base.name, table->engine,
                   engine, table->engine);
}

static int make_with_engine(struct lease_table *table, const char *engine,
                            const struct found *found,
                            struct connection *connection, struct err *err)
{
    table->base.made_by_us = true;
    if (make(found, connection, err) != 0 ||
        read_table(table, connection, err) != 0)
        return -1;
    if (strcmp(table->engine, engine) == 0)
        return 0;
    /* enforce_storage_engine and the like replace it without a word. */
    undo(found, connection);
    return err_set_class(err, ERR_USAGE,
                         "--engine: the server made the table with %s "
                         "where %s was asked for",
                         table->engine, engine);
}

/* Makes the lease table if it is not there, or ours but not as asked for. */
static int make_if_needed(struct lease_table *table, const char *engine,
                          const struct found *found,
                          struct connection *connection, struct err *err)
{
    const struct store_config *const config = connection->config;

    if (found->contents.lease && read_table(table, connection, err) != 0)
        return -1;
    /* The triggers of the counters are made last: without them a run was killed
       before it had made all. */
    const unsigned triggers = config->schema == SCHEMA_KEA_STATS ? 3 : 0;
    const bool whole =
        !sql_made_by_us(&found->contents) || table->triggers == triggers;
    const enum sql_verdict verdict = sql_judge(
        &found->contents, config, whole && strcmp(table->engine, engine) == 0);
    if (verdict == SQL_USE)
        return 0;
    if (verdict == SQL_MAKE || verdict == SQL_MAKE_ANEW)
        return make_with_engine(table, engine, found, connection, err);
    if (verdict == SQL_REFUSE_OPTION)
        return refuse_engine(table, engine, connection, err);
    return sql_refuse(verdict, &found->contents, config, &here, err);
}

int table_open(struct lease_table *table, const char *engine,
               const struct found *found, struct connection *connection,
               struct err *err)
{
    const struct store_config *const config = connection->config;

    *table = (struct lease_table){ .engine = "" };
    sql_table_init(&table->base, config);
    table->base.made_by_us =
        found->contents.lease && sql_made_by_us(&found->contents);
    if (make_if_needed(table, engine, found, connection, err) != 0 ||
        read_columns(&table->base, connection, err) != 0)
        return -1;
    if (config->keep || config->joins)
        return 0;
    if (config->reservations &&
        connection_script(connection, "making ubench_hosts", hosts_sql, err) !=
            0)
        return -1;
    return table_empty(table, connection, err);
}

static int seed_counters(struct connection *connection, struct err *err)
{
    const struct store_config *const config = connection->config;
    char sql[COUNTER_SQL_SIZE];

    counter_sql_seed(sql, config->family, config->subnets, "TRUNCATE TABLE");
    return connection_script(connection, "making counters", sql, err);
}

int table_empty(const struct lease_table *table, struct connection *connection,
                struct err *err)
{
    static const char action[] = "emptying the lease table";
    enum { GROUP = 10000 };

    if (connection->config->reservations &&
        connection_run(connection, "emptying ubench_hosts", err,
                       "TRUNCATE TABLE ubench_hosts") != 0)
        return -1;
    if (table->base.made_by_us) {
        if (connection_run(connection, action, err, "TRUNCATE TABLE %s",
                           table->base.name) != 0)
            return -1;
        return connection->config->schema == SCHEMA_KEA_STATS
                   ? seed_counters(connection, err)
                   : 0;
    }
    /* TRUNCATE would leave Kea's statistics behind: it fires no trigger. */
    do {
        if (connection_run(connection, action, err, "DELETE FROM %s LIMIT %d",
                           table->base.name, (int)GROUP) != 0)
            return -1;
    } while (mysql_affected_rows(connection->mysql) > 0);
    return 0;
}

void table_describe(const struct lease_table *table,
                    struct properties *properties)
{
    char missing[128];

    sql_table_missing(&table->base, missing, sizeof missing);
    properties_add(properties, table->base.name,
                   "%s, %s%s%s, %u secondary indexes, %u triggers%s%s",
                   table->base.made_by_us ? "made by ubench"
                                          : "not made by ubench",
                   table->engine, table->options[0] != '\0' ? " " : "",
                   table->options, table->indexes, table->triggers,
                   missing[0] != '\0' ? ", without " : "", missing);
}
