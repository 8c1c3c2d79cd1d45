/* SPDX-License-Identifier: ISC */
#include "store/sql/database.h"

#include <stdarg.h>
#include <stdio.h>

int sql_ask(const struct sql_database *db, const char *action, sql_take_row *take, void *context,
            struct err *err, const char *format, ...)
{
    char sql[SQL_SIZE];
    va_list arguments;

    va_start(arguments, format);
    const int length = vsnprintf(sql, sizeof sql, format, arguments);
    va_end(arguments);
    return length < SQL_SIZE ? db->read(db->connection, action, sql, take, context, err)
                             : err_set(err, "%s: %s: the SQL is too long", db->store, action);
}
