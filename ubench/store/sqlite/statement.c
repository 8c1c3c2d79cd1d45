/* SPDX-License-Identifier: ISC */
#include "store/sqlite/statement.h"

int sqlite_failed(const struct session *session, enum statement which,
                  struct err *err)
{
    (void)database_failed(&session->store->database, session->db,
                          sqlite_actions[which], err);
    if (err->class == ERR_BUSY && atomic_load(&session->store->canceled))
        err->class = ERR_CANCELED;
    return -1;
}

static char *append_word(char *out, const char *word)
{
    while (*word != '\0')
        *out++ = *word++;
    return out;
}

static char *append_integer(char *out, int64_t number)
{
    char digits[24];
    char *first = digits + sizeof digits;
    uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;

    do {
        *--first = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (number < 0)
        *--first = '-';
    const size_t length = (size_t)(digits + sizeof digits - first);
    memcpy(out, first, length);
    return out + length;
}

static char *append_blob(char *out, const uint8_t *bytes, int length)
{
    static const char digits[] = "0123456789abcdef";

    *out++ = 'x';
    *out++ = '\'';
    for (int i = 0; i < length; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    *out++ = '\'';
    return out;
}

static char *append_text(char *out, const char *bytes, int length)
{
    /* NUL would end the statement. */
    if (memchr(bytes, '\0', (size_t)length) != NULL) {
        out = append_word(out, "CAST(");
        out = append_blob(out, (const uint8_t *)bytes, length);
        return append_word(out, " AS TEXT)");
    }
    *out++ = '\'';
    for (int i = 0; i < length; i++) {
        if (bytes[i] == '\'')
            *out++ = '\'';
        *out++ = bytes[i];
    }
    *out++ = '\'';
    return out;
}

static char *append_value(char *out, const struct sqlite_value *value)
{
    if (value->kind == VALUE_INTEGER)
        return append_integer(out, value->integer);
    if (value->bytes == NULL)
        return append_word(out, "NULL");
    return value->kind == VALUE_BLOB
               ? append_blob(out, value->bytes, value->length)
               : append_text(out, value->bytes, value->length);
}

/* Writes a statement with values where its parameters stand; those that have
   none become NULL, as they would be if nothing was bound to them.  Returns
   its length with the NUL. */
static int write_statement(char *out, const char *sql,
                           const struct sqlite_value *values, int count)
{
    static const struct sqlite_value null = { .kind = VALUE_BLOB };
    const char *const begin = out;

    for (const char *mark; (mark = strchr(sql, '?')) != NULL;) {
        memcpy(out, sql, (size_t)(mark - sql));
        out += mark - sql;
        int index = 0;
        for (sql = mark + 1; *sql >= '0' && *sql <= '9'; sql++)
            index = 10 * index + (*sql - '0');
        out = append_value(
            out, index >= 1 && index <= count ? &values[index - 1] : &null);
    }
    const size_t length = strlen(sql) + 1;
    memcpy(out, sql, length);
    return (int)(out - begin) + (int)length;
}

sqlite3_stmt *sqlite_prepare_text(struct session *session, enum statement which,
                                  const struct sqlite_value *values, int count,
                                  struct err *err)
{
    sqlite3_stmt *statement = NULL;
    const int length =
        write_statement(session->text, session->sql[which], values, count);

    if (sqlite3_prepare_v3(session->db, session->text, length, 0, &statement,
                           NULL) != SQLITE_OK)
        (void)sqlite_failed(session, which, err);
    return statement;
}

int64_t sqlite_run(struct session *session, enum statement which,
                   const struct sqlite_value *values, int count,
                   struct err *err)
{
    sqlite3_stmt *const statement =
        sqlite_get_ready(session, which, values, count, err);
    int64_t changes = -1;

    if (statement == NULL)
        return -1;
    if (sqlite3_step(statement) == SQLITE_DONE)
        changes = sqlite3_changes(session->db);
    else
        (void)sqlite_failed(session, which, err);
    sqlite_let_go(session, statement);
    return changes;
}
