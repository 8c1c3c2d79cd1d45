/* SPDX-License-Identifier: ISC */
/*
 * MySQL and MariaDB, through libmysqlclient or MariaDB Connector/C.  A function that returns int
 * returns 0, or -1 with err, unless its comment says otherwise.
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

/* Errors that the code handles.  By number, since each library's mysqld_error.h lacks some of the
   other's. */
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
    bool mariadb;                      /* false: MySQL */
    bool in_cluster;                   /* a Galera cluster, where a deadlock is a conflict */
};

/* Call before and after each wait for the server. */
static inline void connection_toggle(struct connection *connection)
{
    watchdog_toggle(&connection->link.watched);
}

extern const struct sql_client mysql_client;

/* Sets err and its class; see sql_link_fail.  Always returns -1. */
int connection_fail(struct connection *connection, const char *action, unsigned code,
                    const char *text, struct err *err);

/* Runs SQL that must be a single statement; see struct sql_dialect. */
int connection_change(struct connection *connection, const char *action, const char *sql,
                      struct err *err);

/* Acquires the named lock, whose name is an SQL expression, for the life of the connection.
   ERR_BUSY if another client holds it for two seconds.  *holder is the server's id of ubench's
   connection that holds the lock, 0 at first.  A lost connection may still hold it; then the lock
   counts as acquired. */
int connection_lock(struct connection *connection, const char *name, const char *busy,
                    uint64_t *holder, struct err *err);

/* Writes a path in the directory of InnoDB's log; "" if it is on another machine or unknown. */
void connection_log_path(struct connection *connection, char *path, size_t size);

/* --- The way back from SET GLOBAL --- */

/* The SQL that restores global variables.  It is stored in the column `restore` of a row of
   ubench_marker before they are set, so that the next run restores them if this one is killed.
   Zeroed: nothing was changed. */
struct restore {
    bool noted; /* the marker has the row */
    char sql[RESTORE_SIZE];
    uint64_t holder;
};

/* Locks out other runs that would change settings of the server, in any database; ERR_BUSY if one
   is running. */
int restore_lock(struct restore *restore, struct connection *connection, struct err *err);

/* Stores a variable's present value in the marker, and sets the variable for all sessions.  Returns
   1 if the server refuses. */
int restore_set(struct restore *restore, const char *action, const char *name, const char *literal,
                struct connection *connection, struct err *err);

/* Restores all variables, over a new connection if the old one is lost.  On failure, err has the
   SQL that does it. */
int restore_all(struct restore *restore, struct server *server, struct err *err);

/* Restores variables that a killed run left changed, and gives notice of it. */
int restore_left(struct connection *connection, struct err *err);

/* --- The settings --- */

struct settings {
    struct restore restore;        /* of the variables that were set for all sessions */
    bool global[OPT_SETTINGS_MAX]; /* whether each of config->settings was set for all sessions */
    struct properties given;       /* values read back then, by "global NAME" or "session NAME" */
};

/* Writes a value of less than VALUE_SIZE as an SQL literal for SET, and returns literal: a number,
   also with the unit of a server option (1G), a string or DEFAULT. */
const char *settings_literal(char literal[static LITERAL_SIZE], const char *value);

/* Reads mysql_variables; see sql_client.  A variable that the server does not have is not an
   error. */
int variables_read(struct connection *connection, unsigned is, struct properties *read,
                   struct err *err);

/* Reads the other variables that differ from the server's defaults, if the user has the
   privilege. */
void variables_read_changed(struct properties *changed, struct connection *connection);

/* Applies --sync for tables of that engine.  settings->restore has the changes even after a
   failure. */
int settings_sync(struct settings *settings, const char *engine, struct connection *connection,
                  struct err *err);

/* Applies --set and reads it back. */
int settings_set(struct settings *settings, struct connection *connection, struct err *err);

/* Applies the session variables of --set to another connection. */
int settings_set_session(const struct settings *settings, struct connection *connection,
                         struct err *err);

/* --- The lease table --- */

enum { ENGINE, OPTIONS, INDEXES }; /* its facts */

/* Locks out other runs of ubench from the database: two runs would empty each other's table. */
int table_lock(struct connection *connection, uint64_t *holder, struct err *err);

/* SQL that creates ubench_marker. */
extern const char *const table_marker;

/* Refuses a database that is not ubench's; changes nothing. */
int table_look(struct connection *connection, struct err *err);

/* SQL that lists all objects; see struct sql_dialect. */
extern const char *const mysql_catalogue;

/* Writes the server's name of the requested engine. */
int table_engine(char *engine, size_t size, struct connection *connection, struct err *err);

/* Checks the database again, creates or empties the table and fills in *table; with keep, only
   opens the existing table. */
int table_open(struct sql_table *table, const char *engine, struct connection *connection,
               struct err *err);

/* See sql_client. */
int table_read_made(struct connection *connection, const struct sql_table *table,
                    char made[static SQL_FACT_SIZE], struct err *err);
int table_empty(struct connection *connection, const struct sql_table *table, const char *action,
                struct err *err);

void table_describe(const struct sql_table *table, struct properties *properties);

/* --- A session, which is a connection, and how it runs statements --- */

/* MySQL 8.0.1 removed my_bool. */
#if defined MARIADB_PACKAGE_VERSION || MYSQL_VERSION_ID < 80001
typedef my_bool bound_bool;
#else
typedef bool bound_bool;
#endif

/* A value of a prepared statement, bound once for all its executions. */
struct bound {
    bound_bool is_null;
    unsigned long length; /* of the bytes */
    union {
        uint32_t number;
        MYSQL_TIME time;                 /* UTC */
        char bytes[LEASE_CLIENT_ID_MAX]; /* bytes or text; no value is longer */
    };
};

struct mysql_session {
    struct session base;
    struct connection connection;
    MYSQL_STMT *prepared[SQL_ALL_STATEMENTS]; /* all NULL if not compiled */
    struct bound in[SQL_VALUES];
    struct bound out[SQL_VALUES];
    bool has_rows;            /* the search may have more rows */
    MYSQL_RES *rows;          /* of a statement that is not prepared */
    char text[SQL_TEXT_SIZE]; /* searches that are sent together */
    size_t text_length;
    bool is_first;  /* the first result of these is to be read next */
    bool is_double; /* a search of a procedure found more than one row */
};

static inline struct mysql_session *mysql_session_of(struct session *session)
{
    return (struct mysql_session *)session;
}

extern const struct sql_dialect mysql_dialect;
extern const struct sql_trips mysql_trips;

/* Prepares and binds all statements.  session_release is fine without it. */
int session_prepare(struct mysql_session *session, struct err *err);
void session_release(struct mysql_session *session);

/* Binds the columns of a row.  Returns 0, or an error of the statement. */
int session_bind_columns(struct mysql_session *session, const struct sql_statement *statement);

/* Returns ERROR with err, or MISS for a key that is taken. */
enum outcome session_fail(struct mysql_session *session, const struct sql_statement *statement,
                          struct err *err);

#endif
