/* SPDX-License-Identifier: ISC */
/*
 * Whose tables these are.  The permission to use a database is a table
 * ubench_marker in it.  Its columns lease4 and lease6 say with which of our
 * schemas we made the lease table of that name; if nothing stands there, the
 * owner of the database made both, and then the table is emptied but never
 * dropped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/mysql/store.h"
#include "store/sql/counters.h"

#define MARKER_SQL "CREATE TABLE ubench_marker (lease4 VARCHAR(16))"

static const char lean_sql[] = {
#include "schema/mysql-lean.inc"
    0
};
static const char kea_sql[] = {
#include "schema/mysql-kea.inc"
    0
};
static const char kea_stats_sql[] = {
#include "schema/mysql-kea.inc"

#include "schema/mysql-kea-stats.inc"
    0
};
static const char lean6_sql[] = {
#include "schema/mysql-lean6.inc"
    0
};
static const char kea6_sql[] = {
#include "schema/mysql-kea6.inc"
    0
};
static const char kea6_stats_sql[] = {
#include "schema/mysql-kea6.inc"

#include "schema/mysql-kea6-stats.inc"
    0
};
static const char *const schemas[][SCHEMA_KEA_STATS + 1] = {
    [LEASE_FAMILY_V4] = { [SCHEMA_LEAN] = lean_sql,
                          [SCHEMA_KEA] = kea_sql,
                          [SCHEMA_KEA_STATS] = kea_stats_sql },
    [LEASE_FAMILY_V6] = { [SCHEMA_LEAN] = lean6_sql,
                          [SCHEMA_KEA] = kea6_sql,
                          [SCHEMA_KEA_STATS] = kea6_stats_sql },
};
static const char *const schema_names[] = {
    [SCHEMA_LEAN] = "lean",
    [SCHEMA_KEA] = "kea",
    [SCHEMA_KEA_STATS] = "kea+stats",
};
static const char *const table_names[] = {
    [LEASE_FAMILY_V4] = "lease4", [LEASE_FAMILY_V6] = "lease6"
};

enum { V4 = 1 << LEASE_FAMILY_V4, V6 = 1 << LEASE_FAMILY_V6 };

static const struct column {
    const char *name;
    const char *type;  /* DATA_TYPE of information_schema.columns */
    unsigned families; /* whose table has it */
    bool lean;         /* schema lean has it too */
    bool optional;     /* Kea's tables did not always have it */
} columns[SQL_COLUMNS] = {
    [SQL_ADDRESS] = { "address", "int", V4, true, false },
    [SQL_V6_ADDRESS] = { "address", "binary", V6, true, true },
    [SQL_V6_TEXT] = { "address", "varchar", V6, false, true },
    [SQL_HWADDR] = { "hwaddr", "varbinary", V4 | V6, true, false },
    [SQL_CLIENT_ID] = { "client_id", "varbinary", V4, true, false },
    [SQL_DUID] = { "duid", "varbinary", V6, true, false },
    [SQL_VALID_LIFETIME] = { "valid_lifetime", "int", V4 | V6, true, false },
    [SQL_EXPIRE] = { "expire", "timestamp", V4 | V6, true, false },
    [SQL_SUBNET_ID] = { "subnet_id", "int", V4 | V6, true, false },
    [SQL_FQDN_FWD] = { "fqdn_fwd", "tinyint", V4 | V6, true, false },
    [SQL_FQDN_REV] = { "fqdn_rev", "tinyint", V4 | V6, true, false },
    [SQL_HOSTNAME] = { "hostname", "varchar", V4 | V6, true, false },
    [SQL_STATE] = { "state", "int", V4 | V6, true, false },
    [SQL_LEASE_TYPE] = { "lease_type", "tinyint", V6, true, false },
    [SQL_IAID] = { "iaid", "int", V6, true, false },
    [SQL_PREF_LIFETIME] = { "pref_lifetime", "int", V6, true, false },
    [SQL_PREFIX_LEN] = { "prefix_len", "tinyint", V6, true, false },
    [SQL_USER_CONTEXT] = { "user_context", "text", V4 | V6, false, true },
    [SQL_RELAY_ID] = { "relay_id", "varbinary", V4, false, true },
    [SQL_REMOTE_ID] = { "remote_id", "varbinary", V4, false, true },
    [SQL_HWTYPE] = { "hwtype", "smallint", V6, false, true },
    [SQL_HWADDR_SOURCE] = { "hwaddr_source", "int", V6, false, true },
    [SQL_POOL_ID] = { "pool_id", "int", V4 | V6, true, true },
};

static bool belongs(enum sql_column column, const struct store_config *config)
{
    return (columns[column].families >> config->family & 1) != 0;
}

static bool is_address(enum sql_column column)
{
    return column <= SQL_V6_TEXT;
}

const char *sql_table_name(const struct store_config *config)
{
    return table_names[config->family];
}

const char *sql_column_name(enum sql_column column)
{
    return columns[column].name;
}

/* Two runs in one database would empty each other's table.  A run that has just
   ended may have the lock for a moment longer. */
static int lock(struct sql_link *link, struct err *err)
{
    char got[8];

    if (sql_value(link, "locking the database", got, sizeof got, err,
                  "SELECT GET_LOCK(CONCAT('ubench.', LEFT(SHA2(DATABASE(), "
                  "256), 32)), 2)") != 0)
        return -1;
    if (strcmp(got, "1") != 0)
        return err_set_class(err, ERR_BUSY,
                             "mysql: database %s: another ubench is using it",
                             link->config->target);
    return 0;
}

static int refuse_lease_table(struct sql_link *link, struct err *err)
{
    const char *const database = link->config->target;
    const char *const table = sql_table_name(link->config);
    char leases[24] = "";
    struct err ignored;

    if (sql_value(link, "counting", leases, sizeof leases, &ignored,
                  "SELECT COUNT(*) FROM %s", table) != 0)
        (void)snprintf(leases, sizeof leases, "uncounted");
    return err_set(err,
                   "mysql: database %s: a table %s is there, with %s "
                   "leases, and no table ubench_marker: it is not ubench's and "
                   "was not touched; name another database with -f, or mark a "
                   "scratch copy as yours to lose with: " MARKER_SQL,
                   database, table, leases);
}

static int refuse_others(struct sql_link *link, const char *count,
                         const char *table, struct err *err)
{
    return err_set(err,
                   "mysql: database %s has tables (%s, %s is one) and no table "
                   "ubench_marker: it is not ubench's and was not touched; "
                   "name another, empty one with -f",
                   link->config->target, count, table);
}

static int read_marker(struct sql_found *found, struct sql_link *link,
                       struct err *err)
{
    char text[32];

    if (!found->says)
        return 0;
    if (sql_value(link, "reading ubench_marker", text, sizeof text, err,
                  "SELECT MAX(%s) FROM ubench_marker",
                  sql_table_name(link->config)) != 0)
        return -1;
    found->made_by_us = text[0] != '\0';
    for (int i = SCHEMA_LEAN; i <= SCHEMA_KEA_STATS; i++) {
        if (strcmp(text, schema_names[i]) == 0)
            found->made_as = (enum schema)i;
    }
    return 0;
}

int sql_table_look(struct sql_found *found, struct sql_link *link,
                   struct err *err)
{
    *found = (struct sql_found){ .lease = false };
    const char *const name = sql_table_name(link->config);

    if (lock(link, err) != 0)
        return -1;
    MYSQL_RES *const rows = sql_query(
        link, "looking for tables", err,
        "SELECT COUNT(*), MIN(table_name),"
        " COALESCE(SUM(table_name = 'ubench_marker'), 0),"
        " COALESCE(SUM(table_name = '%s'), 0),"
        " COALESCE(SUM(table_name = 'lease_state'), 0),"
        " COALESCE(SUM(table_name = 'lease6_types'), 0),"
        " COALESCE(SUM(table_name = 'lease_hwaddr_source'), 0),"
        " (SELECT COUNT(*) FROM information_schema.columns"
        " WHERE table_schema = DATABASE() AND table_name = 'ubench_marker'"
        " AND column_name = '%s')"
        " FROM information_schema.tables WHERE table_schema = DATABASE()",
        name, name);
    if (rows == NULL)
        return -1;
    int result = 0;
    const MYSQL_ROW row = mysql_fetch_row(rows);
    if (row == NULL || row[0] == NULL) {
        result = sql_fail_link(link, "looking for tables", err);
    } else {
        found->marker = row[2][0] != '0';
        found->lease = row[3][0] != '0';
        found->lease_state = row[4][0] != '0';
        found->types = row[5][0] != '0';
        found->sources = row[6][0] != '0';
        found->says = row[7][0] != '0';
        if (!found->marker && !found->lease && strcmp(row[0], "0") != 0)
            result = refuse_others(link, row[0], row[1], err);
    }
    mysql_free_result(rows);
    if (result == 0 && found->lease && !found->marker)
        return refuse_lease_table(link, err);
    if (result == 0 && found->marker)
        return read_marker(found, link, err);
    return result;
}

int sql_engine(char *engine, size_t size, struct sql_link *link,
               struct err *err)
{
    const char *const asked = link->config->engine;
    char quoted[160];

    if (strlen(asked) > (sizeof quoted - 3) / 2)
        return err_set_class(err, ERR_USAGE, "--engine: '%.20s...' is too long",
                             asked);
    const char *const literal = sql_quote(link, quoted, asked);
    if (sql_run(link, "--engine", err,
                "SET SESSION default_storage_engine = %s", literal) != 0) {
        if (mysql_errno(link->mysql) == SQL_UNKNOWN_ENGINE)
            err->class = ERR_USAGE;
        return -1;
    }
    return sql_value(link, "--engine", engine, size, err,
                     "SELECT @@SESSION.default_storage_engine");
}

/* Reads the engine, the indexes and the triggers of the lease table. */
static int read_table(struct sql_table *table, struct sql_link *link,
                      struct err *err)
{
    static const char action[] = "looking at the lease table";
    char count[24];

    if (sql_value(link, action, table->engine, sizeof table->engine, err,
                  "SELECT COALESCE(engine, table_type)"
                  " FROM information_schema.tables"
                  " WHERE table_schema = DATABASE()"
                  " AND table_name = '%s'",
                  table->name) != 0 ||
        sql_value(link, action, count, sizeof count, err,
                  "SELECT COUNT(DISTINCT index_name)"
                  " FROM information_schema.statistics"
                  " WHERE table_schema = DATABASE()"
                  " AND table_name = '%s'"
                  " AND index_name != 'PRIMARY'",
                  table->name) != 0)
        return -1;
    table->indexes = (unsigned)strtoul(count, NULL, 10);
    if (sql_value(link, action, count, sizeof count, err,
                  "SELECT COUNT(*) FROM information_schema.triggers"
                  " WHERE event_object_schema = DATABASE()"
                  " AND event_object_table = '%s'",
                  table->name) != 0)
        return -1;
    table->triggers = (unsigned)strtoul(count, NULL, 10);
    return 0;
}

/* Of that name, and of that type if there is one; SQL_COLUMNS if neither. */
static enum sql_column find_column(const struct store_config *config,
                                   const char *name, const char *type)
{
    enum sql_column found = SQL_COLUMNS;

    for (enum sql_column i = SQL_ADDRESS; i < SQL_COLUMNS; i++) {
        if (!belongs(i, config) || strcmp(columns[i].name, name) != 0)
            continue;
        if (found == SQL_COLUMNS || strcmp(columns[i].type, type) == 0)
            found = i;
    }
    return found;
}

/* One row of information_schema.columns: name, type, key. */
static int read_column(struct sql_table *table,
                       const struct store_config *config, const MYSQL_ROW row,
                       struct err *err)
{
    const char *const database = config->target;
    const enum sql_column column = find_column(config, row[0], row[1]);

    if (column == SQL_COLUMNS)
        return err_set(err,
                       "mysql: %s.%s has a column %s, which neither "
                       "ubench's nor Kea's has",
                       database, table->name, row[0]);
    if (strcmp(row[1], columns[column].type) != 0)
        return err_set(err, "mysql: %s.%s: the column %s is %s, not %s",
                       database, table->name, row[0], row[1],
                       columns[column].type);
    if ((strcmp(row[2], "PRI") == 0) != is_address(column))
        return err_set(err, "mysql: %s.%s: the column %s is %s the primary key",
                       database, table->name, row[0],
                       is_address(column) ? "not" : "part of");
    table->has[column] = true;
    if (is_address(column))
        table->address = column;
    return 0;
}

static int read_columns(struct sql_table *table, struct sql_link *link,
                        struct err *err)
{
    MYSQL_RES *const rows = sql_query(
        link, "looking at the lease table", err,
        "SELECT column_name, data_type, column_key"
        " FROM information_schema.columns WHERE table_schema = DATABASE()"
        " AND table_name = '%s' ORDER BY ordinal_position",
        table->name);
    MYSQL_ROW row;
    int result = 0;

    if (rows == NULL)
        return -1;
    while (result == 0 && (row = mysql_fetch_row(rows)) != NULL)
        result = read_column(table, link->config, row, err);
    mysql_free_result(rows);
    return result;
}

/* A table that we made has the columns of its schema and no others. */
static int check_own_columns(const struct sql_table *table,
                             const struct store_config *config, struct err *err)
{
    for (enum sql_column i = SQL_ADDRESS; i < SQL_COLUMNS; i++) {
        const bool expected =
            belongs(i, config) && i != SQL_V6_TEXT &&
            (columns[i].lean || config->schema != SCHEMA_LEAN);

        if (table->has[i] != expected)
            return err_set(err,
                           "mysql: %s.%s: the column %s is %s; ubench "
                           "makes the table anew if you drop it",
                           config->target, table->name, columns[i].name,
                           expected ? "missing" : "not of this schema");
    }
    return 0;
}

/* Another one has at least what all versions of Kea have. */
static int check_columns(const struct sql_table *table,
                         const struct store_config *config, struct err *err)
{
    enum schema schema = SCHEMA_LEAN;

    for (enum sql_column i = SQL_ADDRESS; i < SQL_COLUMNS; i++) {
        if (belongs(i, config) && !columns[i].optional && !table->has[i])
            return err_set(err, "mysql: %s.%s: the column %s is missing",
                           config->target, table->name, columns[i].name);
        if (!columns[i].lean && table->has[i])
            schema = SCHEMA_KEA;
    }
    if (!table->has[table->address])
        return err_set(err, "mysql: %s.%s: the column address is missing",
                       config->target, table->name);
    if (config->schema == SCHEMA_KEA_STATS)
        return err_set(err,
                       "mysql: %s.%s is not ubench's own, and --schema "
                       "kea+stats would add to it; with --schema %s its own "
                       "triggers count",
                       config->target, table->name, schema_names[schema]);
    if (schema != config->schema)
        return err_set(err,
                       "mysql: %s.%s is not ubench's own and has the "
                       "columns of the schema %s: ask for it with --schema %s",
                       config->target, table->name, schema_names[schema],
                       schema_names[schema]);
    return 0;
}

/* Takes away what a script that failed has made. */
static void undo(const struct sql_found *found, struct sql_link *link)
{
    struct err ignored;

    if (!found->marker)
        (void)sql_run(link, "undoing", &ignored,
                      "DROP TABLE IF EXISTS ubench_marker");
    else
        (void)sql_run(link, "undoing", &ignored,
                      "DELETE FROM ubench_marker WHERE %s IS NOT NULL",
                      sql_table_name(link->config));
    if (!found->types)
        (void)sql_run(link, "undoing", &ignored,
                      "DROP TABLE IF EXISTS lease6_types");
    if (!found->sources)
        (void)sql_run(link, "undoing", &ignored,
                      "DROP TABLE IF EXISTS lease_hwaddr_source");
    if (!found->lease_state)
        (void)sql_run(link, "undoing", &ignored,
                      "DROP TABLE IF EXISTS lease_state");
}

/* Drops what counts the leases of a table, beside its triggers. */
static int drop_counters(const char *table, struct sql_link *link,
                         struct err *err)
{
    char sql[512];

    (void)snprintf(sql, sizeof sql,
                   "DROP TABLE IF EXISTS ubench_%s_stat, ubench_%s_pool_stat;"
                   "DROP PROCEDURE IF EXISTS ubench_%s_count;"
                   "DROP PROCEDURE IF EXISTS ubench_%s_pool_count;"
                   "DROP PROCEDURE IF EXISTS ubench_%s_class_count",
                   table, table, table, table, table);
    return sql_script(link, "dropping counters", sql, err);
}

static int make(const struct sql_found *found, struct sql_link *link,
                struct err *err)
{
    static const char action[] = "making the lease table";
    const struct store_config *const config = link->config;
    const char *const name = sql_table_name(config);
    const char *const sql = schemas[config->family][config->schema];

    if (found->lease && sql_run(link, action, err, "DROP TABLE %s", name) != 0)
        return -1;
    if (drop_counters(name, link, err) != 0)
        return -1;
    if (found->says &&
        sql_run(link, action, err,
                "DELETE FROM ubench_marker WHERE %s IS NOT NULL", name) != 0)
        return -1;
    if (sql_script(link, action, sql, err) != 0) {
        struct err ignored;

        (void)sql_run(link, "undoing", &ignored, "DROP TABLE IF EXISTS %s",
                      name);
        (void)drop_counters(name, link, &ignored);
        undo(found, link);
        return -1;
    }
    return 0;
}

static int refuse_engine(const struct sql_table *table, const char *engine,
                         struct sql_link *link, struct err *err)
{
    return err_set(err,
                   "mysql: %s.%s is not ubench's own and has the engine "
                   "%s, not %s: ask for it with --engine %s",
                   link->config->target, table->name, table->engine, engine,
                   table->engine);
}

/* Makes the lease table if it is not there, or ours but not as asked for. */
static int make_if_needed(struct sql_table *table, const char *engine,
                          const struct sql_found *found, struct sql_link *link,
                          struct err *err)
{
    if (found->lease) {
        if (read_table(table, link, err) != 0)
            return -1;
        const bool same_engine = strcmp(table->engine, engine) == 0;
        if (!table->made_by_us && !same_engine)
            return refuse_engine(table, engine, link, err);
        if (!table->made_by_us ||
            (same_engine && found->made_as == link->config->schema))
            return 0;
    }
    table->made_by_us = true;
    if (make(found, link, err) != 0 || read_table(table, link, err) != 0)
        return -1;
    /* enforce_storage_engine and the like replace it without a word. */
    if (strcmp(table->engine, engine) != 0) {
        struct err ignored;

        (void)sql_run(link, "undoing", &ignored, "DROP TABLE %s", table->name);
        undo(found, link);
        return err_set_class(err, ERR_USAGE,
                             "--engine: the server made the table with %s "
                             "where %s was asked for",
                             table->engine, engine);
    }
    return 0;
}

int sql_table_open(struct sql_table *table, const char *engine,
                   const struct sql_found *found, struct sql_link *link,
                   struct err *err)
{
    const bool keep = link->config->keep;

    *table = (struct sql_table){
        .name = sql_table_name(link->config),
        .client =
            link->config->family == LEASE_FAMILY_V6 ? SQL_DUID : SQL_CLIENT_ID,
        .made_by_us = found->lease && found->made_by_us,
    };
    if (keep && !found->lease)
        return err_set(err, "mysql: database %s: there is no table %s",
                       link->config->target, table->name);
    if ((keep ? read_table(table, link, err)
              : make_if_needed(table, engine, found, link, err)) != 0 ||
        read_columns(table, link, err) != 0)
        return -1;
    if (table->made_by_us ? check_own_columns(table, link->config, err) != 0
                          : check_columns(table, link->config, err) != 0)
        return -1;
    if (keep)
        return 0;
    if (link->config->reservations && sql_reservations_make(link, err) != 0)
        return -1;
    return sql_table_empty(table, link, err);
}

static int seed_counters(struct sql_link *link, struct err *err)
{
    const struct store_config *const config = link->config;
    char sql[COUNTER_SQL_SIZE];

    counter_sql_seed(sql, config->family, config->subnets, "TRUNCATE TABLE");
    return sql_script(link, "making counters", sql, err);
}

int sql_table_empty(const struct sql_table *table, struct sql_link *link,
                    struct err *err)
{
    static const char action[] = "emptying the lease table";
    enum { GROUP = 10000 };

    if (link->config->reservations && sql_reservations_empty(link, err) != 0)
        return -1;
    if (table->made_by_us) {
        if (sql_run(link, action, err, "TRUNCATE TABLE %s", table->name) != 0)
            return -1;
        return link->config->schema == SCHEMA_KEA_STATS
                   ? seed_counters(link, err)
                   : 0;
    }
    /* TRUNCATE would leave Kea's statistics behind: it fires no trigger. */
    do {
        if (sql_run(link, action, err, "DELETE FROM %s LIMIT %d", table->name,
                    (int)GROUP) != 0)
            return -1;
    } while (mysql_affected_rows(link->mysql) > 0);
    return 0;
}

void sql_table_describe(const struct sql_table *table,
                        const struct store_config *config,
                        struct properties *properties)
{
    char missing[128] = "";
    size_t length = 0;

    for (enum sql_column i = SQL_STATE; i < SQL_COLUMNS; i++) {
        if (config->schema != SCHEMA_LEAN && belongs(i, config) &&
            !table->has[i])
            length += (size_t)snprintf(
                missing + length, sizeof missing - length, "%s%s",
                length == 0 ? ", without " : ", ", columns[i].name);
    }
    properties_add(properties, table->name,
                   "%s, %s, %u secondary indexes, %u triggers%s",
                   table->made_by_us ? "made by ubench" : "not made by ubench",
                   table->engine, table->indexes, table->triggers, missing);
}
