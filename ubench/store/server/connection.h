/* SPDX-License-Identifier: ISC */
/*
 * The servers of a run, and a connection to one of them: opening it, its read timeout, its loss,
 * and SQL that is not timed.  A function that returns int returns 0, or -1 with err, unless its
 * comment says otherwise.
 */
#ifndef UBENCH_STORE_SERVER_CONNECTION_H
#define UBENCH_STORE_SERVER_CONNECTION_H

#include "store/backend.h"
#include "store/host_list.h"
#include "store/server/watchdog.h"
#include "store/sql/columns.h"
#include "store/sql/settings.h"

/* --- The servers (endpoints.c) --- */

/* --host is one server or a list of nodes of a cluster, separated by commas: HOST, HOST:PORT,
   [ADDRESS]:PORT or a path; the default port is that of --port.  Sessions are opened on the nodes
   in turn. */

enum { ENDPOINTS_MAX = 16, ENDPOINT_SIZE = HOST_SIZE };

/* Seconds to wait for an answer when a run is over or while other sessions wait: short after ^C. */
enum { CLOSE_TIMEOUT_S = 3 };

struct endpoint {
    struct store_config config; /* the run's, with the endpoint's host and port */
    char host[ENDPOINT_SIZE];
    char at[ENDPOINT_SIZE + 16]; /* " at HOST:PORT"; "" if it is the only one */
    atomic_uint sessions;        /* number of sessions opened on it */
};

struct endpoints {
    struct endpoint items[ENDPOINTS_MAX];
    size_t count;
    atomic_uint turn;         /* number of sessions that were to be opened */
    atomic_uint cancels;      /* number of calls of cancel */
    struct watchdog watchdog; /* watches the connections to all endpoints */
};

/* Initialises the endpoints from --host.  The struct must not be moved, nor outlive the strings of
   config. */
int endpoints_init(struct endpoints *endpoints, const struct store_config *config, struct err *err);

/* Adds the endpoints and the number of sessions on each, if there are several. */
void endpoints_describe(const struct endpoints *endpoints, struct properties *properties);

/* --- A connection (connection.c) --- */

/* Defined by each store; its first member is a struct sql_link. */
struct connection;

/* SQL that reads the server's counters, in rows of a name and a number.  Names that end in "syncs"
   count syncs, in "rnd_next" rows read without an index, in "written" bytes in logs, and all others
   uses of an index. */
struct sql_use {
    const char *flush;   /* publishes the session's counts so far; NULL: not needed */
    const char *find[2]; /* the second needs a privilege, or NULL */
};

/* A name in the answers of a server for a figure of its activity. */
struct sql_figure {
    const char *name; /* NULL: end of the array */
    enum activity_figure figure;
};

/* SQL that reads what the server does, in rows of a name and a number. */
struct sql_activity {
    const char *find[4]; /* each may need a privilege; NULL: end of the array */
};

/* The functions of a store that call its client library. */
struct sql_client {
    const char *store;                  /* prefix of its errors */
    const struct sql_setting *settings; /* the settings that are read back */
    /* Who may change one of the settings during a run, with a leading blank, or NULL. */
    const char *changed_by;
    /* Returns the SQL for the counters of this server. */
    struct sql_use (*use)(const struct connection *connection);
    /* The same for its activity, and the names that it returns, besides activity_names. */
    struct sql_activity (*activity)(const struct connection *connection);
    const struct sql_figure *figures;
    /* How the path of the log (server.log_path) ends, below the directory of the data. */
    const char *log_below;
    /* Connects to the link's endpoint; with several endpoints, only to one that accepts changes.
       Adds the connection to the watchdog as soon as its socket is known. */
    int (*connect)(struct connection *connection, uint64_t limit_s, struct err *err);
    /* Closes a connection, even one that is not, or only partly, opened. */
    void (*close)(struct connection *connection);
    /* Runs SQL, which may be several statements.  Passes the rows of the first that returns rows to
       take, unless that is NULL. */
    int (*run)(struct connection *connection, const char *action, const char *sql,
               sql_take_row *take, void *context, struct err *err);
    /* Removes all leases and keeps the table. */
    int (*empty)(struct connection *connection, const struct sql_table *table, const char *action,
                 struct err *err);
    /* Reads the settings that have all bits of is. */
    int (*read_settings)(struct connection *connection, unsigned is, struct properties *read,
                         struct err *err);
    /* Writes the attributes of the table that the durability class also depends on. */
    int (*read_made)(struct connection *connection, const struct sql_table *table,
                     char made[static SQL_FACT_SIZE], struct err *err);
};

struct sql_link {
    struct watched watched;
    struct endpoints *endpoints;
    struct endpoint *endpoint;
    const struct sql_client *client;
    const char *at; /* endpoint->at once it is connected; else "" */
    bool lost;      /* the connection was lost or is not open */
};

/* Opens a connection to the first endpoint or, in_turn, to that of the next session; if that
   endpoint is lost, to the following one.  *connection is zeroed before and must not be moved.
   Close it only after 0. */
int connection_open(struct connection *connection, const struct sql_client *client,
                    struct endpoints *endpoints, bool in_turn, uint64_t limit_s, struct err *err);
void connection_close(struct connection *connection); /* NULL or zeroed is fine */

bool connection_is_lost(const struct connection *connection);

/* Sets err to the action, the endpoint, and the message of the server or of its library with its
   code; or to the fact that ubench itself canceled the connection or timed it out.  Always returns
   -1. */
int sql_link_fail(struct sql_link *link, const char *action, enum err_class class, const char *text,
                  const char *code, struct err *err);

/* Runs SQL as sql_client.run does. */
int connection_rows(struct connection *connection, const char *action, const char *sql,
                    sql_take_row *take, void *context, struct err *err);

/* Runs the formatted SQL, of less than 4096 bytes. */
int connection_run(struct connection *connection, const char *action, struct err *err,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Writes the first column of the first row that the formatted SQL returns; "" without a row or for
   NULL. */
int connection_value(struct connection *connection, const char *action, char *value, size_t size,
                     struct err *err, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

#endif
