/* SPDX-License-Identifier: ISC */
/*
 * PostgreSQL, through libpq.  A function that returns int returns 0, or -1 with
 * err, unless its comment says otherwise.
 */
#ifndef UBENCH_STORE_PGSQL_PGSQL_STORE_H
#define UBENCH_STORE_PGSQL_PGSQL_STORE_H

#include <string.h>

#include <libpq-fe.h>

#include "store/pgsql/pgsql_class.h"
#include "store/server/server.h"
#include "store/sql/lease_table.h"
#include "store/sql/settings.h"

/* --- A connection --- */

struct connection {
    struct sql_link link;
    PGconn *conn; /* NULL: not connected */
    bool in_transaction;
    char last_words[160]; /* reason of the server for hanging up, if sent between statements */
    char last_sqlstate[8];
};

extern const struct sql_client pgsql_client;

/* Waits for the result of a PQsend function, whose return value is sent.
   Returns the first error or the last of several results, to be freed with
   PQclear; NULL with err without a result in time. */
PGresult *connection_await(struct connection *connection, const char *action, int sent,
                           struct err *err);

/* Like connection_await, but returns NULL with err for an error of the server
   also. */
PGresult *connection_result(struct connection *connection, const char *action, int sent,
                            struct err *err);

/* Runs SQL that must be a single statement; see struct sql_dialect. */
int connection_change(struct connection *connection, const char *action, const char *sql,
                      struct err *err);

/* Sets err and its class; see sql_link_fail.  Rolls back an open transaction.
   Always returns -1. */
int connection_fail(struct connection *connection, const char *action, const PGresult *result,
                    struct err *err);

/* Rolls back a transaction, if one is open, after an error. */
void connection_roll_back(struct connection *connection);

/* Writes a path in the directory of the write-ahead log; "" if it is unknown. */
void connection_log_path(struct connection *connection, char *path, size_t size);

/* --- The lease table --- */

enum { PERSISTENCE, CAN_TRUNCATE, OID, KEY_NAME, INDEXES }; /* its facts */

/* Locks out other runs of ubench from these tables for the life of the
   connection.  ERR_BUSY if another run holds the lock for two seconds.  *holder
   is the process id of the backend of ubench's connection that holds it, 0 at
   first.  If that connection is lost and its backend has not noticed, the
   backend is terminated. */
int table_lock(struct connection *connection, int *holder, struct err *err);

enum { PREFIX_SIZE = 134 };

/* SQL that lists all objects; see struct sql_dialect. */
extern const char *const pgsql_catalogue;

/* Refuses a database that is not ubench's, creates or empties the table and
   fills in *table; with keep, only opens the existing table.  prefix receives
   its schema, quoted if necessary, and a dot. */
int table_open(struct sql_table *table, char prefix[static PREFIX_SIZE],
               struct connection *connection, const struct store_config *config, bool unlogged,
               struct err *err);

/* See sql_client. */
int table_read_made(struct connection *connection, const struct sql_table *table,
                    char made[static SQL_FACT_SIZE], struct err *err);

/* Writes the number of the file that has the table's rows.  Returns 0, or -1 with err. */
enum { TABLE_FILE_SIZE = 24 };
int table_read_file(struct connection *connection, const struct sql_table *table,
                    char file[static TABLE_FILE_SIZE], struct err *err);

/* See sql_client. */
int table_empty(struct connection *connection, const struct sql_table *table, const char *action,
                struct err *err);

/* --- The settings --- */

/* All settings are set for the session only, so nothing has to be restored. */

enum { SETTING_SIZE = 96 };

struct settings {
    char loaded[SETTING_SIZE];                  /* when the server started and when it last loaded
                                                   its settings */
    char standbys[SETTING_SIZE];                /* the present standbys; "": none */
    char given[OPT_SETTINGS_MAX][SETTING_SIZE]; /* values of --set, read back */
};

/* Reads unlogged, a setting of ubench's own, from those of --set. */
int settings_unlogged(const struct opt_settings *settings, bool *unlogged, struct err *err);

/* Applies the command line to a connection.  Records the values of --set in
   settings, unless that is NULL. */
int settings_set(struct settings *settings, struct connection *connection,
                 const struct store_config *config, struct err *err);

/* Reads pgsql_settings; see sql_client. */
int settings_read(struct connection *connection, unsigned is, struct properties *read,
                  struct err *err);

/* Reads which standbys have the changes. */
void settings_read_standbys(struct settings *settings, const struct properties *read,
                            struct connection *connection);

/* Reads the other settings that differ from the defaults of the server, the
   database, the user or the environment, if the user may read them. */
void settings_read_changed(struct properties *changed, struct connection *connection);

/* Checks that the server has not loaded its settings since loaded; sets loaded
   if it is "" or another server's. */
int settings_check_loaded(char loaded[static SETTING_SIZE], struct connection *connection,
                          struct err *err);

/* Adds the settings that were read, the standbys and the values of --set to properties. */
void settings_describe(const struct settings *settings, const struct properties *read,
                       const struct opt_settings *given, struct properties *properties);

/* --- A session, which is a connection, and how it runs statements --- */

struct pgsql_session {
    struct session base;
    struct connection connection;
    unsigned char widths[SQL_VALUES]; /* of numbers, in bytes */
    /* The parameters, in PostgreSQL's binary form: most significant byte first.
       NULL in values is SQL's NULL. */
    const char *values[SQL_PARAMS_MAX];
    int lengths[SQL_PARAMS_MAX];
    int formats[SQL_PARAMS_MAX];
    uint64_t numbers[SQL_PARAMS_MAX];
    char inet[20];
    /* The result of a search, its next row, and that row's bytes if they were
       text. */
    PGresult *found;
    int row;
    uint8_t bytes[1024];
    bool synced; /* the questions of a pipeline are sent */
};

static inline struct pgsql_session *pgsql_session_of(struct session *session)
{
    return (struct pgsql_session *)session;
}

extern const struct sql_dialect pgsql_dialect;
extern const struct sql_trips pgsql_trips;

/* Sends a statement with the values of the session, or only adds it to a pipeline.  Returns what
   libpq's PQsend functions do, or -1 with err if a value cannot be written. */
int session_send(struct pgsql_session *session, const struct sql_statement *statement,
                 struct err *err);

/* Prepares the statements, if they are compiled. */
int session_prepare(struct pgsql_session *session, struct err *err);

#endif
