/* SPDX-License-Identifier: ISC */
/* Statements that are prepared and bound once and executed many times. */
#include <string.h>

#include "store/mysql/store.h"

/* Where a parameter's value is, or a column's goes. */
static void bind_one(MYSQL_BIND *bind, struct sql_row *row, int param)
{
    switch (sql_kind(param)) {
    case SQL_NUMBER:
        bind->buffer_type = MYSQL_TYPE_LONG;
        bind->buffer = &row->number[param];
        bind->is_unsigned = 1;
        if (param < SQL_COLUMNS)
            bind->is_null = &row->is_null[param];
        break;
    case SQL_BYTES:
    case SQL_TEXT:
        bind->buffer_type =
            sql_kind(param) == SQL_BYTES ? MYSQL_TYPE_BLOB : MYSQL_TYPE_STRING;
        bind->buffer = row->bytes[param];
        bind->buffer_length = sql_column_size(param);
        bind->length = &row->length[param];
        bind->is_null = &row->is_null[param];
        break;
    case SQL_TIME:
        bind->buffer_type = MYSQL_TYPE_TIMESTAMP;
        bind->buffer = &row->time[param];
        break;
    case SQL_NULL:
        bind->buffer_type = MYSQL_TYPE_NULL;
        break;
    }
}

static int prepare(struct session *session, enum sql_statement_name name,
                   struct err *err)
{
    const struct sql_statements *const all = session->statements;
    const struct sql_statement *const statement = &all->items[name];
    MYSQL_BIND params[SQL_PARAMS_MAX];
    MYSQL_BIND columns[SQL_COLUMNS];
    MYSQL_STMT *const prepared = mysql_stmt_init(session->link.mysql);

    if (prepared == NULL)
        return err_set(err, "mysql: out of memory");
    session->prepared[name] = prepared;
    sql_turn(&session->link);
    const int error = mysql_stmt_prepare(prepared, statement->sql,
                                         (unsigned long)strlen(statement->sql));
    sql_turn(&session->link);
    if (error != 0)
        goto failed;
    memset(params, 0, sizeof params);
    for (size_t i = 0; i < statement->param_count; i++)
        bind_one(&params[i], &session->in, statement->params[i]);
    if (mysql_stmt_bind_param(prepared, params) != 0)
        goto failed;
    if (!statement->finds)
        return 0;
    memset(columns, 0, sizeof columns);
    for (size_t i = 0; i < all->column_count; i++)
        bind_one(&columns[i], &session->out, (int)all->columns[i]);
    if (mysql_stmt_bind_result(prepared, columns) == 0)
        return 0;
failed:
    return sql_fail(&session->link, statement->action,
                    mysql_stmt_errno(prepared), mysql_stmt_error(prepared),
                    err);
}

int sql_bound_init(struct session *session, struct err *err)
{
    for (enum sql_statement_name i = SQL_CREATE; i < SQL_STATEMENTS; i++) {
        if (prepare(session, i, err) != 0)
            return -1;
    }
    return 0;
}

void sql_bound_release(struct session *session)
{
    for (size_t i = 0; i < SQL_STATEMENTS; i++) {
        if (session->prepared[i] != NULL)
            (void)mysql_stmt_close(session->prepared[i]);
        session->prepared[i] = NULL;
    }
}

int sql_bound_execute(struct session *session, enum sql_statement_name name,
                      uint64_t *affected)
{
    MYSQL_STMT *const prepared = session->prepared[name];

    sql_turn(&session->link);
    const int error = mysql_stmt_execute(prepared);
    sql_turn(&session->link);
    if (error != 0)
        return -1;
    if (affected != NULL)
        *affected = mysql_stmt_affected_rows(prepared);
    return 0;
}

/* Rows are read from the connection as they come: they are not stored first,
   and asking until there is none left leaves nothing to be freed. */
int sql_bound_fetch(struct session *session, enum sql_statement_name name)
{
    sql_turn(&session->link);
    const int result = mysql_stmt_fetch(session->prepared[name]);
    sql_turn(&session->link);
    switch (result) {
    case 0:
        return 1;
    case MYSQL_NO_DATA:
        return 0;
    default:
        return -1;
    }
}
