/* SPDX-License-Identifier: ISC */
/*
 * The settings that differ from a server's defaults, for the report: only those that are known to
 * tell nothing of the machine, of its owner or of who may log in.  Nothing here knows how a server
 * is asked.
 */
#ifndef UBENCH_STORE_SERVER_SERVER_SETTINGS_H
#define UBENCH_STORE_SERVER_SERVER_SETTINGS_H

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

#endif
