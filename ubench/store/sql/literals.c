/* SPDX-License-Identifier: ISC */
#include "store/sql/literals.h"

#include "lease/lease_text.h"
#include "store/sql/date.h"

static char *write_text(char *out, const char *text)
{
    while (*text != '\0')
        *out++ = *text++;
    return out;
}

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

static char *write_time(char *out, const char *suffix, int64_t time_s)
{
    const struct sql_date date = sql_date_of(time_s);

    *out++ = '\'';
    out = sql_date_write(out, &date);
    return write_text(write_text(out, suffix), "'");
}

static char *write_value(struct session *session, char *out, unsigned value)
{
    const struct sql_dialect *const dialect = session->dialect;
    const struct sql_value *const in = &session->in.values[value];

    if (in->is_null)
        return write_text(out, "NULL");
    switch (session->kinds[value]) {
    case SQL_BYTES:
        out = write_text(out, dialect->bytes);
        return write_text(sql_write_hex(out, in->bytes, in->length), "'");
    case SQL_TEXT:
        return dialect->quote(session, out, in->bytes, in->length);
    case SQL_BOOL:
        if (dialect->has_bool)
            return write_text(out, in->number != 0 ? "true" : "false");
        break;
    case SQL_TIME:
        if (dialect->time_suffix != NULL)
            return write_time(out, dialect->time_suffix, in->number);
        break;
    case SQL_NUMBER:
    case SQL_UNUSED:
        break;
    }
    return lease_put_signed(out, in->number);
}

size_t sql_write_text(struct session *session, enum sql_statement_name name,
                      struct err *err)
{
    const struct sql_dialect *const dialect = session->dialect;
    const struct sql_statement *const statement =
        &session->statements->items[name];
    char *out = session->text;
    size_t at = 0;

    for (const char *in = statement->sql; *in != '\0';) {
        if (*in != dialect->mark) {
            *out++ = *in++;
            continue;
        }
        size_t number = dialect->numbered ? 0 : ++at;
        for (in++; dialect->numbered && *in >= '0' && *in <= '9'; in++)
            number = 10 * number + (size_t)(*in - '0');
        out = write_value(session, out, statement->params[number - 1]);
        if (out == NULL) {
            (void)err_set(err, "%s: %s: the server cannot store this host name",
                          dialect->store, sql_statement_names[name]);
            return 0;
        }
    }
    *out = '\0';
    return (size_t)(out - session->text);
}
