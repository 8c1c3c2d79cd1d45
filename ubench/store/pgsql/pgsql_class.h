/* SPDX-License-Identifier: ISC */
/*
 * The durability class of PostgreSQL, computed from settings that were read before: no function
 * here asks a server.
 */
#ifndef UBENCH_STORE_PGSQL_PGSQL_CLASS_H
#define UBENCH_STORE_PGSQL_PGSQL_CLASS_H

#include "core/durability.h"
#include "core/properties.h"
#include "store/sql/settings.h"

/* The settings to read back. */
extern const struct sql_setting pgsql_settings[];

#define STANDBY_NAMES "synchronous_standby_names"

/* Adds to a promise the settings that decide the durability of a table of that persistence
   ("permanent", "unlogged"), whether commits wait for standbys, and each limit that holds. */
void pgsql_promise(const struct properties *settings, const char *table, const char *persistence,
                   struct promise *promise);
extern const struct durability_limit pgsql_limits[];

/* Returns whether a standby has every change to a table of that persistence that was acknowledged
   between two readings of the settings. */
enum node_loss pgsql_node_loss(const struct properties *before, const struct properties *now,
                               const char *persistence);

#endif
