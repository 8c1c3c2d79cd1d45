/* SPDX-License-Identifier: ISC */
/*
 * What differs from a server's defaults, for the report: only settings that are known to tell
 * nothing of the machine, of its owner or of who may log in.  It knows nothing of how a server
 * is asked.
 */
#ifndef UBENCH_STORE_SERVER_SERVER_SETTINGS_H
#define UBENCH_STORE_SERVER_SERVER_SETTINGS_H

#include "core/err.h"
#include "core/properties.h"

enum { SERVER_SETTINGS_SHOWN = 24 };

/* Remembers a setting, if its name, in lower case, is a known one and its value looks as those
   do; once there are PROPERTIES_MAX, no more. */
void server_settings_add(struct properties *changed, const char *name, const char *value);

/* The same for a row with both, unless one is NULL; context is changed. */
void server_settings_take(void *context, const char *const *row);

/* Adds a property for each, at most SERVER_SETTINGS_SHOWN, but for those that are there already
   (also as "session NAME" or "global NAME"), and then "more changed settings" with the number of
   those that were left out. */
void server_settings_describe(const struct properties *changed, struct properties *properties);

/* The sentence for what decides about durability and is not what it was when the run began.
   Always returns -1. */
int server_settings_changed(const char *store, const char *name, const char *before,
                            const char *now, struct err *err);

#endif
