/* SPDX-License-Identifier: ISC */
#include "store/sql/settings.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

void sql_settings_list(const struct sql_setting *rows, unsigned is, bool status,
                       char *sql, size_t size)
{
    size_t length = 0;

    for (; rows->name != NULL; rows++) {
        if ((rows->is & is) == is && status == ((rows->is & SQL_STATUS) != 0))
            length += (size_t)snprintf(sql + length, size - length, "%s'%s'",
                                       length > 0 ? ", " : "", rows->name);
        assert(length < size);
    }
}

void sql_settings_take(void *context, const char *const *row)
{
    struct properties *const read = context;

    if (row[1] == NULL)
        return;
    properties_add(read, row[0], "%s", row[1]);
    /* MySQL has some in mixed case. */
    for (char *c = read->items[read->count - 1].key; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
}

const char *sql_setting(const struct properties *read, const char *name)
{
    const char *const value = properties_find(read, name);

    return value != NULL ? value : "";
}

bool sql_setting_on(const struct properties *read, const char *name)
{
    const char *const value = sql_setting(read, name);

    return value[0] != '\0' && strcmp(value, "OFF") != 0 &&
           strcmp(value, "0") != 0;
}

static bool concerns(const struct sql_setting *row, const char *engine)
{
    return row->engine == NULL || strcmp(row->engine, engine) == 0;
}

int sql_settings_check(const char *store, const struct sql_setting *rows,
                       const char *engine, bool one_of_several,
                       const struct properties *before,
                       const struct properties *now, struct err *err)
{
    const unsigned decides =
        one_of_several ? SQL_DECIDES : SQL_DECIDES | SQL_OF_NODE;

    for (; rows->name != NULL; rows++) {
        const char *const was = sql_setting(before, rows->name);
        const char *const is = sql_setting(now, rows->name);

        if ((rows->is & decides) != 0 && concerns(rows, engine) &&
            strcmp(was, is) != 0)
            return sql_setting_changed(store, rows->name, was, is, err);
    }
    return 0;
}

int sql_setting_changed(const char *store, const char *name, const char *before,
                        const char *now, struct err *err)
{
    return err_set(err,
                   "%s: %s was changed from %s to %s while this ran: its "
                   "durability is not known",
                   store, name, before[0] != '\0' ? before : "''",
                   now[0] != '\0' ? now : "''");
}

void sql_settings_report(const struct sql_setting *rows, const char *engine,
                         const struct properties *read,
                         struct properties *properties)
{
    for (; rows->name != NULL; rows++) {
        const char *const value = sql_setting(read, rows->name);

        if ((rows->is & SQL_REPORTED) != 0 && value[0] != '\0' &&
            concerns(rows, engine) &&
            (rows->with == NULL || sql_setting_on(read, rows->with)))
            properties_add(properties, rows->name, "%s", value);
    }
}
