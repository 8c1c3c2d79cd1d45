/* SPDX-License-Identifier: ISC */
/*
 * PostgreSQL's settings, and the durability that they make.  Everything is set
 * for the session alone, so that there is nothing to restore:
 * synchronous_commit and what --set names.
 */
#ifndef UBENCH_STORE_PGSQL_PGSQL_SETTINGS_H
#define UBENCH_STORE_PGSQL_PGSQL_SETTINGS_H

#include "store/pgsql/pgsql_connection.h"
#include "store/pgsql/pgsql_table.h"
#include "store/server/server_settings.h"
#include "store/sql/settings.h"

enum { SETTING_SIZE = 96 };

struct settings {
    struct properties read;     /* back, at open; "": not known here */
    char loaded[SETTING_SIZE];  /* when the server was started, and when it
                                   loaded its settings last */
    char standbys[SETTING_SIZE]; /* as they are now; "": there are none */
    char given[OPT_SETTINGS_MAX][SETTING_SIZE]; /* of --set, read back */
};

/* Takes our own knob, unlogged, from those of --set.  0, or -1 with err. */
int settings_unlogged(const struct opt_settings *settings, bool *unlogged,
                      struct err *err);

/* Makes a connection what the command line asks for.  What --set came to is
   noted in settings, unless that is NULL.  0, or -1 with err. */
int settings_set(struct settings *settings, struct connection *connection,
                 const struct store_config *config, struct err *err);

/* Reads the settings back.  0, or -1 with err if a decisive one is unknown. */
int settings_read(struct settings *settings, struct connection *connection,
                  struct err *err);

/* Reads which other settings of the server, the database, the user or the
   environment are no defaults.  It is no error if the user may not know. */
void settings_read_changed(struct properties *changed, struct connection *connection);

/* The figures stand for the class in the report only if it still is the
   server's and the table's: a reload or another start may have changed it.  Of
   several servers the one that takes over has other standbys, which is no part
   of the class.  0, or -1. */
int settings_check(const struct settings *settings,
                   const struct lease_table *table,
                   struct connection *connection, struct err *err);

/* Notes when the server loaded its settings, if that is "" or another server's;
   else the settings must not have been loaded since.  0, or -1 with err. */
int settings_check_loaded(char loaded[static SETTING_SIZE],
                          struct connection *connection, struct err *err);

/* The class, and in text what it was computed from. */
enum durability settings_durability(const struct settings *settings,
                                    const struct lease_table *table, char *text,
                                    size_t size);

/* Whether a standby has every change that is acknowledged. */
enum node_loss settings_node_loss(const struct settings *settings,
                                  const struct lease_table *table,
                                  struct connection *connection);

void settings_describe(const struct settings *settings,
                       const struct opt_settings *given,
                       struct properties *properties);

#endif
