/* SPDX-License-Identifier: ISC */
#include "store/sql/session.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

#define BOTH(text) \
    {              \
        text, text \
    }
#define FIND_LEASE "SELECT {columns} FROM {table} WHERE "
#define FIND_DUID  FIND_LEASE "duid = ? AND iaid = ? AND lease_type = ?"

/* The template of a statement: {table}, {columns}, {values} for their marks, {assignments} for
   "column = mark" of each, {host} for the columns of ubench_hosts, {pick} for the start of a pick
   from the free list, and ? for the mark of the next of params. */
static const struct template
{
    const char *name;
    const char *text[LEASE_FAMILY_V6 + 1]; /* NULL: not used by that family */
    unsigned char params[4];
}
templates[SQL_STATEMENTS] = {
    [SQL_CREATE] = { "create", BOTH("INSERT INTO {table} ({columns}) VALUES ({values})"), { 0 } },
    [SQL_CREATE_IN_BATCH] = { "create_in_batch",
                              BOTH("INSERT INTO {table} ({columns}) VALUES ({values})"
                                   " ON CONFLICT (address) DO NOTHING"),
                              { 0 } },
    [SQL_FIND_BY_ADDRESS] = { "find_by_address",
                              { FIND_LEASE "address = ?",
                                FIND_LEASE "address = ? AND lease_type = ?" },
                              { SQL_ADDRESS, SQL_LEASE_TYPE } },
    [SQL_FIND_BY_HWADDR] = { "find_by_hwaddr", BOTH(FIND_LEASE "hwaddr = ?"), { SQL_HWADDR } },
    [SQL_FIND_BY_CLIENT] = { "find_by_client",
                             { FIND_LEASE "client_id = ?", FIND_DUID },
                             { SQL_CLIENT_ID, SQL_IAID, SQL_LEASE_TYPE } },
    [SQL_FIND_IN_SUBNET] = { "find_in_subnet",
                             { NULL, FIND_DUID " AND subnet_id = ?" },
                             { SQL_CLIENT_ID, SQL_IAID, SQL_LEASE_TYPE, SQL_SUBNET_ID } },
    [SQL_UPDATE] = { "update",
                     BOTH("UPDATE {table} SET {assignments} WHERE address = ? AND expire = ?"),
                     { SQL_ADDRESS, SQL_TIME_ASKED } },
    [SQL_REMOVE] = { "remove",
                     BOTH("DELETE FROM {table} WHERE address = ? AND expire = ?"),
                     { SQL_ADDRESS, SQL_TIME_ASKED } },
    [SQL_LIST_EXPIRED] = { "list_expired",
                           BOTH(FIND_LEASE "state != 2 AND valid_lifetime != 4294967295"
                                           " AND expire < ? ORDER BY expire LIMIT ?"),
                           { SQL_TIME_ASKED, SQL_LIMIT } },
    [SQL_PURGE_RECLAIMED] = { "purge_reclaimed",
                              BOTH("DELETE FROM {table} WHERE state = 2 AND expire < ?"),
                              { SQL_TIME_ASKED } },
    [SQL_ADD_RESERVATION] = { "add_reservation",
                              BOTH("INSERT INTO ubench_hosts (dhcp_identifier_type,"
                                   " dhcp4_subnet_id, dhcp_identifier, ipv4_address)"
                                   " VALUES (?, ?, ?, ?)"),
                              { SQL_HOST_TYPE, SQL_HOST_SUBNET, SQL_HOST_IDENTIFIER,
                                SQL_HOST_ADDRESS } },
    /* The server sends the whole row, as to Kea; only the address is read. */
    [SQL_FIND_RESERVATION] = { "find_reservation",
                               BOTH("SELECT {host} FROM ubench_hosts WHERE dhcp_identifier_type = ?"
                                    " AND dhcp4_subnet_id = ? AND dhcp_identifier = ?"),
                               { SQL_HOST_TYPE, SQL_HOST_SUBNET, SQL_HOST_IDENTIFIER } },
    [SQL_PICK_FREE] = { "pick_free", { "{pick}(?, ?)", NULL }, { SQL_POOL_FIRST, SQL_POOL_LAST } },
    [SQL_CREATE_LISTED] = { "create_listed",
                            { "SELECT ubench_flq_insert({values})", NULL },
                            { 0 } },
    [SQL_UPDATE_LISTED] = { "update_listed",
                            { "SELECT ubench_flq_update({values}, ?, ?)", NULL },
                            { SQL_ADDRESS, SQL_TIME_ASKED } },
    [SQL_REMOVE_LISTED] = { "remove_listed",
                            { "SELECT ubench_flq_remove(?, ?)", NULL },
                            { SQL_ADDRESS, SQL_TIME_ASKED } },
};

void sql_statement_add_mark(struct sql_statement *statement, const struct sql_dialect *dialect,
                            unsigned value)
{
    assert(statement->param_count < SQL_PARAMS_MAX);
    statement->params[statement->param_count++] = (unsigned char)value;
    if (dialect->mark == '$')
        text_append(statement->sql, SQL_STATEMENT_SIZE, "$%zu", statement->param_count);
    else
        text_append(statement->sql, SQL_STATEMENT_SIZE, "%c", dialect->mark);
}

/* Adds the existing columns: their names, their marks or both. */
static void add_columns(struct sql_statement *statement, const struct sql_statements *all,
                        unsigned first, unsigned end, bool names, bool marks)
{
    const char *comma = "";

    for (unsigned i = first; i < end; i++) {
        if ((i < SQL_COLUMNS && !all->table->has[i]) ||
            (names && marks && i == SQL_ADDRESS && !all->dialect->sets_key))
            continue;
        text_append(statement->sql, SQL_STATEMENT_SIZE, "%s%s%s", comma,
                    names ? sql_column_name(all->table->family, i) : "",
                    names && marks ? " = " : "");
        if (marks)
            sql_statement_add_mark(statement, all->dialect, i);
        else
            statement->columns[statement->column_count++] = (unsigned char)i;
        comma = ", ";
    }
}

void sql_statement_add_columns(struct sql_statement *statement, const struct sql_statements *all)
{
    add_columns(statement, all, SQL_ADDRESS, SQL_COLUMNS, true, false);
}

/* Expands a name in braces. */
static void add_named(struct sql_statement *statement, const struct sql_statements *all,
                      const char *name)
{
    if (strncmp(name, "table", 5) == 0)
        text_append(statement->sql, SQL_STATEMENT_SIZE, "%s", all->table->name);
    else if (strncmp(name, "columns", 7) == 0)
        sql_statement_add_columns(statement, all);
    else if (strncmp(name, "values", 6) == 0)
        add_columns(statement, all, SQL_ADDRESS, SQL_COLUMNS, false, true);
    else if (strncmp(name, "assignments", 11) == 0)
        add_columns(statement, all, SQL_ADDRESS, SQL_COLUMNS, true, true);
    else if (strncmp(name, "pick", 4) == 0)
        text_append(statement->sql, SQL_STATEMENT_SIZE, "%s",
                    all->free_list == FREE_LIST_SKIP_LOCKED ? all->dialect->skips
                                                            : "SELECT ubench_flq_pick");
    else
        add_columns(statement, all, SQL_HOST_ADDRESS, SQL_VALUES, true, false);
}

/* Returns the end of a quoted string or name or a comment that begins at in; in if none begins
   there. */
static const char *skip_quoted(const char *in)
{
    const char *end = in;

    if (*in == '\'' || *in == '"' || *in == '`')
        end = strchr(in + 1, *in);
    else if (strncmp(in, "--", 2) == 0)
        return in + strcspn(in, "\n");
    else if (strncmp(in, "/*", 2) == 0)
        end = strstr(in + 2, "*/");
    if (end == NULL)
        return in + strlen(in);
    return end == in ? in : end + (*end == '*' ? 2 : 1);
}

int sql_statement_find_marks(struct sql_statement *statement, char mark)
{
    const bool numbered = mark == '$';
    unsigned long params = 0;

    statement->mark_count = 0;
    for (const char *in = statement->sql; *in != '\0';) {
        const char *const end = skip_quoted(in);
        const size_t digits = strspn(in + 1, "0123456789");

        if (end != in || *in != mark || (numbered && digits == 0)) {
            in = end != in ? end : in + 1;
            continue;
        }
        const unsigned long number = numbered ? strtoul(in + 1, NULL, 10) : params + 1;
        if (number < 1 || number > SQL_PARAMS_MAX || statement->mark_count == SQL_MARKS_MAX ||
            (!numbered && digits > 0))
            return -1;
        statement->marks[statement->mark_count++] = (struct sql_mark){
            .at = (unsigned short)(in - statement->sql),
            .length = (unsigned char)(1 + digits),
            .param = (unsigned char)(number - 1),
        };
        params = number > params ? number : params;
        in += 1 + digits;
    }
    return (int)params;
}

static void build(struct sql_statement *statement, const struct sql_statements *all,
                  const struct template *template)
{
    const unsigned char *param = template->params;

    for (const char *in = template->text[all->table->family]; *in != '\0'; in++) {
        if (*in == '{') {
            add_named(statement, all, in + 1);
            in = strchr(in, '}');
        } else if (*in == '?') {
            sql_statement_add_mark(statement, all->dialect, *param++);
        } else {
            text_append(statement->sql, SQL_STATEMENT_SIZE, "%c", *in);
        }
    }
    assert(strlen(statement->sql) + 1 < SQL_STATEMENT_SIZE); /* it was not cut */
    if (strncmp(statement->sql, "INSERT", 6) == 0)
        statement->column_count = 0; /* they are not found, but inserted */
    if (sql_is_listed(statement->is)) {
        statement->columns[0] = statement->is == SQL_PICK_FREE ? SQL_ADDRESS : SQL_CHANGED;
        statement->column_count = 1;
        statement->calls = strncmp(statement->sql, "CALL", 4) == 0;
    }
}

/* Returns true if the store needs a statement. */
static bool is_needed(enum sql_statement_name name, const struct sql_statements *statements,
                      const struct store_config *config)
{
    if (templates[name].text[statements->table->family] == NULL)
        return false;
    if (name == SQL_CREATE_IN_BATCH)
        return statements->dialect->on_conflict;
    if (name == SQL_ADD_RESERVATION || name == SQL_FIND_RESERVATION)
        return config->reservations;
    if (sql_is_listed(name))
        return config->free_list != FREE_LIST_NONE;
    return true;
}

void sql_statements_init(struct sql_statements *statements, const struct sql_dialect *dialect,
                         const struct sql_table *table, const struct store_config *config)
{
    *statements = (struct sql_statements){
        .dialect = dialect,
        .table = table,
        .free_list = config->free_list,
    };
    for (int i = 0; i < SQL_STATEMENTS; i++) {
        struct sql_statement *const statement = &statements->items[i];

        statement->is = (enum sql_statement_name)i;
        statement->name = templates[i].name;
        (void)snprintf(statement->label, sizeof statement->label, "%s", statement->name);
        if (!is_needed(statement->is, statements, config))
            continue;
        build(statement, statements, &templates[i]);
        if (i == SQL_ADD_RESERVATION && dialect->on_conflict)
            text_append(statement->sql, SQL_STATEMENT_SIZE, " ON CONFLICT DO NOTHING");
        const int params = sql_statement_find_marks(statement, dialect->mark);
        assert((size_t)params == statement->param_count);
        (void)params;
    }
}
