/* SPDX-License-Identifier: ISC */
#include "store/sql/session.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const sql_statement_names[SQL_STATEMENTS] = {
    [SQL_CREATE] = "create",
    [SQL_CREATE_IN_BATCH] = "create_in_batch",
    [SQL_FIND_BY_ADDRESS] = "find_by_address",
    [SQL_FIND_BY_HWADDR] = "find_by_hwaddr",
    [SQL_FIND_BY_CLIENT] = "find_by_client",
    [SQL_FIND_IN_SUBNET] = "find_in_subnet",
    [SQL_UPDATE] = "update",
    [SQL_REMOVE] = "remove",
    [SQL_LIST_EXPIRED] = "list_expired",
    [SQL_PURGE_RECLAIMED] = "purge_reclaimed",
    [SQL_ADD_RESERVATION] = "add_reservation",
    [SQL_FIND_RESERVATION] = "find_reservation",
};

/* The text that a statement is built from: {table}, {columns}, {values} for
   their marks, {assignments} for "column = mark" of each, and ? for the mark of
   the next of params. */
struct template
{
    const char *text;
    unsigned char params[4];
};

static const struct template templates[SQL_STATEMENTS] = {
    [SQL_CREATE] = { "INSERT INTO {table} ({columns}) VALUES ({values})",
                     { 0 } },
    [SQL_CREATE_IN_BATCH] = { "INSERT INTO {table} ({columns})"
                              " VALUES ({values})"
                              " ON CONFLICT (address) DO NOTHING",
                              { 0 } },
    [SQL_FIND_BY_ADDRESS] = { "SELECT {columns} FROM {table}"
                              " WHERE address = ?",
                              { SQL_ADDRESS } },
    [SQL_FIND_BY_HWADDR] = { "SELECT {columns} FROM {table} WHERE hwaddr = ?",
                             { SQL_HWADDR } },
    [SQL_FIND_BY_CLIENT] = { "SELECT {columns} FROM {table}"
                             " WHERE client_id = ?",
                             { SQL_CLIENT_ID } },
    [SQL_UPDATE] = { "UPDATE {table} SET {assignments}"
                     " WHERE address = ? AND expire = ?",
                     { SQL_ADDRESS, SQL_TIME_ASKED } },
    [SQL_REMOVE] = { "DELETE FROM {table} WHERE address = ? AND expire = ?",
                     { SQL_ADDRESS, SQL_TIME_ASKED } },
    [SQL_LIST_EXPIRED] = { "SELECT {columns} FROM {table} WHERE state != 2"
                           " AND valid_lifetime != 4294967295"
                           " AND expire < ? ORDER BY expire LIMIT ?",
                           { SQL_TIME_ASKED, SQL_LIMIT } },
    [SQL_PURGE_RECLAIMED] = { "DELETE FROM {table}"
                              " WHERE state = 2 AND expire < ?",
                              { SQL_TIME_ASKED } },
    [SQL_ADD_RESERVATION] = { "INSERT INTO ubench_hosts (dhcp_identifier_type,"
                              " dhcp4_subnet_id, dhcp_identifier,"
                              " ipv4_address) VALUES (?, ?, ?, ?)",
                              { SQL_HOST_TYPE, SQL_HOST_SUBNET,
                                SQL_HOST_IDENTIFIER, SQL_HOST_ADDRESS } },
    [SQL_FIND_RESERVATION] = { "SELECT ipv4_address, host_id, dhcp_identifier,"
                               " dhcp_identifier_type, dhcp4_subnet_id,"
                               " hostname, user_context FROM ubench_hosts"
                               " WHERE dhcp_identifier_type = ?"
                               " AND dhcp4_subnet_id = ?"
                               " AND dhcp_identifier = ?",
                               { SQL_HOST_TYPE, SQL_HOST_SUBNET,
                                 SQL_HOST_IDENTIFIER } },
};

/* The whole row comes over, as in Kea; the address is what is looked at. */
static const unsigned char host_columns[] = {
    SQL_HOST_ADDRESS, SQL_HOST_ID,   SQL_HOST_IDENTIFIER, SQL_HOST_TYPE,
    SQL_HOST_SUBNET,  SQL_HOST_NAME, SQL_HOST_CONTEXT
};

/* The templates for lease6 that differ. */
static const struct template v6_templates[SQL_STATEMENTS] = {
    [SQL_FIND_BY_ADDRESS] = { "SELECT {columns} FROM {table}"
                              " WHERE address = ? AND lease_type = ?",
                              { SQL_ADDRESS, SQL_LEASE_TYPE } },
    [SQL_FIND_BY_CLIENT] = { "SELECT {columns} FROM {table} WHERE duid = ?"
                             " AND iaid = ? AND lease_type = ?",
                             { SQL_CLIENT_ID, SQL_IAID, SQL_LEASE_TYPE } },
    [SQL_FIND_IN_SUBNET] = { "SELECT {columns} FROM {table} WHERE duid = ?"
                             " AND iaid = ? AND lease_type = ?"
                             " AND subnet_id = ?",
                             { SQL_CLIENT_ID, SQL_IAID, SQL_LEASE_TYPE,
                               SQL_SUBNET_ID } },
};

struct builder {
    const struct sql_dialect *dialect;
    const struct sql_table *table;
    size_t column_count; /* of the table */
    unsigned char columns[SQL_COLUMNS];
    struct sql_statement *statement;
    size_t length;
};

static void add(struct builder *builder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct builder *builder, const char *format, ...)
{
    char *const sql = builder->statement->sql;
    va_list args;

    va_start(args, format);
    builder->length +=
        (size_t)vsnprintf(sql + builder->length,
                          SQL_STATEMENT_SIZE - builder->length, format, args);
    va_end(args);
    assert(builder->length < SQL_STATEMENT_SIZE);
}

static void add_mark(struct builder *builder, unsigned value)
{
    struct sql_statement *const statement = builder->statement;

    assert(statement->param_count < SQL_PARAMS_MAX);
    statement->params[statement->param_count++] = (unsigned char)value;
    if (builder->dialect->mark == '$')
        add(builder, "$%zu", statement->param_count);
    else
        add(builder, "%c", builder->dialect->mark);
}

static void add_columns(struct builder *builder, bool names, bool marks)
{
    const char *comma = "";

    for (size_t i = 0; i < builder->column_count; i++) {
        const enum sql_column column = (enum sql_column)builder->columns[i];

        if (names && marks && column == SQL_ADDRESS &&
            !builder->dialect->sets_key)
            continue;
        add(builder, "%s", comma);
        if (names)
            add(builder, "%s", sql_column_name(builder->table->family, column));
        if (names && marks)
            add(builder, " = ");
        if (marks)
            add_mark(builder, column);
        comma = ", ";
    }
}

/* Adds what stands in braces, as long as the name is. */
static void add_named(struct builder *builder, const char *name)
{
    if (strncmp(name, "table", 5) == 0) {
        add(builder, "%s", builder->table->name);
    } else if (strncmp(name, "columns", 7) == 0) {
        add_columns(builder, true, false);
        builder->statement->column_count = builder->column_count;
        memcpy(builder->statement->columns, builder->columns,
               sizeof builder->columns);
    } else if (strncmp(name, "values", 6) == 0) {
        add_columns(builder, false, true);
        builder->statement->column_count = 0; /* they were to be inserted */
    } else {
        assert(strncmp(name, "assignments", 11) == 0);
        add_columns(builder, true, true);
    }
}

static void build(struct builder *builder, struct sql_statement *statement,
                  const struct template *template)
{
    const unsigned char *param = template->params;

    builder->statement = statement;
    builder->length = 0;
    for (const char *in = template->text; *in != '\0'; in++) {
        if (*in == '{') {
            add_named(builder, in + 1);
            in = strchr(in, '}');
        } else if (*in == '?') {
            add_mark(builder, *param++);
        } else {
            add(builder, "%c", *in);
        }
    }
}

void sql_statements_init(struct sql_statements *statements,
                         const struct sql_dialect *dialect,
                         const struct sql_table *table, bool reservations)
{
    struct sql_statement *const items = statements->items;
    struct builder builder = { .dialect = dialect, .table = table };
    const int count = reservations ? SQL_STATEMENTS : SQL_ADD_RESERVATION;

    *statements = (struct sql_statements){ .dialect = dialect, .table = table };
    for (unsigned char i = 0; i < SQL_COLUMNS; i++) {
        if (table->has[i])
            builder.columns[builder.column_count++] = i;
    }
    for (int i = 0; i < count; i++) {
        if (i == SQL_CREATE_IN_BATCH && !dialect->on_conflict)
            continue;
        if (table->family == LEASE_FAMILY_V6 && v6_templates[i].text != NULL)
            build(&builder, &items[i], &v6_templates[i]);
        else if (templates[i].text != NULL)
            build(&builder, &items[i], &templates[i]);
    }
    if (dialect->on_conflict && reservations) {
        builder.statement = &items[SQL_ADD_RESERVATION];
        builder.length = strlen(builder.statement->sql);
        add(&builder, " ON CONFLICT DO NOTHING");
    }
    items[SQL_FIND_RESERVATION].column_count = sizeof host_columns;
    memcpy(items[SQL_FIND_RESERVATION].columns, host_columns,
           sizeof host_columns);
}
