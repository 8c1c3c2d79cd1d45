/* SPDX-License-Identifier: ISC */
/*
 * The settings of a server that are read back; some decide the durability of a table.  A store
 * lists them in an array that ends with a row without a name.
 */
#ifndef UBENCH_STORE_SQL_SETTINGS_H
#define UBENCH_STORE_SQL_SETTINGS_H

#include <stdbool.h>

#include "core/durability.h"
#include "core/err.h"
#include "core/properties.h"

enum {
    SQL_DECIDES = 1,  /* decides the durability */
    SQL_REPORTED = 2, /* reported as a property */
    SQL_STATUS = 4,   /* read in the store's second way */
    SQL_OF_NODE = 8,  /* decides, but differs between several servers */
    /* Decides, but exists only in some versions; in others it limits nothing. */
    SQL_SOME_VERSIONS = 16,
    SQL_LISTED = 32, /* a promise lists the value that was read */
};

struct sql_setting {
    const char *name; /* in lower case */
    unsigned is;
    const char *engine; /* reported and listed only for tables of that engine; NULL: all */
    const char *with;   /* reported only if that setting is on; NULL: always */
};

/* Writes the names of the rows that have all bits of is, and SQL_STATUS or not, as SQL: 'fsync',
   'jit'. */
void sql_settings_list(const struct sql_setting *rows, unsigned is, bool status, char *sql,
                       size_t size);

/* Adds a name and a value from a server to context, a struct properties. */
void sql_settings_take(void *context, const char *const *row);

/* Returns the value that was read, or "". */
const char *sql_setting(const struct properties *read, const char *name);

/* Returns true if the server has the setting and its value is not OFF or 0. */
bool sql_setting_on(const struct properties *read, const char *name);

/* Adds the value "" for each setting that decides, exists in all versions and was not read; no
   limit treats "" as safe. */
void sql_settings_add_unread(const struct sql_setting *rows, struct properties *read);

/* Adds to a promise each setting that is SQL_LISTED, for a table of that engine, and was read.
   quiet: as in struct promise_setting. */
void sql_settings_promise(const struct sql_setting *rows, const char *engine,
                          const struct properties *read, bool quiet, struct promise *promise);

/* Adds a property for each setting that applies to a table of that engine. */
void sql_settings_report(const struct sql_setting *rows, const char *engine,
                         const struct properties *read, struct properties *properties);

/* --- Settings that differ from a server's defaults --- */

/* Adds a setting, a row of a name in lower case and a value, to context, a struct properties, if
   its name is known to reveal nothing about the machine, its owner or its users, and its value has
   a harmless form.  Ignores settings beyond PROPERTIES_MAX. */
void sql_changed_take(void *context, const char *const *row);

/* Adds a property for each of the first 24 settings, except those already present (also as "session
   NAME" or "global NAME"), and then "more changed settings" with the number of the rest. */
void sql_changed_describe(const struct properties *changed, struct properties *properties);

#endif
