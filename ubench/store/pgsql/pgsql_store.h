/* SPDX-License-Identifier: ISC */
/*
 * PostgreSQL, through libpq.  A function that returns int returns 0, or -1 with
 * err, unless it says more.
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
    char last_words[160]; /* why the server hung up, if it said so too early */
    char last_sqlstate[8];
};

extern const struct sql_client pgsql_client;

/* After one of the PQsend functions, whose result is sent: the server's answer,
   the first error or the last of several results, to be freed with PQclear.
   NULL with err if there is none in time. */
PGresult *connection_await(struct connection *connection, const char *action, int sent,
                           struct err *err);

/* The same, and an error of the server's is err. */
PGresult *connection_result(struct connection *connection, const char *action, int sent,
                            struct err *err);

/* Writes the sentence and its class; see sql_link_fail.  Ends a transaction
   that is open.  Always returns -1. */
int connection_fail(struct connection *connection, const char *action, const PGresult *result,
                    struct err *err);

/* Ends a transaction, if one is open, that an error has spoilt. */
void connection_roll_back(struct connection *connection);

/* Writes a path in the folder of the write-ahead log, or "" if it cannot be
   told. */
void connection_log_path(struct connection *connection, char *path, size_t size);

/* --- The lease table --- */

enum { PERSISTENCE, CAN_TRUNCATE, OID, KEY_NAME, INDEXES }; /* its facts */

/* Keeps other runs of ubench off these tables for as long as the connection
   lives: ERR_BUSY, if another has the lock for two seconds.  *holder is the
   server's process for the connection that has it, 0 at first: one that is
   lost, and whose process has not noticed, loses it. */
int table_lock(struct connection *connection, int *holder, struct err *err);

enum { PREFIX_SIZE = 134 };

/* The SQL that lists all objects; see struct sql_dialect. */
extern const char *const pgsql_catalogue;

/* Refuses what is not ours, makes the table or empties it, unless it is to be
   kept, and fills in *table and its prefix: its schema, quoted where it has to
   be, and a dot. */
int table_open(struct sql_table *table, char prefix[static PREFIX_SIZE],
               struct connection *connection, const struct store_config *config, bool unlogged,
               struct err *err);

/* See sql_client. */
int table_read_made(struct connection *connection, const struct sql_table *table,
                    char made[static SQL_FACT_SIZE], struct err *err);

/* Writes the number of the file that has the table's rows. */
enum { TABLE_FILE_SIZE = 24 };
int table_read_file(struct connection *connection, const struct sql_table *table,
                    char file[static TABLE_FILE_SIZE], struct err *err);

/* See sql_client. */
int table_empty(struct connection *connection, const struct sql_table *table, const char *action,
                struct err *err);

/* --- The settings --- */

/* All is set for the session alone, so that there is nothing to restore. */

enum { SETTING_SIZE = 96 };

struct settings {
    char loaded[SETTING_SIZE];                  /* when the server was started, and when it
                                                   loaded its settings last */
    char standbys[SETTING_SIZE];                /* as they are now; "": there are none */
    char given[OPT_SETTINGS_MAX][SETTING_SIZE]; /* of --set, read back */
};

/* Takes our own knob, unlogged, from those of --set. */
int settings_unlogged(const struct opt_settings *settings, bool *unlogged, struct err *err);

/* Makes a connection what the command line asks for.  What --set came to is
   noted in settings, unless that is NULL. */
int settings_set(struct settings *settings, struct connection *connection,
                 const struct store_config *config, struct err *err);

/* Reads pgsql_settings; see sql_client. */
int settings_read(struct connection *connection, unsigned is, struct properties *read,
                  struct err *err);

/* Reads who has the changes beside this server. */
void settings_read_standbys(struct settings *settings, const struct properties *read,
                            struct connection *connection);

/* Reads what else is no default, of the server, the database, the user or the
   environment, if the user may know. */
void settings_read_changed(struct properties *changed, struct connection *connection);

/* Notes when the server loaded its settings, if that is "" or another server's;
   else the settings must not have been loaded since. */
int settings_check_loaded(char loaded[static SETTING_SIZE], struct connection *connection,
                          struct err *err);

void settings_describe(const struct settings *settings, const struct properties *read,
                       const struct opt_settings *given, struct properties *properties);

/* --- A session, which is a connection, and how it runs statements --- */

struct pgsql_session {
    struct session base;
    struct connection connection;
    unsigned char widths[SQL_VALUES]; /* of numbers, in bytes */
    /* The parameters, in PostgreSQL's binary form: most significant byte
       first.  A NULL in values is SQL's NULL. */
    const char *values[SQL_PARAMS_MAX];
    int lengths[SQL_PARAMS_MAX];
    int formats[SQL_PARAMS_MAX];
    uint64_t numbers[SQL_PARAMS_MAX];
    char inet[20];
    /* The rows found, the next of them, and its bytes, if they were text. */
    PGresult *found;
    int row;
    uint8_t bytes[1024];
};

static inline struct pgsql_session *pgsql_session_of(struct session *session)
{
    return (struct pgsql_session *)session;
}

extern const struct sql_dialect pgsql_dialect;

/* Prepares the statements, if they are to be. */
int session_prepare(struct pgsql_session *session, struct err *err);

#endif
