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

__attribute__((format(printf, 2, 3))) static void
add(struct sql_statement *statement, const char *format, ...)
{
    const size_t length = strlen(statement->sql);
    va_list args;

    va_start(args, format);
    const int added = vsnprintf(statement->sql + length,
                                SQL_STATEMENT_SIZE - length, format, args);
    va_end(args);
    assert((size_t)added < SQL_STATEMENT_SIZE - length);
}

static void add_mark(struct sql_statement *statement,
                     const struct sql_dialect *dialect, unsigned value)
{
    assert(statement->param_count < SQL_PARAMS_MAX);
    statement->params[statement->param_count++] = (unsigned char)value;
    if (dialect->mark == '$')
        add(statement, "$%zu", statement->param_count);
    else
        add(statement, "%c", dialect->mark);
}

static void add_columns(struct sql_statement *statement,
                        const struct sql_statements *all, bool names,
                        bool marks)
{
    const char *comma = "";

    for (enum sql_column i = SQL_ADDRESS; i < SQL_COLUMNS; i++) {
        if (!all->table->has[i] ||
            (names && marks && i == SQL_ADDRESS && !all->dialect->sets_key))
            continue;
        add(statement, "%s%s%s", comma,
            names ? sql_column_name(all->table->family, i) : "",
            names && marks ? " = " : "");
        if (marks)
            add_mark(statement, all->dialect, i);
        if (!marks)
            statement->columns[statement->column_count++] = (unsigned char)i;
        comma = ", ";
    }
}

/* Adds what stands in braces, as long as the name is. */
static void add_named(struct sql_statement *statement,
                      const struct sql_statements *all, const char *name)
{
    if (strncmp(name, "table", 5) == 0)
        add(statement, "%s", all->table->name);
    else if (strncmp(name, "columns", 7) == 0)
        add_columns(statement, all, true, false);
    else if (strncmp(name, "values", 6) == 0)
        add_columns(statement, all, false, true);
    else
        add_columns(statement, all, true, true);
}

static void build(struct sql_statement *statement,
                  const struct sql_statements *all,
                  const struct template *template)
{
    const unsigned char *param = template->params;

    for (const char *in = template->text; *in != '\0'; in++) {
        if (*in == '{') {
            add_named(statement, all, in + 1);
            in = strchr(in, '}');
        } else if (*in == '?') {
            add_mark(statement, all->dialect, *param++);
        } else {
            add(statement, "%c", *in);
        }
    }
    if (strncmp(statement->sql, "INSERT", 6) == 0)
        statement->column_count = 0; /* they are not found, but inserted */
}

void sql_statements_init(struct sql_statements *statements,
                         const struct sql_dialect *dialect,
                         const struct sql_table *table, bool reservations)
{
    struct sql_statement *const items = statements->items;
    struct sql_statement *const host = &items[SQL_FIND_RESERVATION];
    const int count = reservations ? SQL_STATEMENTS : SQL_ADD_RESERVATION;

    *statements = (struct sql_statements){ .dialect = dialect, .table = table };
    for (int i = 0; i < count; i++) {
        if (table->family == LEASE_FAMILY_V6 && v6_templates[i].text != NULL)
            build(&items[i], statements, &v6_templates[i]);
        else if (templates[i].text != NULL)
            build(&items[i], statements, &templates[i]);
    }
    if (dialect->on_conflict) {
        items[SQL_CREATE_IN_BATCH] = items[SQL_CREATE];
        add(&items[SQL_CREATE_IN_BATCH], " ON CONFLICT (address) DO NOTHING");
    }
    if (dialect->on_conflict && reservations)
        add(&items[SQL_ADD_RESERVATION], " ON CONFLICT DO NOTHING");
    /* The whole row comes over, as in Kea; the address is what is looked at. */
    for (unsigned i = SQL_HOST_ADDRESS; i <= SQL_HOST_CONTEXT; i++)
        host->columns[host->column_count++] = (unsigned char)i;
}
