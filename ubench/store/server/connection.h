/* SPDX-License-Identifier: ISC */
/*
 * The servers of a run, and a connection to one of them: how it is opened,
 * watched over and lost, and SQL that is not timed.  A function that returns int
 * returns 0, or -1 with err, unless it says more.
 */
#ifndef UBENCH_STORE_SERVER_CONNECTION_H
#define UBENCH_STORE_SERVER_CONNECTION_H

#include "store/backend.h"
#include "store/host_list.h"
#include "store/server/watchdog.h"
#include "store/sql/columns.h"
#include "store/sql/settings.h"

/* --- The servers (endpoints.c) --- */

/* --host is one server, or a list of nodes of a cluster, which sessions are opened
   on in turn: HOST, HOST:PORT, [ADDRESS]:PORT or a path, between commas; without a
   port it is that of --port. */

enum { ENDPOINTS_MAX = 16, ENDPOINT_SIZE = HOST_SIZE };

/* The timeout, s, when a run is over or while others wait: short after ^C. */
enum { CLOSE_TIMEOUT_S = 3 };

struct endpoint {
    struct store_config config; /* the run's, with the host and port of this */
    char host[ENDPOINT_SIZE];
    char at[ENDPOINT_SIZE + 16]; /* " at HOST:PORT"; "" if it is the only one */
    atomic_uint sessions;        /* that were opened on it */
};

struct endpoints {
    struct endpoint items[ENDPOINTS_MAX];
    size_t count;
    atomic_uint turn;         /* sessions that were to be opened */
    atomic_uint cancels;      /* how often the store was told to cancel */
    struct watchdog watchdog; /* over all connections to them */
};

/* It must stay where it is, and no longer than the texts of config. */
int endpoints_init(struct endpoints *endpoints, const struct store_config *config, struct err *err);

/* Adds which there are, and how many sessions each has, if they are several. */
void endpoints_describe(const struct endpoints *endpoints, struct properties *properties);

/* --- A connection (connection.c) --- */

/* Each store's own, which begins with a struct sql_link. */
struct connection;

/* SQL.  What finds counts has rows of a name and a number: names that end in "syncs" are of syncs,
   in "rnd_next" of rows that were read without an index, in "written" of bytes in logs, and others
   of how often an index was used. */
struct sql_use {
    const char *flush;   /* makes it count what this session did until now; NULL: it has */
    const char *find[2]; /* the second for what it does not tell everybody, or NULL */
};

/* The functions of a store that use its client library. */
struct sql_client {
    const char *store;                  /* its name, with which its errors begin */
    const struct sql_setting *settings; /* that are read back */
    /* Who may change one of these while a run goes on, with a blank before it, or NULL. */
    const char *changed_by;
    /* How to ask this server what it has done. */
    struct sql_use (*use)(const struct connection *connection);
    /* Connects to the link's endpoint, and of several only to one that takes changes; from when
       its socket is known it is watched over. */
    int (*connect)(struct connection *connection, uint64_t limit_s, struct err *err);
    /* Closes it, also one that was not opened or not to the end. */
    void (*close)(struct connection *connection);
    /* Runs SQL, which may be several statements, and gives the rows of the first that finds any to
       take, unless that is NULL. */
    int (*run)(struct connection *connection, const char *action, const char *sql,
               sql_take_row *take, void *context, struct err *err);
    /* Removes all leases, and leaves the table as it is. */
    int (*empty)(struct connection *connection, const struct sql_table *table, const char *action,
                 struct err *err);
    /* Reads the settings that have all bits of is. */
    int (*read_settings)(struct connection *connection, unsigned is, struct properties *read,
                         struct err *err);
    /* Writes what the class rests on beside them: how the table was made. */
    int (*read_made)(struct connection *connection, const struct sql_table *table,
                     char made[static SQL_FACT_SIZE], struct err *err);
};

struct sql_link {
    struct watched watched;
    struct endpoints *endpoints;
    struct endpoint *endpoint;
    const struct sql_client *client;
    const char *at; /* the endpoint's, once it is connected to */
    bool lost;      /* the server, at least once; or it is not connected to */
};

/* Connects: to the first endpoint, or in turn to that of the next session; if that is lost, to the
   one behind it.  Zeroed before, and it must stay where it is; closed only after 0. */
int connection_open(struct connection *connection, const struct sql_client *client,
                    struct endpoints *endpoints, bool in_turn, uint64_t limit_s, struct err *err);
void connection_close(struct connection *connection); /* NULL or a zeroed one is fine */

bool connection_is_lost(const struct connection *connection);

/* Writes the sentence and its class: what was done, and what the server or its library says to it
   with its code; or that it was we who gave the connection up.  Always returns -1. */
int sql_link_fail(struct sql_link *link, const char *action, enum err_class class, const char *text,
                  const char *code, struct err *err);

/* Runs SQL, and gives the rows to take, unless that is NULL, as sql_client.run does. */
int connection_rows(struct connection *connection, const char *action, const char *sql,
                    sql_take_row *take, void *context, struct err *err);

/* Runs a few hundred bytes of SQL. */
int connection_run(struct connection *connection, const char *action, struct err *err,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Writes the first column of the first row that SQL finds, "" if there is none or it is NULL. */
int connection_value(struct connection *connection, const char *action, char *value, size_t size,
                     struct err *err, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

#endif
