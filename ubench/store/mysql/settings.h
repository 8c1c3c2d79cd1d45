/* SPDX-License-Identifier: ISC */
/* The server's variables, changed, read back and restored, and the durability
   that they make. */
#ifndef UBENCH_STORE_MYSQL_SETTINGS_H
#define UBENCH_STORE_MYSQL_SETTINGS_H

#include "store/mysql/connection.h"
#include "store/sql/server_settings.h"

enum { VALUE_SIZE = 208, LITERAL_SIZE = 2 * VALUE_SIZE + 3 };

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

/* The variables that are read back; settings.c has their names. */
enum variable {
    VARIABLE_VERSION,
    VARIABLE_VERSION_COMMENT,
    VARIABLE_FLUSH_LOG,
    VARIABLE_FLUSH_LOG_TIMEOUT,
    VARIABLE_LOG_BIN,
    VARIABLE_SESSION_LOG_BIN,
    VARIABLE_SYNC_BINLOG,
    VARIABLE_FLUSH_METHOD,
    VARIABLE_DOUBLEWRITE,
    VARIABLE_NO_SYNC,
    VARIABLE_AUTOCOMMIT,
    VARIABLE_BUFFER_POOL,
    VARIABLE_LOG_FILE_SIZE,
    VARIABLE_REDO_LOG_CAPACITY,
    VARIABLE_ARIA_GROUP_COMMIT,
    VARIABLE_ARIA_PAGE_CACHE,
    VARIABLE_KEY_BUFFER,
    VARIABLE_TX_ISOLATION,
    VARIABLE_TRANSACTION_ISOLATION,
    VARIABLE_QUERY_CACHE,
    VARIABLE_REDO_LOG, /* a status, of MySQL alone */
    VARIABLES,
};

struct variables {
    char value[VARIABLES][VALUE_SIZE]; /* "": the server has none */
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

/* Reads all variables back.  0, or -1 with err. */
int settings_read(struct settings *settings, struct connection *connection,
                  struct err *err);

/* Returns 0 if all that decides about durability is as it was read before,
   else -1 with err. */
int settings_check(const struct settings *settings,
                   struct connection *connection, struct err *err);

/* Restores what was changed for all.  0, or -1 with err, which has the
   SQL that does it. */
int settings_restore(const struct settings *settings,
                     struct connection *connection, struct err *err);
/* Writes that SQL, after what is in text. */
void settings_restore_sql(const struct settings *settings, char *text,
                          size_t size);

/* The class of a table of that engine, and why. */
enum durability settings_durability(const struct settings *settings,
                                    const char *engine, char *text,
                                    size_t size);

/* The server's product and version. */
bool settings_is_mariadb(const struct settings *settings);

/* Reads what else differs from the server's defaults.  It is no error if the
   user may not know. */
void settings_read_changed(struct settings *settings,
                           struct connection *connection);

void settings_describe(const struct settings *settings, const char *engine,
                       const struct store_config *config,
                       struct properties *properties);

#endif
