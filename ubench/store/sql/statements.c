/* SPDX-License-Identifier: ISC */
#include "store/sql/session.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The text that a statement is built from: {table}, {columns}, {values} for their marks,
   {assignments} for "column = mark" of each, {where} for that of each of params that the table
   has, {host} for the columns of ubench_hosts, and ? for the mark of the next of params. */
struct template
{
    const char *name;
    const char *text; /* NULL: it is made of another one */
    unsigned char params[5];
};

static const char find_lease[] = "SELECT {columns} FROM {table} WHERE {where}";
enum { END = SQL_VALUES }; /* of {where} */

static const struct template templates[SQL_STATEMENTS] = {
    [SQL_CREATE] = { "create", "INSERT INTO {table} ({columns}) VALUES ({values})", { END } },
    [SQL_CREATE_IN_BATCH] = { "create_in_batch", NULL, { END } },
    [SQL_FIND_BY_ADDRESS] = { "find_by_address", find_lease,
                              { SQL_ADDRESS, SQL_LEASE_TYPE, END } },
    [SQL_FIND_BY_HWADDR] = { "find_by_hwaddr", find_lease, { SQL_HWADDR, END } },
    [SQL_FIND_BY_CLIENT] = { "find_by_client", find_lease,
                             { SQL_CLIENT_ID, SQL_IAID, SQL_LEASE_TYPE, END } },
    [SQL_FIND_IN_SUBNET] = { "find_in_subnet", find_lease,
                             { SQL_CLIENT_ID, SQL_IAID, SQL_LEASE_TYPE, SQL_SUBNET_ID, END } },
    [SQL_UPDATE] = { "update",
                     "UPDATE {table} SET {assignments} WHERE address = ? AND expire = ?",
                     { SQL_ADDRESS, SQL_TIME_ASKED } },
    [SQL_REMOVE] = { "remove", "DELETE FROM {table} WHERE address = ? AND expire = ?",
                     { SQL_ADDRESS, SQL_TIME_ASKED } },
    [SQL_LIST_EXPIRED] = { "list_expired",
                           "SELECT {columns} FROM {table} WHERE state != 2"
                           " AND valid_lifetime != 4294967295"
                           " AND expire < ? ORDER BY expire LIMIT ?",
                           { SQL_TIME_ASKED, SQL_LIMIT } },
    [SQL_PURGE_RECLAIMED] = { "purge_reclaimed",
                              "DELETE FROM {table} WHERE state = 2 AND expire < ?",
                              { SQL_TIME_ASKED } },
    [SQL_ADD_RESERVATION] = { "add_reservation",
                              "INSERT INTO ubench_hosts (dhcp_identifier_type, dhcp4_subnet_id,"
                              " dhcp_identifier, ipv4_address) VALUES (?, ?, ?, ?)",
                              { SQL_HOST_TYPE, SQL_HOST_SUBNET, SQL_HOST_IDENTIFIER,
                                SQL_HOST_ADDRESS } },
    /* The whole row comes over, as in Kea; the address is what is looked at. */
    [SQL_FIND_RESERVATION] = { "find_reservation", "SELECT {host} FROM ubench_hosts WHERE {where}",
                               { SQL_HOST_TYPE, SQL_HOST_SUBNET, SQL_HOST_IDENTIFIER, END } },
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

/* Adds columns that are there: their names, their marks or both. */
static void add_columns(struct sql_statement *statement, const struct sql_statements *all,
                        unsigned first, unsigned end, bool names, bool marks)
{
    const char *comma = "";

    for (unsigned i = first; i < end; i++) {
        if ((i < SQL_COLUMNS && !all->table->has[i]) ||
            (names && marks && i == SQL_ADDRESS && !all->dialect->sets_key))
            continue;
        add(statement, "%s%s%s", comma, names ? sql_column_name(all->table->family, i) : "",
            names && marks ? " = " : "");
        if (marks)
            add_mark(statement, all->dialect, i);
        else
            statement->columns[statement->column_count++] = (unsigned char)i;
        comma = ", ";
    }
}

static void add_where(struct sql_statement *statement, const struct sql_statements *all,
                      const unsigned char *params)
{
    const char *and = "";

    for (; *params != END; params++) {
        const char *const name = sql_column_name(all->table->family, *params);

        if (name == NULL)
            continue;
        add(statement, "%s%s = ", and, name);
        add_mark(statement, all->dialect, *params);
        and = " AND ";
    }
}

/* Adds what stands in braces, as long as the name is. */
static void add_named(struct sql_statement *statement, const struct sql_statements *all,
                      const struct template *template, const char *name)
{
    if (strncmp(name, "table", 5) == 0)
        add(statement, "%s", all->table->name);
    else if (strncmp(name, "columns", 7) == 0)
        add_columns(statement, all, SQL_ADDRESS, SQL_COLUMNS, true, false);
    else if (strncmp(name, "values", 6) == 0)
        add_columns(statement, all, SQL_ADDRESS, SQL_COLUMNS, false, true);
    else if (strncmp(name, "assignments", 11) == 0)
        add_columns(statement, all, SQL_ADDRESS, SQL_COLUMNS, true, true);
    else if (strncmp(name, "host", 4) == 0)
        add_columns(statement, all, SQL_HOST_ADDRESS, SQL_VALUES, true, false);
    else
        add_where(statement, all, template->params);
}

static void build(struct sql_statement *statement, const struct sql_statements *all,
                  const struct template *template)
{
    const unsigned char *param = template->params;

    for (const char *in = template->text; *in != '\0'; in++) {
        if (*in == '{') {
            add_named(statement, all, template, in + 1);
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

void sql_statements_init(struct sql_statements *statements, const struct sql_dialect *dialect,
                         const struct sql_table *table, bool reservations)
{
    struct sql_statement *const items = statements->items;
    const int count = reservations ? SQL_STATEMENTS : SQL_ADD_RESERVATION;

    *statements = (struct sql_statements){ .dialect = dialect, .table = table };
    for (int i = 0; i < count; i++) {
        if (i == SQL_CREATE_IN_BATCH && dialect->on_conflict)
            items[i] = items[SQL_CREATE];
        else if (templates[i].text != NULL &&
                 (i != SQL_FIND_IN_SUBNET || table->family == LEASE_FAMILY_V6))
            build(&items[i], statements, &templates[i]);
        items[i].is = (enum sql_statement_name)i;
        items[i].name = templates[i].name;
    }
    if (dialect->on_conflict)
        add(&items[SQL_CREATE_IN_BATCH], " ON CONFLICT (address) DO NOTHING");
    if (dialect->on_conflict && reservations)
        add(&items[SQL_ADD_RESERVATION], " ON CONFLICT DO NOTHING");
}
