/* SPDX-License-Identifier: ISC */
/*
 * Statements in MySQL's dialect.  Prepared statements are bound once to the
 * members of a row, and each lease is copied there; others have their values in
 * their text.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/mysql/mysql_store.h"
#include "store/sql/candidates.h"

/* The last second of a TIMESTAMP, in 2038, and of the year 9999. */
#define TIMESTAMP_MAX_S INT64_C(2147483647)
#define YEAR_9999_S     INT64_C(253402300799)

/* --- Prepared statements --- */

_Static_assert((int)LEASE_HOSTNAME_MAX <= (int)LEASE_CLIENT_ID_MAX &&
                   (int)LEASE_ADDRESS_TEXT_SIZE <= (int)LEASE_CLIENT_ID_MAX,
               "struct bound takes them all");

static MYSQL_BIND bind_one(struct bound *bound, enum sql_kind kind)
{
    static const enum enum_field_types types[] = {
        [SQL_NUMBER] = MYSQL_TYPE_LONG,    [SQL_BOOL] = MYSQL_TYPE_LONG,
        [SQL_TIME] = MYSQL_TYPE_TIMESTAMP, [SQL_BYTES] = MYSQL_TYPE_BLOB,
        [SQL_TEXT] = MYSQL_TYPE_STRING,    [SQL_UNUSED] = MYSQL_TYPE_NULL,
    };

    return (MYSQL_BIND){
        .buffer_type = types[kind],
        .buffer = bound->bytes,
        .buffer_length = sizeof bound->bytes,
        .length = kind == SQL_BYTES || kind == SQL_TEXT ? &bound->length : NULL,
        .is_null = &bound->is_null,
        .is_unsigned = types[kind] == MYSQL_TYPE_LONG,
    };
}

int session_bind_columns(struct mysql_session *session, const struct sql_statement *statement)
{
    const enum sql_kind *const kinds = session->base.kinds;
    MYSQL_BIND columns[SQL_COLUMNS];

    for (size_t i = 0; i < statement->column_count; i++)
        columns[i] = bind_one(&session->out[statement->columns[i]], kinds[statement->columns[i]]);
    return mysql_stmt_bind_result(session->prepared[statement->is], columns) ? 1 : 0;
}

static int prepare(struct mysql_session *session, const struct sql_statement *statement,
                   struct err *err)
{
    const enum sql_kind *const kinds = session->base.kinds;
    MYSQL_BIND params[SQL_PARAMS_MAX];
    MYSQL_STMT *const prepared = mysql_stmt_init(session->connection.mysql);

    if (prepared == NULL)
        return err_set(err, "mysql: out of memory");
    session->prepared[statement->is] = prepared;
    for (size_t i = 0; i < statement->param_count; i++)
        params[i] = bind_one(&session->in[statement->params[i]], kinds[statement->params[i]]);
    connection_toggle(&session->connection);
    const int error =
        mysql_stmt_prepare(prepared, statement->sql, (unsigned long)strlen(statement->sql));
    connection_toggle(&session->connection);
    if (error == 0 && mysql_stmt_bind_param(prepared, params) == 0 &&
        (statement->column_count == 0 || statement->calls ||
         session_bind_columns(session, statement) == 0))
        return 0;
    return connection_fail(&session->connection, statement->label, mysql_stmt_errno(prepared),
                           mysql_stmt_error(prepared), err);
}

int session_prepare(struct mysql_session *session, struct err *err)
{
    for (int i = 0; i < SQL_ALL_STATEMENTS; i++) {
        const struct sql_statement *const statement = &session->base.statements->items[i];

        if (statement->sql[0] != '\0' && prepare(session, statement, err) != 0)
            return -1;
    }
    return 0;
}

void session_release(struct mysql_session *session)
{
    for (int i = 0; i < SQL_ALL_STATEMENTS; i++) {
        if (session->prepared[i] != NULL)
            (void)mysql_stmt_close(session->prepared[i]);
    }
    mysql_free_result(session->rows);
}

static MYSQL_TIME to_mysql_time(int64_t time_s)
{
    const time_t time = (time_t)time_s;
    struct tm tm;

    (void)gmtime_r(&time, &tm);
    return (MYSQL_TIME){
        .year = (unsigned)tm.tm_year + 1900,
        .month = (unsigned)tm.tm_mon + 1,
        .day = (unsigned)tm.tm_mday,
        .hour = (unsigned)tm.tm_hour,
        .minute = (unsigned)tm.tm_min,
        .second = (unsigned)tm.tm_sec,
        .time_type = MYSQL_TIMESTAMP_DATETIME,
    };
}

static int64_t from_mysql_time(const MYSQL_TIME *time)
{
    struct tm tm = {
        .tm_year = (int)time->year - 1900,
        .tm_mon = (int)time->month - 1,
        .tm_mday = (int)time->day,
        .tm_hour = (int)time->hour,
        .tm_min = (int)time->minute,
        .tm_sec = (int)time->second,
    };

    return timegm(&tm);
}

static void put_value(struct bound *bound, enum sql_kind kind, const struct sql_value *value)
{
    bound->is_null = value->is_null ? 1 : 0;
    if (value->is_null)
        return;
    if (kind == SQL_TIME) {
        bound->time = to_mysql_time(value->number);
    } else if (kind == SQL_BYTES || kind == SQL_TEXT) {
        memcpy(bound->bytes, value->bytes, value->length);
        bound->length = value->length;
    } else {
        bound->number = (uint32_t)value->number;
    }
}

static int run_prepared(struct mysql_session *session, const struct sql_statement *statement,
                        uint64_t *changed)
{
    MYSQL_STMT *const prepared = session->prepared[statement->is];

    for (size_t i = 0; i < statement->param_count; i++) {
        const unsigned param = statement->params[i];

        put_value(&session->in[param], session->base.kinds[param], &session->base.in[param]);
    }
    connection_toggle(&session->connection);
    int error = mysql_stmt_execute(prepared);
    connection_toggle(&session->connection);
    /* The columns of a procedure are known only now; its end follows. */
    if (error == 0 && statement->calls && statement->column_count > 0)
        error = session_bind_columns(session, statement);
    session->has_rows = error == 0 && statement->column_count > 0;
    if (changed != NULL && error == 0)
        *changed = mysql_stmt_affected_rows(prepared);
    return error;
}

/* Reads rows as they arrive, without storing them first.  Returns 1, 0 or -1,
   as fetch does. */
static int next_prepared(struct mysql_session *session, const struct sql_statement *statement)
{
    connection_toggle(&session->connection);
    const int result = mysql_stmt_fetch(session->prepared[statement->is]);
    connection_toggle(&session->connection);
    session->has_rows = result == 0 || result == MYSQL_DATA_TRUNCATED;
    for (size_t i = 0; result == 0 && i < statement->column_count; i++) {
        const unsigned column = statement->columns[i];
        const struct bound *const bound = &session->out[column];

        session->base.out[column] = (struct sql_value){
            .number = session->base.kinds[column] == SQL_TIME ? from_mysql_time(&bound->time)
                                                              : bound->number,
            .bytes = bound->bytes,
            .length = (uint32_t)bound->length,
            .is_null = bound->is_null != 0,
        };
    }
    return result == 0 ? 1 : result == MYSQL_NO_DATA ? 0 : -1;
}

/* Reads the result of a procedure itself, which follows its rows. */
static int end_call(struct mysql_session *session, const struct sql_statement *statement)
{
    MYSQL_STMT *const prepared = session->prepared[statement->is];
    MYSQL *const mysql = session->connection.mysql;
    int status;

    connection_toggle(&session->connection);
    if (prepared != NULL) {
        while ((status = mysql_stmt_next_result(prepared)) == 0)
            (void)mysql_stmt_free_result(prepared);
    } else {
        /* After its own result, which has no columns, come those of the next statement. */
        while ((status = mysql_next_result(mysql)) == 0 && mysql_field_count(mysql) > 0)
            mysql_free_result(mysql_use_result(mysql));
    }
    connection_toggle(&session->connection);
    return status > 0 ? -1 : 0;
}

/* --- Statements as text --- */

static int run_text(struct mysql_session *session, size_t length, uint64_t *changed)
{
    MYSQL *const mysql = session->connection.mysql;

    connection_toggle(&session->connection);
    const int error = mysql_real_query(mysql, session->base.text, (unsigned long)length);
    connection_toggle(&session->connection);
    if (error != 0)
        return error;
    if (changed != NULL) {
        *changed = mysql_affected_rows(mysql);
        return 0;
    }
    session->rows = mysql_use_result(mysql);
    return session->rows != NULL ? 0 : -1;
}

static int next_text(struct mysql_session *session, const struct sql_statement *statement)
{
    int result = 1;

    connection_toggle(&session->connection);
    const MYSQL_ROW row = mysql_fetch_row(session->rows);
    connection_toggle(&session->connection);
    if (row == NULL)
        return mysql_errno(session->connection.mysql) == 0 ? 0 : -1;
    const unsigned long *const lengths = mysql_fetch_lengths(session->rows);
    for (size_t i = 0; i < statement->column_count; i++) {
        const unsigned column = statement->columns[i];
        struct sql_value *const value = &session->base.out[column];

        value->is_null = row[i] == NULL;
        if (!value->is_null &&
            sql_read_text(value, session->base.kinds[column], row[i], lengths[i]) != 0)
            result = -1;
    }
    return result;
}

/* --- The dialect --- */

/* If an answer was cut off, only the connection has the error, not the statement. */
enum outcome session_fail(struct mysql_session *session, const struct sql_statement *statement,
                          struct err *err)
{
    MYSQL *const mysql = session->connection.mysql;
    MYSQL_STMT *const prepared = session->prepared[statement->is];
    const bool own = prepared != NULL && mysql_stmt_errno(prepared) != 0;
    const unsigned code = own ? mysql_stmt_errno(prepared) : mysql_errno(mysql);

    if (code == CODE_DUPLICATE &&
        (statement->is == SQL_CREATE || statement->is == SQL_CREATE_LISTED ||
         statement->is == SQL_ADD_RESERVATION || statement->is >= SQL_CALLS))
        return OUTCOME_MISS;
    /* The only failure without an error of the server. */
    return (enum outcome)(
        code == 0 ? err_set(err, "mysql: %s: a value does not fit a lease", statement->label)
                  : connection_fail(&session->connection, statement->label, code,
                                    own ? mysql_stmt_error(prepared) : mysql_error(mysql), err));
}

static enum outcome execute(struct session *base, const struct sql_statement *statement,
                            uint64_t *changed, struct err *err)
{
    struct mysql_session *const session = mysql_session_of(base);
    int error;

    if (base->compiled) {
        error = run_prepared(session, statement, changed);
    } else {
        const size_t length = sql_write_text(base, statement, err);

        if (length == 0)
            return OUTCOME_ERROR;
        error = run_text(session, length, changed);
    }
    return error == 0 ? OUTCOME_HIT : session_fail(session, statement, err);
}

static int fetch(struct session *base, const struct sql_statement *statement, struct err *err)
{
    struct mysql_session *const session = mysql_session_of(base);
    const int more =
        base->compiled ? next_prepared(session, statement) : next_text(session, statement);

    return more < 0 ? (int)session_fail(session, statement, err) : more;
}

/* Fetches until no row is left, so that nothing has to be freed. */
static int finish(struct session *base, const struct sql_statement *statement, struct err *err)
{
    struct mysql_session *const session = mysql_session_of(base);
    int more = 0;

    if (base->compiled) {
        while (session->has_rows)
            more = next_prepared(session, statement);
    } else {
        connection_toggle(&session->connection);
        mysql_free_result(session->rows);
        connection_toggle(&session->connection);
        session->rows = NULL;
    }
    if (more >= 0 && statement->calls)
        more = end_call(session, statement);
    return more < 0 ? (int)session_fail(session, statement, err) : 0;
}

/* --- Candidates --- */

/* Returns the type of a column as far as it matters for a lease; "" for NULL. */
static const char *type_name(enum enum_field_types type)
{
    static const struct {
        enum enum_field_types type;
        const char *name;
    } types[] = {
        { MYSQL_TYPE_TINY, "an integer" },
        { MYSQL_TYPE_SHORT, "an integer" },
        { MYSQL_TYPE_INT24, "an integer" },
        { MYSQL_TYPE_LONG, "an integer" },
        { MYSQL_TYPE_LONGLONG, "an integer" },
        { MYSQL_TYPE_TIMESTAMP, "a time" },
        { MYSQL_TYPE_DATETIME, "a time" },
        { MYSQL_TYPE_DATE, "a date" },
        { MYSQL_TYPE_DECIMAL, "a decimal" },
        { MYSQL_TYPE_NEWDECIMAL, "a decimal" },
        { MYSQL_TYPE_FLOAT, "a real number" },
        { MYSQL_TYPE_DOUBLE, "a real number" },
        { MYSQL_TYPE_NULL, "" },
    };
    const char *name = "a string";

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].type == type)
            name = types[i].name;
    }
    return name;
}

/* Calls a procedure, with NULL for each parameter, to learn its columns. */
static int call_once(MYSQL_STMT *prepared, size_t params)
{
    MYSQL_BIND nulls[SQL_PARAMS_MAX];

    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        nulls[i] = (MYSQL_BIND){ .buffer_type = MYSQL_TYPE_NULL };
    return params <= SQL_PARAMS_MAX && mysql_stmt_bind_param(prepared, nulls) == 0 &&
                   mysql_stmt_execute(prepared) == 0
               ? 0
               : -1;
}

static void read_columns(MYSQL_STMT *prepared, struct sql_shape *shape)
{
    MYSQL_RES *const columns = mysql_stmt_result_metadata(prepared);

    shape->column_count = mysql_stmt_field_count(prepared);
    for (unsigned i = 0; columns != NULL && i < shape->column_count && i < SQL_COLUMNS; i++)
        (void)strcpy(shape->columns[i], type_name(mysql_fetch_field_direct(columns, i)->type));
    mysql_free_result(columns);
}

/* The server does not report the types of parameters. */
static int describe(struct connection *connection, const struct sql_statement *statement,
                    struct sql_shape *shape, struct err *err)
{
    MYSQL_STMT *const prepared = mysql_stmt_init(connection->mysql);
    int status = 0;

    *shape = (struct sql_shape){ .param_count = 0 };
    if (prepared == NULL)
        return err_set(err, "mysql: out of memory");
    connection_toggle(connection);
    if (mysql_stmt_prepare(prepared, statement->sql, (unsigned long)strlen(statement->sql)) != 0)
        status = -1;
    else
        shape->param_count = mysql_stmt_param_count(prepared);
    const bool calls = statement->calls && statement->column_count > 0;
    if (status == 0 && calls)
        status = call_once(prepared, shape->param_count);
    if (status == 0)
        read_columns(prepared, shape);
    if (status == 0 && calls) {
        do
            (void)mysql_stmt_free_result(prepared);
        while (mysql_stmt_next_result(prepared) == 0);
    }
    connection_toggle(connection);
    if (status != 0)
        (void)connection_fail(connection, statement->label, mysql_stmt_errno(prepared),
                              mysql_stmt_error(prepared), err);
    (void)mysql_stmt_close(prepared);
    return status;
}

static char *quote(struct session *session, char *out, const char *string, size_t length)
{
    *out++ = '\'';
    out += mysql_real_escape_string(mysql_session_of(session)->connection.mysql, out, string,
                                    (unsigned long)length);
    *out++ = '\'';
    return out;
}

const struct sql_dialect mysql_dialect = {
    .store = "mysql",
    .mark = '?',
    .sets_key = true,
    .bytes = "x'",
    .time_suffix = "",
    .endless_by_start = true,
    .time_first_s = 1,
    .time_last_s = YEAR_9999_S,
    .time_compared_s = TIMESTAMP_MAX_S,
    .quote = quote,
    .execute = execute,
    .fetch = fetch,
    .finish = finish,
    .skips = "CALL ubench_flq_offer",
    .call = "CALL",
    .analyze = "ANALYZE TABLE",
    .trips = &mysql_trips,
    .catalogue = &mysql_catalogue,
    .rows = connection_rows,
    .change = connection_change,
    .describe = describe,
};
