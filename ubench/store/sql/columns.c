/* SPDX-License-Identifier: ISC */
#include "store/sql/columns.h"

#include <stdio.h>
#include <string.h>

static const struct column {
    const char *v4; /* NULL: that table has none */
    const char *v6;
    enum sql_kind kind;
    bool lean;     /* schema lean has it, too */
    bool optional; /* Kea's tables did not always have it */
} columns[SQL_VALUES] = {
    [SQL_ADDRESS] = { "address", "address", SQL_NUMBER, true, false },
    [SQL_HWADDR] = { "hwaddr", "hwaddr", SQL_BYTES, true, false },
    [SQL_CLIENT_ID] = { "client_id", "duid", SQL_BYTES, true, false },
    [SQL_VALID_LIFETIME] = { "valid_lifetime", "valid_lifetime", SQL_NUMBER,
                             true, false },
    [SQL_EXPIRE] = { "expire", "expire", SQL_TIME, true, false },
    [SQL_SUBNET_ID] = { "subnet_id", "subnet_id", SQL_NUMBER, true, false },
    [SQL_FQDN_FWD] = { "fqdn_fwd", "fqdn_fwd", SQL_BOOL, true, false },
    [SQL_FQDN_REV] = { "fqdn_rev", "fqdn_rev", SQL_BOOL, true, false },
    [SQL_HOSTNAME] = { "hostname", "hostname", SQL_TEXT, true, false },
    [SQL_STATE] = { "state", "state", SQL_NUMBER, true, false },
    [SQL_LEASE_TYPE] = { NULL, "lease_type", SQL_NUMBER, true, false },
    [SQL_IAID] = { NULL, "iaid", SQL_NUMBER, true, false },
    [SQL_PREF_LIFETIME] = { NULL, "pref_lifetime", SQL_NUMBER, true, false },
    [SQL_PREFIX_LEN] = { NULL, "prefix_len", SQL_NUMBER, true, false },
    [SQL_USER_CONTEXT] = { "user_context", "user_context", SQL_UNUSED, false,
                           true },
    [SQL_RELAY_ID] = { "relay_id", NULL, SQL_UNUSED, false, true },
    [SQL_REMOTE_ID] = { "remote_id", NULL, SQL_UNUSED, false, true },
    [SQL_HWTYPE] = { NULL, "hwtype", SQL_NUMBER, false, true },
    [SQL_HWADDR_SOURCE] = { NULL, "hwaddr_source", SQL_NUMBER, false, true },
    [SQL_POOL_ID] = { "pool_id", "pool_id", SQL_NUMBER, true, true },

    [SQL_TIME_ASKED] = { .kind = SQL_TIME },
    [SQL_LIMIT] = { .kind = SQL_NUMBER },
    [SQL_HOST_TYPE] = { .kind = SQL_NUMBER },
    [SQL_HOST_SUBNET] = { .kind = SQL_NUMBER },
    [SQL_HOST_IDENTIFIER] = { .kind = SQL_BYTES },
    [SQL_HOST_ADDRESS] = { .kind = SQL_NUMBER },
    [SQL_HOST_ID] = { .kind = SQL_NUMBER },
    [SQL_HOST_NAME] = { .kind = SQL_UNUSED },
    [SQL_HOST_CONTEXT] = { .kind = SQL_UNUSED },
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
           (columns[column].lean || table->schema != SCHEMA_LEAN);
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
    table->made_by_us = true;
    for (enum sql_column i = SQL_ADDRESS; i < SQL_COLUMNS; i++)
        table->has[i] = is_wanted(table, i);
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

int sql_table_check(const struct sql_table *table, const char *store,
                    const char *place, struct err *err)
{
    for (enum sql_column i = SQL_ADDRESS; i < SQL_COLUMNS; i++) {
        if (is_wanted(table, i) && !table->has[i] &&
            (table->made_by_us || !columns[i].optional))
            return err_set(err, "%s: %s: the column %s is missing%s", store,
                           place, sql_column_name(table->family, i),
                           table->made_by_us
                               ? "; ubench makes the table anew if you drop it"
                               : "");
    }
    return 0;
}

void sql_table_missing(const struct sql_table *table, char *text, size_t size)
{
    size_t length = 0;

    text[0] = '\0';
    for (enum sql_column i = SQL_ADDRESS; i < SQL_COLUMNS; i++) {
        if (is_wanted(table, i) && !table->has[i] && length < size)
            length += (size_t)snprintf(text + length, size - length, "%s%s",
                                       length == 0 ? "" : ", ",
                                       sql_column_name(table->family, i));
    }
}

enum sql_kind sql_kind(const struct sql_table *table, unsigned value)
{
    return value == SQL_ADDRESS ? table->address : columns[value].kind;
}
