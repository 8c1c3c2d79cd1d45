/* SPDX-License-Identifier: ISC */
/*
 * What differs from a server's defaults, for the report.  Anything that tells
 * of the machine, of its owner or of who may log in is left out, by name or by
 * shape; it knows nothing of how a server is asked.
 */
#ifndef UBENCH_STORE_SQL_SERVER_SETTINGS_H
#define UBENCH_STORE_SQL_SERVER_SETTINGS_H

#include <stddef.h>

#include "core/err.h"
#include "core/properties.h"

enum { SERVER_SETTINGS_KEPT = 96, SERVER_SETTINGS_SHOWN = 24 };

/* Zeroed: none.  Of those after the last that is kept only the number is
   known. */
struct server_settings {
    size_t count;
    struct property kept[SERVER_SETTINGS_KEPT];
};

/* Remembers a setting, unless it is one to be left out.  The name is in lower
   case; a value that is too long is cut and ends with "...". */
void server_settings_add(struct server_settings *settings, const char *name,
                         const char *value);

/* Adds a fact for each, at most SERVER_SETTINGS_SHOWN, but for those that the
   facts have already (also as "session NAME" or "global NAME"), and then, if
   some had no room, "more changed settings" with their number. */
void server_settings_describe(const struct server_settings *settings,
                              struct properties *properties);

/* The sentence for a setting that decides about durability and is not what it
   was when the run began.  Always returns -1. */
int server_settings_changed(const char *store, const char *name,
                            const char *before, const char *now,
                            struct err *err);

#endif
