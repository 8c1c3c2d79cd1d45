/* SPDX-License-Identifier: ISC */
/* Statements whose text is made and sent each time, values and all. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/mysql/store.h"

static char *put_text(char *out, const char *text)
{
    while (*text != '\0')
        *out++ = *text++;
    return out;
}

static char *put_number(char *out, uint32_t number)
{
    char digits[10];
    size_t at = sizeof digits;

    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    memcpy(out, digits + at, sizeof digits - at);
    return out + (sizeof digits - at);
}

static char *put_hex(char *out, const char *bytes, size_t length)
{
    static const char digits[] = "0123456789abcdef";

    out = put_text(out, "x'");
    for (size_t i = 0; i < length; i++) {
        *out++ = digits[(unsigned char)bytes[i] >> 4];
        *out++ = digits[(unsigned char)bytes[i] & 15];
    }
    *out++ = '\'';
    return out;
}

static char *put_two(char *out, char before, unsigned number)
{
    *out++ = before;
    *out++ = (char)('0' + number / 10 % 10);
    *out++ = (char)('0' + number % 10);
    return out;
}

static char *put_time(char *out, const MYSQL_TIME *time)
{
    *out++ = '\'';
    out = put_number(out, time->year); /* four digits since 1970 */
    out = put_two(out, '-', time->month);
    out = put_two(out, '-', time->day);
    out = put_two(out, ' ', time->hour);
    out = put_two(out, ':', time->minute);
    out = put_two(out, ':', time->second);
    *out++ = '\'';
    return out;
}

static char *put_value(char *out, struct session *session, int param)
{
    const struct sql_row *const row = &session->in;

    switch (sql_kind(param)) {
    case SQL_NUMBER:
        if (param < SQL_COLUMNS && row->is_null[param])
            break;
        return put_number(out, row->number[param]);
    case SQL_BYTES:
        if (row->is_null[param])
            break;
        return put_hex(out, row->bytes[param], row->length[param]);
    case SQL_TEXT:
        *out++ = '\'';
        out += mysql_real_escape_string(session->link.mysql, out,
                                        row->bytes[param], row->length[param]);
        *out++ = '\'';
        return out;
    case SQL_TIME:
        return put_time(out, &row->time[param]);
    case SQL_NULL:
        break;
    }
    return put_text(out, "NULL");
}

/* Puts each value where its question mark is.  SQL_TEXT_SIZE has room for the
   largest. */
static unsigned long make_text(struct session *session,
                               const struct sql_statement *statement)
{
    char *out = session->text;
    const int *param = statement->params;

    for (const char *in = statement->sql; *in != '\0'; in++) {
        if (*in == '?')
            out = put_value(out, session, *param++);
        else
            *out++ = *in;
    }
    return (unsigned long)(out - session->text);
}

int sql_text_execute(struct session *session, enum sql_statement_name name,
                     uint64_t *affected)
{
    const struct sql_statement *const statement =
        &session->statements->items[name];
    MYSQL *const mysql = session->link.mysql;
    const unsigned long length = make_text(session, statement);

    sql_turn(&session->link);
    const int error = mysql_real_query(mysql, session->text, length);
    sql_turn(&session->link);
    if (error != 0)
        return -1;
    if (affected != NULL)
        *affected = mysql_affected_rows(mysql);
    if (!statement->finds)
        return 0;
    session->rows = mysql_use_result(mysql);
    return session->rows != NULL ? 0 : -1;
}

static unsigned get_two(const char *text)
{
    return (unsigned)(text[0] - '0') * 10 + (unsigned)(text[1] - '0');
}

/* "2030-03-17 17:46:40" */
static void get_time(MYSQL_TIME *time, const char *text)
{
    *time = (MYSQL_TIME){
        .year = get_two(text) * 100 + get_two(text + 2),
        .month = get_two(text + 5),
        .day = get_two(text + 8),
        .hour = get_two(text + 11),
        .minute = get_two(text + 14),
        .second = get_two(text + 17),
    };
}

/* Returns -1 if the value has no room in a lease. */
static int get_value(struct sql_row *row, enum sql_column column,
                     const char *value, unsigned long length)
{
    const enum sql_kind kind = sql_kind((int)column);

    row->is_null[column] = value == NULL ? 1 : 0;
    if (value == NULL)
        return 0;
    if (kind == SQL_NUMBER) {
        row->number[column] = (uint32_t)strtoul(value, NULL, 10);
    } else if (kind == SQL_TIME && length >= sizeof "2030-03-17 17:46:40" - 1) {
        get_time(&row->time[column], value);
    } else if (kind == SQL_BYTES || kind == SQL_TEXT) {
        if (length > sql_column_size((int)column))
            return -1;
        memcpy(row->bytes[column], value, length);
        row->length[column] = length;
    }
    return 0;
}

int sql_text_fetch(struct session *session, enum sql_statement_name name)
{
    const struct sql_statements *const all = session->statements;
    int result = 1;

    (void)name;
    sql_turn(&session->link);
    const MYSQL_ROW row = mysql_fetch_row(session->rows);
    sql_turn(&session->link);
    if (row == NULL) {
        mysql_free_result(session->rows);
        session->rows = NULL;
        return mysql_errno(session->link.mysql) == 0 ? 0 : -1;
    }
    const unsigned long *const lengths = mysql_fetch_lengths(session->rows);
    for (size_t i = 0; i < all->column_count; i++) {
        if (get_value(&session->out, all->columns[i], row[i], lengths[i]) != 0)
            result = -1;
    }
    return result;
}
