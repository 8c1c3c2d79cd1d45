/* SPDX-License-Identifier: ISC */
#include "store/pgsql/pgsql_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/sql/counters.h"

/* What the build made of the files in schema/. */
#include "schema/pgsql.h"
const Oid pgsql_types[SQL_VALUES] = {
    [SQL_ADDRESS] = PGSQL_INT8, /* of lease4 */
    [SQL_HWADDR] = PGSQL_BYTEA,        [SQL_CLIENT_ID] = PGSQL_BYTEA,
    [SQL_VALID_LIFETIME] = PGSQL_INT8, [SQL_EXPIRE] = PGSQL_TIMESTAMPTZ,
    [SQL_SUBNET_ID] = PGSQL_INT8,      [SQL_FQDN_FWD] = PGSQL_BOOL,
    [SQL_FQDN_REV] = PGSQL_BOOL,       [SQL_HOSTNAME] = PGSQL_VARCHAR,
    [SQL_STATE] = PGSQL_INT8,          [SQL_LEASE_TYPE] = PGSQL_INT2,
    [SQL_IAID] = PGSQL_INT4,           [SQL_PREF_LIFETIME] = PGSQL_INT8,
    [SQL_PREFIX_LEN] = PGSQL_INT2,     [SQL_USER_CONTEXT] = PGSQL_TEXT,
    [SQL_RELAY_ID] = PGSQL_BYTEA,      [SQL_REMOTE_ID] = PGSQL_BYTEA,
    [SQL_HWTYPE] = PGSQL_INT2,         [SQL_HWADDR_SOURCE] = PGSQL_INT2,
    [SQL_POOL_ID] = PGSQL_INT8,        [SQL_TIME_ASKED] = PGSQL_TIMESTAMPTZ,
    [SQL_LIMIT] = PGSQL_INT8,          [SQL_HOST_TYPE] = PGSQL_INT2,
    [SQL_HOST_SUBNET] = PGSQL_INT8,    [SQL_HOST_IDENTIFIER] = PGSQL_BYTEA,
    [SQL_HOST_ADDRESS] = PGSQL_INT8,
};

enum {
    FOUND_SCHEMA,
    FOUND_OID,
    FOUND_PERSISTENCE,
    FOUND_CAN_TRUNCATE,
    FOUND_TRIGGERS,
    FOUND_INDEXES,
};

static const char inspect_sql[] =
    "SELECT quote_ident(n.nspname), l.oid, l.relpersistence,"
    " has_table_privilege(l.oid, 'TRUNCATE'),"
    " (SELECT count(*) FROM pg_trigger t"
    " WHERE t.tgrelid = l.oid AND NOT t.tgisinternal),"
    " (SELECT count(*) FROM pg_index i"
    " WHERE i.indrelid = l.oid AND NOT i.indisprimary)"
    " FROM pg_namespace n"
    " LEFT JOIN pg_class l ON l.relnamespace = n.oid AND l.relname = $1"
    " WHERE n.nspname = current_schema()";

/* The catalogue as sql_contents_list takes it.  Views count only if they have a
   name of ours: extensions make some. */
static const char catalogue_sql[] =
    "WITH here AS (SELECT oid FROM pg_namespace"
    " WHERE nspname = current_schema()),"
    " lease AS (SELECT c.oid FROM pg_class c, here"
    " WHERE c.relnamespace = here.oid AND c.relname = $1::text)"
    " SELECT 'r', CASE WHEN c.relnamespace = here.oid THEN c.relname::text"
    " ELSE '' END, format('%I.%I', s.nspname, c.relname), CASE c.relkind"
    " WHEN 'r' THEN 'a table' WHEN 'p' THEN 'a table' WHEN 'v' THEN 'a view'"
    " WHEN 'f' THEN 'a foreign table'"
    " ELSE 'relation kind ' || c.relkind::text END"
    " FROM here, pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace"
    " WHERE (c.relkind IN ('r', 'p', 'f', 'm') AND s.nspname !~ '^pg_'"
    " AND s.nspname <> 'information_schema') OR (c.relnamespace = here.oid"
    " AND lower(c.relname) IN ('ubench_marker', $1::text))"
    " UNION ALL SELECT 'c', c.relname, a.attname, ''"
    " FROM here, pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
    " WHERE c.relnamespace = here.oid AND c.relname IN ('ubench_marker', "
    "$1::text)"
    " AND a.attnum > 0 AND NOT a.attisdropped"
    " UNION ALL SELECT 't', $1::text, t.tgname, 'the trigger'"
    " FROM pg_trigger t, lease WHERE t.tgrelid = lease.oid"
    " AND NOT t.tgisinternal"
    " UNION ALL SELECT 't', $1::text, r.rulename, 'the rule'"
    " FROM pg_rewrite r, lease WHERE r.ev_class = lease.oid"
    " AND r.ev_type <> '1'"
    " UNION ALL SELECT 'f', $1::text, k.conname || ' of ' || "
    "k.conrelid::regclass,"
    " 'the foreign key' FROM pg_constraint k, lease"
    " WHERE k.confrelid = lease.oid AND k.contype = 'f'"
    " UNION ALL SELECT 'f', $1::text, i.inhrelid::regclass::text, 'the child "
    "table'"
    " FROM pg_inherits i, lease WHERE i.inhparent = lease.oid";

static bool is_true(const PGresult *result, int column)
{
    return PQgetvalue(result, 0, column)[0] == 't';
}

static void copy(char *to, size_t size, const PGresult *result, int column)
{
    (void)snprintf(to, size, "%s", PQgetvalue(result, 0, column));
}

static int inspect(struct lease_table *table, struct connection *connection,
                   struct err *err)
{
    const char *const params[] = { table->base.name };
    PGresult *const result = connection_query(connection, "look for tables",
                                              inspect_sql, 1, params, err);

    if (result == NULL)
        return -1;
    if (PQntuples(result) != 1) {
        PQclear(result);
        return err_set(err,
                       "pgsql: database %s: no schema in its search_path to "
                       "make tables in",
                       PQdb(connection->conn));
    }
    (void)snprintf(table->prefix, sizeof table->prefix, "%s.",
                   PQgetvalue(result, 0, FOUND_SCHEMA));
    copy(table->oid, sizeof table->oid, result, FOUND_OID);
    table->persistence = PQgetvalue(result, 0, FOUND_PERSISTENCE)[0];
    table->can_truncate = is_true(result, FOUND_CAN_TRUNCATE);
    table->triggers =
        (unsigned)strtoul(PQgetvalue(result, 0, FOUND_TRIGGERS), NULL, 10);
    table->secondary_indexes =
        (unsigned)strtoul(PQgetvalue(result, 0, FOUND_INDEXES), NULL, 10);
    PQclear(result);
    return 0;
}

static int read_catalogue(const struct lease_table *table,
                          struct sql_contents *contents,
                          struct connection *connection, struct err *err)
{
    const char *const params[] = { table->base.name };
    PGresult *const result = connection_query(connection, "look for tables",
                                              catalogue_sql, 1, params, err);

    if (result == NULL)
        return -1;
    for (int row = 0; row < PQntuples(result); row++) {
        const struct sql_listing listing = {
            (enum sql_listed)PQgetvalue(result, row, 0)[0],
            PQgetvalue(result, row, 1), PQgetvalue(result, row, 2),
            PQgetvalue(result, row, 3)
        };

        sql_contents_list(contents, &listing);
    }
    PQclear(result);
    return 0;
}

/* Reads what our tables were made with.  0, or -1 with err. */
static int read_marker(const struct lease_table *table,
                       struct sql_contents *contents,
                       struct connection *connection, struct err *err)
{
    char sql[SQL_MARKER_QUERY_SIZE];

    if (!sql_contents_marker_query(contents, table->prefix, sql))
        return 0;
    PGresult *const result =
        connection_query(connection, "read ubench_marker", sql, 0, NULL, err);
    if (result == NULL)
        return -1;
    for (int row = 0; row < PQntuples(result); row++)
        sql_contents_row(
            contents,
            PQgetisnull(result, row, 0) ? NULL : PQgetvalue(result, row, 0),
            PQgetisnull(result, row, 1) ? NULL : PQgetvalue(result, row, 1));
    PQclear(result);
    return 0;
}

static void count_leases(const struct lease_table *table,
                         struct sql_contents *contents,
                         struct connection *connection)
{
    char *const leases = contents->leases;
    const size_t size = sizeof contents->leases;
    char sql[SQL_NAME_SIZE];
    struct err ignored;

    (void)snprintf(sql, sizeof sql, "SELECT count(*) FROM %s%s", table->prefix,
                   table->base.name);
    if (connection_value(connection, "count", sql, NULL, leases, size,
                         &ignored) != 0)
        leases[0] = '\0';
}

/* Drops what counts the leases of a table, which is gone with its triggers. */
static int drop_counters(const struct lease_table *table,
                         struct connection *connection, struct err *err)
{
    static const struct {
        const char *kind;
        const char *name;
    } made[] = {
        { "TABLE", "stat" },           { "TABLE", "pool_stat" },
        { "FUNCTION", "count" },       { "FUNCTION", "pool_count" },
        { "FUNCTION", "class_count" }, { "FUNCTION", "inserted" },
        { "FUNCTION", "updated" },     { "FUNCTION", "deleted" },
    };

    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        if (connection_run(connection, "drop counters", err,
                           "DROP %s IF EXISTS %subench_%s_%s", made[i].kind,
                           table->prefix, table->base.name, made[i].name) != 0)
            return -1;
    }
    return 0;
}

/* Removes what we made as another schema. */
static int drop_tables(const struct lease_table *table,
                       const struct sql_contents *contents,
                       struct connection *connection, struct err *err)
{
    const char *const prefix = table->prefix;
    const char *const name = table->base.name;

    if (connection_run(connection, "empty ubench_marker", err,
                       "DELETE FROM %subench_marker WHERE %s IN " SQL_OUR_ROWS,
                       prefix, name) != 0)
        return -1;
    if (contents->lease && connection_run(connection, "drop lease table", err,
                                          "DROP TABLE %s%s", prefix, name) != 0)
        return -1;
    return strcmp(contents->made, sql_schema_name(SCHEMA_KEA_STATS)) == 0
               ? drop_counters(table, connection, err)
               : 0;
}

static int make_unlogged(const struct lease_table *table,
                         struct connection *connection, struct err *err)
{
    static const char action[] = "make the lease table unlogged";
    const char *const name = table->base.name;

    if (table->base.schema != SCHEMA_KEA_STATS)
        return connection_run(connection, action, err,
                              "ALTER TABLE %s SET UNLOGGED", name);
    return connection_run(connection, action, err,
                          "ALTER TABLE %s SET UNLOGGED"
                          ";ALTER TABLE ubench_%s_stat SET UNLOGGED"
                          ";ALTER TABLE ubench_%s_pool_stat SET UNLOGGED",
                          name, name, name);
}

/* The files of schema/ begin a transaction, unless one is open, mark what they
   make and commit. */
static int make(const struct lease_table *table,
                const struct sql_contents *contents,
                struct connection *connection, bool unlogged, struct err *err)
{
    const struct sql_table *const base = &table->base;

    if (connection_run(connection, "begin", err, "BEGIN") != 0)
        return -1;
    connection->in_transaction = true; /* so that an error rolls it back */
    if ((sql_made_by_us(contents) &&
         drop_tables(table, contents, connection, err) != 0) ||
        connection_script(connection, "make tables",
                          schemas[base->family][base->schema], err) != 0)
        return -1;
    connection->in_transaction = false;
    return unlogged ? make_unlogged(table, connection, err) : 0;
}

/* Decides by what was found: refuse, make, make anew or take as it is. */
static int settle(struct lease_table *table, struct connection *connection,
                  const struct store_config *config, bool unlogged,
                  struct err *err)
{
    const struct sql_place place = { "pgsql", table->prefix,
                                     "CREATE TABLE ubench_marker" };
    struct sql_contents contents = { .family = config->family };

    if (read_catalogue(table, &contents, connection, err) != 0 ||
        read_marker(table, &contents, connection, err) != 0)
        return -1;
    table->base.made_by_us = sql_made_by_us(&contents) || !contents.lease;
    const bool fits = table->base.made_by_us
                          ? table->persistence == (unlogged ? 'u' : 'p')
                          : !unlogged;
    const enum sql_verdict verdict = sql_judge(&contents, config, fits);
    if (verdict == SQL_USE)
        return 0;
    if (verdict == SQL_MAKE || verdict == SQL_MAKE_ANEW)
        return make(table, &contents, connection, unlogged, err) == 0
                   ? inspect(table, connection, err)
                   : -1;
    if (verdict == SQL_REFUSE_OPTION)
        return err_set_class(err, ERR_USAGE,
                             "pgsql: --set unlogged=yes: %s%s was not made by "
                             "ubench and will not be altered",
                             table->prefix, table->base.name);
    if (verdict == SQL_REFUSE_LEASES)
        count_leases(table, &contents, connection);
    return sql_refuse(verdict, &contents, config, &place, err);
}

/* Row row of result describes one column: is it as it should be? */
static int read_column(struct lease_table *table, const char *place,
                       const PGresult *result, int row, struct err *err)
{
    const char *const name = PQgetvalue(result, row, 0);
    const enum sql_column column = sql_table_find(&table->base, name);
    const bool must_be_given = PQgetvalue(result, row, 3)[0] == 't';

    if (column == SQL_COLUMNS)
        return table->base.made_by_us || must_be_given
                   ? err_set(err,
                             "pgsql: %s: the column %s is not of the schema %s",
                             place, name, sql_schema_name(table->base.schema))
                   : 0;
    const Oid type = (Oid)strtoul(PQgetvalue(result, row, 1), NULL, 10);
    const bool v6_key =
        column == SQL_ADDRESS && table->base.family == LEASE_FAMILY_V6;
    /* Up to Kea 2.2 its text. */
    if (v6_key ? type != PGSQL_INET && type != PGSQL_VARCHAR
               : type != pgsql_types[column])
        return err_set(err,
                       "pgsql: %s: the column %s is of another type (%s) than "
                       "in the schema %s",
                       place, name, PQgetvalue(result, row, 2),
                       sql_schema_name(table->base.schema));
    table->base.has[column] = true;
    if (column == SQL_ADDRESS)
        table->address_type = type;
    return 0;
}

static int read_columns(struct lease_table *table,
                        struct connection *connection, struct err *err)
{
    static const char sql[] =
        "SELECT attname, atttypid, format_type(atttypid, atttypmod),"
        " attnotnull AND NOT atthasdef AND attidentity = ''"
        " FROM pg_attribute WHERE attrelid = $1::oid AND attnum > 0"
        " AND NOT attisdropped ORDER BY attnum";
    const char *const params[] = { table->oid };
    char place[SQL_NAME_SIZE];
    PGresult *const result = connection_query(
        connection, "read the lease table's columns", sql, 1, params, err);
    int status = result == NULL ? -1 : 0;

    (void)snprintf(place, sizeof place, "%s%s", table->prefix,
                   table->base.name);
    for (int row = 0; status == 0 && row < PQntuples(result); row++)
        status = read_column(table, place, result, row, err);
    PQclear(result);
    return status == 0 ? sql_table_check(&table->base, "pgsql", place, err)
                       : -1;
}

/* A create that finds the address taken is known by the name of this key. */
static int read_key(struct lease_table *table, struct connection *connection,
                    struct err *err)
{
    static const char sql[] =
        "SELECT k.conname FROM pg_constraint k WHERE k.conrelid = $1::oid"
        " AND k.contype = 'p' AND k.conkey = ARRAY[(SELECT a.attnum"
        " FROM pg_attribute a WHERE a.attrelid = k.conrelid"
        " AND a.attname = 'address')]";

    if (connection_value(connection, "read the lease table's key", sql,
                         table->oid, table->key_name, sizeof table->key_name,
                         err) != 0)
        return -1;
    return table->key_name[0] != '\0'
               ? 0
               : err_set(err,
                         "pgsql: %s%s: the column address is not the primary "
                         "key",
                         table->prefix, table->base.name);
}

int table_lock(struct connection *connection, int *holder, struct err *err)
{
    struct err cause = { 0 };

    connection->in_transaction = true;
    const int status = connection_run(
        connection, "lock", &cause,
        "BEGIN; SET LOCAL lock_timeout = '2s';"
        "SELECT pg_terminate_backend(pid) FROM pg_locks"
        " WHERE locktype = 'advisory' AND classid = 30050 AND pid = %d"
        " AND objid = current_schema()::regnamespace;"
        "SELECT pg_advisory_lock(30050::bigint << 32 | oid::bigint)"
        " FROM pg_namespace WHERE nspname = current_schema(); COMMIT",
        *holder);
    connection->in_transaction = false;
    if (status == 0)
        *holder = PQbackendPID(connection->conn);
    if (status != 0 && cause.kind == ERR_BUSY)
        return err_set_class(err, ERR_BUSY,
                             "pgsql: database %s is in use by another run of "
                             "ubench",
                             PQdb(connection->conn));
    if (status != 0)
        *err = cause;
    return status;
}

int table_open(struct lease_table *table, struct connection *connection,
               const struct store_config *config, bool unlogged,
               struct err *err)
{
    *table = (struct lease_table){ .subnets = config->subnets,
                                   .reservations = config->reservations };
    sql_table_init(&table->base, config);
    if (inspect(table, connection, err) != 0 ||
        settle(table, connection, config, unlogged, err) != 0 ||
        read_columns(table, connection, err) != 0 ||
        read_key(table, connection, err) != 0)
        return -1;
    /* Only a prepared statement has an INET in its binary form. */
    if (table->base.family == LEASE_FAMILY_V6 &&
        (table->address_type != PGSQL_INET || !config->compiled))
        table->base.address = SQL_TEXT;
    if (config->keep || config->joins)
        return 0;
    if (table->reservations &&
        connection_script(connection, "make ubench_hosts", hosts_sql, err) != 0)
        return -1;
    return table_empty(table, connection, err);
}

void table_close(struct connection *connection)
{
    struct err ignored;

    /* The server would do so by itself, but some time after we are gone: on a
       busy machine seconds. */
    if (!connection->given_up && PQstatus(connection->conn) == CONNECTION_OK)
        (void)connection_run(connection, "unlock", &ignored,
                             "SELECT pg_advisory_unlock_all()");
}

int table_check(const struct lease_table *table, struct connection *connection,
                struct err *err)
{
    char oid[sizeof table->oid];

    if (connection_value(connection, "look for the lease table",
                         "SELECT to_regclass($1)::oid", table->base.name, oid,
                         sizeof oid, err) != 0)
        return -1;
    return strcmp(oid, table->oid) == 0
               ? 0
               : err_set(err, "pgsql: database %s: %s is no longer %s%s",
                         PQdb(connection->conn), table->base.name,
                         table->prefix, table->base.name);
}

static int seed_counters(const struct lease_table *table,
                         struct connection *connection, struct err *err)
{
    char sql[COUNTER_SQL_SIZE];

    counter_sql_seed(sql, table->base.family, table->subnets, "TRUNCATE");
    return connection_script(connection, "make counters", sql, err);
}

/* TRUNCATE leaves a table as new.  It fires no row triggers, so that Kea's
   counters would go wrong, and it is not ours to do on an owner's table. */
int table_empty(const struct lease_table *table, struct connection *connection,
                struct err *err)
{
    static const char action[] = "empty the lease table";
    const struct sql_table *const base = &table->base;
    /* Our own counters begin anew, too. */
    const bool counted = base->made_by_us && base->schema == SCHEMA_KEA_STATS;
    const bool truncate = base->made_by_us && table->can_truncate &&
                          (table->triggers == 0 || counted);

    if (table->reservations &&
        connection_run(connection, "empty ubench_hosts", err,
                       "TRUNCATE ubench_hosts") != 0)
        return -1;
    if (connection_run(connection, action, err, "%s %s%s",
                       truncate ? "TRUNCATE" : "DELETE FROM", table->prefix,
                       base->name) != 0)
        return -1;
    if (!truncate && connection_run(connection, action, err, "VACUUM %s%s",
                                    table->prefix, base->name) != 0)
        return -1;
    return counted ? seed_counters(table, connection, err) : 0;
}

const char *table_persistence(const struct lease_table *table)
{
    return table->persistence == 'p'   ? "permanent"
           : table->persistence == 'u' ? "unlogged"
                                       : "temporary";
}
