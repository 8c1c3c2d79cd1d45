/* SPDX-License-Identifier: ISC */
/* What --sync and --set change on the server, and the way back. */
#ifndef UBENCH_STORE_MYSQL_MYSQL_SETTINGS_H
#define UBENCH_STORE_MYSQL_MYSQL_SETTINGS_H

#include "store/mysql/mysql_globals.h"
#include "store/mysql/mysql_variables.h"
#include "store/sql/server_settings.h"

/* One of --set, as the server has it now. */
struct set {
    bool global;
    char value[VALUE_SIZE];
};

struct settings {
    struct globals globals;           /* that were changed */
    struct set set[OPT_SETTINGS_MAX]; /* as in config->settings */
    struct variables variables;       /* read back */
    struct properties changed;        /* what else is not a default */
};

/* Applies --sync for tables of that engine.  What was changed is in globals
   even after a failure.  0, or -1 with err. */
int settings_sync(struct settings *settings, const char *engine,
                  struct connection *connection, struct err *err);

/* Applies --set and reads it back.  0, or -1 with err. */
int settings_set(struct settings *settings, struct connection *connection,
                 struct err *err);

/* The same on another connection, for what belongs to sessions. */
int settings_set_session(const struct settings *settings,
                         struct connection *connection, struct err *err);

/* Reads what else differs from the server's defaults.  It is no error if the
   user may not know. */
void settings_read_changed(struct settings *settings,
                           struct connection *connection);

/* Adds those of --set. */
void settings_describe(const struct settings *settings,
                       const struct store_config *config,
                       struct properties *properties);

#endif
