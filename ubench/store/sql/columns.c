/* SPDX-License-Identifier: ISC */
#include "store/sql/columns.h"

#include <string.h>

#include "core/text.h"

/* Traits of a column: schema lean has it; older tables of Kea lack it. */
enum { LEAN = 1, LATER = 2 };

static const struct column {
    const char *v4; /* NULL: the table lacks it */
    const char *v6;
    enum sql_kind kind;
    const char *types[SQL_DIALECT_NAMES]; /* as the catalogues name them */
    unsigned in;
} columns[SQL_VALUES] = {
#define ROW(name, v4, v6, kind, mysql, pgsql, in) \
    [SQL_##name] = { v4, v6, SQL_##kind, { NULL, mysql, pgsql }, in }
    ROW(ADDRESS, "address", "address", NUMBER, "int", "int8", LEAN),
    ROW(HWADDR, "hwaddr", "hwaddr", BYTES, "varbinary", "bytea", LEAN),
    ROW(CLIENT_ID, "client_id", "duid", BYTES, "varbinary", "bytea", LEAN),
    ROW(VALID_LIFETIME, "valid_lifetime", "valid_lifetime", NUMBER, "int", "int8", LEAN),
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
    ROW(USER_CONTEXT, "user_context", "user_context", UNUSED, "text", "text", LATER),
    ROW(RELAY_ID, "relay_id", NULL, UNUSED, "varbinary", "bytea", LATER),
    ROW(REMOTE_ID, "remote_id", NULL, UNUSED, "varbinary", "bytea", LATER),
    ROW(HWTYPE, NULL, "hwtype", NUMBER, "smallint", "int2", LATER),
    ROW(HWADDR_SOURCE, NULL, "hwaddr_source", NUMBER, "int", "int2", LATER),
    ROW(POOL_ID, "pool_id", "pool_id", NUMBER, "int", "int8", LEAN | LATER),

    ROW(TIME_ASKED, NULL, NULL, TIME, NULL, "timestamptz", 0),
    ROW(LIMIT, NULL, NULL, NUMBER, NULL, "int8", 0),
    ROW(POOL_FIRST, NULL, NULL, NUMBER, NULL, "int8", 0),
    ROW(POOL_LAST, NULL, NULL, NUMBER, NULL, "int8", 0),
    ROW(CHANGED, NULL, NULL, NUMBER, NULL, "int4", 0),
#define HOST(name, column, kind, pgsql) ROW(HOST_##name, column, column, kind, NULL, pgsql, 0)
    HOST(TYPE, "dhcp_identifier_type", NUMBER, "int2"),
    HOST(SUBNET, "dhcp4_subnet_id", NUMBER, "int8"),
    HOST(IDENTIFIER, "dhcp_identifier", BYTES, "bytea"),
    HOST(ADDRESS, "ipv4_address", NUMBER, "int8"),
    HOST(ID, "host_id", NUMBER, "int4"),
    HOST(NAME, "hostname", UNUSED, "varchar"),
    HOST(CONTEXT, "user_context", UNUSED, "text"),
#undef HOST
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

const char *sql_column_name(enum lease_family family, unsigned value)
{
    return family == LEASE_FAMILY_V4 ? columns[value].v4 : columns[value].v6;
}

const char *sql_value_name(enum lease_family family, unsigned value)
{
    const char *const column = sql_column_name(family, value);

    if (column != NULL)
        return column;
    return value == SQL_LIMIT        ? "limit"
           : value == SQL_POOL_FIRST ? "first address"
           : value == SQL_POOL_LAST  ? "last address"
           : value == SQL_CHANGED    ? "changed"
                                     : "time";
}

static bool is_wanted(const struct sql_table *table, enum sql_column column)
{
    return sql_column_name(table->family, column) != NULL &&
           ((columns[column].in & LEAN) != 0 || table->schema != SCHEMA_LEAN);
}

void sql_table_init(struct sql_table *table, const struct store_config *config, bool whole)
{
    *table = (struct sql_table){
        .family = config->family,
        .schema = config->schema,
        .name = sql_table_name(config->family),
    };
    for (enum sql_column i = SQL_ADDRESS; i < SQL_COLUMNS; i++)
        table->has[i] = whole && is_wanted(table, i);
    for (unsigned i = 0; i < SQL_VALUES; i++)
        table->kinds[i] = columns[i].kind;
    if (table->family == LEASE_FAMILY_V6)
        table->kinds[SQL_ADDRESS] = SQL_BYTES;
}

const char *sql_column_type(const struct sql_table *table, unsigned value,
                            enum sql_dialect_name dialect)
{
    static const char *const v6_addresses[SQL_DIALECT_NAMES] = {
        [SQL_MYSQL] = "binary",
        [SQL_PGSQL] = "inet",
    };

    return value == SQL_ADDRESS && table->family == LEASE_FAMILY_V6 ? v6_addresses[dialect]
                                                                    : columns[value].types[dialect];
}

const char *sql_table_add(struct sql_table *table, enum sql_dialect_name dialect, const char *name,
                          const char *type)
{
    enum sql_column column = SQL_ADDRESS;

    while (column < SQL_COLUMNS &&
           (!is_wanted(table, column) || strcmp(name, sql_column_name(table->family, column)) != 0))
        column++;
    if (column == SQL_COLUMNS)
        return "";
    table->has[column] = true;
    /* Up to Kea 2.2 the address is text. */
    if (column == SQL_ADDRESS && table->family == LEASE_FAMILY_V6 && strcmp(type, "varchar") == 0) {
        table->kinds[SQL_ADDRESS] = SQL_TEXT;
        return NULL;
    }
    const char *const wanted = sql_column_type(table, column, dialect);
    return wanted == NULL || strcmp(type, wanted) == 0 ? NULL : wanted;
}

void sql_table_missing(const struct sql_table *table, bool needed, char *text, size_t size)
{
    text[0] = '\0';
    for (enum sql_column i = SQL_ADDRESS; i < SQL_COLUMNS; i++) {
        if (is_wanted(table, i) && !table->has[i] &&
            (!needed || table->made_by_us || (columns[i].in & LATER) == 0))
            text_append(text, size, "%s%s", text[0] == '\0' ? "" : ", ",
                        sql_column_name(table->family, i));
    }
}
