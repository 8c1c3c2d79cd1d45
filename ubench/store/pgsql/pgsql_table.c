/* SPDX-License-Identifier: ISC */
#include "store/pgsql/pgsql_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The build makes it from the files in schema/. */
#include "schema/pgsql.h"

#define TABLE_PERSISTENCE                                                    \
    "CASE relpersistence WHEN 'p' THEN 'permanent' WHEN 'u' THEN 'unlogged'" \
    " ELSE 'temporary' END"

/* The rows of sql_listing.  Of other schemas, tables alone: extensions make
   views.  Indexes and sequences have names among tables'. */
static const char catalogue[] =
    "WITH here AS (SELECT oid FROM pg_namespace"
    " WHERE nspname = current_schema()),"
    " ours AS (SELECT c.oid, c.relname, c.relkind FROM pg_class c, here"
    " WHERE c.relnamespace = here.oid AND (lower(c.relname) LIKE 'lease%'"
    " OR lower(c.relname) LIKE 'ubench%')) "
    "SELECT 'r', CASE WHEN c.relnamespace = here.oid THEN c.relname ELSE '' "
    "END,"
    " format('%I.%I', s.nspname, c.relname), CASE WHEN c.relkind IN ('r', 'p')"
    " THEN 'a table' WHEN c.relkind IN ('v', 'm') THEN 'a view'"
    " WHEN c.relkind = 'f' THEN 'a foreign table' WHEN c.relkind = 'S'"
    " THEN 'a sequence' ELSE 'a type' END, concat_ws(E'\n', " TABLE_PERSISTENCE
    ","
    " has_table_privilege(c.oid, 'TRUNCATE')::text, c.oid, coalesce((SELECT"
    " conname FROM pg_constraint WHERE conrelid = c.oid AND contype = 'p'),"
    " ''), (SELECT string_agg(d, ', ' ORDER BY d) FROM (SELECT CASE WHEN "
    "i.indisunique"
    " THEN 'unique ' ELSE '' END || replace(substring(pg_get_indexdef("
    "i.indexrelid) FROM ' USING (.*)'), 'btree ', '') AS d FROM pg_index i"
    " WHERE i.indrelid = c.oid AND NOT i.indisprimary) AS definitions))"
    " FROM here, pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace"
    " WHERE (c.relkind IN ('r', 'p', 'f', 'm') AND s.nspname !~ '^pg_'"
    " AND s.nspname <> 'information_schema') OR (c.relkind IN ('v', 'c', 'S')"
    " AND c.oid IN (SELECT oid FROM ours) AND NOT EXISTS (SELECT FROM pg_depend"
    " d WHERE d.objid = c.oid AND d.deptype IN ('a', 'i')"
    " AND d.refobjid IN (SELECT oid FROM ours)))"
    " UNION ALL SELECT 'c', o.relname, a.attname, t.typname, CASE WHEN"
    " a.attnum = ANY (k.conkey) THEN 'key' WHEN a.attnotnull AND NOT"
    " a.atthasdef AND a.attidentity = '' THEN 'must be given' ELSE '' END"
    " FROM ours o JOIN pg_attribute a ON a.attrelid = o.oid"
    " JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_constraint k"
    " ON k.conrelid = o.oid AND k.contype = 'p'"
    " WHERE a.attnum > 0 AND NOT a.attisdropped AND o.relkind <> 'i'"
    " UNION ALL SELECT 'i', t.relname, c.relname, 'an index', '' FROM here,"
    " pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
    " JOIN pg_class t ON t.oid = i.indrelid"
    " WHERE c.relnamespace = here.oid AND NOT i.indisprimary"
    " UNION ALL SELECT 't', o.relname, t.tgname, 'the trigger',"
    " concat(CASE t.tgtype WHEN 5 THEN ' AFTER INSERT' WHEN 9"
    " THEN ' AFTER DELETE' WHEN 17 THEN ' AFTER UPDATE' END, ' ON ', o.relname,"
    " E'\n    FOR EACH ROW EXECUTE PROCEDURE ', CASE WHEN t.tgqual IS NULL"
    " AND p.pronamespace = here.oid THEN p.proname END, '();') FROM here, ours "
    "o"
    " JOIN pg_trigger t ON t.tgrelid = o.oid AND NOT t.tgisinternal"
    " JOIN pg_proc p ON p.oid = t.tgfoid"
    " UNION ALL SELECT 't', o.relname, r.rulename, 'the rule', ''"
    " FROM ours o JOIN pg_rewrite r ON r.ev_class = o.oid AND r.ev_type <> '1'"
    " UNION ALL SELECT 'p', '', p.proname, 'a function',"
    " '$$' || p.prosrc || '$$' FROM here, pg_proc p"
    " WHERE p.pronamespace = here.oid AND p.proname LIKE 'ubench%'"
    " UNION ALL SELECT 'f', o.relname, k.conname || ' of ' ||"
    " k.conrelid::regclass, 'the foreign key', '' FROM ours o"
    " JOIN pg_constraint k ON k.confrelid = o.oid AND k.contype = 'f'"
    " UNION ALL SELECT 'f', o.relname, i.inhrelid::regclass::text,"
    " 'the child table', '' FROM ours o JOIN pg_inherits i"
    " ON i.inhparent = o.oid AND o.relkind <> 'i' ORDER BY 1 DESC";

/* The schema that tables would be made in, and a dot. */
static int read_prefix(struct lease_table *table, struct connection *connection,
                       struct err *err)
{
    if (connection_value(connection, "look for a schema", table->prefix,
                         sizeof table->prefix, err,
                         "SELECT quote_ident(current_schema()) || '.'") != 0)
        return -1;
    return table->prefix[0] != '\0'
               ? 0
               : err_set(err,
                         "pgsql: database %s: no schema in its search_path to "
                         "make tables in",
                         PQdb(connection->conn));
}

static Oid type_of(const struct sql_table *table, unsigned value)
{
    static const struct {
        const char *name;
        Oid type;
    } types[] = {
        { "bool", 16 },         { "bytea", 17 },         { "int8", 20 },
        { "int2", PGSQL_INT2 }, { "int4", PGSQL_INT4 },  { "text", 25 },
        { "inet", PGSQL_INET }, { "timestamptz", 1184 },
    };
    const Oid varchar = 1043;
    const char *const name = sql_column_type(table, value, SQL_PGSQL);

    if (value == SQL_ADDRESS && table->address == SQL_TEXT)
        return varchar;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].name, name) == 0)
            return types[i].type;
    }
    return varchar;
}

static int set_unlogged(struct connection *connection,
                        const struct sql_table *table, struct err *err)
{
    static const char *const endings[] = { "", "_stat", "_pool_stat" };
    const size_t count = table->schema == SCHEMA_KEA_STATS ? 3 : 1;

    for (size_t i = 0; i < count; i++) {
        if (connection_run(connection, "make the lease table unlogged", err,
                           "ALTER TABLE %s%s%s%s SET UNLOGGED", table->prefix,
                           i == 0 ? "" : "ubench_", table->name,
                           endings[i]) != 0)
            return -1;
    }
    return 0;
}

int table_lock(struct connection *connection, int *holder, struct err *err)
{
    connection->in_transaction = true;
    const int status = connection_run(
        connection, "lock", err,
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

int table_open(struct lease_table *table, struct connection *connection,
               const struct store_config *config, bool unlogged,
               struct err *err)
{
    const struct sql_database db = {
        .store = "pgsql",
        .dialect = SQL_PGSQL,
        .transactional = true,
        .prefix = table->prefix,
        .create_marker = "CREATE TABLE ubench_marker",
        .catalogue = catalogue,
        .schemas = schemas,
        .hosts = hosts_sql,
        .option = "--set unlogged",
        .alter = unlogged ? set_unlogged : NULL,
        .connection = connection,
        .run = connection_script,
        .read = connection_rows,
    };

    if (read_prefix(table, connection, err) != 0 ||
        connection_run(connection, "begin", err, "BEGIN") != 0)
        return -1;
    connection->in_transaction = true; /* so that an error rolls it back */
    if (sql_open_table(&table->base, &db, config,
                       unlogged ? "unlogged" : "permanent", err) != 0 ||
        connection_run(connection, "commit", err, "COMMIT") != 0) {
        connection_roll_back(connection);
        return -1;
    }
    connection->in_transaction = false;
    for (unsigned i = 0; i < SQL_VALUES; i++)
        table->types[i] = type_of(&table->base, i);
    /* Only a prepared statement has an INET in its binary form. */
    if (table->base.family == LEASE_FAMILY_V6 && !config->compiled)
        table->base.address = SQL_TEXT;
    return config->keep || config->joins
               ? 0
               : server_empty(connection, &table->base, config, err);
}

void table_close(struct connection *connection)
{
    struct err ignored;

    /* The server would do so by itself, but some time after we are gone: on a
       busy machine seconds. */
    if (!connection_is_lost(connection))
        (void)connection_run(connection, "unlock", &ignored,
                             "SELECT pg_advisory_unlock_all()");
}

/* Its name may come to mean another one. */
int table_read_made(struct connection *connection,
                    const struct sql_table *table,
                    char made[static SQL_FACT_SIZE], struct err *err)
{
    return connection_value(connection, "look at the lease table", made,
                            SQL_FACT_SIZE, err,
                            "SELECT coalesce((SELECT " TABLE_PERSISTENCE
                            " FROM pg_class WHERE oid = %s AND"
                            " oid = to_regclass('%s')), 'another table')",
                            table->facts[OID], table->name);
}

/* TRUNCATE leaves a table as new.  It fires no row triggers, so that Kea's
   counters would go wrong, and it is not ours to do on an owner's table. */
int table_empty(struct connection *connection, const struct sql_table *table,
                const char *action, struct err *err)
{
    if (table->made_by_us && table->facts[CAN_TRUNCATE][0] == 't')
        return connection_run(connection, action, err, "TRUNCATE %s%s",
                              table->prefix, table->name);
    return connection_run(connection, action, err, "DELETE FROM %s%s",
                          table->prefix, table->name) == 0
               ? connection_run(connection, action, err, "VACUUM %s%s",
                                table->prefix, table->name)
               : -1;
}
