/* SPDX-License-Identifier: ISC */
#include "store/sql/columns.h"

#include <stdio.h>
#include <string.h>

/* A column of a lease: schema lean has it, too; older tables of Kea lack it. */
enum { LEAN = 1, LATER = 2 };

static const struct column {
    const char *v4; /* NULL: that table has none */
    const char *v6;
    enum sql_kind kind;
    const char *types[SQL_DIALECT_NAMES]; /* as the catalogues have them */
    unsigned in;
} columns[SQL_VALUES] = {
#define ROW(name, v4, v6, kind, mysql, pgsql, in) \
    [SQL_##name] = { v4, v6, SQL_##kind, { NULL, mysql, pgsql }, in }
    ROW(ADDRESS, "address", "address", NUMBER, "int", "int8", LEAN),
    ROW(HWADDR, "hwaddr", "hwaddr", BYTES, "varbinary", "bytea", LEAN),
    ROW(CLIENT_ID, "client_id", "duid", BYTES, "varbinary", "bytea", LEAN),
    ROW(VALID_LIFETIME, "valid_lifetime", "valid_lifetime", NUMBER, "int",
        "int8", LEAN),
    ROW(EXPIRE, "expire", "expire", TIME, "timestamp", "timestamptz", LEAN),
    ROW(SUBNET_ID, "subnet_id", "subnet_id", NUMBER, "int", "int8", LEAN),
    ROW(FQDN_FWD, "fqdn_fwd", "fqdn_fwd", BOOL, "tinyint", "bool", LEAN),
    ROW(FQDN_REV, "fqdn_rev", "fqdn_rev", BOOL, "tinyint", "bool", LEAN),
    ROW(HOSTNAME, "hostname", "hostname", TEXT, "varchar", "varchar", LEAN),
    ROW(STATE, "state", "state", NUMBER, "int", "int8", LEAN),
    ROW(LEASE_TYPE, NULL, "lease_type", NUMBER, "tinyint", "int2", LEAN),
    ROW(IAID, NULL, "iaid", NUMBER, "int", "int4", LEAN),
    ROW(PREF_LIFETIME, NULL, "pref_lifetime", NUMBER, "int", "int8", LEAN),
    ROW(PREFIX_LEN, NULL, "prefix_len", NUMBER, "tinyint", "int2", LEAN),
    ROW(USER_CONTEXT, "user_context", "user_context", UNUSED, "text", "text",
        LATER),
    ROW(RELAY_ID, "relay_id", NULL, UNUSED, "varbinary", "bytea", LATER),
    ROW(REMOTE_ID, "remote_id", NULL, UNUSED, "varbinary", "bytea", LATER),
    ROW(HWTYPE, NULL, "hwtype", NUMBER, "smallint", "int2", LATER),
    ROW(HWADDR_SOURCE, NULL, "hwaddr_source", NUMBER, "int", "int2", LATER),
    ROW(POOL_ID, "pool_id", "pool_id", NUMBER, "int", "int8", LEAN | LATER),

    ROW(TIME_ASKED, NULL, NULL, TIME, NULL, "timestamptz", 0),
    ROW(LIMIT, NULL, NULL, NUMBER, NULL, "int8", 0),
    ROW(HOST_TYPE, NULL, NULL, NUMBER, NULL, "int2", 0),
    ROW(HOST_SUBNET, NULL, NULL, NUMBER, NULL, "int8", 0),
    ROW(HOST_IDENTIFIER, NULL, NULL, BYTES, NULL, "bytea", 0),
    ROW(HOST_ADDRESS, NULL, NULL, NUMBER, NULL, "int8", 0),
    ROW(HOST_ID, NULL, NULL, NUMBER, NULL, "int4", 0),
    ROW(HOST_NAME, NULL, NULL, UNUSED, NULL, "varchar", 0),
    ROW(HOST_CONTEXT, NULL, NULL, UNUSED, NULL, "text", 0),
#undef ROW
};

const char *sql_table_name(enum lease_family family)
{
    return family == LEASE_FAMILY_V4 ? "lease4" : "lease6";
}

const char *sql_schema_name(enum schema schema)
{
    static const char *const names[] = {
        [SCHEMA_LEAN] = "lean",
        [SCHEMA_KEA] = "kea",
        [SCHEMA_KEA_STATS] = "kea+stats",
    };

    return names[schema];
}

const char *sql_column_name(enum lease_family family, enum sql_column column)
{
    return family == LEASE_FAMILY_V4 ? columns[column].v4 : columns[column].v6;
}

static bool is_wanted(const struct sql_table *table, enum sql_column column)
{
    return sql_column_name(table->family, column) != NULL &&
           ((columns[column].in & LEAN) != 0 || table->schema != SCHEMA_LEAN);
}

void sql_table_init(struct sql_table *table, const struct store_config *config)
{
    *table = (struct sql_table){
        .family = config->family,
        .schema = config->schema,
        .name = sql_table_name(config->family),
        .address = config->family == LEASE_FAMILY_V4 ? SQL_NUMBER : SQL_BYTES,
    };
}

void sql_table_init_whole(struct sql_table *table,
                          const struct store_config *config)
{
    sql_table_init(table, config);
    for (enum sql_column i = SQL_ADDRESS; i < SQL_COLUMNS; i++)
        table->has[i] = is_wanted(table, i);
}

const char *sql_column_type(const struct sql_table *table, unsigned value,
                            enum sql_dialect_name dialect)
{
    static const char *const v6_addresses[SQL_DIALECT_NAMES] = {
        [SQL_MYSQL] = "binary",
        [SQL_PGSQL] = "inet",
    };

    return value == SQL_ADDRESS && table->family == LEASE_FAMILY_V6
               ? v6_addresses[dialect]
               : columns[value].types[dialect];
}

enum sql_column sql_table_find(const struct sql_table *table, const char *name)
{
    enum sql_column i = SQL_ADDRESS;

    while (i < SQL_COLUMNS &&
           (!is_wanted(table, i) ||
            strcmp(name, sql_column_name(table->family, i)) != 0))
        i++;
    return i;
}

const char *sql_table_add(struct sql_table *table,
                          enum sql_dialect_name dialect, const char *name,
                          const char *type)
{
    const enum sql_column column = sql_table_find(table, name);

    if (column == SQL_COLUMNS)
        return "";
    table->has[column] = true;
    /* Up to Kea 2.2 its text. */
    if (column == SQL_ADDRESS && table->family == LEASE_FAMILY_V6 &&
        strcmp(type, "varchar") == 0) {
        table->address = SQL_TEXT;
        return NULL;
    }
    const char *const wanted = sql_column_type(table, column, dialect);
    return wanted == NULL || strcmp(type, wanted) == 0 ? NULL : wanted;
}

void sql_table_missing(const struct sql_table *table, bool needed, char *text,
                       size_t size)
{
    size_t length = 0;

    text[0] = '\0';
    for (enum sql_column i = SQL_ADDRESS; i < SQL_COLUMNS; i++) {
        if (is_wanted(table, i) && !table->has[i] && length < size &&
            (!needed || table->made_by_us || (columns[i].in & LATER) == 0))
            length += (size_t)snprintf(text + length, size - length, "%s%s",
                                       length == 0 ? "" : ", ",
                                       sql_column_name(table->family, i));
    }
}

enum sql_kind sql_kind(const struct sql_table *table, unsigned value)
{
    return value == SQL_ADDRESS ? table->address : columns[value].kind;
}
