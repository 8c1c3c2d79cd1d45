/* SPDX-License-Identifier: ISC */
/* What --sync and --set change on the server, and the way back. */
#ifndef UBENCH_STORE_MYSQL_SETTINGS_H
#define UBENCH_STORE_MYSQL_SETTINGS_H

#include "store/mysql/variables.h"
#include "store/sql/server_settings.h"

enum { LITERAL_SIZE = 2 * VALUE_SIZE + 3 };

/* Writes a value of less than VALUE_SIZE as SET wants it, and returns literal:
   a number, also with a server option's unit (1G), a string or DEFAULT. */
const char *settings_literal(char literal[static LITERAL_SIZE],
                             const char *value);

/* One that was changed for all, and what it was before. */
struct saved {
    const char *name;
    char value[VALUE_SIZE];
};

/* One of --set, as the server has it now. */
struct set {
    bool global;
    char value[VALUE_SIZE];
};

struct settings {
    size_t saved_count;
    struct saved saved[OPT_SETTINGS_MAX + 2];
    struct set set[OPT_SETTINGS_MAX]; /* as in config->settings */
    struct variables variables;       /* read back */
    struct server_settings changed;
};

/* Applies --sync for tables of that engine.  What was changed is in settings
   even after a failure.  0, or -1 with err. */
int settings_sync(struct settings *settings, const char *engine,
                  struct connection *connection, struct err *err);

/* Applies --set and reads it back.  0, or -1 with err. */
int settings_set(struct settings *settings, struct connection *connection,
                 struct err *err);

/* The same on another connection, for what belongs to sessions. */
int settings_set_session(const struct settings *settings,
                         struct connection *connection, struct err *err);

/* Restores what was changed for all.  0, or -1 with err, which has the
   SQL that does it. */
int settings_restore(const struct settings *settings,
                     struct connection *connection, struct err *err);
/* Writes that SQL, after what is in text. */
void settings_restore_sql(const struct settings *settings, char *text,
                          size_t size);

/* Reads what else differs from the server's defaults.  It is no error if the
   user may not know. */
void settings_read_changed(struct settings *settings,
                           struct connection *connection);

/* Adds those of --set. */
void settings_describe(const struct settings *settings,
                       const struct store_config *config,
                       struct properties *properties);

#endif
