/* SPDX-License-Identifier: ISC */
#include "store/pgsql/pgsql_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The build makes it from the files in schema/. */
#include "schema/pgsql.h"

const char *const pgsql_catalogue = catalogue_sql;

/* The schema that tables would be made in, and a dot. */
static int read_prefix(char prefix[static PREFIX_SIZE], struct connection *connection,
                       struct err *err)
{
    if (connection_value(connection, "look for a schema", prefix, PREFIX_SIZE, err,
                         "SELECT quote_ident(current_schema()) || '.'") != 0)
        return -1;
    return prefix[0] != '\0'
               ? 0
               : err_set(
                     err,
                     "pgsql: database %s: its search_path has no schema in which to create tables",
                     PQdb(connection->conn));
}

static int set_unlogged(struct connection *connection, const struct sql_table *table,
                        struct err *err)
{
    static const char *const endings[] = { "", "_stat", "_pool_stat" };
    const size_t count = table->schema == SCHEMA_KEA_STATS ? 3 : 1;

    for (size_t i = 0; i < count; i++) {
        if (connection_run(connection, "make the lease table unlogged", err,
                           "ALTER TABLE %s%s%s%s SET UNLOGGED", table->prefix,
                           i == 0 ? "" : "ubench_", table->name, endings[i]) != 0)
            return -1;
    }
    return 0;
}

int table_lock(struct connection *connection, int *holder, struct err *err)
{
    connection->in_transaction = true;
    const int status =
        connection_run(connection, "lock", err,
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
    if (status != 0 && err->kind == ERR_BUSY)
        return err_set_class(err, ERR_BUSY,
                             "pgsql: database %s is in use by another run of "
                             "ubench",
                             PQdb(connection->conn));
    return status;
}

int table_open(struct sql_table *table, char prefix[static PREFIX_SIZE],
               struct connection *connection, const struct store_config *config, bool unlogged,
               struct err *err)
{
    char again[2 * PREFIX_SIZE + 64];
    const struct sql_database db = {
        .store = "pgsql",
        .dialect = SQL_PGSQL,
        .transactional = true,
        .prefix = prefix,
        .quote = "",
        .catalogue = catalogue_sql,
        .tables = tables_sql,
        .marker = marker_sql,
        .schemas = schemas,
        .hosts = hosts_sql,
        .scratch = "CREATE TABLE ubench_marker",
        .again = again,
        .option = "--set unlogged",
        .alter = unlogged ? set_unlogged : NULL,
        .connection = connection,
        .read = connection_rows,
    };

    if (read_prefix(prefix, connection, err) != 0)
        return -1;
    const int length = (int)strlen(prefix) - 1; /* without the dot */
    (void)snprintf(again, sizeof again, "DROP SCHEMA %.*s CASCADE; CREATE SCHEMA %.*s", length,
                   prefix, length, prefix);
    if (connection_run(connection, "begin", err, "BEGIN") != 0)
        return -1;
    connection->in_transaction = true; /* so that an error rolls it back */
    if (sql_open_table(table, &db, config, unlogged ? "unlogged" : "permanent", err) != 0 ||
        connection_run(connection, "commit", err, "COMMIT") != 0) {
        connection_roll_back(connection);
        return -1;
    }
    connection->in_transaction = false;
    /* Only a prepared statement has an INET in its binary form. */
    if (table->family == LEASE_FAMILY_V6 && !config->compiled)
        table->kinds[SQL_ADDRESS] = SQL_TEXT;
    return config->keep || config->joins ? 0 : server_empty(connection, table, config, err);
}

/* Its name may come to mean another one. */
int table_read_made(struct connection *connection, const struct sql_table *table,
                    char made[static SQL_FACT_SIZE], struct err *err)
{
    return connection_value(connection, "look at the lease table", made, SQL_FACT_SIZE, err,
                            "SELECT coalesce((SELECT CASE relpersistence"
                            " WHEN 'p' THEN 'permanent' WHEN 'u' THEN 'unlogged'"
                            " ELSE 'temporary' END FROM pg_class WHERE oid = %s"
                            " AND oid = to_regclass('%s')), 'another table')",
                            table->facts[OID], table->name);
}

int table_read_file(struct connection *connection, const struct sql_table *table,
                    char file[static TABLE_FILE_SIZE], struct err *err)
{
    return connection_value(connection, "look at the file of the lease table", file,
                            TABLE_FILE_SIZE, err, "SELECT relfilenode FROM pg_class WHERE oid = %s",
                            table->facts[OID]);
}

/* TRUNCATE leaves a table as new.  It fires no row triggers, so that Kea's
   counters would go wrong, and it is not ours to do on an owner's table. */
int table_empty(struct connection *connection, const struct sql_table *table, const char *action,
                struct err *err)
{
    if (table->made_by_us && table->facts[CAN_TRUNCATE][0] == 't')
        return connection_run(connection, action, err, "TRUNCATE %s%s", table->prefix, table->name);
    return connection_run(connection, action, err, "DELETE FROM %s%s", table->prefix,
                          table->name) == 0
               ? connection_run(connection, action, err, "VACUUM %s%s", table->prefix, table->name)
               : -1;
}
