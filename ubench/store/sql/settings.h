/* SPDX-License-Identifier: ISC */
/*
 * The settings of a server that are read back, of which some decide about the
 * durability of a table.  A store lists them in an array of rows; the last row
 * has no name.
 */
#ifndef UBENCH_STORE_SQL_SETTINGS_H
#define UBENCH_STORE_SQL_SETTINGS_H

#include <stdbool.h>

#include "core/err.h"
#include "core/properties.h"

enum {
    SQL_DECIDES = 1,  /* about durability */
    SQL_REPORTED = 2, /* as a property */
    SQL_STATUS = 4,   /* it is read in the store's second way */
    SQL_OF_NODE = 8,  /* decides, but that of several servers is another's */
    /* Decides, but only some versions have it: on others it limits nothing. */
    SQL_SOME_VERSIONS = 16,
};

struct sql_setting {
    const char *name; /* in lower case */
    unsigned is;
    const char *engine; /* only for tables of that one; NULL: for all */
    const char *with;   /* reported if that one is on; NULL: always */
};

/* Writes their names as SQL, 'fsync', 'jit': those that have all bits of is,
   and SQL_STATUS or not. */
void sql_settings_list(const struct sql_setting *rows, unsigned is, bool status, char *sql,
                       size_t size);

/* Adds a name and a value that a server gave to what was read, the context. */
void sql_settings_take(void *context, const char *const *row);

/* The value that was read, or "". */
const char *sql_setting(const struct properties *read, const char *name);

/* True if the server has it, and it is not OFF or 0. */
bool sql_setting_on(const struct properties *read, const char *name);

/* Adds "" for each setting that decides, that all versions have and that was not read: a value
   that no limit takes for safe. */
void sql_settings_add_unread(const struct sql_setting *rows, struct properties *read);

/* Adds a property for each that matters for a table of that engine. */
void sql_settings_report(const struct sql_setting *rows, const char *engine,
                         const struct properties *read, struct properties *properties);

/* --- Settings that differ from a server's defaults --- */

/* Remembers a setting, a row of a name in lower case and a value, in struct
   properties, if the name is one that is known to tell nothing of the machine,
   of its owner or of who may log in, and the value looks as those do; once
   there are PROPERTIES_MAX, no more. */
void sql_changed_take(void *context, const char *const *row);

/* Adds a property for each of the first 24, but for those that are there
   already (also as "session NAME" or "global NAME"), and then "more changed
   settings" with the number of those that were left out. */
void sql_changed_describe(const struct properties *changed, struct properties *properties);

#endif
