/* SPDX-License-Identifier: ISC */
/*
 * MySQL and MariaDB, through libmysqlclient or MariaDB Connector/C.  A function
 * that returns int returns 0, or -1 with err, unless it says more.
 */
#ifndef UBENCH_STORE_MYSQL_MYSQL_STORE_H
#define UBENCH_STORE_MYSQL_MYSQL_STORE_H

#include <mysql.h>

#include "store/mysql/mysql_class.h"
#include "store/server/server.h"
#include "store/sql/lease_table.h"
#include "store/sql/settings.h"

enum {
    VALUE_SIZE = sizeof((struct property *)NULL)->value,
    LITERAL_SIZE = 2 * VALUE_SIZE + 3,
    RESTORE_SIZE = 900,
};

/* --- A connection --- */

/* Errors that are acted upon.  By number, since each library's mysqld_error.h
   lacks some of the other's. */
enum mysql_code {
    CODE_UNKNOWN_DATABASE = 1049,
    CODE_NO_COLUMN = 1054,
    CODE_DUPLICATE = 1062,
    CODE_NO_TABLE = 1146,
    CODE_NO_PRIVILEGE = 1227,
    CODE_GLOBAL_VARIABLE = 1229,
    CODE_UNKNOWN_ENGINE = 1286,
    CODE_TRIGGER_LOGGED = 1419,
};

struct connection {
    struct sql_link link;
    MYSQL *mysql;                      /* NULL: not connected */
    const struct store_config *config; /* with the endpoint's host and port */
    bool mariadb;                      /* or else MySQL */
    bool in_cluster;                   /* of Galera, where a deadlock is a conflict */
};

/* Before and after everything that waits for the server. */
static inline void connection_toggle(struct connection *connection)
{
    watchdog_toggle(&connection->link.watched);
}

extern const struct sql_client mysql_client;

/* Writes the sentence and its class; see sql_link_fail.  Always returns -1. */
int connection_fail(struct connection *connection, const char *action, unsigned code,
                    const char *text, struct err *err);

/* Takes the lock of the name that an SQL expression has, for as long as the
   connection lives: ERR_BUSY, if another has it for two seconds.  *holder is
   the server's number for the connection of ours that has it, 0 at first: one
   that is lost may still have it, and then it is kept. */
int connection_lock(struct connection *connection, const char *name, const char *busy,
                    uint64_t *holder, struct err *err);

/* Writes a path in the folder of InnoDB's log, or "" if it is another machine's
   or cannot be told. */
void connection_log_path(struct connection *connection, char *path, size_t size);

/* --- The way back from SET GLOBAL --- */

/* The SQL that restores the variables stands in the column `restore` of a row
   of ubench_marker before they are set, so that the next run restores them if
   this one is killed.  Zeroed: nothing was changed. */
struct restore {
    bool noted; /* there is a row of the marker */
    char sql[RESTORE_SIZE];
    uint64_t holder;
};

/* Keeps off other runs that would change settings of the server, in whatever
   database: ERR_BUSY, if there is one. */
int restore_lock(struct restore *restore, struct connection *connection, struct err *err);

/* Notes what a variable is, and sets it for all.  1: the server refused that.
 */
int restore_set(struct restore *restore, const char *action, const char *name, const char *literal,
                struct connection *connection, struct err *err);

/* Sets everything back, over a new connection if the old one is lost; or err
   has the SQL that does it. */
int restore_all(struct restore *restore, struct server *server, struct err *err);

/* Restores what a run that was killed has left, and gives a notice of it. */
int restore_left(struct connection *connection, struct err *err);

/* --- The settings --- */

struct settings {
    struct restore restore;        /* of what was changed for all */
    bool global[OPT_SETTINGS_MAX]; /* whether each of config->settings was set for all sessions */
    struct properties given;       /* each as read back then, by "global NAME" or "session NAME" */
};

/* Writes a value of less than VALUE_SIZE as SET wants it, and returns literal:
   a number, also with a server option's unit (1G), a string or DEFAULT. */
const char *settings_literal(char literal[static LITERAL_SIZE], const char *value);

/* Reads mysql_variables; see sql_client.  What a server does not have is no error. */
int variables_read(struct connection *connection, unsigned is, struct properties *read,
                   struct err *err);

/* Reads what else differs from the server's defaults, if the user may know. */
void variables_read_changed(struct properties *changed, struct connection *connection);

/* Applies --sync for tables of that engine.  What was changed is in restore
   even after a failure. */
int settings_sync(struct settings *settings, const char *engine, struct connection *connection,
                  struct err *err);

/* Applies --set and reads it back. */
int settings_set(struct settings *settings, struct connection *connection, struct err *err);

/* The same on another connection, for what belongs to sessions. */
int settings_set_session(const struct settings *settings, struct connection *connection,
                         struct err *err);

/* --- The lease table --- */

enum { ENGINE, OPTIONS, INDEXES }; /* its facts */

/* Keeps other runs of ubench off the database: two would empty each other's
   table. */
int table_lock(struct connection *connection, uint64_t *holder, struct err *err);

/* Creates ubench_marker. */
extern const char *const table_marker;

/* Refuses what is not ours; touches nothing. */
int table_look(struct connection *connection, struct err *err);

/* The SQL that lists all objects; see struct sql_dialect. */
extern const char *const mysql_catalogue;

/* Writes the server's name for the engine that is asked for. */
int table_engine(char *engine, size_t size, struct connection *connection, struct err *err);

/* Looks again, makes the table or empties it, unless it is to be kept, and
   fills in *table. */
int table_open(struct sql_table *table, const char *engine, struct connection *connection,
               struct err *err);

/* See sql_client. */
int table_read_made(struct connection *connection, const struct sql_table *table,
                    char made[static SQL_FACT_SIZE], struct err *err);
int table_empty(struct connection *connection, const struct sql_table *table, const char *action,
                struct err *err);

void table_describe(const struct sql_table *table, struct properties *properties);

/* --- A session, which is a connection, and how it runs statements --- */

/* MySQL 8.0.1 took my_bool away. */
#if defined MARIADB_PACKAGE_VERSION || MYSQL_VERSION_ID < 80001
typedef my_bool bound_bool;
#else
typedef bool bound_bool;
#endif

/* A value of a prepared statement is bound to this once, for all runs of it. */
struct bound {
    bound_bool is_null;
    unsigned long length; /* of the bytes */
    union {
        uint32_t number;
        MYSQL_TIME time;                 /* UTC */
        char bytes[LEASE_CLIENT_ID_MAX]; /* also of text: no value is longer */
    };
};

struct mysql_session {
    struct session base;
    struct connection connection;
    MYSQL_STMT *prepared[SQL_STATEMENTS]; /* all NULL if not compiled */
    struct bound in[SQL_VALUES];
    struct bound out[SQL_VALUES];
    bool has_rows;   /* there may be more of what was found */
    MYSQL_RES *rows; /* of a statement that is not compiled */
};

static inline struct mysql_session *mysql_session_of(struct session *session)
{
    return (struct mysql_session *)session;
}

extern const struct sql_dialect mysql_dialect;

/* Prepares all statements and binds them.  release is fine without. */
int session_prepare(struct mysql_session *session, struct err *err);
void session_release(struct mysql_session *session);

#endif
