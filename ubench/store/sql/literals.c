/* SPDX-License-Identifier: ISC */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lease/lease_text.h"
#include "store/sql/session.h"

char *sql_write_hex(char *out, const void *bytes, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *const from = bytes;

    for (size_t i = 0; i < length; i++) {
        *out++ = digits[from[i] >> 4];
        *out++ = digits[from[i] & 15];
    }
    return out;
}

char *sql_write_time(char *out, const char *suffix, int64_t time_s)
{
    const time_t time = (time_t)time_s;
    struct tm tm;

    (void)gmtime_r(&time, &tm);
    return out + snprintf(out, SQL_TIME_SIZE, "'%04d-%02d-%02d %02d:%02d:%02d%s'",
                          tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min,
                          tm.tm_sec, suffix);
}

static int read_time(const char *text, int64_t *time_s)
{
    struct tm tm = { 0 };
    struct tm offset = { 0 };
    char sign = '+';
    int end = 0;
    /* If the text ends early, end is what the last %n wrote. */
    const int fields = sscanf(text, "%d-%d-%d %d:%d:%d%n%c%d%n:%d%n:%d%n", &tm.tm_year, &tm.tm_mon,
                              &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &end, &sign,
                              &offset.tm_hour, &end, &offset.tm_min, &end, &offset.tm_sec, &end);
    const int64_t offset_s = 3600 * offset.tm_hour + 60 * offset.tm_min + offset.tm_sec;

    if (fields < 6 || text[end] != '\0' || (sign != '+' && sign != '-'))
        return -1;
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    *time_s = timegm(&tm) - (sign == '-' ? -offset_s : offset_s);
    return 0;
}

int sql_read_text(struct sql_value *value, enum sql_kind kind, const char *text, size_t length)
{
    value->bytes = text;
    value->length = (uint32_t)length;
    if (kind == SQL_TIME)
        return read_time(text, &value->number);
    if (kind == SQL_NUMBER || kind == SQL_BOOL)
        value->number = text[0] == 't' ? 1 : strtoll(text, NULL, 10);
    return 0;
}

static char *write_value(struct session *session, char *out, unsigned value)
{
    const struct sql_dialect *const dialect = session->dialect;
    const struct sql_value *const in = &session->in[value];
    const enum sql_kind kind = session->kinds[value];

    if (in->is_null)
        return stpcpy(out, "NULL");
    if (kind == SQL_BYTES) {
        out = stpcpy(out, dialect->bytes);
        return stpcpy(sql_write_hex(out, in->bytes, in->length), "'");
    }
    if (kind == SQL_TEXT)
        return dialect->quote(session, out, in->bytes, in->length);
    if (kind == SQL_BOOL && dialect->has_bool)
        return stpcpy(out, in->number != 0 ? "true" : "false");
    if (kind == SQL_TIME && dialect->time_suffix != NULL)
        return sql_write_time(out, dialect->time_suffix, in->number);
    return lease_put_signed(out, in->number);
}

size_t sql_write_text(struct session *session, const struct sql_statement *statement,
                      struct err *err)
{
    const char *in = statement->sql;
    char *out = session->text;

    for (const struct sql_mark *mark = statement->marks;
         mark < statement->marks + statement->mark_count; mark++) {
        const size_t before = (size_t)(statement->sql + mark->at - in);

        memcpy(out, in, before);
        in += before + mark->length;
        out = write_value(session, out + before, statement->params[mark->param]);
        if (out == NULL) {
            (void)err_set(err, "%s: %s: the server cannot store this host name",
                          session->dialect->store, statement->label);
            return 0;
        }
    }
    out = stpcpy(out, in);
    return (size_t)(out - session->text);
}
