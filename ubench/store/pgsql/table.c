/* SPDX-License-Identifier: ISC */
/*
 * Whose tables these are.  The permission to use a schema of the database is
 * a table ubench_marker in it.  Its columns lease4 and lease6 say which schema
 * of ours we made the lease table of that name with; if nothing stands there,
 * the owner of the database made both, and then the table is emptied but never
 * altered.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/pgsql/pgsql.h"
#include "store/sql/counters.h"

#define MARKER_SQL "CREATE TABLE ubench_marker (lease4 VARCHAR(16))"

static const char *const table_names[] = {
    [LEASE_FAMILY_V4] = "lease4", [LEASE_FAMILY_V6] = "lease6"
};

static const char lean_sql[] = {
#include "schema/pgsql-lean.inc"
    0
};
static const char kea_sql[] = {
#include "schema/pgsql-kea.inc"
    0
};
static const char kea_stats_sql[] = {
#include "schema/pgsql-kea.inc"

#include "schema/pgsql-kea-stats.inc"
    0
};
static const char lean6_sql[] = {
#include "schema/pgsql-lean6.inc"
    0
};
static const char kea6_sql[] = {
#include "schema/pgsql-kea6.inc"
    0
};
static const char kea6_stats_sql[] = {
#include "schema/pgsql-kea6.inc"

#include "schema/pgsql-kea6-stats.inc"
    0
};
static const char hosts_sql[] = {
#include "schema/pgsql-hosts.inc"
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

static const struct column {
    const char *name; /* NULL: lease6 alone has it, or lease4 */
    enum pgsql_type type;
    bool lean;     /* schema lean has it too */
    bool optional; /* Kea's tables did not always have it */
} v4_columns[PGSQL_COLUMNS] = {
    [PGSQL_ADDRESS] = { "address", PGSQL_INT8, true, false },
    [PGSQL_HWADDR] = { "hwaddr", PGSQL_BYTEA, true, false },
    [PGSQL_CLIENT_ID] = { "client_id", PGSQL_BYTEA, true, false },
    [PGSQL_VALID_LIFETIME] = { "valid_lifetime", PGSQL_INT8, true, false },
    [PGSQL_EXPIRE] = { "expire", PGSQL_TIMESTAMPTZ, true, false },
    [PGSQL_SUBNET_ID] = { "subnet_id", PGSQL_INT8, true, false },
    [PGSQL_FQDN_FWD] = { "fqdn_fwd", PGSQL_BOOL, true, false },
    [PGSQL_FQDN_REV] = { "fqdn_rev", PGSQL_BOOL, true, false },
    [PGSQL_HOSTNAME] = { "hostname", PGSQL_VARCHAR, true, false },
    [PGSQL_STATE] = { "state", PGSQL_INT8, true, false },
    [PGSQL_USER_CONTEXT] = { "user_context", PGSQL_TEXT, false, true },
    [PGSQL_RELAY_ID] = { "relay_id", PGSQL_BYTEA, false, true },
    [PGSQL_REMOTE_ID] = { "remote_id", PGSQL_BYTEA, false, true },
    [PGSQL_POOL_ID] = { "pool_id", PGSQL_INT8, true, true },
}, v6_columns[PGSQL_COLUMNS] = {
    /* Up to Kea 2.2 its text. */
    [PGSQL_ADDRESS] = { "address", PGSQL_INET, true, false },
    [PGSQL_HWADDR] = { "hwaddr", PGSQL_BYTEA, true, false },
    [PGSQL_CLIENT_ID] = { "duid", PGSQL_BYTEA, true, false },
    [PGSQL_VALID_LIFETIME] = { "valid_lifetime", PGSQL_INT8, true, false },
    [PGSQL_EXPIRE] = { "expire", PGSQL_TIMESTAMPTZ, true, false },
    [PGSQL_SUBNET_ID] = { "subnet_id", PGSQL_INT8, true, false },
    [PGSQL_FQDN_FWD] = { "fqdn_fwd", PGSQL_BOOL, true, false },
    [PGSQL_FQDN_REV] = { "fqdn_rev", PGSQL_BOOL, true, false },
    [PGSQL_HOSTNAME] = { "hostname", PGSQL_VARCHAR, true, false },
    [PGSQL_STATE] = { "state", PGSQL_INT8, true, false },
    [PGSQL_LEASE_TYPE] = { "lease_type", PGSQL_INT2, true, false },
    [PGSQL_IAID] = { "iaid", PGSQL_INT4, true, false },
    [PGSQL_PREF_LIFETIME] = { "pref_lifetime", PGSQL_INT8, true, false },
    [PGSQL_PREFIX_LEN] = { "prefix_len", PGSQL_INT2, true, false },
    [PGSQL_USER_CONTEXT] = { "user_context", PGSQL_TEXT, false, true },
    [PGSQL_HWTYPE] = { "hwtype", PGSQL_INT2, false, false },
    [PGSQL_HWADDR_SOURCE] = { "hwaddr_source", PGSQL_INT2, false, false },
    [PGSQL_POOL_ID] = { "pool_id", PGSQL_INT8, true, true },
};
static const struct column *const columns_of[] = {
    [LEASE_FAMILY_V4] = v4_columns,
    [LEASE_FAMILY_V6] = v6_columns,
};

const char *pgsql_column_name(enum lease_family family, int column)
{
    return columns_of[family][column].name;
}

/* What stands in the schema where our tables go. */
struct found {
    bool lease;
    bool plain; /* an ordinary or a partitioned table */
    bool marker;
    bool helpers; /* lease_state or lease6_types */
    char kind[24];
    char tables[24]; /* how many there are in the whole database */
    char table[132]; /* one of them */
};

enum {
    FOUND_SCHEMA,
    FOUND_OID,
    FOUND_KIND,
    FOUND_PLAIN,
    FOUND_PERSISTENCE,
    FOUND_MARKER,
    FOUND_HELPERS,
    FOUND_CAN_TRUNCATE,
    FOUND_TRIGGERS,
    FOUND_INDEXES,
    FOUND_TABLES,
    FOUND_TABLE,
};

static const char inspect_sql[] =
    "WITH tables AS (SELECT format('%I.%I', s.nspname, c.relname) AS name"
    " FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace"
    " WHERE c.relkind IN ('r', 'p', 'f', 'm') AND s.nspname !~ '^pg_'"
    " AND s.nspname <> 'information_schema')"
    " SELECT quote_ident(n.nspname), l.oid,"
    " CASE l.relkind WHEN 'v' THEN 'a view' WHEN 'f' THEN 'a foreign table'"
    " ELSE 'relation kind ' || l.relkind::text END,"
    " l.relkind IN ('r', 'p'), l.relpersistence, m.oid IS NOT NULL,"
    " EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = n.oid"
    " AND (c.relname = 'lease_state'"
    " OR ($1 = 'lease6' AND c.relname = 'lease6_types'))),"
    " has_table_privilege(l.oid, 'TRUNCATE'),"
    " (SELECT count(*) FROM pg_trigger t"
    " WHERE t.tgrelid = l.oid AND NOT t.tgisinternal),"
    " (SELECT count(*) FROM pg_index i"
    " WHERE i.indrelid = l.oid AND NOT i.indisprimary),"
    " (SELECT count(*) FROM tables), (SELECT min(name) FROM tables)"
    " FROM pg_namespace n"
    " LEFT JOIN pg_class l ON l.relnamespace = n.oid AND l.relname = $1"
    " LEFT JOIN pg_class m"
    " ON m.relnamespace = n.oid AND m.relname = 'ubench_marker'"
    " WHERE n.nspname = current_schema()";

static bool is_true(const PGresult *result, int column)
{
    return PQgetvalue(result, 0, column)[0] == 't';
}

static void copy(char *to, size_t size, const PGresult *result, int column)
{
    (void)snprintf(to, size, "%s", PQgetvalue(result, 0, column));
}

static int inspect(struct pgsql_table *table, struct found *found,
                   struct pgsql_link *link, struct err *err)
{
    const char *const params[] = { table->name };
    PGresult *const result =
        pgsql_query(link, "look for tables", inspect_sql, 1, params, err);

    if (result == NULL)
        return -1;
    if (PQntuples(result) != 1) {
        PQclear(result);
        return err_set(err,
                       "pgsql: database %s: no schema in its search_path to "
                       "make tables in",
                       PQdb(link->conn));
    }
    *found = (struct found){
        .lease = PQgetisnull(result, 0, FOUND_OID) == 0,
        .plain = is_true(result, FOUND_PLAIN),
        .marker = is_true(result, FOUND_MARKER),
        .helpers = is_true(result, FOUND_HELPERS),
    };
    copy(found->kind, sizeof found->kind, result, FOUND_KIND);
    copy(found->tables, sizeof found->tables, result, FOUND_TABLES);
    copy(found->table, sizeof found->table, result, FOUND_TABLE);
    copy(table->schema_name, sizeof table->schema_name, result, FOUND_SCHEMA);
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

/* Says what is there that is not ours.  Always returns -1. */
static int refuse(const struct pgsql_table *table, const struct found *found,
                  struct pgsql_link *link, struct err *err)
{
    char sql[192];
    char rows[48] = "an unknown number of";
    struct err ignored;

    if (!found->lease)
        return err_set(err,
                       "pgsql: database %s has %s tables (%s is one) and no "
                       "table %s.ubench_marker: it is not ubench's; name "
                       "another, empty one with -f",
                       PQdb(link->conn), found->tables, found->table,
                       table->schema_name);
    (void)snprintf(sql, sizeof sql, "SELECT count(*) FROM %s.%s",
                   table->schema_name, table->name);
    PGresult *const result = pgsql_query(link, "count", sql, 0, NULL, &ignored);
    if (result != NULL)
        copy(rows, sizeof rows, result, 0);
    PQclear(result);
    return err_set(err,
                   "pgsql: database %s: %s.%s is there, with %s rows, and "
                   "no table %s.ubench_marker: it is not ubench's and was not "
                   "touched; name another database with -f, or mark a scratch "
                   "copy as yours to lose with: " MARKER_SQL,
                   PQdb(link->conn), table->schema_name, table->name, rows,
                   table->schema_name);
}

/* What the marker says of our own tables. */
struct made {
    bool by_us;
    enum schema as; /* if so */
    bool other_kea; /* the other family's table too, with schema kea */
};

/* Reads what our tables were made with.  0, or -1 with err. */
static int read_marker(const struct pgsql_table *table,
                       const struct found *found, struct pgsql_link *link,
                       struct made *made, struct err *err)
{
    const enum lease_family other =
        table->family == LEASE_FAMILY_V4 ? LEASE_FAMILY_V6 : LEASE_FAMILY_V4;
    char word[64];
    char sql[192];

    *made = (struct made){ .as = SCHEMA_LEAN };
    if (!found->marker)
        return 0;
    /* As JSON: it need not have both columns, nor any. */
    (void)snprintf(sql, sizeof sql,
                   "SELECT coalesce(json_agg(m)::text, '')"
                   " FROM %s.ubench_marker m",
                   table->schema_name);
    PGresult *const result =
        pgsql_query(link, "read ubench_marker", sql, 0, NULL, err);
    if (result == NULL)
        return -1;
    const char *const says = PQgetvalue(result, 0, 0);
    for (int i = SCHEMA_LEAN; i <= SCHEMA_KEA_STATS; i++) {
        (void)snprintf(word, sizeof word, "\"%s\":\"%s\"", table->name,
                       schema_names[i]);
        if (strstr(says, word) != NULL)
            *made = (struct made){ .by_us = true, .as = (enum schema)i };
    }
    /* With counters or without. */
    (void)snprintf(word, sizeof word, "\"%s\":\"%s", table_names[other],
                   schema_names[SCHEMA_KEA]);
    made->other_kea = strstr(says, word) != NULL;
    PQclear(result);
    return 0;
}

/* Drops what counts the leases of a table, which is gone with its triggers. */
static int drop_counters(const struct pgsql_table *table,
                         struct pgsql_link *link, struct err *err)
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
    char sql[320];

    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        (void)snprintf(sql, sizeof sql, "DROP %s IF EXISTS %s.ubench_%s_%s",
                       made[i].kind, table->schema_name, table->name,
                       made[i].name);
        if (pgsql_run(link, "drop counters", sql, err) != 0)
            return -1;
    }
    return 0;
}

/* Removes what we made as another schema. */
static int drop_tables(const struct pgsql_table *table,
                       const struct found *found, const struct made *made,
                       struct pgsql_link *link, struct err *err)
{
    const bool v6 = table->family == LEASE_FAMILY_V6;
    char sql[320];

    (void)snprintf(sql, sizeof sql,
                   "DELETE FROM %s.ubench_marker WHERE %s IS NOT NULL",
                   table->schema_name, table->name);
    if (pgsql_run(link, "empty ubench_marker", sql, err) != 0)
        return -1;
    (void)snprintf(sql, sizeof sql, "DROP TABLE %s.%s", table->schema_name,
                   table->name);
    if (found->lease && pgsql_run(link, "drop lease table", sql, err) != 0)
        return -1;
    if (made->as == SCHEMA_KEA_STATS && drop_counters(table, link, err) != 0)
        return -1;
    if (made->as == SCHEMA_LEAN || !found->helpers)
        return 0;
    (void)snprintf(sql, sizeof sql, "DROP TABLE IF EXISTS %s.lease6_types",
                   table->schema_name);
    if (v6 && pgsql_run(link, "drop lease6_types", sql, err) != 0)
        return -1;
    /* The states are those of both families. */
    (void)snprintf(sql, sizeof sql, "DROP TABLE IF EXISTS %s.lease_state",
                   table->schema_name);
    return made->other_kea ? 0 : pgsql_run(link, "drop lease_state", sql, err);
}

/* The files of schema/ begin a transaction, unless one is open, mark what they
   make and commit. */
static int make_tables(const struct pgsql_table *table, struct pgsql_link *link,
                       struct err *err)
{
    return pgsql_run(link, "make tables", schemas[table->family][table->schema],
                     err);
}

static int make_unlogged(const struct pgsql_table *table,
                         struct pgsql_link *link, struct err *err)
{
    char sql[256];
    const int length =
        snprintf(sql, sizeof sql, "ALTER TABLE %s SET UNLOGGED", table->name);

    if (table->schema == SCHEMA_KEA_STATS)
        (void)snprintf(sql + length, sizeof sql - (size_t)length,
                       ";ALTER TABLE ubench_%s_stat SET UNLOGGED"
                       ";ALTER TABLE ubench_%s_pool_stat SET UNLOGGED",
                       table->name, table->name);
    return pgsql_run(link, "make the lease table unlogged", sql, err);
}

static int remake(const struct pgsql_table *table, const struct found *found,
                  const struct made *made, struct pgsql_link *link,
                  bool unlogged, struct err *err)
{
    const bool ours_too =
        made->other_kea || (made->by_us && made->as != SCHEMA_LEAN);
    if (table->schema != SCHEMA_LEAN && found->helpers && !ours_too)
        return err_set(err,
                       "pgsql: database %s: %s.lease_state is there and was "
                       "not made by ubench; name another database with -f",
                       PQdb(link->conn), table->schema_name);
    if (pgsql_run(link, "begin", "BEGIN", err) != 0)
        return -1;
    link->in_transaction = true; /* so that an error rolls it back */
    if ((made->by_us && drop_tables(table, found, made, link, err) != 0) ||
        make_tables(table, link, err) != 0)
        return -1;
    link->in_transaction = false;
    return unlogged ? make_unlogged(table, link, err) : 0;
}

/* Decides by what was found: refuse, make, make anew or take as it is. */
static int settle(struct pgsql_table *table, const struct found *found,
                  struct pgsql_link *link, bool unlogged, struct err *err)
{
    struct made made;

    if (!found->marker && (found->lease || strcmp(found->tables, "0") != 0))
        return refuse(table, found, link, err);
    if (read_marker(table, found, link, &made, err) != 0)
        return -1;
    table->made_by_us = made.by_us || !found->lease;
    if (found->lease && !found->plain)
        return err_set(err, "pgsql: database %s: %s.%s is %s, not a table",
                       PQdb(link->conn), table->schema_name, table->name,
                       found->kind);
    if (!table->made_by_us && table->schema != SCHEMA_KEA)
        return err_set(err,
                       "pgsql: database %s: %s.%s was not made by ubench; "
                       "it can only be used with --schema kea",
                       PQdb(link->conn), table->schema_name, table->name);
    if (!table->made_by_us && unlogged)
        return err_set_class(err, ERR_USAGE,
                             "pgsql: --set unlogged=yes: %s.%s was not "
                             "made by ubench and will not be altered",
                             table->schema_name, table->name);
    if (found->lease &&
        (!made.by_us || (made.as == table->schema &&
                         table->persistence == (unlogged ? 'u' : 'p'))))
        return 0;
    struct found changed;
    if (remake(table, found, &made, link, unlogged, err) != 0)
        return -1;
    return inspect(table, &changed, link, err);
}

/* Finds a column by its name; PGSQL_COLUMNS if it is none of ours. */
static enum pgsql_column find_column(const struct pgsql_table *table,
                                     const char *name)
{
    const struct column *const columns = columns_of[table->family];

    for (int i = 0; i < PGSQL_COLUMNS; i++) {
        if (columns[i].name != NULL && strcmp(name, columns[i].name) == 0 &&
            (table->schema != SCHEMA_LEAN || columns[i].lean))
            return (enum pgsql_column)i;
    }
    return PGSQL_COLUMNS;
}

/* Row row of result describes one column of lease4: is it as it should be? */
static int check_column(struct pgsql_table *table, const PGresult *result,
                        int row, struct err *err)
{
    const char *const name = PQgetvalue(result, row, 0);
    const enum pgsql_column column = find_column(table, name);
    const bool must_be_given = PQgetvalue(result, row, 3)[0] == 't';

    if (column == PGSQL_COLUMNS && (table->made_by_us || must_be_given))
        return err_set(err, "pgsql: table %s.%s: column %s is not in schema %s",
                       table->schema_name, table->name, name,
                       schema_names[table->schema]);
    if (column == PGSQL_COLUMNS)
        return 0;
    const enum pgsql_type type =
        (enum pgsql_type)strtoul(PQgetvalue(result, row, 1), NULL, 10);
    const enum pgsql_type wanted = columns_of[table->family][column].type;
    if (type != wanted && (wanted != PGSQL_INET || type != PGSQL_VARCHAR))
        return err_set(err,
                       "pgsql: table %s.%s: column %s is of another type "
                       "(%s) than in schema %s",
                       table->schema_name, table->name, name,
                       PQgetvalue(result, row, 2), schema_names[table->schema]);
    table->has[column] = true;
    table->types[column] = type;
    return 0;
}

static int check_columns(struct pgsql_table *table, struct pgsql_link *link,
                         struct err *err)
{
    static const char sql[] =
        "SELECT attname, atttypid, format_type(atttypid, atttypmod),"
        " attnotnull AND NOT atthasdef AND attidentity = ''"
        " FROM pg_attribute WHERE attrelid = $1::oid AND attnum > 0"
        " AND NOT attisdropped ORDER BY attnum";
    const struct column *const columns = columns_of[table->family];
    const char *const params[] = { table->oid };
    PGresult *const result = pgsql_query(link, "read the lease table's columns",
                                         sql, 1, params, err);
    int status = result == NULL ? -1 : 0;

    for (int row = 0; status == 0 && row < PQntuples(result); row++)
        status = check_column(table, result, row, err);
    PQclear(result);
    for (int i = 0; status == 0 && i < PGSQL_COLUMNS; i++) {
        const bool wanted = columns[i].name != NULL &&
                            (table->schema != SCHEMA_LEAN || columns[i].lean);

        if (wanted && !table->has[i] &&
            (table->made_by_us || !columns[i].optional))
            status = err_set(err, "pgsql: table %s.%s: column %s is missing",
                             table->schema_name, table->name, columns[i].name);
    }
    return status;
}

/* A create that finds the address taken is known by the name of this key. */
static int read_key(struct pgsql_table *table, struct pgsql_link *link,
                    struct err *err)
{
    static const char sql[] =
        "SELECT k.conname FROM pg_constraint k WHERE k.conrelid = $1::oid"
        " AND k.contype = 'p' AND k.conkey = ARRAY[(SELECT a.attnum"
        " FROM pg_attribute a WHERE a.attrelid = k.conrelid"
        " AND a.attname = 'address')]";
    const char *const params[] = { table->oid };
    PGresult *const result =
        pgsql_query(link, "read the lease table's key", sql, 1, params, err);
    int status = 0;

    if (result == NULL)
        return -1;
    if (PQntuples(result) == 1)
        copy(table->key_name, sizeof table->key_name, result, 0);
    else
        status = err_set(err,
                         "pgsql: table %s.%s: column address is not its "
                         "primary key",
                         table->schema_name, table->name);
    PQclear(result);
    return status;
}

/* Two runs on the same tables would each take the other's leases for wrong
   answers.  A run that just ended may need a moment to let go. */
static int lock(struct pgsql_link *link, struct err *err)
{
    static const char sql[] =
        "BEGIN; SET LOCAL lock_timeout = '2s';"
        "SELECT pg_advisory_lock(30050::bigint << 32 | oid::bigint)"
        " FROM pg_namespace WHERE nspname = current_schema(); COMMIT";
    struct err cause = { 0 };

    link->in_transaction = true;
    const int status = pgsql_run(link, "lock", sql, &cause);
    link->in_transaction = false;
    if (status != 0 && cause.class == ERR_BUSY)
        return err_set_class(err, ERR_BUSY,
                             "pgsql: database %s is in use by another run of "
                             "ubench",
                             PQdb(link->conn));
    if (status != 0)
        *err = cause;
    return status;
}

/* Takes what a crash has left, if it is ours. */
static int keep(struct pgsql_table *table, const struct found *found,
                struct pgsql_link *link, struct err *err)
{
    struct made made;

    if (found->lease && !found->marker)
        return refuse(table, found, link, err);
    if (!found->lease)
        return err_set(err, "pgsql: database %s: there is no table %s",
                       PQdb(link->conn), table->name);
    if (read_marker(table, found, link, &made, err) != 0)
        return -1;
    table->made_by_us = made.by_us;
    return 0;
}

int pgsql_table_open(struct pgsql_table *table, struct pgsql_link *link,
                     const struct store_config *config, bool unlogged,
                     struct err *err)
{
    struct found found = { 0 };

    *table = (struct pgsql_table){ .family = config->family,
                                   .name = table_names[config->family],
                                   .schema = config->schema,
                                   .subnets = config->subnets,
                                   .reservations = config->reservations };
    if (lock(link, err) != 0 || inspect(table, &found, link, err) != 0 ||
        (config->keep ? keep(table, &found, link, err)
                      : settle(table, &found, link, unlogged, err)) != 0 ||
        check_columns(table, link, err) != 0 || read_key(table, link, err) != 0)
        return -1;
    if (config->keep)
        return 0;
    if (table->reservations &&
        pgsql_run(link, "make ubench_hosts", hosts_sql, err) != 0)
        return -1;
    return pgsql_table_empty(table, link, err);
}

void pgsql_table_close(struct pgsql_link *link)
{
    struct err ignored;

    /* The server would do so by itself, but some time after we are gone. */
    if (!link->given_up && PQstatus(link->conn) == CONNECTION_OK)
        (void)pgsql_run(link, "unlock", "SELECT pg_advisory_unlock_all()",
                        &ignored);
}

int pgsql_table_check(const struct pgsql_table *table, struct pgsql_link *link,
                      struct err *err)
{
    const char *const params[] = { table->name };
    PGresult *const result =
        pgsql_query(link, "look for the lease table",
                    "SELECT to_regclass($1)::oid", 1, params, err);

    if (result == NULL)
        return -1;
    const bool same = strcmp(PQgetvalue(result, 0, 0), table->oid) == 0;
    PQclear(result);
    if (same)
        return 0;
    return err_set(err, "pgsql: database %s: %s is no longer %s.%s",
                   PQdb(link->conn), table->name, table->schema_name,
                   table->name);
}

static int seed_counters(const struct pgsql_table *table,
                         struct pgsql_link *link, struct err *err)
{
    char sql[COUNTER_SQL_SIZE];

    counter_sql_seed(sql, table->family, table->subnets, "TRUNCATE");
    return pgsql_run(link, "make counters", sql, err);
}

/* TRUNCATE leaves a table as new.  It fires no row triggers, so that Kea's
   counters would go wrong, and it is not ours to do on an owner's table. */
int pgsql_table_empty(const struct pgsql_table *table, struct pgsql_link *link,
                      struct err *err)
{
    static const char action[] = "empty the lease table";
    char sql[192];
    /* Our own counters begin anew, too. */
    const bool counted = table->made_by_us && table->schema == SCHEMA_KEA_STATS;
    const bool truncate = table->made_by_us && table->can_truncate &&
                          (table->triggers == 0 || counted);

    if (table->reservations && pgsql_run(link, "empty ubench_hosts",
                                         "TRUNCATE ubench_hosts", err) != 0)
        return -1;
    (void)snprintf(sql, sizeof sql, "%s %s.%s",
                   truncate ? "TRUNCATE" : "DELETE FROM", table->schema_name,
                   table->name);
    if (pgsql_run(link, action, sql, err) != 0)
        return -1;
    (void)snprintf(sql, sizeof sql, "VACUUM %s.%s", table->schema_name,
                   table->name);
    if (!truncate && pgsql_run(link, action, sql, err) != 0)
        return -1;
    return counted ? seed_counters(table, link, err) : 0;
}
