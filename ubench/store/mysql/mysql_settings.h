/* SPDX-License-Identifier: ISC */
/* A server's settings: how they are read, and how --sync and --set change them. */
#ifndef UBENCH_STORE_MYSQL_MYSQL_SETTINGS_H
#define UBENCH_STORE_MYSQL_MYSQL_SETTINGS_H

#include "store/mysql/mysql_class.h"
#include "store/mysql/mysql_restore.h"
#include "store/server/server_settings.h"
#include "store/sql/settings.h"

enum { LITERAL_SIZE = 2 * VALUE_SIZE + 3 };

/* Writes a value of less than VALUE_SIZE as SET wants it, and returns literal: a number, also with
   a server option's unit (1G), a string or DEFAULT. */
const char *settings_literal(char literal[static LITERAL_SIZE], const char *value);

/* The variables that are read back. */
extern const struct sql_setting mysql_variables[];

/* Reads all.  What a server does not have is no error.  0, or -1 with err. */
int variables_read(struct properties *variables, struct connection *connection, struct err *err);

/* Returns 0 if all that decides about the durability of a table of that engine is as it was read
   before, else -1 with err. */
int variables_check(const struct properties *before, const char *engine,
                    struct connection *connection, struct err *err);

/* Reads what else differs from the server's defaults.  It is no error if the user may not know. */
void variables_read_changed(struct properties *changed, struct connection *connection);

struct settings {
    struct restore restore;      /* of what was changed for all */
    struct properties variables; /* read back */
    struct {
        bool global;
        char value[VALUE_SIZE]; /* as the server has it now */
    } set[OPT_SETTINGS_MAX];    /* as in config->settings */
};

/* Applies --sync for tables of that engine.  What was changed is in restore even after a failure.
   0, or -1 with err. */
int settings_sync(struct settings *settings, const char *engine, struct connection *connection,
                  struct err *err);

/* Applies --set and reads it back.  0, or -1 with err. */
int settings_set(struct settings *settings, struct connection *connection, struct err *err);

/* The same on another connection, for what belongs to sessions. */
int settings_set_session(const struct settings *settings, struct connection *connection,
                         struct err *err);

/* Adds those of --set. */
void settings_describe(const struct settings *settings, const struct store_config *config,
                       struct properties *properties);

#endif
